/* Where the memory of a simulated device lies in this process. */
#ifndef DEVICE_ADDRESS_SPACE_H
#define DEVICE_ADDRESS_SPACE_H

#include "base/types.h"

/* Addresses that nothing can be read from or written to yet: the same on every run, for the first
 * device as for the next. 0: none are left. */
u64 region_reserve(u64 bytes);

#endif
