/* Which warp issues: the GTO checks of the Poise spec, section 8, and the other policies. */
#include "gpu/random_kernel.h"
#include "gpu/script.h"
#include "gpu/spy.h"

#define STRAIGHT 64u /* instructions, 4 lines of code: a quarter of the instruction cache */

/* Additions that need nothing from each other, as many times over. */
static void run_straight(struct bed *b, struct spy *s, u32 threads, const char *policy)
{
    static struct scripted_instruction code[STRAIGHT];
    for (u32 i = 0; i < STRAIGHT; i++)
        code[i] = (struct scripted_instruction)ALU((u16)(i + 1), 0);
    const char *sets[] = {"sm.count=1", "sm.schedulers=1", policy, NULL};
    bed_open(b, "fermi15", sets);
    struct scripted_kernel k = KERNEL(code, threads, .iterations = 3);
    spy_run(s, b, &k);
}

TEST(a_lone_warp_without_stalls_issues_every_cycle)
{
    UNUSED_STATE;
    struct bed b;
    struct spy s;
    run_straight(&b, &s, 32, "sm.warp_policy=gto");
    assert_int_equal(s.event_count, 3 * STRAIGHT);
    /* The first time the code comes from memory, and a jump back costs a fetch. */
    for (u32 turn = 1; turn < 3; turn++) {
        for (u32 i = 1; i < STRAIGHT; i++) {
            const struct spy_event *e = &s.events[turn * STRAIGHT + i];
            assert_int_equal(e->cycle, e[-1].cycle + 1);
        }
    }
    bed_close(&b);
}

TEST(round_robin_gives_every_warp_its_turn)
{
    UNUSED_STATE;
    struct bed b;
    struct spy s;
    run_straight(&b, &s, 256, "sm.warp_policy=lrr");
    /* Eight warps whose buffers are full: once all run, each follows the one before it. */
    u32 in_turn = 0, late = s.event_count / 2;
    for (u32 i = late; i < late + 200; i++)
        in_turn += s.events[i].warp == (s.events[i - 1].warp + 1) % 8;
    assert_true(in_turn > 180);
    bed_close(&b);
}

/* ---- every choice of a run, against the rule ------------------------------------------------ */

enum rule { RULE_GTO, RULE_GTRR, RULE_LRR, RULE_OLDEST };

struct judge {
    const struct gpu *gpu;
    enum rule rule;
    u32 last[2]; /* by scheduler: slot and age of the warp that issued last */
    u64 last_age[2];
    u64 choices, switches, kept;
};

static u32 slot_of(const struct sm *sm, const struct spy_event *e, const void *stream)
{
    EACH_SLOT(slot, sm->used)
    {
        if (sm->warps[slot].index == e->warp && sm->warps[slot].block->stream == stream)
            return (u32)slot;
    }
    fail_msg("an instruction of a warp that is not there");
    return 0;
}

/* The warps that could have issued, worked out from the SM's state. */
static u64 candidates_of(const struct sm *sm, u32 scheduler, cycle_t now)
{
    u64 mask = sm->issue.wants[PIPE_FREE];
    for (u32 p = 0; p <= PIPE_TENSOR; p++)
        mask |= units_accept(&sm->units, p, 0, now) ? sm->issue.wants[p] : 0;
    for (u32 p = PIPE_GLOBAL; p <= PIPE_READ_ONLY; p++)
        mask |= sm_memory_accepts(sm, (enum pipe)p, now) ? sm->issue.wants[p] : 0;
    return mask & sm->issue.has & sm->issue.clear & ~sm->issue.fenced &
           sm->view.scheduler[scheduler];
}

static u32 oldest_of(const struct sm *sm, u64 candidates)
{
    u32 best = MOST_SM_WARPS;
    EACH_SLOT(slot, candidates)
    {
        if (best == MOST_SM_WARPS || sm->view.age[slot] < sm->view.age[best])
            best = (u32)slot;
    }
    return best;
}

static u32 next_of(u64 candidates, u32 last)
{
    for (u32 k = 1; k <= 64; k++) {
        if (candidates >> (last + k) % 64 & 1)
            return (last + k) % 64;
    }
    return MOST_SM_WARPS;
}

static void judge_choice(void *context, const struct spy_event *e, const void *stream)
{
    struct judge *j = context;
    const struct sm *sm = &j->gpu->cluster.sms[0];
    u32 slot = slot_of(sm, e, stream), s = slot % 2;
    u64 candidates = candidates_of(sm, s, e->cycle);
    bool last_can = candidates >> j->last[s] & 1 && sm->view.age[j->last[s]] == j->last_age[s];
    u32 expected = j->rule == RULE_LRR                  ? next_of(candidates, j->last[s])
                   : j->rule != RULE_OLDEST && last_can ? j->last[s]
                   : j->rule == RULE_GTRR               ? next_of(candidates, j->last[s])
                                                        : oldest_of(sm, candidates);
    assert_true(candidates >> slot & 1);
    assert_int_equal(slot, expected);
    j->choices += (candidates & (candidates - 1)) != 0;
    j->switches += slot != j->last[s];
    j->kept += slot == j->last[s];
    j->last[s] = slot;
    j->last_age[s] = sm->view.age[slot];
}

