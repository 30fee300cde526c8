#include "mem/home.h"

#include "base/map.h"

/* clang-format off */
static const struct stat_def home_stats[] = {
    {.name = "local", .kind = STAT_COUNT, .offset = S_AT(home_counts, asks.local), .unit = "requests", .meaning = "of its SMs for lines of its own memory"},
    {.name = "remote", .kind = STAT_COUNT, .offset = S_AT(home_counts, asks.remote), .unit = "requests", .meaning = "of its SMs for lines of other sockets"},
    S_COUNT(home_counts, pages, "pages", "that were given to it when they were first touched"),
    S_FORMULA(remote_share, "remote / (local + remote)", "ratio", "of its requests"),
    S_END,
};

const struct stat_def home_asks_stats[] = {
    S_COUNT(home_asks, local, "requests", "of the SM for lines of its own socket's memory"),
    S_COUNT(home_asks, remote, "requests", "of the SM for lines of other sockets"),
    S_END,
};
/* clang-format on */

void home_init(struct home *h, const struct build_site *site, struct policy_choice policy,
               u32 sockets, u32 page_bytes, u64 most_pages)
{
    struct arena *arena = &site->sim->arena;
    u64 room = 1024;
    while (room < 2 * most_pages && room < (u64)1 << 31)
        room *= 2;
    *h = (struct home){.ops = (const struct home_ops *)policy.ops,
                       .config = policy.config,
                       .sockets = sockets,
                       .page_bytes = page_bytes,
                       .page_mask = (u32)room - 1};
    h->pages = ARENA_ARRAY(arena, u64, room); /* costs addresses until it is used */
    h->counts = ARENA_ARRAY(arena, struct home_counts, sockets);
    h->state = arena_alloc(arena, h->ops->state_bytes ? h->ops->state_bytes : 1);
    stat_node node = stats_add(&site->sim->stats, site->node, "home", STAT_NO_INDEX, NULL, NULL);
    for (u32 i = 0; i < sockets; i++)
        stats_add(&site->sim->stats, node, "socket", i, home_stats, &h->counts[i]);
}

/* An entry: the page's number + 1 above the socket's 8 bits. */
u32 home_page(struct home *h, u64 address, u32 first)
{
    u64 page = address / h->page_bytes + 1;
    for (u64 i = hash_u64(page);; i++) {
        u64 *entry = &h->pages[i & h->page_mask];
        if (*entry >> 8 == page)
            return *entry & 0xff;
        if (*entry)
            continue;
        if (!h->gives)
            return HOME_LATER;
        if (h->page_count++ > h->page_mask / 2) /* full: those that come late are not remembered */
            return first;
        *entry = page << 8 | first;
        h->counts[first].pages++;
        return first;
    }
}

u32 home_give(struct home *h, u64 address, u32 asker)
{
    h->gives = true;
    u32 socket = h->ops->find(h, address, asker);
    h->gives = false;
    return socket;
}
