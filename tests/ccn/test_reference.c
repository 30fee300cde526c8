/*
 * The ring and its plain reference (reference.h) side by side: the same misses of L1s made of
 * nothing but tags, rings of drawn sizes; they must agree in every cycle.
 */
#include "ccn/reference.h"

#include "base/rng.h"

#define LINE 128u
#define MOST_WAYS 9u
#define MOST_SETS 4u
#define MOST_PENDING 24u /* misses of an L1 */
#define CYCLES 1500u
#define MOST_DRAIN 200000u

/* A line that comes to an L1: from another one, or from below. */
struct arrival {
    handle_t h;
    cycle_t at;
    bool from_ring;
};

struct world;

/* An L1 and the memory below it, as far as the ring is concerned. */
struct fake_l1 {
    struct world *world;
    u32 index;
    struct ccn_node *node;
    u64 lines[MOST_SETS][MOST_WAYS]; /* NO_LINE: none */
    struct port below;
    bool room_below; /* as this cycle found it */
    handle_t pending[MOST_PENDING];
    u32 pending_count;
    struct arrival arrivals[MOST_PENDING];
    u32 arrival_count;
    u64 instructions;
};

struct world {
    u64 seed;
    struct sim sim;
    struct ccn_config config;
    struct ccn ccn;
    struct reference ref;
    struct pool pool;
    struct rng rng;
    struct fake_l1 l1s[MOST_NODES];
    u32 nodes, sets, ways;
    struct ring_events done; /* by the ring in this cycle */
    u64 all_instructions[2]; /* of all cores: one cycle ago, and two */
    /* how much of everything happens: once in so many */
    u32 miss_in, reply_in, drop_in, lines, most_steps;
    u32 settle_in; /* cycles from one comparison of all counts and queues to the next */
    u64 refused;   /* misses that found no room below */
};

static bool one_in(struct world *w, u32 n)
{
    return rng_below(&w->rng, n) == 0;
}

/* ---- what the ring may ask ------------------------------------------------------------------ */

static u32 set_of(const void *l1, u64 line)
{
    const struct fake_l1 *f = l1;
    return (u32)(line / LINE % f->world->sets);
}

static u64 *find(struct fake_l1 *f, u64 line)
{
    u64 *set = f->lines[set_of(f, line)];
    for (u32 way = 0; way < f->world->ways; way++) {
        if (set[way] == line)
            return &set[way];
    }
    return NULL;
}

static bool holds(const void *l1, u64 line)
{
    const struct fake_l1 *f = l1;
    return find(&f->world->l1s[f->index], line) != NULL;
}

static void take_port(void *l1, cycle_t now)
{
    (void)now;
    struct fake_l1 *f = l1;
    f->world->done.of[f->index].port_taken = true;
}

static void touch(void *l1, u64 line, u32 agent)
{
    struct fake_l1 *f = l1;
    assert_non_null(find(f, line));
    f->world->done.of[f->index].touched = line;
    f->world->done.of[f->index].touched_by = agent;
}

static void add_arrival(struct fake_l1 *f, struct arrival a)
{
    assert_true(f->arrival_count < MOST_PENDING);
    f->arrivals[f->arrival_count++] = a;
}

static void deliver(void *l1, handle_t h, cycle_t at)
{
    struct fake_l1 *f = l1;
    assert_int_equal(f->world->done.of[f->index].came, 0); /* one in a cycle */
    f->world->done.of[f->index].came = h;
    f->world->done.of[f->index].came_at = at;
    add_arrival(f, (struct arrival){h, at, true});
}

static void give_back(void *l1, handle_t h, cycle_t now)
{
    (void)now;
    struct fake_l1 *f = l1;
    f->world->done.of[f->index].given_back = h;
    port_push(&f->below, h);
}

static const struct l1_peer_ops peer_ops = {.set_of = set_of,
                                            .holds = holds,
                                            .take_port = take_port,
                                            .touch = touch,
                                            .deliver = deliver,
                                            .give_back = give_back};

