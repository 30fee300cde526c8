/* Blocks to SMs: orders, streams, occupancy, what a launch costs, SMs that have nothing to do. */
#include "gpu/script.h"
#include "gpu/spy.h"

static const struct scripted_instruction nap[] = {ALU(1, 0), SLEEP(2000), EXIT()};

/* ---- which SM ------------------------------------------------------------------------------- */

static void run_blocks(struct bed *b, struct spy *s, const char *const *sets, u64 blocks)
{
    bed_open(b, "fermi15", sets);
    struct scripted_kernel k = KERNEL(nap, 32, .blocks = blocks);
    spy_run(s, b, &k);
}

TEST(round_robin_goes_from_sm_to_sm)
{
    UNUSED_STATE;
    const char *sets[] = {"sm.count=4", "launch.dispatch=round_robin", NULL};
    struct bed b;
    struct spy s;
    run_blocks(&b, &s, sets, 12);
    for (u32 i = 0; i < 12; i++)
        assert_int_equal(s.starts[i].sm, i % 4);
    bed_close(&b);
}

TEST(depth_first_fills_one_sm_after_the_other)
{
    UNUSED_STATE;
    const char *sets[] = {"sm.count=4", "launch.dispatch=depth_first", NULL};
    struct bed b;
    struct spy s;
    run_blocks(&b, &s, sets, 20);
    for (u32 i = 0; i < 20; i++)
        assert_int_equal(s.starts[i].sm, i / 8); /* 8 blocks fill an SM */
    bed_close(&b);
}

/* A block of 24 warps occupies SM 0 and one of the first grid's naps; the next blocks go where
 * most warps are free. */
TEST(breadth_first_goes_to_the_emptiest_sm)
{
    UNUSED_STATE;
    const char *sets[] = {"sm.count=3", "launch.dispatch=breadth_first", NULL};
    struct bed b;
    struct spy s;
    bed_open(&b, "fermi15", sets);
    struct scripted_kernel large = KERNEL(nap, 768, .stream = 1); /* 24 of 48 warps, SM 0 */
    struct scripted_kernel small = KERNEL(nap, 256, .blocks = 9, .stream = 2);
    bed_launch(&b, &large);
    struct grid_source g = spy_on(&s, &b, scripted_source(&small, &b.scripts), 16);
    bed_launch_source(&b, &g);
    bed_run(&b);
    u32 on[3] = {0};
    for (u32 i = 0; i < 6; i++)
        on[s.starts[i].sm]++;
    /* 8 warps each: SMs 1 and 2 take three until they have no more room than SM 0 */
    assert_int_equal(on[0], 0);
    assert_int_equal(on[1], 3);
    assert_int_equal(on[2], 3);
    for (u32 i = 6; i < 9; i++)
        on[s.starts[i].sm]++;
    assert_int_equal(on[0], 1);
    bed_close(&b);
}

TEST(sms_without_a_block_do_nothing)
{
    UNUSED_STATE;
    struct bed b;
    struct spy s;
    run_blocks(&b, &s, NULL, 1);
    assert_int_equal(s.starts[0].sm, 0);
    for (u32 i = 1; i < 15; i++) {
        const struct sm_counts *c = &b.gpu->cluster.sms[i].counts;
        assert_int_equal(c->warp_instructions, 0);
        assert_int_equal(c->blocks, 0);
        assert_int_equal(c->scheduler_slots[SLOT_NO_WARP], c->scheduler_cycles);
        assert_int_equal(c->cycles, b.gpu->cluster.sms[0].counts.cycles);
    }
    bed_close(&b);
}

TEST(a_block_alone_runs_as_fast_on_a_large_chip_as_on_a_small_one)
{
    UNUSED_STATE;
    const char *one[] = {"sm.count=1", NULL};
    cycle_t ended[2];
    for (u32 i = 0; i < 2; i++) {
        struct bed b;
        struct spy s;
        run_blocks(&b, &s, i ? one : NULL, 1);
        ended[i] = b.gpu->records[0].ended;
        bed_close(&b);
    }
    assert_int_equal(ended[0], ended[1]);
}

/* ---- streams -------------------------------------------------------------------------------- */

static void run_two(struct bed *b, u64 stream_a, u64 stream_b, const char *const *sets)
{
    bed_open(b, "fermi15", sets);
    struct scripted_kernel first = KERNEL(nap, 32, .blocks = 4, .stream = stream_a, .name = "a");
    struct scripted_kernel second = KERNEL(nap, 32, .blocks = 4, .stream = stream_b, .name = "b");
    bed_launch(b, &first);
    bed_launch(b, &second);
    bed_run(b);
    assert_int_equal(b->gpu->record_count, 2);
    assert_int_equal(b->gpu->kernels, 2);
}

