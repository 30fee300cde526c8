/*
 * The library of NVIDIA's that lies behind a drop-in of the same name.
 *
 * A drop-in that changes a few calls hands the rest on. It is found first because its folder comes
 * first in LD_LIBRARY_PATH; the other one is where the loader would look next.
 */
#ifndef CUDA_LIBRARIES_BEHIND_H
#define CUDA_LIBRARIES_BEHIND_H

#include "base/types.h"

/* A call of NVIDIA's library `file` ("libnvrtc.so.13"); NULL: there is no such library, which is
 * said once on stderr, or it has no such call. */
void *behind_call(const char *file, const char *name);

#endif