/* ---- what the reference sees ---------------------------------------------------------------- */

static bool ref_holds(void *context, u32 node, u64 line)
{
    struct world *w = context;
    return find(&w->l1s[node], line) != NULL;
}

static bool ref_has_room_below(void *context, u32 node)
{
    struct world *w = context;
    return w->l1s[node].room_below;
}

static u64 ref_instructions(void *context, u32 node)
{
    struct world *w = context;
    return w->config.throttle.scope == THROTTLE_CHIP ? w->all_instructions[1]
                                                     : w->l1s[node].instructions;
}

/* ---- comparison ----------------------------------------------------------------------------- */

static void agree(const struct world *w, bool same, u32 node, const char *what, cycle_t now)
{
    if (!same)
        fail_msg("seed %llu, cycle %llu, node %u of %u: %s differ", (unsigned long long)w->seed,
                 (unsigned long long)now, node, w->nodes, what);
}

static bool queues_agree(const struct ring_channel *c, u32 node, const struct ref_queue *q)
{
    bool same = ring_channel_count(c, node) == q->count;
    for (u32 i = 0; same && i < q->count; i++)
        same = ring_channel_entry(c, node, i)->value == q->entries[i].h &&
               ring_channel_hops(c, node, i) == q->entries[i].hops;
    return same;
}

static void compare_counts(struct world *w, cycle_t now)
{
    const struct ccn *c = &w->ccn;
    const struct reference *r = &w->ref;
    ccn_settle(&w->ccn, now + 1);
    for (u32 i = 0; i < w->nodes; i++) {
        agree(w, queues_agree(&c->requests, i, &r->requests[i]), i, "requests", now);
        agree(w, queues_agree(&c->responses, i, &r->responses[i]), i, "responses", now);
        agree(w, !memcmp(&c->nodes[i].counts, &r->counts[i], sizeof r->counts[i]), i, "counts",
              now);
    }
    agree(w, !memcmp(&c->counts, &r->ring, sizeof r->ring), 0, "counts of the ring", now);
}

static bool events_agree(const struct l1_events *a, const struct l1_events *b)
{
    return a->port_taken == b->port_taken && a->touched == b->touched &&
           a->touched_by == b->touched_by && a->came == b->came && a->came_at == b->came_at &&
           a->given_back == b->given_back;
}

static void compare_cycle(struct world *w, cycle_t now)
{
    struct ring_events expected = {0};
    ref_cycle(&w->ref, now, &expected);
    for (u32 i = 0; i < w->nodes; i++) {
        agree(w, events_agree(&w->done.of[i], &expected.of[i]), i, "what was done to the L1s", now);
        agree(w, port_count(&w->ccn.nodes[i].buffer) == w->ref.buffer[i].count, i, "buffers", now);
    }
    w->done = (struct ring_events){0};
}

/* ---- the L1s' cycle ------------------------------------------------------------------------- */

static void show(struct fake_l1 *f, u32 set, u32 way, u64 line, cycle_t now)
{
    f->lines[set][way] = line;
    ccn_show(f->node, set, way, line, now);
}

/* The request is over, and its line in some way. */
static void fill(struct fake_l1 *f, struct arrival a, cycle_t now)
{
    struct world *w = f->world;
    const struct request *r = pool_get(&w->pool, a.h);
    if (a.from_ring) {
        ccn_resolved(f->node, r, true, now);
        ref_found(&w->ref, f->index, a.h, r->issued, now);
    }
    if (!(r->flags & REQUEST_NO_FILL))
        show(f, set_of(f, r->line), (u32)rng_below(&w->rng, w->ways), r->line, now);
    u32 i = 0;
    while (f->pending[i] != a.h)
        i++;
    f->pending[i] = f->pending[--f->pending_count];
    pool_free(&w->pool, a.h);
}

