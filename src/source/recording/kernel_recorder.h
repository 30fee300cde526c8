/* One kernel while it is recorded: the wrapped source, and what its blocks have left. */
#ifndef SOURCE_RECORDING_KERNEL_RECORDER_H
#define SOURCE_RECORDING_KERNEL_RECORDER_H

#include "base/map.h"
#include "source/recording/barrier_log.h"
#include "source/recording/kernel_record.h"
#include "source/recording/warp_writer.h"

struct kernel_recorder;

struct block_recorder {
    struct kernel_recorder *kernel;
    struct block_recorder *next_free, *next; /* of those not in use; of all */
    void *inner;
    u64 id;
    u64 steps;
    u64 put_off; /* warps whose last step has yet to take place */
    struct warp_writer *warps;
    struct barrier_log log;
};

struct kernel_recorder {
    struct container_writer *file;
    struct grid_source inner;
    struct kernel_record record; /* as far as it is known; grown, not in an arena */
    struct map index;            /* from instruction to its place in the table */
    const struct instruction **known;
    u32 instruction_room;
    struct block_recorder *blocks, *free_blocks;
    u64 blocks_done;
    u64 steps, raw_bytes;
    u32 launch, event; /* number of its launch, and of that event */
    struct bytes scratch;
};

struct kernel_recorder *kernel_recorder_create(struct container_writer *file,
                                               const struct grid_source *inner);
void kernel_recorder_destroy(struct kernel_recorder *k);
struct grid_source kernel_recorder_grid(struct kernel_recorder *k);
u64 kernel_recorder_held_bytes(const struct kernel_recorder *k);

#endif
