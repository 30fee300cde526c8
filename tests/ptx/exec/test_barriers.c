#include "isa/exec/running.h"

static void expect_fault(struct run *r, enum launch_fault fault, const char *what)
{
    assert_false(run_go(r));
    assert_int_equal(r->fault, fault);
    assert_string_equal(r->err.what, what);
}

TEST(a_barrier_makes_all_stores_before_it_visible_behind_it)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r,
             HEADER ".shared .align 4 .b8 tile[256];\n" PROLOGUE
                    "mov.u32 %r2, tile; shl.b32 %r3, %r1, 2; add.u32 %r2, %r2, %r3;\n"
                    "st.shared.u32 [%r2], %r1;\n"
                    "bar.sync 0;\n"
                    "mov.u32 %r2, tile; sub.u32 %r3, 252, %r3; add.u32 %r2, %r2, %r3;\n"
                    "ld.shared.u32 %r4, [%r2]; st.global.u32 [%rd3], %r4; }\n",
             256);
    r.launch.block[0] = 64;
    assert_true(run_go(&r));
    for (u32 i = 0; i < 64; i++)
        assert_int_equal(run_word(&r, i), 63 - i);
    run_end(&r);
}

TEST(threads_that_have_exited_are_not_waited_for)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r,
             KERNEL("setp.ge.u32 %p1, %r1, 40; @%p1 exit;\n"
                    "bar.sync 0;\n"
                    "st.global.u32 [%rd3], 1;"),
             256);
    r.launch.block[0] = 64;
    assert_true(run_go(&r));
    for (u32 i = 0; i < 64; i++)
        assert_int_equal(run_word(&r, i), i < 40);
    run_end(&r);
}

/* Warp 0 consumes what warp 1 produces, and hands the buffer back, three times. */
TEST(producer_and_consumer_meet_at_two_named_barriers)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r,
             HEADER ".shared .align 4 .b32 item;\n" PROLOGUE "mov.u32 %r5, 0; mov.u32 %r6, 0;\n"
                    "setp.ge.u32 %p1, %r1, 32;\n"
                    "@%p1 bra PRODUCER;\n"
                    "CONSUMER: bar.sync 1, 64;\n"
                    "ld.shared.u32 %r2, [item]; mad.lo.u32 %r6, %r6, 10, %r2;\n"
                    "bar.arrive 2, 64;\n"
                    "add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 3; @%p2 bra CONSUMER;\n"
                    "st.global.u32 [%rd3], %r6; ret;\n"
                    "PRODUCER: add.u32 %r5, %r5, 1; st.shared.u32 [item], %r5;\n"
                    "bar.arrive 1, 64;\n"
                    "bar.sync 2, 64;\n"
                    "setp.lt.u32 %p2, %r5, 3; @%p2 bra PRODUCER; ret; }\n",
             256);
    r.launch.block[0] = 64;
    assert_true(run_go(&r));
    for (u32 i = 0; i < 32; i++)
        assert_int_equal(run_word(&r, i), 123);
    run_end(&r);
}

TEST(a_barrier_counts_and_combines_predicates_of_the_block)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r,
             KERNEL("setp.lt.u32 %p1, %r1, 10;\n"
                    "bar.red.popc.u32 %r2, 0, %p1;\n"
                    "bar.red.and.pred %p2, 0, %p1;\n"
                    "bar.red.or.pred %p3, 0, %p1;\n"
                    "bar.red.and.pred %p4, 0, !%p2;\n"
                    "selp.u32 %r3, 100, 0, %p2; add.u32 %r2, %r2, %r3;\n"
                    "selp.u32 %r3, 1000, 0, %p3; add.u32 %r2, %r2, %r3;\n"
                    "selp.u32 %r3, 10000, 0, %p4; add.u32 %r2, %r2, %r3;\n"
                    "st.global.u32 [%rd3], %r2;"),
             256);
    r.launch.block[0] = 64;
    assert_true(run_go(&r));
    for (u32 i = 0; i < 64; i++) /* 10 yes, not all, some, and all agree that not all */
        assert_int_equal(run_word(&r, i), 11010);
    run_end(&r);
}

TEST(a_barrier_may_be_named_by_a_register_of_each_warp)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r,
             KERNEL("shr.u32 %r2, %r1, 5; add.u32 %r2, %r2, 3;\n"
                    "barrier.sync %r2, 32;\n"
                    "st.global.u32 [%rd3], %r2;"),
             256);
    r.launch.block[0] = 64;
    assert_true(run_go(&r));
    assert_int_equal(run_word(&r, 0), 3);
    assert_int_equal(run_word(&r, 63), 4);
    run_end(&r);
}