TEST(grids_of_two_streams_overlap_and_both_end)
{
    UNUSED_STATE;
    struct bed b;
    run_two(&b, 1, 2, NULL);
    const struct kernel_record *r = b.gpu->records;
    assert_true(r[1].started < r[0].ended && r[0].started < r[1].ended);
    assert_true(max_u64(r[0].ended, r[1].ended) < 2 * 2000); /* side by side */
    bed_close(&b);
}

/* The first grid takes both SMs in the cycles in which its blocks go out; the second has no other
 * event to wait for, so its first blocks go out in the cycle after, with and without skipping. */
TEST(a_grid_goes_out_in_the_cycle_after_another_took_all_sms)
{
    UNUSED_STATE;
    static const char *const orders[] = {
        "launch.dispatch=round_robin", "launch.dispatch=depth_first",
        "launch.dispatch=breadth_first", "launch.dispatch=ordered"};
    for (u32 i = 0; i < 2 * ARRAY_LEN(orders); i++) {
        const char *sets[] = {"sm.count=2", orders[i / 2], NULL};
        struct engine_options options = {.watchdog_cycles = 1000000, .no_skip = i % 2};
        struct bed b;
        struct spy spies[2];
        bed_open_engine(&b, "fermi15", sets, &options);
        for (u32 k = 0; k < 2; k++) {
            struct scripted_kernel nap4 = KERNEL(nap, 32, .blocks = 4, .stream = k);
            struct grid_source g = spy_on(&spies[k], &b, scripted_source(&nap4, &b.scripts), 16);
            bed_launch_source(&b, &g);
        }
        bed_run(&b);
        cycle_t last = spies[0].starts[3].began;
        /* depth first: one block a cycle to the first SM until it is full */
        assert_int_equal(last - spies[0].starts[0].began, i / 2 == 1 ? 3 : 1);
        assert_int_equal(spies[1].starts[0].began, last + 1);
        assert_int_equal(spies[1].starts[3].began, last + (i / 2 == 1 ? 4 : 2));
        bed_close(&b);
    }
}

TEST(grids_of_one_stream_follow_each_other)
{
    UNUSED_STATE;
    struct bed b;
    run_two(&b, 1, 1, NULL);
    const struct kernel_record *r = b.gpu->records;
    assert_string_equal(r[0].name, "a");
    assert_true(r[1].started >= r[0].ended);
    assert_true(r[1].ended >= 2 * 2000);
    bed_close(&b);
}

TEST(no_more_grids_run_at_once_than_the_chip_allows)
{
    UNUSED_STATE;
    const char *sets[] = {"launch.concurrent=1", NULL};
    struct bed b;
    run_two(&b, 1, 2, sets);
    assert_true(b.gpu->records[1].started >= b.gpu->records[0].ended);
    bed_close(&b);
}

/* The cycles of a launch are the kernel's: from its turn to its last block's end. */
TEST(a_launch_takes_its_cycles_before_the_first_block)
{
    UNUSED_STATE;
    const char *sets[] = {"launch.cycles=700", NULL};
    struct bed b;
    run_two(&b, 1, 1, NULL);
    u64 without = b.gpu->records[0].ended;
    bed_close(&b);
    run_two(&b, 1, 1, sets);
    const struct kernel_record *r = b.gpu->records;
    assert_int_equal(r[0].started, r[0].launched);
    assert_int_equal(r[0].ended, without + 700);
    assert_int_equal(r[0].numbers.cycles, r[0].ended - r[0].started);
    assert_in_range(r[1].started, r[0].ended, r[0].ended + 1);
    assert_true(r[1].ended >= r[1].started + 700);
    bed_close(&b);
}

/* ---- occupancy ------------------------------------------------------------------------------ */

/* Blocks of a kernel that one SM ran at once. */
static u32 at_once(const struct scripted_kernel *k, const char *const *sets)
{
    struct bed b;
    struct spy s;
    bed_open(&b, "fermi15", sets);
    spy_run(&s, &b, k);
    u32 most = 0;
    for (u64 i = 0; i < k->blocks; i++) {
        u32 others = 0;
        for (u64 j = 0; j < k->blocks; j++)
            others +=
                s.starts[j].began <= s.starts[i].began && s.starts[i].began < s.starts[j].ended;
        most = others > most ? others : most;
    }
    assert_int_equal(b.gpu->records[0].blocks_per_sm, most);
    bed_close(&b);
    return most;
}

