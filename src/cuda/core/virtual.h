/*
 * Virtual memory management: addresses, physical memory and the mappings between them, each made on
 * its own.
 *
 * Physical memory is a file without a name, so that it can be in several places and be handed to
 * another process as a descriptor. A mapping becomes memory when access to it is allowed.
 */
#ifndef CUDA_CORE_VIRTUAL_H
#define CUDA_CORE_VIRTUAL_H

#include "cuda/core/core.h"
#include "cuda/graph/graph_types.h"

struct cu_physical {
    struct cu_object object;
    CUmemAllocationProp prop;
    u64 bytes;
    int file;
    u32 handles, mappings; /* that keep it */
};

struct cu_mapping {
    struct cu_mapping *next;
    u64 start, bytes;
    struct cu_physical *physical;
    int access; /* 0 none, 1 read, 3 read and write */
};

CUresult cu_physical_create(u64 bytes, const CUmemAllocationProp *prop, struct cu_physical **out);
CUresult cu_physical_import(int file, struct cu_physical **out);
void cu_physical_release(struct cu_physical *p); /* one handle */
CUresult cu_mapping_add(u64 start, u64 bytes, struct cu_physical *p);
/* Whole mappings only: CUDA_ERROR_INVALID_VALUE. */
CUresult cu_mapping_remove(u64 start, u64 bytes);
CUresult cu_mapping_allow(CUcontext context, u64 start, u64 bytes, int access);
struct cu_mapping *cu_mapping_find(u64 address);

#endif
