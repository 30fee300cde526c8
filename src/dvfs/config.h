/* The voltage and frequency domains in a chip file. */
#ifndef DVFS_CONFIG_H
#define DVFS_CONFIG_H

#include "config/config.h"
#include "dvfs/dvfs_policy.h"

enum dvfs_scope { DVFS_LOCKS_DOMAIN, DVFS_LOCKS_CHIP };
enum dvfs_model { DVFS_SHARE_LINEAR, DVFS_F_V2 };

struct dvfs_kind_config {
    const char *levels;
    u32 share;
};

struct dvfs_config {
    bool domains;
    const char *policy;
    u64 period_ns, pll_ns;
    u32 pll_scope; /* enum dvfs_scope */
    bool messages, dram_follows;
    u32 period_growth;
    u64 longest_ns;
    u32 energy_model; /* enum dvfs_model */
    double volt_slope;
    struct dvfs_kind_config cpu, gpu, memory;
};

extern const struct param dvfs_params[];
extern const char *const dvfs_kind_words[DVFS_KINDS]; /* as in a chip file */

static inline const struct dvfs_kind_config *dvfs_kind_config(const struct dvfs_config *c, u32 kind)
{
    return kind == DVFS_CPU ? &c->cpu : kind == DVFS_GPU ? &c->gpu : &c->memory;
}

/* Frequencies as text; false: they are none, with the sentence. */
bool dvfs_read_levels(const char *text, const char *what, struct src_pos at,
                      struct dvfs_levels *out, struct err *err);

/* Of a kind of domains, what the chip has: 0 of them, or their clock. */
struct dvfs_kind_parts {
    u32 count;
    u64 hz;            /* of the first */
    u64 other_hz;      /* of one that differs from the first; 0: none does */
    const void *clock; /* the parameter that says it, for a position */
};

/* All of it together, for a chip with these parts. */
bool dvfs_check(const struct dvfs_config *c, const struct dvfs_kind_parts parts[DVFS_KINDS],
                const struct config *config, struct err *err);

#endif
