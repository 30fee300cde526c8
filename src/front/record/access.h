/*
 * Lane addresses of a memory instruction, in bytes.
 *
 * One byte says which space and which shape; then follow, where needed, the
 * masks of the spaces, the first lane's address as a difference to that of the
 * same instruction the last time, and the shape.
 */
#ifndef FRONT_RECORD_ACCESS_H
#define FRONT_RECORD_ACCESS_H

#include "front/record/bytes.h"
#include "front/record/format.h"

static inline u32 winst_lanes(const struct winst *w)
{
    return w->in_global | w->in_shared | w->in_local | w->in_const;
}

/* The winst accesses memory: winst_lanes() is not 0. */
void access_put(struct bytes *out, const struct winst *w, struct access_slot *slot);
/* Fills the spaces and 32 addresses; those of lanes that access nothing are anything. False:
 * no access of the lanes of w->mask, or the bytes end. */
bool access_take(struct cursor *in, struct winst *w, u64 *address, struct access_slot *slot);

#endif