static void take_arrivals(struct fake_l1 *f, cycle_t now)
{
    u32 kept = 0, count = f->arrival_count;
    struct arrival due[MOST_PENDING];
    u32 due_count = 0;
    for (u32 i = 0; i < count; i++) {
        if (f->arrivals[i].at <= now)
            due[due_count++] = f->arrivals[i];
        else
            f->arrivals[kept++] = f->arrivals[i];
    }
    f->arrival_count = kept;
    for (u32 i = 0; i < due_count; i++)
        fill(f, due[i], now);
}

static void read_below(struct fake_l1 *f, cycle_t now)
{
    struct world *w = f->world;
    if (port_ready(&f->below) && one_in(w, w->reply_in))
        add_arrival(f,
                    (struct arrival){port_pop(&f->below), now + 1 + rng_below(&w->rng, 40), false});
}

static bool is_pending(const struct fake_l1 *f, u64 line)
{
    for (u32 i = 0; i < f->pending_count; i++) {
        const struct request *r = pool_get(&f->world->pool, f->pending[i]);
        if (r->line == line)
            return true;
    }
    return false;
}

static void miss(struct fake_l1 *f, cycle_t now)
{
    struct world *w = f->world;
    u64 line = (1 + rng_below(&w->rng, w->lines)) * LINE;
    if (f->pending_count == MOST_PENDING || find(f, line) || is_pending(f, line))
        return;
    struct request model = {.line = line,
                            .kind = REQUEST_LOAD,
                            .flags = one_in(w, 8) ? REQUEST_NO_FILL : 0,
                            .issued = now};
    if (one_in(w, 16))
        model.flags |= REQUEST_LOCAL;
    enum ccn_path path = ccn_path(f->node, &model);
    agree(w, path == ref_path(&w->ref, f->index, !(model.flags & REQUEST_LOCAL)), f->index,
          "paths of a miss", now);
    if (path != CCN_PATH_RING && !port_room(&f->below)) {
        w->refused++;
        return;
    }
    handle_t h = pool_alloc(&w->pool);
    *(struct request *)pool_get(&w->pool, h) = model;
    f->pending[f->pending_count++] = h;
    ccn_count(f->node, path);
    ref_count(&w->ref, f->index, path);
    if (path == CCN_PATH_RING) {
        ccn_ask(f->node, h, path, now);
        ref_ask(&w->ref, f->index, h, line, now);
    } else {
        port_push(&f->below, h);
    }
}

static void l1_cycle(struct fake_l1 *f, bool misses, cycle_t now)
{
    struct world *w = f->world;
    take_arrivals(f, now);
    if (one_in(w, w->drop_in)) { /* a store, or a flush */
        u32 set = (u32)rng_below(&w->rng, w->sets), way = (u32)rng_below(&w->rng, w->ways);
        show(f, set, way, NO_LINE, now);
    }
    if (misses && one_in(w, w->miss_in))
        miss(f, now);
    read_below(f, now);
    f->instructions += rng_below(&w->rng, w->most_steps + 1);
}

static cycle_t world_tick(void *self, cycle_t now)
{
    struct world *w = self;
    u32 pending = 0;
    compare_cycle(w, now);
    if (now % w->settle_in == 0)
        compare_counts(w, now);
    for (u32 i = 0; i < w->nodes; i++)
        l1_cycle(&w->l1s[i], now < CYCLES, now);
    w->all_instructions[1] = w->all_instructions[0];
    w->all_instructions[0] = 0;
    for (u32 i = 0; i < w->nodes; i++) {
        struct fake_l1 *f = &w->l1s[i];
        w->all_instructions[0] += f->instructions;
        f->room_below = port_count(&f->below) < f->below.capacity;
        pending += f->pending_count;
    }
    if (now > CYCLES && !pending)
        engine_stop(&w->sim.engine);
    return now + 1;
}

/* ---- setups --------------------------------------------------------------------------------- */

static u32 draw(struct world *w, u32 low, u32 high)
{
    return low + (u32)rng_below(&w->rng, high - low + 1);
}

