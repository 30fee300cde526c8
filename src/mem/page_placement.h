/*
 * Which socket of a machine holds a page in its memory.
 *
 * One instance for all sockets. A policy is asked about every request that leaves an SM.
 *
 * The page table assigns a page when a socket first touches it. Such a page comes from the host's
 * memory: the requests of that socket for it wait for fault_cycles, those of the others do not.
 * Otherwise the socket that is ahead would win the next page as well.
 *
 * Contract: once data of a page exists, find() always gives the same answer for it. SMs of all
 * sockets call find() in the same cycle, perhaps on several threads, so it changes nothing. For a
 * page without a home it answers HOME_LATER; such requests are asked about again at the end of the
 * cycle, one after the other, and home_page() then assigns the page. Among sockets that ask in the
 * same cycle, the order begins with the page number modulo the number of sockets
 * (hpc-cores-and-numa-gpu spec 2.7).
 */
#ifndef MEM_PAGE_PLACEMENT_H
#define MEM_PAGE_PLACEMENT_H

#include "base/map.h"
#include "sim/policy.h"

struct build_site;

struct home_asks {
    u64 local, remote; /* requests for lines of its own socket, of other sockets */
};

struct home_counts {
    struct home_asks asks; /* of its SMs */
    u64 pages;             /* assigned to it */
    u64 unlisted;          /* of those, not listed in the file of homes */
};

struct page_entry {
    u64 number;   /* + 1 above the socket's 8 bits; 0: none */
    cycle_t from; /* cycle of the first touch */
    u64 round;    /* round of assignment */
    u32 toucher;
};

struct home {
    const struct home_ops *ops;
    const void *config; /* as ops->params say */
    void *state;        /* ops->state_bytes of zeros */
    u32 sockets, page_bytes, fault_cycles;
    struct page_entry *pages; /* a table by hash */
    u32 page_mask, page_count;
    bool gives;                 /* pages are being assigned now */
    cycle_t now;                /* cycle, while gives is set */
    u32 asker;                  /* socket that asks, while gives is set */
    u64 round;                  /* see home_given */
    cycle_t busy_until;         /* all faults are over from then on */
    struct home_counts *counts; /* by socket */
};

struct home_ops {
    POLICY_HEAD;
    /* Called before the run; may be NULL. False: it cannot run as configured. */
    bool (*init)(struct home *h, struct arena *arena, struct err *err);
    /* For a policy that interleaves memory over the sockets: bytes of a piece. The banks leave out
     * those address bits. NULL: it does not interleave. */
    u32 (*chunk_bytes)(const struct home *h);
    /* The socket, or what home_page returns. */
    u32 (*find)(struct home *h, u64 address, u32 asker);
};

/* Has it what it cannot do without? */
static inline bool home_is_whole(const struct home_ops *p)
{
    return p->find != NULL;
}

#define HOME_LATER UINT32_MAX

#define HOME_POLICY(id) POLICY(home, id)

/* most_pages: capacity of the page table. */
void home_init(struct home *h, const struct build_site *site, struct policy_choice policy,
               u32 sockets, u32 page_bytes, u64 most_pages, u32 fault_cycles);
bool home_start(struct home *h, struct arena *arena, struct err *err);

extern const struct stat_def home_asks_stats[];

/* Called in a tick: the home of an address for the socket that asks; HOME_LATER: none yet. */
static inline u32 home_find(struct home *h, u64 address, u32 asker)
{
    return h->ops->find(h, address, asker);
}

/* Called between ticks: assigns the page to its asker if it has no owner, or if it was assigned in
 * this round to a socket that comes later in the order. */
u32 home_give(struct home *h, u64 address, u32 asker, cycle_t now);

/* Ends a round: what was assigned in it stays. */
static inline void home_given(struct home *h)
{
    h->round++;
}

/* First cycle in which a socket's requests for a page may proceed; 0: the socket did not touch it
 * first, or the page is in no table. */
cycle_t home_ready(const struct home *h, u64 address, u32 asker);

static inline void home_count(struct home_asks *a, bool is_local)
{
    a->local += is_local;
    a->remote += !is_local;
}

/* Writes all assigned pages to a file (docs/mechanisms/numa.md). home_read: the socket of each
 * page, by its number. False: the file cannot be read, is damaged or belongs to another machine. */
bool home_write(const struct home *h, const char *path, struct err *err);
bool home_read(const struct home *h, const char *path, struct map *out, struct err *err);

/* For policies: the socket that owns the page of an address. A page without an owner is assigned
 * to `first` if pages are being assigned now; otherwise the answer is HOME_LATER. */
u32 home_page(struct home *h, u64 address, u32 first);
#ifdef HEDDLE_PLUGIN
PLUGIN_OWN u32 home_page(struct home *h, u64 address, u32 first)
{
    return heddle_policy_host->home_page(h, address, first);
}
#endif

#endif
