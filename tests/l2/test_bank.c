/* A bank of the shared cache alone: see bank_bed.h for the cycles. */
#include "l2/bank_bed.h"

static void run(struct bed *b, const struct step *steps, u32 count)
{
    struct l2_config c = bed_config();
    bed_open(b, &c, "lru", NULL);
    bed_play(b, steps, count);
}

TEST(a_miss_takes_the_way_to_memory_and_back_and_a_hit_only_the_pipe)
{
    UNUSED_STATE;
    static const struct step steps[] = {{0, 0x1000, 1, REQUEST_LOAD, 0, 0},
                                        {100, 0x1000, 1, REQUEST_LOAD, 0, 0}};
    struct bed b;
    run(&b, steps, ARRAY_LEN(steps));
    assert_int_equal(b.arrived[0], MISS_CYCLES);
    assert_int_equal(b.arrived[1], 100 + HIT_CYCLES);
    assert_int_equal(b.bank.counts.misses, 1);
    assert_int_equal(b.bank.counts.hits, 1);
    assert_int_equal(b.reads, 1);
    close_bed(&b);
}

/* The fill keeps the data port for a whole line: 4 cycles. */
TEST(hits_wait_for_the_data_port)
{
    UNUSED_STATE;
    static const struct step steps[] = {
        {0, 0x1000, 0xf, REQUEST_LOAD, 0, 0},
        {100, 0x1000, 0xf, REQUEST_LOAD, 0, 0}, /* keeps it for 4 cycles */
        {100, 0x1000, 1, REQUEST_LOAD, 0, 0},   /* 4 later, for 1 */
        {100, 0x1000, 1, REQUEST_LOAD, 0, 0},   /* 1 later */
    };
    struct bed b;
    run(&b, steps, ARRAY_LEN(steps));
    assert_int_equal(b.arrived[1], 100 + HIT_CYCLES);
    assert_int_equal(b.arrived[2], 100 + HIT_CYCLES + 4);
    assert_int_equal(b.arrived[3], 100 + HIT_CYCLES + 5);
    /* the bank takes one a cycle from the network: the second is at its head two cycles after the
     * first was served, and waits for two; then the third for none */
    assert_int_equal(b.bank.counts.stall[STALL_PORT], 3);
    assert_int_equal(b.bank.counts.busy_port_cycles, 4 + 4 + 1 + 1);
    close_bed(&b);
}

TEST(requests_for_a_line_on_its_way_are_answered_one_a_cycle_when_it_comes)
{
    UNUSED_STATE;
    static const struct step steps[] = {{0, 0x1000, 1, REQUEST_LOAD, 0, 0},
                                        {0, 0x1000, 2, REQUEST_LOAD, 0, 0},
                                        {0, 0x1000, 4, REQUEST_LOAD, 0, 0}};
    struct bed b;
    run(&b, steps, ARRAY_LEN(steps));
    assert_int_equal(b.reads, 1);
    assert_int_equal(b.bank.counts.merges, 1);
    assert_int_equal(b.arrived[0], MISS_CYCLES);
    assert_int_equal(b.arrived[1], MISS_CYCLES + 1);
    /* the third found two waiting, the limit: it hits once the fill has left the port */
    assert_int_equal(b.bank.counts.hits, 1);
    assert_int_equal(b.arrived[2], MISS_CYCLES + 4);
    close_bed(&b);
}

/* Lines 512 bytes apart lie in one set. */
TEST(a_dirty_victim_goes_to_memory_and_a_clean_one_does_not)
{
    UNUSED_STATE;
    static const struct step steps[] = {
        {0, 0x1000, 0xf, REQUEST_STORE, REQUEST_WHOLE, 0}, /* needs nothing from memory */
        {100, 0x1200, 1, REQUEST_LOAD, 0, 0},
        {200, 0x1400, 1, REQUEST_LOAD, 0, 0}, /* the oldest goes: 0x1000 */
        {300, 0x1600, 1, REQUEST_LOAD, 0, 0}, /* 0x1200, clean */
    };
    struct bed b;
    run(&b, steps, ARRAY_LEN(steps));
    assert_int_equal(b.reads, 3);
    assert_int_equal(b.writes, 1);
    assert_int_equal(b.last_written, 0x1000);
    assert_int_equal(b.bank.counts.evictions, 2);
    assert_int_equal(b.arrived[0], HIT_CYCLES);
    assert_int_equal(b.arrived[2], 200 + MISS_CYCLES);
    close_bed(&b);
}

