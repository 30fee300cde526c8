#include "net/crossbar.h"

#include "mem/request.h"
#include "net/mesh/packet.h"

#define MOST_PACKET_BYTES (PACKET_HEADER_BYTES + 32 * SECTOR_BYTES)

/* clang-format off */
const struct param crossbar_params[] = {
    P_U32(crossbar_config, flit_bytes, 32, 1, 1024, "bytes", "width of a line", "GPGPU-Sim v3.2.2 GTX480"),
    P_U32(crossbar_config, partial_bytes, 0, 0, 1024, "bytes", "additional bytes of a packet that writes parts of sectors (stores, atomics): the byte mask", "assumed: in the header"),
    P_U32(crossbar_config, input_buffer_flits, 8, 1, 4096, "flits", "buffer of an input; a larger packet may enter when it is empty", "GPGPU-Sim v3.2.2 GTX480"),
    P_U32(crossbar_config, hop_cycles, 1, 0, 1000, "cycles", "time from the last flit on the line to the output's port", "assumed"),
    P_U32(crossbar_config, lookahead, 1, 1, 16, "packets", "packets at the front of an input buffer that compete for outputs; 1: only the first", "GPGPU-Sim v3.2.2 GTX480"),
    P_U32(crossbar_config, speedup, 1, 1, 16, "flits", "flits that a line carries per cycle", "assumed"),
    P_END,
};
/* clang-format on */

struct crossbar_input {
    struct port **sources; /* its part of the crossbar's */
    u32 turn;              /* the source that is asked first */
    struct packet_queue queue;
    u32 used_flits;                /* by the packets in the queue and the one on the line */
    u32 sending_flits, sending_to; /* the packet on the line; 0 flits: the line is idle */
    cycle_t waits_since;           /* its line is idle and it has a packet */
    u64 stuck_before;              /* stuck cycles of its oldest packet's output until then */
};

struct crossbar_output {
    struct port *port;
    struct packet_queue pipe; /* granted, and not in the port yet: each has its room there */
    u64 stuck_cycles;
    cycle_t stuck_since;
    struct output_counts counts;
};

/* ---- requests of inputs for outputs: while their lines are idle ------------------ */

/* How many of an input's packets compete. */
static u32 window(const struct crossbar *x, const struct crossbar_input *in)
{
    return (u32)min_u64(in->queue.count, x->config->lookahead);
}

static void request_outputs(struct crossbar *x, u32 input)
{
    const struct crossbar_input *in = &x->inputs[input];
    for (u32 k = 0; k < window(x, in); k++)
        islip_request(&x->match, input, packet_queue_at(&in->queue, k)->to);
}

static void withdraw_requests(struct crossbar *x, u32 input)
{
    const struct crossbar_input *in = &x->inputs[input];
    for (u32 k = 0; k < window(x, in); k++)
        islip_withdraw(&x->match, input, packet_queue_at(&in->queue, k)->to);
}

/* ---- what inputs wait for ------------------------------------------------------ */

/* Cycles before this one in which the output was wanted and idle, but its port full.
 * Only a difference over a time in which it was wanted throughout means anything. */
static u64 stuck_cycles(const struct crossbar *x, u32 output, cycle_t now)
{
    const struct crossbar_output *out = &x->outputs[output];
    u64 current = bitset_has(&x->stuck, output) ? now - out->stuck_since : 0;
    return out->stuck_cycles + current;
}

static void set_stuck(struct crossbar *x, u32 output, bool stuck, cycle_t now)
{
    struct crossbar_output *out = &x->outputs[output];
    if (stuck == bitset_has(&x->stuck, output))
        return;
    if (stuck) {
        out->stuck_since = now;
        bitset_add(&x->stuck, output);
    } else {
        out->stuck_cycles += now - out->stuck_since;
        bitset_remove(&x->stuck, output);
    }
}

static void start_waiting(struct crossbar *x, struct crossbar_input *in, cycle_t now)
{
    in->waits_since = now;
    in->stuck_before = stuck_cycles(x, packet_queue_at(&in->queue, 0)->to, now);
}

/* The oldest packet is still the one that the wait began with: only a grant removes it. */
static void stop_waiting(struct crossbar *x, const struct crossbar_input *in, cycle_t now)
{
    u64 stuck = stuck_cycles(x, packet_queue_at(&in->queue, 0)->to, now) - in->stuck_before;
    x->counts.wait_port_cycles += stuck;
    x->counts.wait_output_cycles += now - in->waits_since - stuck;
}

/* ---- 1. lines become idle -------------------------------------------------------- */

static void release_line(struct crossbar *x, u32 input, cycle_t now)
{
    struct crossbar_input *in = &x->inputs[input];
    in->used_flits -= in->sending_flits;
    in->sending_flits = 0;
    bitset_add(&x->idle_outputs, in->sending_to);
    bitset_add(&x->open, input);
    if (in->queue.count == 0)
        return;
    start_waiting(x, in, now);
    request_outputs(x, input);
}

