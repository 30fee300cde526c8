/* Barriers, fences, asynchronous copies, shared and local memory, atomics. */
#include "gpu/script.h"
#include "gpu/spy.h"

#define ONE_SM "sm.count=1"

/* ---- barriers ------------------------------------------------------------------------------- */

static void barrier_times(const char *const *sets, cycle_t *arrived, cycle_t went_on[4])
{
    static const struct scripted_instruction code[] = {SLEEP(500, .warps = 4), BARRIER(),
                                                       ALU(1, 0)};
    struct bed b;
    struct spy s;
    bed_open(&b, "fermi15", sets);
    struct scripted_kernel k = KERNEL(code, 128);
    spy_run(&s, &b, &k);
    *arrived = spy_cycle(&s, 2, 1, 0);
    for (u32 w = 0; w < 4; w++) {
        went_on[w] = spy_cycle(&s, w, 2, 0);
        assert_true(spy_cycle(&s, w, 1, 0) <= *arrived);
    }
    bed_close(&b);
}

TEST(a_barrier_holds_all_warps_of_a_block_until_the_last_arrives)
{
    UNUSED_STATE;
    const char *soon[] = {ONE_SM, NULL}, *later[] = {ONE_SM, "sm.barrier_cycles=40", NULL};
    cycle_t arrived, went_on[4];
    barrier_times(soon, &arrived, went_on);
    assert_true(arrived > 500);
    for (u32 w = 0; w < 4; w++) /* four additions, one pipe; the last one's buffer may be empty */
        assert_in_range(went_on[w], arrived + 1, arrived + 8);
    barrier_times(later, &arrived, went_on);
    for (u32 w = 0; w < 4; w++) {
        if (w != 2)
            assert_in_range(went_on[w], arrived + 40, arrived + 48);
    }
}

TEST(warps_leave_a_barrier_one_after_the_other_also_where_one_came_late)
{
    UNUSED_STATE;
    const char *sets[] = {ONE_SM, "sm.barrier_cycles=12", "sm.barrier_interval=20", NULL};
    cycle_t arrived, went_on[4];
    barrier_times(sets, &arrived, went_on);
    for (u32 w = 0; w < 4; w++) /* the last of the block first; an addition each */
        assert_in_range(went_on[w], arrived + 12 + 20 * (4 - w), arrived + 12 + 20 * (4 - w) + 4);
}

TEST(barriers_of_one_block_do_not_hold_another)
{
    UNUSED_STATE;
    static const struct scripted_instruction code[] = {BARRIER(), ALU(1, 0),
                                                       SLEEP(3000, .warps = 1)};
    const char *sets[] = {ONE_SM, NULL};
    struct bed b;
    struct spy s;
    bed_open(&b, "fermi15", sets);
    struct scripted_kernel k = KERNEL(code, 64, .blocks = 6, .iterations = 2);
    spy_run(&s, &b, &k);
    /* all six at once: each meets its own barrier twice */
    assert_true(b.gpu->records[0].ended < 3000 + 3500);
    bed_close(&b);
}

/* ---- fences --------------------------------------------------------------------------------- */

static cycle_t store_to_next(bool fence)
{
    static const struct scripted_instruction with[] = {STORE(MIB), FENCE(), ALU(1, 0)};
    static const struct scripted_instruction without[] = {STORE(MIB), ALU(2, 0), ALU(1, 0)};
    const char *sets[] = {ONE_SM, NULL};
    struct bed b;
    struct spy s;
    bed_open(&b, "fermi15", sets);
    struct scripted_kernel k = KERNEL(with, 32, .iterations = 2);
    if (!fence)
        k.code = without;
    spy_run(&s, &b, &k);
    cycle_t gap = spy_cycle(&s, 0, 2, 1) - spy_cycle(&s, 0, 0, 1);
    bed_close(&b);
    return gap;
}

TEST(a_fence_waits_for_the_acknowledgement_of_stores)
{
    UNUSED_STATE;
    assert_int_equal(store_to_next(false), 2);
    /* to L2 and back, as a read that hits: 120 and one; the store has 4 flits more to send, its
     * acknowledgement 4 less to receive */
    assert_near((double)store_to_next(true), 121, 8);
}