TEST(an_atomic_keeps_the_port_as_long_as_it_is_told)
{
    UNUSED_STATE;
    static const struct step steps[] = {{0, 0x1000, 1, REQUEST_LOAD, 0, 0},
                                        {100, 0x1000, 1, REQUEST_ATOMIC, 0, 0},
                                        {100, 0x1000, 1, REQUEST_LOAD, 0, 0}};
    struct bed b;
    run(&b, steps, ARRAY_LEN(steps));
    assert_int_equal(b.arrived[1], 100 + HIT_CYCLES);
    assert_int_equal(b.arrived[2], 100 + HIT_CYCLES + 4);
    assert_int_equal(b.bank.counts.atomics, 1);
    close_bed(&b);
}

TEST(sectors_that_are_written_in_part_keep_the_port_longer)
{
    UNUSED_STATE;
    static const struct step steps[] = {{0, 0x1000, 0xf, REQUEST_STORE, REQUEST_WHOLE, 0},
                                        {100, 0x1000, 0x7, REQUEST_STORE, REQUEST_WHOLE, 0},
                                        {100, 0x1000, 1, REQUEST_LOAD, 0, 0},
                                        {200, 0x1000, 0x7, REQUEST_STORE, 0, 0},
                                        {200, 0x1000, 1, REQUEST_LOAD, 0, 0}};
    struct l2_config config = bed_config();
    config.partial_sector_cycles = 1.7;
    struct bed b;
    bed_open(&b, &config, "lru", NULL);
    bed_play(&b, steps, ARRAY_LEN(steps));
    assert_int_equal(b.arrived[2], 100 + HIT_CYCLES + 3);
    assert_int_equal(b.arrived[4], 200 + HIT_CYCLES + 5); /* 1.7 for each, whole cycles */
    close_bed(&b);
}

/* ---- stores that bring their lines in -------------------------------------------------------- */

TEST(a_store_that_allocates_is_no_hit_on_its_own_line)
{
    UNUSED_STATE;
    static const struct step steps[] = {
        {0, 0x1000, 0xf, REQUEST_STORE, REQUEST_WHOLE, 0}, /* allocates */
        {100, 0x1000, 0xf, REQUEST_STORE, REQUEST_WHOLE, 0},
        {200, 0x1080, 0xf, REQUEST_WRITEBACK, 0, 0}, /* allocates */
        {300, 0x1080, 0xf, REQUEST_WRITEBACK, 0, 0},
        {400, 0x1000, 1, REQUEST_LOAD, 0, 0},
    };
    struct bed b;
    run(&b, steps, ARRAY_LEN(steps));
    assert_int_equal(b.bank.counts.accesses, 5);
    assert_int_equal(b.bank.counts.store_allocations, 2);
    assert_int_equal(b.bank.counts.hits, 3);
    assert_int_equal(b.bank.counts.misses, 0);
    assert_int_equal(b.arrived[0], HIT_CYCLES); /* it takes as long as a hit */
    close_bed(&b);
}

/* Lines 512 bytes apart lie in one set of two ways. */
TEST(a_victim_from_above_promotes_its_line_unless_it_is_silent)
{
    UNUSED_STATE;
    static const struct step steps[] = {
        {0, 0x1000, 1, REQUEST_LOAD, 0, 0},
        {100, 0x1200, 1, REQUEST_LOAD, 0, 0},
        {200, 0x1000, 0xf, REQUEST_WRITEBACK, 0, 0},
        {300, 0x1400, 1, REQUEST_LOAD, 0, 0}, /* the older of the two goes */
        {400, 0x1000, 1, REQUEST_LOAD, 0, 0},
    };
    struct bed b;
    for (u32 silent = 0; silent < 2; silent++) {
        struct l2_config c = bed_config();
        c.silent_writebacks = silent;
        bed_open(&b, &c, "lru", NULL);
        bed_play(&b, steps, ARRAY_LEN(steps));
        assert_int_equal(b.arrived[4], 400 + (silent ? MISS_CYCLES : HIT_CYCLES));
        assert_int_equal(b.writes, silent); /* its data leave with it */
        assert_int_equal(b.bank.counts.hits, silent ? 1 : 2);
        close_bed(&b);
    }
}

/* ---- a head that waits ----------------------------------------------------------------------- */

/* Lines 128 bytes apart lie in neighbouring sets. The bank takes one request a cycle: of requests
 * pushed in one cycle the n-th reaches it n cycles later. */
