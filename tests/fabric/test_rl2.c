/*
 * A bank of the second level alone, between tiles that follow a script and a memory that answers
 * after ten cycles: two sets of two ways, lines of 64 bytes, two ports, two MSHRs. All tick in one
 * clock.
 *
 * What a tile pushes in cycle n is served in n + 1. A hit is ready three cycles later, in n + 4,
 * and at the tile in n + 5. A miss is asked for in n + 1, reaches memory in n + 2, its answer is
 * pushed in n + 12 and fills the line in n + 13; the load is answered in n + 14 and at the tile in
 * n + 15.
 */
#include "testing.h"

#include "fabric/rl1.h"
#include "fabric/rl2.h"
#include "policy/registry.h"

#define LINE 64u
#define SET (2 * LINE) /* lines so far apart share a set */
#define HIT 5u
#define MISS 15u
#define MEMORY 10u
#define MOST 16u
#define PORTS 2u

struct step {
    cycle_t at;
    u64 line;
    u32 tile; /* uses port tile mod 2 */
    u8 kind;
    u8 sectors; /* 0: both of a line */
};

struct bed {
    struct fabric_config config;
    struct sim sim;
    struct pool pool;
    struct memory_system memory_system;
    struct rl2_bank bank;
    unit_id tiles, memory, manager;
    struct timed_queue under_way;
    const struct step *steps;
    u32 count, next;
    cycle_t flush_at;      /* the manager says so; CYCLE_NEVER: never */
    cycle_t flushed;       /* and is told */
    cycle_t arrived[MOST]; /* answers, by step */
    u64 reads[MOST];       /* lines asked of memory */
    struct request writes[MOST];
    u32 read_count, write_count, atomics;
};

static cycle_t tiles_tick(void *self, cycle_t now)
{
    struct bed *b = self;
    for (u32 i = 0; i < PORTS; i++) {
        while (port_ready(&b->bank.reply[i])) {
            handle_t h = port_pop(&b->bank.reply[i]);
            const struct request *r = pool_get(&b->pool, h);
            assert_true(r->flags & REQUEST_REPLY);
            assert_int_equal(r->to % PORTS, i);
            assert_int_equal(r->to, b->steps[r->ticket].tile);
            b->arrived[r->ticket] = now;
            pool_free(&b->pool, h);
        }
    }
    while (b->next < b->count && b->steps[b->next].at <= now) {
        const struct step *s = &b->steps[b->next];
        struct port *in = &b->bank.in[s->tile % PORTS];
        if (!port_can_push(in))
            break;
        handle_t h = pool_alloc(&b->pool);
        *(struct request *)pool_get(&b->pool, h) =
            (struct request){.line = s->line,
                             .sectors = s->sectors ? s->sectors : 3,
                             .kind = s->kind,
                             .reply_to = (u16)s->tile,
                             .ticket = b->next++};
        port_push(in, h);
    }
    return b->next < b->count ? max_u64(now + 1, b->steps[b->next].at) : CYCLE_NEVER;
}

static cycle_t memory_tick(void *self, cycle_t now)
{
    struct bed *b = self;
    while (port_ready(&b->bank.out)) {
        handle_t h = port_pop(&b->bank.out);
        const struct request *r = pool_get(&b->pool, h);
        assert_true(r->flags & REQUEST_BYPASS_L2 || r->kind == REQUEST_ATOMIC);
        if (r->kind == REQUEST_LOAD)
            b->reads[b->read_count++] = r->line;
        else if (r->kind == REQUEST_ATOMIC)
            b->atomics++;
        else
            b->writes[b->write_count++] = *r;
        if (r->kind == REQUEST_WRITEBACK)
            pool_free(&b->pool, h); /* nobody waits for it */
        else
            timed_push(&b->under_way, h, now + MEMORY);
    }
    while (timed_next(&b->under_way) <= now && port_can_push(&b->bank.answer))
        port_push(&b->bank.answer, timed_pop(&b->under_way));
    return timed_next(&b->under_way) == CYCLE_NEVER ? CYCLE_NEVER
                                                    : max_u64(timed_next(&b->under_way), now + 1);
}

static cycle_t manager_tick(void *self, cycle_t now)
{
    struct bed *b = self;
    if (port_ready(&b->bank.up)) {
        port_pop(&b->bank.up);
        b->flushed = now;
    }
    if (now == b->flush_at) {
        port_push(&b->bank.down, RL2_FLUSH);
        b->flush_at = CYCLE_NEVER;
    }
    return b->flush_at;
}

