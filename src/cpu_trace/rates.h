/*
 * Instructions per cycle of a trace, measured on a wide and on a lean core, outside and inside of
 * parallel regions: what cores with a back end by rate go by (cpu/rate.h).
 *
 * They are kept beside the trace, in FILE.rates, with its size: rates of another file of that name
 * are refused.
 */
#ifndef CPU_TRACE_RATES_H
#define CPU_TRACE_RATES_H

#include "base/arena.h"
#include "base/err.h"

struct cpu_core_rates {
    const char *chip; /* that they were measured on */
    double serial, parallel;
};

struct cpu_rates {
    struct cpu_core_rates wide, lean;
};

/* The trace file behind the name of a program: of a window, of the suite. NULL: see err. */
const char *cpu_rates_trace(const char *name, struct arena *arena, struct err *err);
bool cpu_rates_write(const char *trace, const struct cpu_rates *r, struct err *err);
/* Of a program's name; chips are in the arena. */
bool cpu_rates_read(const char *name, struct cpu_rates *r, struct arena *arena, struct err *err);

#endif
