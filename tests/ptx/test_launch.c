#include "ptx/exec/running.h"

#include "base/text.h"
#include "ptx/launch_poll.h"

TEST(every_thread_of_a_3d_grid_knows_where_it_is)
{
    UNUSED_STATE;
    struct run r;
    /* out[block * 24 + thread] = z + 10 y + 100 x of the thread, + 1000 times the block's */
    run_load(&r,
             KERNEL("mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z;\n"
                    "mov.u32 %r4, %ntid.x; mov.u32 %r5, %ntid.y;\n"
                    "mad.lo.u32 %r6, %r3, %r5, %r2; mad.lo.u32 %r6, %r6, %r4, %r1;\n"
                    "mov.u32 %r7, %ctaid.z; mov.u32 %r8, %ctaid.y; mov.u32 %r9, %ctaid.x;\n"
                    "mov.u32 %r10, %nctaid.y; mov.u32 %r11, %nctaid.x;\n"
                    "mad.lo.u32 %r12, %r7, %r10, %r8; mad.lo.u32 %r12, %r12, %r11, %r9;\n"
                    "mad.lo.u32 %r6, %r12, 24, %r6;\n"
                    "mad.lo.u32 %r13, %r1, 10, %r2; mad.lo.u32 %r13, %r13, 10, %r3;\n"
                    "mad.lo.u32 %r14, %r9, 10, %r8; mad.lo.u32 %r14, %r14, 10, %r7;\n"
                    "mad.lo.u32 %r13, %r14, 1000, %r13;\n"
                    "mul.wide.u32 %rd4, %r6, 4; add.u64 %rd4, %rd4, %rd1;\n"
                    "st.global.u32 [%rd4], %r13;"),
             12 * 24 * 4);
    memcpy(r.launch.grid, (u32[]){2, 3, 2}, sizeof r.launch.grid);
    memcpy(r.launch.block, (u32[]){4, 3, 2}, sizeof r.launch.block);
    assert_true(run_go(&r));
    for (u32 b = 0; b < 12; b++) {
        u32 bx = b % 2, by = b / 2 % 3, bz = b / 6;
        for (u32 t = 0; t < 24; t++) {
            u32 x = t % 4, y = t / 4 % 3, z = t / 12;
            assert_int_equal(run_word(&r, b * 24 + t),
                             (bx * 100 + by * 10 + bz) * 1000 + x * 100 + y * 10 + z);
        }
    }
    run_end(&r);
}

struct polls {
    u32 count;
    u64 ended[8];
};

static void note_poll(void *context, u64 ended_blocks)
{
    struct polls *p = context;
    assert_true(p->count < 8);
    p->ended[p->count++] = ended_blocks;
}

/* A block executes 3 x 60,000 instructions and 6 more: after every third there have been half a
 * million since the last poll. Blocks 0 and 1 are not run here. */
TEST(a_launch_is_polled_every_half_million_instructions_with_the_blocks_that_have_ended)
{
    UNUSED_STATE;
    struct run r;
    struct polls polls = {0};
    struct launch_poll poll = {&polls, note_poll};
    run_load(&r,
             KERNEL("mov.u32 %r2, 0; again: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 60000;\n"
                    "@%p1 bra again; ret;"),
             256);
    r.launch.grid[0] = 9;
    r.launch.first_block = 2;
    assert_true(launch_run_polled(&r.launch, &poll, &r.counts, &r.fault, &r.err));
    assert_int_equal(r.counts.warp_instructions, 7 * (PROLOGUE_OPS + 2 + 3 * 60000));
    assert_int_equal(polls.count, 2);
    assert_int_equal(polls.ended[0], 5);
    assert_int_equal(polls.ended[1], 8);
    run_end(&r);
}

/* 2,000,000 instructions are a block's turn. */
TEST(so_is_a_launch_of_one_long_block)
{
    UNUSED_STATE;
    struct run r;
    struct polls polls = {0};
    struct launch_poll poll = {&polls, note_poll};
    run_load(&r,
             KERNEL("mov.u32 %r2, 0; again: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 2000000;\n"
                    "@%p1 bra again; ret;"),
             256);
    assert_true(launch_run_polled(&r.launch, &poll, &r.counts, &r.fault, &r.err));
    assert_int_equal(polls.count, 3); /* of 6,000,006 instructions */
    assert_int_equal(polls.ended[0], 0);
    run_end(&r);
}

