/* Policies of a mesh: by hand, and under synthetic traffic of cores and banks. */
#include "testing.h"

#include "net/mesh/mesh_internal.h"
#include "net/mesh/traffic.h"
#include "policy/noc/order.h"
#include "policy/registry.h"

#include <math.h>

static const struct noc_policy_ops *find(const char *name)
{
    return (const struct noc_policy_ops *)policy_find(QUESTION_NOC, name);
}

/* ---- a policy alone ------------------------------------------------------------------------- */

struct desk {
    struct arena arena;
    struct noc_policy policy;
    struct noc_agent agents[4];
    u64 instructions[4];
    u8 config[256];
};

/* Three CPU programs on agents 0 to 2 and a GPU program on agent 3; parameters are their defaults,
 * then those of `set`. */
static void open_desk(struct desk *d, const char *name, const char *const *set)
{
    memset(d, 0, sizeof *d);
    const struct noc_policy_ops *ops = find(name);
    struct err err = ERR_INIT;
    for (const struct param *p = ops->params; p && p->type != PARAM_END; p++)
        param_set_initial(p, d->config + p->offset);
    for (; set && *set; set += 2) {
        for (const struct param *p = ops->params; p && p->type != PARAM_END; p++) {
            if (strcmp(p->name, set[0]) == 0)
                assert_true(
                    param_set(p, d->config + p->offset, set[0], set[1], (struct src_pos){0}, &err));
        }
    }
    for (u32 i = 0; i < 4; i++)
        d->agents[i] = (struct noc_agent){.type = i < 3 ? NOC_CPU : NOC_GPU,
                                          .application = (u8)i,
                                          .instructions = &d->instructions[i]};
    d->policy = (struct noc_policy){.ops = ops,
                                    .config = d->config,
                                    .state = arena_alloc(&d->arena, ops->state_bytes + 1),
                                    .vcs = 4,
                                    .nodes = 16,
                                    .applications = 4,
                                    .agent_count = 4,
                                    .agents = d->agents};
    assert_true(!ops->init || ops->init(&d->policy, &err));
}

static u64 key_of(struct desk *d, u32 agent, u32 hops, cycle_t now)
{
    struct noc_packet packet = {.type = d->agents[agent].type,
                                .application = d->agents[agent].application,
                                .agent = (u16)agent,
                                .hops = (u16)hops,
                                .flits = 5};
    return d->policy.ops->key(&d->policy, &packet, now);
}

static void serve(struct desk *d, u32 agent, u32 packets)
{
    struct noc_packet packet = {
        .type = d->agents[agent].type, .application = d->agents[agent].application, .flits = 5};
    for (u32 i = 0; i < packets; i++)
        d->policy.ops->entered(&d->policy, &packet, 0);
}

TEST(older_batches_win_then_ranks_then_age)
{
    UNUSED_STATE;
    assert_true(noc_key(15999, 16000, 7) < noc_key(16000, 16000, 0));
    assert_true(noc_key(15999, 16000, 0) < noc_key(10, 16000, 1));
    assert_true(noc_key(10, 16000, 1) < noc_key(11, 16000, 1));
    /* without batches ranks are all */
    assert_true(noc_key(1000000000, 0, 0) < noc_key(1, 0, 1));
}

/* 20, 5 and 10 misses per 1000 instructions, and 100: agent 1, 2, 0, 3. */
TEST(applications_rank_by_misses_per_instruction_for_a_whole_interval)
{
    UNUSED_STATE;
    static const char *const set[] = {"by", "mpi", "interval", "1000", NULL};
    struct desk d;
    open_desk(&d, "order", set);
    static const u64 misses[] = {20, 5, 10, 100}, others[] = {1, 50, 60, 2};
    key_of(&d, 0, 0, 0); /* the first ranking knows nothing */
    for (u32 i = 0; i < 4; i++) {
        d.instructions[i] += 1000;
        d.agents[i].requests += misses[i];
    }
    static const u32 order[] = {1, 2, 0, 3};
    for (u32 i = 0; i < 3; i++)
        assert_true(key_of(&d, order[i], 0, 1000) < key_of(&d, order[i + 1], 0, 1000));
    for (u32 i = 0; i < 4; i++) {
        d.instructions[i] += 1000;
        d.agents[i].requests += others[i];
    }
    for (u32 i = 0; i < 3; i++) /* frozen */
        assert_true(key_of(&d, order[i], 0, 1999) < key_of(&d, order[i + 1], 0, 1999));
    static const u32 later[] = {0, 3, 1, 2};
    for (u32 i = 0; i < 3; i++)
        assert_true(key_of(&d, later[i], 0, 2000) < key_of(&d, later[i + 1], 0, 2000));
    arena_fini(&d.arena);
}

