/* What is collected of a launch: counted by hand. */
#include "ptx/exec/running.h"

#include "ptx/exec/signature.h"
#include "ptx/kernel_source.h"

#include <math.h>

static struct signature run_observed(const char *text, struct signature_collector *c)
{
    struct run r;
    struct signature s;
    run_load(&r, text, 4096);
    r.launch.signature = c;
    if (!run_go(&r))
        fail_msg("%s:%u: %s", r.err.file, r.err.line, r.err.what);
    signature_sum(&s, c, 1);
    assert_int_equal(s.warp_instructions, r.counts.warp_instructions);
    assert_true(fabs(s.lanes * (double)s.warp_instructions - (double)r.counts.thread_instructions) <
                0.5);
    collector_fini(c);
    run_end(&r);
    return s;
}

/* A warp that stores 4 bytes a lane names 4 sectors of 32 bytes. */
TEST(a_store_of_consecutive_words_names_four_sectors)
{
    UNUSED_STATE;
    u64 entries[16];
    struct recent_lines recent = {entries, 15, 0};
    struct signature_collector c = {.recent = &recent};
    struct signature s = run_observed(KERNEL("st.global.u32 [%rd3], %r1; exit;"), &c);
    assert_true(s.sectors == 4 && s.footprint_sectors == 4);
    assert_true(fabs(s.accesses * (double)s.warp_instructions - 1) < 1e-9 &&
                s.stores == s.accesses);
    assert_int_equal(recent.count, 4);
    for (u32 i = 0; i < 4; i++)
        assert_int_equal(entries[i], (entries[0] & ~1ull) + 32 * i + RECENT_STORE);
}

/* 32 lanes, 128 bytes apart, each load of 4 bytes names a sector of its own. */
TEST(lanes_far_apart_name_a_sector_each)
{
    UNUSED_STATE;
    struct signature_collector c = {0};
    struct signature s =
        run_observed(KERNEL("mul.wide.u32 %rd4, %r1, 128; add.u64 %rd4, %rd1, %rd4;\n"
                            "ld.global.u32 %r2, [%rd4]; ld.global.u32 %r2, [%rd4]; exit;"),
                     &c);
    assert_true(s.sectors == 32 && s.stores == 0);
    assert_in_range(s.footprint_sectors, 30, 34);
}

/* 32 words from byte 16 of a sector on end in the fifth; one word for all lanes is in one. */
TEST(a_row_of_words_names_every_sector_that_it_touches_once)
{
    UNUSED_STATE;
    u64 entries[16];
    struct recent_lines recent = {entries, 15, 0};
    struct signature_collector c = {.recent = &recent};
    struct signature s = run_observed(
        KERNEL("ld.global.u32 %r2, [%rd3+16]; ld.global.u32 %r3, [%rd1+64]; exit;"), &c);
    assert_int_equal(recent.count, 6);
    for (u32 i = 0; i < 5; i++)
        assert_int_equal(entries[i], entries[0] + 32 * i);
    assert_int_equal(entries[5], entries[0] + 64);
    assert_true(s.sectors == 3 && s.footprint_sectors == 5);
}

/* All that an SM issues of a block of one warp. */
static struct signature step_observed(const char *text)
{
    struct run r;
    struct signature s;
    struct signature_collector c = {0};
    cycle_t clock = 0;
    const struct instruction *next;
    struct winst x;
    run_load(&r, text, 4096);
    struct ptx_source *source = ptx_source_open(&r.launch, &r.err);
    ptx_source_observe(source, &c, 1);
    struct grid_source g = ptx_source_grid(source);
    void *block = g.ops->block_begin(g.self, 0, &(struct sm_place){.clock = &clock});
    while (g.ops->next(block, 0, &next) == NEXT_READY)
        assert_true(g.ops->step(block, 0, &x));
    signature_sum(&s, &c, 1);
    g.ops->block_end(g.self, block);
    ptx_source_close(source);
    collector_fini(&c);
    run_end(&r);
    return s;
}

/* Instructions that the timing model executes together (exec/stretch.h), lanes that are off, a
 * loop. */
