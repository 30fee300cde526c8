/* What a recording says of a kernel beside its blocks: shape, instructions, where blocks are. */
#ifndef SOURCE_RECORDING_KERNEL_RECORD_H
#define SOURCE_RECORDING_KERNEL_RECORD_H

#include "base/bytes.h"
#include "source/recording/format.h"

struct kernel_record {
    struct grid_source shape; /* without ops and self */
    struct instruction *instructions;
    /* Of each instruction; NO_SLOT: it never accessed memory. */
    u32 *slots;
    u32 instruction_count, slot_count;
    struct container_place *blocks;
    u32 most_packed_bytes, most_raw_bytes; /* of a block */
};

#define NO_SLOT UINT32_MAX

/* `slots` need only tell NO_SLOT from others. */
void kernel_record_put(struct bytes *out, const struct kernel_record *k);
/* Everything is checked, and taken from the arena. `file_bytes` is where all blocks must end. */
bool kernel_record_take(struct kernel_record *k, struct cursor in, u64 file_bytes,
                        struct arena *arena, struct src_pos at, struct err *err);

#endif
