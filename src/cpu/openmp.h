/*
 * The OpenMP runtime that the threads of a program wait in: the five events of a trace, played.
 *
 *   parallel start   thread 0 opens a region and goes on; others wait until it has
 *   barrier          waits for all threads of the region
 *   parallel end     others leave the region; thread 0 waits until all have
 *   wait, signal     takes a lock, first come first served, and gives it up
 *
 * Every region is for all threads of the program: a static schedule is what each thread's trace
 * does in it. Regions inside regions belong to one thread. A thread whose trace has ended takes no
 * part any more; where a trace was cut inside a region the others go on without it.
 *
 * Threads ask (openmp_ask) when all they did before an event is done, and go on when they are told
 * to. What was asked in one cycle is answered in a later one (openmp_decide), by the number of the
 * thread, so that the order in which cores tick cannot be observed. Nothing here knows of cores or
 * of the engine. Several programs may share one runtime: threads are numbered by their cores.
 */
#ifndef CPU_OPENMP_H
#define CPU_OPENMP_H

#include "base/arena.h"
#include "base/err.h"
#include "base/map.h"
#include "cpu_trace/instruction.h"
#include "stats/def.h"

#define OPENMP_THREADS 64u /* of all programs together */
#define OPENMP_LOCKS 1024u /* held at one time */

enum openmp_section { OPENMP_SERIAL, OPENMP_PARALLEL, OPENMP_SECTIONS };

/* Of one thread. */
struct openmp_counts {
    u64 events[CPU_EVENT_COUNT];
    u64 waited_cycles[CPU_EVENT_COUNT]; /* from asking until it could go on */
    /* while it did not wait, by section */
    u64 serial_cycles, parallel_cycles, serial_instructions, parallel_instructions;
    u64 regions, cut;
    u64 early_passes, double_holds; /* what must never be; see the laws */
};

extern const struct stat_def openmp_stats[];

struct openmp_thread {
    u8 state;         /* enum openmp_state */
    u8 event;         /* that it asks about */
    u32 first, count; /* the program's threads */
    u32 depth;        /* of regions it is in */
    u64 regions;      /* entered, those inside others not counted */
    u64 left;         /* of those, left */
    u64 barriers;     /* reached in its last region */
    u64 event_number; /* from 1, of its trace */
    u64 object;       /* of the event */
    u64 asked;        /* the cycle; or that of its end */
    u32 locks_held;
    u64 cycles_before, instructions_before; /* of its core, when its section began */
    struct openmp_counts counts;
};

struct openmp_lock {
    u64 object;
    u32 owner, depth; /* how often it has been taken; 0: free */
    u32 next_free;
};

struct openmp_hooks {
    void (*go_on)(void *context, u32 thread); /* behind its event */
    void (*ring)(void *context);              /* openmp_decide is wanted, in a later cycle */
    void (*fail)(void *context);              /* nobody can go on any more: err says why */
    void *context;
};

struct openmp {
    struct openmp_hooks hooks;
    u32 domain; /* of its clock */
    struct openmp_thread threads[OPENMP_THREADS];
    const char *names[OPENMP_THREADS]; /* of the program whose first thread it is */
    u64 asking, waiting, ending;       /* bit per thread */
    u64 cut;                           /* those whose locks are to be given up */
    struct map by_object;
    struct openmp_lock locks[OPENMP_LOCKS];
    u32 free_lock;
    struct err err;
};

void openmp_init(struct openmp *o, struct arena *arena, const struct openmp_hooks *hooks);
/* A program begins, with so many threads; the first is its thread 0. The name is borrowed. */
void openmp_begin(struct openmp *o, const char *name, u32 first, u32 count);
/* A thread comes to an event of its trace. `cycles` and `instructions` are those of its core. */
void openmp_ask(struct openmp *o, u32 thread, const struct cpu_instruction *event, u64 now);
/* What its core did since the last call belongs to the section that the thread is in. */
void openmp_account(struct openmp *o, u32 thread, u64 cycles, u64 instructions);
/* The trace of a thread has ended. */
void openmp_end(struct openmp *o, u32 thread, u64 now);
/* It will neither ask nor go on any more, and nobody minds: the run is over. */
void openmp_drop(struct openmp *o, u32 thread);
/* Answers all that was asked, as far as it can be. */
void openmp_decide(struct openmp *o, u64 now);

#endif
