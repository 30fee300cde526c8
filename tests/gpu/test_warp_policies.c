/* Warp policies on a machine: what they are told is what happens; CCWS, PCAL, Poise and
 * APCM-like at work (Poise spec, section 8). */
#include "gpu/random_kernel.h"
#include "gpu/script.h"
#include "gpu/spy.h"

static u64 policy_count(const struct sm *sm, const char *name)
{
    const struct warp_policy *p = &sm->policy;
    for (const struct stat_def *d = p->ops->stats; d->kind != STAT_END; d++) {
        if (strcmp(d->name, name) == 0)
            return *(const u64 *)(const void *)((const u8 *)p->state + d->offset);
    }
    fail_msg("policy %s does not count %s", p->ops->name, name);
    return 0;
}

static struct warp_counters counters_of(const struct bed *b)
{
    struct warp_counters c;
    const struct warp_policy *p = &b->gpu->cluster.sms[0].policy;
    p->host->counters(p, &c);
    return c;
}

/* ---- the seven counters
 * -------------------------------------------------------------------------- */

static struct warp_counters run_script(const char *const *sets, const struct scripted_kernel *k)
{
    struct bed b;
    bed_open(&b, "kepler8", sets);
    bed_launch(&b, k);
    bed_run(&b);
    struct warp_counters c = counters_of(&b);
    bed_close(&b);
    assert_true(c.own_hits <= c.hits && c.hits <= c.accesses);
    return c;
}

TEST(with_private_data_all_hits_are_intra_warp)
{
    UNUSED_STATE;
    static const struct scripted_instruction code[] = {LOAD(1, MIB, .warp_stride = 128), ALU(2, 1)};
    const char *sets[] = {"sm.count=1", NULL};
    struct scripted_kernel k = KERNEL(code, 256, .iterations = 10);
    struct warp_counters c = run_script(sets, &k);
    assert_int_equal(c.accesses, 80);
    assert_int_equal(c.hits, 72);
    assert_int_equal(c.own_hits, 72);
}

TEST(lines_that_every_warp_touches_once_have_no_intra_warp_hits)
{
    UNUSED_STATE;
    /* one warp after the other, so that nobody joins a miss */
    static const struct scripted_instruction code[] = {
        SLEEP(2000, .warps = 2), SLEEP(4000, .warps = 4), SLEEP(6000, .warps = 8), LOAD(1, MIB),
        ALU(2, 1)};
    const char *sets[] = {"sm.count=1", NULL};
    struct scripted_kernel k = KERNEL(code, 128);
    struct warp_counters c = run_script(sets, &k);
    assert_int_equal(c.accesses, 4);
    assert_int_equal(c.hits, 3);
    assert_int_equal(c.own_hits, 0);
}

TEST(a_memory_of_300_cycles_has_a_latency_of_300)
{
    UNUSED_STATE;
    static const struct scripted_instruction code[] = {
        LOAD(1, MIB, .warp_stride = 64 * KIB, .iteration_stride = 128), ALU(2, 1)};
    const char *sets[] = {"sm.count=1", "ideal.model=fixed", "ideal.fixed_cycles=300", NULL};
    struct scripted_kernel k = KERNEL(code, 256, .iterations = 10);
    struct warp_counters c = run_script(sets, &k);
    assert_int_equal(c.returned, 80);
    assert_int_equal(c.latency_cycles, 80 * 300);
}

TEST(ten_additions_per_load_are_ten_instructions_between_loads)
{
    UNUSED_STATE;
    static const struct scripted_instruction code[] = {LOAD(1, MIB, .warp_stride = 128),
                                                       ALU(2, 1),
                                                       ALU(3, 0),
                                                       ALU(4, 0),
                                                       ALU(5, 0),
                                                       ALU(6, 0),
                                                       ALU(7, 0),
                                                       ALU(8, 0),
                                                       ALU(9, 0),
                                                       ALU(10, 0),
                                                       ALU(11, 0)};
    const char *sets[] = {"sm.count=1", NULL};
    struct scripted_kernel k = KERNEL(code, 256, .iterations = 10);
    struct warp_counters c = run_script(sets, &k);
    assert_int_equal(c.load_instructions, 80);
    assert_int_equal(c.instructions - c.load_instructions, 800);
}

/* ---- CCWS
 * ---------------------------------------------------------------------------------------- */