static void draw_setup(struct world *w)
{
    w->nodes = one_in(w, 4) ? draw(w, 2, MOST_NODES) : draw(w, 2, 16);
    w->ways = draw(w, 1, MOST_WAYS);
    w->sets = draw(w, 1, MOST_SETS);
    w->config = (struct ccn_config){
        .mode = CCN_RING,
        .buffer_entries = draw(w, 1, 8),
        .request_entries = draw(w, 2, 9),
        .response_entries = draw(w, 1, 8),
        .link_cycles = one_in(w, 2) ? 1 : draw(w, 2, 6),
        .response_bytes = LINE >> draw(w, 0, 4),
        .response_direction = one_in(w, 3) ? CCN_SAME : CCN_OPPOSITE,
        .cut_through = one_in(w, 3),
        .owner_lru = one_in(w, 2),
        .shadow_tags = !one_in(w, 4),
        .throttle = {.enabled = one_in(w, 3),
                     .sample_instructions = draw(w, 1, 300),
                     .period_instructions = draw(w, 300, 2000),
                     .least_hit_rate = (double)draw(w, 0, 60) / 100,
                     .scope = one_in(w, 3) ? THROTTLE_CHIP : THROTTLE_CORE},
    };
    static const u32 miss_in[] = {1, 3, 10, 60}, reply_in[] = {1, 4, 30}, drop_in[] = {5, 50, 1000};
    w->miss_in = miss_in[draw(w, 0, 3)];
    w->reply_in = reply_in[draw(w, 0, 2)];
    w->drop_in = drop_in[draw(w, 0, 2)];
    w->lines = draw(w, 1, 8) * w->sets * w->ways * (one_in(w, 2) ? 1 : w->nodes);
    w->most_steps = draw(w, 1, 40);
    w->settle_in = one_in(w, 2) ? 1 : 97; /* a ring that is not asked may sleep */
}

static void open_l1(struct world *w, u32 i, unit_id unit)
{
    struct fake_l1 *f = &w->l1s[i];
    f->world = w;
    f->index = i;
    f->room_below = true;
    for (u32 k = 0; k < w->sets * w->ways; k++)
        f->lines[k / w->ways][k % w->ways] = NO_LINE;
    port_init(&f->below, &w->sim.engine, "below", draw(w, 1, 8));
    port_connect(&f->below, unit, unit);
    f->node = ccn_attach(&w->ccn, i,
                         (struct l1_peer){.ops = &peer_ops,
                                          .l1 = f,
                                          .unit = unit,
                                          .agent = (u16)i,
                                          .below = &f->below,
                                          .instructions = &f->instructions});
}

static struct world *world_open(u64 seed)
{
    struct world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    struct engine_options options = {.max_cycles = MOST_DRAIN, .no_skip = seed % 5 == 0};
    w->seed = seed;
    rng_init(&w->rng, seed, "ring");
    draw_setup(w);
    engine_init(&w->sim.engine, &w->sim.arena, &options);
    pool_init(&w->pool, &w->sim.arena, w->nodes * MOST_PENDING, sizeof(struct request));
    domain_id domain = engine_add_domain(&w->sim.engine, "core", 1000000000);
    struct ccn_shape shape = {.nodes = w->nodes,
                              .line_bytes = LINE,
                              .lines = w->sets * w->ways,
                              .ways = w->ways,
                              .mshrs = MOST_PENDING};
    ccn_init(&w->ccn, &w->sim, domain, &w->config, shape, &w->pool);
    unit_id unit = engine_add_unit(&w->sim.engine, domain, "L1s", world_tick, w);
    for (u32 i = 0; i < w->nodes; i++)
        open_l1(w, i, unit);
    ccn_finish(&w->ccn, &w->sim, domain);
    w->ref = (struct reference){.config = &w->config,
                                .nodes = w->nodes,
                                .busy = LINE / w->config.response_bytes,
                                .view = {ref_holds, ref_has_room_below, ref_instructions, w}};
    engine_start(&w->sim.engine);
    return w;
}

static void world_close(struct world *w)
{
    arena_fini(&w->sim.arena);
    free(w);
}

