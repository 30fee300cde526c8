/* Where lines come in and how they move: LRU, static parts, UCP, TADIP, RRIP, PIPP, thrashers. */
#include "policy/fake_llc.h"

#include "base/rng.h"
#include "policy/llc/umon.h"
#include "policy/replacement/rrip.h"

#define ONE_SM FAKE_SM(0)

/* Hits of a loop over so many lines of one set, in its last round of four. */
static u32 loop_hits(struct fake_llc *f, u32 application, u32 lines)
{
    u32 hits = 0;
    for (u32 round = 0; round < 4; round++) {
        for (u64 i = 0; i < lines; i++) {
            bool hit = fake_load(f, application, application ? ONE_SM : 0, i * f->tags.sets);
            hits += round == 3 && hit;
        }
    }
    return hits;
}

TEST(lru_keeps_a_loop_that_fits_and_nothing_of_one_that_does_not)
{
    UNUSED_STATE;
    struct fake_llc f;
    static const u32 lines[] = {32, 33, 100}, hits[] = {32, 0, 0};
    for (u32 i = 0; i < 3; i++) {
        fake_open(&f, "shared", "lru", 2, 4, 32, NULL);
        assert_int_equal(loop_hits(&f, 0, lines[i]), hits[i]);
        fake_close(&f);
    }
}

/* ---- static parts ---------------------------------------------------------------------------- */

static const struct fake_setting kinds[] = {{"among", 1}, {NULL, 0}};

TEST(programs_on_cpu_cores_share_one_half_and_those_on_sms_have_the_other)
{
    UNUSED_STATE;
    struct fake_llc f;
    struct rng r;
    fake_open(&f, "split", "lru", 4, 16, 32, kinds);
    rng_init(&r, 1, "split");
    for (u32 i = 0; i < 40000; i++) {
        u32 app = (u32)rng_below(&r, 4), set;
        u64 line = rng_below(&r, 2000);
        fake_load(&f, app, app == 3 ? ONE_SM : app, line);
        set = (u32)line % 16;
        assert_true(fake_lines(&f, set, 3) <= 16);
        assert_true(fake_lines(&f, set, 0) + fake_lines(&f, set, 1) + fake_lines(&f, set, 2) <= 16);
    }
    fake_close(&f);
}

TEST(sms_alone_in_their_half_see_a_cache_of_half_the_ways)
{
    UNUSED_STATE;
    struct fake_llc half, small;
    struct rng r;
    fake_open(&half, "split", "lru", 2, 16, 32, kinds);
    fake_open(&small, "shared", "lru", 2, 16, 16, NULL);
    rng_init(&r, 1, "half");
    for (u32 i = 0; i < 40000; i++) {
        u64 line = rng_below(&r, 400);
        assert_int_equal(fake_load(&half, 1, ONE_SM, line), fake_load(&small, 1, ONE_SM, line));
    }
    fake_close(&half);
    fake_close(&small);
}

/* ---- UCP ------------------------------------------------------------------------------------- */

static void expect_ways(const u64 (*hits)[UMON_MOST_WAYS], u32 count, u32 kept, const u32 *expected)
{
    u32 out[MOST_APPLICATIONS];
    lookahead(hits, count, 32, kept, out);
    for (u32 i = 0; i < count; i++)
        assert_int_equal(out[i], expected[i]);
}

TEST(lookahead_sees_over_a_step_splits_evenly_and_keeps_some_small)
{
    UNUSED_STATE;
    static u64 hits[MOST_APPLICATIONS][UMON_MOST_WAYS];
    const u64(*h)[UMON_MOST_WAYS] = (const u64(*)[UMON_MOST_WAYS])hits;
    /* one jump to ten ways; then nobody gains, and the 21 that are left go round */
    hits[0][9] = 100;
    expect_ways(h, 2, 0, (const u32[]){21, 11});
    /* two alike */
    for (u32 way = 0; way < 32; way++)
        hits[0][way] = hits[1][way] = 7;
    expect_ways(h, 2, 0, (const u32[]){16, 16});
    /* the second keeps one, whatever it hits */
    hits[1][0] = 1000000;
    expect_ways(h, 2, 2, (const u32[]){31, 1});
    /* where all would keep one nobody does: the second takes its first hits' way, then both alike
     */
    hits[1][0] = 7;
    expect_ways(h, 2, 3, (const u32[]){16, 16});
}

static const struct fake_setting thousands[] = {
    {"interval", 1000}, {"sampled_sets", 32}, {NULL, 0}};

