/*
 * The memory system of chips/cpu4.yaml alone, under two agents that push what a script says and
 * note when the answers come. All clocks are 3.5 GHz but DRAM's. Unloaded, as the chip's file
 * states: a hit takes 40 cycles (10 in each network, 20 in the cache), a miss 181.
 */
#include "testing.h"

#include "cpu/chip_config.h"
#include "machine/model.h"
#include "memsys/memory_system.h"
#include "policy/registry.h"

#define HIT 40u
#define MISS 181u
#define AGENTS 2u
#define MOST 128u

struct step {
    cycle_t at;
    u64 line;
    u8 kind;
};

struct agent_part {
    struct bed *bed;
    struct port out, in;
    unit_id unit;
    u32 number;
    const struct step *steps;
    u32 count, next, answers;
    cycle_t pushed[MOST], arrived[MOST]; /* by step */
    bool hit[MOST];
};

struct bed {
    struct config config;
    struct sim sim;
    struct pool pool;
    struct memory_system memory;
    struct agent_part agents[AGENTS];
};

static cycle_t agent_tick(void *self, cycle_t now)
{
    struct agent_part *a = self;
    struct bed *b = a->bed;
    while (port_ready(&a->in)) {
        handle_t h = port_pop(&a->in);
        const struct request *r = pool_get(&b->pool, h);
        a->arrived[r->ticket] = now;
        a->hit[r->ticket] = r->flags & REQUEST_L2_HIT;
        a->answers++;
        pool_free(&b->pool, h);
    }
    while (a->next < a->count && a->steps[a->next].at <= now && port_can_push(&a->out)) {
        const struct step *s = &a->steps[a->next];
        handle_t h = pool_alloc(&b->pool);
        *(struct request *)pool_get(&b->pool, h) =
            (struct request){.line = s->line,
                             .sectors = 3,
                             .kind = s->kind,
                             .agent = (u16)a->number,
                             .reply_to = (u16)a->number,
                             .to = (u16)address_place(&b->memory.map, s->line).bank,
                             .ticket = a->next};
        port_push(&a->out, h);
        a->pushed[a->next++] = now;
    }
    return a->next < a->count ? max_u64(now + 1, a->steps[a->next].at) : CYCLE_NEVER;
}

static void fail_with(const struct err *err)
{
    char text[1600];
    err_text(err, text, sizeof text);
    fail_msg("%s", text);
}

static void bed_open(struct bed *b, const char *const *sets)
{
    struct err err = ERR_INIT;
    u32 count = 0;
    *b = (struct bed){0};
    while (sets && sets[count])
        count++;
    struct config_request request = {.chip = "cpu4",
                                     .folders = testing_chips(),
                                     .sets = sets,
                                     .set_count = count,
                                     .schemas = model_schemas};
    if (!config_load(&b->config, &request, &err))
        fail_with(&err);
    const struct cpu_config *c = b->config.data;
    struct engine *e = &b->sim.engine;
    struct arena *a = &b->sim.arena;
    engine_init(e, a, &(struct engine_options){.max_cycles = 100000});
    stats_init(&b->sim.stats, a);
    b->sim.seed = 1;
    pool_init(&b->pool, a, 4096, sizeof(struct request));
    domain_id clock = engine_add_domain(e, "cores", c->core.clock_hz);
    struct build_site site = site_of(&b->sim);
    struct memory_config memory = {.line_bytes = c->line_bytes,
                                   .core_hz = c->core.clock_hz,
                                   .cache_name = "llc",
                                   .network = &c->network,
                                   .l2 = &c->llc,
                                   .dram = &c->dram,
                                   .ideal = &c->ideal};
    struct memory_client clients[AGENTS];
    struct memory_policies policies = {0};
    assert_true(
        policy_choose(QUESTION_REPLACEMENT, "lru", "policy", NULL, a, &policies.cache, &err));
    assert_true(policy_choose(QUESTION_DRAM, "fr_fcfs", "policy", NULL, a, &policies.dram, &err));
    memory_system_init(&b->memory, &site, &memory, &b->pool);
    for (u32 i = 0; i < AGENTS; i++) {
        struct agent_part *p = &b->agents[i];
        *p = (struct agent_part){.bed = b, .number = i};
        port_init(&p->out, e, "out", 8);
        port_init(&p->in, e, "in", 64);
        p->unit = engine_add_unit(e, clock, "agent", agent_tick, p);
        clients[i] = (struct memory_client){
            .agent = {.kind = AGENT_CPU, .number = (u16)i, .index = (u16)i, .node = (u16)i},
            .out = {&p->out},
            .in = &p->in,
            .unit = p->unit,
            .clock_hz = c->core.clock_hz};
    }
    memory_system_connect(&b->memory, clients, AGENTS, clock, &policies);
}

