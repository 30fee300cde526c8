/*
 * A stretch of a warp's instructions, executed when the first of them is issued.
 *
 * Ops that follow each other and that no other thread can be waiting for execute together;
 * what the timing model asks of each as it is issued comes from a compact record. So a warp's
 * registers are in the host's caches for all of them, and not once for each. What a program without
 * races computes does not depend on it (docs/mechanisms/gpu.md says what others may see).
 */
#ifndef PTX_EXEC_STRETCH_H
#define PTX_EXEC_STRETCH_H

#include "ptx/exec/warp.h"
#include "source/warp_instruction.h"

struct arena;

/* Of each op of a function how many from there on are one stretch. */
void function_find_stretches(struct program *p, struct function *f, struct arena *scratch);
#define STRETCH_RECORD_BYTES 1536u

/* What has executed and is not issued. It begins a line of the host's caches: as a rule an issue
 * needs no other of its warp. */
struct stretch {
    _Alignas(64) const struct instruction *next;
    struct warp *warp;
    struct executor *on; /* the warp's */
    u32 mask;            /* of the path */
    u32 differs;         /* of the next 32 instructions, those that other lanes executed */
    u16 read, written;
    u8 left; /* instructions; 0: there is nothing */
    _Alignas(8) u8 record[STRETCH_RECORD_BYTES];
};

/* Executes the stretch at which the warp has settled; false: there is none worth while. */
bool stretch_execute(struct stretch *s);
/* What the next of its instructions did. */
void stretch_step(struct stretch *s, struct winst *out);

static inline bool stretch_is_under_way(const struct stretch *s)
{
    return s->left > 0;
}

/* Those of a block lie behind it: where, nobody has to read. */
static inline struct stretch *block_stretch(struct block *b, u32 warp)
{
    size_t head = (sizeof *b + 63) / 64 * 64;
    return (struct stretch *)(void *)((u8 *)b + head) + warp;
}

#endif
