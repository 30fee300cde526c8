/* What is collected of a launch: counted by hand. */
#include "ptx/exec/running.h"

#include "ptx/exec/signature.h"

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
          T(a_second_launch_is_counted_afresh), T(blocks_before_the_first_are_not_run))