/* ---- tests ---------------------------------------------------------------------------------- */

/* ---- the reference by itself: numbers of the spec ---- */

static bool only_owner_holds(void *context, u32 node, u64 line)
{
    const u32 *owner = context;
    (void)line;
    return *owner == node;
}

static bool always(void *context, u32 node)
{
    (void)context, (void)node;
    return true;
}

/* Core 0 of 15 misses in cycle 0 what only the owner has: when it is there, or goes below. */
static cycle_t miss_takes(u32 owner, u32 link_cycles, bool cut_through)
{
    static struct reference r;
    const struct ccn_config config = {.buffer_entries = 8,
                                      .request_entries = 8,
                                      .response_entries = 8,
                                      .link_cycles = link_cycles,
                                      .cut_through = cut_through,
                                      .shadow_tags = true};
    r = (struct reference){
        .config = &config,
        .nodes = 15,
        .busy = 4,
        .view = {.holds = only_owner_holds, .has_room_below = always, .context = &owner}};
    ref_ask(&r, 0, 1, 128, 0);
    for (cycle_t now = 1; now < 1000; now++) {
        struct ring_events done = {0};
        ref_cycle(&r, now, &done);
        if (done.of[0].came)
            return done.of[0].came_at;
        if (done.of[0].given_back)
            return now;
    }
    return CYCLE_NEVER;
}

/* l_reuse = 3 + n (2v + 3), with cut-through 6 + 2 n v; S16: 8 for a neighbour. A request that
 * nobody answers is in its own queue again after 1 + 15 v, and leaves it in the next cycle. */
TEST(the_reference_takes_the_cycles_of_the_spec)
{
    UNUSED_STATE;
    assert_int_equal(miss_takes(1, 1, false), 8);
    for (u32 v = 1; v <= 5; v++) {
        for (u32 n = 1; n < 15; n++) {
            assert_int_equal(miss_takes(n, v, false), 3 + n * (2 * v + 3));
            assert_int_equal(miss_takes(n, v, true), 6 + 2 * n * v);
        }
        assert_int_equal(miss_takes(0, v, false), 1 + 15 * v + 1);
    }
}

/* ---- both ---- */

/* All that the reference has counted, over all cores and rings. */
static void add_counts(struct ccn_counts *sum, const struct world *w)
{
    for (u32 i = 0; i < w->nodes; i++) {
        const u64 *from = (const u64 *)&w->ref.counts[i];
        for (u32 k = 0; k < sizeof *sum / sizeof *from; k++)
            ((u64 *)sum)[k] += from[k];
    }
}

TEST(the_ring_does_in_every_cycle_what_the_reference_does)
{
    UNUSED_STATE;
    struct ccn_counts sum = {0};
    u64 refused = 0;
    for (u64 seed = 0; seed < 400; seed++) {
        struct world *w = world_open(seed);
        assert_int_equal(engine_run(&w->sim.engine), ENGINE_STOPPED); /* all misses are over */
        compare_counts(w, engine_cycle(&w->sim.engine, 0));
        add_counts(&sum, w);
        refused += w->refused;
        world_close(w);
    }
    print_message("# %llu asked: %llu answered, %llu came back; %llu deflected, %llu throttled\n",
                  (unsigned long long)sum.injected, (unsigned long long)sum.remote_hits,
                  (unsigned long long)sum.returned, (unsigned long long)sum.deflected,
                  (unsigned long long)sum.throttled);
    /* everything that can happen did */
    assert_true(sum.remote_hits > 100000 && sum.returned > 100000 && sum.deflected > 100000);
    assert_true(sum.throttled > 1000 && sum.epochs_on > 100 && sum.epochs_off > 100);
    assert_true(sum.wait_response_cycles > 10000 && sum.wait_below_cycles > 10000);
    assert_true(sum.lookups > sum.probes + 10000 && refused > 1000);
}

RUN_TESTS(T(the_reference_takes_the_cycles_of_the_spec),
          T(the_ring_does_in_every_cycle_what_the_reference_does))
