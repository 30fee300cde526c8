/* What elements, banks and changes of mode cost, to the cycle. */
#include "fabric/bed.h"

#define ONE_TILE "tile.count=1"
static const char *const one_tile[] = {ONE_TILE, "rl2.banks=1", NULL};
static const struct fabric_phase shared = {
    .name = "shared", .mode = FABRIC_SHARED, .team = 1, .items = 1};
static const struct fabric_phase shared2 = {
    .name = "shared", .mode = FABRIC_SHARED, .team = 1, .items = 2};
static const struct fabric_phase pair = {
    .name = "pair", .mode = FABRIC_PRIVATE, .team = 2, .items = 1};

TEST(a_computation_takes_its_cycles)
{
    UNUSED_STATE;
    static const struct fabric_op ops[] = {COMPUTE(1), COMPUTE(7), COMPUTE(1), END};
    struct script s = {.phases = &shared, .phase_count = 1, .ops = {ops}};
    struct bed b;
    play(&b, &s, one_tile);
    assert_int_equal(s.asked[0][1] - s.asked[0][0], 1);
    assert_int_equal(s.asked[0][2] - s.asked[0][1], 7);
    assert_int_equal(b.fabric->tiles[0].counts.operations, 3);
    bed_close(&b);
}

/* Issued in n, there in n + 2: the computation that waits for it is issued then. */
TEST(a_load_that_hits_is_there_after_exactly_hit_cycles)
{
    UNUSED_STATE;
    static const struct fabric_op ops[] = {STORE(4096, 32), LOAD(4096, 8), WAIT(0), COMPUTE(1),
                                           END};
    struct script s = {.phases = &shared, .phase_count = 1, .ops = {ops}};
    struct bed b;
    play(&b, &s, one_tile);
    assert_int_equal(s.asked[0][3] - s.asked[0][1], 2);
    assert_int_equal(b.fabric->tiles[0].rl1.counts.hits, 1);
    assert_int_equal(b.fabric->tiles[0].rl1.counts.store_allocations, 1);
    bed_close(&b);
}

/* The document: 80 to 150 ns, 120 to 225 cycles. */
TEST(an_unloaded_load_from_memory_takes_80_ns)
{
    UNUSED_STATE;
    static const struct fabric_op ops[] = {COMPUTE(500), LOAD(4096, 8), WAIT(0), COMPUTE(1), END};
    struct script s = {.phases = &shared, .phase_count = 1, .ops = {ops}};
    struct bed b;
    play(&b, &s, one_tile);
    assert_in_range(s.asked[0][3] - s.asked[0][1], 118, 122);
    bed_close(&b);
}

TEST(a_load_of_two_lines_takes_two_cycles_and_one_place)
{
    UNUSED_STATE;
    static const struct fabric_op ops[] = {LOAD(4096 + 60, 8), COMPUTE(1), WAIT(0), END};
    struct script s = {.phases = &shared, .phase_count = 1, .ops = {ops}};
    struct bed b;
    play(&b, &s, one_tile);
    assert_int_equal(s.asked[0][1] - s.asked[0][0], 2);
    assert_int_equal(b.fabric->tiles[0].rl1.counts.misses, 2);
    assert_int_equal(b.fabric->tiles[0].counts.loads, 1);
    assert_int_equal(b.fabric->tiles[0].elements[0].tail, 1);
    bed_close(&b);
}

/* Places are 2: the third load goes when the first has come. */
TEST(a_full_queue_holds_the_next_load_back)
{
    UNUSED_STATE;
    static const char *const sets[] = {ONE_TILE, "rl2.banks=1", "tile.outstanding=2", NULL};
    static const struct fabric_op ops[] = {LOAD(4096, 8), LOAD(4160, 8), LOAD(4224, 8), WAIT(0),
                                           END};
    struct script s = {.phases = &shared, .phase_count = 1, .ops = {ops}};
    struct bed b;
    play(&b, &s, sets);
    assert_int_equal(s.asked[0][2] - s.asked[0][0], 2);
    assert_true(s.asked[0][3] - s.asked[0][2] > 100);
    bed_close(&b);
}

