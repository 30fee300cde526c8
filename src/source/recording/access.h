/*
 * Lane addresses of a memory instruction, in bytes.
 *
 * One byte says which space and which shape; then follow, where needed, the
 * masks of the spaces, how far the first lane's address is from that of the same
 * instruction the last time, and the lanes' differences. An instruction that
 * moves as far as the last time, with its lanes placed in the same way, needs
 * nothing but the byte.
 */
#ifndef SOURCE_RECORDING_ACCESS_H
#define SOURCE_RECORDING_ACCESS_H

#include "base/bytes.h"
#include "source/recording/format.h"

static inline u32 winst_lanes(const struct winst *w)
{
    return w->in_global | w->in_shared | w->in_local | w->in_const;
}

/* What the first access of an instruction refers to: the last one of its warp. */
struct access_history {
    const u8 *start; /* of the stream, for reading */
    u64 last_base;
};

/* The winst accesses memory: winst_lanes() is not 0. `out` holds the warp's stream so far. */
void access_put(struct bytes *out, const struct winst *w, struct access_slot *slot,
                struct access_history *history);
/* Fills the spaces and 32 addresses; those of lanes that access nothing are anything. False:
 * no access of the lanes of w->mask, or the bytes end. */
bool access_take(struct cursor *in, struct winst *w, u64 *address, struct access_slot *slot,
                 struct access_history *history);

#endif
