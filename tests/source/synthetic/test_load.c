#include "testing.h"

#include "source/source_driver.h"
#include "source/synthetic/load.h"

static struct arena arena;
static struct err err;
static struct synthetic_list list;

static bool load(const char *text)
{
    arena_fini(&arena);
    err = ERR_INIT;
    return synthetic_load_text(&list, "k.yaml", text, strlen(text), &arena, &err);
}

static void refuses(const char *text, const char *message)
{
    char found[2048];
    assert_false(load(text));
    assert_int_equal(err.kind, ERR_INPUT);
    err_text(&err, found, sizeof found);
    assert_string_equal(found, message);
}

TEST(a_file_names_kernels_and_their_phases)
{
    UNUSED_STATE;
    assert_true(load("about: two of them\n"
                     "seed: 7\n"
                     "kernels:\n"
                     "  - name: first\n"
                     "    blocks: 3\n"
                     "    threads_per_block: 96\n"
                     "    shared_bytes: 4KiB\n"
                     "    dependence_distance: 2\n"
                     "    mix: {integer: 1, load: 1}\n"
                     "    access: {stream: 1, cache_operator: cg}\n"
                     "    phases:\n"
                     "      - instructions: 100\n"
                     "      - {instructions: 50, dependence_distance: 0, access: {stream: 2}}\n"
                     "  - mix: {fp32: 1}\n"));
    assert_string_equal(list.about, "two of them");
    assert_int_equal(list.seed, 7);
    assert_int_equal(list.count, 2);
    const struct synthetic_kernel *k = &list.kernels[0];
    assert_string_equal(k->name, "first");
    assert_int_equal(k->phase_count, 2);
    assert_int_equal(k->phases[0].dependence_distance, 2);
    assert_int_equal(k->phases[0].access.cache_operator, CACHE_GLOBAL);
    assert_int_equal(k->phases[1].dependence_distance, 0);
    assert_int_equal(k->phases[1].access.cache_operator, CACHE_GLOBAL); /* of the kernel */
    assert_int_equal(k->phases[1].access.stream, 2);
    assert_string_equal(list.grids[0].name, "first");
    assert_int_equal(list.grids[0].blocks, 3);
    assert_int_equal(list.grids[0].warps_per_block, 3);
    assert_int_equal(list.grids[0].shared_bytes_per_block, 4096);
    assert_int_equal(list.kernels[1].phase_count, 1);
    drive_grid(&list.grids[0], NULL, NULL);
}

TEST(wrong_files_say_where_and_what)
{
    UNUSED_STATE;
    refuses("seed: 1\n", "k.yaml:1:1: the file has no `kernels:`, expected a list of them");
    refuses("kernels: []\n", "k.yaml:1:10: kernels is empty, expected a list");
    refuses("kernels:\n  name: x\n", "k.yaml:2:3: kernels is a mapping, expected a list");
    refuses("kernels: [4]\n", "k.yaml:1:11: this is a value, expected a mapping of parameters");
    refuses("kernels:\n  - blokcs: 3\n",
            "k.yaml:2:5: unknown parameter 'blokcs', expected a name from `heddle list params` "
            "(nearest: blocks)");
    refuses("kernels:\n  - mix: {lod: 3}\n",
            "k.yaml:2:11: unknown mix parameter 'lod', expected a name from `heddle list params` "
            "(nearest: load)");
    refuses("kernels:\n  - mix: 3\n",
            "k.yaml:2:10: mix is a value, expected a mapping of parameters");
    refuses("kernels:\n  - threads_per_block: 2048\n",
            "k.yaml:2:24: threads_per_block is 2048, expected 1 to 1024");
    refuses("kernels:\n  - access: {footprint_bytes: 3Hz}\n",
            "k.yaml:2:31: access.footprint_bytes is '3Hz', expected a number in bytes, B, KiB, "
            "MiB, GiB or TiB");
    refuses("kernels:\n  - name: x\n",
            "k.yaml:2:5: mix has no kind of instruction with a share above 0");
    refuses("kernels:\n  - mix: {load: 1}\n",
            "k.yaml:2:5: access has no pattern with a share above 0");
    refuses("kernels:\n  - mix: {integer: 1}\n    phases:\n      - {dependence_distance: 64}\n",
            "k.yaml:4:9: dependence_distance is 64, expected at most 63, the instructions with a "
            "result in a loop of code_bytes = 512");
    refuses("kernels:\n  - {mix: {shared_load: 1}}\n",
            "k.yaml:2:5: shared_bytes is 0, expected at least 128 for shared-memory accesses with "
            "shared_conflicts = 1");
    refuses("kernels:\n  - {barrier_every: 64, mix: {integer: 1}}\n",
            "k.yaml:2:5: barrier_every is 64, expected less than 64, the size of the loop");
    refuses("kernels:\n  - {mix: {load: 1}, access: {private_reuse: 1, footprint_bytes: 1KiB, "
            "requests_per_load: 9}}\n",
            "k.yaml:2:5: access.footprint_bytes is 1024, expected a multiple of stride_bytes = 128 "
            "with room for requests_per_load = 9 of them");
    refuses("kernels:\n  - {mix: {load: 1}, access: {random: 1, run_lines: 3, "
            "requests_per_load: 2}}\n",
            "k.yaml:2:5: access.run_lines is 3, expected a multiple or a divisor of "
            "requests_per_load = 2");
    refuses("kernels:\n  - {mix: {load: 1}, access: {stream: 1, lane_bytes: 3}}\n",
            "k.yaml:2:5: access.lane_bytes is 3, expected 1, 2, 4, 8 or 16");
    refuses("kernels:\n  - {mix: {load: 1}, access: {stream: 1, stride_bytes: 200}}\n",
            "k.yaml:2:5: access.stride_bytes is 200, expected a multiple of 128");
}

TEST(the_bundled_files_load)
{
    UNUSED_STATE;
    static const char *const names[] = {"stream", "pointer_chase", "compute", "thrash"};
    const char *source = getenv("HEDDLE_SOURCE");
    if (!source)
        skip();
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/workloads/synthetic/%s.yaml", source, names[i]);
        arena_fini(&arena);
        err = ERR_INIT;
        assert_true(synthetic_load(&list, path, &arena, &err));
        assert_int_equal(drive_block(&list.grids[0], 0, NULL, NULL), 0);
    }
    arena_fini(&arena);
}

RUN_TESTS(T(a_file_names_kernels_and_their_phases), T(wrong_files_say_where_and_what),
          T(the_bundled_files_load))