static void release_lines(struct crossbar *x, cycle_t now)
{
    if (!calendar_is_due(&x->releases, now))
        return;
    for (u32 w = 0; w < x->releases.word_count; w++) {
        for (u64 bits = calendar_take(&x->releases, now, w); bits; bits &= bits - 1)
            release_line(x, w * 64 + (u32)__builtin_ctzll(bits), now);
    }
}

/* ---- 2. packets enter ------------------------------------------------------------- */

/* The first source with a packet, beginning with the one whose turn it is. */
static bool find_source(const struct crossbar *x, const struct crossbar_input *in, u32 *source)
{
    u32 k = in->turn;
    for (u32 n = 0; n < x->sources_per_input; n++) {
        if (port_ready(in->sources[k]) > 0) {
            *source = k;
            return true;
        }
        k = k + 1 < x->sources_per_input ? k + 1 : 0;
    }
    return false;
}

static struct packet make_packet(const struct crossbar *x, handle_t h, cycle_t now)
{
    const struct request *r = pool_get(x->requests, h);
    bool changes = r->kind == REQUEST_STORE || r->kind == REQUEST_ATOMIC;
    bool parts = changes && !(r->flags & (REQUEST_WHOLE | REQUEST_REPLY));
    u32 bytes = request_packet_bytes(r) + (parts ? x->config->partial_bytes : 0);
    u32 flits = crossbar_flits(x->config, bytes);
    u32 speedup = x->config->speedup;
    assert(r->to < x->output_count);
    return (struct packet){
        .request = h,
        .to = r->to,
        .bytes = bytes,
        .flits = flits,
        .line_cycles = speedup == 1 ? flits : (flits + speedup - 1) / speedup,
        .entered = now,
    };
}

static void enter(struct crossbar *x, u32 input, const struct packet *p, cycle_t now)
{
    struct crossbar_input *in = &x->inputs[input];
    *packet_queue_add(&in->queue) = *p;
    in->used_flits += p->flits;
    x->counts.entered++;
    if (in->sending_flits > 0 || in->queue.count > x->config->lookahead)
        return;
    if (in->queue.count == 1)
        start_waiting(x, in, now);
    islip_request(&x->match, input, p->to);
}

/* Some source of the input holds something, perhaps for later only. */
static bool has_entries(const struct crossbar *x, u32 input)
{
    struct port *const *sources = x->sources + input * x->sources_per_input;
    u32 entries = 0;
    for (u32 k = 0; k < x->sources_per_input; k++)
        entries += port_count(sources[k]);
    return entries > 0;
}

static void take_packet(struct crossbar *x, u32 input, cycle_t now)
{
    struct crossbar_input *in = &x->inputs[input];
    u32 source;
    if (!find_source(x, in, &source))
        return;
    in->turn = source;
    struct packet p = make_packet(x, port_head(in->sources[source]), now);
    if (in->used_flits > 0 && in->used_flits + p.flits > x->config->input_buffer_flits) {
        bitset_remove(&x->open, input);
        return;
    }
    port_pop(in->sources[source]);
    in->turn = source + 1 < x->sources_per_input ? source + 1 : 0;
    enter(x, input, &p, now);
    x->again |= has_entries(x, input);
}

/* What the last units to touch them have left in their caches, or in none, comes while others are
 * looked at: the sources of inputs, then the first of their entries, then what these name. */
static void fetch_sources(const struct crossbar *x, u32 word, u64 inputs)
{
    for (u64 bits = inputs; bits; bits &= bits - 1) {
        u32 first = (word * 64 + (u32)__builtin_ctzll(bits)) * x->sources_per_input;
        for (u32 k = 0; k < x->sources_per_input; k++)
            __builtin_prefetch(&x->sources[first + k]->tail);
    }
}

static void fetch_packets(const struct crossbar *x, u32 word, u64 inputs)
{
    for (u64 bits = inputs; bits; bits &= bits - 1) {
        const struct crossbar_input *in = &x->inputs[word * 64 + (u32)__builtin_ctzll(bits)];
        u32 source;
        if (find_source(x, in, &source))
            __builtin_prefetch(pool_get(x->requests, port_head(in->sources[source])));
    }
}

/* The open ones among 64 inputs that have something in a source. */
static u64 filled_inputs(struct crossbar *x, u32 word)
{
    u64 filled = 0;
    fetch_sources(x, word, x->open.words[word] & x->rung.words[word]);
    for (u64 bits = x->open.words[word] & x->rung.words[word]; bits; bits &= bits - 1) {
        u32 i = (u32)__builtin_ctzll(bits);
        u64 has = has_entries(x, word * 64 + i);
        filled |= has << i;
        x->rung.words[word] &= ~((has ^ 1) << i);
    }
    return filled;
}

