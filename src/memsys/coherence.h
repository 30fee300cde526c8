/*
 * Software coherence between the sockets of a machine: when the shared cache of a socket is
 * flushed, and when that is done (hpc-cores-and-numa-gpu spec 2.9).
 *
 * Ends of kernels ask for all sockets, fences for their own. A flush that has already begun does
 * not serve later requests: they wait for the next one, together. It is done when all banks have
 * written back their lines and other sockets have taken theirs in.
 */
#ifndef MEMSYS_COHERENCE_H
#define MEMSYS_COHERENCE_H

#include "base/bitset.h"
#include "memsys/memory_system.h"

struct coherence_socket {
    u64 wanted, wanted_fs; /* number of the last flush that somebody waits for; since when */
    u64 done, done_fs;
    struct bitset waiting; /* units to be woken then */
};

struct coherence {
    struct engine *engine;
    unit_id unit;
    struct memory_system *memories;
    u32 sockets;
    bool is_free;               /* nothing is flushed: the ideal mode */
    u32 kernels;                /* that wait: the engine stops when a flush is done */
    struct flush_order *orders; /* by socket */
    struct coherence_socket *socket;
};

void coherence_init(struct coherence *c, struct sim *sim, struct memory_system *memories,
                    u32 sockets, bool is_free, bool remote_only);
/* The memories have been built. */
void coherence_connect(struct coherence *c, const struct build_site *site, domain_id clock);
/* Number of the flush to wait for. */
u64 coherence_ask(struct coherence *c, u32 socket);
/* The unit is woken when the next flush of the socket is done. */
void coherence_wake(struct coherence *c, u32 socket, unit_id unit);
bool coherence_is_done(const struct coherence *c, u32 socket, u64 number);

#endif
