/*
 * Tree pseudo-LRU: a bit per inner node of a binary tree over the ways points to
 * the half that was used longer ago. A use turns the bits on its way down away
 * from itself; the victim is where the bits lead. Where they lead into a half
 * without candidates, the other half is taken. The ways are rounded up to a
 * power of two; ways that do not exist are never candidates.
 */
#include "cache/replacement.h"

struct plru {
    u32 leaves;
    u64 bits[]; /* per set: node n (root 1) in bit n */
};

static size_t plru_bytes(u32 sets, u32 ways)
{
    (void)ways;
    return sizeof(struct plru) + sets * sizeof(u64);
}

static void plru_init(struct replacement *r)
{
    struct plru *p = r->table;
    for (p->leaves = 1; p->leaves < r->ways;)
        p->leaves *= 2;
}

static void plru_touch(struct replacement *r, u32 set, u32 way, const struct request *access)
{
    (void)access;
    struct plru *p = r->table;
    u32 node = 1;
    for (u32 half = p->leaves / 2; half; half /= 2) {
        u32 right = (way & half) != 0;
        u64 bit = (u64)1 << node;
        p->bits[set] = right ? p->bits[set] & ~bit : p->bits[set] | bit;
        node = 2 * node + right;
    }
}

/* Candidates below the half of a node that starts at `first`. */
static u64 below(u64 candidates, u32 first, u32 count)
{
    u64 mask = count >= 64 ? ~(u64)0 : (((u64)1 << count) - 1) << first;
    return candidates & mask;
}

static u32 plru_victim(struct replacement *r, u32 set, u64 candidates, const struct request *access)
{
    (void)access;
    const struct plru *p = r->table;
    u32 node = 1, first = 0;
    for (u32 half = p->leaves / 2; half; half /= 2) {
        u32 right = p->bits[set] >> node & 1;
        if (!below(candidates, first + right * half, half))
            right = !right;
        first += right * half;
        node = 2 * node + right;
    }
    return first;
}

REPLACEMENT(plru) = {
    .version = POLICY_VERSION,
    .name = "plru",
    .source = "textbook",
    .table_bytes = plru_bytes,
    .init = plru_init,
    .hit = plru_touch,
    .fill = plru_touch,
    .victim = plru_victim,
};
