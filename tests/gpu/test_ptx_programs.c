/* PTX programs whose result depends on time: they read clocks, spin on locks and flags of other
 * blocks, race for atomics and stores. Everything repeats, run again, with every unit ticked every
 * cycle and with SMs ticked in another order: statistics and memory. */
#include "gpu/statistics_text.h"
#include "ptx/exec/running.h"
#include "ptx/kernel_source.h"

#define BUFFER_BYTES 8192u

enum order { AS_BUILT, EVERY_CYCLE, SMS_REVERSED };

static const char *const *sets; /* of the chip, for a while */

/* One launch of kernel `k` over `blocks` of `threads`; the statistics, and the buffer in `out`. */
static char *run_program(const char *chip, const char *text, u32 blocks, u32 threads, bool lowered,
                         enum order order, u32 *out)
{
    struct bed b;
    struct engine_options options = {.watchdog_cycles = 1000000, .no_skip = order == EVERY_CYCLE};
    bed_build(&b, chip, sets, &options);
    u32 sms = b.gpu->config->sm.count, first = b.sim.engine.units[b.gpu->cluster.sms[0].unit]->slot;
    for (u32 i = 0; order == SMS_REVERSED && i < sms; i++)
        b.sim.engine.units[b.gpu->cluster.sms[i].unit]->slot = first + sms - 1 - i;
    engine_start(&b.sim.engine);
    struct run r;
    run_load(&r, text, BUFFER_BYTES);
    memset((void *)(uintptr_t)r.out, 0, BUFFER_BYTES);
    r.launch.grid[0] = blocks;
    r.launch.block[0] = threads;
    struct ptx_source *s = ptx_source_open(&r.launch, &r.err);
    assert_non_null(s);
    if (lowered)
        ptx_source_lower(s);
    struct grid_source grid = ptx_source_grid(s);
    bed_launch_source(&b, &grid);
    bed_run(&b);
    char *statistics = all_statistics(&b);
    memcpy(out, (const void *)(uintptr_t)r.out, BUFFER_BYTES);
    bed_close(&b);
    ptx_source_close(s);
    ptx_source_rest();
    run_end(&r);
    return statistics;
}

static void same_whatever(const char *text, u32 blocks, u32 threads)
{
    static const char *const chips[] = {"fermi15", "volta8", "kepler8"};
    static u32 first[BUFFER_BYTES / 4], other[BUFFER_BYTES / 4];
    for (u32 i = 0; i < 2 * ARRAY_LEN(chips); i++) {
        bool lowered = i & 1;
        const char *chip = chips[i / 2];
        char *plain = run_program(chip, text, blocks, threads, lowered, AS_BUILT, first);
        char *again = run_program(chip, text, blocks, threads, lowered, AS_BUILT, other);
        assert_same(plain, again, "run again");
        assert_memory_equal(first, other, BUFFER_BYTES);
        char *every = run_program(chip, text, blocks, threads, lowered, EVERY_CYCLE, other);
        assert_same(plain, every, "every unit ticked every cycle");
        assert_memory_equal(first, other, BUFFER_BYTES);
        char *reversed = run_program(chip, text, blocks, threads, lowered, SMS_REVERSED, other);
        assert_same(plain, reversed, "SMs ticked in reverse order");
        assert_memory_equal(first, other, BUFFER_BYTES);
        free(plain);
        free(again);
        free(every);
        free(reversed);
    }
}

/* Block 0 takes the time of a chain of 1,000 additions; all others leave at once. */
#define TIMED_CHAIN                                                                                \
    KERNEL(                                                                                        \
        "mov.u32 %r2, %ctaid.x; setp.ne.u32 %p1, %r2, 0; @%p1 ret;"                                \
        "mov.u64 %rd4, %clock64; mov.u32 %r3, 0;"                                                  \
        "L: add.u32 %r3, %r3, %r1; add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 1000; @%p2 bra L;"   \
        "mov.u64 %rd5, %clock64; sub.u64 %rd5, %rd5, %rd4;"                                        \
        "cvt.u32.u64 %r4, %rd5; st.global.u32 [%rd3], %r4;")

