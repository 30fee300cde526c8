/* {N, p} on a machine: who issues and who fills, Poise spec, sections 2 and 8. */
#include "gpu/random_kernel.h"
#include "gpu/script.h"
#include "gpu/spy.h"
#include "gpu/statistics_text.h"

/* A chip with one SM whose policy is fixed at a tuple. */
static void open_fixed(struct bed *b, const char *chip, u32 n, u32 p)
{
    char text[2][64];
    snprintf(text[0], sizeof text[0], "policy.warp.fixed.n=%u", n);
    snprintf(text[1], sizeof text[1], "policy.warp.fixed.p=%u", p);
    const char *sets[] = {"sm.count=1", "sm.warp_policy=fixed",   text[0],
                          text[1],      "sm.l1.set_index=linear", NULL};
    bed_open(b, chip, sets);
}

/* ---- every issue has its rank
 * -------------------------------------------------------------------- */

struct ranks {
    const struct gpu *gpu;
    u32 n, p;
    u64 issues, held; /* held: cycles in which somebody may not issue */
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

static u32 least(u32 a, u32 b)
{
    return a < b ? a : b;
}

static void check_rank(void *context, const struct spy_event *e, const void *stream)
{
    struct ranks *r = context;
    const struct sm *sm = &r->gpu->cluster.sms[0];
    u32 slot = slot_of(sm, e, stream), rank = 1;
    u64 unblocked = sm->view.live & ~sm->issue.waits & ~sm->issue.fenced;
    EACH_SLOT(other, unblocked & sm->view.scheduler[slot % 2])
    rank += sm->view.age[other] < sm->view.age[slot];
    assert_true(rank <= r->n);
    for (u32 s = 0; s < 2; s++) {
        u64 own = unblocked & sm->view.scheduler[s];
        u32 count = (u32)__builtin_popcountll(own);
        u32 vital = (u32)__builtin_popcountll(own & sm->policy.may_issue);
        assert_int_equal(vital, least(r->n, count));
        assert_int_equal(__builtin_popcountll(own & sm->policy.may_fill & sm->policy.may_issue),
                         least(r->p, vital));
        r->held += vital < count;
    }
    r->issues++;
}

TEST(every_issue_is_of_one_of_the_n_oldest_warps_that_do_not_wait)
{
    UNUSED_STATE;
    static const u32 tuples[][2] = {{1, 1}, {2, 1}, {3, 3}, {5, 2}};
    u64 held = 0;
    for (u64 seed = 1; seed <= 6; seed++) {
        struct bed b;
        struct spy s;
        struct synthetic_phase phase;
        const u32 *t = tuples[seed % ARRAY_LEN(tuples)];
        open_fixed(&b, "fermi15", t[0], t[1]);
        struct synthetic_kernel k = random_kernel(seed, &phase);
        struct grid_source g = spy_on(&s, &b, synthetic_source(&k, seed, &b.scripts), 0);
        struct ranks r = {.gpu = b.gpu, .n = t[0], .p = t[1]};
        s.on_event = check_rank;
        s.context = &r;
        bed_launch_source(&b, &g);
        bed_run(&b);
        assert_true(r.issues > 1000);
        held += r.held;
        bed_close(&b);
    }
    assert_true(held > 1000);
}

TEST(blocks_of_8_warps_with_a_barrier_in_every_turn_end_at_1_1)
{
    UNUSED_STATE;
    static const struct scripted_instruction code[] = {LOAD(1, MIB, .warp_stride = 128), ALU(2, 1),
                                                       BARRIER()};
    struct bed b;
    open_fixed(&b, "kepler8", 1, 1);
    struct scripted_kernel k = KERNEL(code, 256, .iterations = 20, .blocks = 12);
    bed_launch(&b, &k);
    bed_run(&b); /* a hang fails */
    assert_int_equal(b.gpu->cluster.sms[0].counts.warp_instructions, 12 * 8 * 20 * 3);
    bed_close(&b);
}

TEST(a_fence_gives_its_rank_away_too)
{
    UNUSED_STATE;
    static const struct scripted_instruction code[] = {STORE(MIB, .warp_stride = 128), FENCE(),
                                                       ALU(1, 0)};
    struct bed b;
    struct spy s;
    open_fixed(&b, "kepler8", 1, 1);
    struct scripted_kernel k = KERNEL(code, 256);
    spy_run(&s, &b, &k);
    /* warp 2 is of the same scheduler: it goes on while the stores of warp 0 are under way */
    assert_true(spy_cycle(&s, 2, 0, 0) < spy_cycle(&s, 0, 2, 0));
    bed_close(&b);
}

/* ---- who fills
 * ----------------------------------------------------------------------------------- */

TEST(warps_that_may_not_fill_change_nothing_in_l1)
{
    UNUSED_STATE;
    /* the oldest warp of each scheduler sleeps, the others load one line after the other */
    static const struct scripted_instruction code[] = {
        SLEEP(20000, .warps = 3),
        LOAD(1, MIB, .warp_stride = 64 * KIB, .iteration_stride = 128, .warps = 0xfc), ALU(2, 1)};
    struct bed b;
    open_fixed(&b, "kepler8", 24, 1);
    struct scripted_kernel k = KERNEL(code, 256);
    bed_launch(&b, &k);
    bed_run(&b);
    const struct l1_counts *c = &b.gpu->cluster.sms[0].l1.counts;
    assert_int_equal(c->misses, 6);
    assert_int_equal(c->fills, 0);
    assert_int_equal(c->evictions, 0);
    const struct tags *t = &b.gpu->cluster.sms[0].l1.cache.tags;
    for (u32 i = 0; i < t->sets * t->ways; i++)
        assert_true(tags_address(t, i / t->ways, i % t->ways) == NO_LINE);
    bed_close(&b);
}

/* Lines a set apart from each other: all in set 0. */
#define SAME_SET(i) (MIB + (i)*4 * KIB)

static bool holds(const struct sm *sm, u64 line)
{
    return tags_find(&sm->l1.cache.tags, tags_set(&sm->l1.cache.tags, line), line) != NO_WAY;
}

TEST(a_bypassing_miss_leaves_tags_and_their_order_as_they_are)
{
    UNUSED_STATE;
    /* warp 0 fills the four ways, warp 2 misses past them, warp 0 takes one more line: the
     * first of its own goes. Not with barriers: a warp that waits there gives its rank away. */
    static const struct scripted_instruction code[] = {
        LOAD(1, SAME_SET(0), .warps = 1), ALU(2, 1),
        LOAD(1, SAME_SET(1), .warps = 1), ALU(2, 1),
        LOAD(1, SAME_SET(2), .warps = 1), ALU(2, 1),
        LOAD(1, SAME_SET(3), .warps = 1), ALU(2, 1),
        SLEEP(6000, .warps = 1),          SLEEP(4000, .warps = 4),
        LOAD(1, SAME_SET(8), .warps = 4), ALU(2, 1),
        LOAD(1, SAME_SET(9), .warps = 4), ALU(2, 1),
        LOAD(1, SAME_SET(4), .warps = 1), ALU(2, 1),
    };
    struct bed b;
    open_fixed(&b, "kepler8", 24, 1);
    struct scripted_kernel k = KERNEL(code, 128);
    bed_launch(&b, &k);
    bed_run(&b);
    const struct sm *sm = &b.gpu->cluster.sms[0];
    assert_false(holds(sm, SAME_SET(0)));
    for (u32 i = 1; i <= 4; i++)
        assert_true(holds(sm, SAME_SET(i)));
    assert_false(holds(sm, SAME_SET(8)) || holds(sm, SAME_SET(9)));
    assert_int_equal(sm->l1.counts.fills, 5);
    assert_int_equal(sm->l1.counts.evictions, 1);
    bed_close(&b);
}

/* What is left of four lines when a warp that may not fill hits the oldest, and one more comes. */
static bool oldest_survives(const char *touch)
{
    static const struct scripted_instruction code[] = {
        LOAD(1, SAME_SET(0), .warps = 1),
        ALU(2, 1),
        LOAD(1, SAME_SET(1), .warps = 1),
        ALU(2, 1),
        LOAD(1, SAME_SET(2), .warps = 1),
        ALU(2, 1),
        LOAD(1, SAME_SET(3), .warps = 1),
        ALU(2, 1),
        BARRIER(),
        LOAD(1, SAME_SET(0), .warps = 4),
        ALU(2, 1),
        BARRIER(),
        LOAD(1, SAME_SET(4), .warps = 1),
        ALU(2, 1),
    };
    const char *sets[] = {"sm.count=1",
                          "sm.warp_policy=fixed",
                          "policy.warp.fixed.p=1",
                          "sm.l1.set_index=linear",
                          touch,
                          NULL};
    struct bed b;
    bed_open(&b, "kepler8", sets);
    struct scripted_kernel k = KERNEL(code, 128);
    bed_launch(&b, &k);
    bed_run(&b);
    assert_int_equal(b.gpu->cluster.sms[0].l1.counts.inter_warp_hits, 1);
    bool survives = holds(&b.gpu->cluster.sms[0], SAME_SET(0));
    bed_close(&b);
    return survives;
}

TEST(a_hit_by_a_warp_that_may_not_fill_makes_the_line_recent_or_not_as_configured)
{
    UNUSED_STATE;
    assert_true(oldest_survives("sm.l1.bypass_hits_touch=true"));
    assert_false(oldest_survives("sm.l1.bypass_hits_touch=false"));
}

/* Warp 2 may not fill and misses a line; warp 0, which may, asks for it while it is under way. */
static bool merged_line_stays(const char *keeps)
{
    static const struct scripted_instruction code[] = {
        LOAD(1, SAME_SET(0), .warps = 4),
        SLEEP(20, .warps = 1),
        LOAD(1, SAME_SET(0), .warps = 1),
        ALU(2, 1),
    };
    const char *sets[] = {"sm.count=1", "sm.warp_policy=fixed", "policy.warp.fixed.p=1", keeps,
                          NULL};
    struct bed b;
    bed_open(&b, "kepler8", sets);
    struct scripted_kernel k = KERNEL(code, 128);
    bed_launch(&b, &k);
    bed_run(&b);
    assert_int_equal(b.gpu->cluster.sms[0].l1.counts.merges, 1);
    bool stays = holds(&b.gpu->cluster.sms[0], SAME_SET(0));
    bed_close(&b);
    return stays;
}

TEST(a_load_that_may_fill_and_joins_a_miss_that_may_not_takes_a_line_or_not_as_configured)
{
    UNUSED_STATE;
    assert_true(merged_line_stays("sm.l1.merge_keeps=true"));
    assert_false(merged_line_stays("sm.l1.merge_keeps=false"));
}

/* Warp 2 may not fill, and its line is in L2 the second time. Cycles from the load, by some lanes,
 * to what uses it, and flits of all replies. */
static cycle_t miss_bypass(const char *bytes, u32 mask, u32 *flits)
{
    const struct scripted_instruction code[] = {SLEEP(20000, .warps = 3),
                                                LOAD(1, MIB, .warps = 4, .mask = mask), ALU(2, 1)};
    const char *sets[] = {"sm.count=1", "sm.warp_policy=fixed", "policy.warp.fixed.p=1", bytes,
                          NULL};
    struct bed b;
    struct spy s;
    bed_open(&b, "kepler8", sets);
    struct scripted_kernel k = KERNEL(code, 96, .iterations = 2);
    spy_run(&s, &b, &k);
    cycle_t took = spy_cycle(&s, 2, 2, 1) - spy_cycle(&s, 2, 1, 1);
    assert_int_equal(b.gpu->cluster.sms[0].l1.counts.misses, 2);
    assert_int_equal(b.gpu->cluster.sms[0].l1.counts.fills, 0);
    *flits = (u32)bed_stat(&b, "reply_network.flits");
    bed_close(&b);
    return took;
}

TEST(a_miss_that_takes_no_line_brings_the_line_or_what_its_lanes_share_as_configured)
{
    UNUSED_STATE;
    /* An unloaded hit in L2 takes 120 core cycles with a reply of five flits, each two of them: 8
     * bytes of header and 32, 64 or 128 of data make 2, 3 or 5. Both loads, and 5 for the code. */
    static const struct {
        u32 mask; /* lanes */
        u32 flits;
    } cases[] = {{0x1, 2},        {0xff, 2},    {0x100, 2}, {0x1ff, 3},
                 {0xffff0000, 3}, {0x10100, 5}, {~0u, 5}};
    u32 flits;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        assert_int_equal(miss_bypass("sm.l1.bypass_bytes=line", cases[i].mask, &flits), 120);
        assert_int_equal(flits, 15);
        assert_int_equal(miss_bypass("sm.l1.bypass_bytes=coalesced", cases[i].mask, &flits),
                         120 - 2 * (5 - cases[i].flits));
        assert_int_equal(flits, 5 + 2 * cases[i].flits);
    }
}

