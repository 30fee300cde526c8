#include "ptx/exec/out_of_bounds.h"

#include "device/bounds.h"
#include "ptx/exec/reconvergence.h"

#include <stdio.h>
#include <string.h>

#define MESSAGE_BYTES 320

/* What a lane of global memory asks for that is in no allocation. */
static void describe_out_of_bounds(const struct allocation *n, u64 a, u32 bytes, char *out)
{
    u64 end = n->start + n->bytes;
    bool before = a < n->start, straddles = !before && a < end;
    snprintf(out, MESSAGE_BYTES,
             "%u bytes at 0x%llx are in no allocation; nearest: %llu bytes %s %s at 0x%llx "
             "(%llu bytes)",
             bytes, (unsigned long long)a,
             (unsigned long long)(before      ? n->start - a
                                  : straddles ? a + bytes - end
                                              : a - end),
             before      ? "before"
             : straddles ? "past the end of"
                         : "after",
             n->label ? n->label : "an allocation", (unsigned long long)n->start,
             (unsigned long long)n->bytes);
}

bool out_of_bounds_fault(struct warp *w, const struct op *op, u32 lane, u32 bytes,
                         const char *space)
{
    u64 a = w->on->address[lane];
    if (a % bytes) {
        warp_fault(w, op, FAULT_MISALIGNED, lane, "address 0x%llx is not a multiple of %u",
                   (unsigned long long)a, bytes);
        return false;
    }
    const struct allocation *n =
        strcmp(space, "global") == 0 ? memory_nearest(w->grid->memory, a) : NULL;
    if (!n) {
        warp_fault(w, op, FAULT_ADDRESS, lane,
                   "%u bytes at 0x%llx of %s memory are in no allocation", bytes,
                   (unsigned long long)a, space);
        return false;
    }
    char what[MESSAGE_BYTES];
    describe_out_of_bounds(n, a, bytes, what);
    warp_fault(w, op, FAULT_ADDRESS, lane, "%s%s", what,
               bounds_is_near(w->grid->memory, a)
                   ? "; --bounds warn or off continues, as a GPU does"
                   : "");
    return false;
}

bool out_of_bounds_send(struct warp *w, const struct op *op, u32 lane, u32 bytes, bool reads)
{
    struct device_memory *m = w->grid->memory;
    struct bounds *b = memory_bounds(m);
    u64 a = w->on->address[lane], instead = bounds_instead(m, a, reads);
    if (!instead || a % bytes)
        return out_of_bounds_fault(w, op, lane, bytes, "global");
    if (!atomic_exchange(&b->strays, true)) {
        char what[MESSAGE_BYTES];
        describe_out_of_bounds(memory_nearest(m, a), a, bytes, what);
        path_say(w, &w->paths[w->current], op, lane, what, &b->first);
        atomic_store(&b->is_told, true);
    }
    w->on->address[lane] = instead;
    return true;
}
