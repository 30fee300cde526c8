/*
 * A subset of the CUDA driver API, enough for heddle's workloads, its conformance suite and its
 * own libcuda.so.1, for machines without a CUDA toolkit.
 *
 * Only facts of the public ABI: symbol names, argument types and numbers. Where the ABI has
 * several versions of a call, the plain name maps to the newest version that CUDA 11, 12 and 13
 * drivers all export, so one binary runs on any of them. (NVIDIA's CUDA 13 header maps
 * cuCtxCreate, cuEventElapsedTime, cuMemAdvise, cuMemPrefetchAsync, cuGetProcAddress and the graph
 * edge calls to newer symbols; a drop-in library must export those too.)
 */
#ifndef HEDDLE_CUDA_H
#define HEDDLE_CUDA_H

#include "cuda_types.h"

#define CUDA_VERSION 13000
#define CUDAAPI
#define CUDA_CB

#define CU_STREAM_LEGACY ((CUstream)0x1)
#define CU_STREAM_PER_THREAD ((CUstream)0x2)
#define CU_DEVICE_CPU ((CUdevice)-1)
#define CU_DEVICE_INVALID ((CUdevice)-2)

#define CU_MEMHOSTALLOC_PORTABLE 0x01
#define CU_MEMHOSTALLOC_DEVICEMAP 0x02
#define CU_MEMHOSTALLOC_WRITECOMBINED 0x04
#define CU_MEMHOSTREGISTER_PORTABLE 0x01
#define CU_MEMHOSTREGISTER_DEVICEMAP 0x02
#define CU_MEMHOSTREGISTER_IOMEMORY 0x04
#define CU_MEMHOSTREGISTER_READ_ONLY 0x08

#define CUDA_ARRAY3D_LAYERED 0x01
#define CUDA_ARRAY3D_SURFACE_LDST 0x02
#define CUDA_ARRAY3D_CUBEMAP 0x04
#define CUDA_ARRAY3D_TEXTURE_GATHER 0x08

#define CU_TRSF_READ_AS_INTEGER 0x01
#define CU_TRSF_NORMALIZED_COORDINATES 0x02
#define CU_TRSF_SRGB 0x10
#define CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION 0x20
#define CU_TRSF_SEAMLESS_CUBEMAP 0x40

/* The third way to pass kernel arguments: {POINTER, buffer, SIZE, &bytes, END} as `extra`. */
#define CU_LAUNCH_PARAM_END ((void *)0x00)
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void *)0x01)
#define CU_LAUNCH_PARAM_BUFFER_SIZE ((void *)0x02)