/* Two sectors of a line are on their way past L1 when a warp that may fill asks for all of it: it
 * brings the other two, and takes no line, of which a half would not be there. */
TEST(a_part_of_a_line_that_goes_past_is_joined_and_not_kept)
{
    UNUSED_STATE;
    static const struct scripted_instruction code[] = {LOAD(1, MIB, .warps = 4, .mask = 0xffff),
                                                       SLEEP(20, .warps = 1),
                                                       LOAD(1, MIB, .warps = 1), ALU(2, 1)};
    const char *sets[] = {"sm.count=1", "sm.warp_policy=fixed", "policy.warp.fixed.p=1",
                          "sm.l1.bypass_bytes=coalesced", NULL};
    struct bed b;
    bed_open(&b, "kepler8", sets);
    struct scripted_kernel k = KERNEL(code, 128);
    bed_launch(&b, &k);
    bed_run(&b);
    const struct l1_counts *c = &b.gpu->cluster.sms[0].l1.counts;
    assert_int_equal(c->merges, 1);
    assert_int_equal(c->sent, 2);
    assert_int_equal(c->fills, 0);
    assert_false(holds(&b.gpu->cluster.sms[0], MIB));
    bed_close(&b);
}

/* Two warps of one scheduler that may not fill load the same line, then each another one, with one
 * MSHR between them. */
