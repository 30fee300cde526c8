/*
 * A crossbar: one network, in one direction, from its inputs to its outputs.
 *
 * One unit of the engine, in the network's clock domain. What it carries are
 * handles of struct request: request.to names the output, the size in bytes
 * follows from its kind. Each input takes packets in turn from its source ports
 * into a buffer of flits; each output has one port. One network cycle:
 *
 *   1. lines whose last flit went in the cycle before become idle;
 *   2. each input takes one packet at most from its sources, if it fits. The
 *      source whose turn it is keeps the turn until its packet fits, so that
 *      small packets do not starve a large one;
 *   3. idle outputs with room in their ports are matched with inputs whose line
 *      is idle, in turn (net/islip.h). A packet that came in step 2 takes part.
 *      The packet then holds the input's line and the output for flits / speedup
 *      cycles, this one included, and has its room in the port;
 *   4. packets whose last flit went hop_cycles ago are put into the ports.
 *
 * So a lone packet of f flits that a source held before cycle n is put into the
 * output's port at cycle n + f - 1 + hop_cycles, at speedup 1.
 *
 * Only the first `lookahead` packets of a buffer compete. With 1 the buffer is
 * one virtual channel: its oldest packet blocks those behind it. Packets from
 * one input to one output never overtake each other, whatever the lookahead.
 *
 * A packet's flits leave the buffer together, after the last has gone. Since a
 * packet may enter and be granted in that same cycle, no line idles for it; but
 * the source's slot becomes free up to flits - 1 cycles later than with a
 * credit for each flit.
 *
 * A slot of an output's port is taken from the grant until its room can be used
 * again: line cycles + hop_cycles + 1 with a consumer of the same clock that does
 * not wait. A smaller port limits the output.
 */
#ifndef NET_CROSSBAR_H
#define NET_CROSSBAR_H

#include "base/bitset.h"
#include "base/pool.h"
#include "config/param.h"
#include "net/calendar.h"
#include "net/islip.h"
#include "net/network.h"

#define CROSSBAR_MOST_LINES 256u /* inputs, outputs */

struct crossbar_config {
    u32 flit_bytes, input_buffer_flits, hop_cycles, lookahead, speedup;
    u32 partial_bytes;
};

extern const struct param crossbar_params[];

struct crossbar_input;
struct crossbar_output;

struct crossbar {
    unit_id unit;
    const struct crossbar_config *config;
    struct sim *sim;
    struct pool *requests;
    u32 input_count, sources_per_input, output_count;
    struct crossbar_input *inputs;
    struct crossbar_output *outputs;
    struct port **sources;      /* those of input 0, then those of input 1, ... */
    struct port nothing;        /* where no source is attached */
    struct islip match;         /* of inputs with packets and idle lines to outputs */
    struct bitset rung;         /* inputs that something was pushed for since they were empty */
    struct bitset open;         /* inputs whose next packet is not known to be too large */
    struct bitset idle_outputs; /* that carry no packet */
    struct bitset stuck;        /* outputs last seen wanted and idle, with no room in the port */
    struct calendar releases;   /* of inputs' lines */
    struct calendar arrivals;   /* at outputs' ports */
    bool again;                 /* there is work that had to wait for the next cycle */
    struct network_counts counts;
};

/* All ports are attached before the engine starts. The configuration is borrowed. */
void crossbar_init(struct crossbar *x, const struct network_parts *parts,
                   const struct crossbar_config *c);
struct network crossbar_network(struct crossbar *x);

const struct output_counts *crossbar_output_counts(const struct crossbar *x, u32 output);

static inline u32 crossbar_flits(const struct crossbar_config *c, u32 bytes)
{
    return (bytes + c->flit_bytes - 1) / c->flit_bytes;
}

#endif
