#include "mem/map.h"

/* Folding by XOR keeps the map one-to-one only for a power of two; adding the folded
 * bits modulo the count does for any number of channels. */
static u64 fold(u64 x)
{
    x ^= x >> 32;
    x ^= x >> 16;
    return x ^ x >> 7;
}

/* Pages change places: an odd factor does so one-to-one. */
static u64 scatter(u64 address, u32 page_bytes)
{
    u64 page = address / page_bytes * 0x9e3779b97f4a7c15u;
    return page * page_bytes | address % page_bytes; /* modulo 2^64 in both steps */
}

struct place address_place(const struct address_map *m, u64 address)
{
    if (m->sockets) /* what is left of the address within its socket */
        address =
            address / m->socket_bytes / m->sockets * m->socket_bytes + address % m->socket_bytes;
    if (m->page_bytes)
        address = scatter(address, m->page_bytes);
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
