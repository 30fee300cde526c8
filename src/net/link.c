#include "net/link.h"

#include "config/config.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const char *const busy_names[] = {"transmit", "occupied", NULL};

/* clang-format off */
#define THESIS "NUMA-aware GPU, socket links"
const struct param link_params[] = {
    P_U32(link_config, lanes, 8, 1, LINK_MOST_LANES / 2, "lanes", "lanes of each direction, when a kernel begins", THESIS),
    P_U32(link_config, lane_bytes, 8, 1, 1024, "bytes", "bytes that a lane moves per cycle", THESIS ": 64 GB/s each way at 1 GHz"),
    P_U32(link_config, cycles, 128, 1, 100000, "cycles", "latency from socket to socket, the switch included", THESIS),
    P_U32(link_config, entries, 64, 1, 65536, "packets", "packets that can wait per source, destination and class", "assumed"),
    P_BOOL(link_config, dynamic, false, "lanes turn to the direction that needs them", THESIS),
    P_U32(link_config, sample_cycles, 5000, 1, 1000000000, "cycles", "time between two decisions on lanes", THESIS),
    P_U32(link_config, switch_cycles, 100, 0, 1000000, "cycles", "time for which a lane that turns carries nothing", THESIS),
    P_DOUBLE(link_config, saturation, 0.99, 0.01, 1, "ratio", "utilisation of its lanes from which on a direction is saturated", THESIS),
    P_DOUBLE(link_config, pj_per_bit, 10, 0, 10000, "pJ", "energy of a bit over two links and the switch", THESIS),
    P_CHOICE(link_config, busy, LINK_TRANSMIT, busy_names, "whether a lane that waits for the other end counts as busy", "spec X24: both readings"),
    P_END,
};

static const struct stat_def links_stats[] = {
    S_COUNT(network_counts, entered, "packets", "packets that entered the queues before the links"),
    S_COUNT(network_counts, packets, "packets", "packets delivered to the port of their socket"),
    S_COUNT(network_counts, bytes, "bytes", "bytes of packets that crossed two links, headers included"),
    S_COUNT(network_counts, latency_cycles, "cycles", "total cycles from the grant of two lanes to the port"),
    S_LAW(conservation, "entered == packets", "what enters the links leaves them"),
    S_LAW(bytes_out, "socket.bytes_out == bytes", "every byte leaves one socket"),
    S_LAW(bytes_in, "socket.bytes_in == bytes", "every byte comes to one socket"),
    S_END,
};

