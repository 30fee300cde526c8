/* Short names of the host's integers; device.h has the device's. */
#ifndef WORKLOADS_TYPES_H
#define WORKLOADS_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t i64;

#endif