TEST(the_last_warp_of_a_block_may_have_fewer_lanes)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r, KERNEL("activemask.b32 %r2; st.global.u32 [%rd3], %r2;"), 256);
    r.launch.block[0] = 40;
    assert_true(run_go(&r));
    for (u32 i = 0; i < 64; i++)
        assert_int_equal(run_word(&r, i), i < 32 ? 0xffffffff : i < 40 ? 0xff : 0);
    assert_int_equal(r.counts.warp_instructions, 2 * (PROLOGUE_OPS + 3));
    assert_int_equal(r.counts.thread_instructions, 40 * (PROLOGUE_OPS + 3));
    run_end(&r);
}

TEST(dynamic_shared_memory_follows_the_static_one)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r,
             HEADER ".extern .shared .align 16 .b8 dynamic[];\n"
                    ".shared .align 4 .b32 fixed[3];\n" PROLOGUE
                    "setp.ne.u32 %p1, %r1, 0; @%p1 exit;\n"
                    "mov.u32 %r2, fixed; mov.u32 %r3, dynamic;\n"
                    "st.global.u32 [%rd1], %r2; st.global.u32 [%rd1+4], %r3;\n"
                    "mov.u32 %r4, %dynamic_smem_size; st.global.u32 [%rd1+8], %r4;\n"
                    "mov.u32 %r4, %total_smem_size; st.global.u32 [%rd1+12], %r4;\n"
                    "st.shared.u32 [dynamic+96], 11; add.u32 %r3, %r3, 96;\n"
                    "ld.shared.u32 %r4, [%r3]; st.global.u32 [%rd1+16], %r4; }\n",
             128);
    r.launch.dynamic_shared_bytes = 100;
    assert_int_equal(kernel_info(r.launch.kernel)->shared_bytes, 12);
    assert_true(run_go(&r));
    static const u32 expected[] = {0, 16, 100, 116, 11};
    for (u32 i = 0; i < 5; i++)
        assert_int_equal(run_word(&r, i), expected[i]);
    run_end(&r);
}

/* Every block waits until the one after it, in a ring of two, has come. */
static const char pairs[] = KERNEL("mov.u32 %r2, %ctaid.x; xor.b32 %r3, %r2, 1;\n"
                                   "mul.wide.u32 %rd4, %r2, 4; add.u64 %rd4, %rd1, %rd4;\n"
                                   "mul.wide.u32 %rd5, %r3, 4; add.u64 %rd5, %rd1, %rd5;\n"
                                   "st.volatile.global.u32 [%rd4], 1;\n"
                                   "L: ld.volatile.global.u32 %r4, [%rd5];\n"
                                   "setp.eq.u32 %p1, %r4, 0; @%p1 bra L;");

TEST(blocks_may_wait_for_each_other_when_fewer_than_the_grid_fit)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r, pairs, 128);
    r.launch.grid[0] = 8;
    r.launch.resident_blocks = 2;
    assert_true(run_go(&r));
    for (u32 i = 0; i < 8; i++)
        assert_int_equal(run_word(&r, i), 1);
    run_end(&r);
}

TEST(blocks_that_wait_for_one_that_does_not_fit_run_into_the_limit)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r, pairs, 128);
    r.launch.grid[0] = 2;
    r.launch.max_instructions = 3000000;
    assert_false(run_go(&r));
    assert_int_equal(r.fault, FAULT_LIMIT);
    assert_string_equal(r.err.what, "kernel k, block (0,0,0), thread (0,0,0): still running after "
                                    "3000000 warp instructions, the limit");
    run_end(&r);
}

