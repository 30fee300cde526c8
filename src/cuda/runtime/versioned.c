/* What differs between the libraries of CUDA 11, 12 and 13: compiled once for each, with
 * CUDART_MAJOR saying which. */
#include "cuda/graph/capture.h"
#include "cuda/driver/extra.h"
#include "cuda/graph/graph.h"
#include "cuda/core/memory.h"
#include "cuda/runtime/properties.h"
#include "cuda/runtime/runtime.h"

#include <string.h>

const int rt_major = CUDART_MAJOR;

/* runtime/copy.c */
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, cudaStream_t s);
cudaError_t cudaMemcpyAsync_ptsz(void *to, const void *from, size_t bytes, int kind,
                                 cudaStream_t s);

#if CUDART_MAJOR == 11
#define VERSION 11080
#elif CUDART_MAJOR == 12
#define VERSION 12090
#else
#define VERSION 13000
#endif

RT(cudaRuntimeGetVersion, int *version)
{
    RT_NEED(version);
    *version = VERSION;
    return cudaSuccess;
}

/* ---- device properties ---- */

#define SET(field, key) p->field = (__typeof__(p->field))a[CU_DEVICE_ATTRIBUTE_##key];
#define NAME_SET(p, props)                                                                         \
    memcpy((p)->name, (props)->name, sizeof((p)->name));                                           \
    memcpy((p)->uuid, (props)->uuid, sizeof((p)->uuid));                                           \
    (p)->totalGlobalMem = (props)->memory_bytes

#if CUDART_MAJOR >= 13
RT(cudaGetDeviceProperties, struct cudaDeviceProp13 *p, int device)
{
    CU_GUARD
    RT_TRY(cu_init());
    RT_NEED(p);
    if (device != 0)
        return rt_result(cudaErrorInvalidDevice);
    const int *a = core->props.attribute;
    memset(p, 0, sizeof(*p));
    NAME_SET(p, &core->props);
    PROPERTIES(SET)
    PROPERTIES_13(SET)
    return cudaSuccess;
}
#else
static cudaError_t properties(struct cudaDeviceProp12 *out, size_t bytes, int device)
{
    CU_GUARD
    RT_TRY(cu_init());
    RT_NEED(out);
    if (device != 0)
        return rt_result(cudaErrorInvalidDevice);
    const int *a = core->props.attribute;
    struct cudaDeviceProp12 all = {0}, *p = &all;
    NAME_SET(p, &core->props);
    PROPERTIES(SET)
    PROPERTIES_12(SET)
    memcpy(out, p, bytes);
    return cudaSuccess;
}

/* The plain name kept 11's shape. */
RT(cudaGetDeviceProperties, struct cudaDeviceProp12 *p, int device)
{
    return properties(p, offsetof(struct cudaDeviceProp12, hostRegisterSupported), device);
}

RT(cudaGetDeviceProperties_v2, struct cudaDeviceProp12 *p, int device)
{
    return properties(p, sizeof(*p), device);
}
#endif

/* ---- hints about managed memory: a device number, or from 13 on a location ---- */

static cudaError_t advise(const void *address, size_t bytes, int advice, int device)
{
    RT_CALL(context)
    u64 at = (u64)(uintptr_t)address;
    RT_NEED(bytes && cu_memory_describe(at).is_managed);
    if (device != 0 && device != CU_DEVICE_CPU)
        return rt_result(cudaErrorInvalidDevice);
    struct cu_block *b = cu_memory_find(at);
    if (!b)
        return cudaSuccess; /* a __managed__ variable: a hint without effect */
    if (advice == CU_MEM_ADVISE_SET_READ_MOSTLY || advice == CU_MEM_ADVISE_UNSET_READ_MOSTLY)
        b->read_mostly = advice == CU_MEM_ADVISE_SET_READ_MOSTLY;
    else if (advice == CU_MEM_ADVISE_SET_PREFERRED_LOCATION)
        b->preferred = (u64)(u32)device + 1;
    else if (advice == CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION)
        b->preferred = 0;
    else
        RT_NEED(advice == CU_MEM_ADVISE_SET_ACCESSED_BY ||
                advice == CU_MEM_ADVISE_UNSET_ACCESSED_BY);
    return cudaSuccess;
}

