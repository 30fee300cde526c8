/*
 * Issue alone: a client that notes what it is told, real execution units, and a policy that picks
 * the highest slot.
 *
 * Two schedulers: even slots belong to the first, odd ones to the second. They share one FP32 pipe,
 * which takes an instruction every 2nd cycle, and two integer pipes, which take one every cycle. A
 * warp that issues has nothing to issue afterwards, unless `endless` has its bit.
 */
#include "testing.h"

#include "gpu/sm/issue_cycle.h"

#define MOST 32u
#define SLOT(n) ((u64)1 << (n))

struct told {
    u32 slot, scheduler;
    cycle_t at;
};

struct watched {
    u32 scheduler;
    u64 ready, accepted, cycles;
};

struct bed {
    struct sm_config config;
    struct arena arena;
    struct units units;
    struct warp_view view;
    struct warp_policy policy;
    struct issue_unit issue;
    u64 scheduler_slots[SLOT_COUNT], core_slots[SLOT_COUNT];
    /* what the client does */
    u64 allows;         /* of the warps that the policy restricts */
    u64 endless, fails; /* slots */
    cycle_t memory_from[PIPE_COUNT];
    /* what it was told */
    struct told told[MOST];
    struct watched watched[MOST];
    u64 candidates; /* of the last choice */
    u32 issued, watches, asked[PIPE_COUNT], asked_allowed;
};

static u32 pick_highest(struct warp_policy *p, u32 scheduler, u64 candidates)
{
    struct bed *b = p->machine;
    assert_true(candidates);
    assert_int_equal(candidates & ~b->view.scheduler[scheduler], 0);
    b->candidates = candidates;
    return 63u - (u32)__builtin_clzll(candidates);
}

static bool memory_accepts(const void *sm, enum pipe pipe, cycle_t now)
{
    struct bed *b = (struct bed *)(uintptr_t)sm;
    b->asked[pipe]++;
    return b->memory_from[pipe] <= now;
}

static u64 allowed(const void *sm, u64 slots)
{
    struct bed *b = (struct bed *)(uintptr_t)sm;
    b->asked_allowed++;
    return slots & b->allows;
}

static bool issue(void *sm, u32 slot, u32 scheduler, cycle_t now)
{
    struct bed *b = sm;
    assert_true(b->issued < MOST);
    b->told[b->issued++] = (struct told){slot, scheduler, now};
    if (b->fails >> slot & 1)
        return false;
    u8 pipe = b->issue.pipe[slot];
    u32 conflicts;
    struct instruction i = {.unit = pipe == PIPE_FP32 ? UNIT_FP32 : UNIT_INT};
    if (pipe < PIPE_GLOBAL)
        units_issue(&b->units, scheduler, &i, now, &conflicts);
    if (!(b->endless >> slot & 1))
        b->issue.has &= ~SLOT(slot);
    return true;
}

static void watch(void *sm, u32 scheduler, u64 ready, u64 accepted, u64 cycles)
{
    struct bed *b = sm;
    assert_true(b->watches < MOST);
    b->watched[b->watches++] = (struct watched){scheduler, ready, accepted, cycles};
}

static const struct issue_client_ops client = {memory_accepts, allowed, issue, watch};

static void bed_open(struct bed *b, u32 width, u32 interval)
{
    static const struct warp_policy_ops policy = {.pick = pick_highest};
    *b = (struct bed){.config = {.schedulers = 2}, .allows = ~(u64)0};
    b->config.units.integer =
        (struct unit_config){.pipes = 2, .simple_latency = 4, .simple_interval = 1};
    b->config.units.fp32 =
        (struct unit_config){.pipes = 1, .simple_latency = 5, .simple_interval = 2};
    units_init(&b->units, &b->arena, &b->config);
    b->view.scheduler[0] = 0x5555555555555555;
    b->view.scheduler[1] = 0xaaaaaaaaaaaaaaaa;
    b->policy = (struct warp_policy){
        .ops = &policy, .machine = b, .may_issue = ~(u64)0, .may_load = ~(u64)0};
    issue_unit_init(&b->issue, &(struct issue_parts){.schedulers = 2,
                                                     .width = width,
                                                     .interval = interval,
                                                     .units = &b->units,
                                                     .policy = &b->policy,
                                                     .view = &b->view,
                                                     .scheduler_slots = b->scheduler_slots,
                                                     .core_slots = b->core_slots,
                                                     .client = &client,
                                                     .sm = b});
    issue_unit_policy_changed(&b->issue);
}

