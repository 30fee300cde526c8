/*
 * What reduced contexts cost in silicon: the array tables and compressed register caches of the SMs
 * and the dispatcher's queue of victims (PhD thesis of the context-management spec, 4.5: 28 nm;
 * spec T28 and 1.1).
 */
#ifndef POWER_CONTEXT_COST_H
#define POWER_CONTEXT_COST_H

#include "gpu/config.h"

#define VICTIM_BYTES 4u /* stream, block, place of its context */

struct context_cost {
    double table_um2, table_mw; /* of one SM's array table */
    double tables_mm2, tables_w;
    u64 cache_bytes, queue_bytes; /* all register caches; the queue */
};

/* Zero where contexts are not reduced. Between published sizes of a table on a straight line,
 * beyond them in proportion. */
struct context_cost context_cost(const struct gpu_config *c);

#endif