/* 48 warps come back to lines of their own, or go through fresh ones. */
static void run_sweep(struct bed *b, struct spy *s, const char *policy, u32 lines, bool streams,
                      u32 turns)
{
    static struct scripted_instruction code[64];
    for (u32 i = 0; i < lines; i++) {
        code[2 * i] = (struct scripted_instruction)LOAD(1, MIB + 128 * i, .warp_stride = 4096,
                                                        .block_stride = 6 * 4096,
                                                        .iteration_stride = streams ? MIB : 0);
        code[2 * i + 1] = (struct scripted_instruction)ALU(2, 1);
    }
    const char *sets[] = {"sm.count=1", policy, NULL};
    struct engine_options options = {.watchdog_cycles = 1000000};
    bed_open_engine(b, "kepler8", sets, &options);
    struct scripted_kernel k = {.code = code,
                                .count = 2 * lines,
                                .iterations = turns,
                                .blocks = 8,
                                .threads_per_block = 192};
    struct grid_source g = scripted_source(&k, &b->scripts);
    if (s) {
        void (*on_event)(void *, const struct spy_event *, const void *) = s->on_event;
        void *context = s->context;
        g = spy_on(s, b, g, 0);
        s->on_event = on_event;
        s->context = context;
    }
    bed_launch_source(b, &g);
    bed_run(b);
}

static cycle_t cycles_of(const struct bed *b)
{
    return b->gpu->records[0].ended - b->gpu->records[0].started;
}

TEST(without_reuse_ccws_has_no_victim_hits_and_is_gto)
{
    UNUSED_STATE;
    struct bed b;
    run_sweep(&b, NULL, "sm.warp_policy=gto", 32, true, 2);
    cycle_t gto = cycles_of(&b);
    bed_close(&b);
    run_sweep(&b, NULL, "sm.warp_policy=ccws", 32, true, 2);
    const struct sm *sm = &b.gpu->cluster.sms[0];
    assert_true(policy_count(sm, "victims") > 1000);
    assert_int_equal(policy_count(sm, "victim_hits"), 0);
    assert_int_equal(policy_count(sm, "admitted_cycles"), policy_count(sm, "ranked_cycles"));
    assert_int_equal(sm->counts.scheduler_slots[SLOT_THROTTLED], 0);
    assert_int_equal(cycles_of(&b), gto);
    bed_close(&b);
}

struct loads {
    const struct bed *bed;
    u64 loads, others_of_excluded;
};

static void watch_loads(void *context, const struct spy_event *e, const void *stream)
{
    struct loads *l = context;
    const struct sm *sm = &l->bed->gpu->cluster.sms[0];
    EACH_SLOT(slot, sm->used)
    {
        const struct sm_warp *w = &sm->warps[slot];
        if (w->index != e->warp || w->block->stream != stream)
            continue;
        bool may = sm->policy.may_load >> slot & 1, is_load = e->pc / INSTRUCTION_BYTES % 2 == 0;
        assert_true(may || !is_load);
        l->loads += is_load;
        l->others_of_excluded += !may && !is_load;
    }
}

TEST(ccws_keeps_some_warps_from_loading_and_from_nothing_else_and_more_is_found)
{
    UNUSED_STATE;
    struct bed b;
    struct loads l = {.bed = &b};
    struct spy s = {.on_event = watch_loads, .context = &l};
    /* 384 lines in a cache of 128; a warp's 8 lie within its 16 victim tags */
    run_sweep(&b, NULL, "sm.warp_policy=gto", 8, false, 50);
    u64 hits = b.gpu->cluster.sms[0].l1.counts.hits;
    bed_close(&b);
    run_sweep(&b, &s, "sm.warp_policy=ccws", 8, false, 50);
    const struct sm *sm = &b.gpu->cluster.sms[0];
    assert_true(policy_count(sm, "victim_hits") > 100);
    assert_true(policy_count(sm, "admitted_cycles") < policy_count(sm, "ranked_cycles"));
    assert_int_equal(l.loads, 48 * 50 * 8);
    assert_true(l.others_of_excluded > 0);
    assert_true(sm->l1.counts.hits > 2 * hits);
    bed_close(&b);
}

TEST(swl_at_two_warps_finds_nearly_everything)
{
    UNUSED_STATE;
    struct bed b;
    struct l1_counts c;
    const char *sets[] = {"sm.count=1", "sm.warp_policy=swl", "policy.warp.swl.n=2",
                          "sm.l1.set_index=linear", NULL};
    static struct scripted_instruction code[64];
    for (u32 i = 0; i < 32; i++) {
        code[2 * i] = (struct scripted_instruction)LOAD(1, MIB + 128 * i, .warp_stride = 4096);
        code[2 * i + 1] = (struct scripted_instruction)ALU(2, 1);
    }
    bed_open(&b, "kepler8", sets);
    struct scripted_kernel k = KERNEL(code, 768, .iterations = 20);
    bed_launch(&b, &k);
    bed_run(&b);
    c = b.gpu->cluster.sms[0].l1.counts;
    /* 24 warps, four at a time with 32 lines each: the cache is theirs; each line misses once */
    assert_int_equal(c.loads, 24 * 32 * 20);
    assert_int_equal(c.misses + c.merges, 24 * 32);
    bed_close(&b);
}