static void take_packets(struct crossbar *x, cycle_t now)
{
    for (u32 w = 0; w < x->open.word_count; w++) {
        u64 filled = filled_inputs(x, w);
        fetch_packets(x, w, filled);
        for (u64 bits = filled; bits; bits &= bits - 1)
            take_packet(x, w * 64 + (u32)__builtin_ctzll(bits), now);
    }
}

/* ---- 3. grants --------------------------------------------------------------------- */

/* Packets on their way to the port have their room. Refused, the unit is woken by a pop. */
static bool output_has_room(struct crossbar_output *out)
{
    return port_has_room(out->port, out->pipe.count + 1);
}

static void offer_output(struct crossbar *x, u32 output, cycle_t now)
{
    bool has_room = output_has_room(&x->outputs[output]);
    set_stuck(x, output, !has_room, now);
    /* an output that is turned down tries again in the next cycle */
    if (has_room)
        x->again |= !islip_offer(&x->match, output);
}

static void offer_outputs(struct crossbar *x, cycle_t now)
{
    const struct bitset *wanted = &x->match.wanted;
    for (u32 w = 0; w < wanted->word_count; w++) {
        u64 idle = wanted->words[w] & x->idle_outputs.words[w];
        for (u64 bits = idle; bits; bits &= bits - 1)
            __builtin_prefetch(&x->outputs[w * 64 + (u32)__builtin_ctzll(bits)].port->head);
        for (u64 bits = idle; bits; bits &= bits - 1)
            offer_output(x, w * 64 + (u32)__builtin_ctzll(bits), now);
    }
}

/* The oldest one, so that packets to one output stay in order. */
static u32 find_packet_for(const struct crossbar_input *in, u32 output)
{
    u32 k = 0;
    while (packet_queue_at(&in->queue, k)->to != output)
        k++;
    return k;
}

static void send(struct crossbar *x, u32 input, u32 output, cycle_t now)
{
    struct crossbar_input *in = &x->inputs[input];
    struct crossbar_output *out = &x->outputs[output];
    stop_waiting(x, in, now);
    withdraw_requests(x, input);
    u32 k = find_packet_for(in, output);
    const struct packet *p = packet_queue_at(&in->queue, k);
    in->sending_flits = p->flits;
    in->sending_to = output;
    bitset_remove(&x->idle_outputs, output);
    calendar_add(&x->releases, now + p->line_cycles, input);
    calendar_add(&x->arrivals, now + p->line_cycles - 1 + x->config->hop_cycles, output);
    *packet_queue_add(&out->pipe) = *p;
    packet_queue_remove(&in->queue, k);
}

static void accept_offers(struct crossbar *x, cycle_t now)
{
    const struct bitset *offered = &x->match.offered;
    for (u32 w = 0; w < offered->word_count; w++) {
        for (u64 bits = offered->words[w]; bits; bits &= bits - 1) {
            u32 input = w * 64 + (u32)__builtin_ctzll(bits);
            send(x, input, islip_accept(&x->match, input), now);
        }
    }
}

/* ---- 4. packets leave ---------------------------------------------------------------- */

static void deliver(struct crossbar *x, u32 output, cycle_t now)
{
    struct crossbar_output *out = &x->outputs[output];
    const struct packet *p = packet_queue_at(&out->pipe, 0);
    port_push(out->port, p->request);
    out->counts.packets++;
    out->counts.flits += p->flits;
    out->counts.busy_cycles += p->line_cycles;
    x->counts.packets++;
    x->counts.flits += p->flits;
    x->counts.bytes += p->bytes;
    x->counts.busy_cycles += p->line_cycles;
    x->counts.latency_cycles += now - p->entered;
    packet_queue_remove(&out->pipe, 0);
    x->counts.span_cycles = now + 1;
}

static void deliver_arrivals(struct crossbar *x, cycle_t now)
{
    if (!calendar_is_due(&x->arrivals, now))
        return;
    for (u32 w = 0; w < x->arrivals.word_count; w++) {
        for (u64 bits = calendar_take(&x->arrivals, now, w); bits; bits &= bits - 1)
            deliver(x, w * 64 + (u32)__builtin_ctzll(bits), now);
    }
}

/* ---- the unit -------------------------------------------------------------------------- */

static cycle_t next_work(const struct crossbar *x, cycle_t now)
{
    if (x->again)
        return now + 1;
    return min_u64(calendar_next(&x->releases, now), calendar_next(&x->arrivals, now));
}

