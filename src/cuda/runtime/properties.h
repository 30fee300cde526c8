/*
 * cudaDeviceProp in its two shapes. CUDA 11 and 12 share one, 11 stopping before
 * hostRegisterSupported; 13 dropped what had become attributes. Sizes 728, 1032
 * and 1008 bytes.
 */
#ifndef CUDA_RUNTIME_PROPERTIES_H
#define CUDA_RUNTIME_PROPERTIES_H

#include "cuda/runtime/types.h"

/* clang-format off */
struct cudaDeviceProp12 {
    char name[256];
    char uuid[16], luid[8];
    unsigned int luidDeviceNodeMask;
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment, texturePitchAlignment;
    int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory;
    int computeMode, maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear, maxTexture2D[2];
    int maxTexture2DMipmap[2], maxTexture2DLinear[3], maxTexture2DGather[2], maxTexture3D[3];
    int maxTexture3DAlt[3], maxTextureCubemap, maxTexture1DLayered[2], maxTexture2DLayered[3];
    int maxTextureCubemapLayered[2], maxSurface1D, maxSurface2D[2], maxSurface3D[3];
    int maxSurface1DLayered[2], maxSurface2DLayered[3], maxSurfaceCubemap;
    int maxSurfaceCubemapLayered[2];
    size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver;
    int asyncEngineCount, unifiedAddressing, memoryClockRate, memoryBusWidth, l2CacheSize;
    int persistingL2CacheMaxSize, maxThreadsPerMultiProcessor, streamPrioritiesSupported;
    int globalL1CacheSupported, localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID;
    int hostNativeAtomicSupported, singleToDoublePrecisionPerfRatio, pageableMemoryAccess;
    int concurrentManagedAccess, computePreemptionSupported, canUseHostPointerForRegisteredMem;
    int cooperativeLaunch, cooperativeMultiDeviceLaunch;
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost;
    int maxBlocksPerMultiProcessor, accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    /* 12 only */
    int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported;
    int timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;
    unsigned int gpuDirectRDMAFlushWritesOptions;
    int gpuDirectRDMAWritesOrdering;
    unsigned int memoryPoolSupportedHandleTypes;
    int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch;
    int unifiedFunctionPointers, reserved[63];
};

struct cudaDeviceProp13 {
    char name[256];
    char uuid[16], luid[8];
    unsigned int luidDeviceNodeMask;
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment, texturePitchAlignment;
    int multiProcessorCount, integrated, canMapHostMemory;
    int maxTexture1D, maxTexture1DMipmap, maxTexture2D[2];
    int maxTexture2DMipmap[2], maxTexture2DLinear[3], maxTexture2DGather[2], maxTexture3D[3];
    int maxTexture3DAlt[3], maxTextureCubemap, maxTexture1DLayered[2], maxTexture2DLayered[3];
    int maxTextureCubemapLayered[2], maxSurface1D, maxSurface2D[2], maxSurface3D[3];
    int maxSurface1DLayered[2], maxSurface2DLayered[3], maxSurfaceCubemap;
    int maxSurfaceCubemapLayered[2];
    size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver;
    int asyncEngineCount, unifiedAddressing, memoryBusWidth, l2CacheSize;
    int persistingL2CacheMaxSize, maxThreadsPerMultiProcessor, streamPrioritiesSupported;
    int globalL1CacheSupported, localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID;
    int hostNativeAtomicSupported, pageableMemoryAccess;
    int concurrentManagedAccess, computePreemptionSupported, canUseHostPointerForRegisteredMem;
    int cooperativeLaunch;
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost;
    int maxBlocksPerMultiProcessor, accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported;
    int timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;
    unsigned int gpuDirectRDMAFlushWritesOptions;
    int gpuDirectRDMAWritesOrdering;
    unsigned int memoryPoolSupportedHandleTypes;
    int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch;
    int unifiedFunctionPointers, deviceNumaConfig, deviceNumaId, mpsEnabled, hostNumaId;
    unsigned int gpuPciDeviceID, gpuPciSubsystemID;
    int hostNumaMultinodeIpcSupported, reserved[56];
};