TEST(a_block_reads_the_clock_of_its_own_sm)
{
    UNUSED_STATE;
    static u32 alone[BUFFER_BYTES / 4], among[BUFFER_BYTES / 4];
    for (u32 lowered = 0; lowered < 2; lowered++) {
        free(run_program("volta8", TIMED_CHAIN, 1, 1, lowered, AS_BUILT, alone));
        assert_true(alone[0] >= 2000); /* two dependent additions a turn, of a cycle at least */
        for (u32 blocks = 2; blocks <= 4; blocks++) { /* each on an SM of its own */
            free(run_program("volta8", TIMED_CHAIN, blocks, 1, lowered, AS_BUILT, among));
            assert_int_equal(among[0], alone[0]);
        }
    }
}

TEST(nanosleep_takes_as_many_cycles_as_it_says)
{
    UNUSED_STATE;
    static u32 took[BUFFER_BYTES / 4];
    for (u32 lowered = 0; lowered < 2; lowered++) {
        free(run_program("volta8",
                         KERNEL("mov.u64 %rd4, %clock64; mov.u32 %r2, 700; nanosleep.u32 %r2;"
                                "mov.u64 %rd5, %clock64; sub.u64 %rd5, %rd5, %rd4;"
                                "cvt.u32.u64 %r4, %rd5; st.global.u32 [%rd3], %r4;"),
                         1, 1, lowered, AS_BUILT, took));
        assert_in_range(took[0], 700, 800); /* and the time of a few instructions */
    }
}

/* 32 threads count up to 400 and arrive; 32 others count how often they have to try. */
#define WAITERS                                                                                    \
    KERNEL(                                                                                        \
        ".shared .align 8 .b64 bar; mov.u32 %r2, 32; mov.u32 %r3, 0; setp.eq.u32 %p1, %r1, 0;"     \
        "@%p1 mbarrier.init.shared.b64 [bar], %r2; bar.sync 0;"                                    \
        "setp.lt.u32 %p2, %r1, 32; @%p2 bra W;"                                                    \
        "L: add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 400; @%p2 bra L;"                           \
        "mbarrier.arrive.shared.b64 _, [bar]; bra E;"                                              \
        "W: add.u32 %r3, %r3, 1; mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0; @!%p1 bra W;"  \
        "E: st.global.u32 [%rd3], %r3;")

TEST(a_warp_whose_try_wait_fails_sleeps_until_the_phase_is_complete)
{
    UNUSED_STATE;
    static const char *const polls[] = {"sm.try_wait_cycles=0", NULL};
    static const char *const often[] = {"sm.try_wait_cycles=100", NULL};
    static u32 tries[BUFFER_BYTES / 4];
    for (u32 lowered = 0; lowered < 2; lowered++) {
        free(run_program("volta8", WAITERS, 1, 64, lowered, AS_BUILT, tries));
        assert_int_equal(tries[0], 2); /* once in vain, once when it is woken */
        assert_int_equal(tries[63], 400);
        sets = often; /* 600 to 4,000 cycles of counting, 100 and a few at a time */
        free(run_program("volta8", WAITERS, 1, 64, lowered, AS_BUILT, tries));
        assert_in_range(tries[0], 4, 40);
        sets = polls;
        free(run_program("volta8", WAITERS, 1, 64, lowered, AS_BUILT, tries));
        assert_true(tries[0] > 8);
        sets = NULL;
    }
    same_whatever(WAITERS, 3, 64);
}

