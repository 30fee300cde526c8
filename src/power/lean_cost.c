#include "power/lean_cost.h"

#include <math.h>

/* Table 4.3 at 40 nm: a core with an I-cache of 32 KB, and caches of 32 and 16 KB. */
#define CORE_MM2 2.49
#define CORE_WATTS 0.85
#define BIG_BYTES 32768.0
#define BIG_MM2 0.31
#define BIG_WATTS 0.075
#define SMALL_MM2 0.14
#define SMALL_WATTS 0.049
/* Table 5.1, 45 nm. */
#define PITCH_MM 205e-6
/* What the core of table 4.3 has: others add to it, or take away. */
#define BUFFERS_OF_CORE 4.0
/* A flip-flop with its part of the multiplexers at 45 nm; assumed. 64 bytes of them. */
#define BUFFER_MM2 (512 * 4e-6)
/* Of buses (spec 2.6), and of buffers, as of the core itself. */
#define WATTS_PER_MM2 0.34
/* Lines that the cache of table 4.3 is taken to look up in a cycle: 0.9 instructions of 4 bytes,
 * each line of 64 bytes once; assumed. */
#define LOOKUPS_PER_CYCLE (0.9 * 4 / 64)
#define STATIC 0.5 /* of all figures; spec 2.6 */

/* On the power law through both points. */
static double of_size(double small, double big, u64 bytes)
{
    return big * pow((double)bytes / BIG_BYTES, log2(big / small));
}

double lean_bus_mm2(u32 cores, u32 buses, u32 bus_bytes)
{
    double side = 8.0 * bus_bytes * buses * PITCH_MM;
    return cores * side * side;
}

struct lean_area lean_cost_area(const struct lean_shape *s)
{
    struct lean_area a = {
        .cores = s->cores * (CORE_MM2 - BIG_MM2),
        .caches = s->caches * of_size(SMALL_MM2, BIG_MM2, s->cache_bytes),
        .buses = s->sharers > 1 ? s->caches * lean_bus_mm2(s->sharers, s->buses, s->bus_bytes) : 0,
        .buffers = s->cores * (s->line_buffers - BUFFERS_OF_CORE) * BUFFER_MM2,
    };
    a.all = a.cores + a.caches + a.buses + a.buffers;
    return a;
}

/* Static power all the time, dynamic power in so many seconds of full activity. */
static double energy_of(double watts, double seconds, double active)
{
    return watts * (STATIC * seconds + (1 - STATIC) * active);
}

struct lean_energy lean_cost_energy(const struct lean_shape *s, const struct lean_work *w)
{
    struct lean_area a = lean_cost_area(s);
    double busy = w->busy_cycles / w->hz / s->cores; /* of a core, on the mean */
    double looking = w->lookups / LOOKUPS_PER_CYCLE / w->hz / s->caches;
    double moving = s->sharers > 1 ? w->bus_cycles / w->hz / (s->caches * s->buses) : 0;
    double cache_watts = of_size(SMALL_WATTS, BIG_WATTS, s->cache_bytes);
    struct lean_energy e = {
        .cores = energy_of(s->cores * (CORE_WATTS - BIG_WATTS), w->seconds, busy),
        .caches = energy_of(s->caches * cache_watts, w->seconds, looking),
        .buses = energy_of(a.buses * WATTS_PER_MM2, w->seconds, moving),
        .buffers = energy_of(a.buffers * WATTS_PER_MM2, w->seconds, busy),
    };
    e.all = e.cores + e.caches + e.buses + e.buffers;
    return e;
}

struct lean_energy lean_cost_power(const struct lean_shape *s)
{
    struct lean_work w = {.seconds = 1, .hz = 1, .busy_cycles = s->cores};
    w.lookups = s->cores * LOOKUPS_PER_CYCLE;
    w.bus_cycles = (double)s->caches * s->buses;
    return lean_cost_energy(s, &w);
}