static void open_bed(struct bed *b)
{
    struct engine *e = &b->sim.engine;
    struct arena *a = &b->sim.arena;
    *b = (struct bed){.config = {.line_bytes = LINE,
                                 .tile = {.count = 4, .elements = 4, .outstanding = 4},
                                 .rl1 = {.banks = 4, .bank_bytes = 4 * LINE, .mshrs = 4},
                                 .rl2 = {.banks = 1,
                                         .bank_bytes = 4 * LINE,
                                         .ways = 2,
                                         .ports = PORTS,
                                         .mshrs = 2,
                                         .hit_cycles = 3}},
                      .flush_at = CYCLE_NEVER};
    engine_init(e, a, &(struct engine_options){.max_cycles = 2000});
    stats_init(&b->sim.stats, a);
    pool_init(&b->pool, a, 64, sizeof(struct request));
    b->memory_system.requests = &b->pool;
    b->memory_system.map =
        (struct address_map){.channels = 1, .banks_per_channel = 1, .interleave_bytes = LINE};
    domain_id clock = engine_add_domain(e, "clock", 1000000000);
    struct build_site site = site_of(&b->sim);
    b->tiles = engine_add_unit(e, clock, "tiles", tiles_tick, b);
    rl2_init(&b->bank, &site,
             &(struct rl2_parts){.domain = clock,
                                 .config = &b->config,
                                 .memory = &b->memory_system,
                                 .replacement = {policy_find(QUESTION_REPLACEMENT, "lru"), NULL}});
    b->memory = engine_add_unit(e, clock, "memory", memory_tick, b);
    b->manager = engine_add_unit(e, clock, "manager", manager_tick, b);
    timed_init(&b->under_way, a, 64);
    for (u32 i = 0; i < PORTS; i++) {
        port_connect(&b->bank.in[i], b->tiles, b->bank.unit);
        port_connect(&b->bank.reply[i], b->bank.unit, b->tiles);
    }
    port_connect(&b->bank.out, b->bank.unit, b->memory);
    port_connect(&b->bank.answer, b->memory, b->bank.unit);
    port_connect(&b->bank.up, b->bank.unit, b->manager);
    port_connect(&b->bank.down, b->manager, b->bank.unit);
}

static void play(struct bed *b, const struct step *steps, u32 count)
{
    b->steps = steps;
    b->count = count;
    engine_start(&b->sim.engine);
    engine_run(&b->sim.engine);
    assert_int_equal(b->next, count);
    assert_int_equal(pool_in_use(&b->pool), 0); /* each request was answered once, or taken */
    const struct rl2_counts *c = &b->bank.counts;
    assert_int_equal(c->hits + c->misses + c->merges + c->allocations + c->atomics, c->accesses);
    assert_int_equal(c->fills, c->misses);
}

#define PLAY(b, ...)                                                                               \
    static const struct step steps[] = {__VA_ARGS__};                                              \
    play(b, steps, ARRAY_LEN(steps))

static void close_bed(struct bed *b)
{
    arena_fini(&b->sim.arena);
}

TEST(a_miss_takes_the_time_of_memory_and_a_hit_its_own)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b);
    PLAY(&b, {0, 0, 0, REQUEST_LOAD, 0}, {50, 0, 1, REQUEST_LOAD, 0});
    assert_int_equal(b.arrived[0], MISS);
    assert_int_equal(b.arrived[1], 50 + HIT);
    assert_int_equal(b.read_count, 1);
    close_bed(&b);
}

TEST(loads_of_a_line_on_its_way_are_one_request_to_memory)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b);
    PLAY(&b, {0, 0, 0, REQUEST_LOAD, 0}, {4, 0, 1, REQUEST_LOAD, 0});
    assert_int_equal(b.arrived[0], MISS);
    assert_int_equal(b.arrived[1], MISS); /* with the same line, through the other port */
    assert_int_equal(b.read_count, 1);
    assert_int_equal(b.bank.counts.merges, 1);
    close_bed(&b);
}

TEST(each_port_gives_one_request_per_cycle)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b);
    /* the line is there: three at port 0 are served in 41, 42 and 43, one at port 1 in 41 */
    PLAY(&b, {0, 0, 0, REQUEST_LOAD, 0}, {40, 0, 0, REQUEST_LOAD, 0}, {40, 0, 2, REQUEST_LOAD, 0},
         {40, 0, 0, REQUEST_LOAD, 0}, {40, 0, 1, REQUEST_LOAD, 0});
    assert_int_equal(b.arrived[1], 40 + HIT);
    assert_int_equal(b.arrived[2], 41 + HIT);
    assert_int_equal(b.arrived[3], 42 + HIT);
    assert_int_equal(b.arrived[4], 40 + HIT);
    close_bed(&b);
}

TEST(a_miss_without_mshr_stops_its_port_until_a_line_has_come_and_the_other_port_goes_on)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b);
    /* lines of port 0 in cycles 1, 2 and, refused, 3: the first line comes in 13, so the third is
     * asked for in 13 and comes twelve cycles later; a load behind it waits although its line is
     * there. Port 1 hits meanwhile. */
    PLAY(&b, {0, 0, 0, REQUEST_LOAD, 0}, {0, LINE, 0, REQUEST_LOAD, 0},
         {0, SET, 0, REQUEST_LOAD, 0}, {16, 0, 1, REQUEST_LOAD, 0});
    assert_int_equal(b.arrived[0], MISS);
    assert_int_equal(b.arrived[1], MISS + 1);
    assert_int_equal(b.arrived[2], 12 + MISS);
    assert_int_equal(b.arrived[3], 16 + HIT);
    close_bed(&b);
}