/* From the fence, the third instruction, to what follows it, in the second turn. */
static cycle_t fence_time(const struct scripted_instruction *code, const char *const *sets)
{
    struct bed b;
    struct spy s;
    bed_open(&b, "fermi15", sets);
    struct scripted_kernel k = {
        .code = code, .count = 4, .threads_per_block = 32, .blocks = 1, .iterations = 2};
    spy_run(&s, &b, &k);
    cycle_t gap = spy_cycle(&s, 0, 3, 1) - spy_cycle(&s, 0, 2, 1);
    bed_close(&b);
    return gap;
}

TEST(a_fence_of_the_gpu_takes_its_time_after_stores_and_loads_and_one_of_the_block_none)
{
    UNUSED_STATE;
    static const struct scripted_instruction nothing[] = {ALU(1, 0), ALU(2, 0), FENCE_OF_GPU,
                                                          ALU(1, 0)};
    static const struct scripted_instruction loaded[] = {LOAD(1, MIB), ALU(2, 1), FENCE_OF_GPU,
                                                         ALU(1, 0)};
    static const struct scripted_instruction stored[] = {ALU(1, 0), STORE(MIB), FENCE_OF_GPU,
                                                         ALU(1, 0)};
    static const struct scripted_instruction block[] = {ALU(1, 0), STORE(MIB), FENCE(), ALU(1, 0)};
    const char *plain[] = {ONE_SM, NULL};
    const char *timed[] = {ONE_SM, "sm.fence_cycles=250", "sm.fence_load_cycles=40", NULL};
    assert_int_equal(fence_time(nothing, plain), 2); /* two fetches */
    assert_int_equal(fence_time(nothing, timed), 1 + 250);
    assert_int_equal(fence_time(loaded, timed), 1 + 40 + 250);
    cycle_t acknowledged = fence_time(stored, plain);
    assert_true(acknowledged > 100);
    /* the L2's clock is another */
    assert_in_range(fence_time(stored, timed), acknowledged + 250, acknowledged + 252);
    assert_int_equal(fence_time(block, plain), acknowledged);
    assert_int_equal(fence_time(block, timed), 2);
}

TEST(a_fence_that_takes_time_empties_l1)
{
    UNUSED_STATE;
    static const struct scripted_instruction code[] = {LOAD(1, MIB), ALU(2, 1), FENCE_OF_GPU,
                                                       LOAD(1, MIB), ALU(2, 1)};
    for (u32 timed = 0; timed < 2; timed++) {
        const char *sets[] = {ONE_SM, timed ? "sm.fence_cycles=250" : "sm.fence_cycles=0", NULL};
        struct bed b;
        bed_open(&b, "fermi15", sets);
        struct scripted_kernel k = KERNEL(code, 32);
        bed_launch(&b, &k);
        bed_run(&b);
        assert_near(bed_stat(&b, "sm.l1.misses"), 1 + timed, 0);
        bed_close(&b);
    }
}

TEST(a_fence_empties_l1_where_software_keeps_it_coherent_and_one_of_the_block_does_not)
{
    UNUSED_STATE;
    static const struct scripted_instruction wide[] = {LOAD(1, MIB), ALU(2, 1), FENCE_OF_GPU,
                                                       LOAD(1, MIB), ALU(2, 1)};
    static const struct scripted_instruction block[] = {LOAD(1, MIB), ALU(2, 1), FENCE(),
                                                        LOAD(1, MIB), ALU(2, 1)};
    const char *sets[] = {ONE_SM, "sm.l1.flush_at_fence=true", NULL};
    for (u32 i = 0; i < 2; i++) {
        struct bed b;
        bed_open(&b, "fermi15", sets);
        struct scripted_kernel k = KERNEL(wide, 32);
        k.code = i ? block : wide;
        bed_launch(&b, &k);
        bed_run(&b);
        assert_near(bed_stat(&b, "sm.l1.misses"), i ? 1 : 2, 0);
        bed_close(&b);
    }
}

/* Warp 0 has asked for a line when warp 1 comes to its fence. What warp 1 reads after the fence
 * does not wait for that line, and what warp 0 was given does not stay: three lines come. */
