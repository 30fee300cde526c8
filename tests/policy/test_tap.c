/* TAP: core sampling, life-time normalisation, masks, streams. */
#include "policy/fake_llc.h"

#include "base/rng.h"
#include "policy/llc/core_sampling.h"
#include "policy/replacement/rrip.h"

#define GPU(f) ((f)->policy.applications - 1)
#define INTERVAL 1000u

static const struct fake_setting plain[] = {{"interval", INTERVAL}, {NULL, 0}};
static const struct fake_setting fixed[] = {{"interval", INTERVAL}, {"rotate", 0}, {NULL, 0}};
static const struct fake_setting turns[] = {{"interval", INTERVAL}, {"rotate", 1}, {NULL, 0}};
static const struct fake_setting probes[] = {{"interval", INTERVAL}, {"bypass", 1}, {NULL, 0}};
static const struct fake_setting no_ratio[] = {{"interval", INTERVAL}, {"lifetime", 0}, {NULL, 0}};

static struct sampling *sampling_of(const struct fake_llc *f)
{
    return f->policy.state;
}

/* A period in which the first sampled SM retires `slow` instructions in a cycle, all others `fast`.
 */
static void period(struct fake_llc *f, u64 slow, u64 fast)
{
    for (u32 cycle = 0; cycle < INTERVAL; cycle++) {
        for (u32 i = 0; i < 6; i++)
            f->retired[FAKE_SM(i)] += FAKE_SM(i) == f->plan.sampled[0] ? slow : fast;
        fake_wait(f, 1);
    }
}

/* So many accesses of each program, all to a set that is not monitored. */
static void count(struct fake_llc *f, u32 application, u32 accesses)
{
    for (u32 i = 0; i < accesses; i++)
        fake_load(f, application, application == GPU(f) ? FAKE_SM(3) : application, 1);
}

/* ---- core sampling --------------------------------------------------------------------------- */

TEST(sms_that_differ_by_less_than_a_threshold_set_the_mask)
{
    UNUSED_STATE;
    static const struct {
        u64 slow, fast;
        u32 masked;
    } rows[] = {{100, 100, 1}, {100, 104, 1}, {100, 105, 0},
                {100, 150, 0}, {105, 100, 1}, {110, 100, 0}};
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        struct fake_llc f;
        fake_open(&f, "tap_ucp", "lru", 2, 64, 32, plain);
        period(&f, rows[i].slow, rows[i].fast);
        assert_int_equal(f.plan.marks, rows[i].masked << 1);
        if (rows[i].masked) {
            assert_int_equal(f.plan.quota[1], 1);
            assert_int_equal(f.plan.quota[0], 31);
        }
        period(&f, 100, 150); /* and takes it back */
        assert_int_equal(f.plan.marks, 0);
        fake_close(&f);
    }
}

TEST(a_core_that_stands_still_leaves_the_last_answer)
{
    UNUSED_STATE;
    struct fake_llc f;
    fake_open(&f, "tap_ucp", "lru", 2, 64, 32, plain);
    period(&f, 100, 100);
    assert_int_equal(f.plan.marks, 2);
    period(&f, 0, 100);
    assert_int_equal(f.plan.marks, 2);
    assert_int_equal(sampling_of(&f)->counts.held, 1);
    fake_close(&f);
}

TEST(a_count_that_is_full_hides_what_lies_above)
{
    UNUSED_STATE;
    struct fake_llc f;
    static const struct fake_setting narrow[] = {
        {"interval", INTERVAL}, {"counter_bits", 16}, {NULL, 0}};
    fake_open(&f, "tap_ucp", "lru", 2, 64, 32, narrow);
    period(&f, 100, 200); /* 90,000 and 180,000: both 65,535 */
    assert_int_equal(f.plan.marks, 2);
    period(&f, 10, 20);
    assert_int_equal(f.plan.marks, 0);
    fake_close(&f);
}

TEST(what_sms_did_right_after_they_were_chosen_does_not_count)
{
    UNUSED_STATE;
    struct fake_llc f;
    fake_open(&f, "tap_ucp", "lru", 2, 64, 32, turns);
    f.retired[f.plan.sampled[1]] += 1000000; /* in the first tenth */
    period(&f, 100, 100);
    assert_int_equal(f.plan.marks, 2);
    fake_close(&f);
}

