/* What the runtimes of CUDA 11 to 13 export beyond what heddle has. */
#ifndef CUDA_RUNTIME_STUBS_H
#define CUDA_RUNTIME_STUBS_H

/* clang-format off */
#define RUNTIME_STUBS(X) \
    X(__cudaGetProcAddress) X(__cudaRegisterUnifiedTable) X(cudaArrayGetMemoryRequirements) \
    X(cudaArrayGetPlane) X(cudaArrayGetSparseProperties) X(cudaBindSurfaceToArray) \
    X(cudaBindTexture) X(cudaBindTexture2D) X(cudaBindTextureToArray) \
    X(cudaBindTextureToMipmappedArray) X(cudaCreateTextureObject_v2) X(cudaDestroyExternalMemory) \
    X(cudaDestroyExternalSemaphore) \
    X(cudaDeviceGetHostAtomicCapabilities) X(cudaDeviceGetNvSciSyncAttributes) \
    X(cudaDeviceGetP2PAtomicCapabilities) \
    X(cudaDeviceRegisterAsyncNotification) \
    X(cudaDeviceUnregisterAsyncNotification) X(cudaEGLStreamConsumerAcquireFrame) \
    X(cudaEGLStreamConsumerConnect) X(cudaEGLStreamConsumerConnectWithFlags) \
    X(cudaEGLStreamConsumerDisconnect) X(cudaEGLStreamConsumerReleaseFrame) \
    X(cudaEGLStreamProducerConnect) X(cudaEGLStreamProducerDisconnect) \
    X(cudaEGLStreamProducerPresentFrame) X(cudaEGLStreamProducerReturnFrame) \
    X(cudaEventCreateFromEGLSync) X(cudaExternalMemoryGetMappedBuffer) \
    X(cudaExternalMemoryGetMappedMipmappedArray) X(cudaGLGetDevices) X(cudaGLMapBufferObject) \
    X(cudaGLMapBufferObjectAsync) X(cudaGLRegisterBufferObject) X(cudaGLSetBufferObjectMapFlags) \
    X(cudaGLSetGLDevice) X(cudaGLUnmapBufferObject) X(cudaGLUnmapBufferObjectAsync) \
    X(cudaGLUnregisterBufferObject) X(cudaGetExportTable) X(cudaGetSurfaceReference) \
    X(cudaGetTextureAlignmentOffset) X(cudaGetTextureObjectResourceViewDesc) \
    X(cudaGetTextureObjectTextureDesc_v2) X(cudaGetTextureReference) \
    X(cudaGraphAddExternalSemaphoresSignalNode) X(cudaGraphAddExternalSemaphoresWaitNode) \
    \
    \
    \
    \
    \
    X(cudaGraphExecExternalSemaphoresSignalNodeSetParams) \
    X(cudaGraphExecExternalSemaphoresWaitNodeSetParams) \
    X(cudaGraphExternalSemaphoresSignalNodeGetParams) \
    X(cudaGraphExternalSemaphoresSignalNodeSetParams) \
    X(cudaGraphExternalSemaphoresWaitNodeGetParams) \
    X(cudaGraphExternalSemaphoresWaitNodeSetParams) \
    \
    \
    \
    \
    X(cudaGraphicsEGLRegisterImage) X(cudaGraphicsGLRegisterBuffer) \
    X(cudaGraphicsGLRegisterImage) X(cudaGraphicsMapResources) \
    X(cudaGraphicsResourceGetMappedEglFrame) X(cudaGraphicsResourceGetMappedMipmappedArray) \
    X(cudaGraphicsResourceGetMappedPointer) X(cudaGraphicsResourceSetMapFlags) \
    X(cudaGraphicsSubResourceGetMappedArray) X(cudaGraphicsUnmapResources) \
    X(cudaGraphicsUnregisterResource) X(cudaGraphicsVDPAURegisterOutputSurface) \
    X(cudaGraphicsVDPAURegisterVideoSurface) X(cudaImportExternalMemory) \
    X(cudaImportExternalSemaphore) X(cudaIpcCloseMemHandle) X(cudaIpcGetEventHandle) \
    X(cudaIpcGetMemHandle) X(cudaIpcOpenEventHandle) X(cudaIpcOpenMemHandle) \
    X(cudaLaunchCooperativeKernelMultiDevice) X(cudaLibraryGetUnifiedFunction) X(cudaLogsCurrent) \
    X(cudaLogsDumpToFile) X(cudaLogsDumpToMemory) X(cudaLogsRegisterCallback) \
    X(cudaLogsUnregisterCallback) X(cudaMemDiscardAndPrefetchBatchAsync) \
    X(cudaMemDiscardAndPrefetchBatchAsync_ptsz) X(cudaMemDiscardBatchAsync) \
    X(cudaMemDiscardBatchAsync_ptsz) \
    X(cudaMemPoolExportPointer) X(cudaMemPoolExportToShareableHandle) \
    X(cudaMemPoolImportFromShareableHandle) X(cudaMemPoolImportPointer) \
    X(cudaMemPrefetchBatchAsync) X(cudaMemPrefetchBatchAsync_ptsz) X(cudaMemRangeGetAttributes) \
    X(cudaMemcpy3DBatchAsync) X(cudaMemcpy3DBatchAsync_ptsz) \
    X(cudaMemcpyArrayToArray) X(cudaMemcpyArrayToArray_ptds) \
    X(cudaMipmappedArrayGetMemoryRequirements) \
    X(cudaMipmappedArrayGetSparseProperties) X(cudaSetDoubleForDevice) X(cudaSetDoubleForHost) \
    X(cudaSignalExternalSemaphoresAsync) X(cudaSignalExternalSemaphoresAsync_ptsz) \
    X(cudaSignalExternalSemaphoresAsync_v2) \
    \
    \
    X(cudaUnbindTexture) \
    X(cudaVDPAUGetDevice) \
    X(cudaVDPAUSetVDPAUDevice) X(cudaWaitExternalSemaphoresAsync) \
    X(cudaWaitExternalSemaphoresAsync_ptsz) X(cudaWaitExternalSemaphoresAsync_v2)
/* clang-format on */

#endif
