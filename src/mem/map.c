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

/* Of a chunk of a channel: the bits that name its bank, and what is left of its number. */
static u32 bank_by_dram(const struct address_map *m, u64 local, u64 *left)
{
    u32 bits = (u32)__builtin_ctz(m->banks_per_channel);
    u32 low = bits < m->bank_low_bits ? bits : m->bank_low_bits, high = bits - low;
    u32 from = m->bank_low_bits + m->bank_skip_bits; /* the other bits of the DRAM bank */
    u64 low_mask = (1ull << low) - 1, middle_mask = (1ull << (from - low)) - 1;
    *left = local >> from >> high << (from - low) | (local >> low & middle_mask);
    return (u32)((local >> from & ((1ull << high) - 1)) << low | (local & low_mask));
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
    u64 left = local / m->banks_per_channel;
    u32 bank = (u32)(local % m->banks_per_channel);
    if (UNLIKELY(m->bank_low_bits | m->bank_skip_bits))
        bank = bank_by_dram(m, local, &left);
    return (struct place){
        .channel = channel,
        .bank = channel * m->banks_per_channel + bank,
        .channel_byte = local * m->interleave_bytes + rest,
        .bank_byte = left * m->interleave_bytes + rest,
    };
}