/* clang-format off */
#define cuDeviceTotalMem            cuDeviceTotalMem_v2
#define cuDevicePrimaryCtxRelease   cuDevicePrimaryCtxRelease_v2
#define cuDevicePrimaryCtxReset     cuDevicePrimaryCtxReset_v2
#define cuDevicePrimaryCtxSetFlags  cuDevicePrimaryCtxSetFlags_v2
#define cuCtxCreate                 cuCtxCreate_v2
#define cuCtxDestroy                cuCtxDestroy_v2
#define cuCtxPopCurrent             cuCtxPopCurrent_v2
#define cuCtxPushCurrent            cuCtxPushCurrent_v2
#define cuModuleGetGlobal           cuModuleGetGlobal_v2
#define cuLinkCreate                cuLinkCreate_v2
#define cuLinkAddData               cuLinkAddData_v2
#define cuLinkAddFile               cuLinkAddFile_v2
#define cuMemGetInfo                cuMemGetInfo_v2
#define cuMemAlloc                  cuMemAlloc_v2
#define cuMemAllocPitch             cuMemAllocPitch_v2
#define cuMemFree                   cuMemFree_v2
#define cuMemGetAddressRange        cuMemGetAddressRange_v2
#define cuMemAllocHost              cuMemAllocHost_v2
#define cuMemHostGetDevicePointer   cuMemHostGetDevicePointer_v2
#define cuMemHostRegister           cuMemHostRegister_v2
#define cuMemcpyHtoD                cuMemcpyHtoD_v2
#define cuMemcpyDtoH                cuMemcpyDtoH_v2
#define cuMemcpyDtoD                cuMemcpyDtoD_v2
#define cuMemcpyDtoA                cuMemcpyDtoA_v2
#define cuMemcpyAtoD                cuMemcpyAtoD_v2
#define cuMemcpyHtoA                cuMemcpyHtoA_v2
#define cuMemcpyAtoH                cuMemcpyAtoH_v2
#define cuMemcpyAtoA                cuMemcpyAtoA_v2
#define cuMemcpyHtoAAsync           cuMemcpyHtoAAsync_v2
#define cuMemcpyAtoHAsync           cuMemcpyAtoHAsync_v2
#define cuMemcpyHtoDAsync           cuMemcpyHtoDAsync_v2
#define cuMemcpyDtoHAsync           cuMemcpyDtoHAsync_v2
#define cuMemcpyDtoDAsync           cuMemcpyDtoDAsync_v2
#define cuMemcpy2D                  cuMemcpy2D_v2
#define cuMemcpy2DUnaligned         cuMemcpy2DUnaligned_v2
#define cuMemcpy2DAsync             cuMemcpy2DAsync_v2
#define cuMemcpy3D                  cuMemcpy3D_v2
#define cuMemcpy3DAsync             cuMemcpy3DAsync_v2
#define cuMemsetD8                  cuMemsetD8_v2
#define cuMemsetD16                 cuMemsetD16_v2
#define cuMemsetD32                 cuMemsetD32_v2
#define cuMemsetD2D8                cuMemsetD2D8_v2
#define cuMemsetD2D16               cuMemsetD2D16_v2
#define cuMemsetD2D32               cuMemsetD2D32_v2
#define cuArrayCreate               cuArrayCreate_v2
#define cuArrayGetDescriptor        cuArrayGetDescriptor_v2
#define cuArray3DCreate             cuArray3DCreate_v2
#define cuArray3DGetDescriptor      cuArray3DGetDescriptor_v2
#define cuStreamDestroy             cuStreamDestroy_v2
#define cuStreamBeginCapture        cuStreamBeginCapture_v2
#define cuEventDestroy              cuEventDestroy_v2
#define cuGraphInstantiate          cuGraphInstantiateWithFlags
#define cuGraphAddKernelNode        cuGraphAddKernelNode_v2
#define cuGraphKernelNodeGetParams  cuGraphKernelNodeGetParams_v2
#define cuGraphKernelNodeSetParams  cuGraphKernelNodeSetParams_v2
#define cuGraphExecKernelNodeSetParams cuGraphExecKernelNodeSetParams_v2
#define cuGraphExecUpdate           cuGraphExecUpdate_v2
/* clang-format on */

#ifdef __cplusplus
extern "C" {
#endif

/* Errors, start, version */
CUresult CUDAAPI cuGetErrorString(CUresult error, const char **text);
CUresult CUDAAPI cuGetErrorName(CUresult error, const char **name);
CUresult CUDAAPI cuInit(unsigned int flags);
CUresult CUDAAPI cuDriverGetVersion(int *version);
CUresult CUDAAPI cuGetProcAddress(const char *symbol, void **fn, int version, cuuint64_t flags);

/* Devices */
CUresult CUDAAPI cuDeviceGet(CUdevice *device, int ordinal);
CUresult CUDAAPI cuDeviceGetCount(int *count);
CUresult CUDAAPI cuDeviceGetName(char *name, int bytes, CUdevice device);
CUresult CUDAAPI cuDeviceGetUuid(CUuuid *uuid, CUdevice device);
CUresult CUDAAPI cuDeviceTotalMem(size_t *bytes, CUdevice device);
CUresult CUDAAPI cuDeviceGetAttribute(int *value, CUdevice_attribute key, CUdevice device);
CUresult CUDAAPI cuDeviceGetProperties(CUdevprop *properties, CUdevice device);
CUresult CUDAAPI cuDeviceComputeCapability(int *major, int *minor, CUdevice device);
CUresult CUDAAPI cuDeviceGetByPCIBusId(CUdevice *device, const char *bus_id);
CUresult CUDAAPI cuDeviceGetPCIBusId(char *bus_id, int bytes, CUdevice device);
CUresult CUDAAPI cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer);
CUresult CUDAAPI cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute key, CUdevice source,
                                         CUdevice target);
CUresult CUDAAPI cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device);
CUresult CUDAAPI cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device);
CUresult CUDAAPI cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool);