TEST(sampling_goes_round_all_sms_equally_or_stays)
{
    UNUSED_STATE;
    struct fake_llc f;
    u32 times[2][6] = {{0}};
    fake_open(&f, "tap_rrip", "lru", 2, 64, 32, turns);
    for (u32 i = 0; i < 12; i++) {
        times[0][f.plan.sampled[0] - FAKE_SM(0)]++;
        times[1][f.plan.sampled[1] - FAKE_SM(0)]++;
        assert_int_equal((f.plan.sampled[0] - FAKE_SM(0) + 1) % 6, f.plan.sampled[1] - FAKE_SM(0));
        period(&f, 1, 1);
    }
    for (u32 i = 0; i < 6; i++)
        assert_true(times[0][i] == 2 && times[1][i] == 2);
    fake_close(&f);
    fake_open(&f, "tap_rrip", "lru", 2, 64, 32, plain);
    for (u32 i = 0; i < 3; i++) {
        assert_int_equal(f.plan.sampled[0], FAKE_SM(0));
        period(&f, 1, 1);
    }
    fake_close(&f);
}

TEST(after_a_few_periods_sampling_may_end_and_all_follow_the_plain_policy)
{
    UNUSED_STATE;
    struct fake_llc f;
    static const struct fake_setting few[] = {{"interval", INTERVAL}, {"periods", 2}, {NULL, 0}};
    fake_open(&f, "tap_ucp", "lru", 2, 64, 32, few);
    period(&f, 100, 100);
    assert_int_equal(f.plan.marks, 2);
    period(&f, 100, 100);
    assert_int_equal(f.plan.marks, 0);
    assert_int_equal(f.plan.sampled[0], NO_AGENT);
    fake_close(&f);
}

TEST(a_mask_may_be_lifted_for_one_period_of_several)
{
    UNUSED_STATE;
    struct fake_llc f;
    static const struct fake_setting third[] = {
        {"interval", INTERVAL}, {"reprobe_periods", 3}, {NULL, 0}};
    fake_open(&f, "tap_ucp", "lru", 2, 64, 32, third);
    static const u32 marks[] = {2, 2, 0, 2, 2, 0};
    for (u32 i = 0; i < ARRAY_LEN(marks); i++) {
        period(&f, 100, 100);
        assert_int_equal(f.plan.marks, marks[i]);
    }
    fake_close(&f);
}

TEST(reprobes_and_the_masks_that_they_lift_are_counted)
{
    UNUSED_STATE;
    struct fake_llc f;
    static const struct fake_setting third[] = {
        {"interval", INTERVAL}, {"reprobe_periods", 3}, {NULL, 0}};
    fake_open(&f, "tap_ucp", "lru", 2, 64, 32, third);
    const struct sampling_counts *n = &sampling_of(&f)->counts;
    for (u32 i = 0; i < 3; i++)
        period(&f, 100, 100);
    assert_int_equal(n->reprobes, 1); /* the fourth */
    period(&f, 100, 100);
    assert_int_equal(n->flips, 0);
    assert_int_equal(f.plan.marks, 2);
    period(&f, 100, 100);
    period(&f, 100, 100);
    assert_int_equal(n->reprobes, 2); /* the seventh, in which the cache is of use */
    period(&f, 100, 200);
    assert_int_equal(n->flips, 1);
    assert_int_equal(f.plan.marks, 0);
    period(&f, 100, 200);
    period(&f, 100, 200);
    assert_int_equal(n->reprobes, 2); /* no mask, no reprobe */
    fake_close(&f);
}

TEST(a_mask_that_keeps_the_gpu_from_hits_is_counted_as_latched)
{
    UNUSED_STATE;
    struct fake_llc f;
    for (u32 lines = 1; lines <= 4; lines += 3) { /* of the GPU program, all in monitored set 0 */
        fake_open(&f, "tap_ucp", "lru", 2, 64, 32, no_ratio);
        for (u32 i = 0; i < 400; i++)
            fake_load(&f, 1, FAKE_SM(3), i % lines * 64);
        period(&f, 100, 100);
        assert_int_equal(f.plan.marks, 2);
        assert_int_equal(sampling_of(&f)->counts.latched, lines == 4); /* one needs one way */
        fake_close(&f);
    }
}