static struct l1_counts two_misses_past(const char *takes_mshr)
{
    static const struct scripted_instruction code[] = {
        SLEEP(20000, .warps = 3), /* the oldest of each scheduler */
        LOAD(1, SAME_SET(0), .warps = 0x14),
        SLEEP(40, .warps = 0x14),
        LOAD(2, SAME_SET(1), .warp_stride = 128, .warps = 0x14),
        ALU(3, 1),
        ALU(3, 2),
    };
    const char *sets[] = {
        "sm.count=1", "sm.warp_policy=fixed", "policy.warp.fixed.p=1", "sm.l1.mshrs=1", takes_mshr,
        NULL};
    struct bed b;
    bed_open(&b, "kepler8", sets);
    struct scripted_kernel k = KERNEL(code, 160);
    bed_launch(&b, &k);
    bed_run(&b);
    struct l1_counts c = b.gpu->cluster.sms[0].l1.counts;
    bed_close(&b);
    return c;
}

TEST(a_miss_past_l1_takes_an_mshr_and_is_joined_or_neither_as_configured)
{
    UNUSED_STATE;
    /* with MSHRs the second load of the line joins the first, and the others wait for its MSHR */
    struct l1_counts c = two_misses_past("sm.l1.bypass_takes_mshr=true");
    assert_int_equal(c.misses, 3);
    assert_int_equal(c.merges, 1);
    assert_true(c.stall[L1_STALL_MSHR] > 0);
    c = two_misses_past("sm.l1.bypass_takes_mshr=false");
    assert_int_equal(c.misses, 4);
    assert_int_equal(c.merges, 0);
    assert_int_equal(c.stall[L1_STALL_MSHR], 0);
    assert_int_equal(c.fills, 0);
    assert_int_equal(c.answered, 4);
}

