/*
 * Runs cases on a device through the driver API and hands back their outputs.
 *
 * One context at a time; a kernel that faults ruins it, so the context is then made anew and the
 * remaining cases go on.
 */
#ifndef CONFORM_DEVICE_H
#define CONFORM_DEVICE_H

#include "driver.h"
#include "suite.h"

struct device {
    struct driver driver;
    CUdevice id;
    CUcontext context;
    char name[128], why[4096]; /* why: the last failure in words */
    int version, sm;           /* 13000, 90 */
    u32 faults;                /* contexts lost: modules loaded before are gone */
};

bool device_open(struct device *d, const char *library);
void device_close(struct device *d);

/* A module of `count` cases; on failure `why` says what the driver said. */
bool device_load(struct device *d, struct test_case *const *cases, u32 count, CUmodule *module);
void device_unload(struct device *d, CUmodule module);

/* `inputs` from case_fill; `outputs` holds out_bytes. */
bool device_run(struct device *d, CUmodule module, const struct test_case *c, const u8 *inputs,
                u8 *outputs);

#endif