TEST(a_launch_that_is_timed_has_the_signature_of_one_that_is_executed)
{
    UNUSED_STATE;
    static const char text[] =
        KERNEL("mov.u32 %r4, 0; setp.lt.u32 %p2, %r1, 9;\n"
               "again: ld.global.u32 %r2, [%rd3]; add.u32 %r2, %r2, 1; mul.lo.u32 %r3, %r2, %r2;\n"
               "@%p2 add.u32 %r3, %r3, 7; @%p2 st.global.u32 [%rd3], %r3;\n"
               "mul.wide.u32 %rd4, %r1, 64; add.u64 %rd4, %rd1, %rd4; ld.global.u32 %r5, [%rd4];\n"
               "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 3; @%p1 bra again; exit;");
    struct signature_collector c = {0};
    struct signature executed = run_observed(text, &c), timed = step_observed(text);
    assert_memory_equal(&executed, &timed, sizeof timed);
    /* 4 of the prologue, 2, 3 times 11, 1; two of each turn have 9 lanes, the last branch none */
    assert_int_equal(timed.warp_instructions, 40);
    assert_true(fabs(timed.lanes - (40 * 32 - 6 * 23 - 32) / 40.0) < 1e-12);
    assert_true(fabs(timed.accesses - 9 / 40.0) < 1e-12);
    /* of a turn: a row of 4 sectors, 9 words in 2, 32 lanes 64 bytes apart */
    assert_true(fabs(timed.sectors - (4 + 2 + 32) / 3.0) < 1e-12);
}

TEST(a_second_launch_is_counted_afresh)
{
    UNUSED_STATE;
    struct run r;
    struct signature first, second;
    struct signature_collector c = {0};
    run_load(&r, KERNEL("st.global.u32 [%rd3], %r1; exit;"), 4096);
    r.launch.signature = &c;
    assert_true(run_go(&r));
    signature_sum(&first, &c, 1);
    assert_true(run_go(&r));
    signature_sum(&second, &c, 1);
    assert_memory_equal(&first, &second, sizeof first);
    collector_fini(&c);
    run_end(&r);
}

TEST(blocks_before_the_first_are_not_run)
{
    UNUSED_STATE;
    struct run r;
    run_load(&r,
             KERNEL("mov.u32 %r2, %ctaid.x; mul.wide.u32 %rd4, %r2, 4;\n"
                    "add.u64 %rd4, %rd1, %rd4; mov.u32 %r3, 7; st.global.u32 [%rd4], %r3; exit;"),
             4096);
    r.launch.grid[0] = 4;
    r.launch.first_block = 2;
    assert_true(run_go(&r));
    for (u32 i = 0; i < 4; i++)
        assert_int_equal(run_word(&r, i), i < 2 ? 0 : 7);
    run_end(&r);
}

static bool may_wait(const char *text)
{
    struct run r;
    run_load(&r, text, 4096);
    bool waits = kernel_may_wait(r.launch.kernel);
    run_end(&r);
    return waits;
}

TEST(a_loop_on_a_flag_waits_and_a_loop_that_counts_does_not)
{
    UNUSED_STATE;
    assert_true(may_wait(KERNEL("again: ld.volatile.global.u32 %r2, [%rd1];\n"
                                "setp.eq.u32 %p1, %r2, 0; @%p1 bra again; exit;")));
    assert_false(may_wait(KERNEL("mov.u32 %r2, 0; again: add.u32 %r2, %r2, 1;\n"
                                 "setp.lt.u32 %p1, %r2, 9; @%p1 bra again; exit;")));
}

RUN_TESTS(T(a_loop_on_a_flag_waits_and_a_loop_that_counts_does_not),
          T(a_store_of_consecutive_words_names_four_sectors), T(lanes_far_apart_name_a_sector_each),
          T(a_row_of_words_names_every_sector_that_it_touches_once),
          T(a_launch_that_is_timed_has_the_signature_of_one_that_is_executed),
          T(a_second_launch_is_counted_afresh), T(blocks_before_the_first_are_not_run))