/* A program's stream: 12 lines of each set in turn, and now and then others. */
static void load_stream(struct fake_llc *f, struct rng *r, u32 app)
{
    u64 line = rng_below(r, 4) ? rng_below(r, 12 * 64) : rng_below(r, 1 << 20);
    fake_load(f, app, app == f->policy.applications - 1 ? ONE_SM : app, line);
}

TEST(monitors_of_a_program_count_the_same_with_and_without_others)
{
    UNUSED_STATE;
    struct fake_llc alone, both;
    struct rng ra, rb, other;
    fake_open(&alone, "ucp", "lru", 2, 64, 16, NULL);
    fake_open(&both, "ucp", "lru", 2, 64, 16, NULL);
    rng_init(&ra, 1, "stream");
    rng_init(&rb, 1, "stream");
    rng_init(&other, 2, "other");
    for (u32 i = 0; i < 20000; i++) {
        load_stream(&alone, &ra, 0);
        load_stream(&both, &rb, 0);
        load_stream(&both, &other, 1);
    }
    const struct umon *a = alone.monitor, *b = both.monitor;
    assert_memory_equal(a->hits[0][0], b->hits[0][0], sizeof a->hits[0][0]);
    assert_int_equal(a->misses[0][0], b->misses[0][0]);
    assert_true(a->misses[0][0] > 100 && a->hits[0][0][5] > 10);
    fake_close(&alone);
    fake_close(&both);
}

TEST(lines_in_sets_become_as_many_as_the_parts_and_nothing_is_flushed)
{
    UNUSED_STATE;
    enum { SETS = 64, WAYS = 16 };
    struct fake_llc f;
    struct rng r;
    fake_open(&f, "ucp", "lru", 2, SETS, WAYS, thousands);
    rng_init(&r, 1, "parts");
    for (u32 i = 0; i < 100000; i++) { /* each has more lines than ways; the last plan stays */
        fake_load(&f, 0, 0, rng_below(&r, 14 * SETS));
        fake_load(&f, 1, ONE_SM, rng_below(&r, 40 * SETS));
        if (i < 50000)
            fake_wait(&f, 1);
    }
    u32 near = 0;
    for (u32 set = 0; set < SETS; set++) {
        u32 lines = fake_lines(&f, set, 0);
        near += lines + 1 >= f.plan.quota[0] && lines <= f.plan.quota[0] + 1;
        assert_int_equal(lines + fake_lines(&f, set, 1), WAYS); /* a full set stays full */
    }
    assert_true(f.plan.quota[0] > f.plan.quota[1] && near * 100 >= SETS * 95u);
    fake_close(&f);
}

/* ---- TADIP ----------------------------------------------------------------------------------- */

TEST(a_loop_twice_the_cache_keeps_a_part_with_bimodal_insertion_and_nothing_with_lru)
{
    UNUSED_STATE;
    enum { SETS = 512, WAYS = 16, LOOP = 32 };
    static const char *const policies[] = {"lru", "tadip", "drrip"};
    u32 hits[3] = {0};
    for (u32 n = 0; n < 3; n++) {
        struct fake_llc f;
        fake_open(&f, "shared", policies[n], 2, SETS, WAYS, NULL);
        for (u32 round = 0; round < 20; round++) {
            for (u64 i = 0; i < LOOP * SETS; i++)
                hits[n] += fake_load(&f, 1, ONE_SM, i) && round >= 10;
        }
        fake_close(&f);
    }
    assert_int_equal(hits[0], 0);
    assert_true(hits[1] > LOOP * SETS * 10 * 3 / 10);
    assert_true(hits[2] > LOOP * SETS * 10 * 3 / 10);
}

TEST(each_program_has_its_own_duel_and_moves_it_in_its_own_sets)
{
    UNUSED_STATE;
    enum { SETS = 512, WAYS = 16 };
    struct fake_llc f;
    fake_open(&f, "shared", "drrip", 2, SETS, WAYS, NULL);
    const struct rrip *s = f.tags.replacement.state;
    /* 4 lines of each set, others after 4 rounds, between 6 of a loop of 32 */
    for (u32 round = 0; round < 60; round++) {
        for (u64 i = 0; i < 4 * SETS; i++)
            fake_load(&f, 0, 0, round / 4 * 4 * SETS + i);
        for (u64 i = 0; i < 6 * SETS; i++)
            fake_load(&f, 1, ONE_SM, (round * 6 * SETS + i) % (32 * SETS));
    }
    assert_true(s->duel.psel[1] > 50);  /* SRRIP misses more */
    assert_true(s->duel.psel[0] < -50); /* BRRIP does */
    fake_close(&f);
    /* one miss in the set that tries SRRIP for program 1 */
    fake_open(&f, "shared", "drrip", 2, SETS, WAYS, NULL);
    s = f.tags.replacement.state;
    fake_load(&f, 1, ONE_SM, 2);
    assert_int_equal(s->duel.psel[1], 1);
    fake_load(&f, 0, 0, 2);
    fake_load(&f, 1, ONE_SM, 7);
    assert_int_equal(s->duel.psel[1], 1);
    assert_int_equal(s->duel.psel[0], 0);
    fake_load(&f, 1, ONE_SM, 3);
    assert_int_equal(s->duel.psel[1], 0);
    fake_close(&f);
}

