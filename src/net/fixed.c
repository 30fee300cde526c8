#include "net/fixed.h"

#include "mem/request.h"

/* clang-format off */
const struct param fixed_params[] = {
    P_U32(fixed_config, cycles, 20, 1, 10000, "cycles", "latency from an input to the port of an output", "Lee 2012, table of simulated systems"),
    P_U32(fixed_config, packets_per_cycle, 1, 1, 256, "packets", "packets that enter per cycle, over all inputs", "Lee 2012, table of simulated systems"),
    P_U32(fixed_config, entries, 64, 1, 4096, "packets", "packets that can be in flight to one output", "assumed"),
    P_END,
};
/* clang-format on */

#define NO_SOURCE UINT32_MAX

static struct port *source_of(const struct fixed_network *n, u32 input, u32 source)
{
    return n->sources[input * n->sources_per_input + source];
}

static void deliver(struct fixed_network *n, u32 output, cycle_t now)
{
    struct timed_queue *pipe = &n->pipes[output];
    struct output_counts *out = &n->output_counts[output];
    while (timed_next(pipe) <= now && port_can_push(n->outputs[output])) {
        n->counts.latency_cycles += n->config->cycles + (now - timed_next(pipe));
        handle_t h = timed_pop(pipe);
        n->counts.packets++;
        n->counts.flits++;
        n->counts.busy_cycles++;
        n->counts.bytes += request_packet_bytes(pool_get(n->requests, h));
        n->counts.span_cycles = now + 1;
        out->packets++;
        out->flits++;
        out->busy_cycles++;
        port_push(n->outputs[output], h);
    }
    if (timed_is_empty(pipe))
        bitset_remove(&n->busy, output);
}

/* The input's bell is silent until one of its sources pushes again. */
static void rest(struct fixed_network *n, u32 input, u32 held)
{
    if (!held)
        bitset_remove(&n->rung, input);
}

/* The oldest packet of one of the input's sources enters; false: none can. */
static bool take_from(struct fixed_network *n, u32 input, cycle_t now)
{
    u32 held = 0, count = n->sources_per_input, source = n->turns[input], taken = NO_SOURCE;
    for (u32 k = 0; k < count; k++, source = source + 1 == count ? 0 : source + 1) {
        struct port *from = source_of(n, input, source);
        if (!from)
            continue;
        if (taken == NO_SOURCE && port_ready(from)) {
            u32 to = ((const struct request *)pool_get(n->requests, port_head(from)))->to;
            if (!timed_is_full(&n->pipes[to])) {
                timed_push(&n->pipes[to], port_pop(from), now + n->config->cycles);
                bitset_add(&n->busy, to);
                n->counts.entered++;
                taken = source;
            }
        }
        held += port_count(from);
    }
    rest(n, input, held);
    if (taken == NO_SOURCE)
        return false;
    n->turns[input] = taken + 1 == count ? 0 : taken + 1;
    return true;
}

/* From inputs that were rung, in turn; `most` packets at most. */
static u32 take_between(struct fixed_network *n, u32 first, u32 end, u32 most, cycle_t now)
{
    u32 taken = 0;
    for (u32 i = first; taken < most && (i = bitset_next(&n->rung, i)) < end; i++) {
        if (!take_from(n, i, now))
            continue;
        taken++;
        n->next = i + 1 == n->input_count ? 0 : i + 1;
    }
    return taken;
}

static u32 take(struct fixed_network *n, cycle_t now)
{
    u32 first = n->next, most = n->config->packets_per_cycle;
    u32 taken = take_between(n, first, n->input_count, most, now);
    return taken + take_between(n, 0, first, most - taken, now);
}

/* What has come goes to its port; then the next cycle in which something comes, and in n->due the
 * first that is not yet in its port. */
static cycle_t deliver_all(struct fixed_network *n, cycle_t now)
{
    cycle_t next = CYCLE_NEVER;
    n->due = CYCLE_NEVER;
    for (u32 o = bitset_next(&n->busy, 0); o < n->output_count; o = bitset_next(&n->busy, o + 1)) {
        deliver(n, o, now);
        cycle_t due = timed_next(&n->pipes[o]);
        n->due = min_u64(n->due, due);
        if (due > now)
            next = min_u64(next, due);
    }
    return next;
}

/* A full port wakes it when there is room again; a packet that leaves lets others in. */
static cycle_t fixed_tick(void *self, cycle_t now)
{
    struct fixed_network *n = self;
    cycle_t next = n->due <= now ? deliver_all(n, now) : n->due;
    if (bitset_is_empty(&n->rung) || !take(n, now))
        return next;
    cycle_t due = now + n->config->cycles;
    n->due = min_u64(n->due, due);
    return bitset_is_empty(&n->rung) ? min_u64(next, due) : now + 1;
}

static void fixed_explain(void *self, struct waits *waits)
{
    const struct fixed_network *n = self;
    for (u32 o = 0; o < n->output_count; o++) {
        const struct port *p = n->outputs[o];
        if (p && !timed_is_empty(&n->pipes[o]) && port_count(p) >= p->capacity)
            waits_add(waits, p->consumer, "output %u has no room in port %s (%u of %u)", o, p->name,
                      port_count(p), p->capacity);
    }
}

static void fixed_source(void *self, u32 input, u32 source, struct port *port)
{
    struct fixed_network *n = self;
    n->sources[input * n->sources_per_input + source] = port;
    port->bell = &n->rung.words[input / 64];
    port->bell_bit = (u64)1 << (input % 64);
}

static void fixed_output(void *self, u32 output, struct port *port)
{
    struct fixed_network *n = self;
    n->outputs[output] = port;
}

struct network fixed_network(struct fixed_network *n)
{
    static const struct network_ops ops = {"fixed", fixed_source, fixed_output};
    return (struct network){&ops, n, n->unit, &n->counts};
}

void fixed_init(struct fixed_network *n, const struct network_parts *p,
                const struct fixed_config *c)
{
    struct sim *sim = p->site->sim;
    struct arena *a = &sim->arena;
    u32 inputs = p->inputs, outputs = p->outputs;
    *n = (struct fixed_network){.config = c,
                                .sim = sim,
                                .requests = p->requests,
                                .input_count = inputs,
                                .sources_per_input = p->sources_per_input,
                                .output_count = outputs,
                                .due = CYCLE_NEVER,
                                .counts.outputs = outputs};
    n->sources = ARENA_ARRAY(a, struct port *, inputs * p->sources_per_input);
    n->outputs = ARENA_ARRAY(a, struct port *, outputs);
    n->turns = ARENA_ARRAY(a, u32, inputs);
    n->pipes = ARENA_ARRAY(a, struct timed_queue, outputs);
    n->output_counts = ARENA_ARRAY(a, struct output_counts, outputs);
    bitset_init(&n->rung, a, inputs);
    bitset_init(&n->busy, a, outputs);
    stat_node node =
        stats_add(&sim->stats, p->site->node, p->name, STAT_NO_INDEX, network_stats, &n->counts);
    for (u32 o = 0; o < outputs; o++) {
        timed_init(&n->pipes[o], a, c->entries);
        stats_add(&sim->stats, node, "output", o, network_output_stats, &n->output_counts[o]);
    }
    n->unit =
        engine_add_unit(&sim->engine, p->domain, site_name_of(p->site, p->name), fixed_tick, n);
    engine_explain_with(&sim->engine, n->unit, fixed_explain);
}
