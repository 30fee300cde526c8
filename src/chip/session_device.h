/* What a CUDA program is told about its device: the chip file, as front/cuda/device.h reads it. */
#ifndef CHIP_SESSION_DEVICE_H
#define CHIP_SESSION_DEVICE_H

#include "gpu/config.h"

void session_describe_device(const struct gpu_config *c, const char *name);

#endif