TEST(a_victim_of_a_tile_takes_a_line_and_asks_memory_nothing)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b);
    PLAY(&b, {0, 0, 0, REQUEST_WRITEBACK, 1}, {10, 0, 1, REQUEST_LOAD, 1});
    assert_int_equal(b.arrived[0], 0); /* nobody waits for it */
    assert_int_equal(b.arrived[1], 10 + HIT);
    assert_int_equal(b.read_count + b.write_count, 0);
    assert_int_equal(b.bank.counts.allocations, 1);
    close_bed(&b);
}

TEST(a_line_that_a_tile_flushes_is_acknowledged)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b);
    PLAY(&b, {0, 0, 3, REQUEST_STORE, 0}); /* a tile's flush asks for an answer */
    assert_int_equal(b.arrived[0], HIT);
    close_bed(&b);
}

TEST(the_line_used_longest_ago_leaves_and_what_is_dirty_of_it_is_written)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b);
    PLAY(&b, {0, 0, 0, REQUEST_WRITEBACK, 2}, {5, SET, 0, REQUEST_WRITEBACK, 0},
         {10, SET, 0, REQUEST_LOAD, 0}, {20, 2 * SET, 0, REQUEST_LOAD, 0},
         {60, SET, 0, REQUEST_LOAD, 0});
    assert_int_equal(b.write_count, 1);
    assert_int_equal(b.writes[0].line, 0);
    assert_int_equal(b.writes[0].sectors, 2);
    assert_int_equal(b.arrived[3], 20 + MISS); /* the write goes out in the same cycle */
    assert_int_equal(b.arrived[4], 60 + HIT);
    close_bed(&b);
}

TEST(an_atomic_goes_past_the_bank_and_its_answer_to_its_tile)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b);
    PLAY(&b, {0, 0, 0, REQUEST_WRITEBACK, 0}, {10, 0, 3, REQUEST_ATOMIC, 1});
    assert_int_equal(b.atomics, 1);
    assert_int_equal(b.arrived[1], 10 + MISS);
    assert_int_equal(b.bank.counts.atomics, 1);
    close_bed(&b);
}

TEST(a_flush_ends_when_memory_has_all_dirty_lines)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b);
    b.flush_at = 30;
    /* told in 31, the dirty line goes out in 31, is at memory in 32 and acknowledged in 43; the
     * manager hears of it in 44. Then the clean line is gone as well. */
    PLAY(&b, {0, 0, 0, REQUEST_WRITEBACK, 0}, {5, LINE, 0, REQUEST_LOAD, 0},
         {60, LINE, 0, REQUEST_LOAD, 0});
    assert_int_equal(b.flushed, 44);
    assert_int_equal(b.write_count, 1);
    assert_int_equal(b.writes[0].kind, REQUEST_STORE);
    assert_int_equal(b.arrived[2], 60 + MISS);
    assert_int_equal(b.bank.counts.flushed_lines, 1);
    close_bed(&b);
}

TEST(a_flush_of_an_empty_bank_ends_at_once)
{
    UNUSED_STATE;
    struct bed b;
    open_bed(&b);
    b.flush_at = 30;
    PLAY(&b, {0, 0, 0, REQUEST_WRITEBACK, 0}, {20, 0, 0, REQUEST_LOAD, 0});
    struct bed c;
    open_bed(&c);
    c.flush_at = 30;
    play(&c, NULL, 0);
    assert_int_equal(c.flushed, 32);
    close_bed(&b);
    close_bed(&c);
}

TEST(groups_have_a_bank_each_and_otherwise_lines_are_spread_over_all)
{
    UNUSED_STATE;
    struct fabric_config c = {.line_bytes = LINE, .tile = {.count = 16}, .rl2 = {.banks = 4}};
    for (u32 k = 0; k < 8; k++)
        assert_int_equal(rl2_bank_of(&c, 5, k * LINE), k % 4);
    c.rl2.sharing = RL2_GROUP;
    for (u32 tile = 0; tile < 16; tile++)
        assert_int_equal(rl2_bank_of(&c, tile, 7 * LINE), tile / 4);
}

RUN_TESTS(T(a_miss_takes_the_time_of_memory_and_a_hit_its_own),
          T(loads_of_a_line_on_its_way_are_one_request_to_memory),
          T(each_port_gives_one_request_per_cycle),
          T(a_miss_without_mshr_stops_its_port_until_a_line_has_come_and_the_other_port_goes_on),
          T(a_victim_of_a_tile_takes_a_line_and_asks_memory_nothing),
          T(a_line_that_a_tile_flushes_is_acknowledged),
          T(the_line_used_longest_ago_leaves_and_what_is_dirty_of_it_is_written),
          T(an_atomic_goes_past_the_bank_and_its_answer_to_its_tile),
          T(a_flush_ends_when_memory_has_all_dirty_lines), T(a_flush_of_an_empty_bank_ends_at_once),
          T(groups_have_a_bank_each_and_otherwise_lines_are_spread_over_all))