TEST(clocks_repeat)
{
    UNUSED_STATE;
    /* every thread's clocks at its start and its end */
    same_whatever(
        KERNEL("mov.u32 %r2, %clock; mov.u32 %r5, %ctaid.x; mov.u32 %r6, %ntid.x;"
               "mad.lo.u32 %r1, %r5, %r6, %r1; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;"
               "ld.global.u32 %r3, [%rd3+4096]; mov.u32 %r4, %clock; add.u32 %r4, %r4, %r3;"
               "sub.u32 %r4, %r4, %r2; st.global.u32 [%rd3], %r4;"),
        20, 48);
}

TEST(races_for_atomics_repeat)
{
    UNUSED_STATE;
    /* who came how early to a counter that all want */
    same_whatever(
        KERNEL("mov.u32 %r5, %ctaid.x; mov.u32 %r6, %ntid.x; mad.lo.u32 %r2, %r5, %r6, %r1;"
               "mul.wide.u32 %rd2, %r2, 4; add.u64 %rd3, %rd1, %rd2;"
               "atom.global.add.u32 %r3, [%rd1+8188], 1; st.global.u32 [%rd3], %r3;"
               "atom.global.exch.b32 %r4, [%rd1+8184], %r2; st.global.u32 [%rd3+4096], %r4;"),
        15, 64);
}

TEST(racing_stores_and_loads_repeat)
{
    UNUSED_STATE;
    /* all write the same words and read what they find there, again and again */
    same_whatever(
        KERNEL("mov.u32 %r5, %ctaid.x; mov.u32 %r6, %ntid.x; mad.lo.u32 %r2, %r5, %r6, %r1;"
               "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2; mov.u32 %r3, 0;"
               "L: st.global.u32 [%rd3], %r2; ld.volatile.global.u32 %r4, [%rd3+4];"
               "mad.lo.u32 %r2, %r2, 3, %r4; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 40;"
               "@%p1 bra L; mad.lo.u32 %r7, %r5, %r6, %r1; mul.wide.u32 %rd4, %r7, 4;"
               "add.u64 %rd5, %rd1, %rd4; st.global.u32 [%rd5+1024], %r2;"),
        15, 64);
}

TEST(every_ticket_is_drawn_once)
{
    UNUSED_STATE;
    static u32 out[BUFFER_BYTES / 4];
    static const char text[] =
        KERNEL("mov.u32 %r2, 0;"
               "L: atom.global.add.u32 %r3, [%rd1], 1; mul.wide.u32 %rd2, %r3, 4; add.u64 %rd3, "
               "%rd1, %rd2; atom.global.add.u32 %r4, [%rd3+4], 1; add.u32 %r2, %r2, 1; setp.lt.u32 "
               "%p1, %r2, 4; @%p1 bra L;");
    for (u32 lowered = 0; lowered < 2; lowered++) {
        free(run_program("volta8", text, 8, 48, lowered, AS_BUILT, out));
        assert_int_equal(out[0], 8 * 48 * 4);
        for (u32 i = 1; i <= 8 * 48 * 4; i++)
            assert_int_equal(out[i], 1);
    }
}

TEST(a_spin_lock_repeats)
{
    UNUSED_STATE;
    /* under a lock, one thread of each block notes how many came before it */
    same_whatever(
        KERNEL("setp.ne.u32 %p1, %r1, 0; @%p1 ret;"
               "A: atom.global.cas.b32 %r2, [%rd1+8188], 0, 1; setp.ne.u32 %p2, %r2, 0; @%p2 bra A;"
               "ld.volatile.global.u32 %r3, [%rd1+8184]; add.u32 %r4, %r3, 1; "
               "st.volatile.global.u32 [%rd1+8184], %r4;"
               "membar.gl; atom.global.exch.b32 %r5, [%rd1+8188], 0;"
               "mov.u32 %r6, %ctaid.x; mul.wide.u32 %rd2, %r6, 4; add.u64 %rd3, %rd1, %rd2; "
               "st.global.u32 [%rd3], %r3;"),
        12, 32);
}