TEST(of_two_packets_of_a_batch_the_one_whose_core_waits_for_fewer_answers_wins)
{
    UNUSED_STATE;
    static const char *const set[] = {"by", "aergia", NULL};
    struct desk d;
    open_desk(&d, "order", set);
    d.agents[0].waiting = 1;
    d.agents[1].waiting = 2;
    d.agents[3].waiting = 60;
    assert_true(key_of(&d, 0, 2, 500) < key_of(&d, 1, 2, 100));
    assert_true(key_of(&d, 1, 2, 500) < key_of(&d, 3, 2, 100));
    assert_true(key_of(&d, 0, 5, 500) < key_of(&d, 0, 1, 100));   /* the longer way first */
    assert_true(key_of(&d, 3, 2, 100) < key_of(&d, 0, 2, 16100)); /* the older batch */
    arena_fini(&d.arena);
}

/* Served 10, 30, 20 and 40 packets in the first quantum; CPU cores together 60. */
TEST(the_application_that_was_served_least_wins_and_cpu_cores_may_count_as_one)
{
    UNUSED_STATE;
    for (u32 together = 0; together < 2; together++) {
        const char *const set[] = {"by", together ? "atlas_c" : "atlas", "interval", "1000", NULL};
        struct desk d;
        open_desk(&d, "order", set);
        key_of(&d, 0, 0, 0);
        static const u32 served[] = {10, 30, 20, 40};
        for (u32 i = 0; i < 4; i++)
            serve(&d, i, served[i]);
        static const u32 order[] = {0, 2, 1, 3};
        for (u32 i = 0; !together && i < 3; i++)
            assert_true(key_of(&d, order[i], 0, 1000) < key_of(&d, order[i + 1], 0, 1000));
        for (u32 i = 0; together && i < 3; i++)
            assert_true(key_of(&d, 3, 0, 1000) < key_of(&d, i, 0, 1000));
        arena_fini(&d.arena);
    }
}

/* ---- F-VCP's schedule ------------------------------------------------------------------------ */

/* Answers come 300 cycles after each question. Plans: none at 500,000, then 1:3 and 2:2 each
 * 200,000 later, the last question another 200,000 later; the decision with its answers, and after
 * 4,000,000 the next round: 4,600,300 from round to round. */
TEST(fvcp_trains_none_then_one_and_two_channels_and_keeps_the_best_for_the_main_period)
{
    UNUSED_STATE;
    struct desk d;
    open_desk(&d, "fvcp", NULL);
    const struct noc_policy_ops *ops = d.policy.ops;
    struct noc_plan plan = noc_plan_shared();
    bool changes = false;
    assert_int_equal(ops->decide(&d.policy, 0, &plan), 500000);
    cycle_t now = 500000;
    for (u32 round = 0; round < 2; round++) {
        static const u16 cpu_vcs[] = {NOC_ALL_VCS, 1, 3, 3};
        /* per round: CPU and GPU in none, 1:3, 2:2 */
        static const u64 retired[2][3][NOC_TYPES] = {
            {{100, 1000, 0}, {140, 900, 0}, {150, 700, 0}},  /* 1, 1.12, 1.02 */
            {{100, 1000, 0}, {110, 800, 0}, {120, 700, 0}}}; /* 1, 0.94, 0.92 */
        cycle_t start = now;
        for (u32 i = 0; i < 4; i++) {
            assert_int_equal(ops->decide(&d.policy, now, &plan), now);
            assert_int_equal(plan.vcs_of[NOC_CPU], cpu_vcs[i]);
            const u64 none[NOC_TYPES] = {7, 7, 7};
            cycle_t next = ops->gathered(&d.policy, now + 300, i ? retired[round][i - 1] : none,
                                         &plan, &changes);
            assert_int_equal(changes, i == 3);
            now = i < 3 ? now + 200000 : now + 300 + 4000000;
            assert_int_equal(next, now);
        }
        changes = false;
        assert_int_equal(plan.vcs_of[NOC_CPU], round == 0 ? 1 : NOC_ALL_VCS);
        assert_int_equal(plan.injection, round == 0 ? NOC_TYPED_OLDEST : NOC_FIFO);
        assert_int_equal(now - start, 4600300);
    }
    arena_fini(&d.arena);
}

