#include "memsys/sockets.h"

#include "base/file.h"
#include "config/config.h"

#include <string.h>

#define MOST_SOCKETS LINK_MOST_SOCKETS

/* clang-format off */
static const char *const split_names[] = {"interleaved", "contiguous", "adaptive", NULL};

static const char *const organisations[] = {"memory_side", "static", "shared", "partitioned", NULL};
static const char *const flush_costs[] = {"software", "ideal", NULL};

#define THESIS "NUMA-aware GPU"
static const struct param cache_params[] = {
    P_CHOICE(socket_cache_config, organisation, L2_MEMORY_SIDE, organisations, "lines cached in the L2 of a socket: those of its own memory; remote lines too, in ways of their own; all lines its SMs access; or both, in ways that follow the load of link and DRAM", THESIS ", cache organisations"),
    P_U32(socket_cache_config, remote_ways, 8, 1, 63, "ways", "ways of an L2 set for remote lines, with organisation static", "assumed: NUMA spec 2.9: half"),
    P_CHOICE(socket_cache_config, flush, FLUSH_SOFTWARE, flush_costs, "lines of other sockets at the end of a kernel and at a fence: they are written back and dropped, or stay at no cost (a bound, not a machine: they may be stale)", THESIS),
    P_GROUP(socket_cache_config, partition, partition_params, NULL, "ways that move"),
    P_END,
};

const struct param sockets_params[] = {
    P_U32(sockets_config, count, 1, 1, MOST_SOCKETS, "sockets", "sockets that make up one GPU, each with everything that the file describes", THESIS),
    P_U32(sockets_config, page_bytes, 65536, 4096, 1u << 30, "bytes", "size of a page: memory with one home", "assumed: 64 KB pages of Pascal"),
    P_U32(sockets_config, link_nodes, 4, 1, 16, "nodes", "nodes of each network that lead to the link", "assumed: so that the link is the limit"),
    P_STRING(sockets_config, home, "first_touch", "policy: which socket has a page", THESIS),
    P_U32(sockets_config, fault_cycles, 2000, 0, 1000000000, "cycles", "time for which the socket that first touches a page waits for it, with homes first_touch and file", "assumed: NUMA spec 2.7"),
    P_STRING(sockets_config, write_homes, "", "file that the homes of all pages are written to, for policy home=file", "which run it is"),
    P_CHOICE(sockets_config, blocks, SPLIT_CONTIGUOUS, split_names, "how a grid's blocks are divided among sockets: interleaved, in equal ranges, or in ranges that adapt to earlier launch times", THESIS),
    P_DOUBLE(sockets_config, adaptation, 0.5, 0, 1, "ratio", "step towards equal times after each launch of a kernel, with adaptive blocks", "assumed: NUMA spec 2.7"),
    P_GROUP(sockets_config, link, link_params, link_check, "links between the sockets and the switch"),
    P_GROUP(sockets_config, cache, cache_params, NULL, "caching of other sockets' memory"),
    P_BOOL(sockets_config, check, false, "check coherence: a read that misses what earlier kernels wrote, or earlier fences released, ends the run with an error", "a checker"),
    P_END,
};
/* clang-format on */

static bool is_power_of_two(u32 x)
{
    return x && !(x & (x - 1));
}

bool sockets_check(const void *group, const struct config *config, struct err *err)
{
    const struct sockets_config *c = group;
    if (*c->write_homes && c->count == 1)
        return err_at(err, config_pos(config, &c->write_homes),
                      "sockets.write_homes is '%s' with one socket, expected several: one has all "
                      "pages",
                      c->write_homes);
    if (!is_power_of_two(c->page_bytes))
        return err_at(err, config_pos(config, &c->page_bytes),
                      "sockets.page_bytes is %u, expected a power of two", c->page_bytes);
    return is_power_of_two(c->link_nodes) ||
           err_at(err, config_pos(config, &c->link_nodes),
                  "sockets.link_nodes is %u, expected a power of two", c->link_nodes);
}

/* An L2 that keeps lines of other sockets does without what banks can do besides. */
static bool check_l2(const struct l2_config *l2, const struct config *config, struct err *err)
{
    const struct {
        bool is_bad;
        const void *field;
        const char *sentence;
    } rows[] = {
        {l2->gated, &l2->gated, "l2.gated is true, expected false"},
        {l2->far_cycles, &l2->far_cycles, "l2.far_cycles is not 0, expected an L2 of one part"},
        {strcmp(l2->policy, "shared") != 0, &l2->policy,
         "l2.policy divides the ways by program, expected shared"},
        {l2->context_bytes, &l2->context_bytes, "l2.context_bytes is not 0, expected 0"},
    };
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        if (rows[i].is_bad)
            return err_at(err, config_pos(config, rows[i].field),
                          "%s where the L2 keeps lines of other sockets "
                          "(sockets.cache.organisation)",
                          rows[i].sentence);
    }
    return true;
}

