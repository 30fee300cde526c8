/*
 * Accesses of global memory that are in no allocation.
 *
 * A GPU checks pages, not arrays: what lies beside an array on its page of 2 MiB can be read and
 * written, and so, as a rule, can the pages beside it, which hold other arrays or the driver's own
 * data. Some programs do that. Strictly, such an access is a fault. Otherwise it goes on: reads
 * give zeros, writes are lost, and no array is touched. A page or more away from every allocation
 * it is a fault in any case, as it nearly always is on a GPU.
 */
#ifndef DEVICE_BOUNDS_H
#define DEVICE_BOUNDS_H

#include "base/err.h"
#include "base/types.h"

#include <stdatomic.h>

struct device_memory;

#define BOUNDS_MODES "strict", "warn", "off"
enum bounds_mode { BOUNDS_STRICT, BOUNDS_WARN, BOUNDS_OFF };

#define BOUNDS_DEFAULT BOUNDS_WARN /* as a GPU: unmodified programs run */

struct bounds {
    enum bounds_mode mode;
    u64 end;            /* of the device's addresses */
    u64 zeros, sink;    /* where stray lanes read and write instead: a page each */
    atomic_bool strays; /* one has been seen */
    atomic_bool is_told;
    struct err first; /* of them, when is_told */
};

/* False: the device's memory has no room for the two pages, and the mode is strict. */
bool bounds_set(struct device_memory *m, enum bounds_mode mode);
/* Is it less than a page away from an allocation? */
bool bounds_is_near(const struct device_memory *m, u64 address);
/* Where a lane goes that asks for what is in no allocation; 0: nowhere, it is a fault. */
u64 bounds_instead(const struct device_memory *m, u64 address, bool reads);

#endif