TEST(a_line_that_was_asked_for_before_a_fence_is_no_answer_to_a_load_after_it)
{
    UNUSED_STATE;
    static const struct scripted_instruction code[] = {
        LOAD(1, MIB, .warps = 1),
        SLEEP(20, .warps = 2),
        {.kind = WINST_FENCE, .unit = UNIT_BRANCH, .bytes = 4, .warps = 2},
        LOAD(2, MIB, .warps = 2),
        ALU(3, 1),
        ALU(4, 2),
        SLEEP(1000, .warps = 2),
        LOAD(5, MIB, .warps = 2),
        ALU(6, 5)};
    static const char *const flushes[] = {"sm.l1.flush_at_fence=false",
                                          "sm.l1.flush_at_fence=true"};
    for (u32 i = 0; i < 2; i++) {
        const char *sets[] = {ONE_SM, flushes[i], NULL};
        struct bed b;
        bed_open(&b, "fermi15", sets);
        struct scripted_kernel k = KERNEL(code, 64);
        bed_launch(&b, &k);
        bed_run(&b);
        assert_near(bed_stat(&b, "sm.l1.merges"), i ? 0 : 1, 0);
        assert_near(bed_stat(&b, "sm.l1.misses"), i ? 3 : 1, 0);
        bed_close(&b);
    }
}

/* The first store finds its line in L2 the second time, the second one never does and is part
 * of a line, which is fetched. */
TEST(a_fence_waits_for_the_last_of_several_stores)
{
    UNUSED_STATE;
    static const struct scripted_instruction code[] = {
        STORE(MIB), STORE(2 * MIB, .iteration_stride = 64 * KIB, .mask = 0xff), FENCE(), ALU(1, 0)};
    const char *sets[] = {ONE_SM, NULL};
    struct bed b;
    struct spy s;
    bed_open(&b, "fermi15", sets);
    struct scripted_kernel k = KERNEL(code, 32, .iterations = 2);
    spy_run(&s, &b, &k);
    cycle_t gap = spy_cycle(&s, 0, 3, 1) - spy_cycle(&s, 0, 0, 1);
    assert_in_range(gap, 220, 320); /* DRAM */
    bed_close(&b);
}

/* ---- asynchronous copies
 * -------------------------------------------------------------------------- */

#define COPY(at)                                                                                   \
    {                                                                                              \
        .kind = WINST_ASYNC_COPY, .unit = UNIT_MEMORY, .space = SPACE_GLOBAL, .bytes = 4,          \
        .lane_stride = 4, .base = (at)                                                             \
    }
#define COMMIT()                                                                                   \
    {                                                                                              \
        .kind = WINST_ASYNC_COMMIT, .unit = UNIT_BRANCH                                            \
    }
#define WAIT(groups)                                                                               \
    {                                                                                              \
        .kind = WINST_ASYNC_WAIT, .unit = UNIT_BRANCH, .bytes = (groups)                           \
    }

static cycle_t copy_to_use(u8 groups_left)
{
    const struct scripted_instruction code[] = {COPY(MIB),     COMMIT(), SLEEP(200),
                                                COPY(2 * MIB), COMMIT(), WAIT(groups_left),
                                                ALU(1, 0),     EXIT()};
    const char *sets[] = {ONE_SM, "ideal.model=fixed", "ideal.fixed_cycles=300", NULL};
    struct bed b;
    struct spy s;
    bed_open(&b, "fermi15", sets);
    struct scripted_kernel k = KERNEL(code, 32);
    spy_run(&s, &b, &k);
    cycle_t first = spy_cycle(&s, 0, 0, 0), second = spy_cycle(&s, 0, 3, 0);
    cycle_t used = spy_cycle(&s, 0, 6, 0);
    assert_in_range(second - first, 200, 210);
    assert_near(bed_stat(&b, "sm.l1.bypasses"), 2, 0);
    bed_close(&b);
    return used - (groups_left ? first : second);
}

TEST(a_wait_for_copies_ends_with_the_groups_it_names)
{
    UNUSED_STATE;
    /* The copy goes to L1 one cycle after its issue and is back 300 later; the warp can go on in
     * that cycle. */
    assert_int_equal(copy_to_use(0), 301); /* both: after the second */
    assert_int_equal(copy_to_use(1), 301); /* one may be left: after the first */
    assert_true(copy_to_use(2) < 300);     /* two may be left */
}

/* ---- the buffer before L1 ---------------------------------------------------------------------
 */

/* When five loads of four lines each issue, after the first. L1 takes one request a cycle, from the
 * cycle after the load on. */
