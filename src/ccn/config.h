/*
 * What a chip file says about the ring between the L1 caches (bandwidth-and-ccn spec section 3).
 */
#ifndef CCN_CONFIG_H
#define CCN_CONFIG_H

#include "config/param.h"

enum ccn_mode {
    CCN_NONE,
    CCN_RING,    /* the Cooperative Caching Network */
    CCN_IDEAL,   /* an oracle finds every copy, and it costs nothing but a latency (S13) */
    CCN_TRACKER, /* L2 knows who has copies, and asks them instead of DRAM (S18b) */
};
extern const char *const ccn_mode_names[]; /* ends with NULL */

enum ccn_direction { CCN_OPPOSITE, CCN_SAME };
enum throttle_scope { THROTTLE_CORE, THROTTLE_CHIP };

struct throttle_config {
    bool enabled;
    u64 sample_instructions, period_instructions;
    double least_hit_rate;
    u32 scope;
};

/* Width of a request link of the ring (Dublish 2018, table 4.3): a request takes one hop at once.
 */
#define CCN_REQUEST_BYTES 4u

struct ccn_config {
    u32 mode;
    u32 buffer_entries, request_entries, response_entries;
    u32 link_cycles, response_bytes;
    u32 response_direction;
    bool cut_through, owner_lru, shadow_tags;
    struct throttle_config throttle;
    u32 ideal_cycles, cluster_sms;
    u32 tracker_cycles;
};

extern const struct param ccn_params[];
param_check ccn_check;

#endif