static void bed_close(struct bed *b)
{
    arena_fini(&b->arena);
}

/* A warp lives in a slot, and can issue an instruction for that pipe. */
static void ready(struct bed *b, u32 slot, enum pipe pipe)
{
    b->view.live |= SLOT(slot);
    b->issue.has |= SLOT(slot);
    b->issue.clear |= SLOT(slot);
    issue_unit_want(&b->issue, slot, pipe);
}

static void expect_issued(const struct bed *b, const struct told *expected, u32 count)
{
    assert_int_equal(b->issued, count);
    for (u32 i = 0; i < count; i++) {
        assert_int_equal(b->told[i].slot, expected[i].slot);
        assert_int_equal(b->told[i].scheduler, expected[i].scheduler);
        assert_int_equal(b->told[i].at, expected[i].at);
    }
}

/* ---- the choice -------------------------------------------------------------------------- */

TEST(each_scheduler_issues_the_warp_that_the_policy_picks_of_its_own)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, 1, 1);
    for (u32 slot = 0; slot < 5; slot++)
        ready(&b, slot, PIPE_INT);
    assert_true(issue_unit_cycle(&b.issue, &client, 10));
    expect_issued(&b, (struct told[]){{4, 0, 10}, {3, 1, 10}}, 2);
    assert_int_equal(b.candidates, SLOT(1) | SLOT(3));
    assert_int_equal(b.scheduler_slots[SLOT_ISSUED], 2);
    assert_int_equal(b.core_slots[SLOT_ISSUED], 1);
    bed_close(&b);
}

TEST(a_scheduler_of_width_two_issues_twice_if_a_warp_is_ready_again)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, 2, 1);
    b.endless = SLOT(6);
    ready(&b, 2, PIPE_INT);
    ready(&b, 6, PIPE_INT);
    issue_unit_cycle(&b.issue, &client, 10); /* the same warp again: both pipes are taken then */
    expect_issued(&b, (struct told[]){{6, 0, 10}, {6, 0, 10}}, 2);
    b.endless = 0;
    issue_unit_cycle(&b.issue, &client, 11);
    expect_issued(&b, (struct told[]){{6, 0, 10}, {6, 0, 10}, {6, 0, 11}, {2, 0, 11}}, 4);
    /* a scheduler that issues one or two has issued */
    assert_int_equal(b.scheduler_slots[SLOT_ISSUED], 2);
    bed_close(&b);
}

TEST(what_schedulers_share_goes_to_the_one_that_did_not_have_it_last)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, 1, 1);
    b.endless = ~(u64)0;
    ready(&b, 0, PIPE_FP32);
    ready(&b, 1, PIPE_FP32);
    for (cycle_t now = 10; now < 16; now++)
        issue_unit_cycle(&b.issue, &client, now); /* one pipe, every 2nd cycle */
    expect_issued(&b, (struct told[]){{0, 0, 10}, {1, 1, 12}, {0, 0, 14}}, 3);
    assert_int_equal(b.scheduler_slots[SLOT_ISSUED], 3);
    assert_int_equal(b.scheduler_slots[SLOT_STRUCT_ALU], 9); /* of 12 */
    assert_int_equal(b.core_slots[SLOT_ISSUED], 3);
    assert_int_equal(b.core_slots[SLOT_STRUCT_ALU], 3);
    bed_close(&b);
}

