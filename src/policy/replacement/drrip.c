/*
 * Re-reference interval prediction: each line has a guess how far away its next use is, in 2 bits.
 * A hit makes it 0; the victim is a line at 3, and where there is none all grow older first. New
 * lines begin at 2 (SRRIP), or mostly at 3 (BRRIP); in a few sets each is tried, and the others do
 * what misses less there, for each program by itself. Jaleel et al., ISCA 2010.
 */
#include "base/map.h"
#include "mem/replacement.h"

enum rrip_insert { RRIP_STATIC, RRIP_BIMODAL, RRIP_DUEL };
static const char *const inserts[] = {"static", "bimodal", "duel", NULL};

struct drrip_config {
    u32 insert;
    u32 near_percent;
    u32 leader_sets;
};

/* clang-format off */
static const struct param drrip_params[] = {
    P_CHOICE(drrip_config, insert, RRIP_DUEL, inserts, "new lines begin: at 2 (SRRIP), mostly at 3 (BRRIP), or as a duel of the two says (DRRIP)", "Jaleel et al. 2010"),
    P_U32(drrip_config, near_percent, 5, 0, 100, "%", "of BRRIP's lines that begin at 2", "Lee 2013, 2.5; Jaleel et al. 2010: 1/32"),
    P_U32(drrip_config, leader_sets, 32, 1, 4096, "sets", "of a cache, or of each bank, that try each of the two for a program", "Jaleel et al. 2010: of the whole cache"),
    P_END,
};
/* clang-format on */

#define FAR 3u
#define PSEL_MOST 1023
#define PSEL_START 512

struct drrip {
    i64 psel[MOST_APPLICATIONS]; /* from the start value: above, SRRIP misses more */
    u64 fills;
};

static const struct drrip_config *config_of(const struct replacement *r)
{
    return r->config;
}

static u8 *guesses(struct replacement *r, u32 set)
{
    return (u8 *)r->table + (size_t)set * r->ways;
}

static size_t drrip_bytes(u32 sets, u32 ways)
{
    return (size_t)sets * ways;
}

/* Which program's duel a set is of, and for which side; else LEADS_NONE. */
enum leads { LEADS_NONE, LEADS_STATIC, LEADS_BIMODAL };

static enum leads leads(const struct replacement *r, u32 set, u32 application)
{
    u32 groups = 2 * MOST_APPLICATIONS, leaders = config_of(r)->leader_sets;
    u32 stride = r->sets / leaders < groups ? groups : r->sets / leaders;
    u32 place = set % stride;
    if (place / 2 != application)
        return LEADS_NONE;
    return place % 2 ? LEADS_BIMODAL : LEADS_STATIC;
}

/* The guess of a new line; a miss in a leader set moves the duel. */
static u8 first_guess(struct replacement *r, u32 set, const struct request *access)
{
    struct drrip *d = r->state;
    u32 insert = config_of(r)->insert;
    if (insert == RRIP_DUEL) {
        i64 *psel = &d->psel[access->application];
        enum leads lead = leads(r, set, access->application);
        if (lead == LEADS_STATIC && *psel < PSEL_MOST - PSEL_START)
            ++*psel;
        if (lead == LEADS_BIMODAL && *psel > -PSEL_START)
            --*psel;
        bool bimodal = lead == LEADS_NONE ? *psel > 0 : lead == LEADS_BIMODAL;
        insert = bimodal ? RRIP_BIMODAL : RRIP_STATIC;
    }
    if (insert == RRIP_STATIC)
        return FAR - 1;
    return hash_u64(r->seed + ++d->fills) % 100 < config_of(r)->near_percent ? FAR - 1 : FAR;
}

static void drrip_hit(struct replacement *r, u32 set, u32 way, const struct request *access)
{
    (void)access;
    guesses(r, set)[way] = 0;
}

/* The lowest way among the oldest candidates: asking changes nothing. */
static u32 drrip_victim(struct replacement *r, u32 set, u64 candidates,
                        const struct request *access)
{
    (void)access;
    const u8 *g = guesses(r, set);
    u32 oldest = (u32)__builtin_ctzll(candidates);
    for (u64 left = candidates; left; left &= left - 1) {
        u32 way = (u32)__builtin_ctzll(left);
        if (g[way] > g[oldest])
            oldest = way;
    }
    return oldest;
}

/* The line that went had been the oldest: all grow older by what it lacked, once it is gone. */
static void drrip_fill(struct replacement *r, u32 set, u32 way, const struct request *access)
{
    u8 *g = guesses(r, set), gap = (u8)(FAR - g[way]);
    for (u32 w = 0; w < r->ways; w++)
        g[w] = (u8)(g[w] + gap < FAR ? g[w] + gap : FAR);
    g[way] = first_guess(r, set, access);
}

/* Empty ways count as far. */
static void drrip_init(struct replacement *r)
{
    u8 *g = r->table;
    for (size_t i = 0; i < (size_t)r->sets * r->ways; i++)
        g[i] = FAR;
}

REPLACEMENT(drrip) = {
    .version = POLICY_VERSION,
    .name = "drrip",
    .source = "Jaleel et al., ISCA 2010",
    .params = drrip_params,
    .config_bytes = sizeof(struct drrip_config),
    .state_bytes = sizeof(struct drrip),
    .table_bytes = drrip_bytes,
    .init = drrip_init,
    .hit = drrip_hit,
    .fill = drrip_fill,
    .victim = drrip_victim,
};
