/* What a CUDA program is told about its device: the chip file, as cuda/core/device.h reads it. */
#ifndef RUN_SESSION_DEVICE_H
#define RUN_SESSION_DEVICE_H

#include "base/text.h"
#include "gpu/config.h"

void session_describe_device(const struct gpu_config *c, const char *name);

/* All that a program can learn of it, and what else a recording without timing depends on, as text.
 */
void session_device_text(const struct gpu_config *c, const char *name, struct text *out);

#endif
