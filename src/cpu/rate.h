/*
 * A back end by rate: a number of instructions per cycle replaces window, units and data caches.
 *
 * A core with it is fed by the same front end. In each cycle it gains as much credit as the rate
 * says and takes as many whole instructions out of the queue. Where the queue has fewer the cycle
 * is a stall, what is missing is lost, and the cycle is charged to what the front end waits for;
 * all other cycles are charged to the back end. So cycles of all classes add up to all cycles (a
 * law of every run), and a program whose front end never waits takes instructions / rate cycles.
 *
 * A wait for a line is charged when the line has come and says where its time went
 * (cpu/shared_icache.h): on the way to a shared cache, waiting for a bus, below the cache.
 */
#ifndef CPU_RATE_H
#define CPU_RATE_H

#include "base/types.h"
#include "config/param.h"
#include "stats/def.h"

struct core;

enum core_backend { BACKEND_OUT_OF_ORDER, BACKEND_RATE };
enum rate_source { RATES_OF_TRACE, RATES_OF_CHIP };

struct rate_config {
    u32 source; /* enum rate_source */
    u32 wide_cores;
    double wide_serial, wide_parallel, lean;
    u32 resolve_cycles;
};

extern const struct param rate_params[];

enum rate_class {
    RATE_BACKEND,
    RATE_BRANCH,
    RATE_BUS,
    RATE_CONTENTION,
    RATE_ICACHE,
    RATE_MEMORY,
    RATE_FETCH,
    RATE_CLASSES,
};

struct rate_counts {
    u64 classes[RATE_CLASSES];
    u64 charged_cycles, all_cycles;
};

extern const char *const rate_class_names[RATE_CLASSES + 1]; /* ends with NULL */
extern const char *const rate_class_meanings[RATE_CLASSES];
extern const struct stat_def rate_stats[];

/* Where the time of a line went that a buffer waited for. */
struct line_trip {
    cycle_t asked, looked_up, ready; /* by the core; in the shared cache: looked up; there */
    u8 level;                        /* enum memory_level: where it was */
    bool is_shared;                  /* else all of it went by below the private cache */
    bool is_merged;                  /* with the miss of another core */
};

/* Cycles in which it waited for others, of one that came to the core at `came`, and whose way there
 * and back takes so many cycles. */
static inline u64 line_trip_contention(const struct line_trip *t, cycle_t came, u64 bus_cycles)
{
    return t->looked_up - t->asked + came - t->ready - bus_cycles;
}

#define RATE_ONE ((u64)1 << 20) /* an instruction per cycle */
#define NO_BUFFER UINT32_MAX

struct rate {
    u64 rate, rates[2];      /* now; by enum openmp_section */
    u64 credit;              /* below one instruction between two cycles */
    cycle_t from;            /* cycles after this one are not in all_cycles yet */
    u32 waits_for;           /* the line buffer that cycles since core.last are to be charged to */
    bool is_short;           /* the first of those took instructions, but too few */
    u8 idle;                 /* else: enum rate_class of cycles in which the core slept */
    u8 recent;               /* of those behind a wait, until an instruction is taken */
    struct line_trip *trips; /* by line buffer */
    struct rate_counts counts;
};

/* Instructions per cycle, outside and inside of parallel regions. */
void rate_set(struct core *c, double serial, double parallel);
/* A program begins or goes on: from the next cycle on. */
void rate_enter(struct core *c);
/* It waits, or has ended, after this cycle. */
void rate_leave(struct core *c, cycle_t now);
cycle_t rate_tick(void *core, cycle_t now);
void rate_settle(struct core *c, cycle_t now);

#endif