TEST(a_refused_pipe_is_asked_for_once_and_leaves_other_warps_their_turn)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, 1, 1);
    b.memory_from[PIPE_GLOBAL] = 20;
    ready(&b, 4, PIPE_GLOBAL);
    ready(&b, 6, PIPE_GLOBAL);
    ready(&b, 8, PIPE_GLOBAL);
    ready(&b, 2, PIPE_SHARED);
    issue_unit_cycle(&b.issue, &client, 10);
    expect_issued(&b, (struct told[]){{2, 0, 10}}, 1);
    assert_int_equal(b.candidates, SLOT(2));
    assert_int_equal(b.asked[PIPE_GLOBAL], 1);
    assert_int_equal(b.asked[PIPE_SHARED], 1);
    bed_close(&b);
}

TEST(what_needs_no_unit_always_issues)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, 1, 1);
    b.endless = ~(u64)0;
    ready(&b, 0, PIPE_FREE);
    for (cycle_t now = 10; now < 14; now++)
        issue_unit_cycle(&b.issue, &client, now);
    assert_int_equal(b.issued, 4);
    for (u32 p = 0; p < PIPE_COUNT; p++)
        assert_int_equal(b.asked[p], 0);
    bed_close(&b);
}

TEST(a_scheduler_with_an_interval_waits_for_its_turn)
{
    UNUSED_STATE;
    struct bed b;
    bool some;
    bed_open(&b, 1, 4);
    b.endless = ~(u64)0;
    ready(&b, 0, PIPE_INT);
    for (cycle_t now = 10; now < 19; now++)
        issue_unit_cycle(&b.issue, &client, now);
    expect_issued(&b, (struct told[]){{0, 0, 10}, {0, 0, 14}, {0, 0, 18}}, 3);
    assert_int_equal(issue_unit_next(&b.issue, &client, 18, &some), 22);
    assert_false(some); /* its turn has not come */
    assert_int_equal(issue_unit_next(&b.issue, &client, 21, &some), 22);
    assert_true(some);
    ready(&b, 1, PIPE_INT);
    assert_int_equal(issue_unit_next(&b.issue, &client, 18, &some),
                     19); /* the other scheduler is free */
    bed_close(&b);
}

TEST(only_a_warp_with_an_instruction_with_its_operands_and_without_a_fence_issues)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, 1, 1);
    for (u32 slot = 0; slot < 8; slot += 2)
        ready(&b, slot, PIPE_INT);
    b.issue.has &= ~SLOT(6);
    b.issue.clear &= ~SLOT(4);
    b.issue.fenced |= SLOT(2);
    issue_unit_cycle(&b.issue, &client, 10);
    assert_int_equal(b.candidates, SLOT(0));
    issue_unit_cycle(&b.issue, &client, 11);
    assert_int_equal(b.issued, 1);
    bed_close(&b);
}

TEST(a_failed_instruction_ends_the_cycle_uncharged)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, 1, 1);
    b.fails = SLOT(0);
    ready(&b, 0, PIPE_INT);
    ready(&b, 1, PIPE_INT);
    assert_false(issue_unit_cycle(&b.issue, &client, 0));
    assert_int_equal(b.issued, 1); /* the second scheduler is not asked */
    assert_int_equal(b.scheduler_slots[SLOT_ISSUED] + b.core_slots[SLOT_ISSUED], 0);
    assert_int_equal(b.issue.charged_to, 0);
    bed_close(&b);
}

TEST(a_warp_wants_one_pipe_at_a_time)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, 1, 1);
    issue_unit_want(&b.issue, 63, PIPE_GLOBAL);
    issue_unit_want(&b.issue, 63, PIPE_SFU);
    assert_int_equal(b.issue.wants[PIPE_GLOBAL], 0);
    assert_true(b.issue.wants[PIPE_SFU] == SLOT(63));
    issue_unit_want_nothing(&b.issue, 63);
    for (u32 p = 0; p < PIPE_COUNT; p++)
        assert_int_equal(b.issue.wants[p], 0);
    bed_close(&b);
}

/* ---- the policy -------------------------------------------------------------------------- */

static void restrict_to(struct bed *b, u64 may_issue)
{
    b->policy.may_issue = b->allows = may_issue;
    issue_unit_policy_changed(&b->issue);
}