/* Contexts */
CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device);
CUresult CUDAAPI cuDevicePrimaryCtxRelease(CUdevice device);
CUresult CUDAAPI cuDevicePrimaryCtxReset(CUdevice device);
CUresult CUDAAPI cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags);
CUresult CUDAAPI cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *active);
CUresult CUDAAPI cuCtxCreate(CUcontext *context, unsigned int flags, CUdevice device);
CUresult CUDAAPI cuCtxDestroy(CUcontext context);
CUresult CUDAAPI cuCtxPushCurrent(CUcontext context);
CUresult CUDAAPI cuCtxPopCurrent(CUcontext *context);
CUresult CUDAAPI cuCtxSetCurrent(CUcontext context);
CUresult CUDAAPI cuCtxGetCurrent(CUcontext *context);
CUresult CUDAAPI cuCtxGetDevice(CUdevice *device);
CUresult CUDAAPI cuCtxGetFlags(unsigned int *flags);
CUresult CUDAAPI cuCtxGetApiVersion(CUcontext context, unsigned int *version);
CUresult CUDAAPI cuCtxSynchronize(void);
CUresult CUDAAPI cuCtxSetLimit(CUlimit limit, size_t value);
CUresult CUDAAPI cuCtxGetLimit(size_t *value, CUlimit limit);
CUresult CUDAAPI cuCtxGetCacheConfig(CUfunc_cache *config);
CUresult CUDAAPI cuCtxSetCacheConfig(CUfunc_cache config);
CUresult CUDAAPI cuCtxGetSharedMemConfig(CUsharedconfig *config);
CUresult CUDAAPI cuCtxSetSharedMemConfig(CUsharedconfig config);
CUresult CUDAAPI cuCtxGetStreamPriorityRange(int *least, int *greatest);
CUresult CUDAAPI cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags);
CUresult CUDAAPI cuCtxDisablePeerAccess(CUcontext peer);

/* Modules, linking, functions */
CUresult CUDAAPI cuModuleLoad(CUmodule *module, const char *path);
CUresult CUDAAPI cuModuleLoadData(CUmodule *module, const void *image);
CUresult CUDAAPI cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int count,
                                    CUjit_option *options, void **values);
CUresult CUDAAPI cuModuleLoadFatBinary(CUmodule *module, const void *fat_binary);
CUresult CUDAAPI cuModuleUnload(CUmodule module);
CUresult CUDAAPI cuModuleGetLoadingMode(CUmoduleLoadingMode *mode);
CUresult CUDAAPI cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name);
CUresult CUDAAPI cuModuleGetGlobal(CUdeviceptr *address, size_t *bytes, CUmodule module,
                                   const char *name);
CUresult CUDAAPI cuLinkCreate(unsigned int count, CUjit_option *options, void **values,
                              CUlinkState *state);
CUresult CUDAAPI cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t bytes,
                               const char *name, unsigned int count, CUjit_option *options,
                               void **values);
CUresult CUDAAPI cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path,
                               unsigned int count, CUjit_option *options, void **values);
CUresult CUDAAPI cuLinkComplete(CUlinkState state, void **cubin, size_t *bytes);
CUresult CUDAAPI cuLinkDestroy(CUlinkState state);
CUresult CUDAAPI cuFuncGetAttribute(int *value, CUfunction_attribute key, CUfunction function);
CUresult CUDAAPI cuFuncSetAttribute(CUfunction function, CUfunction_attribute key, int value);
CUresult CUDAAPI cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config);
CUresult CUDAAPI cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig config);
CUresult CUDAAPI cuFuncGetModule(CUmodule *module, CUfunction function);

/* Allocation */
CUresult CUDAAPI cuMemGetInfo(size_t *free_bytes, size_t *total_bytes);
CUresult CUDAAPI cuMemAlloc(CUdeviceptr *address, size_t bytes);
CUresult CUDAAPI cuMemAllocPitch(CUdeviceptr *address, size_t *pitch, size_t width_bytes,
                                 size_t height, unsigned int element_bytes);