TEST(warps_registers_shared_memory_and_slots_limit_the_blocks_of_an_sm)
{
    UNUSED_STATE;
    const char *one[] = {"sm.count=1", NULL};
    struct scripted_kernel slots = KERNEL(nap, 32, .blocks = 20);
    assert_int_equal(at_once(&slots, one), 8);
    struct scripted_kernel warps = KERNEL(nap, 512, .blocks = 10); /* 16 of 48 warps */
    assert_int_equal(at_once(&warps, one), 3);
    struct scripted_kernel odd = KERNEL(nap, 225, .blocks = 10); /* 8 warps, the last of one */
    assert_int_equal(at_once(&odd, one), 6);
    /* 8 warps x 32 lanes x 40 = 10240 of 32768 */
    struct scripted_kernel registers = KERNEL(nap, 256, .blocks = 10, .registers_per_thread = 40);
    assert_int_equal(at_once(&registers, one), 3);
    /* 41 x 32 = 1312, given as 1344: 10752 a block; without rounding 10496 would do as well,
     * and 42.66 is the last for 3 */
    struct scripted_kernel more = KERNEL(nap, 256, .blocks = 10, .registers_per_thread = 43);
    assert_int_equal(at_once(&more, one), 2);
    /* 12289 bytes are given as 12416: 3 of 49152; 12288 would be 4 */
    struct scripted_kernel shared = KERNEL(nap, 32, .blocks = 10, .shared_bytes_per_block = 12289);
    assert_int_equal(at_once(&shared, one), 3);
    shared.shared_bytes_per_block = 12288;
    assert_int_equal(at_once(&shared, one), 4);
}

/* A sub-core has a quarter of the registers, and a warp takes them from one: 8192 / (60 x 32) = 4
 * warps in each of four, though 32768 / 1920 = 17 would fit in one file. */
TEST(registers_of_a_sub_core_serve_its_own_warps)
{
    UNUSED_STATE;
    const char *sets[] = {"sm.count=1", "sm.schedulers=4", "sm.sub_cores=true", "sm.blocks=32",
                          NULL};
    struct scripted_kernel k = KERNEL(nap, 32, .blocks = 40, .registers_per_thread = 60);
    assert_int_equal(at_once(&k, sets), 16);
}

static void refused(const struct scripted_kernel *k)
{
    struct bed b;
    struct err err = ERR_INIT;
    char text[1600];
    bed_open(&b, "fermi15", NULL);
    struct grid_source s = scripted_source(k, &b.scripts);
    assert_false(dispatcher_launch(&b.gpu->cluster.dispatcher, &s, 0, &err));
    err_text(&err, text, sizeof text);
    assert_non_null(strstr(text, "kernel script: a block of"));
    assert_non_null(strstr(text, "does not fit on an SM"));
    assert_true(dispatcher_is_idle(&b.gpu->cluster.dispatcher));
    bed_close(&b);
}

TEST(a_block_that_fits_nowhere_is_refused_with_a_sentence)
{
    UNUSED_STATE;
    struct scripted_kernel threads = KERNEL(nap, 1537);
    struct scripted_kernel registers = KERNEL(nap, 1024, .registers_per_thread = 40);
    struct scripted_kernel shared = KERNEL(nap, 32, .shared_bytes_per_block = 49153);
    refused(&threads);
    refused(&registers);
    refused(&shared);
}

RUN_TESTS(T(round_robin_goes_from_sm_to_sm), T(depth_first_fills_one_sm_after_the_other),
          T(breadth_first_goes_to_the_emptiest_sm), T(sms_without_a_block_do_nothing),
          T(a_block_alone_runs_as_fast_on_a_large_chip_as_on_a_small_one),
          T(grids_of_two_streams_overlap_and_both_end),
          T(a_grid_goes_out_in_the_cycle_after_another_took_all_sms),
          T(grids_of_one_stream_follow_each_other),
          T(no_more_grids_run_at_once_than_the_chip_allows),
          T(a_launch_takes_its_cycles_before_the_first_block),
          T(warps_registers_shared_memory_and_slots_limit_the_blocks_of_an_sm),
          T(registers_of_a_sub_core_serve_its_own_warps),
          T(a_block_that_fits_nowhere_is_refused_with_a_sentence))