TEST(warps_that_the_policy_holds_back_do_not_issue)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, 1, 1);
    ready(&b, 0, PIPE_INT);
    ready(&b, 2, PIPE_INT);
    restrict_to(&b, SLOT(0));
    issue_unit_cycle(&b.issue, &client, 10);
    expect_issued(&b, (struct told[]){{0, 0, 10}}, 1);
    issue_unit_cycle(&b.issue, &client, 11);
    assert_int_equal(b.issued, 1);
    assert_int_equal(b.scheduler_slots[SLOT_THROTTLED], 1);
    bed_close(&b);
}

TEST(a_policy_that_restricts_no_ready_warp_is_not_asked)
{
    UNUSED_STATE;
    struct bed b;
    bool some;
    bed_open(&b, 1, 1);
    restrict_to(&b, ~SLOT(4));
    ready(&b, 0, PIPE_INT);
    ready(&b, 1, PIPE_INT);
    issue_unit_cycle(&b.issue, &client, 10);
    issue_unit_next(&b.issue, &client, 10, &some);
    assert_int_equal(b.asked_allowed, 0);
    ready(&b, 4, PIPE_INT);
    issue_unit_cycle(&b.issue, &client, 11);
    assert_true(b.asked_allowed > 0);
    bed_close(&b);
}

TEST(a_warp_that_may_not_load_is_restricted_but_may_be_allowed)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, 1, 1);
    b.policy.may_load = 0;
    issue_unit_policy_changed(&b.issue);
    assert_int_equal(b.issue.unrestricted, 0);
    ready(&b, 0, PIPE_INT); /* the client finds that it is no load */
    issue_unit_cycle(&b.issue, &client, 10);
    assert_int_equal(b.issued, 1);
    bed_close(&b);
}

/* ---- what is charged --------------------------------------------------------------------- */

/* Warps in a scheduler's slots, in letters. l: has no instruction; w: waits for its block; f:
 * fenced; F: fenced, without an instruction; m: has one, waits for memory; a: for arithmetic; M: is
 * ready, for the LSU; A: is ready, for a unit. */
static void place(struct bed *b, const char *warps)
{
    b->view.live = 0;
    b->issue.has = b->issue.clear = b->issue.on_load = b->issue.waits = b->issue.fenced = 0;
    memset(b->issue.wants, 0, sizeof b->issue.wants);
    for (u32 slot = 0; *warps; warps++, slot += 2) {
        u64 bit = SLOT(slot);
        b->view.live |= bit;
        b->issue.waits |= *warps == 'w' ? bit : 0;
        b->issue.fenced |= strchr("fF", *warps) ? bit : 0;
        b->issue.has |= strchr("fmaMA", *warps) ? bit : 0;
        b->issue.on_load |= *warps == 'm' ? bit : 0;
        b->issue.clear |= strchr("fMA", *warps) ? bit : 0;
        issue_unit_want(&b->issue, slot, *warps == 'M' ? PIPE_SHARED : PIPE_FP32);
    }
}

TEST(a_cycle_without_issue_is_charged_to_its_first_cause)
{
    UNUSED_STATE;
    static const struct {
        const char *warps;
        enum slot_class expected;
    } rows[] = {{"", SLOT_NO_WARP},      {"l", SLOT_FETCH},          {"w", SLOT_BARRIER},
                {"wwl", SLOT_FETCH},     {"f", SLOT_DATA_MEM},       {"wf", SLOT_DATA_MEM},
                {"fl", SLOT_FETCH},      {"m", SLOT_DATA_MEM},       {"a", SLOT_DATA_ALU},
                {"am", SLOT_DATA_MEM},   {"al", SLOT_DATA_ALU},      {"wa", SLOT_DATA_ALU},
                {"fa", SLOT_DATA_ALU},   {"A", SLOT_STRUCT_ALU},     {"M", SLOT_STRUCT_MEM},
                {"AM", SLOT_STRUCT_MEM}, {"mA", SLOT_STRUCT_ALU},    {"mM", SLOT_STRUCT_MEM},
                {"F", SLOT_DATA_MEM},    {"lwfmA", SLOT_STRUCT_ALU}, {"lwf", SLOT_FETCH}};
    struct bed b;
    bed_open(&b, 1, 1);
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        place(&b, rows[i].warps);
        assert_int_equal(issue_unit_classify(&b.issue, b.view.scheduler[0]), rows[i].expected);
        assert_int_equal(issue_unit_classify(&b.issue, b.view.scheduler[1]), SLOT_NO_WARP);
        assert_int_equal(issue_unit_classify(&b.issue, ~(u64)0), rows[i].expected);
    }
    bed_close(&b);
}

