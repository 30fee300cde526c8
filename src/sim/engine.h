/*
 * Moves time: clock domains, units that tick, wake-ups, and the watchdog.
 *
 * A unit belongs to one clock domain. Its tick says when it next needs one:
 * the next cycle, a later cycle, or never until woken. Units that sleep cost
 * nothing, domains in which all sleep cost nothing. A unit may be ticked more
 * often than it asked for and must not mind: with skipping off every unit ticks
 * every cycle, and the results are the same.
 *
 * Edges lie on whole femtoseconds: edge k of a segment of constant frequency is
 * at start + ceil(k * 10^15 / hz). Edges at the same instant are ticked in the
 * order in which domains, then units, were added; since what is sent at one
 * instant is seen strictly later (sim/port.h), that order cannot be observed.
 *
 * The engine owns its tables (in the arena it was given), never the units.
 */
#ifndef SIM_ENGINE_H
#define SIM_ENGINE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "base/types.h"
#include "base/wheel.h"

#define FS_PER_SECOND 1000000000000000ull

typedef u32 unit_id;
typedef u32 domain_id;
#define UNIT_NONE UINT32_MAX

struct engine;
struct thread_pool;
struct port;
struct stage;
struct waits;

/* now: the current cycle of the unit's domain. Returns the next cycle it needs. With a second
 * part (engine_end_with) it may return `now`: that part does the rest and returns the cycle. */
typedef cycle_t unit_tick(void *self, cycle_t now);
/* What a group of units has put off until all of its domain have ticked. */
typedef void unit_commit(void *self);
/* Optional: whether its tick at this instant may come after those of stages behind it. */
typedef bool unit_can_wait(const void *self);
/* Optional: what the unit itself waits for, for the report of a hang. */
typedef void unit_explain(void *self, struct waits *waits);

struct unit {
    const char *name;
    void *self;
    unit_tick *tick;
    unit_tick *end; /* see engine_end_with */
    unit_explain *explain;
    unit_can_wait *can_wait; /* see engine_let_wait */
    domain_id domain;
    unit_id id;
    u32 slot;           /* position among the units of its domain */
    u32 bit;            /* in sets of units of all domains */
    u32 stage, shard;   /* see engine_set_shard; stage 0: none */
    u32 hot_bytes;      /* see engine_fetch_ahead */
    bool is_background; /* it watches: its ticks keep nothing going */
};

struct commit {
    unit_commit *run;
    void *self;
    struct commit *next;
};

/* Units of one domain and when they wake; see engine.c. */
/* What a tick needs of a unit, side by side for all units of a domain. */
struct slot_tick {
    unit_tick *tick;
    void *self;
    u32 hot_bytes; /* see engine_fetch_ahead */
    bool in_parts; /* it has an end: see engine_end_with */
};

struct domain {
    const char *name;
    u64 hz;
    cycle_t now;            /* the cycle ticked last; CYCLE_NEVER - before the first */
    cycle_t base_cycle;     /* first edge of the current frequency ... */
    u64 base_fs;            /* ... and its instant */
    u64 next_fs;            /* instant of edge now + 1 */
    u64 step_fs, step_rest; /* 10^15 / hz, quotient and remainder */
    u64 part_fs, part_rest; /* next_fs - base_fs before rounding up */
    u64 wake_fs;            /* instant of the next edge with work; UINT64_MAX: asleep */
    cycle_t wake_cycle;
    u64 *due;     /* bit per slot: ticks at now + 1 */
    u64 *after;   /* bit per slot: ticks at wake_cycle + 1, asked for at wake_cycle's instant */
    u64 *ticking; /* bit per slot: ticks at now */
    u64 *open;    /* bit per slot: ticked, the second part is due */
    u32 words;
    bool has_open;
    struct commit *commits;
    struct stage **stages; /* by their first slot */
    u32 stage_count;
    u32 first_word; /* of its units in sets of units of all domains */
    bool is_apart;  /* see engine_tick_apart */
    bool is_small;  /* its sets of units are one word, and no unit has a second part */
    bool is_ticking;
    struct unit **units;     /* by slot */
    struct slot_tick *ticks; /* the same, what every tick needs of them */
    u32 unit_count;
    /* later wake-ups, one per unit at most: of up to 64 units as they are; of more, near ones in a
     * wheel, far ones in a heap */
    cycle_t *wake_at; /* by slot; CYCLE_NEVER: none */
    bool is_few;
    u64 later_bits;     /* bit per slot that has one, and the earliest of them */
    cycle_t later_next; /* CYCLE_NEVER: none */
    struct wheel wheel;
    u32 *first, *later, *earlier; /* slots by spoke, and beside each other on one */
    u32 *heap, *heap_at;
    u32 heap_count;
};

enum engine_end {
    ENGINE_STOPPED,     /* a unit called engine_stop */
    ENGINE_LIMIT,       /* the cycle limit was reached */
    ENGINE_HUNG,        /* no progress: the watchdog's text says why */
    ENGINE_INTERRUPTED, /* poll said so */
};

struct engine_options {
    bool no_skip;            /* tick everything every cycle */
    cycle_t watchdog_cycles; /* of the first domain, without progress; 0: never */
    cycle_t max_cycles;      /* of the first domain; 0: no limit */
    u32 threads;             /* that tick units at the same time; 0 or 1: the caller's alone */
    u64 stress; /* not 0: shards change threads at random, and threads give way; for tests */
    /* called every few thousand steps; false ends the run */
    bool (*poll)(void *context, const struct engine *engine);
    void *poll_context;
};