/* ---- Poise and PCAL
 * ------------------------------------------------------------------------------ */

static const struct warp_note *note_of(const struct sm *sm, const char *what, u32 n)
{
    for (u32 i = 0; i < sm->note_count; i++) {
        if (strcmp(sm->notes[i].what, what) == 0 && !n--)
            return &sm->notes[i];
    }
    fail_msg("sm%u has no %s", sm->index, what);
    return NULL;
}

TEST(poise_samples_predicts_and_starts_again_at_its_cycles_on_every_sm)
{
    UNUSED_STATE;
    static const struct scripted_instruction code[] = {
        LOAD(1, MIB, .warp_stride = 4096, .block_stride = 64 * KIB, .iteration_stride = 128),
        ALU(2, 1), ALU(3, 2), ALU(4, 3)};
    const char *sets[] = {"sm.count=2", "sm.warp_policy=poise", "policy.warp.poise.stride_n=0",
                          "policy.warp.poise.stride_p=0", NULL};
    struct engine_options options = {.max_cycles = 230000};
    struct bed b;
    bed_open_engine(&b, "kepler8", sets, &options);
    struct scripted_kernel k = KERNEL(code, 192, .iterations = 1000000, .blocks = 16);
    bed_launch(&b, &k);
    assert_int_equal(engine_run(&b.sim.engine), ENGINE_LIMIT);
    for (u32 i = 0; i < 2; i++) {
        const struct sm *sm = &b.gpu->cluster.sms[i];
        cycle_t start = note_of(sm, "tuple", 0)->cycle;
        assert_int_equal(note_of(sm, "tuple", 0)->n, 24);
        assert_int_equal(note_of(sm, "tuple", 1)->cycle, start + 12000);
        assert_int_equal(note_of(sm, "tuple", 1)->n, 1);
        assert_int_equal(note_of(sm, "predicted", 0)->cycle, start + 24000);
        assert_int_equal(note_of(sm, "predicted", 1)->cycle, start + 224000);
    }
    bed_close(&b);
}

TEST(a_kernel_with_few_loads_runs_under_poise_as_under_gto)
{
    UNUSED_STATE;
    static struct scripted_instruction code[62];
    code[0] = (struct scripted_instruction)LOAD(1, MIB, .warp_stride = 4096,
                                                .block_stride = 64 * KIB, .iteration_stride = 128);
    for (u32 i = 1; i < ARRAY_LEN(code); i++)
        code[i] = (struct scripted_instruction)ALU((u16)(i + 1), 0);
    cycle_t cycles[2];
    for (u32 i = 0; i < 2; i++) {
        const char *sets[] = {"sm.count=1", i ? "sm.warp_policy=poise" : "sm.warp_policy=gto",
                              NULL};
        struct bed b;
        bed_open(&b, "kepler8", sets);
        struct scripted_kernel k = KERNEL(code, 192, .iterations = 40, .blocks = 8);
        bed_launch(&b, &k);
        bed_run(&b);
        cycles[i] = cycles_of(&b);
        if (i)
            assert_int_equal(note_of(&b.gpu->cluster.sms[0], "early exit", 0)->n, 24);
        bed_close(&b);
    }
    assert_true(cycles[0] > 30000);
    assert_int_equal(cycles[1], cycles[0]);
}

TEST(pcal_starts_each_kernel_at_its_swl_point_votes_and_then_all_sms_agree)
{
    UNUSED_STATE;
    static const struct scripted_instruction code[] = {
        LOAD(1, MIB, .warp_stride = 4096, .block_stride = 64 * KIB), ALU(2, 1)};
    const char *sets[] = {"sm.count=4",
                          "sm.warp_policy=pcal",
                          "policy.warp.pcal.n=3",
                          "policy.warp.pcal.t_warmup=100",
                          "policy.warp.pcal.t_sample=400",
                          NULL};
    struct bed b;
    bed_open(&b, "kepler8", sets);
    struct scripted_kernel k = KERNEL(code, 192, .iterations = 400, .blocks = 64);
    bed_launch(&b, &k);
    bed_launch(&b, &k);
    bed_run(&b);
    for (u32 kernel = 0; kernel < 2; kernel++) {
        u32 p[4] = {0}, after[4] = {0}, n[4] = {0};
        for (u32 i = 0; i < 4; i++) {
            const struct sm *sm = &b.gpu->cluster.sms[i];
            u32 at = 0;
            while (at < sm->note_count && sm->notes[at].kernel != kernel)
                at++;
            assert_true(at < sm->note_count);
            assert_true(sm->notes[at].n == 3 && sm->notes[at].p == 3);
            /* what holds in the middle of the vote, and of the window after it */
            cycle_t start = sm->notes[at].cycle;
            for (u32 t = at; t < sm->note_count && sm->notes[t].kernel == kernel; t++) {
                if (sm->notes[t].cycle <= start + 250)
                    p[i] = sm->notes[t].p;
                if (sm->notes[t].cycle <= start + 750) {
                    after[i] = sm->notes[t].p;
                    n[i] = sm->notes[t].n;
                }
            }
            assert_int_equal(p[i], 1 + i % 3);
            assert_int_equal(after[i], after[0]);
            assert_int_equal(n[i], 3);
        }
    }
    assert_true(policy_count(&b.gpu->cluster.sms[0], "votes") >= 2);
    bed_close(&b);
}