TEST(the_policy_is_to_blame_where_only_warps_that_it_holds_back_are_ready)
{
    UNUSED_STATE;
    static const struct {
        const char *warps;
        u64 may_issue; /* slots 0, 2, 4: the first, second and third warp */
        enum slot_class expected;
    } rows[] = {
        {"A", 0, SLOT_THROTTLED},
        {"Am", SLOT(2), SLOT_THROTTLED},  /* its favourite waits for memory */
        {"AM", SLOT(2), SLOT_STRUCT_MEM}, /* its favourite is ready: the LSU is to blame */
        {"MA", SLOT(2), SLOT_STRUCT_ALU},
        {"ml", SLOT(2), SLOT_FETCH},    /* nobody is ready, its favourite lacks an instruction */
        {"mw", SLOT(2), SLOT_DATA_MEM}, /* its favourite waits: as if it held nobody back */
        {"aF", SLOT(2), SLOT_DATA_ALU},
        {"aw", SLOT(2), SLOT_DATA_ALU},
        {"am", SLOT(0), SLOT_DATA_ALU}, /* of those that it lets issue */
        {"Al", SLOT(2), SLOT_THROTTLED},
        {"ll", SLOT(2), SLOT_FETCH},
        {"ww", 0, SLOT_BARRIER}};
    struct bed b;
    bed_open(&b, 1, 1);
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        place(&b, rows[i].warps);
        restrict_to(&b, rows[i].may_issue);
        assert_int_equal(issue_unit_classify(&b.issue, b.view.scheduler[0]), rows[i].expected);
    }
    bed_close(&b);
}

TEST(cycles_slept_through_are_charged_as_when_the_sleep_began)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, 1, 1);
    place(&b, "m");
    issue_unit_cycle(&b.issue, &client, 0);
    issue_unit_sleep(&b.issue);
    place(&b, "a"); /* what happens in the tick that ends the sleep */
    issue_unit_settle(&b.issue, 50);
    assert_int_equal(b.scheduler_slots[SLOT_DATA_MEM], 50);
    assert_int_equal(b.scheduler_slots[SLOT_NO_WARP], 50); /* the other scheduler */
    assert_int_equal(b.core_slots[SLOT_DATA_MEM], 50);
    issue_unit_settle(&b.issue, 50); /* statistics are read in that cycle too */
    issue_unit_settle(&b.issue, 20);
    issue_unit_cycle(&b.issue, &client, 50);
    assert_int_equal(b.scheduler_slots[SLOT_DATA_MEM], 50);
    assert_int_equal(b.scheduler_slots[SLOT_DATA_ALU], 1);
    assert_int_equal(b.issue.charged_to, 51);
    bed_close(&b);
}

TEST(before_its_first_tick_an_sm_has_no_warp)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, 1, 1);
    issue_unit_settle(&b.issue, 7);
    assert_int_equal(b.scheduler_slots[SLOT_NO_WARP], 14);
    assert_int_equal(b.core_slots[SLOT_NO_WARP], 7);
    bed_close(&b);
}

/* ---- when there is more to do ------------------------------------------------------------ */

