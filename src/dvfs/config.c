#include "dvfs/config.h"

#include "base/units.h"

#include <stdio.h>
#include <string.h>

static const char *const scopes[] = {"domain", "chip", NULL};
static const char *const energy_models[] = {"share_linear", "f_v2", NULL};
const char *const dvfs_kind_words[DVFS_KINDS] = {"cpu", "gpu", "memory"};

/* clang-format off */
static const struct param kind_params[] = {
    P_STRING(dvfs_kind_config, levels, "", "frequencies a policy may choose, in ascending order, such as '1.5GHz 3GHz'; the clock of the chip file must be among them", "Lee 2013, table 16"),
    P_U32(dvfs_kind_config, share, 0, 0, DVFS_SHARES, "thousandths", "share of the power budget of all these domains at base frequency", "Lee 2013, 6.4.1 and 6.5.3"),
    P_END,
};

const struct param dvfs_params[] = {
    P_BOOL(dvfs_config, domains, false, "each CPU core, each GPU and the memory side (shared cache, network, controllers) has a frequency of its own", "Lee 2013, 6.3"),
    P_STRING(dvfs_config, policy, "fixed", "policy that chooses the frequencies", "Lee 2013, 6.3"),
    P_U64(dvfs_config, period_ns, 100000, 1, 1000000000000ull, "ns", "time between two decisions", "Lee 2013, table 16: 100 us"),
    P_U64(dvfs_config, pll_ns, 10000, 0, 1000000000000ull, "ns", "time that a domain stops at a change of frequency, while its PLL locks", "Lee 2013, table 16: 10 us"),
    P_CHOICE(dvfs_config, pll_scope, DVFS_LOCKS_DOMAIN, scopes, "what stops meanwhile: the domain, or the chip", "Lee 2013, 6.3 says both; chip as MacSim"),
    P_BOOL(dvfs_config, messages, true, "decisions go to a central node of the mesh and from there to banks and controllers, as packets of one flit; without a mesh, or if not, they are known at once", "Lee 2013, 6.3"),
    P_BOOL(dvfs_config, dram_follows, false, "the clock of DRAM changes with the memory's frequency", "assumed: its power is outside the budget"),
    P_U32(dvfs_config, period_growth, 1, 1, 1000, "", "factor by which the period grows when a decision changes nothing", "Lee 2013, 6.5.5 suggests it"),
    P_U64(dvfs_config, longest_ns, 1600000, 1, 1000000000000ull, "ns", "longest period", "Lee 2013, figure 49"),
    P_CHOICE(dvfs_config, energy_model, DVFS_SHARE_LINEAR, energy_models, "power of a domain: its share times f, or times f V^2, each relative to the base frequency", "spec dyfr-and-green A1.4"),
    P_DOUBLE(dvfs_config, volt_slope, 1, 0, 1, "", "slope of V = 1 + slope * (f - 1) with f_v2; V and f relative to their base", "assumed: V in proportion to f"),
    P_GROUP(dvfs_config, cpu, kind_params, NULL, "each CPU core"),
    P_GROUP(dvfs_config, gpu, kind_params, NULL, "all cores of a GPU"),
    P_GROUP(dvfs_config, memory, kind_params, NULL, "shared cache, network and memory controllers"),
    P_END,
};
/* clang-format on */

static const char *hz_text(u64 hz, char out[32])
{
    quantity_text(hz, "Hz", out, 32);
    return out;
}

/* ---- levels ---- */

static bool add_level(struct dvfs_levels *l, const char *word, const char *what, struct src_pos at,
                      struct err *err)
{
    u64 hz = 0;
    if (quantity_u64(word, "Hz", &hz) != QUANTITY_OK || !hz || hz % 1000)
        return err_at(err, at, "%s has '%s', expected frequencies in whole kHz, such as 1.5GHz",
                      what, word);
    if (l->count && hz <= l->hz[l->count - 1])
        return err_at(err, at, "%s has %s after a level that is not lower, expected rising levels",
                      what, word);
    if (l->count == DVFS_MOST_LEVELS)
        return err_at(err, at, "%s has more than %u levels", what, DVFS_MOST_LEVELS);
    l->hz[l->count++] = hz;
    return true;
}