TEST(lanes_that_come_to_a_barrier_on_two_paths_are_counted_once)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r,
             KERNEL("setp.lt.u32 %p1, %r1, 16;\n"
                    "@%p1 bra A;\n"
                    "bar.sync 0; bra J;\n"
                    "A: bar.sync 0;\n"
                    "J: activemask.b32 %r2; st.global.u32 [%rd3], %r2;"),
             256);
    r.launch.block[0] = 64;
    assert_true(run_go(&r));
    assert_int_equal(run_word(&r, 0), 0xffffffff);
    assert_int_equal(run_word(&r, 63), 0xffffffff);
    run_end(&r);
}

TEST(a_guarded_barrier_holds_only_the_lanes_of_its_guard)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r,
             KERNEL("setp.lt.u32 %p1, %r1, 32;\n"
                    "@%p1 bar.sync 1, 32;\n"
                    "@!%p1 bar.sync 2, 32;\n"
                    "st.global.u32 [%rd3], 1;"),
             256);
    r.launch.block[0] = 64;
    assert_true(run_go(&r));
    assert_int_equal(run_word(&r, 0), 1);
    assert_int_equal(run_word(&r, 63), 1);
    run_end(&r);
}

/* 40 threads: the second warp has 8, comes on two paths, and loses one on the way. */
TEST(a_count_of_whole_warps_is_met_by_those_that_are_left)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r,
             KERNEL("setp.ge.u32 %p1, %r1, 36; @%p1 bra A;\n"
                    "bar.sync 1, 64; bra J;\n"
                    "A: setp.eq.u32 %p2, %r1, 39; @%p2 exit;\n"
                    "bar.sync 1, 64;\n"
                    "J: st.global.u32 [%rd3], 1;"),
             256);
    r.launch.block[0] = 40;
    assert_true(run_go(&r));
    for (u32 i = 0; i < 64; i++)
        assert_int_equal(run_word(&r, i), i < 39);
    run_end(&r);
}

TEST(waiting_for_threads_that_ended_is_reported)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r,
             KERNEL("setp.ge.u32 %p1, %r1, 32; @%p1 exit;\n"
                    "bar.sync 1, 64;"),
             256);
    r.launch.block[0] = 64;
    expect_fault(&r, FAULT_DEADLOCK,
                 "kernel k, block (0,0,0), thread (0,0,0): waits at barrier 1 for threads that "
                 "never come, 32 of 64 are there");
    assert_int_equal(r.err.line, 9);
    run_end(&r);
}

TEST(waiting_for_lanes_that_never_come_is_reported)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r,
             KERNEL("setp.lt.u32 %p1, %r1, 16;\n"
                    "@%p1 bra A;\n"
                    "bar.warp.sync 0xffffffff; bra J;\n"
                    "A: bar.sync 1, 64;\n"
                    "J: ret;"),
             256);
    expect_fault(&r, FAULT_DEADLOCK,
                 "kernel k, block (0,0,0), thread (16,0,0): waits for lanes 0x0000ffff that never "
                 "come");
    run_end(&r);
}

TEST(a_barrier_that_does_not_exist_is_a_fault)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r, KERNEL("mov.u32 %r2, 16; bar.sync %r2;"), 256);
    expect_fault(&r, FAULT_INSTRUCTION,
                 "kernel k, block (0,0,0), thread (0,0,0): barrier 16 with 0 threads");
    run_end(&r);
    run_load(&r, KERNEL("bar.sync 1, 33;"), 256);
    expect_fault(&r, FAULT_INSTRUCTION,
                 "kernel k, block (0,0,0), thread (0,0,0): barrier 1 with 33 threads");
    run_end(&r);
}

TEST(lanes_that_execute_an_instruction_for_others_only_are_a_fault)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r, KERNEL("redux.sync.add.u32 %r2, %r1, 0x0000ffff;"), 256);
    expect_fault(&r, FAULT_INSTRUCTION,
                 "kernel k, block (0,0,0), thread (16,0,0): lane 16 waits for lanes 0x0000ffff, "
                 "which it is none of");
    run_end(&r);
}

RUN_TESTS(T(a_barrier_makes_all_stores_before_it_visible_behind_it),
          T(threads_that_have_exited_are_not_waited_for),
          T(producer_and_consumer_meet_at_two_named_barriers),
          T(a_barrier_counts_and_combines_predicates_of_the_block),
          T(a_barrier_may_be_named_by_a_register_of_each_warp),
          T(lanes_that_come_to_a_barrier_on_two_paths_are_counted_once),
          T(a_guarded_barrier_holds_only_the_lanes_of_its_guard),
          T(a_count_of_whole_warps_is_met_by_those_that_are_left),
          T(waiting_for_threads_that_ended_is_reported),
          T(waiting_for_lanes_that_never_come_is_reported),
          T(a_barrier_that_does_not_exist_is_a_fault),
          T(lanes_that_execute_an_instruction_for_others_only_are_a_fault))
