/*
 * Area and energy of lean cores with their I-caches, line buffers and instruction buses: Milic
 * 2017, sections 5.3 and 5.5 (hpc-cores spec 2.6). The wide core, the L2s and what lies below are
 * left out, as published.
 *
 * A lean core is that of table 4.3, 2.49 mm2 and 0.85 W at 40 nm with an I-cache of 32 KB; caches
 * of other sizes lie on the power law through 16 and 32 KB. A bus of W wires between N cores takes
 * N (W p)^2 of wires with a pitch p of 205 nm; K buses lie beside each other, so they have K W
 * wires. Half of each power figure is static, the other half follows what a part does.
 */
#ifndef POWER_LEAN_COST_H
#define POWER_LEAN_COST_H

#include "base/types.h"

/* What the cost depends on. */
struct lean_shape {
    u32 cores, caches, sharers; /* lean cores; their I-caches; cores of one that is shared, or 1 */
    u64 cache_bytes;
    u32 line_buffers; /* of a core */
    u32 buses, bus_bytes;
};

struct lean_area {
    double cores, caches, buses, buffers; /* mm2; cores without I-caches */
    double all;
};

/* What they did. */
struct lean_work {
    double seconds, hz;
    double busy_cycles; /* of all cores, without waiting */
    double lookups;     /* of all I-caches: lines */
    double bus_cycles;  /* in which buses moved data */
};

struct lean_energy {
    double cores, caches, buses, buffers; /* J */
    double all;
};

struct lean_area lean_cost_area(const struct lean_shape *s);
struct lean_energy lean_cost_energy(const struct lean_shape *s, const struct lean_work *w);
/* W with cores and buses that are always busy. */
struct lean_energy lean_cost_power(const struct lean_shape *s);
/* mm2 of the buses of one cache. */
double lean_bus_mm2(u32 cores, u32 buses, u32 bus_bytes);

#endif
