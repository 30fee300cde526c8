/*
 * An agent sends requests into a memory system: an SM, a CPU core, a DMA engine, a bank of a
 * fabric's second level.
 *
 * A memory system numbers its agents. A request carries its agent's number, the
 * program it is for, and the node to which its answer goes: nothing on the way
 * needs to know what kind of agent it is.
 */
#ifndef MEM_AGENT_H
#define MEM_AGENT_H

#include "base/types.h"

enum agent_kind { AGENT_SM, AGENT_CPU, AGENT_DMA, AGENT_FABRIC, AGENT_KINDS };

struct agent {
    u8 kind;    /* enum agent_kind */
    u8 socket;  /* of the machine */
    u16 number; /* in its memory system: request.agent */
    u16 index;  /* among those of its kind in its cluster */
    u16 node;   /* of the network that brings its answers */
};

#endif
