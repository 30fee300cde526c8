/*
 * The regions of a kernel: the buffers that it was given.
 *
 * A kernel reaches global memory through pointers among its parameters. Each allocation that one
 * of them points into is a region of the launch; what is reached in another way (a pointer stored
 * in memory, a variable of the module, device malloc) is in none. CUDA does not say which
 * parameters are pointers: every 8 aligned bytes that lie inside an allocation are taken for one.
 */
#ifndef DEVICE_KERNEL_REGIONS_H
#define DEVICE_KERNEL_REGIONS_H

#include "device/memory.h"

#define MOST_REGIONS 16u /* ids of 4 bits: Lee 2013, figure 52 */

struct region {
    u64 start, bytes;
};

struct region_list {
    struct region at[MOST_REGIONS]; /* in the order of the parameters */
    u32 count;
    u32 beyond; /* more than there are ids for */
    u64 beyond_bytes;
};

void regions_find(const struct device_memory *m, const void *params, u32 bytes,
                  struct region_list *out);

/* Of all, those without an id too. */
static inline u64 regions_bytes(const struct region_list *l)
{
    u64 sum = l->beyond_bytes;
    for (u32 i = 0; i < l->count; i++)
        sum += l->at[i].bytes;
    return sum;
}

#endif