struct engine {
    struct arena *arena;
    struct engine_options options;
    u64 now_fs;
    u64 progress; /* anything that shows the machine moves */
    struct domain *domains;
    u32 domain_count;
    struct unit **units;
    u32 unit_count, unit_room;
    struct port **ports;
    u32 port_count, port_room;
    bool started, stopping, finishing;
    bool sampling; /* statistics are read amid the run: what will be known later may wait */
    u64 ticks;     /* unit ticks done: the engine's own work */
    u64 progress_seen, progress_fs;
    struct arena threads_arena;      /* the pool's: no part of the machine's state */
    struct thread_pool *thread_pool; /* NULL: one thread */
    bool parallel;                   /* units are ticked by several threads just now */
    u32 kept_serial;                 /* see engine_keep_serial */
    u32 wake_words;                  /* of a set of units of all domains */
    struct stage **stages;
    u32 stage_count;
};

void engine_init(struct engine *e, struct arena *arena, const struct engine_options *options);

/* Before the first run only. Names are borrowed. */
domain_id engine_add_domain(struct engine *e, const char *name, u64 hz);
unit_id engine_add_unit(struct engine *e, domain_id domain, const char *name, unit_tick *tick,
                        void *self);
/* It only watches: a machine in which no other unit is awake has stopped. */
void engine_set_background(struct engine *e, unit_id unit);
void engine_explain_with(struct engine *e, unit_id unit, unit_explain *explain);
/* The second part of a unit's tick: after all units up to the next that has none have had the
 * first, and after the domain's commits. */
void engine_end_with(struct engine *e, unit_id unit, unit_tick *end);
/* The first so many bytes of the unit are touched by every tick of it: they come to the host's
 * cache while another unit ticks. */
void engine_fetch_ahead(struct engine *e, unit_id unit, u32 bytes);
/* Called in every cycle in which units with a second part tick, whether or not one asks for it;
 * and again after second parts. */
void engine_commit_with(struct engine *e, domain_id domain, unit_commit *commit, void *self);
/* Units of one domain and stage (from 1 on; 0: none), added one after the other, may be ticked at
 * the same time by several threads, those of a shard by one, together with stages of other domains:
 * what units of different shards do within an instant they may see of each other through ports
 * alone. */
void engine_set_shard(struct engine *e, unit_id unit, u32 stage, u32 shard);
/* Not together with stages of other domains, whose units look at its. */
void engine_tick_apart(struct engine *e, domain_id domain);
/* A unit of no stage keeps those before and behind it from being ticked at the same time: what it
 * pushes is seen only after the instant, but it may look at them, as when it takes the statistics.
 * Where it says that it will not it is ticked after them. */
void engine_let_wait(struct engine *e, unit_id unit, unit_can_wait *can_wait);
/* While more wishes for it came than went, one thread ticks everything. */
void engine_keep_serial(struct engine *e, bool wish);
/* All units start due at cycle 0. Starts the threads. */
void engine_start(struct engine *e);
/* Ends them. Does no harm to an engine that is zeroed or has been ended. */
void engine_fini(struct engine *e);
/* Shards of the stage that has most: more threads than these have nothing to do. */
u32 engine_shards(const struct engine *e);
/* How many tick units. */
u32 engine_threads(const struct engine *e);

/* Goes on where it stopped, if it did. */
enum engine_end engine_run(struct engine *e);
void engine_stop(struct engine *e); /* after all edges of the current instant */
/* Nothing more is expected: when all units sleep the run has stopped and does not hang. */
void engine_finish(struct engine *e);

/* At the given cycle of the unit's domain, or its next edge if that is past. */
void engine_wake_at(struct engine *e, unit_id unit, cycle_t at);
/* From the unit's own tick: a later cycle that an earlier tick asked for is void. */
void engine_cancel(struct engine *e, unit_id unit);
/* At the unit's first edge strictly after this instant. */
void engine_wake(struct engine *e, unit_id unit);

/* From the edge that is already on its way, that is the first one strictly
 * after this instant. */
void engine_set_hz(struct engine *e, domain_id domain, u64 hz);
/* No edge of the domain that is yet to come lies before the instant; those after it are as far
 * from each other as before. */
void engine_hold(struct engine *e, domain_id domain, u64 until_fs);
/* The last cycle whose edge is not after this instant. */
cycle_t engine_cycle(const struct engine *e, domain_id domain);
/* The first cycle whose edge is strictly after this instant. */
cycle_t engine_next_cycle(const struct engine *e, domain_id domain);

/* From several threads: kept until all have ticked. */
void engine_keep_bell(struct port *p);
void engine_note_progress(struct engine *e);
static inline void engine_progress(struct engine *e)
{
    if (LIKELY(!e->parallel))
        e->progress++;
    else
        engine_note_progress(e);
}

/* sim/watchdog.c: which units wait for which, as text. */
void watchdog_report(const struct engine *e, struct text *out);
/* Only the waiting units and what they wait for. */
void watchdog_waits(const struct engine *e, struct text *out);
/* From an explain hook: this unit cannot go on until that one does something. */
void waits_add(struct waits *waits, unit_id on, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
