/*
 * The OpenMP runtime in a guest: which of its functions a thread is in, what synchronisation that
 * means, and which instructions are only its waiting.
 *
 * A trace carries synchronisation as events (enum cpu_event): a simulator has its own timing, so
 * how long a thread spun or slept when it was recorded says nothing. Instructions of the runtime
 * (GCC's libgomp) are left out from the entry of a function that waits to its return, and in the
 * loop in which a team's threads wait for work; those of the regions that it calls are kept.
 */
#ifndef CPU_TRACE_RECORD_OMP_H
#define CPU_TRACE_RECORD_OMP_H

#include "cpu_trace/record/symbols.h"

/* What entering a function of the runtime means. */
enum omp_entry {
    OMP_OTHER, /* nothing: its instructions are kept */
    OMP_PARALLEL,
    OMP_START, /* of the older interface: one call before a region, one behind it */
    OMP_END,
    OMP_BARRIER,
    OMP_WAIT,
    OMP_SIGNAL,
    OMP_TASKS,  /* waits for tasks, without an event */
    OMP_WORKER, /* where the threads of a team begin */
};

/* Where the runtime lies in the guest's memory. */
struct omp_code {
    struct function *functions; /* named ones */
    u32 function_count;
    u64 begin, end;   /* of a library that is the runtime as a whole; 0, 0: none */
    bool is_anywhere; /* else nothing here is needed */
};

/* Looks at another part of the guest's memory; `is_program`: of the program itself, with which a
 * runtime may have been linked. */
void omp_add_map(struct omp_code *c, const struct guest_map *map, bool is_program,
                 struct arena *arena);
/* Is a pc in the runtime? If so, what does entering it there mean? */
bool omp_find(const struct omp_code *c, u64 pc, enum omp_entry *entry);

#define OMP_DEPTH 64u

/* Frames end when as many calls have returned as were made since: a region may end with a jump into
 * the runtime, whose return is then its own. */
struct omp_thread {
    bool is_worker; /* it is not the thread that the program began with */
    struct omp_frame {
        u8 kind; /* enum omp_frame_kind */
        u8 entry;
        i64 calls; /* there were when it began */
    } frames[OMP_DEPTH];
    u32 depth;
    i64 calls;      /* that have not returned */
    bool has_begun; /* an instruction was seen */
    bool is_inside; /* of the runtime */
    u8 last_branch; /* enum cpu_branch of the last instruction */
    u8 awaits;      /* enum omp_entry: the event is said with its lock's address */
};

#define OMP_EVENTS 8u

struct omp_step {
    bool is_cut;
    u32 event_count; /* before the instruction */
    struct {
        u8 event; /* enum cpu_event */
        u64 object;
    } events[OMP_EVENTS];
};

struct cpu_instruction;
/* A thread executes an instruction, in the runtime or not. */
struct omp_step omp_step(struct omp_thread *t, const struct cpu_instruction *i, bool is_inside,
                         enum omp_entry entry, bool is_atomic);

#endif