TEST(storage_is_a_count_for_each_sm_and_two_numbers_in_each_bank)
{
    UNUSED_STATE;
    struct llc_agent agents[80] = {{.kind = AGENT_SM}};
    struct sampling_config c = {.counter_bits = 20};
    struct llc_policy p = {.agents = agents, .agent_count = 10, .banks = 4};
    for (u32 i = 0; i < 4; i++)
        agents[i].kind = AGENT_CPU;
    assert_int_equal(sampling_bits(&p, &c), 120 + 40); /* Lee 2013, table 3 */
    p.agent_count = 16;
    p.banks = 8;
    assert_int_equal(sampling_bits(&p, &c), 12 * 20 + 2 * 5 * 8);
    p.agent_count = 44;
    assert_int_equal(sampling_bits(&p, &c), 40 * 20 + 2 * 6 * 8); /* 40 SMs need six bits */
}

TEST(programs_on_sms_that_cannot_be_compared_are_refused_with_a_sentence)
{
    UNUSED_STATE;
    static const char *const names[] = {"tap_ucp", "tap_rrip"};
    for (u32 i = 0; i < 2; i++) {
        struct err err = ERR_INIT;
        struct sampling s = {0};
        u64 config[32] = {0};
        const struct policy_ops *ops = policy_find(QUESTION_LLC, names[i]);
        struct llc_policy p = {.ops = (const struct llc_policy_ops *)ops,
                               .config = config,
                               .state = &s,
                               .ways = 16,
                               .applications = 3,
                               .on_sms = ~1u};
        assert_false(p.ops->init(&p, &err));
        assert_non_null(strstr(err.what, "has 2 programs on SMs, expected one"));
    }
}

/* ---- accesses -------------------------------------------------------------------------------- */

static u32 ratio(u64 first, u64 second, u64 gpu)
{
    struct llc_policy p = {.applications = 3, .on_sms = ~3u};
    return sampling_xsratio(&p, (const u64[]){first, second, gpu}, 10);
}

TEST(xsratio_is_how_many_times_more_often_the_gpu_asks_than_the_busiest_cpu_program)
{
    UNUSED_STATE;
    assert_int_equal(ratio(1000, 0, 9900), 1);
    assert_int_equal(ratio(1000, 0, 10000), 1);
    assert_int_equal(ratio(1000, 0, 10100), 10);
    assert_int_equal(ratio(1000, 0, 50000), 50);
    assert_int_equal(ratio(1000, 0, 5000000), 1023);
    assert_int_equal(ratio(1000, 2000, 50000), 25);
    assert_int_equal(ratio(0, 0, 1), 1023);
    assert_int_equal(ratio(0, 0, 0), 1);
}

/* ---- TAP-UCP --------------------------------------------------------------------------------- */

/* The same accesses for two policies; `sms`: of these the program on SMs. */
static void expect_same(const struct fake_setting *settings, const char *name, const char *other,
                        const char *replacement, u32 accesses)
{
    struct fake_llc a, b;
    struct rng r;
    fake_open(&a, name, "lru", 3, 64, 16, settings);
    fake_open(&b, other, replacement, 3, 64, 16, strcmp(other, "shared") == 0 ? NULL : plain);
    rng_init(&r, 1, "same");
    for (u32 i = 0; i < accesses; i++) {
        u32 app = (u32)rng_below(&r, 3), agent = app == 2 ? FAKE_SM((u32)rng_below(&r, 6)) : app;
        u64 line = rng_below(&r, 400u << app);
        a.retired[agent] += app * 7;
        assert_int_equal(fake_load(&a, app, agent, line), fake_load(&b, app, agent, line));
        assert_int_equal(a.last_way, b.last_way);
        fake_wait(&a, 1);
        fake_wait(&b, 1);
    }
    assert_true(a.fills > accesses / 10);
    fake_close(&a);
    fake_close(&b);
}

TEST(without_sampling_and_ratio_tap_is_what_it_is_made_of)
{
    UNUSED_STATE;
    static const struct fake_setting off[] = {
        {"interval", INTERVAL}, {"core_sampling", 0}, {"lifetime", 0}, {NULL, 0}};
    expect_same(off, "tap_ucp", "ucp", "lru", 30000);
    expect_same(off, "tap_rrip", "shared", "drrip", 30000);
}

TEST(with_a_threshold_of_0_nothing_is_masked)
{
    UNUSED_STATE;
    struct fake_llc f;
    static const struct fake_setting zero[] = {
        {"interval", INTERVAL}, {"threshold_percent", 0}, {"lifetime", 0}, {NULL, 0}};
    fake_open(&f, "tap_ucp", "lru", 2, 64, 32, zero);
    for (u32 i = 0; i < 5; i++) {
        period(&f, 100, 100);
        assert_int_equal(f.plan.marks, 0);
    }
    fake_close(&f);
}

