/* Lanes whose address is in no allocation, or does not fit their access. */
#ifndef PTX_EXEC_OUT_OF_BOUNDS_H
#define PTX_EXEC_OUT_OF_BOUNDS_H

#include "ptx/exec/warp.h"

/* The warp faults, with the sentence. Always false. */
bool out_of_bounds_fault(struct warp *w, const struct op *op, u32 lane, u32 bytes,
                         const char *space);
/* Not strictly (device/bounds.h), a lane in no allocation goes elsewhere and its warp goes on; else
 * as out_of_bounds_fault. */
bool out_of_bounds_send(struct warp *w, const struct op *op, u32 lane, u32 bytes, bool reads);

#endif