CUresult CUDAAPI cuMemFree(CUdeviceptr address);
CUresult CUDAAPI cuMemGetAddressRange(CUdeviceptr *base, size_t *bytes, CUdeviceptr address);
CUresult CUDAAPI cuMemAllocHost(void **address, size_t bytes);
CUresult CUDAAPI cuMemFreeHost(void *address);
CUresult CUDAAPI cuMemHostAlloc(void **address, size_t bytes, unsigned int flags);
CUresult CUDAAPI cuMemHostGetDevicePointer(CUdeviceptr *device, void *host, unsigned int flags);
CUresult CUDAAPI cuMemHostGetFlags(unsigned int *flags, void *host);
CUresult CUDAAPI cuMemHostRegister(void *host, size_t bytes, unsigned int flags);
CUresult CUDAAPI cuMemHostUnregister(void *host);
CUresult CUDAAPI cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned int flags);
CUresult CUDAAPI cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream);
CUresult CUDAAPI cuMemFreeAsync(CUdeviceptr address, CUstream stream);
CUresult CUDAAPI cuMemAdvise(CUdeviceptr address, size_t bytes, CUmem_advise advice,
                             CUdevice device);
CUresult CUDAAPI cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUdevice device,
                                    CUstream stream);
CUresult CUDAAPI cuMemRangeGetAttribute(void *data, size_t data_bytes, CUmem_range_attribute key,
                                        CUdeviceptr address, size_t bytes);
CUresult CUDAAPI cuMemPoolTrimTo(CUmemoryPool pool, size_t keep_bytes);
CUresult CUDAAPI cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute key, void *value);
CUresult CUDAAPI cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute key, void *value);
CUresult CUDAAPI cuPointerGetAttribute(void *value, CUpointer_attribute key, CUdeviceptr address);
CUresult CUDAAPI cuPointerGetAttributes(unsigned int count, CUpointer_attribute *keys,
                                        void **values, CUdeviceptr address);

/* Copies and fills */
CUresult CUDAAPI cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes);
CUresult CUDAAPI cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                              CUcontext from_context, size_t bytes);
CUresult CUDAAPI cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes);
CUresult CUDAAPI cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes);
CUresult CUDAAPI cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes);
CUresult CUDAAPI cuMemcpyDtoA(CUarray to, size_t to_offset, CUdeviceptr from, size_t bytes);
CUresult CUDAAPI cuMemcpyAtoD(CUdeviceptr to, CUarray from, size_t from_offset, size_t bytes);
CUresult CUDAAPI cuMemcpyHtoA(CUarray to, size_t to_offset, const void *from, size_t bytes);
CUresult CUDAAPI cuMemcpyAtoH(void *to, CUarray from, size_t from_offset, size_t bytes);
CUresult CUDAAPI cuMemcpyAtoA(CUarray to, size_t to_offset, CUarray from, size_t from_offset,
                              size_t bytes);
CUresult CUDAAPI cuMemcpy2D(const CUDA_MEMCPY2D *copy);
CUresult CUDAAPI cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *copy);
CUresult CUDAAPI cuMemcpy3D(const CUDA_MEMCPY3D *copy);
CUresult CUDAAPI cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *copy);
CUresult CUDAAPI cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream);
CUresult CUDAAPI cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                                   CUcontext from_context, size_t bytes, CUstream stream);
CUresult CUDAAPI cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream);
CUresult CUDAAPI cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream);
CUresult CUDAAPI cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream);
CUresult CUDAAPI cuMemcpyHtoAAsync(CUarray to, size_t to_offset, const void *from, size_t bytes,
                                   CUstream stream);
CUresult CUDAAPI cuMemcpyAtoHAsync(void *to, CUarray from, size_t from_offset, size_t bytes,
                                   CUstream stream);
CUresult CUDAAPI cuMemcpy2DAsync(const CUDA_MEMCPY2D *copy, CUstream stream);
CUresult CUDAAPI cuMemcpy3DAsync(const CUDA_MEMCPY3D *copy, CUstream stream);
CUresult CUDAAPI cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count);
CUresult CUDAAPI cuMemsetD16(CUdeviceptr to, unsigned short value, size_t count);
CUresult CUDAAPI cuMemsetD32(CUdeviceptr to, unsigned int value, size_t count);
CUresult CUDAAPI cuMemsetD2D8(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                              size_t height);
CUresult CUDAAPI cuMemsetD2D16(CUdeviceptr to, size_t pitch, unsigned short value, size_t width,
                               size_t height);
CUresult CUDAAPI cuMemsetD2D32(CUdeviceptr to, size_t pitch, unsigned int value, size_t width,
                               size_t height);
CUresult CUDAAPI cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count,
                                 CUstream stream);