static void issue_times(const char *entries, const char *unit, cycle_t after[4])
{
    static const struct scripted_instruction code[] = {
        LOAD_APART(1, 128, MIB, .mask = 0xf),     LOAD_APART(2, 128, 2 * MIB, .mask = 0xf),
        LOAD_APART(3, 128, 3 * MIB, .mask = 0xf), LOAD_APART(4, 128, 4 * MIB, .mask = 0xf),
        LOAD_APART(5, 128, 5 * MIB, .mask = 0xf), ALU(6, 5)};
    const char *sets[] = {ONE_SM,
                          "ideal.model=fixed",
                          "ideal.fixed_cycles=300",
                          "sm.fetch.buffer_entries=8",
                          entries,
                          unit,
                          NULL};
    struct bed b;
    struct spy s;
    bed_open(&b, "fermi15", sets);
    struct scripted_kernel k = KERNEL(code, 32, .iterations = 2);
    spy_run(&s, &b, &k);
    for (u32 i = 0; i < 4; i++)
        after[i] = spy_cycle(&s, 0, i + 1, 1) - spy_cycle(&s, 0, 0, 1);
    bed_close(&b);
}

TEST(the_buffer_before_l1_has_room_for_so_many_requests_or_instructions)
{
    UNUSED_STATE;
    static const struct {
        const char *entries, *unit;
        cycle_t after[4];
    } cases[] = {
        /* two requests go in with the load; the other two follow as the first two leave in cycles 1
         * and 2, and when the third has left there is room for the next load: 3, then every 4 */
        {"sm.lsu.buffer_entries=2", "sm.lsu.buffer_unit=requests", {3, 7, 11, 15}},
        {"sm.lsu.buffer_entries=40", "sm.lsu.buffer_unit=requests", {1, 2, 3, 4}},
        /* two loads with all their requests; the first's last one leaves in cycle 4 */
        {"sm.lsu.buffer_entries=2", "sm.lsu.buffer_unit=instructions", {1, 4, 8, 12}},
        {"sm.lsu.buffer_entries=3", "sm.lsu.buffer_unit=instructions", {1, 2, 4, 8}},
        {"sm.lsu.buffer_entries=40", "sm.lsu.buffer_unit=instructions", {1, 2, 3, 4}},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        cycle_t t[4];
        issue_times(cases[i].entries, cases[i].unit, t);
        for (u32 k = 0; k < 4; k++)
            assert_int_equal(t[k], cases[i].after[k]);
    }
}

/* ---- shared memory
 * -------------------------------------------------------------------------------- */

static u64 passes_of(u8 bytes, i64 lane_stride, enum winst_kind kind)
{
    const struct scripted_instruction code[] = {{.kind = kind,
                                                 .unit = UNIT_MEMORY,
                                                 .dst = kind == WINST_LOAD ? 1 : 0,
                                                 .space = SPACE_SHARED,
                                                 .bytes = bytes,
                                                 .lane_stride = lane_stride}};
    const char *sets[] = {ONE_SM, NULL};
    struct bed b;
    bed_open(&b, "fermi15", sets);
    struct scripted_kernel k = KERNEL(code, 32, .shared_bytes_per_block = 8192);
    bed_launch(&b, &k);
    bed_run(&b);
    assert_near(bed_stat(&b, "sm.shared_accesses"), 1, 0);
    u64 passes = (u64)bed_stat(&b, "sm.shared_passes");
    bed_close(&b);
    return passes;
}

TEST(bank_conflicts_of_shared_memory_take_a_pass_for_each_word_of_a_bank)
{
    UNUSED_STATE;
    assert_int_equal(passes_of(4, 4, WINST_LOAD), 1);
    assert_int_equal(passes_of(4, 8, WINST_LOAD), 2);    /* stride 2 */
    assert_int_equal(passes_of(4, 12, WINST_LOAD), 1);   /* stride 3: odd */
    assert_int_equal(passes_of(4, 16, WINST_LOAD), 4);   /* stride 4 */
    assert_int_equal(passes_of(4, 128, WINST_LOAD), 32); /* stride 32 */
    assert_int_equal(passes_of(4, 132, WINST_LOAD), 1);  /* stride 33: padded */
    assert_int_equal(passes_of(4, 0, WINST_LOAD), 1);    /* broadcast */
    assert_int_equal(passes_of(1, 1, WINST_LOAD), 1);    /* four lanes share a word */
    assert_int_equal(passes_of(8, 8, WINST_LOAD), 2);    /* 256 bytes through 128 */
    assert_int_equal(passes_of(16, 16, WINST_LOAD), 4);
    assert_int_equal(passes_of(4, 128, WINST_STORE), 32);
    assert_int_equal(passes_of(4, 0, WINST_ATOMIC), 32); /* one after the other */
}