static void play(struct bed *b, const struct step *first, u32 firsts, const struct step *second,
                 u32 seconds)
{
    b->agents[0].steps = first, b->agents[0].count = firsts;
    b->agents[1].steps = second, b->agents[1].count = seconds;
    engine_start(&b->sim.engine);
    engine_run(&b->sim.engine);
    assert_int_equal(pool_in_use(&b->pool), 0); /* nothing is lost or left */
}

static void bed_close(struct bed *b)
{
    arena_fini(&b->sim.arena);
    config_fini(&b->config);
}

static cycle_t latency(const struct bed *b, u32 agent, u32 step)
{
    const struct agent_part *a = &b->agents[agent];
    return a->arrived[step] - a->pushed[step];
}

TEST(an_unloaded_hit_takes_what_the_chip_says_wherever_its_bank_is)
{
    UNUSED_STATE;
    struct bed b;
    struct step steps[16];
    bed_open(&b, NULL);
    for (u32 i = 0; i < 8; i++) { /* lines of all four banks, then the same again */
        steps[i] = (struct step){1000 * (i + 1), 0x100000 + 64 * i, REQUEST_LOAD};
        steps[8 + i] = (struct step){1000 * (i + 9), 0x100000 + 64 * i, REQUEST_LOAD};
    }
    play(&b, steps, 16, NULL, 0);
    for (u32 i = 0; i < 8; i++) {
        assert_int_equal(latency(&b, 0, 8 + i), HIT);
        assert_true(b.agents[0].hit[8 + i]);
        assert_false(b.agents[0].hit[i]);
    }
    bed_close(&b);
}

TEST(an_unloaded_miss_takes_what_the_chip_says_and_a_row_to_be_closed_nine_clocks_more)
{
    UNUSED_STATE;
    struct bed b;
    struct step steps[8];
    bed_open(&b, NULL);
    for (u32 i = 0; i < 8; i++) /* a megabyte apart: one bank, other rows */
        steps[i] = (struct step){5000 * (i + 1), 0x100000 * (i + 1), REQUEST_LOAD};
    play(&b, steps, 8, NULL, 0);
    /* a clock of DRAM is 5.25 cycles, and what comes between two waits for the next */
    assert_in_range(latency(&b, 0, 0), MISS - 6, MISS + 6);
    for (u32 i = 1; i < 8; i++)
        assert_in_range(latency(&b, 0, i), MISS - 6, MISS + 9 * 21 / 4 + 6);
    bed_close(&b);
}

TEST(an_agent_gets_its_own_answers_and_finds_what_another_brought)
{
    UNUSED_STATE;
    struct bed b;
    const struct step first[] = {{1000, 0x40000, REQUEST_LOAD}};
    const struct step second[] = {{2000, 0x40000, REQUEST_LOAD}};
    bed_open(&b, NULL);
    play(&b, first, 1, second, 1);
    assert_int_equal(b.agents[0].answers, 1);
    assert_int_equal(b.agents[1].answers, 1);
    assert_int_equal(latency(&b, 1, 0), HIT);
    bed_close(&b);
}

TEST(two_agents_that_miss_one_line_at_once_share_one_access_of_dram)
{
    UNUSED_STATE;
    struct bed b;
    const struct step steps[] = {{1000, 0x40000, REQUEST_LOAD}};
    bed_open(&b, NULL);
    play(&b, steps, 1, steps, 1);
    u64 reads = 0;
    for (u32 i = 0; i < b.memory.channel_count; i++)
        reads += b.memory.channels[i].counts.bytes_read;
    assert_int_equal(reads, 64);
    assert_int_equal(latency(&b, 1, 0) - latency(&b, 0, 0), 1); /* one packet a cycle comes back */
    bed_close(&b);
}