bool sockets_check_memory(const struct sockets_config *c, const struct memory_config *m,
                          u32 l1_ways, const struct config *config, struct err *err)
{
    u32 organisation = c->cache.organisation;
    struct dram_timing dram;
    dram_resolve(m->dram, &dram);
    u64 banks = (u64)dram.config.channels * m->l2->banks_per_channel;
    if (c->count == 1)
        return true;
    if (m->ideal->model != MEMORY_REAL)
        return err_at(err, config_pos(config, &m->ideal->model),
                      "ideal.model is not real with %u sockets, expected real", c->count);
    if (organisation == L2_MEMORY_SIDE)
        return true;
    if (2 * banks > CROSSBAR_MOST_LINES)
        return err_at(err, config_pos(config, &c->cache.organisation),
                      "sockets.cache.organisation is %s with %llu banks, expected at most %u: each "
                      "has a second line of the request network",
                      organisations[organisation], (unsigned long long)banks,
                      CROSSBAR_MOST_LINES / 2);
    if (organisation == L2_STATIC && c->cache.remote_ways >= m->l2->ways)
        return err_at(err, config_pos(config, &c->cache.remote_ways),
                      "sockets.cache.remote_ways is %u, expected less than the %u ways of the L2",
                      c->cache.remote_ways, m->l2->ways);
    if (organisation == L2_PARTITIONED && (m->l2->ways < 2 || l1_ways < 2))
        return err_at(err, config_pos(config, &c->cache.organisation),
                      "sockets.cache.organisation is partitioned with %u ways of L2 and %u of L1, "
                      "expected at least 2 of each",
                      m->l2->ways, l1_ways);
    return check_l2(m->l2, config, err);
}

static u32 destination(void *context, const struct request *r)
{
    (void)context;
    return r->flags & REQUEST_REPLY ? r->socket : r->home;
}

static bool keeps_remote(const struct sockets *s)
{
    return s->config->cache.organisation != L2_MEMORY_SIDE;
}

/* The L2 is on the GPU's side: what others ask for is looked up there and takes no line. */
static bool only_probes(const struct sockets *s)
{
    return s->config->cache.organisation >= L2_SHARED;
}

/* A request is to be answered to the link; an answer goes to the agent, or to the bank that asked.
 */
static struct port *arrives(void *context, u32 socket, struct request *r)
{
    const struct sockets *s = context;
    const struct memory_system *m = &s->memories[socket];
    u32 node = (u32)(r->line / m->config.line_bytes) & (m->link.nodes - 1);
    u32 bank = address_place(&m->map, r->line).bank;
    if (r->flags & REQUEST_REPLY) {
        if (keeps_remote(s) && r->kind != REQUEST_ATOMIC)
            return &m->link.miss_in[bank];
        r->to = r->agent;
        return NULL;
    }
    r->reply_to = (u16)(m->agents + node);
    r->to = (u16)(keeps_remote(s) ? m->bank_count + bank : bank);
    if (only_probes(s) && r->kind != REQUEST_ATOMIC)
        r->flags |= REQUEST_BYPASS_L2;
    return NULL;
}

/* ---- building ------------------------------------------------------------------------------ */

static void init_caches(struct sockets *s, struct sim *sim)
{
    const struct socket_cache_config *c = &s->config->cache;
    u32 ways = s->memories[0].config.l2->ways;
    struct memory_side side = {.coherence = &s->coherence};
    coherence_init(&s->coherence, sim, s->memories, s->config->count, c->flush == FLUSH_IDEAL,
                   c->organisation == L2_STATIC);
    if (c->organisation == L2_PARTITIONED)
        s->partitions = ARENA_ARRAY(&sim->arena, struct partition, s->config->count);
    if (c->organisation == L2_STATIC) {
        side.fixed = ARENA_NEW(&sim->arena, struct way_partition);
        split_init(side.fixed, &sim->engine, ways, c->remote_ways);
    }
    for (u32 i = 0; i < s->config->count; i++) {
        if (s->partitions) {
            side.partition = &s->partitions[i];
            partition_init(side.partition, &sim->engine, &c->partition, ways);
        }
        memory_system_keep_remote(&s->memories[i], &side);
    }
}

