/* Policies of the shared cache: arithmetic of ways, monitors, partitions, duels. */
#include "testing.h"

#include "base/rng.h"
#include "policy/llc/umon.h"
#include "policy/llc/shares.h"
#include "policy/registry.h"

#define MIB (1024ull * 1024)

static const struct llc_policy_ops *find(const char *name)
{
    return (const struct llc_policy_ops *)policy_find(QUESTION_LLC, name);
}

/* ---- ways for regions ------------------------------------------------------------------------ */

/* Region bytes of Lee 2013, table 21, in hundredths of a MB, of 4 MB in 16 ways. */
TEST(published_region_sizes_give_the_ways_that_follow_from_them)
{
    UNUSED_STATE;
    static const struct {
        const char *program;
        u32 hundredths, ways;
    } rows[] = {{"LUD", 25, 1},  {"EV", 10, 1},   {"MC", 105, 5},    {"DX", 113, 5},
                {"HS", 300, 12}, {"MQ", 336, 14}, {"SG", 336, 14},   {"BP", 688, 16},
                {"S1", 702, 16}, {"BO", 809, 16}, {"LBM", 37030, 16}};
    for (u32 i = 0; i < ARRAY_LEN(rows); i++)
        assert_int_equal(llc_ways_for(rows[i].hundredths * MIB / 100, 4 * MIB, 16), rows[i].ways);
    assert_int_equal(llc_ways_for(0, 4 * MIB, 16), 1); /* all regions go past: not none */
    assert_int_equal(llc_ways_for(1, 4 * MIB, 16), 1);
    assert_int_equal(llc_ways_for(MIB / 4 + 1, 4 * MIB, 16), 2);
}

static u32 racr_ways(u32 by, struct llc_demand demand)
{
    struct llc_policy p = {
        .ways = 16, .bytes = 4 * MIB, .applications = 1, .demand = &demand, .config = &by};
    struct llc_plan plan = {.ways_on = 9};
    find("racr")->decide(&p, NULL, 0, &plan);
    return plan.ways_on;
}

TEST(resizing_goes_by_regions_as_launched_as_decided_or_both)
{
    UNUSED_STATE;
    enum { NAIVE, BYPASS, BOTH };
    struct llc_demand before = {1, 3 * MIB, 3 * MIB, 4 * MIB}, after = {1, 3 * MIB, MIB, MIB};
    assert_int_equal(racr_ways(NAIVE, before), 12);
    assert_int_equal(racr_ways(BYPASS, before), 16);
    assert_int_equal(racr_ways(BOTH, before), 12);
    assert_int_equal(racr_ways(NAIVE, after), 12);
    assert_int_equal(racr_ways(BYPASS, after), 4);
    assert_int_equal(racr_ways(BOTH, after), 4);
    assert_int_equal(racr_ways(BOTH, (struct llc_demand){0}), 9); /* nothing runs: as it was */
    /* what is decided never takes more than what was launched */
    struct rng r;
    rng_init(&r, 3, "racr");
    for (u32 i = 0; i < 1000; i++) {
        u64 bytes = rng_below(&r, 8 * MIB), kept = bytes ? rng_below(&r, bytes) : 0;
        struct llc_demand d = {1, bytes, kept, kept};
        assert_true(racr_ways(BYPASS, d) <= racr_ways(NAIVE, d));
    }
}

static void expect_shares(const u64 *bytes, u32 count, const u32 *expected)
{
    u32 ways[MOST_APPLICATIONS];
    way_shares(bytes, count, 4 * MIB, 16, ways);
    for (u32 i = 0; i < count; i++)
        assert_int_equal(ways[i], expected[i]);
}