TEST(leader_sets_are_of_the_whole_cache_however_many_banks_it_has)
{
    UNUSED_STATE;
    for (u32 banks = 1; banks <= 8; banks *= 2) {
        struct replacement r = {.sets = 4096 / banks, .banks = banks};
        u32 sets[3] = {0};
        for (u32 set = 0; set < r.sets; set++)
            sets[duel_leads(&r, 32, set, 1)]++;
        assert_int_equal(sets[LEADS_FIRST] * banks, 32);
        assert_int_equal(sets[LEADS_SECOND] * banks, 32);
    }
}

/* A selector of 10 bits begins at 512, and its highest bit chooses the second (spec 2.4, 2.5). */
TEST(a_duel_begins_with_the_second_side)
{
    UNUSED_STATE;
    struct duel d = {{0}};
    assert_true(duel_takes_second(&d, LEADS_NONE, 0));
    duel_missed(&d, LEADS_SECOND, 0);
    assert_false(duel_takes_second(&d, LEADS_NONE, 0));
    duel_missed(&d, LEADS_FIRST, 0);
    assert_true(duel_takes_second(&d, LEADS_NONE, 0));
}

/* ---- PIPP ------------------------------------------------------------------------------------ */

static u32 place_of(const struct fake_llc *f, u32 way)
{
    return ((const u8 *)f->tags.replacement.table)[way];
}

TEST(pipp_puts_a_line_as_far_from_the_end_as_its_program_has_ways)
{
    UNUSED_STATE;
    struct fake_llc f;
    fake_open(&f, "pipp", "lru", 2, 1, 16, NULL);
    for (u64 i = 0; i < 16; i++) /* fills all ways */
        fake_load(&f, 0, 0, i);
    for (u32 ways = 1; ways <= 16; ways++) {
        f.plan.quota[0] = ways;
        fake_load(&f, 0, 0, 100 + ways);
        assert_int_equal(place_of(&f, f.last_way), ways - 1);
    }
    f.plan.marks = 2; /* the second streams: as with one way */
    f.plan.quota[1] = 12;
    fake_load(&f, 1, ONE_SM, 1);
    assert_int_equal(place_of(&f, f.last_way), 0);
    fake_close(&f);
}

TEST(pipp_moves_a_line_up_by_one_place_and_mostly_not_that_of_a_stream)
{
    UNUSED_STATE;
    struct fake_llc f;
    static const double chances[] = {0.75, 1.0 / 128};
    for (u32 streams = 0; streams < 2; streams++) {
        u32 moved = 0, tries = 0;
        fake_open(&f, "pipp", "lru", 2, 1, 16, NULL);
        f.plan.marks = streams ? 1 : 0;
        f.plan.quota[0] = 1;
        for (u64 i = 0; i < 16; i++)
            fake_load(&f, 0, 0, i);
        for (u32 i = 0; i < 60000; i++) {
            u32 lowest = 0;
            while (place_of(&f, lowest))
                lowest++;
            assert_true(fake_load(&f, 0, 0, tags_address(&f.tags, 0, lowest) / 64));
            assert_true(place_of(&f, lowest) <= 1);
            moved += place_of(&f, lowest) == 1;
            tries++;
        }
        assert_true(moved > 0.8 * chances[streams] * tries &&
                    moved < 1.2 * chances[streams] * tries);
        fake_close(&f);
    }
}

TEST(pipp_finds_streams_by_misses_in_monitored_sets)
{
    UNUSED_STATE;
    struct fake_llc f;
    fake_open(&f, "pipp", "lru", 2, 64, 16, thousands);
    for (u32 i = 0; i < 1000; i++) {
        fake_load(&f, 0, 0, i % 64);
        fake_load(&f, 1, ONE_SM, i);
        fake_wait(&f, 1);
    }
    assert_int_equal(f.plan.marks, 2); /* the first misses 64 of 1,000 */
    assert_int_equal(f.plan.quota[0], 15);
    assert_int_equal(f.plan.quota[1], 1); /* whatever it hits */
    fake_close(&f);
}

