/* Short names for the integer types that the whole simulator uses. */
#ifndef BASE_TYPES_H
#define BASE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t i8;
typedef int16_t i16;
typedef int32_t i32;
typedef int64_t i64;
__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 i128;

/* A count of ticks of one clock domain. */
typedef u64 cycle_t;
#define CYCLE_NEVER UINT64_MAX

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

static inline u64 min_u64(u64 a, u64 b)
{
    return a < b ? a : b;
}

static inline u64 max_u64(u64 a, u64 b)
{
    return a > b ? a : b;
}

#endif
