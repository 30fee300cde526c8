/*
 * Tandem: a source, a chain of stages and a sink, joined by bounded queues.
 *
 * The engine's own example, and an oracle for it: the throughput of such a
 * chain is that of its slowest part, whatever the queues and clocks between.
 * The source numbers its tokens; the sink checks that each arrives once and in
 * order.
 */
#include "machine/model.h"

#include "sim/port.h"
#include "stats/histogram.h"

#include <stdio.h>

struct part_config {
    u64 clock_hz;
    u32 service_cycles;
};

struct stage_config {
    u64 clock_hz;
    u32 count, service_cycles, queue_entries;
};

struct sink_config {
    u64 clock_hz;
    u32 service_cycles;
    u64 stops_after;
};

struct tandem_config {
    u64 tokens;
    struct part_config source;
    struct stage_config stage;
    struct sink_config sink;
};

/* clang-format off */
static const struct param source_params[] = {
    P_U64(part_config, clock_hz, 1000000000, 1000000, 100000000000, "Hz", "clock of the source", "assumed"),
    P_U32(part_config, service_cycles, 1, 1, 1000000, "cycles", "time from one token to the next", "assumed"),
    P_END,
};

static const struct param stage_params[] = {
    P_U64(stage_config, clock_hz, 700000000, 1000000, 100000000000, "Hz", "clock of the stages", "assumed"),
    P_U32(stage_config, count, 4, 1, 64, "stages", "length of the chain", "assumed"),
    P_U32(stage_config, service_cycles, 3, 1, 1000000, "cycles", "work on one token", "assumed"),
    P_U32(stage_config, queue_entries, 8, 1, 65536, "tokens", "entries of the queue before each stage and the sink", "assumed"),
    P_END,
};

static const struct param sink_params[] = {
    P_U64(sink_config, clock_hz, 924000000, 1000000, 100000000000, "Hz", "clock of the sink", "assumed"),
    P_U32(sink_config, service_cycles, 1, 1, 1000000, "cycles", "work on one token", "assumed"),
    P_U64(sink_config, stops_after, 0, 0, UINT64_MAX, "tokens", "the sink stops after this many tokens (0: never); shows the report of a hang", "assumed"),
    P_END,
};

static const struct param tandem_params[] = {
    P_U64(tandem_config, tokens, 1000000, 1, UINT32_MAX, "tokens", "tokens sent through the chain", "assumed"),
    P_GROUP(tandem_config, source, source_params, NULL, "makes tokens"),
    P_GROUP(tandem_config, stage, stage_params, NULL, "works on a token and passes it on"),
    P_GROUP(tandem_config, sink, sink_params, NULL, "removes tokens and checks them"),
    P_END,
};
/* clang-format on */

struct part_counts {
    u64 tokens, busy_cycles, blocked_cycles;
    struct histogram waiting;
};

/* Source, stage and sink differ in which of their ports exist. */
struct part {
    struct tandem *machine;
    struct port *in, *out;
    u32 service_cycles;
    cycle_t ready; /* work on the token in hand ends */
    cycle_t blocked_since;
    bool holding, blocked;
    u32 token;
    track_id track;
    u64 taken_fs;
    struct part_counts counts;
};

struct tandem {
    const struct tandem_config *config;
    struct sim *sim;
    struct part *parts; /* source, stages, sink */
    struct port *ports; /* ports[i] leads from part i to part i + 1 */
    u32 part_count;
    u64 made, taken, out_of_order;
};

/* clang-format off */
static const struct stat_def source_stats[] = {
    S_COUNT(part_counts, tokens, "tokens", "tokens made"),
    S_COUNT(part_counts, blocked_cycles, "cycles", "cycles in which a token was ready but the queue behind was full"),
    S_END,
};

static const struct stat_def stage_stats[] = {
    S_COUNT(part_counts, tokens, "tokens", "tokens worked on and passed on"),
    S_COUNT(part_counts, busy_cycles, "cycles", "cycles spent working"),
    S_COUNT(part_counts, blocked_cycles, "cycles", "cycles in which a token was ready but the queue behind was full"),
    S_MEAN(part_counts, busy_per_token, busy_cycles, tokens, "cycles", "mean cycles of work on a token"),
    S_HISTOGRAM(part_counts, waiting, "tokens", "queue length when a token was taken"),
    S_LAW(work, "busy_cycles >= tokens", "every token takes at least a cycle"),
    S_END,
};

