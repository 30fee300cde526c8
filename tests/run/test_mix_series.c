/* --series programs. */
#include "testing.h"

#include "run/mix.h"
#include "run/mix_series.h"
#include "stats/tree.h"

TEST(programs_stands_for_four_statistics_of_each_program)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct mix mix = {.count = 2};
    const char *const names[] = {"l2.hits", "programs"};
    u32 count = 2;
    const char **out = mix_series(&mix, NULL, names, &count, &arena);
    static const char *const want[] = {
        "l2.hits",
        "application0.l2_lines",
        "application0.l2_accesses",
        "application0.dram_read_bytes",
        "application0.dram_written_bytes",
        "application1.l2_lines",
        "application1.l2_accesses",
        "application1.dram_read_bytes",
        "application1.dram_written_bytes",
    };
    assert_int_equal(count, ARRAY_LEN(want));
    for (u32 i = 0; i < count; i++)
        assert_string_equal(out[i], want[i]);
    arena_fini(&arena);
}

/* A root with two networks, or with a mesh beside them, and what "programs" then ends with. */
struct flow {
    u64 flits, bytes;
};

static const struct stat_def flit_stats[] = {S_COUNT(flow, flits, "flits", "flits"), S_END};
static const struct stat_def byte_stats[] = {S_COUNT(flow, bytes, "bytes", "bytes"), S_END};

static void ends_with(bool has_mesh, const char *first, const char *second)
{
    struct arena arena = {0};
    struct stats stats;
    struct flow flow = {0};
    struct mix mix = {.count = 1};
    const char *const names[] = {"programs"};
    u32 count = 1;
    stats_init(&stats, &arena);
    stats_add(&stats, STAT_ROOT, "request_network", STAT_NO_INDEX, byte_stats, &flow);
    stats_add(&stats, STAT_ROOT, "reply_network", STAT_NO_INDEX, byte_stats, &flow);
    if (has_mesh) {
        stat_node mesh = stats_add(&stats, STAT_ROOT, "mesh", STAT_NO_INDEX, NULL, NULL);
        stats_add(&stats, mesh, "cpu", STAT_NO_INDEX, flit_stats, &flow);
        stats_add(&stats, mesh, "gpu", STAT_NO_INDEX, flit_stats, &flow);
    }
    const char **out = mix_series(&mix, &stats, names, &count, &arena);
    assert_int_equal(count, 6);
    assert_string_equal(out[4], first);
    assert_string_equal(out[5], second);
    arena_fini(&arena);
}

TEST(programs_ends_with_the_bytes_of_both_networks)
{
    UNUSED_STATE;
    ends_with(false, "request_network.bytes", "reply_network.bytes");
}

TEST(on_a_mesh_programs_ends_with_the_flits_of_each_type)
{
    UNUSED_STATE;
    ends_with(true, "mesh.cpu.flits", "mesh.gpu.flits");
}

TEST(without_a_mix_names_stay_as_they_are)
{
    UNUSED_STATE;
    struct arena arena = {0};
    const char *const names[] = {"programs"};
    u32 count = 1;
    const char **out = mix_series(NULL, NULL, names, &count, &arena);
    assert_int_equal(count, 1);
    assert_string_equal(out[0], "programs");
    arena_fini(&arena);
}

RUN_TESTS(T(programs_stands_for_four_statistics_of_each_program),
          T(programs_ends_with_the_bytes_of_both_networks),
          T(on_a_mesh_programs_ends_with_the_flits_of_each_type),
          T(without_a_mix_names_stay_as_they_are))