static void judge_policy(const char *policy, enum rule rule)
{
    for (u64 seed = 1; seed <= 5; seed++) {
        const char *sets[] = {"sm.count=1", policy, NULL};
        struct bed b;
        struct spy s;
        struct synthetic_phase p;
        bed_open(&b, "fermi15", sets);
        struct synthetic_kernel k = random_kernel(seed, &p);
        struct grid_source g = spy_on(&s, &b, synthetic_source(&k, seed, &b.scripts), 0);
        struct judge j = {.gpu = b.gpu, .rule = rule, .last_age = {UINT64_MAX, UINT64_MAX}};
        s.on_event = judge_choice;
        s.context = &j;
        bed_launch_source(&b, &g);
        bed_run(&b);
        assert_true(j.choices > 500); /* there was something to choose */
        assert_true(j.switches > 100);
        bed_close(&b);
    }
}

TEST(gto_stays_with_its_warp_while_it_can_issue_and_then_takes_the_oldest)
{
    UNUSED_STATE;
    judge_policy("sm.warp_policy=gto", RULE_GTO);
}

TEST(gtrr_stays_with_its_warp_while_it_can_issue_and_then_takes_the_next)
{
    UNUSED_STATE;
    judge_policy("sm.warp_policy=gtrr", RULE_GTRR);
}

TEST(lrr_takes_the_next_ready_warp_after_the_last)
{
    UNUSED_STATE;
    judge_policy("sm.warp_policy=lrr", RULE_LRR);
}

TEST(oldest_takes_the_oldest_ready_warp)
{
    UNUSED_STATE;
    judge_policy("sm.warp_policy=oldest", RULE_OLDEST);
}

/* Two warps, the older of which waits for memory: when its data comes GTO goes on with the
 * younger one, `oldest` goes back to the older. */
static u32 issues_after_return(const char *policy)
{
    static struct scripted_instruction code[3 + STRAIGHT * 3];
    code[0] = (struct scripted_instruction)LOAD(1, MIB, .warps = 1);
    code[1] = (struct scripted_instruction)ALU(2, 1);
    code[1].warps = 1;
    code[2] = (struct scripted_instruction)SLEEP(20, .warps = 2);
    for (u32 i = 3; i < ARRAY_LEN(code); i++)
        code[i] = (struct scripted_instruction)ALU((u16)(i + 1), 0);
    const char *sets[] = {
        "sm.count=1", "sm.schedulers=1", "ideal.model=fixed", "ideal.fixed_cycles=60", policy,
        NULL};
    struct bed b;
    struct spy s;
    bed_open(&b, "fermi15", sets);
    struct scripted_kernel k = KERNEL(code, 64);
    struct scripted_kernel warm = k; /* so that code is there */
    bed_launch(&b, &warm);
    bed_run(&b);
    struct grid_source g = spy_on(&s, &b, scripted_source(&k, &b.scripts), 65536);
    bed_launch_source(&b, &g);
    /* another line, or it would hit */
    for (u32 w = 0; w < 4; w++)
        tags_invalidate(&b.gpu->cluster.sms[0].l1.cache.tags,
                        tags_set(&b.gpu->cluster.sms[0].l1.cache.tags, MIB), w);
    bed_run(&b);
    cycle_t back = spy_cycle(&s, 0, 0, 0) + 61;
    cycle_t went_on = spy_cycle(&s, 0, 1, 0);
    assert_true(went_on >= back);
    bed_close(&b);
    return (u32)(went_on - back);
}

TEST(a_warp_whose_data_comes_back_waits_for_the_greedy_one_and_not_under_oldest)
{
    UNUSED_STATE;
    u32 oldest = issues_after_return("sm.warp_policy=oldest");
    u32 gto = issues_after_return("sm.warp_policy=gto");
    assert_true(oldest <= 2);
    assert_true(gto > 50); /* the younger one has some 190 - 60 additions to go */
}

RUN_TESTS(T(a_lone_warp_without_stalls_issues_every_cycle),
          T(round_robin_gives_every_warp_its_turn),
          T(gto_stays_with_its_warp_while_it_can_issue_and_then_takes_the_oldest),
          T(gtrr_stays_with_its_warp_while_it_can_issue_and_then_takes_the_next),
          T(lrr_takes_the_next_ready_warp_after_the_last), T(oldest_takes_the_oldest_ready_warp),
          T(a_warp_whose_data_comes_back_waits_for_the_greedy_one_and_not_under_oldest))