TEST(a_victim_needs_no_answer_and_its_line_is_there)
{
    UNUSED_STATE;
    struct bed b;
    const struct step steps[] = {{1000, 0x40000, REQUEST_WRITEBACK}, {2000, 0x40000, REQUEST_LOAD}};
    bed_open(&b, NULL);
    play(&b, steps, 2, NULL, 0);
    assert_int_equal(b.agents[0].answers, 1);
    assert_int_equal(latency(&b, 0, 1), HIT);
    bed_close(&b);
}

/* A flood of misses of one bank, and hits of it beside: how long the slowest of these takes. */
static cycle_t slowest_hit(const char *const *sets)
{
    struct bed b;
    struct step flood[MOST], hits[8];
    const u64 line = 0x7000000;
    cycle_t slowest = 0;
    bed_open(&b, sets);
    hits[0] = (struct step){100, line, REQUEST_LOAD};
    for (u32 i = 1; i < 8; i++)
        hits[i] = (struct step){2000 + 100 * i, line, REQUEST_LOAD};
    for (u32 i = 0; i < MOST; i++)
        flood[i] = (struct step){2000, 0x100000 + 512 * i, REQUEST_LOAD};
    play(&b, flood, MOST, hits, 8);
    assert_int_equal(b.agents[0].answers, MOST);
    for (u32 i = 1; i < 8; i++)
        slowest = max_u64(slowest, latency(&b, 1, i));
    bed_close(&b);
    return slowest;
}

TEST(a_flood_of_misses_is_answered_whole_and_leaves_hits_alone)
{
    UNUSED_STATE;
    assert_in_range(slowest_hit(NULL), HIT, 3 * HIT);
}

/* All misses but 16 wait in the access queue for an MSHR. */
TEST(hits_go_under_a_flood_that_has_taken_all_mshrs)
{
    UNUSED_STATE;
    static const char *const under[] = {"llc.mshrs=16", "llc.access_entries=256", NULL};
    static const char *const behind[] = {"llc.mshrs=16", "llc.access_entries=256",
                                         "llc.hit_under_miss=false", NULL};
    assert_in_range(slowest_hit(under), HIT, 3 * HIT);
    assert_true(slowest_hit(behind) > 20 * HIT);
}

TEST(small_queues_only_make_a_flood_slower)
{
    UNUSED_STATE;
    struct bed b;
    struct step flood[MOST];
    const char *sets[] = {"llc.access_entries=2",   "llc.miss_entries=2",       "llc.mshrs=2",
                          "llc.response_entries=1", "network.output_entries=1", NULL};
    cycle_t ends[2];
    for (u32 i = 0; i < MOST; i++)
        flood[i] = (struct step){1000, 0x100000 + 64 * i, i % 3 ? REQUEST_LOAD : REQUEST_WRITEBACK};
    for (u32 turn = 0; turn < 2; turn++) {
        bed_open(&b, turn ? sets : NULL);
        play(&b, flood, MOST, flood, MOST);
        assert_int_equal(b.agents[0].answers, 85); /* two thirds of 128 */
        assert_int_equal(b.agents[1].answers, 85);
        ends[turn] = max_u64(b.agents[0].arrived[MOST - 1], b.agents[1].arrived[MOST - 1]);
        bed_close(&b);
    }
    assert_true(ends[1] > ends[0]);
}

RUN_TESTS(T(an_unloaded_hit_takes_what_the_chip_says_wherever_its_bank_is),
          T(an_unloaded_miss_takes_what_the_chip_says_and_a_row_to_be_closed_nine_clocks_more),
          T(an_agent_gets_its_own_answers_and_finds_what_another_brought),
          T(two_agents_that_miss_one_line_at_once_share_one_access_of_dram),
          T(a_victim_needs_no_answer_and_its_line_is_there),
          T(a_flood_of_misses_is_answered_whole_and_leaves_hits_alone),
          T(hits_go_under_a_flood_that_has_taken_all_mshrs),
          T(small_queues_only_make_a_flood_slower))
