/* Lane addresses to host memory, checked; for instructions with accesses of their own. */
#ifndef PTX_EXEC_ACCESS_H
#define PTX_EXEC_ACCESS_H

#include "ptx/exec/warp.h"

/* An address operand: base register or none, plus an offset. */
struct address {
    ref_t base;
    u64 offset;
    bool wide, in_frame;
    u8 space;
};

struct decoder;
/* An operand [...] of the statement being decoded. */
bool access_decode(struct decoder *d, u32 operand, u8 space, struct address *a);
/* Addresses of all lanes into w->on->address. */
void access_addresses(struct warp *w, const struct address *a);
/* An update reads and writes: it takes place as a whole, see access_update. */
enum access_kind { ACCESS_READ, ACCESS_WRITE, ACCESS_UPDATE };

/* Where each lane's `bytes` are, a power of two; addresses must be multiples of
 * them. False: a fault. What is writable is more than what a kernel may write:
 * its parameters are the caller's. What is resolved for writing must be written whole: it may be
 * a place in the SM's log. */
bool access_resolve(struct warp *w, const struct op *op, u32 mask, u32 bytes, u8 **where, u8 space,
                    enum access_kind kind);
/* One allocation of global memory has all from `low` to before `end`: the next access is looked for
 * there first. */
bool access_find_allocation(struct warp *w, u64 low, u64 end);
/* Lanes whose address in w->on->address is of global memory. */
u32 access_in_global(const struct warp *w, u32 mask, u8 space);
/* Does what reads and writes: now, or at the end of the cycle if it is to global memory and the
 * SM has a log. The operands are in the warp's registers then, too. */
void access_update(struct warp *w, const struct op *op, u32 mask, u8 **where, u8 space,
                   log_action *run);
/* One lane copies any multiple of 16 bytes. False: a fault. */
bool access_copy(struct warp *w, const struct op *op, u32 lane, u32 bytes, const struct address *to,
                 const struct address *from);

/* Bytes of global memory, any number of them, for one lane: false: a fault, at the first byte that
 * is outside. A copy of them is as its SM sees them; what is put there is seen in time. */
bool access_read_run(struct warp *w, const struct op *op, u32 lane, u64 address, u32 bytes, u8 *to);
bool access_write_run(struct warp *w, const struct op *op, u32 lane, u64 address, u32 bytes,
                      const u8 *from);
/* The same bytes themselves, for what takes place with other atomics. NULL: a fault. */
u8 *access_global_run(struct warp *w, const struct op *op, u32 lane, u64 address, u32 bytes);
/* So many bytes of shared memory, of the block's or another's: NULL: a fault. */
u8 *access_shared_run(struct warp *w, const struct op *op, u32 lane, u64 address, u32 bytes);
/* The lane's address in shared memory without the window of generic ones. */
static inline u64 access_shared_address(u64 address)
{
    return address - SHARED_WINDOW < WINDOW_BYTES ? address - SHARED_WINDOW : address;
}
/* What an atomic operation of the op makes of two values. */
u64 access_combine(const struct op *op, u64 old, u64 value);

#endif
