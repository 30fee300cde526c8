/* A mesh through the interface of networks. */
#include "testing.h"

#include "net/bed.h"
#include "net/mesh/placement.h"

static const struct mesh_config small = {.width = 3,
                                         .height = 2,
                                         .vcs = 2,
                                         .vc_flits = 5,
                                         .flit_bytes = 16,
                                         .hop_cycles = 5,
                                         .arbitration = MESH_OLDEST,
                                         .injection_flits = 1,
                                         .sa_input_limit = 1,
                                         .injection_packets = 4};

static void to_0(const struct bed_producer *p, u32 n, struct request *r)
{
    (void)p, (void)n;
    r->to = 0;
}

static void anywhere(const struct bed_producer *p, u32 n, struct request *r)
{
    u64 random = rng_at(p->bed->setup.seed ^ (u64)(p->input * 8 + p->source + 1) << 32, n);
    r->to = (u16)(random % p->bed->setup.outputs);
    r->flags = random >> 32 & 1 ? REQUEST_REPLY : 0;
}

static void run(struct bed *b)
{
    assert_int_equal(engine_run(&b->sim.engine), ENGINE_STOPPED);
    struct err err = ERR_INIT;
    assert_true(stats_check_laws(&b->sim.stats, &err));
    assert_true(mesh_is_consistent(&b->mesh.mesh));
    assert_int_equal(b->net.counts->packets, b->arrived);
}

/* Pushed in cycle 0, queued in 1; 3 hops and its own router: 2 + 5 x 4 later in the output's port;
 * seen there in the cycle after: 24. */
TEST(a_lone_packet_takes_the_time_of_its_routers)
{
    UNUSED_STATE;
    struct bed *b = bed_create(&(struct bed_setup){
        .mesh = small, .inputs = 1, .sources = 1, .outputs = 1, .packets = 1, .packet = to_0});
    run(b);
    assert_int_equal(b->log[0].cycle, 24);
    assert_int_equal(b->net.counts->latency_cycles, 22);
    bed_destroy(b);
}

static void compare(const struct bed_setup *one, const struct bed_setup *other)
{
    struct bed *a = bed_create(one), *b = bed_create(other);
    run(a);
    run(b);
    assert_int_equal(a->arrived, b->arrived);
    assert_memory_equal(a->log, b->log, a->arrived * sizeof a->log[0]);
    assert_memory_equal(a->net.counts, b->net.counts, sizeof *a->net.counts);
    bed_destroy(a);
    bed_destroy(b);
}

TEST(sleeping_changes_nothing)
{
    UNUSED_STATE;
    for (u64 seed = 1; seed <= 24; seed++) {
        struct bed_setup s = {.mesh = small,
                              .inputs = 6,
                              .sources = 2,
                              .outputs = 6,
                              .packets = 60,
                              .packet = anywhere,
                              .percent_sent = seed % 2 ? 10 : 0,
                              .percent_taken = seed % 3 ? 40 : 0,
                              .network_hz = seed % 4 ? 0 : 700000000,
                              .seed = seed};
        s.mesh.routing = (u32)seed % 3;
        s.mesh.sink_packets = seed % 5 ? 0 : 1;
        struct bed_setup every = s;
        every.no_skip = true;
        compare(&s, &every);
    }
}

/* What consumers do not take waits without limit where it leaves, and others pass. */
TEST(a_consumer_that_takes_nothing_holds_nobody_else_up)
{
    UNUSED_STATE;
    struct bed *b = bed_create(&(struct bed_setup){.mesh = small,
                                                   .inputs = 6,
                                                   .sources = 1,
                                                   .outputs = 6,
                                                   .packets = 200,
                                                   .packet = anywhere,
                                                   .output_room = 1,
                                                   .taken_from = 4000,
                                                   .limit = 4000});
    assert_int_equal(engine_run(&b->sim.engine), ENGINE_LIMIT);
    assert_false(mesh_is_busy(&b->mesh.mesh));
    bed_destroy(b);
}

static void lines_to_0(const struct bed_producer *p, u32 n, struct request *r)
{
    (void)p, (void)n;
    bed_make_reply(r);
    r->to = 0;
}

/* Two ports of one node always have a packet, and its queue, full after a few cycles, has room for
 * one now and then: each port has every second place. Four places are taken before it is full. */