static u64 wide_passes(u8 bytes, u32 lanes_at_a_place, u32 apart)
{
    static u64 addresses[32];
    for (u32 lane = 0; lane < 32; lane++)
        addresses[lane] = lane / lanes_at_a_place * apart;
    const struct scripted_instruction code[] = {{.kind = WINST_LOAD,
                                                 .unit = UNIT_MEMORY,
                                                 .dst = 1,
                                                 .space = SPACE_SHARED,
                                                 .bytes = bytes,
                                                 .addresses = addresses}};
    const char *sets[] = {ONE_SM, "sm.shared.joins_lanes=true", NULL};
    struct bed b;
    bed_open(&b, "fermi15", sets);
    struct scripted_kernel k = KERNEL(code, 32, .shared_bytes_per_block = 8192);
    bed_launch(&b, &k);
    bed_run(&b);
    u64 passes = (u64)bed_stat(&b, "sm.shared_passes");
    bed_close(&b);
    return passes;
}

/* The two halves of 8 bytes a lane, or two quarters of 16, are one where neighbours are alike. */
TEST(wide_accesses_of_lanes_that_want_the_same_take_half_the_passes)
{
    UNUSED_STATE;
    assert_int_equal(wide_passes(8, 32, 0), 1);
    assert_int_equal(wide_passes(8, 1, 8), 2);
    assert_int_equal(wide_passes(8, 2, 8), 1);  /* 16 places of 8 bytes, all banks once */
    assert_int_equal(wide_passes(8, 2, 16), 2); /* every other place */
    assert_int_equal(wide_passes(16, 32, 0), 2);
    assert_int_equal(wide_passes(16, 1, 16), 4);
    assert_int_equal(wide_passes(16, 2, 16), 2);  /* each half 8 places */
    assert_int_equal(wide_passes(16, 4, 128), 8); /* four places of a bank in each half */
}

/* Lanes 2k and 2k+1 read word k of one bank: 16 different words. */
TEST(lanes_that_want_the_same_word_of_a_bank_share_its_pass)
{
    UNUSED_STATE;
    static u64 addresses[32];
    for (u32 lane = 0; lane < 32; lane++)
        addresses[lane] = lane / 2 * 128;
    const struct scripted_instruction code[] = {{.kind = WINST_LOAD,
                                                 .unit = UNIT_MEMORY,
                                                 .dst = 1,
                                                 .space = SPACE_SHARED,
                                                 .bytes = 4,
                                                 .addresses = addresses}};
    struct bed b;
    bed_open(&b, "fermi15", NULL);
    struct scripted_kernel k = KERNEL(code, 32, .shared_bytes_per_block = 8192);
    bed_launch(&b, &k);
    bed_run(&b);
    assert_near(bed_stat(&b, "sm.shared_passes"), 16, 0);
    bed_close(&b);
}

#define SHARED(d, stride)                                                                          \
    {                                                                                              \
        .kind = WINST_LOAD, .unit = UNIT_MEMORY, .dst = (d), .space = SPACE_SHARED, .bytes = 4,    \
        .lane_stride = (stride)                                                                    \
    }

TEST(passes_delay_the_result_and_keep_shared_memory_busy)
{
    UNUSED_STATE;
    static const struct scripted_instruction code[] = {ALU(9, 0), SHARED(1, 128), SHARED(2, 4),
                                                       ALU(3, 2), ALU(4, 1),      EXIT()};
    const char *sets[] = {ONE_SM, NULL};
    struct bed b;
    struct spy s;
    bed_open(&b, "fermi15", sets);
    struct scripted_kernel k = KERNEL(code, 32, .shared_bytes_per_block = 8192);
    spy_run(&s, &b, &k);
    cycle_t first = spy_cycle(&s, 0, 1, 0);
    assert_int_equal(spy_cycle(&s, 0, 2, 0), first + 32);
    assert_int_equal(spy_cycle(&s, 0, 3, 0), first + 32 + 24); /* sm.shared.cycles */
    assert_int_equal(spy_cycle(&s, 0, 4, 0), first + 32 + 24 + 1);
    bed_close(&b);
}

