/* random_restart, apcm_like and static_best on an SM that is told what happens: Poise spec,
 * sections 3 and 8. */
#include "policy/fake_sm.h"

static struct fake_sm f;

/* ---- random_restart -----------------------------------------------------------------------------
 */

#define LIMIT 8u
#define TUPLES 36u /* LIMIT (LIMIT + 1) / 2 */
#define STARTS 20000u

static void restarts(const char *seed, u32 count, u32 *seen)
{
    const char *sets[] = {"t_period", "10", "stride_n", "0", "stride_p", "0", "seed", seed, NULL};
    fake_open(&f, "random_restart", sets);
    fake_kernel(&f, "k", 0, LIMIT);
    for (u32 i = 0; i < count; i++) {
        const struct warp_note *start = fake_find(&f, "restart", 0);
        assert_non_null(start);
        assert_true(start->p >= 1 && start->p <= start->n && start->n <= LIMIT);
        seen[i] = start->n * 100 + start->p;
        f.note_count = 0;
        fake_run_to(&f, (i + 1) * 10);
    }
    fake_close(&f);
}

TEST(starts_are_uniform_over_the_legal_tuples)
{
    UNUSED_STATE;
    static u32 seen[STARTS];
    u32 times[1000] = {0};
    restarts("0", STARTS, seen);
    for (u32 i = 0; i < STARTS; i++)
        times[seen[i]]++;
    double expected = (double)STARTS / TUPLES, square = 0;
    u32 different = 0;
    for (u32 i = 0; i < 1000; i++) {
        different += times[i] > 0;
        square += times[i] ? (times[i] - expected) * (times[i] - expected) / expected : 0;
    }
    assert_int_equal(different, TUPLES);
    assert_true(square < 66.6); /* chi square, 35 degrees of freedom: 1 in 1,000 is above */
}

TEST(the_same_seed_gives_the_same_starts_and_another_others)
{
    UNUSED_STATE;
    static u32 a[200], b[200], c[200];
    restarts("3", 200, a);
    restarts("3", 200, b);
    restarts("4", 200, c);
    assert_memory_equal(a, b, sizeof a);
    assert_memory_not_equal(a, c, sizeof a);
}

TEST(a_restart_searches_as_poise_does_and_takes_no_samples)
{
    UNUSED_STATE;
    fake_open(&f, "random_restart", NULL);
    fake_kernel(&f, "k", 0, 24);
    fake_run_to(&f, 199999);
    /* nothing is ever issued: no neighbour is better, so it ends where it started */
    const struct warp_note *start = fake_find(&f, "restart", 0), *end = fake_find(&f, "final", 0);
    assert_non_null(end);
    assert_int_equal(end->n, start->n);
    assert_int_equal(end->p, start->p);
    assert_int_equal(end->cycle % 6000, 0);
    assert_null(fake_find(&f, "predicted", 0));
    fake_run_to(&f, 200000);
    assert_int_equal(fake_find(&f, "restart", 1)->cycle, 200000);
    fake_close(&f);
}

/* ---- apcm_like ----------------------------------------------------------------------------------
 */

#define LOOP 0x1000u /* a loop of four instructions: two loads, one addition, a jump back */
#define STREAM 0x1008u
#define END 0x1018u

static void issue(u32 slot, u64 pc, bool is_load)
{
    struct warp_issue i = {.slot = slot, .pc = pc, .is_load = is_load};
    f.policy.ops->issued(&f.policy, &i);
}

static void miss(u32 slot, u64 pc, u64 line)
{
    struct warp_access a = {.line = line, .pc = pc, .slot = slot};
    f.policy.ops->missed(&f.policy, &a);
}

/* So many turns of a warp: it comes back to one of 4 lines, and streams through others. */
static void turns(u32 slot, u32 count)
{
    for (u32 i = 0; i < count; i++) {
        issue(slot, LOOP, true);
        miss(slot, LOOP, 128 * (i % 4) + 4096 * slot);
        issue(slot, STREAM, true);
        miss(slot, STREAM, 0x100000 * (slot + 1) + 128 * i);
        issue(slot, 0x1010, false);
        issue(slot, END, false);
    }
}

static void open_apcm(const char *const *sets)
{
    fake_open(&f, "apcm_like", sets);
    fake_kernel(&f, "k", 0, 24);
    fake_launch(&f, 0);
    fake_launch(&f, 1);
}

static bool keeps(u32 slot, u64 pc)
{
    return f.policy.ops->keeps(&f.policy, slot, pc);
}

static void place(u32 slot, u64 pc, u32 set, u32 way)
{
    struct warp_access a = {.line = 128, .pc = pc, .slot = slot, .set = set, .way = way};
    f.policy.ops->placed(&f.policy, &a);
}

TEST(a_load_that_streams_keeps_no_lines_once_it_is_judged)
{
    UNUSED_STATE;
    open_apcm(NULL);
    turns(1, 100); /* the watched warp is the oldest, slot 0 */
    assert_true(keeps(1, STREAM));
    turns(0, 31);
    assert_true(keeps(1, STREAM));
    turns(0, 1);
    assert_false(keeps(1, STREAM));
    assert_false(keeps(0, STREAM));
    assert_true(keeps(1, LOOP));
    fake_close(&f);
}

TEST(the_watched_warp_itself_can_go_on_keeping_its_lines)
{
    UNUSED_STATE;
    const char *sets[] = {"exemplar_bypasses", "false", NULL};
    open_apcm(sets);
    turns(0, 40);
    assert_true(keeps(0, STREAM));
    assert_false(keeps(1, STREAM));
    fake_close(&f);
}