bool dvfs_read_levels(const char *text, const char *what, struct src_pos at,
                      struct dvfs_levels *out, struct err *err)
{
    *out = (struct dvfs_levels){.count = 0};
    for (const char *s = text + strspn(text, " ,"); *s; s += strspn(s, " ,")) {
        char word[32];
        size_t n = strcspn(s, " ,");
        snprintf(word, sizeof word, "%.*s", (int)n, s);
        if (!add_level(out, word, what, at, err))
            return false;
        s += n;
    }
    return out->count || err_at(err, at, "%s is empty, expected at least one frequency", what);
}

/* ---- together ---- */

static bool check_kind(const struct dvfs_config *c, u32 kind, const struct dvfs_kind_parts *parts,
                       const struct config *config, struct err *err)
{
    const struct dvfs_kind_config *k = dvfs_kind_config(c, kind);
    struct src_pos at = config_pos(config, &k->levels);
    struct dvfs_levels levels;
    char what[32], found[32], nearest[32];
    snprintf(what, sizeof what, "dvfs.%s.levels", dvfs_kind_words[kind]);
    if (!parts->count)
        return !k->share || err_at(err, config_pos(config, &k->share),
                                   "dvfs.%s.share is %u, expected 0: the chip has no such domain",
                                   dvfs_kind_words[kind], k->share);
    if (parts->other_hz)
        return err_at(err, config_pos(config, parts->clock),
                      "domains of kind %s have %s and %s, expected one base frequency",
                      dvfs_kind_words[kind], hz_text(parts->hz, found),
                      hz_text(parts->other_hz, nearest));
    if (!dvfs_read_levels(k->levels, what, at, &levels, err))
        return false;
    if (dvfs_has_level(&levels, parts->hz))
        return true;
    return err_at(
        err, at,
        "%s has no %s, which is the chip's own clock; expected it among the levels (nearest: %s)",
        what, hz_text(parts->hz, found),
        hz_text(levels.hz[dvfs_level(&levels, parts->hz)], nearest));
}

bool dvfs_check(const struct dvfs_config *c, const struct dvfs_kind_parts parts[DVFS_KINDS],
                const struct config *config, struct err *err)
{
    if (!c->domains)
        return strcmp(c->policy, "fixed") == 0 ||
               err_at(
                   err, config_pos(config, &c->policy),
                   "dvfs.policy is %s on a chip without frequency domains, expected dvfs.domains "
                   "true with levels and shares (chip apu46-dvfs has them)",
                   c->policy);
    u32 shares = 0;
    for (u32 k = 0; k < DVFS_KINDS; k++) {
        if (!check_kind(c, k, &parts[k], config, err))
            return false;
        shares += dvfs_kind_config(c, k)->share;
    }
    if (shares != DVFS_SHARES)
        return err_at(err, config_pos(config, &c->memory.share),
                      "dvfs shares of cpu %u, gpu %u and memory %u add up to %u, expected %u",
                      c->cpu.share, c->gpu.share, c->memory.share, shares, DVFS_SHARES);
    if (!c->memory.share)
        return err_at(err, config_pos(config, &c->memory.share),
                      "dvfs.memory.share is 0, expected at least 1: the memory side takes what the "
                      "others leave");
    if (c->period_ns < c->pll_ns)
        return err_at(err, config_pos(config, &c->period_ns),
                      "dvfs.period_ns is %llu with a lock time of %llu ns, expected at least that",
                      (unsigned long long)c->period_ns, (unsigned long long)c->pll_ns);
    if (c->longest_ns < c->period_ns && c->period_growth > 1)
        return err_at(err, config_pos(config, &c->longest_ns),
                      "dvfs.longest_ns is %llu, expected at least dvfs.period_ns, %llu",
                      (unsigned long long)c->longest_ns, (unsigned long long)c->period_ns);
    return true;
}