/* ---- APCM-like
 * ----------------------------------------------------------------------------------- */

static void masks_are_full(void *context, const struct spy_event *e, const void *stream)
{
    const struct bed *b = context;
    (void)stream;
    const struct warp_policy *p = &b->gpu->cluster.sms[e->sm].policy;
    assert_true((p->may_issue & p->may_load & p->may_fill) == ~(u64)0);
}

TEST(under_apcm_streams_leave_the_cache_alone_and_all_warps_may_issue)
{
    UNUSED_STATE;
    struct bed b;
    struct spy s = {.on_event = masks_are_full, .context = &b};
    run_sweep(&b, &s, "sm.warp_policy=apcm_like", 32, true, 80);
    const struct sm *sm = &b.gpu->cluster.sms[0];
    /* 32 loads that all stream; each is judged after 32 turns of the watched warp, and only
     * requests before that have lines */
    assert_int_equal(policy_count(sm, "streaming"), 32);
    assert_int_equal(sm->l1.counts.loads, 48 * 32 * 80);
    assert_true(sm->l1.counts.fills < 48 * 32 * 50);
    assert_true(policy_count(sm, "bypassed") > 48 * 32 * 30);
    bed_close(&b);
}

/* A warp goes through 8 lines of its own in a loop, now and then; others stream more than the
 * cache holds in between. */
static double found_beside_streams(const char *policy, const char *protects)
{
    static struct scripted_instruction code[25];
    code[24] = (struct scripted_instruction)SLEEP(3000, .warps = 1);
    for (u32 i = 0; i < 8; i++) {
        code[3 * i] = (struct scripted_instruction)LOAD(1, MIB + 128 * i, .warps = 1);
        code[3 * i + 1] =
            (struct scripted_instruction)LOAD_APART(2, 32, 4 * MIB + 1024 * i, .warp_stride = MIB,
                                                    .iteration_stride = 8192, .warps = 0xfffe);
        code[3 * i + 2] = (struct scripted_instruction)ALU(3, 1);
    }
    const char *sets[] = {"sm.count=1", policy, protects, "policy.warp.apcm_like.decide_accesses=4",
                          NULL};
    struct bed b;
    bed_open(&b, "kepler8", sets);
    struct scripted_kernel k = KERNEL(code, 512, .iterations = 50);
    bed_launch(&b, &k);
    bed_run(&b);
    double rate = (double)b.gpu->cluster.sms[0].l1.counts.hits / (8 * 50);
    bed_close(&b);
    return rate;
}

TEST(protected_lines_survive_a_burst_larger_than_the_cache)
{
    UNUSED_STATE;
    /* the watched warp has none of the streaming loads: nobody judges them, they fill */
    double gto = found_beside_streams("sm.warp_policy=gto", "policy.warp.apcm_like.protects=true");
    double with =
        found_beside_streams("sm.warp_policy=apcm_like", "policy.warp.apcm_like.protects=true");
    double without =
        found_beside_streams("sm.warp_policy=apcm_like", "policy.warp.apcm_like.protects=false");
    assert_near(without, gto, 0.001);
    assert_true(gto < 0.5);
    assert_true(with > 0.8);
}

RUN_TESTS(T(with_private_data_all_hits_are_intra_warp),
          T(lines_that_every_warp_touches_once_have_no_intra_warp_hits),
          T(a_memory_of_300_cycles_has_a_latency_of_300),
          T(ten_additions_per_load_are_ten_instructions_between_loads),
          T(without_reuse_ccws_has_no_victim_hits_and_is_gto),
          T(ccws_keeps_some_warps_from_loading_and_from_nothing_else_and_more_is_found),
          T(swl_at_two_warps_finds_nearly_everything),
          T(poise_samples_predicts_and_starts_again_at_its_cycles_on_every_sm),
          T(a_kernel_with_few_loads_runs_under_poise_as_under_gto),
          T(pcal_starts_each_kernel_at_its_swl_point_votes_and_then_all_sms_agree),
          T(under_apcm_streams_leave_the_cache_alone_and_all_warps_may_issue),
          T(protected_lines_survive_a_burst_larger_than_the_cache))