TEST(a_cooperative_grid_has_all_its_blocks_alive)
{
    UNUSED_STATE;
    struct run r;
    /* all count up, then wait until all have */
    run_load(&r,
             KERNEL("setp.ne.u32 %p1, %r1, 0; @%p1 exit;\n"
                    "atom.global.add.u32 %r2, [%rd1], 1;\n"
                    "mov.u32 %r5, %nctaid.x;\n"
                    "L: ld.acquire.gpu.global.u32 %r3, [%rd1];\n"
                    "setp.lt.u32 %p2, %r3, %r5; @%p2 bra L;\n"
                    "mov.u32 %r6, %envreg1; mov.u32 %r7, %envreg2; or.b32 %r6, %r6, %r7;\n"
                    "mov.u32 %r4, %ctaid.x; mul.wide.u32 %rd4, %r4, 4; add.u64 %rd4, %rd1, %rd4;\n"
                    "setp.ne.u32 %p3, %r6, 0; @%p3 st.global.u32 [%rd4+4], %r3;"),
             128);
    r.launch.grid[0] = 5;
    r.launch.resident_blocks = 5;
    r.launch.cooperative = true;
    u64 used = memory_used(r.memory);
    assert_true(run_go(&r));
    for (u32 i = 0; i <= 5; i++)
        assert_int_equal(run_word(&r, i), 5);
    assert_int_equal(memory_used(r.memory), used); /* the workspace is gone */
    run_end(&r);
}

TEST(launches_that_cannot_be_are_refused)
{
    UNUSED_STATE;
    struct run r;
    u64 used;
    static const struct {
        u32 grid, block[3], resident;
        bool cooperative;
        const char *what;
    } cases[] = {
        {6, {32, 1, 1}, 5, true, "kernel k: a cooperative grid of 6 blocks, 5 fit at once"},
        {0, {32, 1, 1}, 1, false, "kernel k: the grid has no threads"},
        {1, {32, 0, 1}, 1, false, "kernel k: the grid has no threads"},
        {1,
         {32, 32, 2},
         1,
         false,
         "kernel k: a block of 32 x 32 x 2 threads, expected at most 1024"},
        {1,
         {65536, 65536, 65536},
         1,
         false,
         "kernel k: a block of 65536 x 65536 x 65536 threads, expected at most 1024"},
    };
    for (u32 i = 0; i < ARRAY_LEN(cases); i++) {
        run_load(&r, KERNEL(""), 128);
        used = memory_used(r.memory);
        r.launch.grid[0] = cases[i].grid;
        memcpy(r.launch.block, cases[i].block, sizeof r.launch.block);
        r.launch.resident_blocks = cases[i].resident;
        r.launch.cooperative = cases[i].cooperative;
        assert_false(run_go(&r));
        assert_string_equal(r.err.what, cases[i].what);
        assert_int_equal(memory_used(r.memory), used);
        run_end(&r);
    }
}

TEST(a_second_launch_sees_fresh_blocks_and_the_same_memory)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r,
             KERNEL("ld.global.u32 %r2, [%rd3]; add.u32 %r2, %r2, 1;\n"
                    "bar.sync 0; st.global.u32 [%rd3], %r2;"),
             128);
    assert_true(run_go(&r));
    assert_true(run_go(&r));
    assert_int_equal(run_word(&r, 31), 2);
    run_end(&r);
}

/* Every warp has a barrier to forget: what it reads, another has just stored. */
TEST(a_warp_finds_what_its_neighbours_stored_without_a_barrier)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r,
             HEADER ".shared .align 4 .b8 tile[1024];\n" PROLOGUE
                    "mov.u32 %r2, tile; shl.b32 %r3, %r1, 2; add.u32 %r4, %r2, %r3;\n"
                    "st.shared.u32 [%r4], %r1;\n"
                    "sub.u32 %r5, 1020, %r3; add.u32 %r5, %r2, %r5;\n"
                    "ld.shared.u32 %r6, [%r5]; st.global.u32 [%rd3], %r6; }\n",
             1024);
    r.launch.block[0] = 256;
    assert_true(run_go(&r));
    for (u32 i = 0; i < 256; i++)
        assert_int_equal(run_word(&r, i), 255 - i);
    run_end(&r);
}

