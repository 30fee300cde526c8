/* Modes that a phase chooses: banks by a map, past the first level, and a second level that is a
 * scratchpad or bypassed. */
#include "fabric/bed.h"

#include "fabric/modes.h"

static const char *const one_tile[] = {"tile.count=1", "rl2.banks=1", "tile.items_ahead=4", NULL};
static const struct fabric_phase bypass = {
    .name = "bypass", .mode = FABRIC_BYPASS, .team = 1, .items = 1};

/* Of 16 elements the first three: 0 and 1 with one cache, 2 with another; 0 and 1 share a
 * scratchpad. */
static const struct fabric_place three[16] = {
    {.cache = 2, .scratchpad = 5, .is_on = true},
    {.cache = 2, .scratchpad = 5, .is_on = true},
    {.cache = 3, .scratchpad = FABRIC_NO_BANK, .is_on = true}};
static const struct fabric_phase mapped = {
    .name = "map", .mode = FABRIC_MAP, .team = 1, .items = 3, .map = three};

static cycle_t between(const struct script *s, u32 element, u32 from, u32 to)
{
    return s->asked[element][to] - s->asked[element][from];
}

/* Element 0 stores a line, which 1 finds in their bank; 2 has another, and caches are not
 * coherent. 13 of 16 are off. */
TEST(a_map_gives_each_element_its_bank)
{
    UNUSED_STATE;
    static const struct fabric_op writer[] = {STORE(4096, 32), COMPUTE(9), END};
    static const struct fabric_op reader[] = {COMPUTE(10), LOAD(4096, 8), WAIT(0), COMPUTE(1), END};
    struct script s = {.phases = &mapped, .phase_count = 1, .ops = {writer, reader, reader}};
    struct bed b;
    play(&b, &s, one_tile);
    const struct rl1_counts *c = &b.fabric->tiles[0].rl1.counts;
    const struct phase_record *r = &b.fabric->manager.records[0];
    assert_int_equal(c->hits, 1);
    assert_int_equal(c->misses, 1);
    assert_int_equal(between(&s, 1, 1, 3), 2);
    assert_true(between(&s, 2, 1, 3) > 100);
    assert_in_range(r->numbers.states[ELEMENT_gated], 13 * (r->cycles - 2), 13 * r->cycles);
    assert_int_equal(b.fabric->tiles[0].counts.gated_operations, 0);
    bed_close(&b);
}

/* Parts are dealt a cycle apart: after 2 cycles and 1 both store in the same one, to a bank of one
 * port. */
TEST(elements_of_one_bank_share_its_port)
{
    UNUSED_STATE;
    static const struct fabric_op first[] = {COMPUTE(2), STORE(4096, 32), COMPUTE(1), END};
    static const struct fabric_op second[] = {COMPUTE(1), STORE(8192, 32), COMPUTE(1), END};
    static const struct fabric_op third[] = {STORE(12288, 32), COMPUTE(1), END};
    struct script s = {.phases = &mapped, .phase_count = 1, .ops = {first, second, third}};
    struct bed b;
    play(&b, &s, one_tile);
    assert_int_equal(s.asked[0][1], s.asked[1][1]);
    assert_int_equal(between(&s, 0, 1, 2), 1);
    assert_int_equal(between(&s, 1, 1, 2), 2);
    assert_int_equal(between(&s, 2, 0, 1), 1);
    assert_int_equal(b.fabric->tiles[0].rl1.counts.port_conflicts, 1);
    bed_close(&b);
}

/* 8 accesses of element 0 from cycle n on; element 1 begins its 4 in n + 1 and waits for 7 cycles.
 */
TEST(elements_of_one_scratchpad_wait_for_each_other)
{
    UNUSED_STATE;
    static const struct fabric_op first[] = {BANK(8), COMPUTE(1), END};
    static const struct fabric_op second[] = {BANK(4), COMPUTE(1), END};
    static const struct fabric_op third[] = {COMPUTE(1), END};
    struct script s = {.phases = &mapped, .phase_count = 1, .ops = {first, second, third}};
    struct bed b;
    play(&b, &s, one_tile);
    assert_int_equal(s.asked[1][0], s.asked[0][0] + 1);
    assert_int_equal(between(&s, 0, 0, 1), 8);
    assert_int_equal(between(&s, 1, 0, 1), 11);
    assert_int_equal(b.fabric->tiles[0].rl1.counts.bank_accesses, 12);
    assert_int_equal(b.fabric->tiles[0].rl1.counts.lookups, 0);
    bed_close(&b);
}