static cudaError_t prefetch(const void *address, size_t bytes, int device, CUstream handle,
                            bool per_thread)
{
    RT_CALL(context)
    CUstream stream = NULL;
    RT_TRY(cu_stream_get(context, handle, per_thread, &stream));
    RT_NEED(bytes && cu_memory_describe((u64)(uintptr_t)address).is_managed);
    if (device != 0 && device != CU_DEVICE_CPU)
        return rt_result(cudaErrorInvalidDevice);
    struct cu_block *b = cu_memory_find((u64)(uintptr_t)address);
    if (b)
        b->last_prefetch = (u64)(u32)device + 1;
    return cudaSuccess;
}

#if CUDART_MAJOR >= 12
static int location_device(cudaMemLocation location)
{
    return location.type == CU_MEM_LOCATION_TYPE_DEVICE ? location.id : CU_DEVICE_CPU;
}
#endif

#if CUDART_MAJOR >= 13
#define ADVISE_LOCATION cudaMemAdvise
#define PREFETCH_LOCATION(suffix) RT_PASTE(cudaMemPrefetchAsync, suffix)
#else
#define ADVISE_LOCATION cudaMemAdvise_v2
#define PREFETCH_LOCATION(suffix) RT_PASTE(cudaMemPrefetchAsync_v2, suffix)

RT(cudaMemAdvise, const void *address, size_t bytes, int advice, int device)
{
    return advise(address, bytes, advice, device);
}

RT(cudaMemPrefetchAsync, const void *address, size_t bytes, int device, cudaStream_t stream)
{
    return prefetch(address, bytes, device, stream, false);
}

RT(cudaMemPrefetchAsync_ptsz, const void *address, size_t bytes, int device, cudaStream_t stream)
{
    return prefetch(address, bytes, device, stream, true);
}
#endif

#if CUDART_MAJOR >= 12
RT(ADVISE_LOCATION, const void *address, size_t bytes, int advice, cudaMemLocation location)
{
    return advise(address, bytes, advice, location_device(location));
}

RT(PREFETCH_LOCATION(), const void *address, size_t bytes, cudaMemLocation location,
   unsigned int flags, cudaStream_t stream)
{
    RT_NEED(!flags);
    return prefetch(address, bytes, location_device(location), stream, false);
}

RT(PREFETCH_LOCATION(_ptsz), const void *address, size_t bytes, cudaMemLocation location,
   unsigned int flags, cudaStream_t stream)
{
    RT_NEED(!flags);
    return prefetch(address, bytes, location_device(location), stream, true);
}
#endif

/* ---- graphs ---- */

#if CUDART_MAJOR >= 12
RT(cudaGraphInstantiate, cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    RT_CALL(context)
    RT_NEED(exec && cu_object_is(graph, CU_KIND_GRAPH));
    return rt_result((int)cu_graph_instantiate(graph, flags, exec));
}

RT(cudaGraphExecUpdate, cudaGraphExec_t exec, cudaGraph_t graph,
   CUgraphExecUpdateResultInfo *result)
{
    RT_CALL(context)
    RT_NEED(result && cu_object_is(graph, CU_KIND_GRAPH));
    RT_NEED_HANDLE(exec, CU_KIND_EXEC);
    return rt_result((int)cu_graph_exec_update(exec, graph, result));
}
#else
RT(cudaGraphInstantiate, cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *error_node,
   char *log, size_t log_bytes)
{
    RT_CALL(context)
    RT_NEED(exec && cu_object_is(graph, CU_KIND_GRAPH));
    if (error_node)
        *error_node = NULL;
    if (log && log_bytes)
        *log = 0;
    return rt_result((int)cu_graph_instantiate(graph, 0, exec));
}

