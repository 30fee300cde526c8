/* Vital and pollute bits of {N, p}: Poise spec, sections 2 and 8. */
#include "policy/fake_sm.h"

#define BIT(slot) ((u64)1 << (slot))

static struct fake_sm f;

/* Eight warps; even slots are of scheduler 0, odd ones of 1; the lower the older. */
static void open_eight(const char *n, const char *p)
{
    const char *sets[] = {"n", n, "p", p, NULL};
    fake_open(&f, "fixed", sets);
    fake_kernel(&f, "k", 0, 4);
    for (u32 slot = 0; slot < 8; slot++)
        fake_launch(&f, slot);
}

static u32 pick(u32 scheduler, u64 ready)
{
    return f.policy.ops->pick(&f.policy, scheduler,
                              ready & f.view.scheduler[scheduler] & f.policy.may_issue);
}

TEST(the_n_oldest_of_each_scheduler_are_vital_and_the_p_oldest_pollute)
{
    UNUSED_STATE;
    open_eight("3", "1");
    assert_int_equal(f.policy.may_issue, 0x3f);
    assert_int_equal(f.policy.may_fill, 0x03);
    fake_close(&f);
}

TEST(the_limit_of_the_kernel_is_no_restriction)
{
    UNUSED_STATE;
    open_eight("4", "4");
    assert_true(f.policy.may_issue == ~(u64)0 && f.policy.may_fill == ~(u64)0);
    fake_close(&f);
    open_eight("4", "2"); /* all issue, two of each fill */
    assert_true(f.policy.may_issue == ~(u64)0);
    assert_int_equal(f.policy.may_fill, 0x0f);
    fake_close(&f);
}

TEST(p_is_never_more_than_n)
{
    UNUSED_STATE;
    open_eight("2", "3");
    assert_int_equal(f.policy.may_issue, 0x0f);
    assert_int_equal(f.policy.may_fill, 0x0f);
    fake_close(&f);
}

TEST(a_warp_at_a_barrier_gives_its_rank_to_the_next)
{
    UNUSED_STATE;
    open_eight("1", "1");
    assert_int_equal(f.policy.may_issue, BIT(0) | BIT(1));
    f.view.waiting = BIT(0);
    fake_changed(&f);
    assert_int_equal(f.policy.may_issue, BIT(2) | BIT(1));
    assert_int_equal(f.policy.may_fill, BIT(2) | BIT(1));
    f.view.waiting = BIT(0) | BIT(2) | BIT(4) | BIT(6);
    fake_changed(&f);
    assert_int_equal(f.policy.may_issue, BIT(1));
    f.view.waiting = 0;
    fake_changed(&f);
    assert_int_equal(f.policy.may_issue, BIT(0) | BIT(1));
    fake_close(&f);
}

TEST(when_the_oldest_exits_the_next_oldest_is_vital_at_once)
{
    UNUSED_STATE;
    open_eight("2", "1");
    fake_exit(&f, 0);
    assert_int_equal(f.policy.may_issue, BIT(2) | BIT(4) | BIT(1) | BIT(3));
    assert_int_equal(f.policy.may_fill, BIT(2) | BIT(1));
    fake_launch(&f, 0); /* the youngest now, whatever its slot */
    assert_int_equal(f.policy.may_issue, BIT(2) | BIT(4) | BIT(1) | BIT(3));
    fake_close(&f);
}

TEST(a_greedy_warp_that_is_no_longer_vital_is_forgotten)
{
    UNUSED_STATE;
    open_eight("4", "4");
    assert_int_equal(pick(0, BIT(6)), 6);
    assert_int_equal(pick(0, 0xff), 6); /* greedy */
    struct warp_policy *p = &f.policy;
    const u32 *n = (const u32 *)(const void *)f.config;
    assert_int_equal(*n, 4);
    /* down to one and back up without anybody issuing: the oldest, not the one before */
    param_set(p->ops->params, f.config, "n", "1", (struct src_pos){0}, NULL);
    fake_kernel(&f, "k", 1, 4);
    assert_int_equal(f.policy.may_issue, BIT(0) | BIT(1));
    param_set(p->ops->params, f.config, "n", "4", (struct src_pos){0}, NULL);
    fake_kernel(&f, "k", 2, 4);
    assert_int_equal(pick(0, 0xff), 0);
    fake_close(&f);
}

TEST(time_at_each_tuple_adds_up)
{
    UNUSED_STATE;
    struct warp_note t[4] = {{0}};
    open_eight("3", "1");
    f.now = 100;
    f.policy.ops->settle(&f.policy, 100);
    f.policy.ops->settle(&f.policy, 100); /* twice is once */
    const struct stat_def *d = f.policy.ops->stats;
    u64 changes = 0, n_cycles = 0;
    for (; d->kind != STAT_END; d++) {
        const u64 *value = (const u64 *)(const void *)((const u8 *)f.policy.state + d->offset);
        changes = strcmp(d->name, "changes") == 0 ? *value : changes;
        n_cycles = strcmp(d->name, "n_cycles") == 0 ? *value : n_cycles;
    }
    assert_int_equal(changes, 1);
    assert_int_equal(n_cycles, 300);
    assert_int_equal(fake_tuples(&f, t, 4), 1);
    assert_int_equal(t[0].n, 3);
    fake_close(&f);
}

static u64 counted(const char *name)
{
    const struct stat_def *d = f.policy.ops->stats;
    while (strcmp(d->name, name) != 0)
        d++;
    return *(const u64 *)(const void *)((const u8 *)f.policy.state + d->offset);
}

TEST(loads_are_counted_by_the_class_of_their_warp)
{
    UNUSED_STATE;
    open_eight("3", "1"); /* slots 0 and 1 fill, 2 to 5 bypass L1 */
    f.policy.ops->hit(&f.policy, &(struct warp_access){.slot = 0});
    f.policy.ops->missed(&f.policy, &(struct warp_access){.slot = 1});
    f.policy.ops->missed(&f.policy, &(struct warp_access){.slot = 2});
    f.policy.ops->hit(&f.policy, &(struct warp_access){.slot = 4});
    f.policy.ops->missed(&f.policy, &(struct warp_access){.slot = 5});
    assert_int_equal(counted("polluting_loads"), 2);
    assert_int_equal(counted("polluting_hits"), 1);
    assert_int_equal(counted("bypassing_loads"), 3);
    assert_int_equal(counted("bypassing_hits"), 1);
    fake_close(&f);
}

RUN_TESTS(T(the_n_oldest_of_each_scheduler_are_vital_and_the_p_oldest_pollute),
          T(the_limit_of_the_kernel_is_no_restriction), T(p_is_never_more_than_n),
          T(a_warp_at_a_barrier_gives_its_rank_to_the_next),
          T(when_the_oldest_exits_the_next_oldest_is_vital_at_once),
          T(a_greedy_warp_that_is_no_longer_vital_is_forgotten), T(time_at_each_tuple_adds_up),
          T(loads_are_counted_by_the_class_of_their_warp))