static const struct step full_mshrs[] = {
    {0, 0x1000, 1, REQUEST_LOAD, 0, 0},   {100, 0x2080, 1, REQUEST_LOAD, 0, 0},
    {100, 0x2100, 1, REQUEST_LOAD, 0, 0}, /* both MSHRs are taken */
    {100, 0x2180, 1, REQUEST_LOAD, 0, 0}, /* waits for one, until 117 */
    {100, 0x1000, 1, REQUEST_LOAD, 0, 0}, /* a hit */
};

TEST(a_hit_waits_behind_a_miss_without_an_mshr_unless_hits_go_under_misses)
{
    UNUSED_STATE;
    struct bed b;
    for (u32 passes = 0; passes < 2; passes++) {
        struct l2_config c = bed_config();
        c.hit_under_miss = passes;
        bed_open(&b, &c, "lru", NULL);
        bed_play(&b, full_mshrs, ARRAY_LEN(full_mshrs));
        assert_int_equal(b.arrived[3], 117 + 1 + MEMORY_CYCLES + 2);
        /* else: after two fills of 4 cycles of the data port each, which begin in 117 */
        assert_int_equal(b.arrived[4], passes ? 100 + HIT_CYCLES + 3 : 125 + 1);
        assert_int_equal(b.bank.counts.passing_hits, passes);
        close_bed(&b);
    }
}

TEST(a_hit_does_not_go_ahead_of_an_earlier_request_to_its_line)
{
    UNUSED_STATE;
    static const struct step steps[] = {
        {0, 0x1000, 1, REQUEST_LOAD, 0, 0},   {50, 0x1180, 1, REQUEST_LOAD, 0, 0},
        {100, 0x2080, 1, REQUEST_LOAD, 0, 0}, {100, 0x2100, 1, REQUEST_LOAD, 0, 0},
        {100, 0x1000, 2, REQUEST_LOAD, 0, 0}, /* another sector: waits for an MSHR, until 117 */
        {100, 0x1000, 1, REQUEST_LOAD, 0, 0}, /* is there, and waits all the same */
        {100, 0x1180, 1, REQUEST_LOAD, 0, 0}, /* goes ahead of both */
    };
    struct l2_config c = bed_config();
    struct bed b;
    c.hit_under_miss = c.sectored = true;
    bed_open(&b, &c, "lru", NULL);
    bed_play(&b, steps, ARRAY_LEN(steps));
    assert_int_equal(b.arrived[6], 100 + HIT_CYCLES + 4);
    assert_int_equal(b.arrived[4], 117 + 1 + MEMORY_CYCLES + 2);
    /* the head is served in 117, and a fill of a sector keeps the data port in 117 and in 118 */
    assert_int_equal(b.arrived[5], 119 + 1);
    assert_int_equal(b.bank.counts.passing_hits, 1);
    close_bed(&b);
}

/* A set of two ways whose lines are both on their way, and three MSHRs. */
static const struct step full_set[] = {
    {0, 0x1000, 1, REQUEST_LOAD, 0, 0},
    {0, 0x1200, 1, REQUEST_LOAD, 0, 0},
    {0, 0x1400, 1, REQUEST_LOAD, 0, 0}, /* finds no way */
    {0, 0x1600, 0xf, REQUEST_STORE, REQUEST_WHOLE, 0},
    {100, 0x1400, 1, REQUEST_LOAD, 0, 0},
};

TEST(a_miss_without_a_way_waits_for_one)
{
    UNUSED_STATE;
    struct l2_config c = bed_config();
    struct bed b;
    c.mshrs = 3;
    bed_open(&b, &c, "lru", NULL);
    bed_play(&b, full_set, ARRAY_LEN(full_set));
    assert_int_equal(b.arrived[2], 17 + 1 + MEMORY_CYCLES + 2); /* served when the first has come */
    assert_int_equal(b.bank.counts.unplaced_misses + b.bank.counts.unplaced_stores, 0);
    assert_int_equal(b.reads, 3);
    close_bed(&b);
}

TEST(a_miss_without_a_way_can_bypass_the_cache)
{
    UNUSED_STATE;
    struct l2_config c = bed_config();
    struct bed b;
    c.mshrs = 3;
    c.full_set = FULL_SET_BYPASS;
    bed_open(&b, &c, "lru", NULL);
    bed_play(&b, full_set, ARRAY_LEN(full_set));
    /* its line does not take the data port, but comes after two fills that take it for 4 cycles */
    assert_int_equal(b.arrived[2], 17 + 4 + 4 + 1);
    assert_int_equal(b.arrived[3], HIT_CYCLES + 3); /* the store goes to memory */
    assert_int_equal(b.writes, 1);
    assert_int_equal(b.last_written, 0x1600);
    assert_int_equal(b.bank.counts.unplaced_misses, 1);
    assert_int_equal(b.bank.counts.unplaced_stores, 1);
    assert_int_equal(b.arrived[4], 100 + MISS_CYCLES); /* its line was not kept */
    assert_int_equal(b.bank.counts.misses, 4);
    assert_int_equal(b.bank.counts.accesses, 5);
    close_bed(&b);
}

