/* Lane addresses to host memory, checked; for instructions with accesses of their own. */
#ifndef ISA_EXEC_ACCESS_H
#define ISA_EXEC_ACCESS_H

#include "isa/exec/warp.h"

/* An address operand: base register or none, plus an offset. */
struct address {
    ref_t base;
    u64 offset;
    bool wide, in_frame;
    u8 space;
};

/* Addresses of all lanes into w->address. */
void access_addresses(struct warp *w, const struct address *a);
/* Where each lane's `bytes` are; addresses must be multiples of them. False: a fault. */
bool access_resolve(struct warp *w, const struct op *op, u32 mask, u32 bytes, u8 **where, u8 space);

#endif