#define BOTH(field, u, out, in) \
    {.name = #field "_out", .kind = STAT_COUNT, .offset = S_AT(link_counts, field[LINK_EGRESS]), .unit = u, .meaning = out}, \
    {.name = #field "_in", .kind = STAT_COUNT, .offset = S_AT(link_counts, field[LINK_INGRESS]), .unit = u, .meaning = in}
static const struct stat_def link_stats[] = {
    BOTH(packets, "packets", "packets sent by the socket", "packets received by the socket"),
    BOTH(bytes, "bytes", "bytes of packets sent, headers included", "bytes of packets received, headers included"),
    BOTH(busy, "lane-cycles", "cycles in which outward lanes were busy, as link.busy defines it", "cycles in which inward lanes were busy"),
    BOTH(available, "lane-cycles", "cycles in which lanes served outwards", "cycles in which lanes served inwards"),
    {.name = "lanes_out", .kind = STAT_LEVEL, .offset = S_AT(link_counts, lanes[LINK_EGRESS]), .unit = "lanes", .meaning = "lanes that now serve outwards"},
    {.name = "lanes_in", .kind = STAT_LEVEL, .offset = S_AT(link_counts, lanes[LINK_INGRESS]), .unit = "lanes", .meaning = "lanes that now serve inwards"},
    S_COUNT(link_counts, turns, "lanes", "times a lane changed direction"),
    S_FORMULA(use_out, "busy_out / available_out", "ratio", "share of outward lane time in use"),
    S_FORMULA(use_in, "busy_in / available_in", "ratio", "share of inward lane time in use"),
    S_END,
};
static const struct stat_def energy_stats[] = {
    S_COUNT(link_energy, pj, "pJ", "energy of all packets, each counted once"),
    S_COUNT(link_energy, both_ends_pj, "pJ", "energy of all packets, each counted at both ends"),
    S_COUNT(link_energy, time_fs, "fs", "time the links were on"),
    S_FORMULA(watts, "1000 * pj / time_fs", "W", "average power, each packet counted once"),
    S_FORMULA(both_ends_watts, "1000 * both_ends_pj / time_fs", "W", "average power, each packet counted at both ends"),
    S_END,
};

static const char *const socket_labels[LINK_MOST_SOCKETS] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15"};
#define MATRIX_ROW {.name = "bytes_to", .kind = STAT_ARRAY, .offset = S_AT(link_counts, bytes_to), .labels = socket_labels, .unit = "bytes", .meaning = "bytes of packets to each other socket, headers included"}
/* clang-format on */

bool link_check(const void *group, const struct config *config, struct err *err)
{
    const struct link_config *c = group;
    return !c->dynamic || c->lanes > 1 ||
           err_at(err, config_pos(config, &c->lanes),
                  "link.lanes is 1, expected at least 2 where lanes turn");
}

/* ---- lanes --------------------------------------------------------------------------------- */

static bool serves(const struct link_lane *lane, enum link_direction d, cycle_t now)
{
    return lane->direction == d && lane->usable <= now;
}

u32 link_lanes(const struct link *l, u32 socket, enum link_direction d, cycle_t now)
{
    u32 count = 0;
    for (u32 i = 0; i < l->lanes; i++)
        count += serves(&l->socket[socket].lanes[i], d, now);
    return count;
}

static struct link_lane *free_lane(struct link *l, u32 socket, enum link_direction d, cycle_t now)
{
    for (u32 i = 0; i < l->lanes; i++) {
        struct link_lane *lane = &l->socket[socket].lanes[i];
        if (serves(lane, d, now) && lane->free <= now)
            return lane;
    }
    return NULL;
}

static u32 free_lanes(const struct link *l, u32 socket, enum link_direction d, cycle_t now)
{
    u32 count = 0;
    for (u32 i = 0; i < l->lanes; i++) {
        const struct link_lane *lane = &l->socket[socket].lanes[i];
        count += serves(lane, d, now) && lane->free <= now;
    }
    return count;
}

/* Lane-cycles from the last count to `until`, in which no lane changed side; a turn that ends in
 * between counts from its end. */
static void count_available(struct link *l, u32 socket, cycle_t until)
{
    struct link_socket *s = &l->socket[socket];
    for (u32 d = 0; d < LINK_DIRECTIONS; d++) {
        for (u32 i = 0; i < l->lanes; i++) {
            const struct link_lane *lane = &s->lanes[i];
            cycle_t from = max_u64(s->counted[d], lane->usable);
            if (lane->direction == d && from < until)
                s->available[d] += until - from;
        }
        s->counted[d] = until;
    }
}

static bool is_turning(const struct link *l, u32 socket, cycle_t now)
{
    for (u32 i = 0; i < l->lanes; i++) {
        if (l->socket[socket].lanes[i].usable > now)
            return true;
    }
    return false;
}

static void turn_one(struct link *l, u32 socket, enum link_direction from, cycle_t now)
{
    struct link_socket *s = &l->socket[socket];
    struct link_lane *best = NULL;
    for (u32 i = 0; i < l->lanes; i++) {
        struct link_lane *lane = &s->lanes[i];
        if (lane->direction == from && (!best || lane->free < best->free))
            best = lane;
    }
    assert(best); /* each direction has a lane */
    best->direction = (u8)(from == LINK_EGRESS ? LINK_INGRESS : LINK_EGRESS);
    best->usable = max_u64(best->free, now) + l->config->switch_cycles;
    s->counts.turns++;
}

/* ---- samples ------------------------------------------------------------------------------- */

static void decide(struct link *l, u32 socket, cycle_t now)
{
    struct link_socket *s = &l->socket[socket];
    bool full[LINK_DIRECTIONS];
    u32 lanes[LINK_DIRECTIONS];
    for (u32 d = 0; d < LINK_DIRECTIONS; d++) {
        full[d] = (double)s->busy[d] >= l->config->saturation * (double)s->available[d];
        lanes[d] = link_lanes(l, socket, (enum link_direction)d, now);
    }
    if (is_turning(l, socket, now))
        return;
    u32 e = lanes[LINK_EGRESS], i = lanes[LINK_INGRESS];
    if (full[LINK_EGRESS] && !full[LINK_INGRESS] && i > 1)
        turn_one(l, socket, LINK_INGRESS, now);
    else if (full[LINK_INGRESS] && !full[LINK_EGRESS] && e > 1)
        turn_one(l, socket, LINK_EGRESS, now);
    else if (full[LINK_EGRESS] && full[LINK_INGRESS] && e != i)
        turn_one(l, socket, e > i ? LINK_EGRESS : LINK_INGRESS, now);
}

/* Statistics have all of the window so far; who reads them changes no decision. */
static void tell(struct link_socket *s, enum link_direction d)
{
    s->counts.busy[d] += s->busy[d] - s->told_busy[d];
    s->counts.available[d] += s->available[d] - s->told_available[d];
    s->told_busy[d] = s->busy[d];
    s->told_available[d] = s->available[d];
}

static void next_window(struct link *l, u32 socket)
{
    struct link_socket *s = &l->socket[socket];
    for (u32 d = 0; d < LINK_DIRECTIONS; d++) {
        tell(s, (enum link_direction)d);
        s->told_busy[d] = s->told_available[d] = 0;
        s->busy[d] = min_u64(s->carried[d], (u64)l->config->sample_cycles * l->lanes);
        s->carried[d] -= s->busy[d];
        s->available[d] = 0;
    }
}

/* Samples that ended since it was last looked at; those without any packet decide nothing. */
static void sample(struct link *l, cycle_t now)
{
    while (l->sample <= now) {
        for (u32 i = 0; i < l->sockets; i++) {
            const struct link_socket *s = &l->socket[i];
            bool any = s->busy[LINK_EGRESS] || s->busy[LINK_INGRESS];
            count_available(l, i, l->sample);
            if (l->config->dynamic && any)
                decide(l, i, l->sample);
            next_window(l, i);
        }
        l->sample += l->config->sample_cycles;
    }
}

/* A link that sleeps may have passed the ends of samples: they come first, as they would if it had
 * been ticked, or their lane-cycles would be counted twice. */
u64 link_available(struct link *l, u32 socket, enum link_direction d, cycle_t now)
{
    sample(l, now);
    if (now > l->socket[socket].counted[d])
        count_available(l, socket, now);
    const struct link_socket *s = &l->socket[socket];
    return s->counts.available[d] + s->available[d] - s->told_available[d];
}

/* The sample ends here, and nothing is decided; what packets on their way still take of their lanes
 * is the next one's. */
static void begin_sample(struct link *l, u32 socket, cycle_t now)
{
    struct link_socket *s = &l->socket[socket];
    u64 left[LINK_DIRECTIONS] = {0};
    for (u32 i = 0; i < l->lanes; i++)
        left[s->lanes[i].carries] += s->lanes[i].free > now ? s->lanes[i].free - now : 0;
    count_available(l, socket, now);
    for (u32 d = 0; d < LINK_DIRECTIONS; d++) {
        s->busy[d] += s->carried[d] - left[d];
        s->carried[d] = left[d];
    }
    next_window(l, socket);
}

void link_reset(struct link *l, cycle_t now)
{
    sample(l, now);
    l->sample = now + l->config->sample_cycles;
    for (u32 s = 0; s < l->sockets; s++) {
        begin_sample(l, s, now);
        for (u32 i = 0; i < l->lanes; i++) {
            struct link_lane *lane = &l->socket[s].lanes[i];
            u8 first = i < l->config->lanes ? LINK_EGRESS : LINK_INGRESS;
            if (lane->direction != first || lane->usable > now)
                lane->usable = lane->free;
            lane->direction = first;
        }
    }
}

static void settle_energy(struct link *l)
{
    double pj = 8 * l->config->pj_per_bit * (double)l->counts.bytes;
    l->energy = (struct link_energy){(u64)llround(pj), 2 * (u64)llround(pj), l->sim->engine.now_fs};
}

void link_settle(struct link *l, cycle_t now)
{
    sample(l, now);
    settle_energy(l);
    for (u32 i = 0; i < l->sockets; i++) {
        struct link_socket *s = &l->socket[i];
        count_available(l, i, now);
        for (u32 d = 0; d < LINK_DIRECTIONS; d++) {
            tell(s, (enum link_direction)d);
            s->counts.lanes[d] = link_lanes(l, i, (enum link_direction)d, now);
        }
    }
}

/* ---- packets ------------------------------------------------------------------------------- */

static struct ring *queue_of(struct link *l, u32 source, u32 class, u32 destination)
{
    return &l->queues[(source * l->classes + class) * l->sockets + destination];
}

/* The head of a port goes into its queue; false: there is none, or no room. */
static bool take_one(struct link *l, u32 input, struct port *from)
{
    u32 s = input / l->classes, class = input % l->classes;
    if (!port_ready(from))
        return false;
    u32 to = l->route.destination(l->route.context, pool_get(l->requests, port_head(from)));
    struct ring *queue = queue_of(l, s, class, to);
    if (ring_is_full(queue))
        return false;
    ring_push(queue, port_pop(from));
    l->socket[s].queued++;
    l->socket[to].awaited++;
    l->counts.entered++;
    return true;
}

/* True: all its ports are empty now. */
static bool take_from(struct link *l, u32 input)
{
    struct link_input *in = &l->inputs[input];
    u32 left = 0;
    for (u32 refused = 0; refused < in->count;) {
        u32 at = (in->turn + refused) % in->count;
        if (take_one(l, input, in->ports[at])) {
            in->turn = (at + 1) % in->count;
            refused = 0;
        } else {
            refused++;
        }
    }
    for (u32 i = 0; i < in->count; i++)
        left += port_count(in->ports[i]);
    return !left;
}

static void take(struct link *l)
{
    for (u32 i = bitset_next(&l->rung, 0); i < l->rung.bits; i = bitset_next(&l->rung, i + 1)) {
        if (take_from(l, i))
            bitset_remove(&l->rung, i);
    }
}

/* So many cycles of a lane from now on, in this sample and those that follow. */
static void keep_busy(struct link *l, u32 socket, enum link_direction d, cycle_t now, u32 cycles)
{
    struct link_socket *s = &l->socket[socket];
    u64 here = min_u64(cycles, l->sample - now);
    s->busy[d] += here;
    s->carried[d] += cycles - here;
}

/* What policies know of the load: reads that will be answered, and what comes beside answers. */
static void count_reads(struct link *l, u32 source, u32 destination, const struct request *r)
{
    bool reads = r->kind == REQUEST_LOAD || r->kind == REQUEST_FETCH;
    if (reads && !(r->flags & REQUEST_REPLY))
        l->socket[source].asked_bytes += PACKET_HEADER_BYTES + request_data_bytes(r);
    if (!reads || !(r->flags & REQUEST_REPLY))
        l->socket[destination].header_bytes += PACKET_HEADER_BYTES;
}

static void grant(struct link *l, u32 source, u32 class, u32 destination, cycle_t now)
{
    struct ring *queue = queue_of(l, source, class, destination);
    handle_t h = ring_pop(queue);
    u32 bytes = request_packet_bytes(pool_get(l->requests, h));
    count_reads(l, source, destination, pool_get(l->requests, h));
    u32 beats = (bytes + l->config->lane_bytes - 1) / l->config->lane_bytes;
    const u32 ends[LINK_DIRECTIONS] = {source, destination};
    for (u32 d = 0; d < LINK_DIRECTIONS; d++) {
        struct link_counts *c = &l->socket[ends[d]].counts;
        struct link_lane *lane = free_lane(l, ends[d], (enum link_direction)d, now);
        lane->free = now + beats;
        lane->carries = (u8)d;
        keep_busy(l, ends[d], (enum link_direction)d, now, beats);
        c->packets[d]++;
        c->bytes[d] += bytes;
    }
    l->socket[source].counts.bytes_to[destination] += bytes;
    l->socket[source].queued--;
    l->socket[destination].awaited--;
    l->counts.flits += beats;
    l->counts.busy_cycles += beats;
    l->counts.bytes += bytes;
    l->counts.latency_cycles += beats - 1 + l->config->cycles;
    timed_push(&l->coming[destination * l->classes + class], h,
               now + beats - 1 + l->config->cycles);
}

/* Room in the port behind for all that is on its way there, and one more. */
static bool has_room(struct link *l, u32 destination, u32 class)
{
    u32 output = destination * l->classes + class;
    struct timed_queue *coming = &l->coming[output];
    return !timed_is_full(coming) && port_has_room(l->outputs[output], timed_count(coming) + 1);
}

#define NOBODY UINT32_MAX

/* Whose packet a destination would take next: the source and class in turn that can send one. */
static u32 next_for(struct link *l, u32 destination, cycle_t now)
{
    u32 many = l->sockets * l->classes;
    for (u32 k = 0; k < many; k++) {
        u32 who = (l->turns[destination] + k) % many, source = who / l->classes;
        u32 class = who % l->classes;
        if (!ring_is_empty(queue_of(l, source, class, destination)) &&
            free_lane(l, source, LINK_EGRESS, now) && has_room(l, destination, class))
            return who;
    }
    return NOBODY;
}

/*
 * Each destination with a free lane offers it to the next in turn, each source takes the offer of
 * the destination that is next in its turn. Only an offer that is taken moves a turn on, so that
 * neither sources nor destinations starve. False: nobody offers.
 */
static bool grant_some(struct link *l, cycle_t now)
{
    u32 offers[LINK_MOST_SOCKETS] = {0}, who[LINK_MOST_SOCKETS], sources = 0;
    for (u32 d = 0; d < l->sockets; d++) {
        if (!l->socket[d].awaited || !free_lane(l, d, LINK_INGRESS, now))
            continue;
        who[d] = next_for(l, d, now);
        if (who[d] == NOBODY)
            continue;
        offers[who[d] / l->classes] |= 1u << d;
        sources |= 1u << who[d] / l->classes;
    }
    for (u32 left = sources; left; left &= left - 1) {
        u32 s = (u32)__builtin_ctz(left);
        u32 from_turn = offers[s] & ~0u << l->socket[s].turn;
        u32 d = (u32)__builtin_ctz(from_turn ? from_turn : offers[s]);
        grant(l, s, who[d] % l->classes, d, now);
        l->turns[d] = (who[d] + 1) % (l->sockets * l->classes);
        l->socket[s].turn = d + 1;
    }
    return sources;
}

static void deliver(struct link *l, u32 socket, u32 class, cycle_t now)
{
    struct timed_queue *coming = &l->coming[socket * l->classes + class];
    while (timed_next(coming) <= now) {
        handle_t h = timed_pop(coming);
        struct port *to = l->route.arrives(l->route.context, socket, pool_get(l->requests, h));
        l->counts.packets++;
        l->counts.span_cycles = now + 1;
        port_push(to ? to : l->outputs[socket * l->classes + class], h);
    }
}

/* With busy: occupied, a free lane counts while a packet waits for its side. */
static void count_occupied(struct link *l, cycle_t now)
{
    for (u32 i = 0; i < l->sockets; i++) {
        struct link_socket *s = &l->socket[i];
        if (s->queued)
            s->busy[LINK_EGRESS] += free_lanes(l, i, LINK_EGRESS, now);
        if (s->awaited)
            s->busy[LINK_INGRESS] += free_lanes(l, i, LINK_INGRESS, now);
    }
}

static cycle_t link_tick(void *self, cycle_t now)
{
    struct link *l = self;
    cycle_t next = CYCLE_NEVER;
    bool waits = false;
    sample(l, now);
    for (u32 i = 0; i < l->sockets * l->classes; i++)
        deliver(l, i / l->classes, i % l->classes, now);
    take(l);
    while (grant_some(l, now))
        ;
    for (u32 d = 0; d < l->sockets; d++)
        waits |= l->socket[d].awaited > 0;
    if (waits && l->config->busy == LINK_OCCUPIED)
        count_occupied(l, now);
    if (waits)
        return now + 1;
    for (u32 i = 0; i < l->sockets * l->classes; i++)
        next = min_u64(next, timed_next(&l->coming[i]));
    return next;
}

/* What it takes and hands on goes through ports. */
static bool link_can_wait(const void *self)
{
    (void)self;
    return true;
}

static void link_explain(void *self, struct waits *waits)
{
    const struct link *l = self;
    for (u32 i = 0; i < l->sockets * l->classes; i++) {
        const struct port *p = l->outputs[i];
        if (p && l->socket[i / l->classes].awaited && port_count(p) >= p->capacity)
            waits_add(waits, p->consumer, "socket %u has no room in port %s (%u of %u)",
                      i / l->classes, p->name, port_count(p), p->capacity);
    }
}

/* ---- building ------------------------------------------------------------------------------ */

void link_add_source(struct link *l, u32 socket, u32 class, struct port *port)
{
    u32 input = socket * l->classes + class;
    struct link_input *in = &l->inputs[input];
    if (in->count == in->room) {
        struct port **more = ARENA_ARRAY(&l->sim->arena, struct port *, 2 * in->room + 1);
        for (u32 i = 0; i < in->count; i++)
            more[i] = in->ports[i];
        in->ports = more;
        in->room = 2 * in->room + 1;
    }
    in->ports[in->count++] = port;
    port->bell = &l->rung.words[input / 64];
    port->bell_bit = (u64)1 << (input % 64);
}

static void link_source(void *self, u32 input, u32 source, struct port *port)
{
    link_add_source(self, input, source, port);
}

static void link_output(void *self, u32 output, struct port *port)
{
    struct link *l = self;
    l->outputs[output] = port;
}

struct network link_network(struct link *l)
{
    static const struct network_ops ops = {"link", link_source, link_output};
    return (struct network){&ops, l, l->unit, &l->counts};
}

/* The table of a socket's statistics, with as many columns of the matrix as there are sockets. */
static const struct stat_def *rows_of(struct arena *a, u32 sockets)
{
    struct stat_def *rows = ARENA_ARRAY(a, struct stat_def, ARRAY_LEN(link_stats) + 1);
    rows[0] = (struct stat_def)MATRIX_ROW;
    rows[0].label_count = sockets;
    memcpy(rows + 1, link_stats, sizeof link_stats);
    return rows;
}

void link_init(struct link *l, const struct network_parts *p, const struct link_config *c,
               const struct link_route *route)
{
    struct sim *sim = p->site->sim;
    struct arena *a = &sim->arena;
    u32 sockets = p->inputs, classes = p->sources_per_input, ports = p->outputs;
    assert(ports == sockets * classes);
    *l = (struct link){.config = c,
                       .route = *route,
                       .sim = sim,
                       .requests = p->requests,
                       .sockets = sockets,
                       .classes = classes,
                       .lanes = 2 * c->lanes,
                       .sample = c->sample_cycles,
                       .counts.outputs = ports};
    l->socket = ARENA_ARRAY(a, struct link_socket, sockets);
    l->inputs = ARENA_ARRAY(a, struct link_input, ports);
    bitset_init(&l->rung, a, ports);
    l->outputs = ARENA_ARRAY(a, struct port *, ports);
    l->queues = ARENA_ARRAY(a, struct ring, ports * sockets);
    l->coming = ARENA_ARRAY(a, struct timed_queue, ports);
    l->turns = ARENA_ARRAY(a, u32, sockets);
    stat_node node =
        stats_add(&sim->stats, p->site->node, p->name, STAT_NO_INDEX, links_stats, &l->counts);
    const struct stat_def *rows = rows_of(a, sockets);
    for (u32 i = 0; i < ports * sockets; i++)
        ring_init(&l->queues[i], a, c->entries);
    for (u32 i = 0; i < ports; i++)
        timed_init(&l->coming[i], a, c->lanes * 2 * (c->cycles + 64));
    for (u32 i = 0; i < sockets; i++) {
        for (u32 k = 0; k < l->lanes; k++)
            l->socket[i].lanes[k].direction = k < c->lanes ? LINK_EGRESS : LINK_INGRESS;
        stats_add(&sim->stats, node, "socket", i, rows, &l->socket[i].counts);
    }
    stats_add(&sim->stats, node, "energy", STAT_NO_INDEX, energy_stats, &l->energy);
    l->unit =
        engine_add_unit(&sim->engine, p->domain, site_name_of(p->site, p->name), link_tick, l);
    engine_explain_with(&sim->engine, l->unit, link_explain);
    engine_let_wait(&sim->engine, l->unit, link_can_wait);
}