/* Two elements ask for the same line in the same cycle, dealt a cycle apart: one line comes. */
TEST(elements_of_a_tile_share_a_line)
{
    UNUSED_STATE;
    static const struct fabric_op ops[] = {LOAD(4096, 8), WAIT(0), END};
    struct script s = {.phases = &shared2, .phase_count = 1, .ops = {ops, ops}};
    struct bed b;
    play(&b, &s, one_tile);
    assert_int_equal(b.fabric->tiles[0].rl1.counts.misses, 1);
    assert_int_equal(b.fabric->tiles[0].rl1.counts.merges, 1);
    assert_int_equal(b.fabric->banks[0].counts.loads, 1);
    bed_close(&b);
}

/* The first of the pair is asked in n; wakes in n, so that the other begins in n + 1. Then both use
 * the bank: the first from n + 1 on, the second when it has done. */
TEST(an_element_that_is_woken_begins_in_the_next_cycle_and_waits_for_a_bank_in_use)
{
    UNUSED_STATE;
    static const struct fabric_op first[] = {WAKE(1), BANK(5), COMPUTE(1), END};
    static const struct fabric_op second[] = {BANK(3), COMPUTE(1), PARK};
    struct script s = {.phases = &pair, .phase_count = 1, .ops = {first, second}};
    struct bed b;
    play(&b, &s, one_tile);
    cycle_t n = s.asked[0][0];
    assert_int_equal(s.asked[1][0], n + 1);
    assert_int_equal(s.asked[0][2], n + 1 + 5);
    assert_int_equal(s.asked[1][1], n + 1 + 5 + 3);
    assert_int_equal(b.fabric->tiles[0].rl1.counts.lookups, 0); /* E4: a scratchpad has no tags */
    assert_int_equal(b.fabric->tiles[0].rl1.counts.bank_accesses, 8);
    bed_close(&b);
}

/* Four elements get a part in four cycles; all are at work, and the first took the offer of a
 * fifth, which comes in the cycle after. */
TEST(an_element_that_takes_more_is_dealt_a_part_while_it_works)
{
    UNUSED_STATE;
    static const char *const sets[] = {ONE_TILE, "rl2.banks=1", "tile.elements=4",
                                       "tile.items_ahead=8", NULL};
    static const struct fabric_phase five = {
        .name = "five", .mode = FABRIC_SHARED, .team = 1, .items = 5};
    static const struct fabric_op first[] = {MORE, COMPUTE(100), COMPUTE(1), END};
    static const struct fabric_op others[] = {COMPUTE(200), END};
    struct script s = {.phases = &five, .phase_count = 1, .ops = {first, others, others, others}};
    struct bed b;
    play(&b, &s, sets);
    assert_int_equal(s.begun[0], 2);
    assert_int_equal(s.began[0], s.asked[0][0] + 4);
    assert_int_equal(s.begun[1] + s.begun[2] + s.begun[3], 3);
    bed_close(&b);
}

/* The part comes while the first of two computations runs, and END was not written yet; the element
 * is asked on as if nothing had happened, and END is the end of both. In the second case END waits
 * behind a load when the part comes: it is not the end, and the element is asked again. */
TEST(an_end_written_before_a_further_part_came_is_not_the_end)
{
    UNUSED_STATE;
    static const char *const sets[] = {ONE_TILE, "rl2.banks=1", "tile.elements=4",
                                       "tile.items_ahead=8", NULL};
    static const struct fabric_phase five = {
        .name = "five", .mode = FABRIC_SHARED, .team = 1, .items = 5};
    static const struct fabric_op first[] = {MORE, LOAD(4096, 8), WAIT(0), END, COMPUTE(1), END};
    static const struct fabric_op others[] = {COMPUTE(500), END};
    struct script s = {
        .phases = &five, .phase_count = 1, .ops = {first, others, others, others}, .batch = 4};
    struct bed b;
    play(&b, &s, sets);
    assert_int_equal(s.begun[0], 2);
    assert_int_equal(s.next[0], 6);
    bed_close(&b);
}

/* One port: of two accesses in a cycle the second is a cycle late. */
/* Element 0 gives its part back in the cycle in which it began: element 1, the next that is free,
 * begins it in the next, and nobody else does. */
TEST(a_part_that_is_returned_is_dealt_to_another_element)
{
    UNUSED_STATE;
    static const struct fabric_op back[] = {RETURN(0), COMPUTE(50), END},
                                  does[] = {COMPUTE(9), END};
    struct script s = {.phases = &shared, .phase_count = 1, .ops = {back, does}};
    struct bed b;
    play(&b, &s, one_tile);
    assert_int_equal(s.begun[0], 1);
    assert_int_equal(s.begun[1], 1);
    assert_int_equal(s.begun[2], 0);
    assert_in_range(s.began[1] - s.began[0], 1, 2);
    assert_int_equal(b.fabric->tiles[0].counts.items, 1);
    assert_int_equal(b.fabric->tiles[0].counts.parts, 2);
    bed_close(&b);
}

