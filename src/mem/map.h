/*
 * The address map: channel, L2 bank and byte of an address.
 *
 * Chunks of `interleave_bytes` go round the channels; inside a channel they go
 * round its L2 banks, or to the bank that the lowest bits of their DRAM bank say. The byte offset
 * inside the channel is what DRAM splits into bank, row and column. With hashing, higher address
 * bits are folded into the choice of channel so that strides spread (Volta and later). With pages,
 * each lies anywhere in device memory.
 */
#ifndef MEM_MAP_H
#define MEM_MAP_H

#include "base/types.h"

struct address_map {
    u32 channels, banks_per_channel;
    u32 interleave_bytes; /* a power of two, at least a line */
    bool hashed;
    /* banks of a channel by the lowest bits of the DRAM bank: so many right above the chunk, the
     * others after so many more bits; both 0: chunks go round the banks */
    u32 bank_low_bits, bank_skip_bits;
    u32 page_bytes; /* a power of two; 0: an address is a place */
    u32 sockets,
        socket_bytes; /* chunks of so many bytes go round so many sockets; 0: they do not */
};

struct place {
    u32 channel;
    u32 bank;         /* of the L2, over all channels */
    u64 channel_byte; /* offset inside the channel */
    u64 bank_byte;    /* offset inside the L2 bank's share */
};

struct place address_place(const struct address_map *m, u64 address);

#endif
