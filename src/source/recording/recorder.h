/*
 * Records what the warps of a run do, so that it can be timed again without
 * being executed: see recording.h for the other side.
 *
 * A kernel's source is wrapped; the wrapped source does what the inner one does
 * and notes every step. Blocks may run in any order and several at a time. What
 * is kept in memory is the streams of blocks that are under way: one that ends is
 * compressed and written at once. Nothing may happen at the same time in several
 * threads.
 *
 * A replay repeats each warp's instructions, lanes and addresses, and its waiting
 * at barriers, whatever the timing. It cannot repeat what follows from the timing
 * itself: a spin lock goes round as often as it did, %clock and %smid read what
 * they read, atomics return what they returned, and blocks that wait for each
 * other through memory do not wait. On a chip with the timing of the recorded run
 * the cycles are the same all the same. When lanes of one warp part and wait at
 * barriers separately, their paths follow each other in the recorded order.
 */
#ifndef SOURCE_RECORDING_RECORDER_H
#define SOURCE_RECORDING_RECORDER_H

#include "source/warp_instruction.h"

struct recorder;

/* The file appears under its name when the recorder is closed and all went well. */
struct recorder *recorder_open(const char *path, struct err *err);
/* In the order of launches. The inner source must live until the kernel is done. */
void recorder_kernel(struct recorder *r, const struct grid_source *inner,
                     struct grid_source *wrapped);
/* All blocks have ended, as the run noticed now. False: it cannot be recorded, see err. */
bool recorder_kernel_done(struct recorder *r, const struct grid_source *wrapped, struct err *err);
/* The host copied between kernels. */
void recorder_copy(struct recorder *r, u64 to, u64 bytes);
/* Both free the recorder. A kernel that faulted or is not done leaves no file. */
bool recorder_close(struct recorder *r, struct err *err);
void recorder_discard(struct recorder *r);
/* Before a fork: nothing is left that the child could write once more. NULL does nothing. */
void recorder_flush(struct recorder *r);

struct recorder_counts {
    u64 warp_instructions;
    u64 raw_bytes; /* of blocks, before compression */
    u64 file_bytes;
    u64 held_bytes; /* in memory for streams, now */
};
struct recorder_counts recorder_counts(const struct recorder *r);

#endif