TEST(a_block_that_waits_for_another_repeats)
{
    UNUSED_STATE;
    /* block n waits for the flag of block n + 1; the last sets its own */
    same_whatever(
        KERNEL("setp.ne.u32 %p1, %r1, 0; @%p1 ret; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %nctaid.x;"
               "mul.wide.u32 %rd2, %r2, 4; add.u64 %rd3, %rd1, %rd2; add.u32 %r4, %r2, 1;"
               "setp.eq.u32 %p2, %r4, %r3; @%p2 bra SET;"
               "W: ld.volatile.global.u32 %r5, [%rd3+4]; setp.eq.u32 %p3, %r5, 0; @%p3 bra W;"
               "SET: membar.gl; mov.u32 %r6, %clock; or.b32 %r6, %r6, 1; st.volatile.global.u32 "
               "[%rd3], %r6;"),
        8, 32);
}

/* Each block copies 128 bytes that it has written to shared memory, four times, and hands them
 * back. */
#define BULK_COPIES                                                                                \
    KERNEL(                                                                                        \
        ".shared .align 128 .b8 tile[128]; .shared .align 8 .b64 bar; mov.u32 %r2, %ctaid.x;"      \
        "mul.wide.u32 %rd4, %r2, 128; add.u64 %rd5, %rd1, %rd4; add.u64 %rd5, %rd5, 4096;"         \
        "mul.wide.u32 %rd6, %r1, 4; add.u64 %rd7, %rd5, %rd6; mad.lo.u32 %r3, %r2, 100, %r1;"      \
        "setp.eq.u32 %p1, %r1, 0; mov.u32 %r4, 0; mov.u32 %r5, tile; shl.b32 %r6, %r1, 2;"         \
        "add.u32 %r5, %r5, %r6; @%p1 mbarrier.init.shared.b64 [bar], 1;"                           \
        "AGAIN: add.u32 %r3, %r3, 7; st.global.u32 [%rd7], %r3; membar.gl; bar.sync 0;"            \
        "@!%p1 bra WAIT; mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;"                      \
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd5], 128, "  \
        "[bar];"                                                                                   \
        "WAIT: and.b32 %r8, %r4, 1; mbarrier.try_wait.parity.shared.b64 %p2, [bar], %r8; @!%p2 "   \
        "bra WAIT;"                                                                                \
        "bar.sync 0; add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, 4; @%p3 bra AGAIN;"                \
        "ld.shared.u32 %r7, [%r5]; add.u64 %rd8, %rd7, -4096; st.global.u32 [%rd8], %r7;")

/* Answers may come in the cycle in which a line is asked for, and SMs tick side by side. */
TEST(bulk_copies_arrive_once_however_fast_memory_is)
{
    UNUSED_STATE;
    static const char *const at_once[] = {"ideal.model=fixed", "ideal.fixed_cycles=0", NULL};
    static u32 out[BUFFER_BYTES / 4];
    for (u32 i = 0; i < 4; i++) {
        sets = i & 1 ? at_once : NULL;
        assert_int_equal(setenv("HEDDLE_THREADS", i & 2 ? "2" : "1", 1), 0);
        free(run_program("volta8", BULK_COPIES, 8, 32, false, AS_BUILT, out));
        for (u32 word = 0; word < 8 * 32; word++)
            assert_int_equal(out[word], word / 32 * 100 + word % 32 + 4 * 7);
    }
    assert_int_equal(unsetenv("HEDDLE_THREADS"), 0);
    sets = NULL;
}

RUN_TESTS(T(a_block_reads_the_clock_of_its_own_sm), T(nanosleep_takes_as_many_cycles_as_it_says),
          T(a_warp_whose_try_wait_fails_sleeps_until_the_phase_is_complete), T(clocks_repeat),
          T(races_for_atomics_repeat), T(racing_stores_and_loads_repeat),
          T(every_ticket_is_drawn_once), T(a_spin_lock_repeats),
          T(a_block_that_waits_for_another_repeats),
          T(bulk_copies_arrive_once_however_fast_memory_is))