/* Issued in n; seen by the crossbar in n + 1, at its output in n + 2, seen by the second level in
 * n + 3, whose 2 cycles make n + 5; three more for the way back. The first load brings the line. */
TEST(a_load_past_the_first_level_takes_eight_cycles_from_the_second)
{
    UNUSED_STATE;
    static const struct fabric_op ops[] = {LOAD(4096, 8), WAIT(0),    LOAD(4096, 8),
                                           WAIT(0),       COMPUTE(1), LOAD(4120, 8),
                                           WAIT(0),       COMPUTE(1), END};
    struct script s = {.phases = &bypass, .phase_count = 1, .ops = {ops}};
    struct bed b;
    play(&b, &s, one_tile);
    const struct rl1_counts *c = &b.fabric->tiles[0].rl1.counts;
    assert_int_equal(between(&s, 0, 2, 4), 8);
    assert_int_equal(between(&s, 0, 5, 7), 8);
    assert_int_equal(c->lookups, 0);
    assert_int_equal(c->accesses, 0);
    assert_int_equal(c->passed, 3);
    assert_int_equal(b.fabric->banks[0].counts.misses, 1);
    assert_int_equal(b.fabric->banks[0].counts.hits, 2);
    bed_close(&b);
}

/* Bytes 60 to 67 of a line: two lines, two requests, one place of the queue. */
TEST(a_load_of_two_lines_past_the_first_level_is_two_requests)
{
    UNUSED_STATE;
    static const struct fabric_op ops[] = {LOAD(4156, 8), WAIT(0), COMPUTE(1), END};
    struct script s = {.phases = &bypass, .phase_count = 1, .ops = {ops}};
    struct bed b;
    play(&b, &s, one_tile);
    assert_int_equal(b.fabric->tiles[0].counts.loads, 1);
    assert_int_equal(b.fabric->tiles[0].rl1.counts.passed, 2);
    assert_int_equal(b.fabric->banks[0].counts.misses, 2);
    bed_close(&b);
}

/* An element that issues in n ends in n + 1; the manager hears of it in n + 2, the tile has the
 * command to flush in n + 3, and the manager its answer in n + 4. Nobody waits for a store, but its
 * acknowledgement comes in n + 8, and the tile's answer in n + 9. */
TEST(a_store_past_the_first_level_is_done_before_its_phase_ends)
{
    UNUSED_STATE;
    static const struct fabric_op none[] = {COMPUTE(1), END}, one[] = {STORE(4096, 32), END};
    cycle_t flush[2];
    for (u32 i = 0; i < 2; i++) {
        static const struct fabric_phase phases[] = {
            {.name = "one", .mode = FABRIC_BYPASS, .team = 1, .items = 1},
            {.name = "two", .mode = FABRIC_BYPASS, .team = 1, .items = 0}};
        struct script s = {.phases = phases, .phase_count = 2, .ops = {i ? one : none}};
        struct bed b;
        play(&b, &s, one_tile);
        flush[i] = b.fabric->manager.records[0].ended - s.asked[0][0];
        assert_int_equal(b.fabric->tiles[0].rl1.counts.flushed_lines, 0);
        assert_int_equal(b.fabric->banks[0].counts.allocations, i);
        bed_close(&b);
    }
    assert_int_equal(flush[0], 4);
    assert_int_equal(flush[1], 9);
}