TEST(programs_share_the_ways_in_proportion_and_the_rest_is_off)
{
    UNUSED_STATE;
    expect_shares((const u64[]){30 * MIB, 10 * MIB}, 2, (const u32[]){12, 4});
    expect_shares((const u64[]){5 * MIB, 3 * MIB}, 2, (const u32[]){10, 6});
    expect_shares((const u64[]){MIB, MIB}, 2, (const u32[]){4, 4});
    /* rounded up they would be 11 and 6: the one with more gives one */
    expect_shares((const u64[]){2 * MIB * 100, MIB * 100}, 2, (const u32[]){10, 6});
    expect_shares((const u64[]){0, 64 * MIB}, 2, (const u32[]){1, 15});
    struct rng r;
    rng_init(&r, 5, "shares");
    for (u32 i = 0; i < 2000; i++) {
        u64 bytes[4];
        u32 count = 2 + (u32)rng_below(&r, 3), ways[4], sum = 0;
        for (u32 k = 0; k < count; k++)
            bytes[k] = rng_below(&r, (u64)1 << (1 + rng_below(&r, 30)));
        way_shares(bytes, count, 4 * MIB, 16, ways);
        for (u32 k = 0; k < count; k++) {
            assert_true(ways[k] >= 1);
            sum += ways[k];
        }
        assert_true(sum <= 16);
    }
}

TEST(partitions_do_not_overlap)
{
    UNUSED_STATE;
    struct llc_demand demand[3] = {
        {1, 9 * MIB, 5 * MIB, 5 * MIB}, {0, 0, 0, 0}, {2, 3 * MIB, 3 * MIB, 3 * MIB}};
    struct llc_policy p = {.ways = 16, .bytes = 4 * MIB, .applications = 3, .demand = demand};
    struct llc_plan plan = {.ways_on = 16};
    find("gpar")->decide(&p, NULL, 0, &plan);
    assert_int_equal(plan.ways_of[0], 0x3ff);
    assert_int_equal(plan.ways_of[2], 0xfc00);
    assert_int_equal(plan.ways_on, 16);
    u32 config[2] = {0}; /* ways of the first, among programs */
    p.config = config;
    p.applications = 2;
    find("split")->decide(&p, NULL, 0, &plan);
    assert_int_equal(plan.ways_of[0], 0xff);
    assert_int_equal(plan.ways_of[1], 0xff00);
    config[0] = 5;
    p.applications = 3;
    find("split")->decide(&p, NULL, 0, &plan);
    assert_int_equal(plan.ways_of[0], 0x1f);
    assert_int_equal(plan.ways_of[1], 0x3e0);
    assert_int_equal(plan.ways_of[2], 0xfc00);
}

TEST(more_programs_than_ways_are_refused_with_a_sentence)
{
    UNUSED_STATE;
    static const char *const names[] = {"gpar", "split", "ucp"};
    for (u32 i = 0; i < ARRAY_LEN(names); i++) {
        struct err err = ERR_INIT;
        u64 config[4] = {0};
        struct llc_policy p = {
            .ops = find(names[i]), .ways = 2, .applications = 3, .config = config};
        assert_false(find(names[i])->init(&p, &err));
        assert_non_null(strstr(err.what, "has 3 programs for 2 ways, expected a way for each"));
        p.applications = 2;
        assert_true(find(names[i])->init(&p, &err));
    }
}

/* ---- utility --------------------------------------------------------------------------------- */

TEST(lookahead_jumps_to_where_hits_are_and_gives_every_program_a_way)
{
    UNUSED_STATE;
    static u64 hits[MOST_APPLICATIONS][UMON_MOST_WAYS];
    u32 out[MOST_APPLICATIONS];
    hits[0][9] = 1000; /* at the tenth place alone */
    for (u32 i = 0; i < 4; i++)
        hits[1][i] = 50;
    lookahead((const u64(*)[UMON_MOST_WAYS])hits, 2, 16, 0, out);
    assert_true(out[0] >= 10 && out[1] >= 4);
    assert_int_equal(out[0] + out[1], 16);
    memset(hits, 0, sizeof hits);
    lookahead((const u64(*)[UMON_MOST_WAYS])hits, 4, 16, 0, out); /* nobody gains: evenly */
    for (u32 i = 0; i < 4; i++)
        assert_int_equal(out[i], 4);
    for (u32 i = 0; i < 16; i++)
        hits[0][i] = hits[1][i] = 7;
    lookahead((const u64(*)[UMON_MOST_WAYS])hits, 2, 16, 0, out);
    assert_int_equal(out[0] + out[1], 16);
    assert_in_range(out[0], 1, 15);
}

