/*
 * Allocations as CUDA counts them, over the device's memory.
 *
 * Every kind of memory an application can ask for lies in the one region of
 * device/memory.h, where host and device use the same address.
 */
#ifndef CUDA_CORE_MEMORY_H
#define CUDA_CORE_MEMORY_H

#include "cuda/core/core.h"

enum cu_memory_kind {
    CU_MEMORY_DEVICE,
    CU_MEMORY_MANAGED,
    CU_MEMORY_HOST,       /* pinned */
    CU_MEMORY_REGISTERED, /* the application's own, made known */
    CU_MEMORY_ARRAY,
    CU_MEMORY_POOL,   /* in stream order */
    CU_MEMORY_HEAP,   /* malloc() in a kernel */
    CU_MEMORY_LAUNCH, /* arguments of a launch that a kernel prepares */
    CU_MEMORY_GRAPH,  /* of a node of a graph: in addresses that it keeps */
    CU_MEMORY_MAPPED, /* virtual.h: counted by its creator */
    CU_MEMORY_KINDS,
};

struct cu_block {
    u64 start, bytes;
    enum cu_memory_kind kind;
    u32 flags; /* as given to cuMemHostAlloc or cuMemHostRegister */
    u64 id;
    CUcontext context;
    CUmemoryPool pool;
    u64 preferred, last_prefetch; /* managed: location type and id as asked for */
    bool read_mostly;
};

struct CUmemPoolHandle_st {
    struct cu_object object;
    u64 used_bytes, used_high, threshold;
    u64 kept_bytes, kept_high; /* in use, or kept for the next allocation */
    u64 attribute[4];
};

CU_SHARED CUresult cu_memory_alloc(CUcontext context, enum cu_memory_kind kind, u64 bytes,
                                   u32 flags, u64 *address);
/* Rows of at least width_bytes, each on a boundary that textures and copies like. */
CU_SHARED CUresult cu_memory_alloc_pitched(CUcontext context, u64 width_bytes, u64 rows, u64 *pitch,
                                           u64 *address);
/* Address 0 is nothing; any other must be the start of a block of one of `kinds` (bits). */
CU_SHARED CUresult cu_memory_free(u64 address, u32 kinds);
#define CU_FREE_DEVICE                                                                             \
    (1u << CU_MEMORY_DEVICE | 1u << CU_MEMORY_MANAGED | 1u << CU_MEMORY_POOL |                     \
     1u << CU_MEMORY_GRAPH)
#define CU_FREE_HOST (1u << CU_MEMORY_HOST)
/* Into reserved addresses: see memory_map. */
CU_SHARED CUresult cu_memory_map(CUcontext context, enum cu_memory_kind kind, u64 start, u64 bytes,
                                 int file, u64 offset);
/* Do host and kernels both see it: managed, pinned or registered memory? */
bool cu_memory_is_shared(u64 address);
/* Without waiting for work that may use it. */
void cu_memory_release(u64 address);
CU_SHARED CUresult cu_memory_register(CUcontext context, void *start, u64 bytes, u32 flags);
CU_SHARED CUresult cu_memory_unregister(void *start);
void cu_memory_drop_all(CUcontext context);

/* The block that holds an address; NULL: host memory we know nothing of, or a variable. */
CU_SHARED struct cu_block *cu_memory_find(u64 address);
/* Is all of it memory that kernels can reach? A variable of a module counts. */
CU_SHARED bool cu_memory_holds(u64 address, u64 bytes);
CU_SHARED void cu_memory_info(u64 *free_bytes, u64 *total_bytes);

struct cu_pointer {
    CUmemorytype type; /* 0: unknown to us */
    bool is_managed;
    u64 start, bytes, id;
    CUcontext context;
    u32 flags;
    CUmemoryPool pool;
};

CU_SHARED struct cu_pointer cu_memory_describe(u64 address);

CU_SHARED CUmemoryPool cu_pool_default(void);
CU_SHARED CUresult cu_pool_create(CUmemoryPool *out);
/* Fails while memory of it is in use, and for the default one. */
CU_SHARED CUresult cu_pool_destroy(CUmemoryPool pool);
CU_SHARED CUresult cu_pool_attribute_get(CUmemoryPool pool, u32 key, void *value);
CU_SHARED void cu_pool_trim(CUmemoryPool pool, u64 keep_bytes);
CU_SHARED CUresult cu_pool_attribute_set(CUmemoryPool pool, u32 key, const void *value);
CU_SHARED CUresult cu_pool_alloc(CUmemoryPool pool, u64 bytes, CUstream stream, u64 *address);
CU_SHARED CUresult cu_pool_free(u64 address, CUstream stream);

#endif