TEST(hits_of_the_gpu_are_divided_by_the_ratio_and_those_kept_are_not)
{
    UNUSED_STATE;
    struct fake_llc f;
    static u64 divided[MOST_APPLICATIONS][UMON_MOST_WAYS];
    u32 expected[MOST_APPLICATIONS];
    struct rng r;
    fake_open(&f, "tap_ucp", "lru", 2, 64, 16, plain);
    rng_init(&r, 1, "divided");
    for (u32 i = 0; i < 6 * INTERVAL; i++) {
        if (i % INTERVAL == INTERVAL - 1)
            for (u32 k = 0; k < 20 * 30; k++) /* 20 times as many as the CPU program's */
                fake_load(&f, 1, FAKE_SM(3), rng_below(&r, 9 * 64));
        if (i % INTERVAL < 30)
            fake_load(&f, 0, 0, rng_below(&r, 2 * 64));
        for (u32 k = 0; k < 6; k++)
            f.retired[FAKE_SM(k)] += FAKE_SM(k) == f.plan.sampled[0] ? 100 : 150;
        fake_wait(&f, 1);
    }
    const struct sampling *s = sampling_of(&f);
    assert_int_equal(s->xsratio, 20);
    assert_int_equal(f.plan.marks, 0);
    for (u32 way = 0; way < 16; way++) {
        divided[0][way] = s->sums.hits[0][way];
        divided[1][way] = s->sums.hits[1][way] / 20;
        assert_true(way > 7 || s->sums.hits[1][way] > 0);
    }
    lookahead((const u64(*)[UMON_MOST_WAYS])divided, 2, 16, 0, expected);
    assert_int_equal(f.plan.quota[0], expected[0]);
    assert_int_equal(f.plan.quota[1], expected[1]);
    fake_close(&f);
}

TEST(the_first_sampled_sm_owns_no_line_under_partitions_and_leaves_no_trace)
{
    UNUSED_STATE;
    struct fake_llc f;
    struct rng r;
    fake_open(&f, "tap_ucp", "lru", 2, 64, 16, fixed);
    rng_init(&r, 1, "past");
    for (u32 i = 0; i < 20000; i++) {
        u32 sm = FAKE_SM((u32)rng_below(&r, 6));
        u64 before = f.fills;
        bool hit = fake_load(&f, 1, sm, rng_below(&r, 4096));
        assert_int_equal(f.fills - before, !hit && sm != FAKE_SM(0));
        fake_wait(&f, 1);
    }
    assert_true(f.passed > 1000);
    fake_close(&f);
    /* line 0 is the oldest of its set; a hit of that SM leaves it so, one of another does not */
    for (u32 sm = 0; sm < 3; sm += 2) {
        fake_open(&f, "tap_ucp", "lru", 2, 1, 4, probes);
        f.plan.quota[1] = 4;
        for (u64 i = 0; i < 4; i++)
            fake_load(&f, 1, FAKE_SM(2), i);
        assert_true(fake_load(&f, 1, FAKE_SM(sm), 0));
        fake_load(&f, 1, FAKE_SM(2), 9);
        assert_int_equal(fake_load(&f, 1, FAKE_SM(2), 0), sm == 2);
        fake_close(&f);
    }
}

TEST(the_first_sampled_sm_sees_no_line_of_others_unless_it_probes)
{
    UNUSED_STATE;
    struct fake_llc f;
    static const struct fake_setting *const settings[] = {fixed, probes};
    for (u32 n = 0; n < 2; n++) {
        fake_open(&f, "tap_ucp", "lru", 2, 64, 16, settings[n]);
        fake_load(&f, 1, FAKE_SM(2), 5);
        assert_int_equal(fake_load(&f, 1, FAKE_SM(0), 5), n);
        assert_int_equal(f.passed, 1 - n);
        assert_true(fake_load(&f, 1, FAKE_SM(1), 5)); /* the second sampled SM */
        fake_close(&f);
    }
}

/* ---- TAP-RRIP -------------------------------------------------------------------------------- */

static u8 guess_of(const struct fake_llc *f, u32 set, u32 way)
{
    return rrip_rrpvs(&f->tags.replacement, set)[way];
}

/* Way of a line of the GPU program. */
static u32 way_of(const struct fake_llc *f, u64 line)
{
    u32 set = tags_set(&f->tags, line * 64);
    return tags_find(&f->tags, set, fake_line(GPU(f), line));
}

