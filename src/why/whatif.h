/*
 * The same chip with something made ideal, larger or wider: what `heddle why` runs.
 *
 * Every change is relative to the chip it is asked for: "four times" means four times
 * that chip's own value, as far as the parameter's range goes. The groups and what
 * belongs to them are those of Dublish 2018, table 3.3 (bandwidth-and-ccn spec S2, S8,
 * S10); sizes, units and warps are ours.
 */
#ifndef WHY_WHATIF_H
#define WHY_WHATIF_H

#include "config/config.h"

enum whatif_kind {
    WHATIF_BASE,
    WHATIF_LADDER, /* an ideal memory: an upper bound, not something to build */
    WHATIF_CHANGE, /* something to build */
};

struct whatif_change;

struct whatif {
    const char *id;
    enum whatif_kind kind;
    const char *label; /* of a row of a table */
    const char *words; /* in a sentence: "with ..." */
    const struct whatif_change *changes;
};

#define MOST_WHATIFS 20u
#define MOST_WHATIF_CHANGES 32u

/* The ladder first, from the base up. */
extern const struct whatif whatifs[], cpu_whatifs[]; /* end with a NULL id */
/* Those of a chip of model gpu or cpu; NULL: its model has none. */
const struct whatif *whatifs_of(const struct config *chip);

/* Two what-ifs at once, and which. */
struct whatif_joint {
    const char *id, *parts[2];
};
extern const struct whatif_joint whatif_joints[]; /* ends with a NULL id */

struct whatif_setting {
    const char *path, *value; /* as in --set */
    const char *before;
};

struct whatif_settings {
    struct whatif_setting settings[MOST_WHATIF_CHANGES];
    u32 count;
    bool is_limited; /* a parameter's range or the chip's shape did not allow all of it */
};

/* What to set on this chip; texts live in the arena. Only what really changes is in
 * it: none where the chip leaves nothing to change. `request`: how the chip was read, to see that
 * the settings make a chip. */
void whatif_settings(const struct whatif *w, const struct config *chip,
                     const struct config_request *request, struct arena *arena,
                     struct whatif_settings *out);

#endif