TEST(a_private_cache_takes_one_access_per_cycle)
{
    UNUSED_STATE;
    static const struct fabric_op first[] = {STORE(4096, 32), WAKE(1), LOAD(4096, 8), COMPUTE(1),
                                             END};
    static const struct fabric_op second[] = {LOAD(4096, 8), COMPUTE(1), PARK};
    struct script s = {.phases = &pair, .phase_count = 1, .ops = {first, second}};
    struct bed b;
    play(&b, &s, one_tile);
    assert_int_equal(s.asked[0][2], s.asked[1][0]);
    assert_int_equal(s.asked[0][3] - s.asked[0][2], 1);
    assert_int_equal(s.asked[1][1] - s.asked[1][0], 2);
    assert_int_equal(b.fabric->tiles[0].rl1.counts.port_conflicts, 1);
    bed_close(&b);
}

/* From the end of the first phase to the begin of the second. */
static cycle_t between_phases(const char *switch_cycles, u32 stores, struct phase_record *first)
{
    static const struct fabric_phase phases[] = {
        {.name = "one", .mode = FABRIC_SHARED, .team = 1, .items = 1},
        {.name = "two", .mode = FABRIC_PRIVATE, .team = 1, .items = 1}};
    static struct fabric_op ops[MOST_TURNS];
    const char *const sets[] = {ONE_TILE, "rl2.banks=1", switch_cycles, NULL};
    u32 n = 0;
    for (; n < stores; n++)
        ops[n] = (struct fabric_op)STORE(4096 + n * 64, 32);
    ops[n] = (struct fabric_op)COMPUTE(1);
    ops[n + 1] = (struct fabric_op)END;
    ops[n + 2] = (struct fabric_op)COMPUTE(1);
    ops[n + 3] = (struct fabric_op)END;
    struct script s = {.phases = phases, .phase_count = 2, .ops = {ops}};
    struct bed b;
    play(&b, &s, sets);
    *first = b.fabric->manager.records[0];
    assert_int_equal(b.fabric->counts.switches, 1);
    assert_int_equal(b.fabric->tiles[0].rl1.counts.flushed_lines, stores);
    cycle_t cycles = s.asked[0][n + 2] - s.asked[0][n + 1];
    bed_close(&b);
    return cycles;
}

TEST(a_change_of_mode_takes_ten_cycles_after_the_ports_are_quiet)
{
    UNUSED_STATE;
    struct phase_record r;
    cycle_t without = between_phases("crossbar.switch_cycles=0", 0, &r);
    assert_int_equal(between_phases("crossbar.switch_cycles=10", 0, &r), without + 10);
}

/* "two steps" twice and "one" between: a statistic for each name, without blanks; with changes of
 * mode and flushes they are all the time of the phases. */
TEST(cycles_are_counted_for_each_name_of_a_phase)
{
    UNUSED_STATE;
    static const struct fabric_phase phases[] = {
        {.name = "two steps", .mode = FABRIC_SHARED, .team = 1, .items = 1},
        {.name = "one", .mode = FABRIC_PRIVATE, .team = 1, .items = 1},
        {.name = "two steps", .mode = FABRIC_PRIVATE, .team = 1, .items = 1}};
    static const struct fabric_op ops[] = {COMPUTE(100), END, COMPUTE(500), END, COMPUTE(900), END};
    struct script s = {.phases = phases, .phase_count = 3, .ops = {ops}};
    struct bed b;
    play(&b, &s, one_tile);
    const struct manager *m = &b.fabric->manager;
    const struct phase_record *r = m->records;
    const struct fabric_counts *c = &b.fabric->counts;
    u64 steps = c->phase_cycles[0], one = c->phase_cycles[1];
    assert_int_equal(m->name_count, 2);
    assert_string_equal(m->names[0], "two_steps");
    assert_string_equal(m->names[1], "one");
    assert_int_equal(r[1].switch_cycles, 10);
    assert_int_equal(one, r[1].work_cycles - 10);
    assert_int_equal(steps, r[0].work_cycles + r[2].work_cycles);
    assert_int_equal(one + steps + c->switch_cycles + c->flush_cycles,
                     r[0].cycles + r[1].cycles + r[2].cycles);
    assert_true(one >= 500 && one < 600 && steps >= 1000 && steps < 1200);
    bed_close(&b);
}