CUresult CUDAAPI cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count,
                                  CUstream stream);
CUresult CUDAAPI cuMemsetD32Async(CUdeviceptr to, unsigned int value, size_t count,
                                  CUstream stream);
CUresult CUDAAPI cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                                   size_t height, CUstream stream);
CUresult CUDAAPI cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value,
                                    size_t width, size_t height, CUstream stream);
CUresult CUDAAPI cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned int value, size_t width,
                                    size_t height, CUstream stream);

/* Arrays, textures, surfaces */
CUresult CUDAAPI cuArrayCreate(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *shape);
CUresult CUDAAPI cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *shape, CUarray array);
CUresult CUDAAPI cuArray3DCreate(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *shape);
CUresult CUDAAPI cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *shape, CUarray array);
CUresult CUDAAPI cuArrayDestroy(CUarray array);
CUresult CUDAAPI cuMipmappedArrayCreate(CUmipmappedArray *array,
                                        const CUDA_ARRAY3D_DESCRIPTOR *shape, unsigned int levels);
CUresult CUDAAPI cuMipmappedArrayGetLevel(CUarray *level, CUmipmappedArray array,
                                          unsigned int index);
CUresult CUDAAPI cuMipmappedArrayDestroy(CUmipmappedArray array);
CUresult CUDAAPI cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *resource,
                                   const CUDA_TEXTURE_DESC *sampler,
                                   const CUDA_RESOURCE_VIEW_DESC *view);
CUresult CUDAAPI cuTexObjectDestroy(CUtexObject object);
CUresult CUDAAPI cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUtexObject object);
CUresult CUDAAPI cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *sampler, CUtexObject object);
CUresult CUDAAPI cuSurfObjectCreate(CUsurfObject *object, const CUDA_RESOURCE_DESC *resource);
CUresult CUDAAPI cuSurfObjectDestroy(CUsurfObject object);
CUresult CUDAAPI cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUsurfObject object);

/* Launches and occupancy */
CUresult CUDAAPI cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                                unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                                unsigned int block_z, unsigned int shared_bytes, CUstream stream,
                                void **params, void **extra);
CUresult CUDAAPI cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **params,
                                  void **extra);
CUresult CUDAAPI cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x,
                                           unsigned int grid_y, unsigned int grid_z,
                                           unsigned int block_x, unsigned int block_y,
                                           unsigned int block_z, unsigned int shared_bytes,
                                           CUstream stream, void **params);
CUresult CUDAAPI cuLaunchHostFunc(CUstream stream, CUhostFn function, void *user_data);
CUresult CUDAAPI cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function,
                                                             int block_size, size_t shared_bytes);
CUresult CUDAAPI cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, CUfunction function, int block_size, size_t shared_bytes, unsigned int flags);
CUresult CUDAAPI cuOccupancyMaxPotentialBlockSize(int *min_grid, int *block_size,
                                                  CUfunction function,
                                                  CUoccupancyB2DSize shared_of_block,
                                                  size_t shared_bytes, int block_limit);
CUresult CUDAAPI cuOccupancyMaxPotentialBlockSizeWithFlags(int *min_grid, int *block_size,
                                                           CUfunction function,
                                                           CUoccupancyB2DSize shared_of_block,
                                                           size_t shared_bytes, int block_limit,
                                                           unsigned int flags);
CUresult CUDAAPI cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction function,
                                                         int blocks, int block_size);
CUresult CUDAAPI cuTensorMapEncodeTiled(
    CUtensorMap *map, CUtensorMapDataType type, unsigned int rank, void *address,
    const unsigned long long *dimensions, const unsigned long long *strides,
    const unsigned int *box, const unsigned int *element_strides,
    CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
    CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill);
CUresult CUDAAPI cuTensorMapEncodeIm2col(
    CUtensorMap *map, CUtensorMapDataType type, unsigned int rank, void *address,
    const unsigned long long *dimensions, const unsigned long long *strides, const int *lower,
    const int *upper, unsigned int channels, unsigned int pixels,
    const unsigned int *element_strides, CUtensorMapInterleave interleave,
    CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill);
CUresult CUDAAPI cuTensorMapReplaceAddress(CUtensorMap *map, void *address);

CUresult CUDAAPI cuOccupancyMaxPotentialClusterSize(int *clusters, CUfunction function,
                                                    const CUlaunchConfig *config);
