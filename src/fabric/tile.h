/*
 * A tile: processing elements in order of their program, the banks of its first level, and the
 * tile's manager, which takes items from the fabric's manager and deals their parts to free
 * elements.
 *
 * An element issues one operation per cycle. Loads and atomics take a place in its queue and it
 * goes on until it waits for them; stores take none. One unit of the engine; elements that wait
 * cost nothing. One cycle: commands and lines that have come, elements whose time is over, work
 * dealt, one operation of each ready element in turn, which is the same order in each cycle.
 */
#ifndef FABRIC_TILE_H
#define FABRIC_TILE_H

#include "base/ring.h"
#include "base/timed_queue.h"
#include "fabric/program.h"
#include "fabric/rl1.h"
#include "sim/port.h"

/* Where each cycle of an element goes. */
#define ELEMENT_STATES(X)                                                                          \
    X(issue, "an operation was issued")                                                            \
    X(compute, "a computation of several cycles")                                                  \
    X(scratchpad, "accesses to a scratchpad")                                                      \
    X(loads, "waited for loads or atomics")                                                        \
    X(queue, "its queue of requests was full")                                                     \
    X(port, "all ports of its cache were taken")                                                   \
    X(mshr, "its cache had no MSHR or way free")                                                   \
    X(room, "the way to the second level was full")                                                \
    X(parked, "waited for another element")                                                        \
    X(idle, "on, without work")                                                                    \
    X(gated, "off")
#define ELEMENT_STATE(name, text) ELEMENT_##name,
enum element_state { ELEMENT_STATES(ELEMENT_STATE) ELEMENT_STATE_COUNT };
extern const char *const element_state_names[];
extern const char *const element_state_meanings[];

struct tile_counts {
    u64 states[ELEMENT_STATE_COUNT]; /* cycles of all elements */
    u64 element_cycles, charged_cycles;
    u64 operations, computes, loads, stores, atomics, scratchpad_accesses;
    u64 gated_operations; /* issued by elements that are off: none */
    u64 items, parts;
};

extern const struct stat_def tile_stats[];

struct element {
    struct fabric_op ops[FABRIC_BATCH];
    u32 next, count;
    u32 head, tail; /* of its queue, free-running */
    u64 done;       /* bit per place: the answer has come */
    u64 halves;     /* bit per place: two lines are asked for, neither has come */
    cycle_t until;  /* while busy */
    cycle_t since;  /* in its state */
    u8 state;       /* enum element_state */
    bool poked, is_split;
};

/* Commands of the fabric's manager, and what a tile tells it; other values are items. */
#define TILE_COMMAND 0x80000000u
enum tile_command { TILE_NO_MORE, TILE_FLUSH, TILE_PHASE };
enum tile_message { TILE_WANTS, TILE_DONE, TILE_FLUSHED };

enum tile_stage { STAGE_WAITS, STAGE_WORKS, STAGE_FLUSHES };

struct tile {
    struct sim *sim;
    const struct fabric_config *config;
    const struct fabric_program_ops *ops;
    void *program;
    unit_id unit;
    u32 index;
    struct rl1 rl1;
    struct element *elements;
    /* bits of elements; each that is on is in one of these */
    u32 ready, busy, waiting, no_mshr, no_room, parked, idle;
    u32 hungry;      /* at work, and can take a further part */
    u32 fed;         /* were dealt one, and have not been asked what they do since */
    u32 on, leaders; /* elements that are not gated; those that get work */
    struct timed_queue hits;
    struct port out, in;               /* second level */
    struct port up, down;              /* manager */
    const struct fabric_phase *phases; /* by number, the manager's */
    u32 phase;
    u8 stage; /* enum tile_stage */
    struct ring items;
    struct ring returned; /* OP_RETURN: dealt before all others */
    u32 asked;
    bool no_more, flushed;
    u32 part, parts; /* of the current item; equal: none */
    u64 item;
    cycle_t deals_at; /* the next part, at the earliest */
    struct tile_counts counts;
};

struct tile_parts {
    const struct build_site *site;
    domain_id domain;
    const struct fabric_config *config;
    const struct fabric_program_ops *ops;
    void *program;
    const struct fabric_phase *phases;
    u32 index;
    struct pool *requests;
    struct policy_choice replacement;
};

void tile_init(struct tile *t, const struct tile_parts *p);
/* Charges all cycles up to now. */
void tile_settle(struct tile *t, cycle_t now);

#endif
