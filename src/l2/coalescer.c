#include "l2/coalescer.h"

#include "base/arena.h"
#include "base/map.h"

/* clang-format off */
const struct param coalesce_params[] = {
    P_U32(coalesce_config, agents, 0, 0, 65536, "agents", "consecutive agents whose reads of the same sectors are merged into one request (0: none)", "assumed: none"),
    P_U32(coalesce_config, requests, 4, 2, 1024, "requests", "most reads merged into one request", "assumed"),
    P_U32(coalesce_config, cycles, 64, 0, 100000, "cycles", "time after the first read in which others may join it", "assumed"),
    P_END,
};

const struct stat_def coalescer_stats[] = {
    S_COUNT(coalescer_counts, joined, "requests", "reads answered together with another of their group"),
    S_COUNT(coalescer_counts, joined_sectors, "sectors", "sectors requested by reads answered together with another"),
    S_END,
};
/* clang-format on */

#define HEADS 256u
#define NONE UINT16_MAX

/* A read under way; those of one head are linked by next, those that are free too. */
struct leader {
    u64 line;
    cycle_t until; /* others may join */
    u32 sectors, count;
    handle_t request, first, last; /* itself, and who joined it */
    u16 agent, group, next;
};

struct coalescer {
    struct pool *requests;
    struct coalesce_config config;
    u32 followers;
    u16 free;
    u16 heads[HEADS];
    struct leader leaders[COALESCER_LEADERS];
    struct coalescer_counts counts;
};

struct coalescer *coalescer_create(struct arena *arena, const struct coalesce_config *config,
                                   struct pool *requests)
{
    struct coalescer *c = ARENA_NEW(arena, struct coalescer);
    c->requests = requests;
    c->config = *config;
    for (u32 i = 0; i < HEADS; i++)
        c->heads[i] = NONE;
    for (u32 i = 0; i < COALESCER_LEADERS; i++)
        c->leaders[i].next = (u16)(i + 1 < COALESCER_LEADERS ? i + 1 : NONE);
    return c;
}

struct coalescer_counts *coalescer_counts(struct coalescer *c)
{
    return &c->counts;
}

static struct request *get(const struct coalescer *c, handle_t h)
{
    return pool_get(c->requests, h);
}

static u16 *head_of(struct coalescer *c, u64 line, u32 group)
{
    return &c->heads[hash_u64(line + group) % HEADS];
}

static bool is_read(const struct request *r)
{
    return r->kind == REQUEST_LOAD || r->kind == REQUEST_FETCH;
}

static void follow(struct coalescer *c, struct leader *l, handle_t h)
{
    struct request *r = get(c, h);
    r->next = HANDLE_NONE;
    if (l->first)
        get(c, l->last)->next = h;
    else
        l->first = h;
    l->last = h;
    l->count++;
    c->followers++;
    c->counts.joined++;
    c->counts.joined_sectors += (u32)__builtin_popcount(r->sectors);
}

static void lead(struct coalescer *c, handle_t h, u16 *head, u16 group, cycle_t now)
{
    const struct request *r = get(c, h);
    u16 i = c->free;
    if (i == NONE)
        return;
    struct leader *l = &c->leaders[i];
    c->free = l->next;
    *l = (struct leader){.line = r->line,
                         .until = now + c->config.cycles,
                         .sectors = r->sectors,
                         .count = 1,
                         .request = h,
                         .agent = r->agent,
                         .group = group,
                         .next = *head};
    *head = i;
}

static bool may_join(const struct coalescer *c, const struct leader *l, const struct request *r,
                     cycle_t now)
{
    return l->line == r->line && l->agent != r->agent && l->group == r->agent / c->config.agents &&
           !(r->sectors & ~l->sectors) && now <= l->until && l->count < c->config.requests;
}

bool coalescer_join(struct coalescer *c, handle_t h, cycle_t now)
{
    const struct request *r = get(c, h);
    if (!is_read(r))
        return false;
    u16 group = (u16)(r->agent / c->config.agents), *head = head_of(c, r->line, group);
    for (u16 i = *head; i != NONE && c->followers < COALESCER_FOLLOWERS; i = c->leaders[i].next) {
        if (!may_join(c, &c->leaders[i], r, now))
            continue;
        follow(c, &c->leaders[i], h);
        return true;
    }
    lead(c, h, head, group, now);
    return false;
}

handle_t coalescer_take(struct coalescer *c, handle_t h)
{
    const struct request *r = get(c, h);
    if (!is_read(r))
        return HANDLE_NONE;
    u16 *at = head_of(c, r->line, r->agent / c->config.agents);
    while (*at != NONE && c->leaders[*at].request != h)
        at = &c->leaders[*at].next;
    u16 i = *at;
    if (i == NONE)
        return HANDLE_NONE;
    struct leader *l = &c->leaders[i];
    *at = l->next;
    l->next = c->free;
    c->free = i;
    c->followers -= l->count - 1;
    return l->first;
}
