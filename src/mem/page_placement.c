#include "mem/page_placement.h"

#include "base/map.h"
#include "sim/site.h"

/* clang-format off */
static const struct stat_def home_stats[] = {
    {.name = "local", .kind = STAT_COUNT, .offset = S_AT(home_counts, asks.local), .unit = "requests", .meaning = "requests of the socket's SMs for lines of its own memory"},
    {.name = "remote", .kind = STAT_COUNT, .offset = S_AT(home_counts, asks.remote), .unit = "requests", .meaning = "requests of the socket's SMs for lines of other sockets"},
    S_COUNT(home_counts, pages, "pages", "pages placed on the socket at first touch"),
    S_COUNT(home_counts, unlisted, "pages", "pages missing from the placement file, placed on the socket that touched them first"),
    S_FORMULA(remote_share, "remote / (local + remote)", "ratio", "share of requests for lines of other sockets"),
    S_END,
};

const struct stat_def home_asks_stats[] = {
    S_COUNT(home_asks, local, "requests", "requests of the SM for lines of its own socket"),
    S_COUNT(home_asks, remote, "requests", "requests of the SM for lines of other sockets"),
    S_END,
};
/* clang-format on */

void home_init(struct home *h, const struct build_site *site, struct policy_choice policy,
               u32 sockets, u32 page_bytes, u64 most_pages, u32 fault_cycles)
{
    struct arena *arena = &site->sim->arena;
    u64 room = 1024;
    while (room < 2 * most_pages && room < (u64)1 << 31)
        room *= 2;
    *h = (struct home){.ops = (const struct home_ops *)policy.ops,
                       .config = policy.config,
                       .sockets = sockets,
                       .page_bytes = page_bytes,
                       .fault_cycles = fault_cycles,
                       .page_mask = (u32)room - 1};
    h->pages = ARENA_ARRAY(arena, struct page_entry, room); /* costs addresses until it is used */
    h->counts = ARENA_ARRAY(arena, struct home_counts, sockets);
    h->state = arena_alloc(arena, h->ops->state_bytes ? h->ops->state_bytes : 1);
    stat_node node = stats_add(&site->sim->stats, site->node, "home", STAT_NO_INDEX, NULL, NULL);
    for (u32 i = 0; i < sockets; i++)
        stats_add(&site->sim->stats, node, "socket", i, home_stats, &h->counts[i]);
}

bool home_start(struct home *h, struct arena *arena, struct err *err)
{
    return !h->ops->init || h->ops->init(h, arena, err);
}

/* How far a socket is behind the one that a page goes to when all ask at the same time. */
static u32 rank(const struct home *h, u64 page, u32 socket)
{
    return (socket + h->sockets - (u32)((page - 1) % h->sockets)) % h->sockets;
}

static void give(struct home *h, struct page_entry *p, u64 page, u32 socket)
{
    *p = (struct page_entry){page << 8 | socket, h->now, h->round, h->asker};
    h->counts[socket].pages++;
    h->busy_until = h->now + h->fault_cycles;
}

u32 home_page(struct home *h, u64 address, u32 first)
{
    u64 page = address / h->page_bytes + 1;
    for (u64 i = hash_u64(page);; i++) {
        struct page_entry *p = &h->pages[i & h->page_mask];
        u32 socket = p->number & 0xff;
        if (p->number >> 8 == page) {
            if (LIKELY(!h->gives) || p->round != h->round ||
                rank(h, page, h->asker) >= rank(h, page, p->toucher))
                return socket;
            h->counts[socket].pages--;
            give(h, p, page, first);
            return first;
        }
        if (p->number)
            continue;
        if (!h->gives)
            return HOME_LATER;
        if (h->page_count > h->page_mask / 2) /* full: those that come late are not remembered */
            return first;
        h->page_count++;
        give(h, p, page, first);
        return first;
    }
}

u32 home_give(struct home *h, u64 address, u32 asker, cycle_t now)
{
    h->gives = true;
    h->now = now;
    h->asker = asker;
    u32 socket = h->ops->find(h, address, asker);
    h->gives = false;
    return socket;
}

cycle_t home_ready(const struct home *h, u64 address, u32 asker)
{
    u64 page = address / h->page_bytes + 1;
    for (u64 i = hash_u64(page);; i++) {
        const struct page_entry *p = &h->pages[i & h->page_mask];
        if (p->number >> 8 == page)
            return p->toucher == asker ? p->from + h->fault_cycles : 0;
        if (!p->number)
            return 0;
    }
}
