/*
 * An order to flush the shared cache of a socket: software coherence at the ends of kernels and at
 * fences (hpc-cores-and-numa-gpu spec 2.9).
 *
 * The sender (memsys/coherence.h) counts orders; a bank that sees a new one in a later
 * instant writes back what is dirty and forgets its lines. Lines of other sockets' memory are on
 * their way over the links until the bank there has taken them in.
 */
#ifndef L2_FLUSH_H
#define L2_FLUSH_H

#include "base/types.h"
#include "sim/engine.h"

struct flush_order {
    u64 number; /* of the last one given */
    u64 given_fs;
    bool remote_only; /* lines of this socket's own memory stay */
    unit_id giver;
    u64 under_way; /* dirty lines on their way to other sockets */
    u64 arrived_fs;
};

/* The number that a bank has to have carried out. */
static inline u64 flush_number(const struct flush_order *o, u64 now_fs)
{
    return now_fs > o->given_fs ? o->number : o->number - (o->number > 0);
}

/* A dirty line leaves for another socket; banks on several threads may say so at once. */
static inline void flush_left(struct flush_order *o)
{
    __atomic_fetch_add(&o->under_way, 1, __ATOMIC_RELAXED);
}

/* One has been taken in over there; how many are left. */
static inline u64 flush_arrived(struct flush_order *o, u64 now_fs)
{
    __atomic_store_n(&o->arrived_fs, now_fs, __ATOMIC_RELAXED);
    return __atomic_sub_fetch(&o->under_way, 1, __ATOMIC_RELAXED);
}

#endif
