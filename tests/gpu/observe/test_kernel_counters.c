/* The numbers of kernels' records, and the statistics that they are differences of. */
#include "gpu/bed.h"
#include "gpu/script.h"

static void note_parts(const char *chip, const char *const *sets, bool found[])
{
    struct bed b;
    bed_open(&b, chip, sets);
    for (u32 i = 0; i < gpu_counters_def.part_count; i++)
        found[i] |= b.gpu->plan.groups[i].part_count > 0;
    bed_close(&b);
}

TEST(every_part_with_numbers_is_there_on_some_chip)
{
    UNUSED_STATE;
    bool found[64] = {false};
    assert_true(gpu_counters_def.part_count <= ARRAY_LEN(found));
    note_parts("fermi15", NULL, found);
    note_parts("fermi15-ccn", NULL, found);
    note_parts("fermi15", (const char *const[]){"regions.mode=bypass", NULL}, found);
    note_parts("green12", (const char *const[]){"l2.policy=racr", "regions.mode=bypass", NULL},
               found);
    note_parts("kepler8", (const char *const[]){"sm.warp_policy=poise", NULL}, found);
    for (u32 i = 0; i < gpu_counters_def.part_count; i++) {
        /* machines of several sockets have it: tests/machine/test_sockets.c */
        if (!found[i] && strcmp(gpu_counters_def.parts[i].path, "sm.home") != 0)
            fail_msg("no chip has %s", gpu_counters_def.parts[i].path);
    }
}

/* Two kernels of two blocks: each warp issues a load, what waits for it, and its exit. */
static void run_two(struct bed *b, const char *chip)
{
    static const struct scripted_instruction code[] = {LOAD(1, 4096), ALU(2, 1), EXIT()};
    struct scripted_kernel k = KERNEL(code, 64, .blocks = 2);
    bed_open(b, chip, NULL);
    bed_launch(b, &k);
    bed_launch(b, &k);
    bed_run(b);
}

TEST(numbers_of_the_whole_run_are_its_statistics)
{
    UNUSED_STATE;
    struct bed b;
    struct gpu_counters n;
    run_two(&b, "fermi15-ccn");
    gpu_counters(b.gpu, &n);
    for (u32 i = 0; i < gpu_counters_def.row_count; i++) {
        const struct snapshot_row *r = &gpu_counters_def.rows[i];
        char path[128];
        snprintf(path, sizeof path, "%s.%s", gpu_counters_def.parts[r->part].path, r->statistic);
        if (r->statistic && r->count == 1 && b.gpu->plan.groups[r->part].part_count)
            assert_int_equal(((const u64 *)(const void *)&n)[r->at], bed_stat(&b, path));
    }
    assert_int_equal(n.warp_instructions, 2 * 2 * 2 * 3);
    assert_int_equal(n.scheduler_slots[SLOT_ISSUED], 24);
    bed_close(&b);
}

TEST(a_kernel_has_what_was_counted_between_its_start_and_its_end)
{
    UNUSED_STATE;
    struct bed b;
    run_two(&b, "fermi15");
    const struct kernel_record *r = b.gpu->records;
    for (u32 i = 0; i < 2; i++) {
        assert_int_equal(r[i].numbers.warp_instructions, 12);
        assert_int_equal(r[i].numbers.thread_instructions, 12 * 32);
        assert_int_equal(r[i].numbers.loads, 4);
        assert_int_equal(r[i].numbers.unit_instructions[UNIT_MEMORY], 4);
        assert_int_equal(r[i].numbers.cycles, r[i].ended - r[i].started);
    }
    /* the line is in L2 when the second one asks for it */
    assert_true(r[0].numbers.dram_read_bytes > 0);
    assert_int_equal(r[0].numbers.dram_read_bytes + r[1].numbers.dram_read_bytes,
                     bed_stat(&b, "dram.bytes_read"));
    bed_close(&b);
}

RUN_TESTS(T(every_part_with_numbers_is_there_on_some_chip),
          T(numbers_of_the_whole_run_are_its_statistics),
          T(a_kernel_has_what_was_counted_between_its_start_and_its_end))