/* ---- atomics
 * --------------------------------------------------------------------------------------- */

#define ATOMIC(d, at)                                                                              \
    {                                                                                              \
        .kind = WINST_ATOMIC, .unit = UNIT_MEMORY, .dst = (d), .space = SPACE_GLOBAL, .bytes = 4,  \
        .base = (at)                                                                               \
    }

TEST(atomics_are_done_by_l2_and_take_the_line_out_of_l1)
{
    UNUSED_STATE;
    static const struct scripted_instruction code[] = {
        LOAD(1, MIB), ALU(2, 1), ATOMIC(3, MIB), ALU(4, 3), LOAD(5, MIB), ALU(6, 5), EXIT()};
    const char *sets[] = {ONE_SM, NULL};
    struct bed b;
    struct spy s;
    bed_open(&b, "fermi15", sets);
    struct scripted_kernel k = KERNEL(code, 32);
    spy_run(&s, &b, &k);
    assert_near(bed_stat(&b, "l2.atomics"), 1, 0);
    assert_near(bed_stat(&b, "sm.l1.atomics"), 1, 0);
    assert_near(bed_stat(&b, "sm.l1.hits"), 0, 0);
    assert_near(bed_stat(&b, "sm.l1.misses"), 2, 0);
    /* the way to L2 and back, and one cycle to L1 */
    assert_near((double)(spy_cycle(&s, 0, 3, 0) - spy_cycle(&s, 0, 2, 0)), 121, 8);
    bed_close(&b);
}

TEST(atomics_on_one_line_keep_its_bank_for_atomic_cycles_each)
{
    UNUSED_STATE;
    static const struct scripted_instruction warm[] = {LOAD(1, MIB)};
    static const struct scripted_instruction code[] = {ATOMIC(1, MIB), ATOMIC(2, MIB)};
    const char *sets[] = {"l2.atomic_cycles=10", NULL};
    struct bed b;
    bed_open(&b, "fermi15", sets);
    struct scripted_kernel w = KERNEL(warm, 32),
                           k = KERNEL(code, 256, .blocks = 15, .iterations = 5);
    bed_launch(&b, &w);
    bed_run(&b);
    double busy = bed_stat(&b, "l2.busy_port_cycles");
    cycle_t start = b.gpu->records[0].ended;
    bed_launch(&b, &k);
    bed_run(&b);
    u64 atomics = 15 * 8 * 5 * 2;
    assert_near(bed_stat(&b, "l2.atomics"), (double)atomics, 0);
    /* one line of code is read and filled besides, 4 cycles each */
    assert_in_range((u64)(bed_stat(&b, "l2.busy_port_cycles") - busy), atomics * 10,
                    atomics * 10 + 15 * 4 + 4);
    /* one after the other, at half the core's clock */
    assert_true(b.gpu->records[1].ended - start >= atomics * 10 * 2);
    bed_close(&b);
}

/* ---- local memory
 * ----------------------------------------------------------------------------------- */

#define LOCAL(k, d, at)                                                                            \
    {                                                                                              \
        .kind = (k), .unit = UNIT_MEMORY, .dst = (d), .space = SPACE_LOCAL, .bytes = 4,            \
        .base = (at)                                                                               \
    }
/* A word of 32 threads is a line: words 32 apart fall into one set of the 32. */
static const struct scripted_instruction spill[] = {
    LOCAL(WINST_LOAD, 1, 0),
    ALU(2, 1),
    LOCAL(WINST_STORE, 0, 0),
    FENCE(),
    LOCAL(WINST_LOAD, 3, 32 * 4),
    LOCAL(WINST_LOAD, 3, 64 * 4),
    LOCAL(WINST_LOAD, 3, 96 * 4),
    LOCAL(WINST_LOAD, 3, 128 * 4),
    ALU(4, 3),
    EXIT(),
};