RT(cudaGraphExecUpdate, cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *error_node,
   int *result)
{
    RT_CALL(context)
    RT_NEED(result && cu_object_is(graph, CU_KIND_GRAPH));
    RT_NEED_HANDLE(exec, CU_KIND_EXEC);
    CUgraphExecUpdateResultInfo info = {0};
    CUresult status = cu_graph_exec_update(exec, graph, &info);
    *result = (int)info.result;
    if (error_node)
        *error_node = info.errorNode;
    return rt_result((int)status);
}
#endif

static cudaError_t edges_change(cudaGraph_t graph, const cudaGraphNode_t *from,
                                const cudaGraphNode_t *to, size_t count, bool add)
{
    RT_CALL(context)
    RT_NEED(cu_object_is(graph, CU_KIND_GRAPH) && (!count || (from && to)));
    return rt_result((int)(add ? cu_graph_connect(graph, from, to, count)
                               : cu_graph_disconnect(graph, from, to, count)));
}

static cudaError_t edges_get(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                             size_t *count)
{
    RT_CALL(context)
    RT_NEED(count && cu_object_is(graph, CU_KIND_GRAPH));
    return rt_result((int)cu_graph_edges(graph, from, to, count));
}

static cudaError_t neighbours(cudaGraphNode_t node, bool before, cudaGraphNode_t *nodes,
                              size_t *count)
{
    RT_CALL(context)
    RT_NEED(count && cu_object_is(node, CU_KIND_NODE));
    return rt_result((int)cu_graph_neighbours(node, before, nodes, count));
}

/* The forms with edge data are plain in 13 and called _v2 in 12. The data says how loosely an edge
 * may order; every edge of ours orders fully. */
#if CUDART_MAJOR >= 13
#define WITH_EDGES(name) name
#else
#define WITH_EDGES(name) RT_PASTE(name, _v2)

RT(cudaGraphAddNode, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
   size_t after_count, CUgraphNodeParams *p)
{
    return rt_node_add(node, graph, after, after_count, p);
}

RT(cudaGraphAddDependencies, cudaGraph_t graph, const cudaGraphNode_t *from,
   const cudaGraphNode_t *to, size_t count)
{
    return edges_change(graph, from, to, count, true);
}

RT(cudaGraphRemoveDependencies, cudaGraph_t graph, const cudaGraphNode_t *from,
   const cudaGraphNode_t *to, size_t count)
{
    return edges_change(graph, from, to, count, false);
}

RT(cudaGraphGetEdges, cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count)
{
    return edges_get(graph, from, to, count);
}

RT(cudaGraphNodeGetDependencies, cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count)
{
    return neighbours(node, true, nodes, count);
}

RT(cudaGraphNodeGetDependentNodes, cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count)
{
    return neighbours(node, false, nodes, count);
}
#endif

RT(WITH_EDGES(cudaGraphAddNode), cudaGraphNode_t *node, cudaGraph_t graph,
   const cudaGraphNode_t *after, const void *data, size_t after_count, CUgraphNodeParams *p)
{
    (void)data;
    return rt_node_add(node, graph, after, after_count, p);
}

RT(WITH_EDGES(cudaGraphAddDependencies), cudaGraph_t graph, const cudaGraphNode_t *from,
   const cudaGraphNode_t *to, const void *data, size_t count)
{
    (void)data;
    return edges_change(graph, from, to, count, true);
}

RT(WITH_EDGES(cudaGraphRemoveDependencies), cudaGraph_t graph, const cudaGraphNode_t *from,
   const cudaGraphNode_t *to, const void *data, size_t count)
{
    (void)data;
    return edges_change(graph, from, to, count, false);
}

RT(WITH_EDGES(cudaGraphGetEdges), cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
   void *data, size_t *count)
{
    (void)data;
    return edges_get(graph, from, to, count);
}

RT(WITH_EDGES(cudaGraphNodeGetDependencies), cudaGraphNode_t node, cudaGraphNode_t *nodes,
   void *data, size_t *count)
{
    (void)data;
    return neighbours(node, true, nodes, count);
}