TEST(a_sum_by_a_tree_without_barriers_is_right)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r,
             HEADER ".shared .align 4 .b8 tile[1024];\n" PROLOGUE
                    "mov.u32 %r2, tile; shl.b32 %r3, %r1, 2; add.u32 %r4, %r2, %r3;\n"
                    "st.shared.u32 [%r4], %r1; mov.u32 %r5, 128;\n"
                    "L: setp.ge.u32 %p1, %r1, %r5; @%p1 bra N;\n"
                    "shl.b32 %r6, %r5, 2; add.u32 %r6, %r4, %r6;\n"
                    "ld.shared.u32 %r7, [%r6]; ld.shared.u32 %r8, [%r4];\n"
                    "add.u32 %r8, %r8, %r7; st.shared.u32 [%r4], %r8;\n"
                    "N: shr.u32 %r5, %r5, 1; setp.ne.u32 %p2, %r5, 0; @%p2 bra L;\n"
                    "setp.ne.u32 %p3, %r1, 0; @%p3 bra E;\n"
                    "st.global.u32 [%rd1], %r8;\n"
                    "E: ret; }\n",
             1024);
    r.launch.block[0] = 256;
    assert_true(run_go(&r));
    assert_int_equal(run_word(&r, 0), 255 * 256 / 2);
    run_end(&r);
}

/* Seven warps wait at a barrier for the eighth, which is alone for longer than a lone turn: it does
 * not go on behind the barrier before they do. */
TEST(a_warp_that_opens_a_barrier_does_not_run_ahead_behind_it)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r,
             HEADER ".shared .align 4 .b8 tile[1024];\n" PROLOGUE
                    "mov.u32 %r2, tile; shl.b32 %r3, %r1, 2; add.u32 %r4, %r2, %r3;\n"
                    "mov.u32 %r7, 0; setp.ge.u32 %p1, %r1, 32; @%p1 bra B;\n"
                    "L: add.u32 %r7, %r7, 1; setp.lt.u32 %p2, %r7, 1500; @%p2 bra L;\n"
                    "B: bar.sync 0;\n"
                    "st.shared.u32 [%r4], %r1;\n"
                    "sub.u32 %r5, 1020, %r3; add.u32 %r5, %r2, %r5;\n"
                    "ld.shared.u32 %r6, [%r5]; st.global.u32 [%rd3], %r6; }\n",
             1024);
    r.launch.block[0] = 256;
    assert_true(run_go(&r));
    for (u32 i = 0; i < 256; i++)
        assert_int_equal(run_word(&r, i), 255 - i);
    run_end(&r);
}

TEST(every_block_starts_with_barriers_and_lanes_of_its_own)
{
    UNUSED_STATE;
    struct run r;
    /* half a block exits before the barrier; the next block runs in the same place */
    run_load(&r,
             KERNEL("setp.lt.u32 %p1, %r1, 16; @%p1 exit;\n"
                    "bar.sync 0; atom.global.add.u32 %r2, [%rd1], 1;"),
             128);
    r.launch.grid[0] = 7;
    assert_true(run_go(&r));
    assert_int_equal(run_word(&r, 0), 7 * 16);
    run_end(&r);
}

/* A loop of four instructions would need 4 * 10^9 of them; the limit is 10^7. */
TEST(a_warp_that_waits_for_a_time_sees_its_clock_run_ahead)
{
    UNUSED_STATE;
    struct run r;
    run_well(&r,
             KERNEL("mov.u64 %rd4, %clock64;\n"
                    "L: mov.u64 %rd5, %clock64; sub.u64 %rd6, %rd5, %rd4;\n"
                    "setp.lt.u64 %p1, %rd6, 4000000000; @%p1 bra L;\n"
                    "st.global.u32 [%rd3], 1;"),
             128);
    assert_int_equal(run_word(&r, 31), 1);
    assert_true(r.counts.warp_instructions < 200000);
    assert_true(r.counts.clock > 4000000000); /* the next kernel's clock goes on from there */
    run_end(&r);
    /* the low half wraps around on its way: what is left of it must not be jumped over */
    run_load(&r,
             KERNEL("mov.u32 %r4, %clock;\n"
                    "L: mov.u32 %r5, %clock; sub.u32 %r6, %r5, %r4;\n"
                    "setp.lt.u32 %p1, %r6, 4000000000; @%p1 bra L;\n"
                    "st.global.u32 [%rd3], %r6;"),
             128);
    r.launch.clock = 0xfffff000;
    assert_true(run_go(&r));
    assert_true(run_word(&r, 0) >= 4000000000);
    run_end(&r);
}