/* ---- thrashers ------------------------------------------------------------------------------- */

static const struct fake_setting cage[] = {{"interval", 10000}, {NULL, 0}};

TEST(a_program_with_many_accesses_and_misses_is_caged_and_others_are_not)
{
    UNUSED_STATE;
    struct fake_llc f;
    fake_open(&f, "tc", "lru", 3, 64, 32, cage);
    for (u32 i = 0; i < 30000; i++) {
        if (i % 4 == 0)
            fake_load(&f, 0, 0, i % 64); /* 250 in 1,000 cycles, few misses */
        if (i % 20 == 0)
            fake_load(&f, 1, 1, 1000000 + i); /* 50 in 1,000 cycles, all miss */
        if (i % 2 == 0)
            fake_load(&f, 2, ONE_SM, i); /* 500 in 1,000 cycles, all miss */
        fake_wait(&f, 1);
    }
    assert_int_equal(f.plan.marks, 4);
    assert_int_equal(f.plan.ways_of[2], 0xc0000000); /* 2 of 32 */
    assert_int_equal(f.plan.ways_of[0], 0x3fffffff);
    for (u32 i = 0; i < 200000; i++) { /* what it had elsewhere goes when others come */
        fake_load(&f, 0, 0, i % 4096);
        fake_load(&f, 2, ONE_SM, i);
    }
    for (u32 set = 0; set < 64; set++)
        assert_true(fake_lines(&f, set, 2) <= 2);
    fake_close(&f);
}

/* A program that hits in a cache of 8 MB misses little: means of the accepted programs of type D.
 */
TEST(seventy_accesses_and_seven_misses_in_1000_cycles_are_enough_for_a_cage)
{
    UNUSED_STATE;
    struct fake_llc f;
    fake_open(&f, "tc", "lru", 3, 64, 32, cage);
    for (u32 i = 0; i < 10000; i++) {
        if (i % 14 == 0) /* 71 in 1,000 cycles, of which one in ten misses */
            fake_load(&f, 2, ONE_SM, i % 140 ? 0 : 64 + i);
        if (i % 20 == 0) /* 50 in 1,000 cycles, all miss */
            fake_load(&f, 0, 0, 1000000 + i);
        if (i % 14 == 0) /* 71, of which one in 20 misses */
            fake_load(&f, 1, 1, i % 280 ? 0 : 64 + i);
        fake_wait(&f, 1);
    }
    assert_int_equal(f.plan.marks, 4);
    fake_close(&f);
}

TEST(where_all_thrash_nobody_is_caged)
{
    UNUSED_STATE;
    struct fake_llc f;
    fake_open(&f, "tc", "lru", 2, 64, 32, cage);
    for (u32 i = 0; i < 20000; i++) {
        fake_load(&f, 0, 0, i);
        fake_load(&f, 1, ONE_SM, i);
        fake_wait(&f, 1);
    }
    assert_int_equal(f.plan.marks, 0);
    assert_int_equal(f.plan.ways_of[0], 0xffffffff);
    fake_close(&f);
}

RUN_TESTS(T(lru_keeps_a_loop_that_fits_and_nothing_of_one_that_does_not),
          T(programs_on_cpu_cores_share_one_half_and_those_on_sms_have_the_other),
          T(sms_alone_in_their_half_see_a_cache_of_half_the_ways),
          T(lookahead_sees_over_a_step_splits_evenly_and_keeps_some_small),
          T(monitors_of_a_program_count_the_same_with_and_without_others),
          T(lines_in_sets_become_as_many_as_the_parts_and_nothing_is_flushed),
          T(a_loop_twice_the_cache_keeps_a_part_with_bimodal_insertion_and_nothing_with_lru),
          T(each_program_has_its_own_duel_and_moves_it_in_its_own_sets),
          T(leader_sets_are_of_the_whole_cache_however_many_banks_it_has),
          T(a_duel_begins_with_the_second_side),
          T(pipp_puts_a_line_as_far_from_the_end_as_its_program_has_ways),
          T(pipp_moves_a_line_up_by_one_place_and_mostly_not_that_of_a_stream),
          T(pipp_finds_streams_by_misses_in_monitored_sets),
          T(a_program_with_many_accesses_and_misses_is_caged_and_others_are_not),
          T(seventy_accesses_and_seven_misses_in_1000_cycles_are_enough_for_a_cage),
          T(where_all_thrash_nobody_is_caged))
