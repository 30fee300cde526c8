#include "device/bounds.h"

#include "device/memory.h"

/* At the end of the region, where nothing else comes: no array moves. */
bool bounds_set(struct device_memory *m, enum bounds_mode mode)
{
    struct bounds *b = memory_bounds(m);
    b->mode = mode;
    if (mode == BOUNDS_STRICT || b->zeros)
        return true;
    u64 both = 2 * MEMORY_UNIT_BYTES, at = memory_reserve(m, both, 0, b->end - both);
    b->zeros = at;
    b->sink = at + MEMORY_UNIT_BYTES;
    if (at && memory_map(m, b->zeros, MEMORY_UNIT_BYTES, -1, 0, "what is in no allocation", 0) &&
        memory_map(m, b->sink, MEMORY_UNIT_BYTES, -1, 0, "what is in no allocation", 0))
        return true;
    b->mode = BOUNDS_STRICT;
    b->zeros = 0;
    return false;
}

bool bounds_is_near(const struct device_memory *m, u64 address)
{
    const struct allocation *n = memory_nearest(m, address);
    if (!n || !n->bytes)
        return false;
    u64 end = n->start + n->bytes;
    u64 distance = address < n->start ? n->start - address : address < end ? 0 : address - end;
    return distance < MEMORY_UNIT_BYTES;
}

u64 bounds_instead(const struct device_memory *m, u64 address, bool reads)
{
    const struct bounds *b = memory_bounds((struct device_memory *)m);
    if (b->mode == BOUNDS_STRICT || !bounds_is_near(m, address))
        return 0;
    return (reads ? b->zeros : b->sink) + address % MEMORY_UNIT_BYTES;
}
