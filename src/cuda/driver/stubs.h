/* What the driver of CUDA 13.0 exports beyond what heddle has. */
#ifndef CUDA_DRIVER_STUBS_H
#define CUDA_DRIVER_STUBS_H

/* clang-format off */
#define DRIVER_STUBS(X) \
    X(cuArrayGetMemoryRequirements) X(cuArrayGetPlane) X(cuArrayGetSparseProperties) \
    X(cuCheckpointProcessCheckpoint) X(cuCheckpointProcessGetRestoreThreadId) \
    X(cuCheckpointProcessGetState) X(cuCheckpointProcessLock) X(cuCheckpointProcessRestore) \
    X(cuCheckpointProcessUnlock) X(cuCoredumpGetAttribute) X(cuCoredumpGetAttributeGlobal) \
    X(cuCoredumpSetAttribute) X(cuCoredumpSetAttributeGlobal) X(cuCtxFromGreenCtx) \
    X(cuCtxGetDevResource) X(cuCtxRecordEvent) \
    X(cuCtxWaitEvent) X(cuDestroyExternalMemory) \
    X(cuDestroyExternalSemaphore) X(cuDevResourceGenerateDesc) X(cuDevSmResourceSplitByCount) \
    X(cuDeviceGetDevResource) X(cuDeviceGetExecAffinitySupport) \
    X(cuDeviceGetHostAtomicCapabilities) X(cuDeviceGetLuid) X(cuDeviceGetNvSciSyncAttributes) \
    X(cuDeviceGetP2PAtomicCapabilities) \
    X(cuDeviceRegisterAsyncNotification) \
    X(cuDeviceUnregisterAsyncNotification) X(cuEGLApiInit) X(cuEGLStreamConsumerAcquireFrame) \
    X(cuEGLStreamConsumerConnect) X(cuEGLStreamConsumerConnectWithFlags) \
    X(cuEGLStreamConsumerDisconnect) X(cuEGLStreamConsumerReleaseFrame) \
    X(cuEGLStreamProducerConnect) X(cuEGLStreamProducerDisconnect) \
    X(cuEGLStreamProducerPresentFrame) X(cuEGLStreamProducerReturnFrame) \
    X(cuExternalMemoryGetMappedBuffer) X(cuExternalMemoryGetMappedMipmappedArray) \
    X(cuFlushGPUDirectRDMAWrites) X(cuGLCtxCreate) \
    X(cuGLCtxCreate_v2) X(cuGLGetDevices) X(cuGLGetDevices_v2) X(cuGLInit) X(cuGLMapBufferObject) \
    X(cuGLMapBufferObjectAsync) X(cuGLMapBufferObjectAsync_v2) X(cuGLMapBufferObjectAsync_v2_ptsz) \
    X(cuGLMapBufferObject_v2) X(cuGLMapBufferObject_v2_ptds) X(cuGLRegisterBufferObject) \
    X(cuGLSetBufferObjectMapFlags) X(cuGLUnmapBufferObject) X(cuGLUnmapBufferObjectAsync) \
    X(cuGLUnregisterBufferObject) \
    X(cuGraphAddExternalSemaphoresSignalNode) X(cuGraphAddExternalSemaphoresWaitNode) \
    \
    X(cuGraphBatchMemOpNodeGetParams) X(cuGraphBatchMemOpNodeSetParams) \
    \
    \
    X(cuGraphExecBatchMemOpNodeSetParams) \
    \
    X(cuGraphExecExternalSemaphoresSignalNodeSetParams) \
    X(cuGraphExecExternalSemaphoresWaitNodeSetParams) \
    X(cuGraphExternalSemaphoresSignalNodeGetParams) \
    X(cuGraphExternalSemaphoresSignalNodeSetParams) X(cuGraphExternalSemaphoresWaitNodeGetParams) \
    X(cuGraphExternalSemaphoresWaitNodeSetParams) \
    \
    \
    \
    \
    X(cuGraphicsEGLRegisterImage) X(cuGraphicsGLRegisterBuffer) \
    X(cuGraphicsGLRegisterImage) X(cuGraphicsMapResources) X(cuGraphicsMapResources_ptsz) \
    X(cuGraphicsResourceGetMappedEglFrame) X(cuGraphicsResourceGetMappedMipmappedArray) \
    X(cuGraphicsResourceGetMappedPointer) X(cuGraphicsResourceGetMappedPointer_v2) \
    X(cuGraphicsResourceSetMapFlags) X(cuGraphicsResourceSetMapFlags_v2) \
    X(cuGraphicsSubResourceGetMappedArray) X(cuGraphicsUnmapResources) \
    X(cuGraphicsUnmapResources_ptsz) X(cuGraphicsUnregisterResource) \
    X(cuGraphicsVDPAURegisterOutputSurface) X(cuGraphicsVDPAURegisterVideoSurface) \
    X(cuGreenCtxCreate) X(cuGreenCtxDestroy) X(cuGreenCtxGetDevResource) X(cuGreenCtxGetId) \
    X(cuGreenCtxRecordEvent) X(cuGreenCtxStreamCreate) X(cuGreenCtxWaitEvent) \
    X(cuImportExternalMemory) X(cuImportExternalSemaphore) X(cuIpcCloseMemHandle) \
    X(cuIpcGetEventHandle) X(cuIpcGetMemHandle) X(cuIpcOpenEventHandle) X(cuIpcOpenMemHandle) \
    X(cuIpcOpenMemHandle_v2) X(cuLaunchCooperativeKernelMultiDevice) \
    X(cuLibraryGetUnifiedFunction) X(cuLogsCurrent) X(cuLogsDumpToFile) \
    X(cuLogsDumpToMemory) X(cuLogsRegisterCallback) X(cuLogsUnregisterCallback) \
    X(cuMemBatchDecompressAsync) \
    X(cuMemBatchDecompressAsync_ptsz) X(cuMemDiscardAndPrefetchBatchAsync) \
    X(cuMemDiscardAndPrefetchBatchAsync_ptsz) X(cuMemDiscardBatchAsync) \
    X(cuMemDiscardBatchAsync_ptsz) \
    \
    X(cuMemGetAttribute) X(cuMemGetAttribute_v2) \
    X(cuMemGetHandleForAddressRange) \
    X(cuMemMapArrayAsync) X(cuMemMapArrayAsync_ptsz) X(cuMemPoolExportPointer) \
    X(cuMemPoolExportToShareableHandle) \
    X(cuMemPoolImportFromShareableHandle) X(cuMemPoolImportPointer) \
    X(cuMemPrefetchBatchAsync) X(cuMemPrefetchBatchAsync_ptsz) X(cuMemRangeGetAttributes) \
    \
    X(cuMemcpy3DBatchAsync) X(cuMemcpy3DBatchAsync_ptsz) X(cuMemcpy3DBatchAsync_v2) \
    X(cuMemcpy3DBatchAsync_v2_ptsz) \
    \
    X(cuMipmappedArrayGetMemoryRequirements) X(cuMipmappedArrayGetSparseProperties) \
    X(cuModuleGetSurfRef) X(cuModuleGetTexRef) X(cuMulticastAddDevice) X(cuMulticastBindAddr) \
    X(cuMulticastBindMem) X(cuMulticastCreate) X(cuMulticastGetGranularity) X(cuMulticastUnbind) \
    X(cuParamSetTexRef) \
    X(cuSignalExternalSemaphoresAsync) \
    X(cuSignalExternalSemaphoresAsync_ptsz) \
    \
    X(cuStreamBeginCapture_ptsz) \
    \
    X(cuStreamGetCaptureInfo) X(cuStreamGetCaptureInfo_ptsz) \
    X(cuStreamGetGreenCtx) \
    \
    \
    \
    \
    \
    \
    \
    \
    X(cuSurfRefGetArray) X(cuSurfRefSetArray) \
    X(cuTensorMapEncodeIm2colWide) \
    X(cuTexRefCreate) X(cuTexRefDestroy) X(cuTexRefGetAddress) X(cuTexRefGetAddressMode) \
    X(cuTexRefGetAddress_v2) X(cuTexRefGetArray) X(cuTexRefGetBorderColor) \
    X(cuTexRefGetFilterMode) X(cuTexRefGetFlags) X(cuTexRefGetFormat) X(cuTexRefGetMaxAnisotropy) \
    X(cuTexRefGetMipmapFilterMode) X(cuTexRefGetMipmapLevelBias) X(cuTexRefGetMipmapLevelClamp) \
    X(cuTexRefGetMipmappedArray) X(cuTexRefSetAddress) X(cuTexRefSetAddress2D) \
    X(cuTexRefSetAddress2D_v2) X(cuTexRefSetAddress2D_v3) X(cuTexRefSetAddressMode) \
    X(cuTexRefSetAddress_v2) X(cuTexRefSetArray) X(cuTexRefSetBorderColor) \
    X(cuTexRefSetFilterMode) X(cuTexRefSetFlags) X(cuTexRefSetFormat) X(cuTexRefSetMaxAnisotropy) \
    X(cuTexRefSetMipmapFilterMode) X(cuTexRefSetMipmapLevelBias) X(cuTexRefSetMipmapLevelClamp) \
    X(cuTexRefSetMipmappedArray) \
    X(cuVDPAUCtxCreate) X(cuVDPAUCtxCreate_v2) X(cuVDPAUGetDevice) \
    X(cuWaitExternalSemaphoresAsync) X(cuWaitExternalSemaphoresAsync_ptsz)
/* clang-format on */

#endif
