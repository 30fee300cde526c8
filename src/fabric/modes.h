/*
 * What the modes of a phase mean for a tile: which elements are on, and whether each of them has
 * memory.
 */
#ifndef FABRIC_MODES_H
#define FABRIC_MODES_H

#include "fabric/program.h"

/* Bits of the elements of a tile that are on. */
u32 fabric_on(const struct fabric_config *c, const struct fabric_phase *p);
/* Must banks or crossbars change between two phases? before NULL: from how a fabric begins. */
bool fabric_modes_differ(const struct fabric_config *c, const struct fabric_phase *before,
                         const struct fabric_phase *after);
/* Each element that is on has a bank, no bank is both cache and scratchpad, and pairs are whole. */
bool fabric_phase_check(const struct fabric_config *c, const struct fabric_phase *p,
                        struct err *err);
/* "map, RL2 scratchpad" */
void fabric_mode_text(u32 mode, u32 rl2, char *out, size_t size);

#endif