TEST(sampled_sms_bring_lines_in_at_the_two_ends)
{
    UNUSED_STATE;
    struct fake_llc f;
    for (u32 mask = 0; mask <= 2; mask += 2) {
        fake_open(&f, "tap_rrip", "lru", 2, 64, 16, fixed);
        f.plan.marks = mask;
        for (u64 i = 0; i < 500; i++) {
            fake_load(&f, 1, FAKE_SM(0), 1000 + i);
            assert_int_equal(guess_of(&f, (1000 + i) % 64, f.last_way), 3);
            fake_load(&f, 1, FAKE_SM(1), 2000 + i);
            assert_int_equal(guess_of(&f, (2000 + i) % 64, f.last_way), 0);
        }
        fake_close(&f);
    }
}

TEST(under_the_mask_lines_of_the_gpu_come_in_far_stay_there_and_go_first)
{
    UNUSED_STATE;
    struct fake_llc f;
    struct rng r;
    u32 near = 0, fills = 0;
    fake_open(&f, "tap_rrip", "lru", 2, 64, 16, fixed);
    f.plan.marks = 2;
    rng_init(&r, 1, "mask");
    for (u32 i = 0; i < 200000; i++) {
        bool is_gpu = rng_below(&r, 2);
        u64 line = rng_below(&r, 64 * 40);
        u32 set = (u32)line % 64, far_gpu = 0;
        u64 owners[16];
        u8 before[16];
        for (u32 way = 0; way < 16; way++) {
            owners[way] = tags_address(&f.tags, set, way);
            before[way] = guess_of(&f, set, way);
            far_gpu +=
                owners[way] != NO_LINE && application_of(owners[way]) == 1 && before[way] == 3;
        }
        bool hit = fake_load(&f, is_gpu, is_gpu ? FAKE_SM(3) : 0, line);
        if (hit && is_gpu)
            assert_int_equal(guess_of(&f, set, way_of(&f, line)), before[way_of(&f, line)]);
        if (!hit && far_gpu && owners[f.last_way] != NO_LINE)
            assert_int_equal(application_of(owners[f.last_way]), 1);
        if (!hit && is_gpu) {
            near += guess_of(&f, set, f.last_way) == 2;
            fills++;
        }
    }
    assert_in_range(near, fills * 45 / 1000, fills * 55 / 1000);
    /* the second sampled SM's hits do count */
    fake_load(&f, 1, FAKE_SM(3), 5);
    fake_load(&f, 1, FAKE_SM(1), 5);
    assert_int_equal(guess_of(&f, 5, way_of(&f, 5)), 0);
    fake_close(&f);
}

/* Which lines come in near: all (SRRIP), or one in twenty (BRRIP). */
TEST(lines_come_in_as_srrip_only_where_neither_duel_nor_mask_say_otherwise)
{
    UNUSED_STATE;
    for (u32 row = 0; row < 4; row++) {
        struct fake_llc f;
        u32 near = 0;
        fake_open(&f, "tap_rrip", "lru", 2, 512, 16, fixed);
        struct rrip *s = f.tags.replacement.state;
        s->duel.psel[1] = row & 1 ? 100 : -100;
        f.plan.marks = row & 2;
        for (u64 i = 0; i < 1000; i++) { /* set 9 leads nobody's duel */
            fake_load(&f, 1, FAKE_SM(3), 9 + 512 * i);
            near += guess_of(&f, 9, f.last_way) == 2;
        }
        if (row == 0)
            assert_int_equal(near, 1000);
        else
            assert_in_range(near, 30, 70);
        fake_close(&f);
    }
}

TEST(the_mask_of_rrip_is_set_by_useless_hits_or_by_many_accesses)
{
    UNUSED_STATE;
    static const struct {
        u64 fast;
        u32 accesses, masked, without_ratio;
    } rows[] = {{100, 100, 2, 2}, {150, 100, 0, 0}, {150, 2000, 2, 0}, {100, 2000, 2, 2}};
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        struct fake_llc f;
        for (u32 k = 0; k < 2; k++) {
            fake_open(&f, "tap_rrip", "lru", 2, 64, 32, k ? no_ratio : plain);
            count(&f, 0, 100);
            count(&f, 1, rows[i].accesses);
            period(&f, 100, rows[i].fast);
            assert_int_equal(f.plan.marks, k ? rows[i].without_ratio : rows[i].masked);
            fake_close(&f);
        }
    }
}