TEST(fvcp_takes_fewer_cpu_channels_in_a_tie_and_a_type_that_retires_nothing_counts_as_even)
{
    UNUSED_STATE;
    struct desk d;
    open_desk(&d, "fvcp", NULL);
    const struct noc_policy_ops *ops = d.policy.ops;
    struct noc_plan plan = noc_plan_shared();
    bool changes = false;
    static const u64 same[NOC_TYPES] = {0, 1000, 0};
    cycle_t now = 500000;
    for (u32 i = 0; i < 4; i++) {
        ops->decide(&d.policy, now, &plan);
        now = ops->gathered(&d.policy, now + 1, same, &plan, &changes);
    }
    assert_int_equal(plan.vcs_of[NOC_CPU], 1);
    arena_fini(&d.arena);
}

static const u64 *logged(const struct noc_policy *p, const char *name)
{
    for (const struct stat_def *d = p->ops->stats; d->kind != STAT_END; d++) {
        if (strcmp(d->name, name) == 0)
            return (const u64 *)(const void *)((const u8 *)p->state + p->ops->stats_offset +
                                               d->offset);
    }
    fail_msg("no statistic %s", name);
    return NULL;
}

static u32 decided(struct desk *d, const u64 (*retired)[NOC_TYPES])
{
    const struct noc_policy_ops *ops = d->policy.ops;
    struct noc_plan plan = noc_plan_shared();
    bool changes = false;
    cycle_t now = 500000;
    static const u64 none[NOC_TYPES] = {0};
    for (u32 i = 0; i < 4; i++) {
        d->agents[0].requests += 10 * i;
        d->agents[3].requests += 100 * i;
        ops->decide(&d->policy, now, &plan);
        now = ops->gathered(&d->policy, now + 1, i ? retired[i - 1] : none, &plan, &changes);
    }
    return plan.vcs_of[NOC_CPU] == NOC_ALL_VCS ? 0 : (u32)__builtin_popcount(plan.vcs_of[NOC_CPU]);
}

/* sqrt(1.44 x 0.81) = 1.08 and sqrt(2.25 x 0.36) = 0.9: 1:3. With the CPU's weight 1 the ratios are
 * 1.44 and 2.25: 2:2. */
TEST(fvcp_decides_by_the_gains_that_it_logs_and_the_cpu_may_weigh_more)
{
    UNUSED_STATE;
    static const u64 retired[3][NOC_TYPES] = {{100, 100, 0}, {144, 81, 0}, {225, 36, 0}};
    static const struct {
        const char *weight;
        u32 best;
        u64 gain[4];
    } rows[] = {{"0.5", 1, {1000000, 1080000, 900000, 0}},
                {"1", 2, {1000000, 1440000, 2250000, 0}},
                {"0", 0, {1000000, 810000, 360000, 0}}};
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        const char *const set[] = {"cpu_weight", rows[i].weight, NULL};
        struct desk d;
        open_desk(&d, "fvcp", set);
        assert_int_equal(decided(&d, retired), rows[i].best);
        for (u32 k = 0; k < 4; k++) {
            assert_int_equal(logged(&d.policy, "gain_ppm")[k], rows[i].gain[k]);
            assert_int_equal(logged(&d.policy, "cpu_rate")[k], k < 3 ? retired[k][NOC_CPU] : 0);
            assert_int_equal(logged(&d.policy, "gpu_packets")[k], k < 3 ? 100 * (k + 1) : 0);
            assert_int_equal(logged(&d.policy, "cpu_packets")[k], k < 3 ? 10 * (k + 1) : 0);
        }
        arena_fini(&d.arena);
    }
}

TEST(a_split_that_leaves_a_type_no_channel_gets_a_sentence)
{
    UNUSED_STATE;
    struct desk d;
    static const char *const set[] = {"cpu_vcs", "3", NULL};
    open_desk(&d, "split", set);
    struct err err = ERR_INIT;
    d.policy.vcs = 3;
    assert_false(d.policy.ops->init(&d.policy, &err));
    assert_string_equal(err.what,
                        "policy.noc.split.cpu_vcs is 3 of 3 channels, expected at most 2: the "
                        "GPU needs one");
    d.policy.vcs = 1;
    err = ERR_INIT;
    assert_false(d.policy.ops->init(&d.policy, &err));
    assert_string_equal(err.what, "policy noc split has 1 channel to split, expected at least 2");
    arena_fini(&d.arena);
    open_desk(&d, "fvcp", NULL);
    d.policy.vcs = 1;
    err = ERR_INIT;
    assert_false(d.policy.ops->init(&d.policy, &err));
    assert_string_equal(err.what, "policy noc fvcp has 1 channel to split, expected at least 2");
    arena_fini(&d.arena);
}