TEST(lines_of_a_load_with_reuse_are_protected_while_their_warp_is_in_the_loop)
{
    UNUSED_STATE;
    open_apcm(NULL);
    place(1, LOOP, 3, 2);
    assert_int_equal(f.policy.ops->protects(&f.policy, 3), 0); /* not judged yet */
    turns(0, 40);
    issue(1, LOOP, true);
    place(1, LOOP, 3, 2);
    place(1, STREAM, 3, 1);
    assert_int_equal(f.policy.ops->protects(&f.policy, 3), 4);
    assert_int_equal(f.policy.ops->protects(&f.policy, 2), 0);
    turns(1, 50); /* a burst of 50 lines changes nothing */
    assert_int_equal(f.policy.ops->protects(&f.policy, 3), 4);
    issue(1, 0x2000, false); /* it leaves the loop */
    assert_int_equal(f.policy.ops->protects(&f.policy, 3), 0);
    fake_close(&f);
}

TEST(protection_ends_with_the_warp_and_with_a_lifetime)
{
    UNUSED_STATE;
    const char *two[] = {"lifetime_hits", "2", NULL};
    open_apcm(two);
    turns(0, 40);
    issue(1, LOOP, true);
    place(1, LOOP, 5, 0);
    struct warp_access hit = {.line = 128, .pc = LOOP, .slot = 1, .set = 5, .way = 0};
    f.policy.ops->hit(&f.policy, &hit);
    assert_int_equal(f.policy.ops->protects(&f.policy, 5), 1);
    f.policy.ops->hit(&f.policy, &hit);
    assert_int_equal(f.policy.ops->protects(&f.policy, 5), 0);
    place(1, LOOP, 5, 0);
    assert_int_equal(f.policy.ops->protects(&f.policy, 5), 1);
    fake_exit(&f, 1);
    assert_int_equal(f.policy.ops->protects(&f.policy, 5), 0);
    fake_close(&f);
}

TEST(apcm_never_touches_which_warps_issue)
{
    UNUSED_STATE;
    open_apcm(NULL);
    turns(0, 100);
    turns(1, 100);
    fake_exit(&f, 0);
    assert_true((f.policy.may_issue & f.policy.may_load & f.policy.may_fill) == ~(u64)0);
    fake_close(&f);
}

/* ---- static_best --------------------------------------------------------------------------------
 */

TEST(the_best_tuple_is_that_of_the_launch_else_of_the_name_else_of_the_rest)
{
    UNUSED_STATE;
    char path[] = "/tmp/heddle-best-XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");
    fputs("kernels:\n  a: {n: 5, p: 4}\n  a#2: {n: 3, p: 1}\n  \"*\": {n: 7, p: 7}\n", file);
    fclose(file);
    const char *sets[] = {"file", path, NULL};
    static const struct {
        const char *kernel;
        u32 n, p;
    } expected[] = {{"a", 5, 4}, {"b", 7, 7}, {"a", 3, 1}, {"a", 5, 4}};
    fake_open(&f, "static_best", sets);
    remove(path);
    for (u32 i = 0; i < ARRAY_LEN(expected); i++) {
        fake_kernel(&f, expected[i].kernel, i, 24);
        const struct warp_note *t = &f.notes[f.note_count - 1];
        assert_int_equal(t->n, expected[i].n);
        assert_int_equal(t->p, expected[i].p);
        assert_int_equal(t->kernel, i);
    }
    fake_kernel(&f, "b", 9, 4); /* a smaller occupancy limits it */
    assert_int_equal(f.notes[f.note_count - 1].n, 4);
    fake_close(&f);
}

TEST(a_kernel_without_a_best_tuple_is_told_once_and_counted)
{
    UNUSED_STATE;
    char path[] = "/tmp/heddle-best-XXXXXX", expected[400];
    FILE *file = fdopen(mkstemp(path), "w");
    fputs("kernels:\n  a: {n: 5, p: 4}\n", file);
    fclose(file);
    const char *sets[] = {"file", path, NULL};
    fake_open(&f, "static_best", sets);
    remove(path);
    fake_kernel(&f, "a", 0, 24);
    assert_int_equal(f.warnings, 0);
    fake_kernel(&f, "b", 1, 24);
    snprintf(expected, sizeof expected,
             "%s has no tuple for kernel b, nor for \"*\": such kernels run at (W,W), counted as "
             "`unlisted`",
             path);
    assert_string_equal(f.warning, expected);
    assert_int_equal(f.notes[f.note_count - 1].n, 24);
    fake_kernel(&f, "c", 2, 24);
    assert_int_equal(f.warnings, 1);
    fake_close(&f);
}

RUN_TESTS(T(starts_are_uniform_over_the_legal_tuples),
          T(the_same_seed_gives_the_same_starts_and_another_others),
          T(a_restart_searches_as_poise_does_and_takes_no_samples),
          T(a_load_that_streams_keeps_no_lines_once_it_is_judged),
          T(the_watched_warp_itself_can_go_on_keeping_its_lines),
          T(lines_of_a_load_with_reuse_are_protected_while_their_warp_is_in_the_loop),
          T(protection_ends_with_the_warp_and_with_a_lifetime),
          T(apcm_never_touches_which_warps_issue),
          T(the_best_tuple_is_that_of_the_launch_else_of_the_name_else_of_the_rest),
          T(a_kernel_without_a_best_tuple_is_told_once_and_counted))
