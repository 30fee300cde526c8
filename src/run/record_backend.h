/*
 * A CUDA program run for its answers alone, while what its warps do is recorded.
 *
 * Device queries are answered from the chip file, and warps are seen executing
 * what the chip's would, so that a replay on it is that of a timed run; but for
 * what follows from timing itself (source/recording/recorder.h).
 */
#ifndef RUN_RECORD_BACKEND_H
#define RUN_RECORD_BACKEND_H

#include "cuda/core/backend.h"
#include "gpu/config.h"

struct recorder;

/* One per process, as the CUDA API is. The recorder is the caller's, which closes it; when a kernel
 * fails it is discarded, and NULL. */
const struct cuda_backend *record_backend(const struct gpu_config *chip, struct recorder **recorder,
                                          u64 max_instructions);
bool record_backend_has_run(void);

#endif
