/*
 * Thread-aware dynamic insertion: least recently used, where a new line comes in as the most recent
 * one (LRU), or mostly as the next to go (BIP), as a duel of the two says, for each program by
 * itself. Qureshi et al., ISCA 2007; Jaleel et al., PACT 2008.
 */
#include "base/map.h"
#include "policy/replacement/duel.h"

enum dip_insert { DIP_LRU, DIP_BIMODAL, DIP_DUEL };
static const char *const inserts[] = {"lru", "bimodal", "duel", NULL};

struct tadip_config {
    u32 insert;
    u32 one_in;
    u32 leader_sets;
};

/* clang-format off */
static const struct param tadip_params[] = {
    P_CHOICE(tadip_config, insert, DIP_DUEL, inserts, "new lines begin: as the most recent (LRU), mostly as the next to go (BIP), or as a duel of the two says (TADIP)", "Jaleel et al. 2008"),
    P_U32(tadip_config, one_in, 32, 1, 65536, "lines", "one in this many of BIP's insertions is at the most recent position", "Qureshi et al. 2007"),
    P_U32(tadip_config, leader_sets, 32, 1, 4096, "sets", "leader sets of the whole cache for each of the two policies and each program; at least one per bank", "Qureshi et al. 2007"),
    P_END,
};
/* clang-format on */

struct tadip {
    struct duel duel;
    u64 fills;
};

/* When lines were used, in events of the cache; the lowest goes. */
struct times {
    i64 clock;
    i64 at[];
};

static size_t tadip_bytes(u32 sets, u32 ways)
{
    return sizeof(struct times) + (size_t)sets * ways * sizeof(i64);
}

static i64 *times_of(struct replacement *r, u32 set)
{
    return ((struct times *)r->table)->at + (size_t)set * r->ways;
}

static void tadip_hit(struct replacement *r, u32 set, u32 way, const struct request *access)
{
    (void)access;
    times_of(r, set)[way] = ++((struct times *)r->table)->clock;
}

/* Before every line of the set. */
static i64 time_before(struct replacement *r, u32 set)
{
    const i64 *at = times_of(r, set);
    i64 least = at[0];
    for (u32 w = 1; w < r->ways; w++)
        least = at[w] < least ? at[w] : least;
    return least - 1;
}

static bool is_most_recent(struct replacement *r, u32 set, u32 application)
{
    const struct tadip_config *c = r->config;
    struct tadip *s = r->state;
    bool bimodal = c->insert == DIP_BIMODAL;
    if (c->insert == DIP_DUEL) {
        enum leads lead = duel_leads(r, c->leader_sets, set, application);
        duel_missed(&s->duel, lead, application);
        bimodal = duel_takes_second(&s->duel, lead, application);
    }
    return !bimodal || hash_u64(r->seed + ++s->fills) % c->one_in == 0;
}

static void tadip_fill(struct replacement *r, u32 set, u32 way, const struct request *access)
{
    if (is_most_recent(r, set, access->application))
        tadip_hit(r, set, way, access);
    else
        times_of(r, set)[way] = time_before(r, set);
}

static u32 tadip_victim(struct replacement *r, u32 set, u64 candidates,
                        const struct request *access)
{
    const i64 *at = times_of(r, set);
    u32 oldest = (u32)__builtin_ctzll(candidates);
    (void)access;
    for (u64 left = candidates; left; left &= left - 1) {
        u32 way = (u32)__builtin_ctzll(left);
        if (at[way] < at[oldest])
            oldest = way;
    }
    return oldest;
}

REPLACEMENT(tadip) = {
    .version = POLICY_VERSION,
    .name = "tadip",
    .source = "Jaleel et al., PACT 2008",
    .params = tadip_params,
    .config_bytes = sizeof(struct tadip_config),
    .state_bytes = sizeof(struct tadip),
    .table_bytes = tadip_bytes,
    .hit = tadip_hit,
    .fill = tadip_fill,
    .victim = tadip_victim,
};