RT(WITH_EDGES(cudaGraphNodeGetDependentNodes), cudaGraphNode_t node, cudaGraphNode_t *nodes,
   void *data, size_t *count)
{
    (void)data;
    return neighbours(node, false, nodes, count);
}

/* ---- what is known of a capture ---- */

struct capture_info {
    int *status;
    unsigned long long *id;
    cudaGraph_t *graph;
    const cudaGraphNode_t **dependencies;
    size_t *count;
};

static cudaError_t capture_get(CUstream handle, bool per_thread, const struct capture_info *i)
{
    RT_CALL(context)
    CUstream stream = NULL;
    RT_TRY(cu_stream_get(context, handle, per_thread, &stream));
    RT_NEED(i->status);
    *i->status = !stream->capture              ? CU_STREAM_CAPTURE_STATUS_NONE
                 : stream->capture->is_invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                               : CU_STREAM_CAPTURE_STATUS_ACTIVE;
    if (!stream->capture)
        return cudaSuccess;
    if (i->id)
        *i->id = stream->capture->id;
    if (i->graph)
        *i->graph = stream->capture->graph;
    if (i->dependencies)
        *i->dependencies = stream->last;
    if (i->count)
        *i->count = stream->last_count;
    return cudaSuccess;
}

#define CAPTURE_FULL(name, per_thread)                                                             \
    RT(name, cudaStream_t stream, int *status, unsigned long long *id, cudaGraph_t *graph,         \
       const cudaGraphNode_t **dependencies, const void **data, size_t *count)                     \
    {                                                                                              \
        if (data)                                                                                  \
            *data = NULL;                                                                          \
        struct capture_info i = {status, id, graph, dependencies, count};                          \
        return capture_get(stream, per_thread, &i);                                                \
    }
#define CAPTURE_GRAPH(name, per_thread)                                                            \
    RT(name, cudaStream_t stream, int *status, unsigned long long *id, cudaGraph_t *graph,         \
       const cudaGraphNode_t **dependencies, size_t *count)                                        \
    {                                                                                              \
        struct capture_info i = {status, id, graph, dependencies, count};                          \
        return capture_get(stream, per_thread, &i);                                                \
    }
#define CAPTURE_ID(name, per_thread)                                                               \
    RT(name, cudaStream_t stream, int *status, unsigned long long *id)                             \
    {                                                                                              \
        struct capture_info i = {.status = status, .id = id};                                      \
        return capture_get(stream, per_thread, &i);                                                \
    }

/* What captured work comes next after. */
static cudaError_t capture_depend(CUstream handle, bool per_thread, const cudaGraphNode_t *nodes,
                                  size_t count, unsigned int flags)
{
    RT_CALL(context)
    CUstream stream = NULL;
    RT_TRY(cu_stream_get(context, handle, per_thread, &stream));
    RT_NEED(flags <= 1);
    return rt_result((int)cu_capture_depend(stream, nodes, count, flags == 1));
}

#define CAPTURE_DEPEND(name, per_thread)                                                           \
    RT(name, cudaStream_t stream, cudaGraphNode_t *nodes, size_t count, unsigned int flags)        \
    {                                                                                              \
        return capture_depend(stream, per_thread, nodes, count, flags);                            \
    }
#define CAPTURE_DEPEND_EDGES(name, per_thread)                                                     \
    RT(name, cudaStream_t stream, cudaGraphNode_t *nodes, const void *data, size_t count,          \
       unsigned int flags)                                                                         \
    {                                                                                              \
        (void)data;                                                                                \
        return capture_depend(stream, per_thread, nodes, count, flags);                            \
    }

#if CUDART_MAJOR >= 13
CAPTURE_DEPEND_EDGES(cudaStreamUpdateCaptureDependencies, false)
CAPTURE_DEPEND_EDGES(cudaStreamUpdateCaptureDependencies_ptsz, true)
#else
CAPTURE_DEPEND(cudaStreamUpdateCaptureDependencies, false)
CAPTURE_DEPEND(cudaStreamUpdateCaptureDependencies_ptsz, true)
CAPTURE_DEPEND_EDGES(cudaStreamUpdateCaptureDependencies_v2, false)
#endif

