#include "memsys/partition.h"

/* clang-format off */
#define THESIS "NUMA-aware GPU, cache partitioning"
const struct param partition_params[] = {
    P_U32(partition_config, sample_cycles, 5000, 1, 1000000000, "cycles", "time between two decisions on ways", THESIS),
    P_DOUBLE(partition_config, saturation, 0.99, 0.01, 1, "ratio", "utilisation above which the link, or DRAM, is saturated", THESIS),
    P_BOOL(partition_config, literal, false, "the link's utilisation counts all inward traffic, requests of other sockets included", "spec X28: both readings"),
    P_BOOL(partition_config, first_only, false, "ways are halved at the first kernel only, not at each", "spec X27: both readings"),
    P_END,
};

static const struct stat_def partition_stats[] = {
    S_LEVEL(partition_counts, l2_remote_ways, "ways", "ways of an L2 set for lines of other sockets"),
    S_LEVEL(partition_counts, l1_remote_ways, "ways", "ways of an L1 set for lines of other sockets"),
    S_COUNT(partition_counts, samples, "samples", "samples taken"),
    S_COUNT(partition_counts, link_saturated, "samples", "samples in which the link was saturated"),
    S_COUNT(partition_counts, dram_saturated, "samples", "samples in which DRAM was saturated"),
    S_COUNT(partition_counts, to_remote, "ways", "L2 ways given to lines of other sockets"),
    S_COUNT(partition_counts, to_local, "ways", "L2 ways given to lines of this socket"),
    S_END,
};
/* clang-format on */

void partition_init(struct partition *p, const struct engine *e, const struct partition_config *c,
                    u32 l2_ways)
{
    *p = (struct partition){.config = c};
    split_init(&p->l2, e, l2_ways, l2_ways / 2);
    p->counts.l2_remote_ways = p->l2.remote;
}

const struct way_partition *partition_add_l1(struct partition *p, u32 ways)
{
    split_init(&p->l1, p->l2.engine, ways, ways / 2);
    p->counts.l1_remote_ways = p->l1.remote;
    return &p->l1;
}

static u64 dram_bytes(const struct memory_system *m)
{
    u64 bytes = 0;
    for (u32 i = 0; i < m->channel_count; i++)
        bytes += m->channels[i].counts.bus_bytes;
    return bytes;
}

/* Where a sample begins. */
static void note(struct partition *p, cycle_t now)
{
    const struct link_socket *s = &p->link->socket[p->socket];
    p->asked = s->asked_bytes;
    p->headers = s->header_bytes;
    p->available = link_available(p->link, p->socket, LINK_INGRESS, now);
    p->dram = dram_bytes(p->memory);
}

static void set(struct partition *p, u32 l2, u32 l1)
{
    if (l2 != p->l2.remote)
        split_decide(&p->l2, l2);
    if (l1 != p->l1.remote)
        split_decide(&p->l1, l1);
    p->counts.l2_remote_ways = l2;
    p->counts.l1_remote_ways = l1;
}

void partition_reset(struct partition *p, cycle_t now)
{
    note(p, now);
    p->next = now + p->config->sample_cycles;
    if (p->config->first_only && p->was_reset)
        return;
    p->was_reset = true;
    set(p, p->l2.ways / 2, p->l1.ways / 2);
}

/* ---- samples ------------------------------------------------------------------------------- */

/* A step of at most one way to `more` remote ways; each group keeps one. */
static u32 stepped(const struct way_partition *s, bool more)
{
    u32 most = s->ways ? s->ways - 1 : 0;
    if (more)
        return s->remote < most ? s->remote + 1 : s->remote;
    return s->remote > 1 ? s->remote - 1 : s->remote;
}

static u32 towards_half(const struct way_partition *s)
{
    u32 half = s->ways / 2;
    return s->remote == half ? half : stepped(s, s->remote < half);
}

static void decide(struct partition *p, bool link, bool dram)
{
    u32 before = p->l2.remote;
    if (link && dram)
        set(p, towards_half(&p->l2), towards_half(&p->l1));
    else if (link || dram)
        set(p, stepped(&p->l2, link), stepped(&p->l1, link));
    p->counts.to_remote += p->l2.remote > before;
    p->counts.to_local += p->l2.remote < before;
}

static void sample(struct partition *p, cycle_t now)
{
    const struct link_socket *s = &p->link->socket[p->socket];
    const struct domain *clock = &p->engine->domains[p->clock];
    u64 available = link_available(p->link, p->socket, LINK_INGRESS, now);
    u64 bytes = dram_bytes(p->memory);
    double room = (double)(available - p->available) * p->link->config->lane_bytes;
    if (!p->config->literal)
        room -= (double)(s->header_bytes - p->headers);
    double seconds = p->config->sample_cycles / (double)clock->hz;
    double peak = dram_peak_bytes_per_second(&p->memory->dram) * seconds;
    bool link = (double)(s->asked_bytes - p->asked) > p->config->saturation * room;
    bool dram = (double)(bytes - p->dram) > p->config->saturation * peak;
    note(p, now);
    p->counts.samples++;
    p->counts.link_saturated += link;
    p->counts.dram_saturated += dram;
    decide(p, link, dram);
}

static cycle_t partition_tick(void *self, cycle_t now)
{
    struct partition *p = self;
    if (now >= p->next) {
        sample(p, now);
        p->next = now + p->config->sample_cycles;
    }
    return p->next;
}

/* It looks at the link, which ticks before it, and at DRAM, which ticks apart. */
static bool partition_can_wait(const void *self)
{
    (void)self;
    return true;
}

void partition_connect(struct partition *p, struct link *link, const struct memory_system *memory,
                       u32 socket, domain_id clock)
{
    struct sim *sim = memory->site.sim;
    p->engine = &sim->engine;
    p->link = link;
    p->memory = memory;
    p->socket = socket;
    p->clock = clock;
    p->next = p->config->sample_cycles;
    unit_id unit = engine_add_unit(p->engine, clock, site_name_of(&memory->site, "partition"),
                                   partition_tick, p);
    engine_set_background(p->engine, unit);
    engine_let_wait(p->engine, unit, partition_can_wait);
    stats_add(&sim->stats, memory->site.node, "partition", STAT_NO_INDEX, partition_stats,
              &p->counts);
}
