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
enum access_kind { ACCESS_READ, ACCESS_WRITE };

/* Where each lane's `bytes` are, a power of two; addresses must be multiples of
 * them. False: a fault. What is writable is more than what a kernel may write:
 * its parameters are the caller's. */
bool access_resolve(struct warp *w, const struct op *op, u32 mask, u32 bytes, u8 **where, u8 space,
                    enum access_kind kind);
/* The same for any number of bytes of one lane, at its address in w->address; NULL: a fault. */
u8 *access_range(struct warp *w, const struct op *op, u32 lane, u32 bytes, u8 space,
                 enum access_kind kind);

#endif