TEST(a_monitor_counts_a_hit_for_its_place_in_lru_order_whatever_others_do)
{
    UNUSED_STATE;
    struct llc_policy p = {.ways = 4, .sets = 64, .banks = 1, .applications = 2};
    struct umon *u = calloc(1, umon_bytes(&p, 32));
    struct request a = {.application = 0}, other = {.application = 1};
    static const u64 lines[] = {1, 2, 3, 1, 1, 3, 9, 8, 2};
    for (u32 i = 0; i < ARRAY_LEN(lines); i++) {
        a.line = lines[i] * 128;
        other.line = (100 + i) * 128;
        umon_observe(&p, u, 32, 0, &a, 0);
        umon_observe(&p, u, 32, 0, &other, 0);
        umon_observe(&p, u, 32, 1, &a, 0); /* not a sampled set */
    }
    /* 1 at the third place, at the first, 3 at the second; 2 had gone */
    assert_int_equal(u->hits[0][0][2], 1);
    assert_int_equal(u->hits[0][0][0], 1);
    assert_int_equal(u->hits[0][0][1], 1);
    assert_int_equal(u->hits[0][0][3], 0);
    assert_int_equal(u->misses[0][0], 6);
    assert_int_equal(u->misses[0][1], 9);
    struct umon_sums sums = {.hits = {{8, 0, 0, 4}}};
    void *monitors[] = {u};
    umon_collect(&p, monitors, 0, &sums);
    assert_int_equal(sums.hits[0][0], 5); /* half of what was, and what is new */
    assert_int_equal(sums.hits[0][3], 2);
    assert_int_equal(sums.found[0], 3);
    assert_int_equal(sums.missed[0], 6);
    assert_int_equal(sums.accesses[0], 18); /* of all sets */
    assert_int_equal(u->hits[0][0][0], 0);
    free(u);
}

TEST(ucp_takes_a_line_of_another_below_its_part_and_one_of_its_own_at_it)
{
    UNUSED_STATE;
    u64 addresses[4] = {128, application_base(1) + 128, application_base(1) + 256, 384};
    for (u32 way = 0; way < 4; way++)
        addresses[way] = ~addresses[way];
    struct tags t = {.inverted = addresses, .ways = 4, .sets = 1};
    struct llc_plan plan = {.quota = {3, 1}};
    struct request a = {.application = 0}, b = {.application = 1};
    const struct llc_policy_ops *ucp = find("ucp");
    assert_int_equal(ucp->narrow(NULL, &plan, &t, 0, 0xf, &a), 6);
    assert_int_equal(ucp->narrow(NULL, &plan, &t, 0, 0xf, &b), 6);
    plan.quota[0] = 2;
    plan.quota[1] = 2;
    assert_int_equal(ucp->narrow(NULL, &plan, &t, 0, 0xf, &a), 9);
}

/* ---- RRIP ------------------------------------------------------------------------------------ */

struct rrip_bed {
    struct replacement r;
    u32 config[3];
    struct arena arena;
};

static void rrip_open(struct rrip_bed *b, u32 insert, u32 sets, u32 ways)
{
    *b = (struct rrip_bed){.config = {insert, 5, 32}};
    struct policy_choice c = {policy_find(QUESTION_REPLACEMENT, "drrip"), b->config};
    replacement_init(&b->r, &b->arena, c, sets, ways, 7);
}