_Static_assert(offsetof(struct cudaDeviceProp12, hostRegisterSupported) == 728, "layout of 11");
_Static_assert(sizeof(struct cudaDeviceProp12) == 1032, "layout of 12");
_Static_assert(sizeof(struct cudaDeviceProp13) == 1008, "layout of 13");
_Static_assert(offsetof(struct cudaDeviceProp13, multiProcessorCount) == 384, "layout of 13");
_Static_assert(offsetof(struct cudaDeviceProp13, cooperativeLaunch) == 668, "layout of 13");
_Static_assert(offsetof(struct cudaDeviceProp13, clusterLaunch) == 748, "layout of 13");
_Static_assert(offsetof(struct cudaDeviceProp13, reserved) == 784, "layout of 13");

/* Field and the device attribute it shows: first what both shapes have. */
#define PROPERTIES(X)                                                                              \
    X(sharedMemPerBlock, MAX_SHARED_MEMORY_PER_BLOCK)                                              \
    X(regsPerBlock, MAX_REGISTERS_PER_BLOCK)                                                       \
    X(warpSize, WARP_SIZE)                                                                         \
    X(memPitch, MAX_PITCH)                                                                         \
    X(maxThreadsPerBlock, MAX_THREADS_PER_BLOCK)                                                   \
    X(maxThreadsDim[0], MAX_BLOCK_DIM_X)                                                           \
    X(maxThreadsDim[1], MAX_BLOCK_DIM_Y)                                                           \
    X(maxThreadsDim[2], MAX_BLOCK_DIM_Z)                                                           \
    X(maxGridSize[0], MAX_GRID_DIM_X)                                                              \
    X(maxGridSize[1], MAX_GRID_DIM_Y)                                                              \
    X(maxGridSize[2], MAX_GRID_DIM_Z)                                                              \
    X(totalConstMem, TOTAL_CONSTANT_MEMORY)                                                        \
    X(major, COMPUTE_CAPABILITY_MAJOR)                                                             \
    X(minor, COMPUTE_CAPABILITY_MINOR)                                                             \
    X(textureAlignment, TEXTURE_ALIGNMENT)                                                         \
    X(texturePitchAlignment, TEXTURE_PITCH_ALIGNMENT)                                              \
    X(multiProcessorCount, MULTIPROCESSOR_COUNT)                                                   \
    X(integrated, INTEGRATED)                                                                      \
    X(canMapHostMemory, CAN_MAP_HOST_MEMORY)                                                       \
    X(maxTexture1D, MAXIMUM_TEXTURE1D_WIDTH)                                                       \
    X(maxTexture1DMipmap, MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH)                                       \
    X(maxTexture2D[0], MAXIMUM_TEXTURE2D_WIDTH)                                                    \
    X(maxTexture2D[1], MAXIMUM_TEXTURE2D_HEIGHT)                                                   \
    X(maxTexture2DMipmap[0], MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH)                                    \
    X(maxTexture2DMipmap[1], MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT)                                   \
    X(maxTexture2DLinear[0], MAXIMUM_TEXTURE2D_LINEAR_WIDTH)                                       \
    X(maxTexture2DLinear[1], MAXIMUM_TEXTURE2D_LINEAR_HEIGHT)                                      \
    X(maxTexture2DLinear[2], MAXIMUM_TEXTURE2D_LINEAR_PITCH)                                       \
    X(maxTexture2DGather[0], MAXIMUM_TEXTURE2D_GATHER_WIDTH)                                       \
    X(maxTexture2DGather[1], MAXIMUM_TEXTURE2D_GATHER_HEIGHT)                                      \
    X(maxTexture3D[0], MAXIMUM_TEXTURE3D_WIDTH)                                                    \
    X(maxTexture3D[1], MAXIMUM_TEXTURE3D_HEIGHT)                                                   \
    X(maxTexture3D[2], MAXIMUM_TEXTURE3D_DEPTH)                                                    \
    X(maxTexture3DAlt[0], MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE)                                       \
    X(maxTexture3DAlt[1], MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE)                                      \
    X(maxTexture3DAlt[2], MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE)                                       \
    X(maxTextureCubemap, MAXIMUM_TEXTURECUBEMAP_WIDTH)                                             \
    X(maxTexture1DLayered[0], MAXIMUM_TEXTURE1D_LAYERED_WIDTH)                                     \
    X(maxTexture1DLayered[1], MAXIMUM_TEXTURE1D_LAYERED_LAYERS)                                    \
    X(maxTexture2DLayered[0], MAXIMUM_TEXTURE2D_LAYERED_WIDTH)                                     \
    X(maxTexture2DLayered[1], MAXIMUM_TEXTURE2D_LAYERED_HEIGHT)                                    \
    X(maxTexture2DLayered[2], MAXIMUM_TEXTURE2D_LAYERED_LAYERS)                                    \
    X(maxTextureCubemapLayered[0], MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH)                           \
    X(maxTextureCubemapLayered[1], MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS)                          \
    X(maxSurface1D, MAXIMUM_SURFACE1D_WIDTH)                                                       \
    X(maxSurface2D[0], MAXIMUM_SURFACE2D_WIDTH)                                                    \
    X(maxSurface2D[1], MAXIMUM_SURFACE2D_HEIGHT)                                                   \
    X(maxSurface3D[0], MAXIMUM_SURFACE3D_WIDTH)                                                    \
    X(maxSurface3D[1], MAXIMUM_SURFACE3D_HEIGHT)                                                   \
    X(maxSurface3D[2], MAXIMUM_SURFACE3D_DEPTH)                                                    \
    X(maxSurface1DLayered[0], MAXIMUM_SURFACE1D_LAYERED_WIDTH)                                     \
    X(maxSurface1DLayered[1], MAXIMUM_SURFACE1D_LAYERED_LAYERS)                                    \
    X(maxSurface2DLayered[0], MAXIMUM_SURFACE2D_LAYERED_WIDTH)                                     \
    X(maxSurface2DLayered[1], MAXIMUM_SURFACE2D_LAYERED_HEIGHT)                                    \
    X(maxSurface2DLayered[2], MAXIMUM_SURFACE2D_LAYERED_LAYERS)                                    \
    X(maxSurfaceCubemap, MAXIMUM_SURFACECUBEMAP_WIDTH)                                             \
    X(maxSurfaceCubemapLayered[0], MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH)                           \
    X(maxSurfaceCubemapLayered[1], MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS)                          \
    X(surfaceAlignment, SURFACE_ALIGNMENT)                                                         \
    X(concurrentKernels, CONCURRENT_KERNELS)                                                       \
    X(ECCEnabled, ECC_ENABLED)                                                                     \
    X(pciBusID, PCI_BUS_ID)                                                                        \
    X(pciDeviceID, PCI_DEVICE_ID)                                                                  \
    X(pciDomainID, PCI_DOMAIN_ID)                                                                  \
    X(tccDriver, TCC_DRIVER)                                                                       \
    X(asyncEngineCount, ASYNC_ENGINE_COUNT)                                                        \
    X(unifiedAddressing, UNIFIED_ADDRESSING)                                                       \
    X(memoryBusWidth, GLOBAL_MEMORY_BUS_WIDTH)                                                     \
    X(l2CacheSize, L2_CACHE_SIZE)                                                                  \
    X(persistingL2CacheMaxSize, MAX_PERSISTING_L2_CACHE_SIZE)                                      \
    X(maxThreadsPerMultiProcessor, MAX_THREADS_PER_MULTIPROCESSOR)                                 \
    X(streamPrioritiesSupported, STREAM_PRIORITIES_SUPPORTED)                                      \
    X(globalL1CacheSupported, GLOBAL_L1_CACHE_SUPPORTED)                                           \
    X(localL1CacheSupported, LOCAL_L1_CACHE_SUPPORTED)                                             \
    X(sharedMemPerMultiprocessor, MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)                            \
    X(regsPerMultiprocessor, MAX_REGISTERS_PER_MULTIPROCESSOR)                                     \
    X(managedMemory, MANAGED_MEMORY)                                                               \
    X(isMultiGpuBoard, MULTI_GPU_BOARD)                                                            \
    X(multiGpuBoardGroupID, MULTI_GPU_BOARD_GROUP_ID)                                              \
    X(hostNativeAtomicSupported, HOST_NATIVE_ATOMIC_SUPPORTED)                                     \
    X(pageableMemoryAccess, PAGEABLE_MEMORY_ACCESS)                                                \
    X(concurrentManagedAccess, CONCURRENT_MANAGED_ACCESS)                                          \
    X(computePreemptionSupported, COMPUTE_PREEMPTION_SUPPORTED)                                    \
    X(canUseHostPointerForRegisteredMem, CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM)                  \
    X(cooperativeLaunch, COOPERATIVE_LAUNCH)                                                       \
    X(sharedMemPerBlockOptin, MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)                                   \
    X(pageableMemoryAccessUsesHostPageTables, PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES)        \
    X(directManagedMemAccessFromHost, DIRECT_MANAGED_MEM_ACCESS_FROM_HOST)                         \
    X(maxBlocksPerMultiProcessor, MAX_BLOCKS_PER_MULTIPROCESSOR)                                   \
    X(accessPolicyMaxWindowSize, MAX_ACCESS_POLICY_WINDOW_SIZE)                                    \
    X(reservedSharedMemPerBlock, RESERVED_SHARED_MEMORY_PER_BLOCK)                                 \
    X(hostRegisterSupported, HOST_REGISTER_SUPPORTED)                                              \
    X(sparseCudaArraySupported, SPARSE_CUDA_ARRAY_SUPPORTED)                                       \
    X(hostRegisterReadOnlySupported, READ_ONLY_HOST_REGISTER_SUPPORTED)                            \
    X(timelineSemaphoreInteropSupported, TIMELINE_SEMAPHORE_INTEROP_SUPPORTED)                     \
    X(memoryPoolsSupported, MEMORY_POOLS_SUPPORTED)                                                \
    X(gpuDirectRDMASupported, GPU_DIRECT_RDMA_SUPPORTED)                                           \
    X(gpuDirectRDMAFlushWritesOptions, GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS)                       \
    X(gpuDirectRDMAWritesOrdering, GPU_DIRECT_RDMA_WRITES_ORDERING)                                \
    X(memoryPoolSupportedHandleTypes, MEMPOOL_SUPPORTED_HANDLE_TYPES)                              \
    X(deferredMappingCudaArraySupported, DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED)                    \
    X(ipcEventSupported, IPC_EVENT_SUPPORTED)                                                      \
    X(clusterLaunch, CLUSTER_LAUNCH)                                                               \
    X(unifiedFunctionPointers, UNIFIED_FUNCTION_POINTERS)