static const struct stat_def sink_stats[] = {
    S_COUNT(part_counts, tokens, "tokens", "tokens taken off"),
    S_COUNT(part_counts, busy_cycles, "cycles", "cycles spent working"),
    S_HISTOGRAM(part_counts, waiting, "tokens", "queue length when a token was taken"),
    S_END,
};

static const struct stat_def port_stats[] = {
    S_COUNT(port_counts, pushed, "tokens", "tokens that entered the queue"),
    S_COUNT(port_counts, popped, "tokens", "tokens that left the queue"),
    S_LAW(order, "popped <= pushed", "nothing leaves that did not enter"),
    S_END,
};

static const struct stat_def machine_stats[] = {
    S_COUNT(tandem, made, "tokens", "tokens made by the source"),
    S_COUNT(tandem, taken, "tokens", "tokens taken off by the sink"),
    S_COUNT(tandem, out_of_order, "tokens", "tokens taken off out of order"),
    S_LAW(conservation, "queue.pushed == queue.popped", "at the end all queues are empty"),
    S_LAW(delivery, "made == taken", "every token made is taken off once"),
    S_END,
};
/* clang-format on */

static void pass_on(struct part *p, cycle_t now)
{
    struct tandem *m = p->machine;
    p->counts.tokens++;
    if (p->blocked) {
        p->counts.blocked_cycles += now - p->blocked_since;
        p->blocked = false;
    }
    p->holding = false;
    if (UNLIKELY(m->sim->timeline)) {
        char name[32];
        snprintf(name, sizeof name, "token %u", p->token);
        timeline_span(m->sim->timeline, p->track, name, p->taken_fs, m->sim->engine.now_fs);
    }
    if (p->out) {
        port_push(p->out, p->token);
        return;
    }
    m->out_of_order += p->token != m->taken;
    m->taken++;
    if (m->taken == m->config->tokens)
        engine_stop(&m->sim->engine);
}

/* Takes the next token in hand if there is one. */
static void take_up(struct part *p, cycle_t now)
{
    struct tandem *m = p->machine;
    if (!p->in) {
        if (m->made == m->config->tokens)
            return;
        p->token = (u32)m->made++;
    } else {
        bool is_sink = !p->out;
        u64 stop = m->config->sink.stops_after;
        if (port_ready(p->in) == 0 || (is_sink && stop && m->taken >= stop))
            return;
        histogram_add(&p->counts.waiting, port_ready(p->in));
        p->token = port_pop(p->in);
    }
    p->holding = true;
    p->taken_fs = m->sim->engine.now_fs;
    p->ready = now + p->service_cycles;
    p->counts.busy_cycles += p->service_cycles;
}

static cycle_t part_tick(void *self, cycle_t now)
{
    struct part *p = self;
    if (p->holding && now >= p->ready) {
        if (!p->out || port_can_push(p->out)) {
            pass_on(p, now);
        } else if (!p->blocked) {
            p->blocked = true;
            p->blocked_since = now;
        }
    }
    if (!p->holding)
        take_up(p, now);
    return p->holding && now < p->ready ? p->ready : CYCLE_NEVER;
}

static void sink_explain(void *self, struct waits *waits)
{
    const struct part *p = self;
    if (p->machine->config->sink.stops_after)
        waits_add(waits, UNIT_NONE, "sink.stops_after = %llu tokens are taken",
                  (unsigned long long)p->machine->config->sink.stops_after);
}

static void add_part(struct tandem *m, u32 i, domain_id domain, u32 service_cycles)
{
    struct sim *sim = m->sim;
    struct part *p = &m->parts[i];
    bool is_source = i == 0, is_sink = i + 1 == m->part_count;
    *p = (struct part){
        .machine = m,
        .in = is_source ? NULL : &m->ports[i - 1],
        .out = is_sink ? NULL : &m->ports[i],
        .service_cycles = service_cycles,
    };
    histogram_init_linear(&p->counts.waiting, &sim->arena, m->config->stage.queue_entries + 1, 1);
    const char *name = is_source ? "source"
                       : is_sink ? "sink"
                                 : arena_printf(&sim->arena, "stage%u", i - 1);
    p->track = timeline_track(sim->timeline, "tandem", name);
    unit_id unit = engine_add_unit(&sim->engine, domain, name, part_tick, p);
    if (is_sink)
        engine_explain_with(&sim->engine, unit, sink_explain);
    const struct stat_def *table = is_source ? source_stats : is_sink ? sink_stats : stage_stats;
    stats_add(&sim->stats, STAT_ROOT, is_source || is_sink ? name : "stage",
              is_source || is_sink ? STAT_NO_INDEX : i - 1, table, &p->counts);
}

