/*
 * The memory of the simulated device.
 *
 * A device pointer is a host pointer into a region reserved at a fixed address,
 * so that the same program sees the same addresses on every run and managed
 * memory needs no copies. Every allocation is known: an access is checked
 * against them before it happens, so a stray pointer in a kernel is a message
 * and never damage.
 */
#ifndef DEVICE_MEMORY_H
#define DEVICE_MEMORY_H

#include "base/err.h"
#include "base/types.h"

struct allocation {
    u64 start, bytes;  /* bytes as asked for */
    u32 flags;         /* whatever the owner wants: see cuda */
    u64 host;          /* registered host memory: same as start */
    const char *label; /* "cudaMalloc", "global variable x"; borrowed */
};

/* A flag of ours: constants of a program, which isspacep tells apart. */
#define MEMORY_CONSTANT 0x80000000u

struct device_memory;
struct bounds;

/* Reserves address space for `limit_bytes`; memory is used as it is touched. */
struct device_memory *memory_create(u64 limit_bytes, struct err *err);
void memory_destroy(struct device_memory *m);

/* 0 when the device is full. Zeroed. align: a power of two, at least 256 is used. */
u64 memory_alloc(struct device_memory *m, u64 bytes, u64 align, const char *label, u32 flags);
/* Host memory that kernels may touch (registered, or a pageable system). */
bool memory_register(struct device_memory *m, u64 start, u64 bytes, const char *label, u32 flags);
/* False if start is not the start of a live allocation. */
bool memory_free(struct device_memory *m, u64 start);

/* Addresses without memory, by units of MEMORY_UNIT_BYTES; 0 when there are none left. `wanted`:
 * where they should start, if that is free; 0: anywhere. */
#define MEMORY_UNIT_BYTES (2ull << 20)
u64 memory_reserve(struct device_memory *m, u64 bytes, u64 align, u64 wanted);
/* False if a reservation does not start there, or holds memory. */
bool memory_unreserve(struct device_memory *m, u64 start);
/* Is all of it within one reservation? */
bool memory_is_reserved(const struct device_memory *m, u64 start, u64 bytes);
/* Whole units of a reservation become an allocation of `bytes`: of `file` from `offset` on, so that
 * the same memory can be in several places, or with file -1 of its own, zeroed. */
bool memory_map(struct device_memory *m, u64 start, u64 bytes, int file, u64 offset,
                const char *label, u32 flags);
/* What was mapped there is addresses again. */
bool memory_unmap(struct device_memory *m, u64 start);

/* Addresses for a program's code: outside all data, never used twice. Nothing is stored
 * there; instruction caches need to know where code would be. */
u64 memory_place_code(struct device_memory *m, u64 bytes);

/* The allocation that holds an address, or NULL. */
const struct allocation *memory_find(const struct device_memory *m, u64 address);
/* The live allocation nearest to an address, for messages; NULL if there is none. */
const struct allocation *memory_nearest(const struct device_memory *m, u64 address);
/* The live allocations, by address. */
u32 memory_count(const struct device_memory *m);
const struct allocation *memory_at(const struct device_memory *m, u32 index);
/* Is it one of ours, which stands for what is in no allocation (device/bounds.h)? */
bool memory_is_spare(const struct device_memory *m, u32 index);
u64 memory_used(const struct device_memory *m);
u64 memory_limit(const struct device_memory *m);
/* Changes whenever an allocation comes or goes: a cached `find` is valid while equal. */
u64 memory_epoch(const struct device_memory *m);
/* What becomes of accesses that are in no allocation: device/bounds.h. */
struct bounds *memory_bounds(struct device_memory *m);

#endif