/* ---- under traffic --------------------------------------------------------------------------- */

static const struct mesh_config chip_b = {.width = 4,
                                          .height = 4,
                                          .vcs = 4,
                                          .vc_flits = 5,
                                          .flit_bytes = 16,
                                          .hop_cycles = 5,
                                          .arbitration = MESH_OLDEST,
                                          .injection_flits = 1,
                                          .sa_input_limit = 1,
                                          .injection_packets = 32,
                                          .whole_packets = true};
static const struct traffic_config cores = {.short_flits = 1,
                                            .long_flits = 5,
                                            .warmup_cycles = 0,
                                            .window_cycles = 20000,
                                            .placement = "CCCC/LLLL/..GG/GGGG",
                                            .cpu_load = 0.02,
                                            .gpu_load = 0.2,
                                            .cpu_waits = 8,
                                            .gpu_waits = 64,
                                            .bank_cycles = 20};

struct outcome {
    double cpu_queue, gpu_queue, cpu_trip;
    u64 cpu, gpu, escapes;
    u32 longest_wait; /* that a head was seen to have asked for a channel */
    u64 counts[2 * sizeof(struct mesh_type_counts) / 8];
};

/* GPU cores that fall silent, and which split is in force at some times. */
struct phases {
    cycle_t quiet_from;
    cycle_t at[4];
    u32 cpu_vcs[4];
};

struct bed {
    struct sim sim;
    struct traffic traffic;
    struct phases *phases; /* NULL: there are none */
    u32 longest_wait;
};

#define LOOK_CYCLES 100u

static void follow_phases(struct traffic *t, struct phases *p, cycle_t now)
{
    if (now == p->quiet_from) {
        for (u32 i = 0; i < t->mesh.nodes; i++) {
            if (t->nodes[i].type == NOC_GPU && t->nodes[i].most_waits) {
                t->nodes[i].threshold = 0;
                t->nodes[i].next = CYCLE_NEVER;
                bitset_remove(&t->due, i);
            }
        }
    }
    for (u32 i = 0; i < ARRAY_LEN(p->at); i++) {
        if (now == p->at[i])
            p->cpu_vcs[i] = (u32)t->noc.counts.cpu_vcs;
    }
}

/* Looks at every head that asks for a channel, from time to time. */
static cycle_t look(void *self, cycle_t now)
{
    struct bed *b = self;
    const struct mesh *m = &b->traffic.mesh;
    if (b->phases)
        follow_phases(&b->traffic, b->phases, now);
    for (u32 i = 0; i < m->nodes * MESH_PORTS * m->vcs; i++) {
        u32 waits = m->inputs[i].state == VC_ASKING ? (u32)now - m->inputs[i].since : 0;
        if (waits > b->longest_wait)
            b->longest_wait = waits;
    }
    return now + LOOK_CYCLES;
}

static void set_all(u8 *config, const struct noc_policy_ops *ops, const char *options)
{
    char text[256], *rest = text;
    struct err err = ERR_INIT;
    for (const struct param *p = ops->params; p && p->type != PARAM_END; p++)
        param_set_initial(p, config + p->offset);
    snprintf(text, sizeof text, "%s", options);
    for (char *word; (word = strsep(&rest, ",")) && *word;) {
        char *value = strchr(word, '=');
        *value++ = 0;
        for (const struct param *p = ops->params; p && p->type != PARAM_END; p++) {
            if (strcmp(p->name, word) == 0)
                assert_true(
                    param_set(p, config + p->offset, word, value, (struct src_pos){0}, &err));
        }
    }
}