static struct phase_record play_rl2(enum rl2_mode mode, const struct fabric_op *ops,
                                    struct script *s, struct rl2_counts *counts)
{
    const struct fabric_phase phase = {
        .name = "one", .mode = FABRIC_SHARED, .team = 1, .items = 1, .rl2 = mode};
    /* no cycles for the change, which would move it against the DRAM's slower clock */
    static const char *const sets[] = {"tile.count=1", "rl2.banks=1", "crossbar.switch_cycles=0",
                                       NULL};
    struct bed b;
    *s = (struct script){.phases = &phase, .phase_count = 1, .ops = {ops}};
    play(&b, s, sets);
    struct phase_record r = b.fabric->manager.records[0];
    *counts = b.fabric->banks[0].counts;
    bed_close(&b);
    return r;
}

/* As past the first level, with one cycle of the bank in place of two. */
TEST(a_scratchpad_of_the_second_level_answers_in_seven_cycles_and_looks_up_no_tags)
{
    UNUSED_STATE;
    static const struct fabric_op ops[] = {RL2_STORE(64, 32), RL2_LOAD(64, 8), WAIT(0), COMPUTE(1),
                                           END};
    struct script s;
    struct rl2_counts c;
    play_rl2(RL2_SCRATCHPAD, ops, &s, &c);
    assert_int_equal(between(&s, 0, 0, 1), 1);
    assert_int_equal(between(&s, 0, 1, 3), 7);
    assert_int_equal(c.scratchpad_accesses, 2);
    assert_int_equal(c.accesses, 2);
    assert_int_equal(c.hits + c.misses + c.merges + c.allocations, 0);
}

/* A line that misses both levels takes as long when the second is not asked; the next line of the
 * same set finds nothing that it kept. */
TEST(misses_go_past_a_second_level_that_is_no_cache)
{
    UNUSED_STATE;
    static const struct fabric_op ops[] = {COMPUTE(500), LOAD(4096, 8), WAIT(0), COMPUTE(1), END};
    struct script cache, scratchpad, passed;
    struct rl2_counts c, sc, pc;
    play_rl2(RL2_CACHE, ops, &cache, &c);
    play_rl2(RL2_SCRATCHPAD, ops, &scratchpad, &sc);
    play_rl2(RL2_BYPASS, ops, &passed, &pc);
    assert_int_equal(between(&scratchpad, 0, 1, 3), between(&cache, 0, 1, 3));
    assert_int_equal(between(&passed, 0, 1, 3), between(&cache, 0, 1, 3));
    assert_int_equal(c.misses, 1);
    assert_int_equal(sc.misses + pc.misses, 0);
    assert_int_equal(sc.passed, 1);
    assert_int_equal(pc.passed, 1);
}

/* A flush of one line takes 10 cycles when the second level keeps it (below). Here the bank's 2
 * become 12, through the other crossbars to a channel, which acknowledges a write that it has. */
TEST(a_flush_goes_past_a_second_level_that_is_bypassed)
{
    UNUSED_STATE;
    static const struct fabric_op ops[] = {STORE(4096, 32), END};
    struct script s;
    struct rl2_counts c;
    struct phase_record r = play_rl2(RL2_BYPASS, ops, &s, &c);
    assert_int_equal(c.passed, 1);
    assert_int_equal(c.allocations, 0);
    assert_int_equal(c.flushed_lines, 0);
    assert_int_equal(r.flush_cycles, 20);
}

static struct phase_record two_phases(struct fabric_phase first, struct fabric_phase second,
                                      u64 *switches, struct phase_record *after)
{
    static const struct fabric_op ops[] = {STORE(4096, 32), END, COMPUTE(1), END};
    const struct fabric_phase phases[] = {first, second};
    struct script s = {.phases = phases, .phase_count = 2, .ops = {ops}};
    struct bed b;
    play(&b, &s, one_tile);
    struct phase_record r = b.fabric->manager.records[0];
    *after = b.fabric->manager.records[1];
    *switches = b.fabric->counts.switches;
    bed_close(&b);
    return r;
}

/* The command in w + 1, 8 cycles to the second level and back, the answer in w + 10. Where that
 * changes mode, its line goes to a channel in 11 cycles more, commands included. */