TEST(bypassing_warps_hit_what_others_brought)
{
    UNUSED_STATE;
    static const struct scripted_instruction code[] = {LOAD(1, MIB, .iteration_stride = 128),
                                                       ALU(2, 1), BARRIER()};
    struct bed b;
    open_fixed(&b, "kepler8", 24, 1);
    struct scripted_kernel k = KERNEL(code, 256, .iterations = 16);
    /* the second time over, everything that two warps brought is there for eight */
    bed_launch(&b, &k);
    bed_launch(&b, &k);
    bed_run(&b);
    const struct l1_counts *c = &b.gpu->cluster.sms[0].l1.counts;
    assert_int_equal(c->loads, 2 * 8 * 16);
    assert_true(c->hits >= 8 * 16);
    bed_close(&b);
}

/* ---- how much is found
 * --------------------------------------------------------------------------- */

#define LINES 32u /* of each warp's own, 4 KB: a whole way of the L1 */

static void sweep_code(struct scripted_instruction *code, bool streams)
{
    for (u32 i = 0; i < LINES; i++) {
        code[2 * i] = (struct scripted_instruction)LOAD(
            1, MIB + 128 * i, .warp_stride = 4096, .block_stride = 6 * 4096,
            .iteration_stride = streams ? 256 * KIB : 0);
        code[2 * i + 1] = (struct scripted_instruction)ALU(2, 1);
    }
}

struct polluters {
    u64 loads;
};

static void count_polluters(void *context, const struct spy_event *e, const void *stream)
{
    struct polluters *p = context;
    (void)stream;
    /* warps 0 and 1 of block 0 are the oldest of the two schedulers; even places are loads */
    p->loads += e->block == 0 && e->warp < 2 && e->pc / INSTRUCTION_BYTES % 2 == 0;
}

