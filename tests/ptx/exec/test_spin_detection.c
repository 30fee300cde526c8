/* Threads that wait for an mbarrier for ever are told from those that wait for somebody. */
#include "ptx/exec/running.h"

#define BAR HEADER ".shared .align 8 .b64 pad; .shared .align 8 .b64 bar;\n" PROLOGUE
#define INIT(count)                                                                                \
    "setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [bar], " count "; bar.sync 0;\n"
#define WAIT                                                                                       \
    "AGAIN: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;\n@!%p2 bra AGAIN;\n"                \
    "st.global.u32 [%rd3], 1;"

static void expect_fault(const char *text, u32 threads, u32 blocks, u32 cluster,
                         enum launch_fault fault, const char *what)
{
    struct run r;
    run_load(&r, text, 1024);
    r.launch.block[0] = threads;
    r.launch.grid[0] = blocks;
    r.launch.cluster[0] = cluster;
    assert_false(run_go(&r));
    assert_int_equal(r.fault, fault);
    if (!strstr(r.err.what, what))
        fail_msg("%s, expected %s", r.err.what, what);
    run_end(&r);
}

TEST(bytes_that_never_come_are_a_deadlock_that_names_the_mbarrier)
{
    UNUSED_STATE;
    expect_fault(BAR INIT("1") "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;\n" WAIT "}",
                 64, 1, 0, FAULT_DEADLOCK,
                 "waits for the mbarrier at 0x8 of shared memory: 0 of 1 arrivals and 64 bytes are "
                 "pending");
}

TEST(arrivals_that_never_come_are_a_deadlock_though_other_warps_wait_at_a_barrier)
{
    UNUSED_STATE;
    expect_fault(BAR INIT("3") "@%p1 mbarrier.arrive.shared.b64 _, [bar];\n"
                               "setp.ge.u32 %p3, %r1, 32; @%p3 bar.sync 1;\n" WAIT "}",
                 64, 1, 0, FAULT_DEADLOCK, "2 of 3 arrivals and 0 bytes are pending");
}

/* Both blocks wait for block 0's barrier, at which block 1 would have to arrive. */
TEST(a_cluster_whose_blocks_wait_for_each_other_is_a_deadlock)
{
    UNUSED_STATE;
    expect_fault(BAR INIT("1") "barrier.cluster.arrive; barrier.cluster.wait;\n" WAIT "}", 32, 2, 2,
                 FAULT_DEADLOCK, "1 of 1 arrivals and 0 bytes are pending");
}

/* Warp 1 counts to 100,000 first. */
TEST(a_warp_that_comes_late_is_waited_for)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r,
             BAR INIT("1") "setp.lt.u32 %p3, %r1, 32; @%p3 bra AGAIN; mov.u32 %r5, 0;\n"
                           "COUNT: add.u32 %r5, %r5, 1; setp.lt.u32 %p4, %r5, 100000;\n"
                           "@%p4 bra COUNT; setp.eq.u32 %p5, %r1, 32;\n"
                           "@%p5 mbarrier.arrive.shared.b64 _, [bar];\n" WAIT "}",
             1024);
    r.launch.block[0] = 64;
    if (!run_go(&r))
        fail_msg("%s", r.err.what);
    assert_int_equal(run_word(&r, 0), 1);
    assert_int_equal(run_word(&r, 63), 1);
    run_end(&r);
}

/* The flag may be written by another block or the host. */
TEST(a_loop_that_looks_at_global_memory_too_is_no_deadlock)
{
    UNUSED_STATE;
    expect_fault(BAR INIT("1") "AGAIN: ld.volatile.global.u32 %r2, [%rd1];\n"
                               "mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;\n"
                               "setp.eq.and.u32 %p3, %r2, 7, %p2; @!%p3 bra AGAIN; }",
                 32, 1, 0, FAULT_LIMIT, "still running");
}

/* A thread that gives up after 1,000 attempts. */
TEST(a_loop_that_counts_its_attempts_is_no_deadlock)
{
    UNUSED_STATE;
    struct run r;
    run_well(&r,
             BAR INIT("1") "mov.u32 %r5, 0;\n"
                           "AGAIN: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;\n"
                           "add.u32 %r5, %r5, 1; setp.lt.and.u32 %p3, %r5, 1000, !%p2;\n"
                           "@%p3 bra AGAIN; st.global.u32 [%rd3], %r5; }",
             1024);
    assert_int_equal(run_word(&r, 31), 1000);
    run_end(&r);
}

/* When block 1 has counted and arrived at block 0's barrier, both are taken to wait, and block 0 is
 * tried from there: it goes on, up to its own arrival, which counts once. */
TEST(a_thread_that_is_tried_arrives_at_nothing)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r,
             HEADER ".shared .align 8 .b64 bar; .shared .align 8 .b64 own;\n" PROLOGUE INIT(
                 "1") "@%p1 mbarrier.init.shared.b64 [own], 2;\n"
                      "barrier.cluster.arrive; barrier.cluster.wait;\n"
                      "mov.u32 %r4, %cluster_ctarank; xor.b32 %r5, %r4, 1; mov.u32 %r6, bar;\n"
                      "mapa.shared::cluster.u32 %r6, %r6, %r5;\n"
                      "setp.eq.u32 %p3, %r4, 1; @%p3 bra SECOND;\n"
                      "FIRST: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra FIRST;\n"
                      "@%p1 mbarrier.arrive.shared.b64 _, [own]; bar.sync 0;\n"
                      "mbarrier.test_wait.parity.shared.b64 %p4, [own], 0;\n"
                      "selp.u32 %r2, 1, 2, %p4; st.global.u32 [%rd1], %r2;\n"
                      "@%p1 mbarrier.arrive.shared::cluster.b64 _, [%r6]; bra LAST;\n"
                      "SECOND: mov.u32 %r7, 0;\n"
                      "COUNT: add.u32 %r7, %r7, 1; setp.lt.u32 %p5, %r7, 100000; @%p5 bra COUNT;\n"
                      "@%p1 mbarrier.arrive.shared::cluster.b64 _, [%r6];\n"
                      "AGAIN: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra AGAIN;\n"
                      "LAST: barrier.cluster.arrive; barrier.cluster.wait; }",
             1024);
    r.launch.block[0] = 32;
    r.launch.grid[0] = r.launch.cluster[0] = 2;
    if (!run_go(&r))
        fail_msg("%s", r.err.what);
    assert_int_equal(run_word(&r, 0), 2); /* one of two arrivals is pending */
    run_end(&r);
}

RUN_TESTS(T(bytes_that_never_come_are_a_deadlock_that_names_the_mbarrier),
          T(arrivals_that_never_come_are_a_deadlock_though_other_warps_wait_at_a_barrier),
          T(a_cluster_whose_blocks_wait_for_each_other_is_a_deadlock),
          T(a_warp_that_comes_late_is_waited_for),
          T(a_loop_that_looks_at_global_memory_too_is_no_deadlock),
          T(a_loop_that_counts_its_attempts_is_no_deadlock),
          T(a_thread_that_is_tried_arrives_at_nothing))