/* A line leaves in each cycle. */
TEST(dirty_lines_are_written_back_before_a_change_of_mode)
{
    UNUSED_STATE;
    struct phase_record one, many;
    between_phases("crossbar.switch_cycles=10", 1, &one);
    between_phases("crossbar.switch_cycles=10", 21, &many);
    assert_int_equal(many.flush_cycles - one.flush_cycles, 20);
}

/* 8 of 16 are on; 4 pairs with 2 kB of cache and 2 kB of scratchpad are the same 16 kB. */
TEST(half_of_the_elements_are_off_in_private_mode_and_issue_nothing)
{
    UNUSED_STATE;
    static const struct fabric_phase phase = {
        .name = "alone", .mode = FABRIC_PRIVATE, .team = 1, .items = 1};
    static const struct fabric_op ops[] = {COMPUTE(1000), END};
    struct script s = {.phases = &phase, .phase_count = 1, .ops = {ops}};
    struct bed b;
    play(&b, &s, one_tile);
    const struct phase_record *r = &b.fabric->manager.records[0];
    const struct tile_counts *c = &b.fabric->tiles[0].counts;
    assert_int_equal(c->gated_operations, 0);
    assert_int_equal(c->states[ELEMENT_compute], 1000);
    assert_in_range(r->numbers.states[ELEMENT_gated], 8 * (r->cycles - 2), 8 * r->cycles);
    const struct rl1_config *l = &b.fabric->config->rl1;
    assert_int_equal(l->banks * l->bank_bytes, 16384);
    assert_int_equal(4 * (l->bank_bytes + l->bank_bytes), 16384);
    bed_close(&b);
}

TEST(an_atomic_goes_past_both_levels_and_comes_back)
{
    UNUSED_STATE;
    static const struct fabric_op ops[] = {ATOMIC(4096), WAIT(0), COMPUTE(1), END};
    struct script s = {.phases = &shared, .phase_count = 1, .ops = {ops}};
    struct bed b;
    play(&b, &s, one_tile);
    assert_int_equal(b.fabric->tiles[0].rl1.counts.accesses, 0);
    assert_int_equal(b.fabric->banks[0].counts.atomics, 1);
    assert_true(s.asked[0][2] - s.asked[0][0] > 100);
    bed_close(&b);
}

/* With sharing group a bank serves its tiles alone: two tiles that load one line fetch it twice. */
TEST(a_group_has_a_second_level_of_its_own)
{
    UNUSED_STATE;
    static const struct fabric_op ops[] = {LOAD(4096, 8), WAIT(0), END};
    for (u32 group = 0; group < 2; group++) {
        const char *const sets[] = {"tile.count=2", "rl2.banks=2", "tile.items_ahead=1",
                                    group ? "rl2.sharing=group" : "rl2.sharing=all", NULL};
        struct script s = {.phases = &shared2, .phase_count = 1, .ops = {[0] = ops, [16] = ops}};
        struct bed b;
        play(&b, &s, sets);
        u64 misses = b.fabric->banks[0].counts.misses + b.fabric->banks[1].counts.misses;
        assert_int_equal(misses, group ? 2 : 1);
        bed_close(&b);
    }
}

RUN_TESTS(T(a_computation_takes_its_cycles), T(a_load_that_hits_is_there_after_exactly_hit_cycles),
          T(an_unloaded_load_from_memory_takes_80_ns),
          T(a_load_of_two_lines_takes_two_cycles_and_one_place),
          T(a_full_queue_holds_the_next_load_back), T(elements_of_a_tile_share_a_line),
          T(an_element_that_is_woken_begins_in_the_next_cycle_and_waits_for_a_bank_in_use),
          T(an_element_that_takes_more_is_dealt_a_part_while_it_works),
          T(an_end_written_before_a_further_part_came_is_not_the_end),
          T(a_part_that_is_returned_is_dealt_to_another_element),
          T(a_private_cache_takes_one_access_per_cycle),
          T(a_change_of_mode_takes_ten_cycles_after_the_ports_are_quiet),
          T(cycles_are_counted_for_each_name_of_a_phase),
          T(dirty_lines_are_written_back_before_a_change_of_mode),
          T(half_of_the_elements_are_off_in_private_mode_and_issue_nothing),
          T(an_atomic_goes_past_both_levels_and_comes_back),
          T(a_group_has_a_second_level_of_its_own))
