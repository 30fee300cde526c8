/*
 * A lock for what threads share rarely and briefly: it spins, then lets others run. Zeroed memory
 * is a free lock.
 */
#ifndef BASE_LOCK_H
#define BASE_LOCK_H

#include "base/types.h"

#include <sched.h>

struct lock {
    u32 taken;
};

static inline void cpu_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static inline void lock_take(struct lock *l)
{
    for (u32 n = 0; __atomic_exchange_n(&l->taken, 1, __ATOMIC_ACQUIRE); n++) {
        if (n < 1000)
            cpu_relax();
        else
            sched_yield();
    }
}

static inline void lock_give(struct lock *l)
{
    __atomic_store_n(&l->taken, 0, __ATOMIC_RELEASE);
}

#endif