static void run_spill(struct bed *b, const char *how)
{
    const char *sets[] = {ONE_SM, how, NULL};
    bed_open(b, "fermi15", sets);
    struct scripted_kernel k = KERNEL(spill, 32, .local_bytes_per_thread = 1024);
    bed_launch(b, &k);
    bed_run(b);
    assert_near(bed_stat(b, "sm.l1.loads"), 5, 0); /* one line each */
    assert_near(bed_stat(b, "sm.l1.store_hits"), 1, 0);
}

TEST(stores_to_local_memory_stay_in_l1_until_their_line_is_evicted)
{
    UNUSED_STATE;
    struct bed b;
    run_spill(&b, "sm.l1.local_write_back=true");
    assert_near(bed_stat(&b, "sm.l1.writebacks"), 1, 0); /* the fifth line of a set of four */
    assert_near(bed_stat(&b, "l2.writebacks_in"), 1, 0);
    assert_near(bed_stat(&b, "l2.stores"), 0, 0);
    bed_close(&b);
}

TEST(stores_to_local_memory_go_through_when_told_so)
{
    UNUSED_STATE;
    struct bed b;
    run_spill(&b, "sm.l1.local_write_back=false");
    assert_near(bed_stat(&b, "sm.l1.writebacks"), 0, 0);
    assert_near(bed_stat(&b, "l2.stores"), 1, 0);
    bed_close(&b);
}

/* Loads of two lines of 64 bytes, one after the other's data and a pause for the prefetch. */
TEST(a_miss_of_the_constant_cache_asks_for_the_lines_after_it_too)
{
    UNUSED_STATE;
#define CONSTANT(d, s, at)                                                                         \
    {                                                                                              \
        .kind = WINST_LOAD, .unit = UNIT_MEMORY, .dst = (d), .src0 = (s), .space = SPACE_CONST,    \
        .bytes = 4, .base = (at)                                                                   \
    }
    static const struct scripted_instruction code[] = {CONSTANT(1, 0, 4096), ALU(2, 1), SLEEP(1000),
                                                       CONSTANT(3, 2, 4096 + 64), EXIT()};
    for (u32 lines = 0; lines < 2; lines++) {
        const char *sets[] = {
            lines ? "sm.constant.prefetch_lines=1" : "sm.constant.prefetch_lines=0", NULL};
        struct bed b;
        bed_open(&b, "fermi15", sets);
        struct scripted_kernel k = KERNEL(code, 32);
        bed_launch(&b, &k);
        bed_run(&b);
        assert_near(bed_stat(&b, "sm.constant.hits"), lines, 0);
        assert_near(bed_stat(&b, "sm.constant.misses"), 2 - lines, 0);
        bed_close(&b);
    }
}

RUN_TESTS(T(the_buffer_before_l1_has_room_for_so_many_requests_or_instructions),
          T(a_barrier_holds_all_warps_of_a_block_until_the_last_arrives),
          T(warps_leave_a_barrier_one_after_the_other_also_where_one_came_late),
          T(barriers_of_one_block_do_not_hold_another),
          T(a_fence_waits_for_the_acknowledgement_of_stores),
          T(a_fence_of_the_gpu_takes_its_time_after_stores_and_loads_and_one_of_the_block_none),
          T(a_fence_empties_l1_where_software_keeps_it_coherent_and_one_of_the_block_does_not),
          T(a_line_that_was_asked_for_before_a_fence_is_no_answer_to_a_load_after_it),
          T(a_fence_that_takes_time_empties_l1), T(a_fence_waits_for_the_last_of_several_stores),
          T(a_wait_for_copies_ends_with_the_groups_it_names),
          T(bank_conflicts_of_shared_memory_take_a_pass_for_each_word_of_a_bank),
          T(wide_accesses_of_lanes_that_want_the_same_take_half_the_passes),
          T(lanes_that_want_the_same_word_of_a_bank_share_its_pass),
          T(passes_delay_the_result_and_keep_shared_memory_busy),
          T(atomics_are_done_by_l2_and_take_the_line_out_of_l1),
          T(atomics_on_one_line_keep_its_bank_for_atomic_cycles_each),
          T(stores_to_local_memory_stay_in_l1_until_their_line_is_evicted),
          T(stores_to_local_memory_go_through_when_told_so),
          T(a_miss_of_the_constant_cache_asks_for_the_lines_after_it_too))
