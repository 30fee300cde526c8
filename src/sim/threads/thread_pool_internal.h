/* Between the files of a thread pool: thread_pool.c, thread_pool_work.c. */
#ifndef SIM_THREADS_THREAD_POOL_INTERNAL_H
#define SIM_THREADS_THREAD_POOL_INTERNAL_H

#include "sim/threads/thread_pool.h"

#include <pthread.h>
#include <sys/types.h>

/* What is to be done, and which threads wait. Threads that come too late for a round read of the
 * next. */
struct order {
    /* what the other threads look for: number of the round, and how many take part */
    _Alignas(64) u64 offer;
    const struct shard_lists *deal;
    u64 stages; /* bit per stage: it has a part in the round */
    u32 part;   /* enum stage_part */
    bool sampled, quit;
    _Alignas(64) cycle_t now[MOST_STAGES];
};

struct thread_pool {
    struct order order;
    u64 *sets; /* of units of all domains: those that tick */
    struct seat {
        _Alignas(64) u64 claim; /* sim/threads/work_stealing.h */
        _Alignas(64) u32 asleep;
    } * seats; /* by thread */
    /* the first thread's own */
    _Alignas(64) struct engine *engine;
    struct lane *lanes; /* two for each thread; the first is the caller's */
    u64 number;
    u32 count;
    pthread_t *threads;
    pid_t owner; /* a child of its process has none of the threads */
    struct shard_schedule *groups;
    u32 group_count;
    u64 *wakes;   /* of all lanes */
    u64 floor;    /* less than this is not worth it */
    u32 most;     /* deals of a group */
    u32 limit;    /* deals that may be chosen: more need cores that are not free; 0: none */
    u64 lost;     /* clocks spent waiting for threads that did not run, and ... */
    u64 since;    /* ... since when */
    u32 pauses;   /* doublings of PAUSE_CLOCKS */
    u64 resume;   /* when one more deal may be chosen */
    u32 *waiting; /* lanes that are not merged yet */
    struct thread_pool_counts now; /* of this round */
    u64 made, made_ns;             /* when the thread pool was made */
};

#define READ(field) __atomic_load_n(&(field), __ATOMIC_RELAXED)
#define WRITE(field, value) __atomic_store_n(&(field), value, __ATOMIC_RELAXED)

static inline struct lane *lane_of(const struct thread_pool *c, u32 thread, u64 number)
{
    return &c->lanes[2 * thread + (number & 1)];
}

/* thread_pool_work.c: it has been merged. */
void lane_clear(struct lane *l, const struct engine *e);
/* What a thread does in a round: its own list, then what is left of others. */
void thread_pool_work(struct lane *l, u64 number, u32 threads);

#endif