/* 48 warps sweep 32 lines each, over and over, for so many cycles. */
static void sweep(u32 n, u32 p, bool streams, double *of_polluters, double *of_all)
{
    struct scripted_instruction code[2 * LINES];
    char text[2][64];
    snprintf(text[0], sizeof text[0], "policy.warp.fixed.n=%u", n);
    snprintf(text[1], sizeof text[1], "policy.warp.fixed.p=%u", p);
    const char *sets[] = {"sm.count=1", "sm.warp_policy=fixed",   text[0],
                          text[1],      "sm.l1.set_index=linear", NULL};
    struct engine_options options = {.max_cycles = 300000};
    struct bed b;
    struct spy s;
    struct polluters polluters = {0};
    sweep_code(code, streams);
    bed_open_engine(&b, "kepler8", sets, &options);
    struct scripted_kernel k = {.code = code,
                                .count = ARRAY_LEN(code),
                                .iterations = 100000,
                                .blocks = 8,
                                .threads_per_block = 192};
    struct grid_source g = spy_on(&s, &b, scripted_source(&k, &b.scripts), 0);
    s.on_event = count_polluters;
    s.context = &polluters;
    bed_launch_source(&b, &g);
    assert_int_equal(engine_run(&b.sim.engine), ENGINE_LIMIT);
    gpu_settle(b.gpu);
    const struct l1_counts *c = &b.gpu->cluster.sms[0].l1.counts;
    *of_polluters = (double)c->hits / (double)polluters.loads; /* nobody else's lines are there */
    *of_all = (double)c->hits / (double)c->loads;
    bed_close(&b);
}

TEST(at_24_1_two_polluters_find_their_lines_which_at_24_24_nobody_does)
{
    UNUSED_STATE;
    double polluters, all, before, ignored;
    sweep(24, 24, false, &ignored, &before);
    sweep(24, 1, false, &polluters, &all);
    assert_true(polluters > 0.9 && polluters <= 1);
    assert_true(polluters >= 2 * before);
}

TEST(streams_have_the_same_hit_rate_whatever_p_is)
{
    UNUSED_STATE;
    double ignored, one, all;
    sweep(24, 1, true, &ignored, &one);
    sweep(24, 24, true, &ignored, &all);
    assert_near(one, 0, 0);
    assert_near(all, 0, 0);
}

/* ---- the same as others
 * -------------------------------------------------------------------------- */

static char *run_policy(const char *const *sets, u64 seed)
{
    struct bed b;
    bed_open(&b, "kepler8", sets);
    bed_launch_random(&b, seed);
    bed_launch_random(&b, seed + 100);
    bed_run(&b);
    char *all = all_statistics(&b), *line, *own;
    bed_close(&b);
    /* what the policy counts is its own */
    while ((own = strstr(all, "warp_policy."))) {
        for (line = own; line > all && line[-1] != '\n'; line--)
            ;
        char *next = strchr(own, '\n') + 1;
        memmove(line, next, strlen(next) + 1);
    }
    return all;
}

TEST(without_a_limit_every_policy_is_gto_in_all_statistics)
{
    UNUSED_STATE;
    static const char *const gto[] = {"sm.count=2", "sm.warp_policy=gto", NULL};
    static const char *const others[][8] = {
        {"sm.count=2", "sm.warp_policy=fixed"},
        {"sm.count=2", "sm.warp_policy=swl"},
        {"sm.count=2", "sm.warp_policy=swl", "policy.warp.swl.n=24"},
        /* loads are always rare enough: stays at (W,W), epoch after epoch */
        {"sm.count=2", "sm.warp_policy=poise", "policy.warp.poise.i_max=0",
         "policy.warp.poise.t_warmup=20", "policy.warp.poise.t_feature=1000",
         "policy.warp.poise.t_period=1500"},
    };
    for (u64 seed = 1; seed <= 3; seed++) {
        char *plain = run_policy(gto, seed);
        for (u32 i = 0; i < ARRAY_LEN(others); i++) {
            char *other = run_policy(others[i], seed);
            assert_same(plain, other, others[i][1]);
            free(other);
        }
        free(plain);
    }
}

