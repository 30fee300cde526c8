#include "mem/map.h"

/* Folding by XOR keeps the map one-to-one only for a power of two; adding the folded
 * bits modulo the count does for any number of channels. */
static u64 fold(u64 x)
{
    x ^= x >> 32;
    x ^= x >> 16;
    return x ^ x >> 7;
}

struct place address_place(const struct address_map *m, u64 address)
{
    u64 chunk = address / m->interleave_bytes, rest = address % m->interleave_bytes;
    u64 local = chunk / m->channels;
    u32 channel = (u32)(chunk % m->channels);
    if (m->hashed)
        channel = (u32)((channel + fold(local)) % m->channels);
    u32 bank = (u32)(local % m->banks_per_channel);
    return (struct place){
        .channel = channel,
        .bank = channel * m->banks_per_channel + bank,
        .channel_byte = local * m->interleave_bytes + rest,
        .bank_byte = local / m->banks_per_channel * m->interleave_bytes + rest,
    };
}