CUresult CUDAAPI cuOccupancyMaxActiveClusters(int *clusters, CUfunction function,
                                              const CUlaunchConfig *config);

/* Streams and events */
CUresult CUDAAPI cuStreamCreate(CUstream *stream, unsigned int flags);
CUresult CUDAAPI cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority);
CUresult CUDAAPI cuStreamDestroy(CUstream stream);
CUresult CUDAAPI cuStreamGetPriority(CUstream stream, int *priority);
CUresult CUDAAPI cuStreamGetFlags(CUstream stream, unsigned int *flags);
CUresult CUDAAPI cuStreamGetCtx(CUstream stream, CUcontext *context);
CUresult CUDAAPI cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags);
CUresult CUDAAPI cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *user_data,
                                     unsigned int flags);
CUresult CUDAAPI cuStreamAttachMemAsync(CUstream stream, CUdeviceptr address, size_t bytes,
                                        unsigned int flags);
CUresult CUDAAPI cuStreamQuery(CUstream stream);
CUresult CUDAAPI cuStreamSynchronize(CUstream stream);
CUresult CUDAAPI cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode);
CUresult CUDAAPI cuStreamEndCapture(CUstream stream, CUgraph *graph);
CUresult CUDAAPI cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status);
CUresult CUDAAPI cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode);
CUresult CUDAAPI cuEventCreate(CUevent *event, unsigned int flags);
CUresult CUDAAPI cuEventRecord(CUevent event, CUstream stream);
CUresult CUDAAPI cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags);
CUresult CUDAAPI cuEventQuery(CUevent event);
CUresult CUDAAPI cuEventSynchronize(CUevent event);
CUresult CUDAAPI cuEventDestroy(CUevent event);
CUresult CUDAAPI cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end);

/* Graphs */
CUresult CUDAAPI cuGraphCreate(CUgraph *graph, unsigned int flags);
CUresult CUDAAPI cuGraphDestroy(CUgraph graph);
CUresult CUDAAPI cuGraphClone(CUgraph *clone, CUgraph original);
CUresult CUDAAPI cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                                      size_t after_count, const CUDA_KERNEL_NODE_PARAMS *params);
CUresult CUDAAPI cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *params);
CUresult CUDAAPI cuGraphKernelNodeSetParams(CUgraphNode node,
                                            const CUDA_KERNEL_NODE_PARAMS *params);
CUresult CUDAAPI cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                                      size_t after_count, const CUDA_MEMCPY3D *copy,
                                      CUcontext context);
CUresult CUDAAPI cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                                      size_t after_count, const CUDA_MEMSET_NODE_PARAMS *fill,
                                      CUcontext context);
CUresult CUDAAPI cuGraphAddHostNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                                    size_t after_count, const CUDA_HOST_NODE_PARAMS *call);
CUresult CUDAAPI cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph,
                                          const CUgraphNode *after, size_t after_count,
                                          CUgraph child);
CUresult CUDAAPI cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                                     size_t after_count);
CUresult CUDAAPI cuGraphAddEventRecordNode(CUgraphNode *node, CUgraph graph,
                                           const CUgraphNode *after, size_t after_count,
                                           CUevent event);
CUresult CUDAAPI cuGraphAddEventWaitNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                                         size_t after_count, CUevent event);
CUresult CUDAAPI cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from,
                                        const CUgraphNode *to, size_t count);
CUresult CUDAAPI cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count);
CUresult CUDAAPI cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes, size_t *count);
CUresult CUDAAPI cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count);
CUresult CUDAAPI cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type);
CUresult CUDAAPI cuGraphDestroyNode(CUgraphNode node);
CUresult CUDAAPI cuGraphInstantiate(CUgraphExec *exec, CUgraph graph, unsigned long long flags);
CUresult CUDAAPI cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                const CUDA_KERNEL_NODE_PARAMS *params);
CUresult CUDAAPI cuGraphExecUpdate(CUgraphExec exec, CUgraph graph,
                                   CUgraphExecUpdateResultInfo *result);
CUresult CUDAAPI cuGraphUpload(CUgraphExec exec, CUstream stream);
CUresult CUDAAPI cuGraphLaunch(CUgraphExec exec, CUstream stream);
CUresult CUDAAPI cuGraphExecDestroy(CUgraphExec exec);

#ifdef __cplusplus
}
#endif

#endif