TEST(ports_of_a_node_take_turns_when_its_queue_is_full)
{
    UNUSED_STATE;
    struct bed *b = bed_create(&(struct bed_setup){.mesh = small,
                                                   .inputs = 1,
                                                   .sources = 2,
                                                   .outputs = 1,
                                                   .packets = 100,
                                                   .packet = lines_to_0});
    run(b);
    u32 of[2] = {0};
    for (u32 i = 0; i < b->arrived; i++) {
        of[b->log[i].source]++;
        assert_in_range(of[0] - of[1] + 2, 0, 4);
    }
    bed_destroy(b);
}

/* A bank's port: three lines for the GPU (agent 1), for output 0, then one for a CPU core (agent
 * 0), for output 1. */
static void lines_of_both(const struct bed_producer *p, u32 n, struct request *r)
{
    const struct mesh_injector *q = &p->bed->mesh.mesh.injectors[0];
    bed_make_reply(r);
    r->agent = n % 4 != 3;
    r->to = n % 4 == 3;
    assert_in_range(q->lists[NOC_CPU].count + q->lists[NOC_GPU].count, 0, 8);
    assert_int_equal(q->outside[NOC_CPU].count + q->outside[NOC_GPU].count, 0);
}

static struct bed *flood(enum noc_injection injection)
{
    struct bed_setup s = {.mesh = small,
                          .messages = MESH_REPLIES,
                          .inputs = 1,
                          .sources = 1,
                          .outputs = 2,
                          .packets = UINT32_MAX,
                          .packet = lines_of_both,
                          .source_room = 4,
                          .output_room = 64,
                          .taken_from = 4000,
                          .limit = 4000};
    s.mesh.injection_packets = 8;
    s.mesh.sink_packets = 1;
    s.mesh.flit_bytes = 32;      /* a line has five flits, */
    s.mesh.whole_packets = true; /* and none is sent by halves, so that no other can begin */
    struct bed *b = bed_create(&s);
    struct noc_plan plan = noc_plan_shared();
    plan.injection = (u8)injection;
    noc_plan_split(&plan, 1);
    for (u32 i = 0; i < b->mesh.mesh.nodes; i++)
        mesh_apply_plan(&b->mesh.mesh, i, &plan);
    assert_int_equal(engine_run(&b->sim.engine), ENGINE_LIMIT);
    assert_true(mesh_pools_are_bounded(&b->mesh.mesh));
    return b;
}

/* Output 0 takes nothing more, and GPU packets fill all on their way: its port of 64, the one place
 * of its sink, routers, the queue, and the bank's port of 4, which stops the bank as it does
 * without lists. With lists the GPU has 6 of the queue's 8 places, and no CPU packet is left in the
 * port; with one queue all 8 are taken, and a CPU packet stands behind GPU packets. */
TEST(queues_with_lists_hold_as_much_as_others_and_ports_are_looked_through_by_type)
{
    UNUSED_STATE;
    static const enum noc_injection injections[] = {NOC_TYPED_TURNS, NOC_TYPED_OLDEST, NOC_FIFO};
    for (u32 i = 0; i < ARRAY_LEN(injections); i++) {
        struct bed *b = flood(injections[i]);
        const struct mesh_injector *q = &b->mesh.mesh.injectors[0];
        u32 sent_cpu = b->producers[0].sent / 4, came = port_count(&b->output_ports[1]);
        assert_int_equal(port_count(&b->source_ports[0]), 4);
        assert_int_equal(q->lists[NOC_GPU].count + q->lists[NOC_CPU].count,
                         injections[i] == NOC_FIFO ? 8 : 6);
        if (injections[i] == NOC_FIFO)
            assert_true(came < sent_cpu);
        else
            assert_int_equal(came, sent_cpu);
        bed_destroy(b);
    }
}

/* ---- messages that make others ------------------------------------------------------------ */

/* At each of four nodes somebody asks and somebody answers, who takes a request when there is room
 * for its reply. */
#define ENDS 4u
#define QUESTIONS 400u

struct asker {
    struct town *town;
    u32 index, sent, got;
    struct port out, in;
};

struct answerer {
    struct town *town;
    struct port in, out;
};