TEST(the_next_cycle_has_work_if_a_unit_or_the_lsu_takes_a_ready_warp)
{
    UNUSED_STATE;
    struct bed b;
    bool some;
    bed_open(&b, 1, 1);
    assert_true(issue_unit_next(&b.issue, &client, 10, &some) == CYCLE_NEVER);
    assert_false(some);
    ready(&b, 0, PIPE_GLOBAL);
    b.memory_from[PIPE_GLOBAL] = 12;
    assert_true(issue_unit_next(&b.issue, &client, 10, &some) ==
                CYCLE_NEVER); /* the LSU's is to say when */
    assert_true(some);
    assert_int_equal(issue_unit_next(&b.issue, &client, 11, &some), 12);
    b.memory_from[PIPE_GLOBAL] = 100;
    ready(&b, 2, PIPE_READ_ONLY);
    assert_int_equal(issue_unit_next(&b.issue, &client, 11, &some), 12);
    b.memory_from[PIPE_READ_ONLY] = 100;
    ready(&b, 3, PIPE_FP32); /* units are tried every cycle */
    assert_int_equal(issue_unit_next(&b.issue, &client, 11, &some), 12);
    b.issue.fenced = SLOT(3);
    assert_true(issue_unit_next(&b.issue, &client, 11, &some) == CYCLE_NEVER);
    bed_close(&b);
}

/* ---- who watches ------------------------------------------------------------------------- */

TEST(a_watcher_is_told_of_every_choice_and_of_every_refusal_by_the_lsu)
{
    UNUSED_STATE;
    struct bed b;
    bed_open(&b, 2, 1);
    b.memory_from[PIPE_GLOBAL] = 100;
    ready(&b, 0, PIPE_GLOBAL);
    ready(&b, 2, PIPE_INT);
    ready(&b, 4, PIPE_INT);
    issue_unit_cycle(&b.issue, &client, 10);
    assert_int_equal(b.watches, 0); /* nobody watches */
    b.issue.is_watched = true;
    b.issue.has |= SLOT(2) | SLOT(4);
    issue_unit_cycle(&b.issue, &client, 11); /* the choice of the first of two instructions */
    assert_int_equal(b.watches, 1);
    assert_int_equal(b.watched[0].scheduler, 0);
    assert_int_equal(b.watched[0].ready, SLOT(0) | SLOT(2) | SLOT(4));
    assert_int_equal(b.watched[0].accepted, SLOT(2) | SLOT(4));
    assert_int_equal(b.watched[0].cycles, 1);
    issue_unit_cycle(&b.issue, &client, 12); /* the LSU refuses the one that is left */
    assert_int_equal(b.watches, 2);
    assert_int_equal(b.watched[1].ready, SLOT(0));
    assert_int_equal(b.watched[1].accepted, 0);
    issue_unit_sleep(&b.issue);
    issue_unit_settle(&b.issue, 33); /* cycles 13 to 32 */
    assert_int_equal(b.watches, 3);
    assert_int_equal(b.watched[2].ready, SLOT(0));
    assert_int_equal(b.watched[2].cycles, 20);
    bed_close(&b);
}

RUN_TESTS(T(each_scheduler_issues_the_warp_that_the_policy_picks_of_its_own),
          T(a_scheduler_of_width_two_issues_twice_if_a_warp_is_ready_again),
          T(what_schedulers_share_goes_to_the_one_that_did_not_have_it_last),
          T(a_refused_pipe_is_asked_for_once_and_leaves_other_warps_their_turn),
          T(what_needs_no_unit_always_issues), T(a_scheduler_with_an_interval_waits_for_its_turn),
          T(only_a_warp_with_an_instruction_with_its_operands_and_without_a_fence_issues),
          T(a_failed_instruction_ends_the_cycle_uncharged), T(a_warp_wants_one_pipe_at_a_time),
          T(warps_that_the_policy_holds_back_do_not_issue),
          T(a_policy_that_restricts_no_ready_warp_is_not_asked),
          T(a_warp_that_may_not_load_is_restricted_but_may_be_allowed),
          T(a_cycle_without_issue_is_charged_to_its_first_cause),
          T(the_policy_is_to_blame_where_only_warps_that_it_holds_back_are_ready),
          T(cycles_slept_through_are_charged_as_when_the_sleep_began),
          T(before_its_first_tick_an_sm_has_no_warp),
          T(the_next_cycle_has_work_if_a_unit_or_the_lsu_takes_a_ready_warp),
          T(a_watcher_is_told_of_every_choice_and_of_every_refusal_by_the_lsu))
