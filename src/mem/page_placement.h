/*
 * Which socket of a machine has a line in its memory: the question of page homes.
 *
 * One for all sockets. A policy is asked for every request that leaves an SM, with the socket that
 * asks; what it answers for a page must not change once data is there. Pages are what a table
 * can remember; a policy may as well divide smaller pieces.
 *
 * SMs of all sockets ask at the same time, perhaps on several threads, so that asking changes
 * nothing: what is asked for a page that nobody has is HOME_LATER. Such requests get their home
 * when all SMs have ticked, in order of the sockets and their SMs (hpc-cores-and-numa-gpu spec 2.7:
 * ties by cycle, then socket).
 */
#ifndef MEM_HOME_H
#define MEM_HOME_H

#include "sim/policy.h"
#include "sim/site.h"

struct home_asks {
    u64 local, remote; /* requests for lines that its socket has, that others have */
};

struct home_counts {
    struct home_asks asks; /* of its SMs */
    u64 pages;             /* given to it */
};

struct home {
    const struct home_ops *ops;
    const void *config; /* as ops->params say */
    void *state;        /* ops->state_bytes of zeros */
    u32 sockets, page_bytes;
    u64 *pages; /* a table by hash: the page's number and its socket, or 0 */
    u32 page_mask, page_count;
    bool gives;                 /* pages away, just now */
    struct home_counts *counts; /* by socket */
};

struct home_ops {
    POLICY_HEAD;
    /* Bytes of the pieces that go round the sockets, where the policy divides memory so and the
     * banks are to do without those bits of an address; NULL: it does not. */
    u32 (*chunk_bytes)(const struct home *h);
    /* The socket, or what home_page says; changes nothing of its own. */
    u32 (*find)(struct home *h, u64 address, u32 asker);
};

#define HOME_LATER UINT32_MAX

#define HOME_POLICY(id) POLICY(home, id)

/* most_pages: that can be remembered. */
void home_init(struct home *h, const struct build_site *site, struct policy_choice policy,
               u32 sockets, u32 page_bytes, u64 most_pages);

extern const struct stat_def home_asks_stats[];

/* From a tick, with the socket that asks: who has it; HOME_LATER: nobody yet. */
static inline u32 home_find(struct home *h, u64 address, u32 asker)
{
    return h->ops->find(h, address, asker);
}

/* Between ticks: the page is given to its asker if nobody has it. */
u32 home_give(struct home *h, u64 address, u32 asker);

static inline void home_count(struct home_asks *a, bool is_local)
{
    a->local += is_local;
    a->remote += !is_local;
}

/* For policies: the socket that the page of an address was given to. It is given to `first` if
 * nobody has it and pages are given away just now; else HOME_LATER. */
u32 home_page(struct home *h, u64 address, u32 first);

#endif