struct town {
    struct sim sim;
    struct pool pool;
    struct mesh_config config;
    struct mesh_network net;
    struct network request, reply;
    struct noc_agent agents[ENDS];
    struct asker askers[ENDS];
    struct answerer answerers[ENDS];
    u32 answered;
};

static cycle_t ask(void *self, cycle_t now)
{
    struct asker *a = self;
    struct town *t = a->town;
    (void)now;
    if (a->sent < QUESTIONS && port_can_push(&a->out)) {
        handle_t h = pool_alloc(&t->pool);
        struct request *r = pool_get(&t->pool, h);
        *r = (struct request){.sectors = 3,
                              .agent = (u16)a->index,
                              .kind = REQUEST_ATOMIC, /* carries data both ways */
                              .to = (u16)((a->index + 1 + a->sent % 3) % ENDS)};
        port_push(&a->out, h);
        a->sent++;
    }
    if (a->sent == QUESTIONS && port_ready(&a->in)) {
        pool_free(&t->pool, port_pop(&a->in));
        if (++t->answered == ENDS * QUESTIONS)
            engine_stop(&t->sim.engine);
    }
    return a->sent < QUESTIONS || port_count(&a->in) ? now + 1 : CYCLE_NEVER;
}

static cycle_t answer(void *self, cycle_t now)
{
    struct answerer *a = self;
    struct town *t = a->town;
    if (port_ready(&a->in) && port_can_push(&a->out)) {
        handle_t h = port_pop(&a->in);
        struct request *r = pool_get(&t->pool, h);
        r->flags = REQUEST_REPLY;
        r->to = r->agent;
        port_push(&a->out, h);
    }
    return port_count(&a->in) ? now + 1 : CYCLE_NEVER;
}

static void town_build(struct town *t, u32 sink_packets)
{
    static const u16 nodes[ENDS] = {0, 1, 2, 3};
    struct engine *e = &t->sim.engine;
    memset(t, 0, sizeof *t);
    t->config = small;
    t->config.width = t->config.height = 2;
    t->config.sink_packets = sink_packets;
    engine_init(e, &t->sim.arena, &(struct engine_options){.watchdog_cycles = 5000});
    stats_init(&t->sim.stats, &t->sim.arena);
    pool_init(&t->pool, &t->sim.arena, 4096, sizeof(struct request));
    struct build_site site = site_of(&t->sim);
    domain_id domain = engine_add_domain(e, "clock", 1000000000);
    mesh_network_init(&t->net, &(struct mesh_network_parts){.site = &site,
                                                            .domain = domain,
                                                            .config = &t->config,
                                                            .requests = &t->pool,
                                                            .packets = 4096,
                                                            .outputs = 2 * ENDS,
                                                            .agents = t->agents,
                                                            .agent_count = ENDS,
                                                            .most_requests = 4000});
    t->request =
        mesh_network_view(&t->net, &site, "request", MESH_REQUESTS, ENDS, nodes, ENDS, nodes);
    t->reply = mesh_network_view(&t->net, &site, "reply", MESH_REPLIES, ENDS, nodes, ENDS, nodes);
    for (u32 i = 0; i < ENDS; i++) {
        struct asker *a = &t->askers[i];
        struct answerer *b = &t->answerers[i];
        a->town = b->town = t;
        a->index = i;
        unit_id asker = engine_add_unit(e, domain, site_name(&site, "asker", i), ask, a);
        unit_id answerer = engine_add_unit(e, domain, site_name(&site, "answerer", i), answer, b);
        port_init(&a->out, e, site_name(&site, "question", i), 4);
        port_init(&a->in, e, site_name(&site, "read", i), 4);
        port_init(&b->in, e, site_name(&site, "work", i), 2);
        port_init(&b->out, e, site_name(&site, "answer", i), 2);
        network_attach_source(&t->request, i, 0, &a->out, asker);
        network_attach_output(&t->request, i, &b->in, answerer);
        network_attach_source(&t->reply, i, 0, &b->out, answerer);
        network_attach_output(&t->reply, i, &a->in, asker);
    }
    engine_start(e);
}

/* Askers read no answer before they have asked everything: sinks that take everything let that be;
 * limited ones fill the channels with replies that nobody reads, and requests stand behind them. */