/* Misses of a sampled SM move no duel. */
TEST(sampled_sms_take_no_part_in_the_duel)
{
    UNUSED_STATE;
    struct fake_llc f;
    fake_open(&f, "tap_rrip", "lru", 2, 512, 16, fixed);
    const struct rrip *s = f.tags.replacement.state;
    fake_load(&f, 1, FAKE_SM(0), 2); /* set 2 tries SRRIP for program 1 */
    fake_load(&f, 1, FAKE_SM(1), 2 + 512);
    assert_int_equal(s->duel.psel[1], 0);
    fake_load(&f, 1, FAKE_SM(2), 2 + 1024);
    assert_int_equal(s->duel.psel[1], 1);
    fake_close(&f);
}

/* ---- TAP-S ----------------------------------------------------------------------------------- */

static const struct fake_setting streams[] = {{"interval", INTERVAL}, {"streams", 1}, {NULL, 0}};

/* Program 0 of two streams, or uses 64 lines; the GPU gains nothing. */
static void stream(struct fake_llc *f, u32 periods, bool is_stream)
{
    for (u32 i = 0; i < periods * INTERVAL; i++) {
        fake_load(f, 0, 0, is_stream ? f->now * 2 : i % 64);
        for (u32 k = 0; k < 6; k++)
            f->retired[FAKE_SM(k)] += 10;
        fake_wait(f, 1);
    }
}

TEST(a_cpu_program_that_streams_for_two_periods_leaves_the_cache_to_the_gpu)
{
    UNUSED_STATE;
    struct fake_llc f;
    fake_open(&f, "tap_ucp", "lru", 2, 64, 32, streams);
    stream(&f, 1, true);
    assert_int_equal(f.plan.quota[1], 1);
    stream(&f, 1, true);
    assert_int_equal(f.plan.quota[0], 1);
    assert_int_equal(f.plan.quota[1], 31);
    stream(&f, 1, false);
    assert_int_equal(f.plan.quota[1], 1);
    fake_close(&f);
    fake_open(&f, "tap_rrip", "lru", 2, 64, 32, streams);
    stream(&f, 1, true);
    assert_int_equal(f.plan.marks, 2);
    stream(&f, 1, true);
    assert_int_equal(f.plan.marks, 0);
    stream(&f, 1, false);
    assert_int_equal(f.plan.marks, 2);
    fake_close(&f);
    fake_open(&f, "tap_rrip", "lru", 2, 64, 32, plain); /* without it nothing of that */
    stream(&f, 3, true);
    assert_int_equal(f.plan.marks, 2);
    fake_close(&f);
}

RUN_TESTS(T(sms_that_differ_by_less_than_a_threshold_set_the_mask),
          T(a_core_that_stands_still_leaves_the_last_answer),
          T(a_count_that_is_full_hides_what_lies_above),
          T(what_sms_did_right_after_they_were_chosen_does_not_count),
          T(sampling_goes_round_all_sms_equally_or_stays),
          T(after_a_few_periods_sampling_may_end_and_all_follow_the_plain_policy),
          T(a_mask_may_be_lifted_for_one_period_of_several),
          T(reprobes_and_the_masks_that_they_lift_are_counted),
          T(a_mask_that_keeps_the_gpu_from_hits_is_counted_as_latched),
          T(storage_is_a_count_for_each_sm_and_two_numbers_in_each_bank),
          T(programs_on_sms_that_cannot_be_compared_are_refused_with_a_sentence),
          T(xsratio_is_how_many_times_more_often_the_gpu_asks_than_the_busiest_cpu_program),
          T(without_sampling_and_ratio_tap_is_what_it_is_made_of),
          T(with_a_threshold_of_0_nothing_is_masked),
          T(hits_of_the_gpu_are_divided_by_the_ratio_and_those_kept_are_not),
          T(the_first_sampled_sm_owns_no_line_under_partitions_and_leaves_no_trace),
          T(the_first_sampled_sm_sees_no_line_of_others_unless_it_probes),
          T(sampled_sms_bring_lines_in_at_the_two_ends),
          T(under_the_mask_lines_of_the_gpu_come_in_far_stay_there_and_go_first),
          T(lines_come_in_as_srrip_only_where_neither_duel_nor_mask_say_otherwise),
          T(the_mask_of_rrip_is_set_by_useless_hits_or_by_many_accesses),
          T(sampled_sms_take_no_part_in_the_duel),
          T(a_cpu_program_that_streams_for_two_periods_leaves_the_cache_to_the_gpu))
