#include "base/rng.h"

#include "base/map.h"

#include <assert.h>

struct block {
    u32 word[4];
};

static struct block philox4x32_10(struct block ctr, u32 k0, u32 k1)
{
    for (int round = 0; round < 10; round++) {
        u64 p0 = (u64)0xD2511F53u * ctr.word[0];
        u64 p1 = (u64)0xCD9E8D57u * ctr.word[2];
        ctr = (struct block){{
            (u32)(p1 >> 32) ^ ctr.word[1] ^ k0,
            (u32)p1,
            (u32)(p0 >> 32) ^ ctr.word[3] ^ k1,
            (u32)p0,
        }};
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return ctr;
}

static struct block block_at(u64 key, u64 index)
{
    struct block ctr = {{(u32)index, (u32)(index >> 32), 0, 0}};
    return philox4x32_10(ctr, (u32)key, (u32)(key >> 32));
}

void rng_init(struct rng *r, u64 seed, const char *stream)
{
    *r = (struct rng){.key = hash_u64(seed ^ hash_u64(hash_string(stream)))};
}

u64 rng_at(u64 key, u64 n)
{
    struct block b = block_at(key, n / 2);
    u32 half = (u32)(n % 2) * 2;
    return (u64)b.word[half + 1] << 32 | b.word[half];
}

u64 rng_u64(struct rng *r)
{
    u64 n = r->position++;
    if (n % 2)
        return r->spare;
    struct block b = block_at(r->key, n / 2);
    r->spare = (u64)b.word[3] << 32 | b.word[2];
    return (u64)b.word[1] << 32 | b.word[0];
}

u64 rng_below(struct rng *r, u64 bound)
{
    assert(bound > 0);
    /* Lemire's method: multiply, and reject the few low products that favour
     * some results. */
    for (;;) {
        u128 product = (u128)rng_u64(r) * bound;
        u64 low = (u64)product;
        if (low >= bound || low >= (u64)(-bound) % bound)
            return (u64)(product >> 64);
    }
}

double rng_unit(struct rng *r)
{
    return (double)(rng_u64(r) >> 11) * 0x1.0p-53;
}