/* A cache of one set order: true, the line was there. */
static bool rrip_access(struct rrip_bed *b, u64 *lines, u32 set, u64 line)
{
    struct request access = {.line = line};
    u64 *at = lines + (size_t)set * b->r.ways;
    for (u32 way = 0; way < b->r.ways; way++) {
        if (at[way] == line) {
            b->r.ops->hit(&b->r, set, way, &access);
            return true;
        }
    }
    u64 all = b->r.ways == 64 ? ~(u64)0 : ((u64)1 << b->r.ways) - 1;
    u32 way = b->r.ops->victim(&b->r, set, all, &access);
    at[way] = line;
    b->r.ops->fill(&b->r, set, way, &access);
    return false;
}

TEST(srrip_keeps_lines_that_were_hit_through_a_scan)
{
    UNUSED_STATE;
    struct rrip_bed b;
    u64 lines[32] = {0};
    rrip_open(&b, 0, 1, 32);
    u32 hits = 0, tries = 0;
    for (u32 round = 0; round < 50; round++) {
        for (u32 pass = 0; pass < 2; pass++) {
            for (u64 i = 1; i <= 16; i++) {
                bool hit = rrip_access(&b, lines, 0, i);
                hits += round > 2 && pass == 0 && hit;
                tries += round > 2 && pass == 0;
            }
        }
        for (u64 i = 0; i < 24; i++)
            rrip_access(&b, lines, 0, 1000 + round * 24 + i);
    }
    assert_true(hits * 10 >= tries * 9);
    arena_fini(&b.arena);
}

TEST(a_duel_finds_the_bimodal_side_for_a_loop_that_does_not_fit)
{
    UNUSED_STATE;
    enum { SETS = 1024, WAYS = 16, LOOP = 32 };
    u64 *lines = calloc((size_t)SETS * WAYS, sizeof *lines);
    u32 hits[2] = {0};
    for (u32 insert = 0; insert <= 2; insert += 2) {
        struct rrip_bed b;
        memset(lines, 0, (size_t)SETS * WAYS * sizeof *lines);
        rrip_open(&b, insert, SETS, WAYS);
        for (u32 round = 0; round < 20; round++) {
            for (u64 i = 1; i <= LOOP; i++) {
                for (u32 set = 0; set < SETS; set++)
                    hits[insert / 2] += rrip_access(&b, lines, set, i) && round >= 10;
            }
        }
        arena_fini(&b.arena);
    }
    assert_int_equal(hits[0], 0); /* SRRIP thrashes */
    assert_true(hits[1] > SETS * LOOP * 10 * 3 / 10);
    free(lines);
}

TEST(of_bimodal_lines_one_in_twenty_begins_near)
{
    UNUSED_STATE;
    struct rrip_bed b;
    rrip_open(&b, 1, 1, 16);
    struct request access = {.line = 1};
    u32 near = 0, count = 100000;
    for (u32 i = 0; i < count; i++) {
        b.r.ops->fill(&b.r, 0, i % 16, &access);
        near += ((const u8 *)b.r.table)[i % 16] == 2;
    }
    assert_in_range(near, count * 45 / 1000, count * 55 / 1000);
    arena_fini(&b.arena);
}

RUN_TESTS(T(published_region_sizes_give_the_ways_that_follow_from_them),
          T(resizing_goes_by_regions_as_launched_as_decided_or_both),
          T(programs_share_the_ways_in_proportion_and_the_rest_is_off),
          T(partitions_do_not_overlap), T(more_programs_than_ways_are_refused_with_a_sentence),
          T(lookahead_jumps_to_where_hits_are_and_gives_every_program_a_way),
          T(a_monitor_counts_a_hit_for_its_place_in_lru_order_whatever_others_do),
          T(ucp_takes_a_line_of_another_below_its_part_and_one_of_its_own_at_it),
          T(srrip_keeps_lines_that_were_hit_through_a_scan),
          T(a_duel_finds_the_bimodal_side_for_a_loop_that_does_not_fit),
          T(of_bimodal_lines_one_in_twenty_begins_near))