TEST(with_one_warp_per_scheduler_there_is_nothing_to_choose)
{
    UNUSED_STATE;
    /* one block of two warps fills the shared memory: W = 1 */
    static const struct scripted_instruction code[] = {
        LOAD(1, MIB, .warp_stride = 4096, .block_stride = 8192, .iteration_stride = 128),
        ALU(2, 1)};
    static const char *const policies[] = {"sm.warp_policy=gto", "sm.warp_policy=pcal",
                                           "sm.warp_policy=poise", "sm.warp_policy=random_restart",
                                           "sm.warp_policy=swl"};
    cycle_t cycles[ARRAY_LEN(policies)];
    for (u32 i = 0; i < ARRAY_LEN(policies); i++) {
        const char *sets[] = {"sm.count=2",
                              policies[i],
                              "policy.warp.poise.t_warmup=20",
                              "policy.warp.poise.t_feature=100",
                              "policy.warp.pcal.t_warmup=20",
                              "policy.warp.pcal.t_sample=100",
                              NULL};
        struct bed b;
        bed_open(&b, "kepler8", sets);
        struct scripted_kernel k =
            KERNEL(code, 64, .iterations = 50, .blocks = 8, .shared_bytes_per_block = 48 * KIB);
        bed_launch(&b, &k);
        bed_run(&b);
        cycles[i] = b.gpu->records[0].ended - b.gpu->records[0].started;
        assert_int_equal(cycles[i], cycles[0]);
        bed_close(&b);
    }
}

TEST(p_of_n_is_swl)
{
    UNUSED_STATE;
    static const char *const swl[] = {"sm.count=2", "sm.warp_policy=swl", "policy.warp.swl.n=3",
                                      NULL};
    static const char *const fixed[] = {"sm.count=2", "sm.warp_policy=fixed",
                                        "policy.warp.fixed.n=3", "policy.warp.fixed.p=3", NULL};
    char *a = run_policy(swl, 7), *b = run_policy(fixed, 7);
    assert_same(a, b, "fixed at p = N");
    free(a);
    free(b);
}

/* ---- where the cycles went
 * ----------------------------------------------------------------------- */

TEST(cycles_in_which_only_warps_that_are_kept_back_were_ready_are_throttled)
{
    UNUSED_STATE;
    /* each addition needs the one before it, 4 cycles later: of four cycles one issues; the
     * other warps are ready all the while */
    static const struct scripted_instruction code[] = {ALU(1, 1), ALU(1, 1), ALU(1, 1), ALU(1, 1)};
    u64 throttled[2], issued[2];
    for (u32 i = 0; i < 2; i++) {
        struct bed b;
        open_fixed(&b, "kepler8", i ? 1 : 24, 1);
        struct scripted_kernel k = KERNEL(code, 256, .iterations = 500);
        bed_launch(&b, &k);
        bed_run(&b);
        throttled[i] = b.gpu->cluster.sms[0].counts.scheduler_slots[SLOT_THROTTLED];
        issued[i] = b.gpu->cluster.sms[0].counts.scheduler_slots[SLOT_ISSUED];
        bed_close(&b);
    }
    assert_int_equal(issued[0], issued[1]);
    assert_int_equal(throttled[0], 0);
    /* three of four cycles while the first three of four warps of a scheduler run one by one */
    assert_near((double)throttled[1] / (double)issued[1], 3 * 3.0 / 4, 0.1);
}

RUN_TESTS(T(every_issue_is_of_one_of_the_n_oldest_warps_that_do_not_wait),
          T(blocks_of_8_warps_with_a_barrier_in_every_turn_end_at_1_1),
          T(a_fence_gives_its_rank_away_too), T(warps_that_may_not_fill_change_nothing_in_l1),
          T(a_bypassing_miss_leaves_tags_and_their_order_as_they_are),
          T(a_hit_by_a_warp_that_may_not_fill_makes_the_line_recent_or_not_as_configured),
          T(a_load_that_may_fill_and_joins_a_miss_that_may_not_takes_a_line_or_not_as_configured),
          T(a_miss_that_takes_no_line_brings_the_line_or_what_its_lanes_share_as_configured),
          T(a_part_of_a_line_that_goes_past_is_joined_and_not_kept),
          T(a_miss_past_l1_takes_an_mshr_and_is_joined_or_neither_as_configured),
          T(bypassing_warps_hit_what_others_brought),
          T(at_24_1_two_polluters_find_their_lines_which_at_24_24_nobody_does),
          T(streams_have_the_same_hit_rate_whatever_p_is),
          T(without_a_limit_every_policy_is_gto_in_all_statistics),
          T(with_one_warp_per_scheduler_there_is_nothing_to_choose), T(p_of_n_is_swl),
          T(cycles_in_which_only_warps_that_are_kept_back_were_ready_are_throttled))
