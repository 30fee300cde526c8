/*
 * RRIP (rrip.h) with new lines as SRRIP or BRRIP has them, or as a duel of the two says, for each
 * program by itself. Jaleel et al., ISCA 2010.
 */
#include "policy/replacement/rrip.h"

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
    P_U32(drrip_config, near_percent, 5, 0, 100, "%", "share of BRRIP's insertions with RRPV 2", "Lee 2013, 4.5.2; Jaleel et al. 2010: 1/32"),
    P_U32(drrip_config, leader_sets, 32, 1, 4096, "sets", "leader sets of the whole cache for each of the two policies and each program; at least one per bank", "Jaleel et al. 2010"),
    P_END,
};
/* clang-format on */

static const struct drrip_config *config_of(const struct replacement *r)
{
    return r->config;
}

static size_t drrip_bytes(u32 sets, u32 ways)
{
    return (size_t)sets * ways;
}

/* The guess of a new line; a miss in a leader set moves the duel. */
static u8 first_guess(struct replacement *r, u32 set, const struct request *access)
{
    struct rrip *s = r->state;
    u32 insert = config_of(r)->insert, app = access->application;
    if (insert == RRIP_DUEL) {
        enum leads lead = duel_leads(r, config_of(r)->leader_sets, set, app);
        duel_missed(&s->duel, lead, app);
        insert = duel_takes_second(&s->duel, lead, app) ? RRIP_BIMODAL : RRIP_STATIC;
    }
    return insert == RRIP_STATIC ? RRIP_FAR - 1 : rrip_bimodal(r, s, config_of(r)->near_percent);
}

static void drrip_hit(struct replacement *r, u32 set, u32 way, const struct request *access)
{
    (void)access;
    rrip_rrpvs(r, set)[way] = 0;
}

static u32 drrip_victim(struct replacement *r, u32 set, u64 candidates,
                        const struct request *access)
{
    (void)access;
    return rrip_oldest(r, set, candidates);
}

static void drrip_fill(struct replacement *r, u32 set, u32 way, const struct request *access)
{
    rrip_age(r, set, way);
    rrip_rrpvs(r, set)[way] = first_guess(r, set, access);
}

REPLACEMENT(drrip) = {
    .version = POLICY_VERSION,
    .name = "drrip",
    .source = "Jaleel et al., ISCA 2010",
    .params = drrip_params,
    .config_bytes = sizeof(struct drrip_config),
    .state_bytes = sizeof(struct rrip),
    .table_bytes = drrip_bytes,
    .init = rrip_init,
    .hit = drrip_hit,
    .fill = drrip_fill,
    .victim = drrip_victim,
};