/* `policy` is NAME or NAME,PARAMETER=VALUE,... */
static struct outcome run_phases(const char *policy, const struct mesh_config *m,
                                 const struct traffic_config *c, bool no_skip,
                                 struct phases *phases)
{
    struct bed *b = calloc(1, sizeof *b);
    b->phases = phases;
    struct sim *sim = &b->sim;
    struct traffic *t = &b->traffic;
    struct err err = ERR_INIT;
    char name[32];
    u8 config[256];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(policy, ","), policy);
    const char *options = strchr(policy, ',');
    const struct noc_policy_ops *ops = find(name);
    set_all(config, ops, options ? options + 1 : "");
    engine_init(&sim->engine, &sim->arena,
                &(struct engine_options){.watchdog_cycles = 10000, .no_skip = no_skip});
    stats_init(&sim->stats, &sim->arena);
    struct build_site site = site_of(sim);
    domain_id domain = engine_add_domain(&sim->engine, "mesh", 1000000000);
    assert_true(traffic_init(t, &site, domain, m, c, TRAFFIC_MEMORY,
                             (struct policy_choice){(const struct policy_ops *)ops, config}, &err));
    engine_add_unit(&sim->engine, domain, "looks", look, b);
    engine_start(&sim->engine);
    assert_int_equal(engine_run(&sim->engine), ENGINE_STOPPED);
    assert_true(stats_check_laws(&sim->stats, &err));
    assert_true(mesh_is_consistent(&t->mesh));
    const struct mesh_type_counts *cpu = &t->mesh.counts.types[NOC_CPU],
                                  *gpu = &t->mesh.counts.types[NOC_GPU];
    struct outcome o = {.cpu_queue = (double)cpu->queue_cycles / (double)(cpu->packets + 1),
                        .gpu_queue = (double)gpu->queue_cycles / (double)(gpu->packets + 1),
                        .cpu_trip = (double)cpu->trip_cycles / (double)(cpu->packets + 1),
                        .cpu = cpu->packets,
                        .gpu = gpu->packets,
                        .escapes = t->mesh.counts.escapes,
                        .longest_wait = b->longest_wait};
    memcpy(o.counts, cpu, sizeof *cpu);
    memcpy((u8 *)o.counts + sizeof *cpu, gpu, sizeof *gpu);
    arena_fini(&sim->arena);
    free(b);
    return o;
}

static struct outcome run(const char *policy, const struct mesh_config *m,
                          const struct traffic_config *c, bool no_skip)
{
    return run_phases(policy, m, c, no_skip, NULL);
}

static const char *const all[] = {
    "shared",
    "split",
    "split,scope=auto",
    "damq",
    "damq,routers=mpi",
    "damq,routers=aergia",
    "order,by=cpu_first,batch_cycles=2000",
    "order,by=gpu_first,where=queues,batch_cycles=2000",
    "order,by=mpi",
    "order,by=aergia",
    "order,by=atlas,where=queues,interval=2000",
    "order,by=atlas_c,where=queues,interval=2000",
    "fvcp,warmup_cycles=2000,training_cycles=2000,main_cycles=6000",
    "fvcp,warmup_cycles=2000,training_cycles=2000,main_cycles=6000,routers=aergia"};

TEST(every_policy_is_deterministic_and_skipping_changes_nothing)
{
    UNUSED_STATE;
    for (u32 q = 0; q < 2; q++) {
        struct traffic_config c = cores;
        c.window_cycles = 12000;
        c.gpu_load = q ? 0.002 : 0.2;
        c.cpu_load = q ? 0.0005 : 0.02;
        for (u32 i = 0; i < ARRAY_LEN(all); i++) {
            struct outcome a = run(all[i], &chip_b, &c, false), b = run(all[i], &chip_b, &c, true);
            assert_memory_equal(a.counts, b.counts, sizeof a.counts);
            assert_true(a.cpu > 0 && a.gpu > 0);
        }
    }
}

/* Acceptance 6.6.5 has 10 M cycles and packets that wait for a channel for less than 100,000; here
 * it is a five-hundredth of both, and all of it with STRESS_CYCLES=10000000 (STRESS_CASE: one of
 * the policies). The watchdog has seen to it that packets arrive all the time. */
