/*
 * An L1 cache as the network between the L1s sees it: what may be asked of it, and
 * nothing else. The owner of the L1 fills this in; what an L1 tells the network is
 * the last part of ccn.h.
 *
 * The network has its cycle before the L1s have theirs: it sees each of them as the
 * cycle before left it, and what it takes of one is gone in the L1's own cycle. All L1s
 * of a network are alike.
 */
#ifndef CCN_L1_PEER_H
#define CCN_L1_PEER_H

#include "base/pool.h"
#include "sim/port.h"

struct l1_peer_ops {
    /* The set in which this line would be. */
    u32 (*set_of)(const void *l1, u64 line);
    /* Is the line there and valid? One that is on its way is not. */
    bool (*holds)(const void *l1, u64 line);
    /* One access of this cycle is another's. */
    void (*take_port)(void *l1, cycle_t now);
    /* A line that is there has been used by another agent. */
    void (*touch)(void *l1, u64 line, u32 agent);
    /* The line of this request is there from that cycle on: perhaps the L1's present one. Cycles do
     * not fall from call to call. */
    void (*deliver)(void *l1, handle_t h, cycle_t at);
    /* Nobody has answered this request: it goes below, where there is room. */
    void (*give_back)(void *l1, handle_t h, cycle_t now);
    /* A message to the table of copies at L2: the line came, or left. There is room below. */
    void (*tell_below)(void *l1, u64 line, bool came, cycle_t now);
};

struct l1_peer {
    const struct l1_peer_ops *ops;
    void *l1;
    unit_id unit; /* that the L1 is ticked with */
    u16 agent;
    const struct port *below; /* its miss queue */
    const u64 *instructions;  /* that its core's threads have executed so far */
};

#endif