TEST(a_clock_that_is_read_a_few_times_counts_instructions)
{
    UNUSED_STATE;
    struct run r;
    run_well(&r,
             KERNEL("mov.u32 %r2, 0; mov.u64 %rd4, %clock64;\n"
                    "L: mov.u64 %rd5, %clock64; add.u32 %r2, %r2, 1;\n"
                    "setp.lt.u32 %p1, %r2, 1000; @%p1 bra L;\n"
                    "sub.u64 %rd6, %rd5, %rd4; cvt.u32.u64 %r3, %rd6; st.global.u32 [%rd3], %r3;"),
             128);
    assert_int_equal(run_word(&r, 0), 999 * 4 + 1);
    assert_int_equal(r.counts.clock, r.counts.warp_instructions);
    run_end(&r);
}

/* A kernel with directives in which 230 values are live at once. */
static u32 registers_with(const char *directives)
{
    struct text t = {0};
    struct run r;
    text_printf(&t, HEADER ".visible .entry k(.param .u64 out) %s {\n.reg .b32 %%v<230>;\n",
                directives);
    for (u32 i = 0; i < 230; i++)
        text_printf(&t, "ld.shared.u32 %%v%u, [%u];\n", i, 4 * i);
    for (u32 i = 0; i < 230; i++)
        text_printf(&t, "st.shared.u32 [%u], %%v%u;\n", 4 * (229 - i), i);
    text_printf(&t, "ret; }\n");
    run_load(&r, t.data, 256);
    u32 registers = kernel_info(r.launch.kernel)->registers;
    run_end(&r);
    text_fini(&t);
    return registers;
}

/* 65,536 registers of an SM, eight at a time: 384 threads have 170 each, so 168. */
TEST(a_kernel_has_registers_for_as_many_threads_and_blocks_as_it_says)
{
    UNUSED_STATE;
    assert_int_equal(registers_with(""), 238);
    assert_int_equal(registers_with(".maxntid 256, 1, 1"), 238);
    assert_int_equal(registers_with(".maxntid 384, 1, 1 .minnctapersm 1"), 168);
    assert_int_equal(registers_with(".maxntid 128, 1, 1 .minnctapersm 4"), 128);
    assert_int_equal(registers_with(".reqntid 32, 32, 1"), 64);
    assert_int_equal(registers_with(".maxntid 384, 1, 1 .maxnreg 40"), 40);
}

RUN_TESTS(T(a_kernel_has_registers_for_as_many_threads_and_blocks_as_it_says),
          T(a_warp_that_waits_for_a_time_sees_its_clock_run_ahead),
          T(a_clock_that_is_read_a_few_times_counts_instructions),
          T(every_thread_of_a_3d_grid_knows_where_it_is),
          T(a_launch_is_polled_every_half_million_instructions_with_the_blocks_that_have_ended),
          T(so_is_a_launch_of_one_long_block), T(the_last_warp_of_a_block_may_have_fewer_lanes),
          T(dynamic_shared_memory_follows_the_static_one),
          T(blocks_may_wait_for_each_other_when_fewer_than_the_grid_fit),
          T(blocks_that_wait_for_one_that_does_not_fit_run_into_the_limit),
          T(a_cooperative_grid_has_all_its_blocks_alive), T(launches_that_cannot_be_are_refused),
          T(a_second_launch_sees_fresh_blocks_and_the_same_memory),
          T(a_warp_finds_what_its_neighbours_stored_without_a_barrier),
          T(a_sum_by_a_tree_without_barriers_is_right),
          T(a_warp_that_opens_a_barrier_does_not_run_ahead_behind_it),
          T(every_block_starts_with_barriers_and_lanes_of_its_own))