TEST(no_packet_of_a_saturated_mesh_waits_long_for_a_channel_whatever_policy_and_routing)
{
    UNUSED_STATE;
    const char *cycles = getenv("STRESS_CYCLES"), *only = getenv("STRESS_CASE");
    for (u32 i = 0; i < ARRAY_LEN(all); i++) {
        if (only && i != strtoul(only, NULL, 10))
            continue;
        for (u32 routing = MESH_XY; routing <= MESH_ADAPTIVE; routing++) {
            struct mesh_config m = chip_b;
            struct traffic_config c = cores;
            m.routing = routing;
            c.gpu_load = 1;
            c.cpu_load = 1;
            c.window_cycles = cycles ? strtoull(cycles, NULL, 10) : 20000;
            struct outcome o = run(all[i], &m, &c, false);
            if (cycles)
                printf("%s, routing %u: longest wait %u\n", all[i], routing, o.longest_wait);
            assert_true(o.cpu > 100 && o.gpu > 100);
            assert_in_range(o.longest_wait, 0, cycles ? 100000 : 200);
        }
    }
}

/* GPU load from half of what saturates the links below the banks to twice that, CPU load fixed. */
TEST(a_split_keeps_the_queue_of_cpu_packets_short_as_the_gpus_load_grows)
{
    UNUSED_STATE;
    struct traffic_config low = cores, high = cores;
    low.gpu_load = 0.05;
    high.gpu_load = 0.2;
    struct outcome s0 = run("shared", &chip_b, &low, false),
                   s1 = run("shared", &chip_b, &high, false);
    struct outcome p0 = run("split", &chip_b, &low, false),
                   p1 = run("split", &chip_b, &high, false);
    double shared = s1.cpu_queue - s0.cpu_queue, split = p1.cpu_queue - p0.cpu_queue;
    assert_true(shared > 50);
    assert_true(split <= shared / 2);
    assert_true(p1.cpu_trip < 1.3 * s1.cpu_trip);
    assert_true(p1.gpu_queue >= s1.gpu_queue);
}

TEST(channels_of_types_and_lists_of_types_gain_less_alone_than_together)
{
    UNUSED_STATE;
    struct traffic_config c = cores;
    c.gpu_load = 1;
    u64 none = run("shared", &chip_b, &c, false).cpu;
    u64 both = run("split", &chip_b, &c, false).cpu;
    u64 channels = run("split,typed_injection=false", &chip_b, &c, false).cpu;
    u64 lists = run("split,typed_vcs=false", &chip_b, &c, false).cpu;
    assert_true(both > none + none / 4);
    assert_true(channels < both - (both - none) / 2);
    assert_true(lists < both - (both - none) / 2);
}

/* With one type alone a router that looks for both (scope auto) splits nothing; scope all keeps
 * three channels of four from CPU packets that could use them. */
TEST(with_one_type_alone_scope_auto_costs_nothing_and_scope_all_costs_bandwidth)
{
    UNUSED_STATE;
    for (u32 type = NOC_CPU; type <= NOC_GPU; type++) {
        struct traffic_config c = cores;
        c.cpu_load = type == NOC_CPU;
        c.gpu_load = type == NOC_GPU;
        c.cpu_waits = 64;
        struct outcome shared = run("shared", &chip_b, &c, false);
        struct outcome one = run("split,scope=auto", &chip_b, &c, false);
        u64 before = shared.cpu + shared.gpu, after = one.cpu + one.gpu;
        assert_in_range(after, before * 99 / 100, before * 101 / 100);
        struct outcome always = run("split,cpu_vcs=1", &chip_b, &c, false);
        if (type == NOC_CPU)
            assert_true(always.cpu < before * 95 / 100);
    }
}

/* ---- batches --------------------------------------------------------------------------------- */

/* A mesh with a policy, and packets for it. */
struct rig {
    struct desk desk;
    struct mesh mesh;
    cycle_t now;
    u64 came[NOC_TYPES];
};

static void open_rig(struct rig *r, const char *const *set)
{
    struct noc_plan plan = noc_plan_shared();
    memset(r, 0, sizeof *r);
    open_desk(&r->desk, "order", set);
    mesh_init(&r->mesh, &r->desk.arena, &chip_b, 4096);
    r->mesh.policy = &r->desk.policy;
    r->desk.policy.ops->begin(&r->desk.policy, &plan);
    for (u32 n = 0; n < 16; n++)
        mesh_apply_plan(&r->mesh, n, &plan);
}

static void post(struct rig *r, u32 from, u32 to, u32 agent)
{
    u32 packet = mesh_packet_new(&r->mesh);
    struct mesh_packet *p = mesh_packet_at(&r->mesh, packet);
    p->from = (u16)from;
    p->to = (u16)to;
    p->what.type = r->desk.agents[agent].type;
    p->what.agent = (u16)agent;
    p->what.flits = 5;
    mesh_queue(&r->mesh, packet, r->now);
}

