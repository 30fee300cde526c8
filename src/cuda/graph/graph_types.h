/*
 * How the API describes nodes of graphs, and memory that is mapped, beyond what include/cuda has:
 * layouts and names are those of CUDA 13.0. The runtime's structures are the same but for those in
 * runtime/types.h.
 */
#ifndef CUDA_GRAPH_GRAPH_TYPES_H
#define CUDA_GRAPH_GRAPH_TYPES_H

#include "base/types.h"
#include "cuda/core/export.h"

typedef struct {
    int allocType, handleTypes;
    CUmemLocation location;
    void *win32SecurityAttributes;
    size_t maxSize;
    unsigned short usage;
    unsigned char reserved[54];
} CUmemPoolProps;

typedef struct {
    CUmemLocation location;
    int flags; /* 0 none, 1 read, 3 read and write */
} CUmemAccessDesc;

typedef struct {
    CUmemPoolProps poolProps;
    const CUmemAccessDesc *accessDescs;
    size_t accessDescCount;
    size_t bytesize;
    CUdeviceptr dptr;
} CUDA_MEM_ALLOC_NODE_PARAMS;

enum { CU_GRAPH_COND_TYPE_IF, CU_GRAPH_COND_TYPE_WHILE, CU_GRAPH_COND_TYPE_SWITCH };
#define CU_GRAPH_COND_ASSIGN_DEFAULT 1u

typedef struct {
    u64 handle;
    int type;
    unsigned int size;
    CUgraph *phGraph_out;
    CUcontext ctx; /* not in the runtime's */
} CUDA_CONDITIONAL_NODE_PARAMS;

enum { CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE, CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE };

typedef struct {
    CUgraph graph;
    int ownership;
} CUDA_CHILD_GRAPH_NODE_PARAMS;

/* One operation of cuStreamBatchMemOp. */
enum {
    CU_STREAM_MEM_OP_WAIT_VALUE_32 = 1,
    CU_STREAM_MEM_OP_WRITE_VALUE_32 = 2,
    CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES = 3,
    CU_STREAM_MEM_OP_WAIT_VALUE_64 = 4,
    CU_STREAM_MEM_OP_WRITE_VALUE_64 = 5,
    CU_STREAM_MEM_OP_BARRIER = 6,
};
enum {
    CU_STREAM_WAIT_VALUE_GEQ,
    CU_STREAM_WAIT_VALUE_EQ,
    CU_STREAM_WAIT_VALUE_AND,
    CU_STREAM_WAIT_VALUE_NOR,
};

typedef union {
    int operation;
    struct {
        int operation;
        CUdeviceptr address;
        cuuint64_t value; /* 32 bits count where the operation says so */
        unsigned int flags;
        CUdeviceptr alias;
    } value;
    cuuint64_t pad[6];
} CUstreamBatchMemOpParams;

typedef struct {
    CUcontext ctx;
    unsigned int count;
    CUstreamBatchMemOpParams *paramArray;
    unsigned int flags;
} CUDA_BATCH_MEM_OP_NODE_PARAMS;

typedef struct {
    CUgraphNodeType type;
    int reserved0[3];
    union {
        long long reserved1[29];
        CUDA_KERNEL_NODE_PARAMS kernel;
        struct {
            int flags, reserved;
            CUcontext copyCtx;
            CUDA_MEMCPY3D copyParams;
        } memcpy;
        CUDA_MEMSET_NODE_PARAMS memset;
        CUDA_HOST_NODE_PARAMS host;
        CUDA_CHILD_GRAPH_NODE_PARAMS graph;
        CUevent event; /* to wait for, or to record */
        CUDA_MEM_ALLOC_NODE_PARAMS alloc;
        CUdeviceptr free;
        CUDA_BATCH_MEM_OP_NODE_PARAMS memOp;
        CUDA_CONDITIONAL_NODE_PARAMS conditional;
    };
    long long reserved2;
} CUgraphNodeParams;

typedef struct {
    cuuint64_t flags;
    CUstream uploadStream;
    CUgraphNode errNode_out;
    int result_out;
} CUDA_GRAPH_INSTANTIATE_PARAMS;

#define CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH 1u
#define CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH 4u

enum {
    CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT,
    CU_GRAPH_MEM_ATTR_USED_MEM_HIGH,
    CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT,
    CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH,
};

/* Physical memory, for cuMemCreate. */
typedef struct {
    int type;                 /* 1: pinned */
    int requestedHandleTypes; /* 1: a file descriptor */
    CUmemLocation location;
    void *win32HandleMetaData;
    struct {
        unsigned char compressionType, gpuDirectRDMACapable;
        unsigned short usage;
        unsigned char reserved[4];
    } allocFlags;
} CUmemAllocationProp;

#endif
