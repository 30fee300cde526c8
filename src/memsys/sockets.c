#include "memsys/sockets.h"

#include "config/config.h"

#define MOST_SOCKETS LINK_MOST_SOCKETS

/* clang-format off */
static const char *const split_names[] = {"interleaved", "contiguous", NULL};

#define THESIS "NUMA-aware GPU"
const struct param sockets_params[] = {
    P_U32(sockets_config, count, 1, 1, MOST_SOCKETS, "sockets", "that are one GPU, each with all that the file says of one", THESIS),
    P_U32(sockets_config, page_bytes, 65536, 4096, 1u << 30, "bytes", "of memory that have one home", "assumed: 64 KB pages of Pascal"),
    P_U32(sockets_config, link_nodes, 4, 1, 16, "nodes", "of each network that lead to the link", "assumed: so that the link is the limit"),
    P_STRING(sockets_config, home, "first_touch", "policy: which socket has a page", THESIS),
    P_CHOICE(sockets_config, blocks, SPLIT_CONTIGUOUS, split_names, "how a grid's blocks are divided", THESIS),
    P_GROUP(sockets_config, link, link_params, link_check, "between a socket and the switch"),
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
    if (!is_power_of_two(c->page_bytes))
        return err_at(err, config_pos(config, &c->page_bytes),
                      "sockets.page_bytes is %u, expected a power of two", c->page_bytes);
    return is_power_of_two(c->link_nodes) ||
           err_at(err, config_pos(config, &c->link_nodes),
                  "sockets.link_nodes is %u, expected a power of two", c->link_nodes);
}

static u32 destination(void *context, const struct request *r)
{
    (void)context;
    return r->flags & REQUEST_REPLY ? r->socket : r->home;
}

/* A request is to be answered to the link; an answer goes to the agent. */
static void arrives(void *context, u32 socket, struct request *r)
{
    const struct sockets *s = context;
    const struct memory_system *m = &s->memories[socket];
    u32 node = (u32)(r->line / m->config.line_bytes) & (m->link.nodes - 1);
    if (r->flags & REQUEST_REPLY) {
        r->to = r->agent;
    } else {
        r->reply_to = (u16)(m->agents + node);
        r->to = (u16)address_place(&m->map, r->line).bank;
    }
}

void sockets_init(struct sockets *s, const struct build_site *site, const struct sockets_config *c,
                  struct memory_system *memories, struct policy_choice home, u64 memory_bytes)
{
    *s = (struct sockets){.config = c, .memories = memories};
    home_init(&s->home, site, home, c->count, c->page_bytes, memory_bytes / c->page_bytes);
    for (u32 i = 0; i < c->count; i++)
        memory_system_join(&memories[i], &s->home, c->link_nodes);
}

void sockets_connect(struct sockets *s, const struct build_site *site, domain_id clock)
{
    u32 nodes = s->config->link_nodes, classes = 2 * nodes;
    s->engine = &site->sim->engine;
    s->clock = clock;
    engine_keep_serial(s->engine, true); /* who touches a page first is seen by all at once */
    struct link_route route = {s, destination, arrives};
    link_init(&s->link, site, clock, "link", &s->config->link, &route, s->memories[0].requests,
              s->config->count, classes);
    struct network net = link_network(&s->link);
    for (u32 i = 0; i < s->config->count; i++) {
        struct memory_system *m = &s->memories[i];
        memory_system_attach_link(m, s->link.unit);
        for (u32 k = 0; k < nodes; k++) {
            net.ops->source(net.self, i, k, &m->link.request_out[k]);
            net.ops->source(net.self, i, nodes + k, &m->link.reply_out[k]);
            net.ops->output(net.self, i * classes + k, &m->link.request_in[k]);
            net.ops->output(net.self, i * classes + nodes + k, &m->link.reply_in[k]);
        }
    }
}

u64 sockets_most_requests(const struct sockets_config *c)
{
    u64 classes = 2 * (u64)c->link_nodes, lanes = 2 * (u64)c->link.lanes;
    return classes * (c->link.entries * (u64)c->count + LINK_PORT_ENTRIES) +
           classes * lanes * (c->link.cycles + 64);
}

void sockets_settle(struct sockets *s)
{
    link_settle(&s->link, engine_cycle(s->engine, s->clock));
}

void sockets_reset(struct sockets *s)
{
    link_reset(&s->link, engine_cycle(s->engine, s->clock));
}