/* ---- requests that bypass the bank ----------------------------------------------------------- */

TEST(a_blind_bypass_takes_as_long_as_dram_unless_the_line_is_dirty)
{
    UNUSED_STATE;
    enum { BLIND = REQUEST_BYPASS_L2 | REQUEST_BLIND };
    static const struct step steps[] = {
        {0, 0x1000, 1, REQUEST_LOAD, 0, 0},
        {50, 0x1200, 1, REQUEST_LOAD, 0, 0},
        {100, 0x1000, 1, REQUEST_LOAD, REQUEST_BYPASS_L2, 0}, /* probes */
        {200, 0x1000, 1, REQUEST_LOAD, BLIND, 0},
        {201, 0x1000, 1, REQUEST_LOAD, 0, 0}, /* the line serves others meanwhile */
        {300, 0x1000, 1, REQUEST_STORE, BLIND | REQUEST_WHOLE, 0},
        {400, 0x1000, 1, REQUEST_LOAD, BLIND, 0}, /* newer than DRAM */
    };
    struct l2_config c = bed_config();
    struct bed b;
    bed_open(&b, &c, "lru", NULL);
    bank_let_bypass(&b.bank, &b.sim.arena);
    bed_play(&b, steps, ARRAY_LEN(steps));
    assert_int_equal(b.arrived[2], 100 + HIT_CYCLES);
    assert_int_equal(b.arrived[3], 200 + MISS_CYCLES);
    assert_int_equal(b.arrived[4], 201 + HIT_CYCLES);
    assert_int_equal(b.arrived[5], 300 + HIT_CYCLES);
    assert_int_equal(b.arrived[6], 400 + HIT_CYCLES);
    assert_int_equal(b.reads, 3);
    assert_int_equal(b.bank.bypass->blind, 1);
    assert_int_equal(b.bank.bypass->loads, 1);
    assert_int_equal(b.bank.bypass->found, 3);
    assert_int_equal(b.bank.counts.fills, 2); /* what the blind load brought is not kept */
    close_bed(&b);
}

/* The line is on its way when the second comes, so that the second waits for it all the same. */
TEST(a_read_that_bypasses_the_bank_does_not_join_another)
{
    UNUSED_STATE;
    static const struct step steps[] = {
        {0, 0x1000, 1, REQUEST_LOAD, 0, 0},
        {1, 0x1000, 1, REQUEST_LOAD, REQUEST_BYPASS_L2, 1},
    };
    struct l2_config c = bed_config();
    c.coalesce = (struct coalesce_config){.agents = 2, .requests = 4, .cycles = 50};
    struct bed b;
    bed_open(&b, &c, "lru", NULL);
    bank_let_bypass(&b.bank, &b.sim.arena);
    bed_play(&b, steps, ARRAY_LEN(steps));
    assert_int_equal(coalescer_counts(b.bank.coalescer)->joined, 0);
    assert_int_equal(b.bank.counts.responses, 2);
    assert_int_equal(b.bank.counts.accesses, 2);
    assert_int_equal(b.bank.bypass->found, 1);
    assert_int_equal(b.bank.bypass->answers, 0);
    close_bed(&b);
}

RUN_TESTS(T(a_miss_takes_the_way_to_memory_and_back_and_a_hit_only_the_pipe),
          T(hits_wait_for_the_data_port),
          T(requests_for_a_line_on_its_way_are_answered_one_a_cycle_when_it_comes),
          T(a_dirty_victim_goes_to_memory_and_a_clean_one_does_not),
          T(an_atomic_keeps_the_port_as_long_as_it_is_told),
          T(sectors_that_are_written_in_part_keep_the_port_longer),
          T(a_store_that_allocates_is_no_hit_on_its_own_line),
          T(a_victim_from_above_promotes_its_line_unless_it_is_silent),
          T(a_hit_waits_behind_a_miss_without_an_mshr_unless_hits_go_under_misses),
          T(a_hit_does_not_go_ahead_of_an_earlier_request_to_its_line),
          T(a_miss_without_a_way_waits_for_one), T(a_miss_without_a_way_can_bypass_the_cache),
          T(a_blind_bypass_takes_as_long_as_dram_unless_the_line_is_dirty),
          T(a_read_that_bypasses_the_bank_does_not_join_another))
