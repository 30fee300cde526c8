/* Lanes whose address is in no allocation, or does not fit their access. */
#ifndef ISA_EXEC_STRAY_H
#define ISA_EXEC_STRAY_H

#include "isa/exec/warp.h"

/* The warp faults, with the sentence. Always false. */
bool stray_fault(struct warp *w, const struct op *op, u32 lane, u32 bytes, const char *space);
/* Not strictly (isa/bounds.h), a lane in no allocation goes elsewhere and its warp goes on; else
 * as stray_fault. */
bool stray_send(struct warp *w, const struct op *op, u32 lane, u32 bytes, bool reads);

#endif
