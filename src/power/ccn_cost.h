/*
 * What the Cooperative Caching Network costs in silicon (Dublish 2018, 4.5.4;
 * bandwidth-and-ccn spec S19).
 *
 * Storage follows from the configuration with the widths that the document
 * states; areas are its own numbers for its own chip (GPUWattch, 40 nm). They do
 * not follow from the storage: its queues are of other cells than its S11's.
 */
#ifndef POWER_CCN_COST_H
#define POWER_CCN_COST_H

#include "gpu/config.h"

/* Areas in mm2, of the chip of table 4.1. */
#define CCN_RING_AND_TAGS_MM2 4.38
#define CCN_QUEUES_MM2 4.82
#define CCN_DIE_MM2 700.0
/* More energy of the whole chip, mean of the reuse class (figure 4.12). */
#define CCN_ENERGY_MORE 0.025

struct ccn_storage {
    u64 shadow_bits, buffer_bits, request_bits, response_bits; /* of one SM */
};

/* A row of the cost table. */
struct ccn_cost_row {
    const char *what, *unit;
    double value;
};
#define CCN_COST_ROWS 8u

struct ccn_storage ccn_storage(const struct gpu_config *c);
void ccn_cost(const struct gpu_config *c, struct ccn_cost_row rows[CCN_COST_ROWS]);

#endif