static cycle_t crossbar_tick(void *self, cycle_t now)
{
    struct crossbar *x = self;
    x->again = false;
    release_lines(x, now);
    take_packets(x, now);
    offer_outputs(x, now);
    accept_offers(x, now);
    deliver_arrivals(x, now);
    return next_work(x, now);
}

static void crossbar_explain(void *self, struct waits *waits)
{
    const struct crossbar *x = self;
    for (u32 o = 0; o < x->output_count; o++) {
        const struct crossbar_output *out = &x->outputs[o];
        if (!bitset_has(&x->stuck, o) || !bitset_has(&x->match.wanted, o))
            continue;
        waits_add(waits, out->port->consumer,
                  "output %u has no room in port %s (%u of %u) for input %u and %u others", o,
                  out->port->name, port_count(out->port), out->port->capacity,
                  islip_favourite(&x->match, o), bitset_count(&x->match.outputs[o].requests) - 1);
    }
}

/* ---- building --------------------------------------------------------------------------- */

static void init_inputs(struct crossbar *x, struct arena *arena)
{
    x->inputs = ARENA_ARRAY(arena, struct crossbar_input, x->input_count);
    x->sources = ARENA_ARRAY(arena, struct port *, x->input_count * x->sources_per_input);
    port_init(&x->nothing, &x->sim->engine, "no source", 1);
    for (u32 i = 0; i < x->input_count * x->sources_per_input; i++)
        x->sources[i] = &x->nothing;
    bitset_init(&x->open, arena, x->input_count);
    bitset_init(&x->rung, arena, x->input_count);
    for (u32 i = 0; i < x->input_count; i++) {
        struct crossbar_input *in = &x->inputs[i];
        in->sources = x->sources + i * x->sources_per_input;
        packet_queue_init(&in->queue, arena, x->config->input_buffer_flits);
        bitset_add(&x->open, i);
    }
}

static void init_outputs(struct crossbar *x, struct arena *arena, stat_node node)
{
    x->outputs = ARENA_ARRAY(arena, struct crossbar_output, x->output_count);
    bitset_init(&x->idle_outputs, arena, x->output_count);
    bitset_init(&x->stuck, arena, x->output_count);
    for (u32 o = 0; o < x->output_count; o++) {
        struct crossbar_output *out = &x->outputs[o];
        /* one packet ends on the line per cycle at most, and one more may have begun */
        packet_queue_init(&out->pipe, arena, x->config->hop_cycles + 2);
        bitset_add(&x->idle_outputs, o);
        stats_add(&x->sim->stats, node, "output", o, network_output_stats, &out->counts);
    }
}

void crossbar_init(struct crossbar *x, const struct network_parts *p,
                   const struct crossbar_config *c)
{
    struct sim *sim = p->site->sim;
    assert(p->inputs > 0 && p->inputs <= CROSSBAR_MOST_LINES && p->sources_per_input > 0);
    assert(p->outputs > 0 && p->outputs <= CROSSBAR_MOST_LINES);
    *x = (struct crossbar){
        .config = c,
        .sim = sim,
        .requests = p->requests,
        .input_count = p->inputs,
        .sources_per_input = p->sources_per_input,
        .output_count = p->outputs,
        .counts.outputs = p->outputs,
    };
    stat_node node =
        stats_add(&sim->stats, p->site->node, p->name, STAT_NO_INDEX, network_stats, &x->counts);
    init_inputs(x, &sim->arena);
    init_outputs(x, &sim->arena, node);
    islip_init(&x->match, &sim->arena, p->inputs, p->outputs);
    u32 most_cycles = crossbar_flits(c, MOST_PACKET_BYTES);
    calendar_init(&x->releases, &sim->arena, p->inputs, most_cycles);
    calendar_init(&x->arrivals, &sim->arena, p->outputs, most_cycles + c->hop_cycles);
    x->unit =
        engine_add_unit(&sim->engine, p->domain, site_name_of(p->site, p->name), crossbar_tick, x);
    engine_explain_with(&sim->engine, x->unit, crossbar_explain);
}

static void crossbar_source(void *self, u32 input, u32 source, struct port *port)
{
    struct crossbar *x = self;
    assert(input < x->input_count && source < x->sources_per_input);
    x->inputs[input].sources[source] = port;
    port->bell = &x->rung.words[input / 64];
    port->bell_bit = (u64)1 << (input % 64);
}

static void crossbar_output(void *self, u32 output, struct port *port)
{
    struct crossbar *x = self;
    assert(output < x->output_count);
    x->outputs[output].port = port;
}

struct network crossbar_network(struct crossbar *x)
{
    static const struct network_ops ops = {"crossbar", crossbar_source, crossbar_output};
    return (struct network){&ops, x, x->unit, &x->counts};
}

const struct output_counts *crossbar_output_counts(const struct crossbar *x, u32 output)
{
    assert(output < x->output_count);
    return &x->outputs[output].counts;
}