TEST(kinds_of_messages_do_not_block_each_other_unless_sinks_have_a_limit_and_then_it_is_told)
{
    UNUSED_STATE;
    struct town t;
    town_build(&t, 0);
    assert_int_equal(engine_run(&t.sim.engine), ENGINE_STOPPED);
    assert_int_equal(t.answered, ENDS * QUESTIONS);
    arena_fini(&t.sim.arena);
    town_build(&t, 1);
    assert_int_equal(engine_run(&t.sim.engine), ENGINE_HUNG);
    struct text report = {0};
    watchdog_report(&t.sim.engine, &report);
    assert_non_null(strstr(report.data, "mesh"));
    assert_non_null(strstr(report.data, "have no room in port"));
    assert_non_null(strstr(report.data, "asker"));
    text_fini(&report);
    arena_fini(&t.sim.arena);
}

/* ---- placements ---------------------------------------------------------------------------- */

static const u32 chip_b[PLACED_KINDS] = {4, 6, 4, 2};

TEST(a_placement_numbers_parts_of_a_kind_in_reading_order)
{
    UNUSED_STATE;
    struct arena arena = {0};
    struct placement p;
    struct err err = ERR_INIT;
    struct src_pos at = {"chip.yaml", 3, 1};
    assert_true(placement_read(&p, &arena, "CCCC/LLLL/MMGG/GGGG", 4, 4, chip_b, at, &err));
    assert_int_equal(p.nodes[PLACED_CPU][3], 3);
    assert_int_equal(p.nodes[PLACED_BANK][0], 4);
    assert_int_equal(p.nodes[PLACED_MEMORY][1], 9);
    assert_int_equal(p.nodes[PLACED_SM][0], 10);
    assert_int_equal(p.nodes[PLACED_SM][5], 15);
    static const u32 two[PLACED_KINDS] = {2, 0, 2, 1};
    assert_true(placement_read(&p, &arena, "[CL]M/.[LC]", 2, 2, two, at, &err));
    assert_int_equal(p.nodes[PLACED_CPU][1], 3);
    assert_int_equal(p.nodes[PLACED_BANK][0], 0);
    arena_fini(&arena);
}

TEST(a_placement_that_cannot_be_gets_a_sentence)
{
    UNUSED_STATE;
    static const struct {
        const char *text, *what;
    } rows[] = {
        {"CCCC/LLLL/MMGG/GGG", "row 4 of placement has 3 nodes, expected width = 4"},
        {"CCCC/LLLL/MMGG", "placement has 3 rows, expected height = 4"},
        {"CCCC/LLLL/MMGG/GGGX", "placement has 'X' in row 4, expected C, G, L, M or '.'"},
        {"CCCC/LLLL/MMGG/GGG.", "placement has 5 times G, expected 6: one for each SM"},
        {"CCCC/LLLL/MMGG/GGG[GG]", "placement has 7 times G, expected 6: one for each SM"},
        {"CCCC/LLLC/MMGG/GGGG", "placement has 5 times C, expected 4: one for each CPU core"},
        {"CCCC/LLLL/MMGG/GGG[G", "placement has a '[' in row 4 without its partner"},
        {"CCCC/LLLL/MMG]G/GGGG", "placement has a ']' in row 3 without its partner"},
        {"CCC[C/LLLL/MMGG/GGGG", "placement has a '[' in row 1 without its partner"},
    };
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        struct arena arena = {0};
        struct placement p;
        struct err err = ERR_INIT;
        struct src_pos at = {"chip.yaml", 3, 1};
        assert_false(placement_read(&p, &arena, rows[i].text, 4, 4, chip_b, at, &err));
        assert_string_equal(err.what, rows[i].what);
        arena_fini(&arena);
    }
}

RUN_TESTS(
    T(a_lone_packet_takes_the_time_of_its_routers), T(sleeping_changes_nothing),
    T(a_consumer_that_takes_nothing_holds_nobody_else_up),
    T(ports_of_a_node_take_turns_when_its_queue_is_full),
    T(queues_with_lists_hold_as_much_as_others_and_ports_are_looked_through_by_type),
    T(kinds_of_messages_do_not_block_each_other_unless_sinks_have_a_limit_and_then_it_is_told),
    T(a_placement_numbers_parts_of_a_kind_in_reading_order),
    T(a_placement_that_cannot_be_gets_a_sentence))
