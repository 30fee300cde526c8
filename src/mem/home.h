/*
 * Which socket of a machine has a line in its memory: the question of page homes.
 *
 * One for all sockets. A policy is asked for every request that leaves an SM, with the socket that
 * asks; what it answers for a page must not change once data is there. Pages are what a table
 * can remember; a policy may as well divide smaller pieces.
 */
#ifndef MEM_HOME_H
#define MEM_HOME_H

#include "sim/policy.h"
#include "sim/site.h"

struct home_counts {
    u64 local, remote; /* requests of its SMs for lines that it has, that others have */
    u64 pages;         /* given to it */
};

struct home {
    const struct home_ops *ops;
    const void *config; /* as ops->params say */
    void *state;        /* ops->state_bytes of zeros */
    u32 sockets, page_bytes;
    u64 *pages; /* a table by hash: the page's number and its socket, or 0 */
    u32 page_mask, page_count;
    struct home_counts *counts; /* by socket */
};

struct home_ops {
    POLICY_HEAD;
    /* Bytes of the pieces that go round the sockets, where the policy divides memory so and the
     * banks are to do without those bits of an address; NULL: it does not. */
    u32 (*chunk_bytes)(const struct home *h);
    u32 (*find)(struct home *h, u64 address, u32 asker);
};

#define HOME_POLICY(id) POLICY(home, id)

/* most_pages: that can be remembered. */
void home_init(struct home *h, const struct build_site *site, struct policy_choice policy,
               u32 sockets, u32 page_bytes, u64 most_pages);

static inline u32 home_find(struct home *h, u64 address, u32 asker)
{
    u32 socket = h->ops->find(h, address, asker);
    if (socket == asker)
        h->counts[asker].local++;
    else
        h->counts[asker].remote++;
    return socket;
}

/* The socket that the page of an address was given to; it is `first` if it was given to none. */
u32 home_page(struct home *h, u64 address, u32 first);

#endif