#if CUDART_MAJOR >= 13
CAPTURE_FULL(cudaStreamGetCaptureInfo, false)
CAPTURE_FULL(cudaStreamGetCaptureInfo_ptsz, true)
#else
CAPTURE_ID(cudaStreamGetCaptureInfo, false)
CAPTURE_ID(cudaStreamGetCaptureInfo_ptsz, true)
CAPTURE_GRAPH(cudaStreamGetCaptureInfo_v2, false)
CAPTURE_GRAPH(cudaStreamGetCaptureInfo_v2_ptsz, true)
CAPTURE_FULL(cudaStreamGetCaptureInfo_v3, false)
CAPTURE_FULL(cudaStreamGetCaptureInfo_v3_ptsz, true)
#endif

/* ---- several copies at once ---- */

static cudaError_t copy_batch(void *const *to, const void *const *from, const size_t *bytes,
                              size_t count, size_t *failed, cudaStream_t stream, bool per_thread)
{
    RT_NEED(to && from && bytes && count);
    for (size_t i = 0; i < count; i++) {
        cudaError_t (*copy)(void *, const void *, size_t, int, cudaStream_t) =
            per_thread ? cudaMemcpyAsync_ptsz : cudaMemcpyAsync;
        cudaError_t status = copy(to[i], from[i], bytes[i], cudaMemcpyDefault, stream);
        if (status && failed)
            *failed = i;
        if (status)
            return status;
    }
    return cudaSuccess;
}

#if CUDART_MAJOR >= 13
#define FAILED_ARGUMENT
#define FAILED NULL
#else
#define FAILED_ARGUMENT size_t *failed,
#define FAILED failed
#endif
/* Attributes say how a copy may read its source: hints. */
#define COPY_BATCH(name, per_thread)                                                               \
    RT(name, void *const *to, const void *const *from, const size_t *bytes, size_t count,          \
       void *attributes, size_t *indices, size_t attribute_count, FAILED_ARGUMENT cudaStream_t s)  \
    {                                                                                              \
        (void)attributes, (void)indices, (void)attribute_count;                                    \
        return copy_batch(to, from, bytes, count, FAILED, s, per_thread);                          \
    }
COPY_BATCH(cudaMemcpyBatchAsync, false)
COPY_BATCH(cudaMemcpyBatchAsync_ptsz, true)

/* ---- the driver interface, by name ---- */

static cudaError_t entry_point(const char *symbol, void **function, u32 version, u64 flags,
                               int *status)
{
    RT_NEED(symbol && function);
    CUdriverProcAddressQueryResult result = CU_GET_PROC_ADDRESS_SUCCESS;
    int error = (int)cuGetProcAddress_v2(symbol, function, (int)version, flags, &result);
    if (status)
        *status = (int)result;
    return rt_result(error);
}

RT(cudaGetDriverEntryPoint, const char *symbol, void **function, unsigned long long flags,
   int *status)
{
    return entry_point(symbol, function, VERSION, flags, rt_major >= 12 ? status : NULL);
}

RT(cudaGetDriverEntryPoint_ptsz, const char *symbol, void **function, unsigned long long flags,
   int *status)
{
    return entry_point(symbol, function, VERSION,
                       flags ? flags : CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
                       rt_major >= 12 ? status : NULL);
}

RT(cudaGetDriverEntryPointByVersion, const char *symbol, void **function, unsigned int version,
   unsigned long long flags, int *status)
{
    return entry_point(symbol, function, version, flags, status);
}

RT(cudaGetDriverEntryPointByVersion_ptsz, const char *symbol, void **function, unsigned int version,
   unsigned long long flags, int *status)
{
    return entry_point(symbol, function, version,
                       flags ? flags : CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, status);
}
