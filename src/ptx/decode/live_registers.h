/*
 * Registers of a stopped block whose values it still needs, on any of its warps' paths: those that
 * are live where a path stands or where paths will meet. The others may be forgotten.
 */
#ifndef PTX_DECODE_LIVE_REGISTERS_H
#define PTX_DECODE_LIVE_REGISTERS_H

#include "ptx/exec/warp.h"
#include "source/warp_instruction.h"

/* Each 32-bit register of the warp that is needed: 32 lanes. False: its warps are in functions that
 * were called, where all is needed, and nothing was visited. */
bool warp_live_registers(const struct warp *w, register_visit *each, void *context);
/* Overwrites what no path needs. */
void warp_forget_dead(struct warp *w);

#endif