void sockets_init(struct sockets *s, const struct build_site *site, const struct sockets_config *c,
                  struct memory_system *memories, struct policy_choice home, u64 memory_bytes)
{
    *s = (struct sockets){.config = c, .memories = memories};
    home_init(&s->home, site, home, c->count, c->page_bytes, memory_bytes / c->page_bytes,
              c->fault_cycles);
    for (u32 i = 0; i < c->count; i++)
        memory_system_join(&memories[i], &s->home, c->link_nodes);
    if (keeps_remote(s))
        init_caches(s, site->sim);
    if (c->check)
        versions_init(&s->versions, site);
    for (u32 i = 0; c->check && i < c->count; i++)
        memories[i].versions = &s->versions;
}

static void connect_caches(struct sockets *s, const struct build_site *site)
{
    coherence_connect(&s->coherence, site, s->clock);
    for (u32 i = 0; i < s->config->count; i++) {
        struct memory_system *m = &s->memories[i];
        for (u32 k = 0; k < m->bank_count; k++)
            link_add_source(&s->link, i, k % s->config->link_nodes, &m->link.miss_out[k]);
        if (only_probes(s))
            memory_system_let_bypass(m);
        if (s->partitions)
            partition_connect(&s->partitions[i], &s->link, m, i, s->clock);
    }
}

bool sockets_connect(struct sockets *s, const struct build_site *site, domain_id clock,
                     struct err *err)
{
    const char *path = s->config->write_homes;
    if (!home_start(&s->home, &site->sim->arena, err) || (*path && !file_check_writable(path, err)))
        return false;
    u32 nodes = s->config->link_nodes, classes = 2 * nodes;
    s->engine = &site->sim->engine;
    s->clock = clock;
    if (s->config->check)
        engine_keep_serial(s->engine, true); /* all SMs and banks look at one table of versions */
    struct link_route route = {s, destination, arrives};
    struct network_parts parts = {.site = site,
                                  .domain = clock,
                                  .name = "link",
                                  .requests = s->memories[0].requests,
                                  .inputs = s->config->count,
                                  .sources_per_input = classes,
                                  .outputs = s->config->count * classes};
    link_init(&s->link, &parts, &s->config->link, &route);
    struct network net = link_network(&s->link);
    for (u32 i = 0; i < s->config->count; i++) {
        struct memory_system *m = &s->memories[i];
        memory_system_attach_link(m, s->link.unit);
        for (u32 k = 0; k < nodes; k++) {
            if (!keeps_remote(s))
                net.ops->source(net.self, i, k, &m->link.request_out[k]);
            net.ops->source(net.self, i, nodes + k, &m->link.reply_out[k]);
            net.ops->output(net.self, i * classes + k, &m->link.request_in[k]);
            net.ops->output(net.self, i * classes + nodes + k, &m->link.reply_in[k]);
        }
    }
    if (keeps_remote(s))
        connect_caches(s, site);
    return true;
}

u64 sockets_most_requests(const struct sockets_config *c, u32 banks, const struct l2_config *l2)
{
    u64 classes = 2 * (u64)c->link_nodes, lanes = 2 * (u64)c->link.lanes;
    u64 of_banks = c->cache.organisation == L2_MEMORY_SIDE
                       ? 0
                       : 2 * ((u64)l2->miss_entries + l2->access_entries + l2->pipe_cycles + 64);
    return classes * (c->link.entries * (u64)c->count + LINK_PORT_ENTRIES) +
           classes * lanes * (c->link.cycles + 64) + banks * of_banks;
}

bool sockets_write_homes(const struct sockets *s, struct err *err)
{
    return !*s->config->write_homes || home_write(&s->home, s->config->write_homes, err);
}

void sockets_settle(struct sockets *s)
{
    link_settle(&s->link, engine_cycle(s->engine, s->clock));
}

void sockets_reset(struct sockets *s, bool alone)
{
    if (s->config->check && alone)
        versions_next(&s->versions);
    cycle_t now = engine_cycle(s->engine, s->clock);
    link_reset(&s->link, now);
    for (u32 i = 0; s->partitions && i < s->config->count; i++)
        partition_reset(&s->partitions[i], now);
}

/* ---- ends of kernels ------------------------------------------------------------------------ */

bool sockets_flush(struct sockets *s, u64 *numbers)
{
    if (!keeps_remote(s) || s->coherence.is_free)
        return false;
    for (u32 i = 0; i < s->config->count; i++)
        numbers[i] = coherence_ask(&s->coherence, i);
    s->coherence.kernels++;
    return true;
}

bool sockets_flushed(struct sockets *s, const u64 *numbers)
{
    for (u32 i = 0; i < s->config->count; i++) {
        if (s->coherence.socket[i].done < numbers[i])
            return false;
    }
    s->coherence.kernels--;
    return true;
}