#define PROPERTIES_12(X)                                                                           \
    X(clockRate, CLOCK_RATE)                                                                       \
    X(deviceOverlap, GPU_OVERLAP)                                                                  \
    X(kernelExecTimeoutEnabled, KERNEL_EXEC_TIMEOUT)                                               \
    X(computeMode, COMPUTE_MODE)                                                                   \
    X(maxTexture1DLinear, MAXIMUM_TEXTURE1D_LINEAR_WIDTH)                                          \
    X(memoryClockRate, MEMORY_CLOCK_RATE)                                                          \
    X(singleToDoublePrecisionPerfRatio, SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO)                     \
    X(cooperativeMultiDeviceLaunch, COOPERATIVE_MULTI_DEVICE_LAUNCH)

#define PROPERTIES_13(X)                                                                           \
    X(deviceNumaConfig, NUMA_CONFIG)                                                               \
    X(deviceNumaId, NUMA_ID)                                                                       \
    X(mpsEnabled, MPS_ENABLED)                                                                     \
    X(hostNumaId, HOST_NUMA_ID)                                                                    \
    X(gpuPciDeviceID, GPU_PCI_DEVICE_ID)                                                           \
    X(gpuPciSubsystemID, GPU_PCI_SUBSYSTEM_ID)                                                     \
    X(hostNumaMultinodeIpcSupported, HOST_NUMA_MULTINODE_IPC_SUPPORTED)
/* clang-format on */

#endif
