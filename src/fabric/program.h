/*
 * A program for a fabric: phases of work that elements do, as streams of operations.
 *
 * A program computes its real answer while it says what an element does: `fill` is asked for the
 * next operations of an element when it has issued those before, does what they mean on the
 * program's own data, and writes them down. What it touches has an address of its own choice below
 * 2^48; the machine times the accesses and holds no data.
 *
 * A phase has a number of items. The manager deals items to tiles, a tile deals the parts of its
 * items: to elements that are free, and if there is none to those that said OP_MORE. A part goes to
 * the first of them; a program knows nothing else of the assignment. With team 2 elements work in
 * pairs: the first of each gets the work, the second waits from the start (as if parked) until the
 * first wakes it. Between two phases all elements have ended, caches have been written back and are
 * empty.
 *
 * docs/howto/fabric.md writes one.
 */
#ifndef FABRIC_PROGRAM_H
#define FABRIC_PROGRAM_H

#include "fabric/config.h"
#include "stats/tree.h"

enum fabric_op_kind {
    OP_COMPUTE,    /* count cycles */
    OP_LOAD,       /* count bytes at an address; the element goes on */
    OP_STORE,      /* the same; no element waits for it */
    OP_STREAM,     /* a store past the first level: nobody reads its sectors in this phase */
    OP_ATOMIC,     /* at an address, at the memory channel; an answer comes as of a load */
    OP_WAIT,       /* until at most count loads and atomics are under way, oldest first */
    OP_SCRATCHPAD, /* count accesses to the element's own scratchpad */
    OP_BANK,       /* count accesses to its scratchpad bank; in private mode, or where mapped */
    OP_PARK,       /* until another element wakes it, or has since it last parked */
    OP_WAKE,       /* element `count` of the tile */
    OP_MORE,       /* it can take a part beside those it has: `begin` is called while it works */
    OP_END,        /* of its part: the element is free */
    OP_RETURN,     /* the item at `address`, of one part: the tile deals it again, to another */
    /* As OP_LOAD and OP_STORE, at an offset in the second level, in phases with RL2_SCRATCHPAD.
     * A tile reaches all banks, one after the other, or its group's alone (rl2.sharing). */
    OP_RL2_LOAD,
    OP_RL2_STORE,
};

struct fabric_op {
    u64 address;
    u32 count;
    u8 kind; /* enum fabric_op_kind */
};

#define FABRIC_BATCH 32u

/* What an element is asked to do next. */
struct fabric_turn {
    u32 phase;
    u32 tile, element; /* within the tile */
    enum fabric_mode mode;
    enum rl2_mode rl2;
    /* Room for FABRIC_BATCH operations. At least one is written; OP_PARK and OP_END come last. */
    struct fabric_op *ops;
    u32 count;
};

struct fabric_phase {
    const char *name;
    enum fabric_mode mode;
    u32 team;                       /* 1 or 2 */
    u64 items;                      /* below 2^31 */
    const struct fabric_place *map; /* FABRIC_MAP: of each element of every tile */
    enum rl2_mode rl2;
};

struct fabric_program_ops {
    const char *name, *about;
    const struct stat_def *stats; /* of its counts; NULL: none */
    /* Reads its input; NULL: it cannot be used. What stays is the arena's. */
    void *(*open)(const struct fabric_config *c, struct arena *arena, struct err *err);
    u32 (*phases)(const void *self);
    void (*phase)(const void *self, u32 phase, struct fabric_phase *out);
    /* Of an item: how many elements may work on it; 0: it is done. */
    u32 (*parts)(void *self, u32 phase, u64 item);
    /* The element of turn begins a part. */
    void (*begin)(void *self, const struct fabric_turn *turn, u64 item, u32 part);
    void (*fill)(void *self, struct fabric_turn *turn);
    /* Is its answer right? Once all phases have ended. */
    bool (*verify)(void *self, struct err *err);
    const void *(*counts)(const void *self);
    /* What it was and what it did, for people. */
    void (*summary)(const void *self, struct text *out);
};

/* One line per program (programs/registry.c); ends with NULL. */
extern const struct fabric_program_ops *const fabric_programs[];
const struct fabric_program_ops *fabric_program_find(const char *name);

/* ---- for programs -------------------------------------------------------------------------- */

static inline void fabric_emit(struct fabric_turn *t, enum fabric_op_kind kind, u64 address,
                               u32 count)
{
    t->ops[t->count++] = (struct fabric_op){.address = address, .count = count, .kind = (u8)kind};
}

static inline bool fabric_has_room(const struct fabric_turn *t, u32 ops)
{
    return t->count + ops <= FABRIC_BATCH;
}

#endif