static void step(struct rig *r)
{
    const u32 *out;
    u32 count;
    mesh_step(&r->mesh, r->now, &out, &count);
    for (u32 i = 0; i < count; i++) {
        r->came[mesh_packet_at(&r->mesh, out[i])->what.type]++;
        mesh_packet_free(&r->mesh, out[i]);
    }
    r->now++;
}

#define GPU_AGENT 3u

/* One queue in which there are always four CPU packets. Without batches a GPU packet of cycle 100
 * never leaves it. With batches of 1000 cycles it is before every CPU packet from cycle 1000 on,
 * but for the four that came earlier: 5 flits each, a fifth packet that is on its way in, and its
 * own way of 2 + 2 x 5 + 4 cycles. */
TEST(in_a_queue_full_of_cpu_packets_a_gpu_packet_starves_without_batches_and_goes_with_the_next)
{
    UNUSED_STATE;
    for (u32 batches = 0; batches < 2; batches++) {
        const char *const set[] = {
            "by", "cpu_first", "where", "queues", "batch_cycles", batches ? "1000" : "0", NULL};
        struct rig *r = malloc(sizeof *r);
        cycle_t came = 0;
        open_rig(r, set);
        for (u32 i = 0; i < 20000; i++) {
            while (r->mesh.injectors[0].lists[NOC_CPU].count < 4)
                post(r, 0, 1, 0);
            if (i == 100)
                post(r, 0, 1, GPU_AGENT);
            step(r);
            if (r->came[NOC_GPU] && !came)
                came = r->now - 1;
        }
        assert_int_equal(r->came[NOC_GPU], batches);
        if (batches)
            assert_in_range(came, 1000 + 16, 1000 + 5 * 5 + 16);
        assert_in_range(r->came[NOC_CPU], 3900, 4000); /* the link is full: one in 5 cycles */
        arena_fini(&r->desk.arena);
        free(r);
    }
}

/* In the routers: CPU packets come to node 3 from the left and from below, more than it can take,
 * and a GPU core at node 2 sends there too. Without batches none of its packets arrives once the
 * CPU's fill the way; with batches some do in every batch. */
TEST(in_routers_full_of_cpu_packets_gpu_packets_starve_without_batches_and_come_with_each_batch)
{
    UNUSED_STATE;
    for (u32 batches = 0; batches < 2; batches++) {
        const char *const set[] = {
            "by", "cpu_first", "where", "routers", "batch_cycles", batches ? "1000" : "0", NULL};
        static const u32 sources[] = {0, 1, 7, 11, 15};
        struct rig *r = malloc(sizeof *r);
        u64 before = 0;
        open_rig(r, set);
        for (u32 i = 0; i < 20000; i++) {
            for (u32 k = 0; k < ARRAY_LEN(sources); k++) {
                if (mesh_queue_is_empty(&r->mesh, sources[k]))
                    post(r, sources[k], 3, 0);
            }
            if (i >= 100 && mesh_queue_is_empty(&r->mesh, 2))
                post(r, 2, 3, GPU_AGENT);
            step(r);
            if (i == 1000)
                before = r->came[NOC_GPU];
            if (batches && i % 1000 == 999 && i > 2000) {
                assert_true(r->came[NOC_GPU] > before);
                before = r->came[NOC_GPU];
            }
        }
        if (!batches)
            assert_int_equal(r->came[NOC_GPU], before);
        arena_fini(&r->desk.arena);
        free(r);
    }
}

/* ---- decisions ------------------------------------------------------------------------------- */

/* Acceptance 6.7.5. A round is three trainings of 4000 cycles and a main period of 40,000. CPU
 * cores ask all the time, GPU cores until cycle 80,000: in the second main period, which began at
 * 68,000. */
TEST(fvcp_changes_its_decision_within_a_round_when_the_gpu_falls_silent)
{
    UNUSED_STATE;
    struct traffic_config c = cores;
    c.window_cycles = 134000;
    c.gpu_load = 1;
    c.cpu_load = 1;
    c.cpu_waits = 64;
    struct phases p = {.quiet_from = 60000, .at = {52000, 104000}};
    run_phases("fvcp,warmup_cycles=20000,training_cycles=4000,main_cycles=40000", &chip_b, &c,
               false, &p);
    assert_int_equal(p.cpu_vcs[0], 2); /* 2:2 gains most of what is tried, 1:3 loses: next test */
    assert_int_equal(p.cpu_vcs[1], 0); /* a split leaves CPU packets less than they can use */
}