TEST(the_second_level_is_written_back_before_it_becomes_a_scratchpad)
{
    UNUSED_STATE;
    const struct fabric_phase cache = {.name = "a", .mode = FABRIC_SHARED, .team = 1, .items = 1};
    struct fabric_phase scratchpad = cache;
    struct phase_record after;
    u64 switches;
    scratchpad.rl2 = RL2_SCRATCHPAD;
    struct phase_record stays = two_phases(cache, cache, &switches, &after);
    assert_int_equal(switches, 0);
    struct phase_record changes = two_phases(cache, scratchpad, &switches, &after);
    assert_int_equal(switches, 1);
    assert_int_equal(after.switch_cycles, 10);
    assert_int_equal(after.rl2_mode, RL2_SCRATCHPAD);
    assert_int_equal(stays.flush_cycles, 10);
    assert_int_equal(changes.flush_cycles, 21);
}

TEST(another_map_is_a_change_of_mode_and_the_same_is_none)
{
    UNUSED_STATE;
    struct fabric_place other[16] = {{0}};
    struct fabric_phase one = mapped, same = mapped, changed = mapped;
    struct fabric_place copy[16];
    struct phase_record after;
    u64 switches;
    memcpy(copy, three, sizeof copy);
    memcpy(other, three, sizeof other);
    other[1].cache = 4;
    one.items = same.items = changed.items = 1;
    same.map = copy;
    changed.map = other;
    two_phases(one, same, &switches, &after);
    assert_int_equal(switches, 1); /* from shared to the first */
    assert_int_equal(after.switch_cycles, 0);
    two_phases(one, changed, &switches, &after);
    assert_int_equal(switches, 2);
    assert_int_equal(after.switch_cycles, 10);
}

static void refused(const struct fabric_phase *p, const char *sentence)
{
    struct script s = {.phases = &bypass, .phase_count = 1, .ops = {NULL}};
    struct bed b;
    struct err err = ERR_INIT;
    char text[4096];
    bed_open(&b, &s, one_tile);
    assert_false(fabric_phase_check(b.fabric->config, p, &err));
    assert_int_equal(err.kind, ERR_INPUT);
    err_text(&err, text, sizeof text);
    if (!strstr(text, sentence))
        fail_msg("'%s', expected '%s'", text, sentence);
    bed_close(&b);
}

TEST(a_map_that_leaves_an_element_without_memory_is_refused)
{
    UNUSED_STATE;
    struct fabric_place map[16] = {{.cache = 0, .scratchpad = FABRIC_NO_BANK, .is_on = true}};
    struct fabric_phase p = {.name = "x", .mode = FABRIC_MAP, .team = 1, .items = 1, .map = map};
    map[3] = (struct fabric_place){.cache = FABRIC_NO_BANK, .scratchpad = 1, .is_on = true};
    refused(&p, "phase x leaves element 3 without memory, expected a bank below 8");
    map[3].cache = 8;
    refused(&p, "phase x leaves element 3 without memory, expected a bank below 8");
    map[3].cache = 1;
    refused(&p, "phase x has bank 1 as a cache and as a scratchpad");
    map[3].scratchpad = 9;
    refused(&p, "phase x gives element 3 bank 9 as scratchpad, expected one below 8, or none");
    map[3].is_on = false;
    p.team = 2;
    refused(&p, "of elements 0 and 1 one is off");
    map[0].is_on = false;
    refused(&p, "phase x has mode map and no element that is on");
    p.map = NULL;
    refused(&p, "phase x has mode map and no element that is on");
}

RUN_TESTS(T(a_map_gives_each_element_its_bank), T(elements_of_one_bank_share_its_port),
          T(elements_of_one_scratchpad_wait_for_each_other),
          T(a_load_past_the_first_level_takes_eight_cycles_from_the_second),
          T(a_load_of_two_lines_past_the_first_level_is_two_requests),
          T(a_store_past_the_first_level_is_done_before_its_phase_ends),
          T(a_scratchpad_of_the_second_level_answers_in_seven_cycles_and_looks_up_no_tags),
          T(misses_go_past_a_second_level_that_is_no_cache),
          T(a_flush_goes_past_a_second_level_that_is_bypassed),
          T(the_second_level_is_written_back_before_it_becomes_a_scratchpad),
          T(another_map_is_a_change_of_mode_and_the_same_is_none),
          T(a_map_that_leaves_an_element_without_memory_is_refused))