static void *tandem_build(struct sim *sim, const void *config, const char *workload,
                          struct err *err)
{
    (void)workload;
    (void)err;
    const struct tandem_config *c = config;
    struct tandem *m = ARENA_NEW(&sim->arena, struct tandem);
    m->config = c;
    m->sim = sim;
    m->part_count = c->stage.count + 2;
    m->parts = ARENA_ARRAY(&sim->arena, struct part, m->part_count);
    m->ports = ARENA_ARRAY(&sim->arena, struct port, m->part_count - 1);
    sim->stats.nodes[STAT_ROOT].table = machine_stats;
    sim->stats.nodes[STAT_ROOT].data = m;
    domain_id domains[3] = {
        engine_add_domain(&sim->engine, "source", c->source.clock_hz),
        engine_add_domain(&sim->engine, "stage", c->stage.clock_hz),
        engine_add_domain(&sim->engine, "sink", c->sink.clock_hz),
    };
    for (u32 i = 0; i + 1 < m->part_count; i++) {
        port_init(&m->ports[i], &sim->engine, arena_printf(&sim->arena, "queue%u", i),
                  c->stage.queue_entries);
        port_connect(&m->ports[i], i, i + 1);
        stats_add(&sim->stats, STAT_ROOT, "queue", i, port_stats, &m->ports[i].counts);
    }
    for (u32 i = 0; i < m->part_count; i++) {
        bool is_sink = i + 1 == m->part_count;
        add_part(m, i,
                 domains[i == 0    ? 0
                         : is_sink ? 2
                                   : 1],
                 i == 0    ? c->source.service_cycles
                 : is_sink ? c->sink.service_cycles
                           : c->stage.service_cycles);
    }
    return m;
}

static bool tandem_verify(const void *machine, struct err *err)
{
    const struct tandem *m = machine;
    if (m->out_of_order)
        return err_kind(err, ERR_VERIFY, "%llu of %llu tokens arrived out of order",
                        (unsigned long long)m->out_of_order, (unsigned long long)m->taken);
    return true;
}

/* Tokens per second that a part of the chain can pass at most. */
static double rate(u64 hz, u32 service_cycles)
{
    return (double)hz / service_cycles;
}

static void tandem_summary(const void *machine, struct text *out)
{
    const struct tandem *m = machine;
    const struct tandem_config *c = m->config;
    double seconds = (double)m->sim->engine.now_fs / (double)FS_PER_SECOND;
    struct {
        const char *name;
        double rate;
    } parts[] = {
        {"source", rate(c->source.clock_hz, c->source.service_cycles)},
        {"stages", rate(c->stage.clock_hz, c->stage.service_cycles)},
        {"sink", rate(c->sink.clock_hz, c->sink.service_cycles)},
    };
    u32 slowest = 0;
    for (u32 i = 1; i < ARRAY_LEN(parts); i++) {
        if (parts[i].rate < parts[slowest].rate)
            slowest = i;
    }
    double got = (double)m->taken / seconds;
    text_printf(out, "  %llu tokens through %u stages in %.3f us of simulated time\n",
                (unsigned long long)m->taken, c->stage.count, seconds * 1e6);
    text_printf(out, "  throughput  %8.2f M tokens/s, %.2f %% of the closed-form bound\n",
                got / 1e6, got / parts[slowest].rate * 100);
    for (u32 i = 0; i < ARRAY_LEN(parts); i++)
        text_printf(out, "  %-10s  %8.2f M tokens/s at most%s\n", parts[i].name,
                    parts[i].rate / 1e6, i == slowest ? "   <- the bottleneck" : "");
}

static void tandem_progress(const void *machine, char *out, size_t size)
{
    const struct tandem *m = machine;
    snprintf(out, size, "%llu of %llu tokens", (unsigned long long)m->taken,
             (unsigned long long)m->config->tokens);
}

static const struct model_workload tandem_workloads[] = {
    {"tokens", "numbered tokens through a chain of queues; arrival order is verified"},
    {NULL, NULL},
};

const struct model model_tandem = {
    .schema =
        {
            .model = "tandem",
            .meaning = "a source, a chain of stages and a sink: the engine's own example",
            .params = tandem_params,
            .bytes = sizeof(struct tandem_config),
        },
    .workloads = tandem_workloads,
    .build = tandem_build,
    .verify = tandem_verify,
    .summary = tandem_summary,
    .progress = tandem_progress,
};
