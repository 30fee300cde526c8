/*
 * One DRAM channel: from the miss queues of its L2 banks to the chips, and back.
 *
 *   in ports -> pipe (fixed delay) -> scheduler queue -> chips -> return queue -> out ports
 *
 * The pipe has no limit of its own: requests in it keep ageing while its head waits, and
 * nothing is taken from the in ports while the scheduler queue is full. Reads come back
 * with the same handle to the port they came from; writes end here and are freed. The
 * fixed model has only the pipe.
 *
 * A channel is one unit in the DRAM clock domain. Its arrays come from the simulation's
 * arena; timing, map, pool and ports are borrowed and outlive it.
 */
#ifndef DRAM_CHANNEL_H
#define DRAM_CHANNEL_H

#include "base/timed_queue.h"
#include "dram/address.h"
#include "dram/counts.h"
#include "dram/queue.h"
#include "mem/map.h"
#include "mem/request.h"
#include "sim/port.h"
#include "sim/site.h"

typedef void dram_command_hook(void *context, cycle_t now, enum dram_command command, u32 bank,
                               u64 row);

struct dram_channel {
    /* given */
    struct sim *sim;
    const struct dram_timing *timing;
    const struct address_map *map;
    struct pool *requests;
    struct port *in, *out;
    u32 port_count;
    u32 pipe_clocks;
    domain_id domain;
    unit_id unit; /* for port_connect */
    struct dram_layout layout;
    /* sees every command; may be NULL */
    dram_command_hook *on_command;
    void *hook_context;
    /* state */
    struct timed_queue pipe;    /* due: may enter the scheduler queue */
    struct timed_queue replies; /* due: all data is there; counts from the last column command */
    struct timed_queue writes;  /* due: all data is in the chips */
    u32 replies_complete;       /* of the replies: those whose data was seen complete */
    u32 next_port;              /* is asked first for a request */
    cycle_t admitted;           /* the last time a request entered the scheduler queue */
    cycle_t pending_since;      /* while the scheduler queue is not empty */
    cycle_t bus_slot_end;       /* of the last column command, had its data no latency */
    cycle_t refresh_due;
    u64 server_free; /* of the bus without banks: in bytes that it could have moved by then */
    bool slept;      /* there was nothing to do */
    struct dram_queue queue;
    struct dram_device device;
    struct dram_counts counts;
    struct application_counts *by_application; /* NULL: nobody asks */
};

struct dram_channel_parts {
    const struct build_site *site;
    domain_id domain;
    const struct dram_timing *timing;
    u32 index;       /* of the channel */
    u32 pipe_clocks; /* to the scheduler queue */
    const struct address_map *map;
    struct pool *requests;
    struct port *in, *out; /* in[i] and out[i] lead from and to L2 bank i of this channel */
    u32 port_count;
    struct policy_choice scheduler;
};

/* The caller connects the ports, with c->unit, and adds c->counts to the statistics. */
void dram_channel_init(struct dram_channel *c, const struct dram_channel_parts *parts);

/* Brings statistics that are counted over time up to the present; before they are read. */
void dram_channel_finish(struct dram_channel *c);

#endif