static double gain(const struct outcome *o, const struct outcome *base)
{
    return sqrt((double)o->cpu / (double)base->cpu * ((double)o->gpu / (double)base->gpu));
}

#define FVCP "fvcp,warmup_cycles=20000,training_cycles=4000,main_cycles=80000"

/* Acceptance 6.7.5 over three kinds of load: the CPU's alone, the GPU's beside little of the CPU's,
 * and both. */
TEST(fvcp_gains_at_least_as_much_as_the_best_split_in_the_mean)
{
    UNUSED_STATE;
    static const struct {
        double cpu, gpu;
        u32 cpu_waits;
    } loads[] = {{1, 0.0005, 64}, {0.02, 1, 8}, {1, 1, 64}};
    static const char *const policies[] = {FVCP, "split,cpu_vcs=1", "split,cpu_vcs=2",
                                           "split,cpu_vcs=3"};
    double products[] = {1, 1, 1, 1};
    for (u32 i = 0; i < ARRAY_LEN(loads); i++) {
        struct traffic_config c = cores;
        c.window_cycles = 112000; /* a warm-up and a round */
        c.cpu_load = loads[i].cpu;
        c.gpu_load = loads[i].gpu;
        c.cpu_waits = loads[i].cpu_waits;
        struct outcome base = run("shared", &chip_b, &c, false);
        for (u32 k = 0; k < ARRAY_LEN(policies); k++) {
            struct outcome o = run(policies[k], &chip_b, &c, false);
            products[k] *= gain(&o, &base);
        }
    }
    for (u32 k = 1; k < ARRAY_LEN(policies); k++)
        assert_true(products[0] >= products[k]);
}

TEST(fvcp_costs_less_than_a_percent_where_nobody_loads_the_mesh)
{
    UNUSED_STATE;
    struct traffic_config c = cores;
    c.window_cycles = 112000;
    c.cpu_load = 0.002;
    c.gpu_load = 0.0005;
    struct outcome base = run("shared", &chip_b, &c, false), o = run(FVCP, &chip_b, &c, false);
    assert_true(fabs(gain(&o, &base) - 1) <= 0.01);
}

TEST(three_cycles_a_hop_keep_the_gain)
{
    UNUSED_STATE;
    struct mesh_config m = chip_b;
    struct traffic_config c = cores;
    m.hop_cycles = 3;
    c.gpu_load = 1;
    assert_true(run("split", &m, &c, false).cpu > run("shared", &m, &c, false).cpu * 5 / 4);
}

RUN_TESTS(
    T(older_batches_win_then_ranks_then_age),
    T(applications_rank_by_misses_per_instruction_for_a_whole_interval),
    T(of_two_packets_of_a_batch_the_one_whose_core_waits_for_fewer_answers_wins),
    T(the_application_that_was_served_least_wins_and_cpu_cores_may_count_as_one),
    T(fvcp_trains_none_then_one_and_two_channels_and_keeps_the_best_for_the_main_period),
    T(fvcp_takes_fewer_cpu_channels_in_a_tie_and_a_type_that_retires_nothing_counts_as_even),
    T(fvcp_decides_by_the_gains_that_it_logs_and_the_cpu_may_weigh_more),
    T(a_split_that_leaves_a_type_no_channel_gets_a_sentence),
    T(every_policy_is_deterministic_and_skipping_changes_nothing),
    T(no_packet_of_a_saturated_mesh_waits_long_for_a_channel_whatever_policy_and_routing),
    T(a_split_keeps_the_queue_of_cpu_packets_short_as_the_gpus_load_grows),
    T(channels_of_types_and_lists_of_types_gain_less_alone_than_together),
    T(with_one_type_alone_scope_auto_costs_nothing_and_scope_all_costs_bandwidth),
    T(in_a_queue_full_of_cpu_packets_a_gpu_packet_starves_without_batches_and_goes_with_the_next),
    T(in_routers_full_of_cpu_packets_gpu_packets_starve_without_batches_and_come_with_each_batch),
    T(fvcp_changes_its_decision_within_a_round_when_the_gpu_falls_silent),
    T(fvcp_gains_at_least_as_much_as_the_best_split_in_the_mean),
    T(fvcp_costs_less_than_a_percent_where_nobody_loads_the_mesh),
    T(three_cycles_a_hop_keep_the_gain))
