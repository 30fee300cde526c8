#include "fabric/traffic.h"

static void fold(struct traffic *t)
{
    for (u32 i = 0; i < TRAFFIC_SLICES / 2; i++)
        t->bytes[i] = t->bytes[2 * i] + t->bytes[2 * i + 1];
    for (u32 i = TRAFFIC_SLICES / 2; i < TRAFFIC_SLICES; i++)
        t->bytes[i] = 0;
    t->shift++;
}

void traffic_add(struct traffic *t, cycle_t now, u64 bytes)
{
    while (now >> t->shift >= TRAFFIC_SLICES)
        fold(t);
    t->bytes[now >> t->shift] += bytes;
}

/* Bytes before an instant. */
static u64 before(const struct traffic *t, cycle_t at)
{
    u64 slice = at >> t->shift, sum = 0, length = (u64)1 << t->shift;
    for (u64 i = 0; i < slice && i < TRAFFIC_SLICES; i++)
        sum += t->bytes[i];
    if (slice >= TRAFFIC_SLICES)
        return sum;
    u64 bytes = t->bytes[slice], part = at - (slice << t->shift);
    return sum + bytes / length * part + bytes % length * part / length;
}

void traffic_share(const struct traffic *t, cycle_t end, u64 parts[TRAFFIC_PARTS])
{
    u64 done = 0, all = before(t, UINT64_MAX);
    for (u32 i = 0; i < TRAFFIC_PARTS; i++) {
        u64 to = i + 1 == TRAFFIC_PARTS ? all : before(t, end * (i + 1) / TRAFFIC_PARTS);
        parts[i] += to - done;
        done = to;
    }
}
