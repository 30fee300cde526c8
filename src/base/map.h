/*
 * Hash map from 64-bit keys to 64-bit values, and from strings to 32-bit values.
 *
 * Open addressing with linear probing and backward-shift deletion. Grows
 * outside the cycle loop; a caller inside it reserves first. There is no iteration,
 * so no result can depend on its order.
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include "base/types.h"

struct map_slot {
    u64 key, value;
};

struct map {
    struct map_slot *slots;
    u8 *used;
    u32 mask, count;
};

struct arena;
/* In an arena, for up to count entries and never more; needs no fini. */
void map_init_fixed(struct map *m, struct arena *arena, u32 count);
void map_reserve(struct map *m, u32 count); /* no growth until more than count entries */
void map_put(struct map *m, u64 key, u64 value);
bool map_get(const struct map *m, u64 key, u64 *value);
bool map_remove(struct map *m, u64 key);
void map_clear(struct map *m); /* keeps the storage */
void map_fini(struct map *m);

struct strmap_slot {
    const char *key; /* borrowed: must outlive the map */
    u32 hash, value;
};

struct strmap {
    struct strmap_slot *slots;
    u32 mask, count;
};

void strmap_put(struct strmap *m, const char *key, u32 value);
bool strmap_get(const struct strmap *m, const char *key, u32 *value);
void strmap_fini(struct strmap *m);

/* One well-mixed 64-bit value out of another: the finaliser of MurmurHash3. */
static inline u64 hash_u64(u64 x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdull;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ull;
    return x ^ x >> 33;
}

/* Of bytes, going on from another hash. */
u64 hash_bytes(u64 hash, const void *data, size_t count);
/* FNV-1a, 64 bit. */
u64 hash_string(const char *s);

#endif
