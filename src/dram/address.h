/*
 * Which bank and row of a channel a byte lives in.
 *
 * From the lowest bits up: a chunk (what the channel interleave keeps together, a row at
 * most), some bank bits, the chunks of a row, the other bank bits, the row.
 */
#ifndef DRAM_ADDRESS_H
#define DRAM_ADDRESS_H

#include "dram/config.h"

struct dram_layout {
    u32 chunk_shift, low_bank_bits, column_bits, high_bank_bits;
    bool hash_banks;
};

struct dram_address {
    u64 row;
    u32 bank;
};

/* interleave_bytes: a power of two */
static inline struct dram_layout dram_layout(const struct dram_timing *t, u32 interleave_bytes)
{
    const struct dram_config *c = &t->config;
    u32 interleave = (u32)__builtin_ctz(interleave_bytes), row = (u32)__builtin_ctz(c->row_bytes);
    u32 chunk = interleave < row ? interleave : row;
    return (struct dram_layout){
        .chunk_shift = chunk,
        .low_bank_bits = c->low_bank_bits,
        .column_bits = row - chunk,
        .high_bank_bits = (u32)__builtin_ctz(c->banks) - c->low_bank_bits,
        .hash_banks = c->hash_banks,
    };
}

static inline struct dram_address dram_locate(const struct dram_layout *l, u64 channel_byte)
{
    u64 chunk = channel_byte >> l->chunk_shift, low_mask = (1ull << l->low_bank_bits) - 1;
    u64 high = chunk >> l->low_bank_bits >> l->column_bits;
    u64 high_mask = (1ull << l->high_bank_bits) - 1, row = high >> l->high_bank_bits;
    u64 bank = (high & high_mask) << l->low_bank_bits | (chunk & low_mask);
    if (l->hash_banks)
        bank ^= row & (high_mask << l->low_bank_bits | low_mask);
    return (struct dram_address){.row = row, .bank = (u32)bank};
}

#endif
