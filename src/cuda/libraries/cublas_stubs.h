/* What NVIDIA's cuBLAS of CUDA 13 exports beyond what ours has. */
#ifndef CUDA_LIBRARIES_CUBLAS_STUBS_H
#define CUDA_LIBRARIES_CUBLAS_STUBS_H

/* clang-format off */
#define CUBLAS_STUBS(X) \
    X(cublasAlloc) X(cublasAsumEx) X(cublasAsumEx_64) X(cublasAxpyEx) X(cublasAxpyEx_64) \
    X(cublasCaxpy) X(cublasCaxpy_v2) X(cublasCaxpy_v2_64) X(cublasCbdmm) X(cublasCcopy) \
    X(cublasCcopy_v2) X(cublasCcopy_v2_64) X(cublasCdgmm) X(cublasCdgmm_64) X(cublasCdotc) \
    X(cublasCdotc_v2) X(cublasCdotc_v2_64) X(cublasCdotu) X(cublasCdotu_v2) X(cublasCdotu_v2_64) \
    X(cublasCgbmv) X(cublasCgbmv_v2) X(cublasCgbmv_v2_64) X(cublasCgeam) X(cublasCgeam_64) \
    X(cublasCgelsBatched) X(cublasCgemm) X(cublasCgemm3m) X(cublasCgemm3mBatched) \
    X(cublasCgemm3mBatched_64) X(cublasCgemm3mEx) X(cublasCgemm3mEx_64) \
    X(cublasCgemm3mStridedBatched) X(cublasCgemm3mStridedBatched_64) X(cublasCgemm3m_64) \
    X(cublasCgemmBatched) X(cublasCgemmBatched_64) X(cublasCgemmEx) X(cublasCgemmEx_64) \
    X(cublasCgemmStridedBatched) X(cublasCgemmStridedBatched_64) X(cublasCgemm_v2) \
    X(cublasCgemm_v2_64) X(cublasCgemv) X(cublasCgemvBatched) X(cublasCgemvBatched_64) \
    X(cublasCgemvStridedBatched) X(cublasCgemvStridedBatched_64) X(cublasCgemv_v2) \
    X(cublasCgemv_v2_64) X(cublasCgeqrfBatched) X(cublasCgerc) X(cublasCgerc_v2) \
    X(cublasCgerc_v2_64) X(cublasCgeru) X(cublasCgeru_v2) X(cublasCgeru_v2_64) \
    X(cublasCgetrfBatched) X(cublasCgetriBatched) X(cublasCgetrsBatched) X(cublasChbmv) \
    X(cublasChbmv_v2) X(cublasChbmv_v2_64) X(cublasChemm) X(cublasChemm_v2) X(cublasChemm_v2_64) \
    X(cublasChemv) X(cublasChemv_v2) X(cublasChemv_v2_64) X(cublasCher) X(cublasCher2) \
    X(cublasCher2_v2) X(cublasCher2_v2_64) X(cublasCher2k) X(cublasCher2k_v2) \
    X(cublasCher2k_v2_64) X(cublasCher_v2) X(cublasCher_v2_64) X(cublasCherk) X(cublasCherk3mEx) \
    X(cublasCherk3mEx_64) X(cublasCherkEx) X(cublasCherkEx_64) X(cublasCherk_v2) \
    X(cublasCherk_v2_64) X(cublasCherkx) X(cublasCherkx_64) X(cublasChpmv) X(cublasChpmv_v2) \
    X(cublasChpmv_v2_64) X(cublasChpr) X(cublasChpr2) X(cublasChpr2_v2) X(cublasChpr2_v2_64) \
    X(cublasChpr_v2) X(cublasChpr_v2_64) X(cublasCmatinvBatched) X(cublasCopyEx) \
    X(cublasCopyEx_64) X(cublasCrot) X(cublasCrot_v2) X(cublasCrot_v2_64) X(cublasCrotg) \
    X(cublasCrotg_v2) X(cublasCscal) X(cublasCscal_v2) X(cublasCscal_v2_64) X(cublasCsrot) \
    X(cublasCsrot_v2) X(cublasCsrot_v2_64) X(cublasCsscal) X(cublasCsscal_v2) \
    X(cublasCsscal_v2_64) X(cublasCswap) X(cublasCswap_v2) X(cublasCswap_v2_64) X(cublasCsymm) \
    X(cublasCsymm_v2) X(cublasCsymm_v2_64) X(cublasCsymv_v2) X(cublasCsymv_v2_64) \
    X(cublasCsyr2_v2) X(cublasCsyr2_v2_64) X(cublasCsyr2k) X(cublasCsyr2k_v2) \
    X(cublasCsyr2k_v2_64) X(cublasCsyr_v2) X(cublasCsyr_v2_64) X(cublasCsyrk) X(cublasCsyrk3mEx) \
    X(cublasCsyrk3mEx_64) X(cublasCsyrkEx) X(cublasCsyrkEx_64) X(cublasCsyrk_v2) \
    X(cublasCsyrk_v2_64) X(cublasCsyrkx) X(cublasCsyrkx_64) X(cublasCtbmv) X(cublasCtbmv_v2) \
    X(cublasCtbmv_v2_64) X(cublasCtbsv) X(cublasCtbsv_v2) X(cublasCtbsv_v2_64) X(cublasCtpmv) \
    X(cublasCtpmv_v2) X(cublasCtpmv_v2_64) X(cublasCtpsv) X(cublasCtpsv_v2) X(cublasCtpsv_v2_64) \
    X(cublasCtpttr) X(cublasCtrmm) X(cublasCtrmm_v2) X(cublasCtrmm_v2_64) X(cublasCtrmv) \
    X(cublasCtrmv_v2) X(cublasCtrmv_v2_64) X(cublasCtrsm) X(cublasCtrsmBatched) \
    X(cublasCtrsmBatched_64) X(cublasCtrsm_v2) X(cublasCtrsm_v2_64) X(cublasCtrsv) \
    X(cublasCtrsv_v2) X(cublasCtrsv_v2_64) X(cublasCtrttp) X(cublasDasum) X(cublasDasum_v2_64) \
    X(cublasDaxpy) X(cublasDaxpy_v2_64) X(cublasDbdmm) X(cublasDcopy) X(cublasDcopy_v2_64) \
    X(cublasDdgmm_64) X(cublasDdot) X(cublasDdot_v2_64) X(cublasDgbmv) \
    X(cublasDgbmv_v2_64) X(cublasDgeam_64) X(cublasDgelsBatched) \
    X(cublasDgemm) X(cublasDgemmBatched_64) X(cublasDgemmGroupedBatched) \
    X(cublasDgemmGroupedBatched_64) X(cublasDgemmStridedBatched_64) X(cublasDgemm_v2_64) \
    X(cublasDgemv) X(cublasDgemvBatched) X(cublasDgemvBatched_64) X(cublasDgemvStridedBatched) \
    X(cublasDgemvStridedBatched_64) X(cublasDgemv_v2_64) X(cublasDgeqrfBatched) X(cublasDger) \
    X(cublasDger_v2_64) \
    X(cublasDmatinvBatched) X(cublasDnrm2) X(cublasDnrm2_v2_64) X(cublasDotEx) X(cublasDotEx_64) \
    X(cublasDotcEx) X(cublasDotcEx_64) X(cublasDrot) X(cublasDrot_v2_64) X(cublasDrotg) \
    X(cublasDrotg_v2) X(cublasDrotm) X(cublasDrotm_v2) X(cublasDrotm_v2_64) X(cublasDrotmg) \
    X(cublasDrotmg_v2) X(cublasDsbmv) X(cublasDsbmv_v2_64) X(cublasDscal) \
    X(cublasDscal_v2_64) X(cublasDspmv) X(cublasDspmv_v2_64) X(cublasDspr) \
    X(cublasDspr2) X(cublasDspr2_v2_64) X(cublasDspr_v2_64) \
    X(cublasDswap) X(cublasDswap_v2_64) X(cublasDsymm) X(cublasDsymm_v2_64) \
    X(cublasDsymv) X(cublasDsymv_v2_64) X(cublasDsyr) X(cublasDsyr2) \
    X(cublasDsyr2_v2_64) X(cublasDsyr2k) X(cublasDsyr2k_v2) \
    X(cublasDsyr2k_v2_64) X(cublasDsyr_v2_64) X(cublasDsyrk) \
    X(cublasDsyrk_v2_64) X(cublasDsyrkx) X(cublasDsyrkx_64) X(cublasDtbmv) \
    X(cublasDtbmv_v2_64) X(cublasDtbsv) X(cublasDtbsv_v2_64) X(cublasDtpmv) \
    X(cublasDtpmv_v2_64) X(cublasDtpsv) X(cublasDtpsv_v2_64) \
    X(cublasDtpttr) X(cublasDtrmm) X(cublasDtrmm_v2_64) X(cublasDtrmv) \
    X(cublasDtrmv_v2_64) X(cublasDtrsm) X(cublasDtrsmBatched) \
    X(cublasDtrsmBatched_64) X(cublasDtrsm_v2_64) X(cublasDtrsv) \
    X(cublasDtrsv_v2_64) X(cublasDtrttp) X(cublasDzasum) X(cublasDzasum_v2) \
    X(cublasDzasum_v2_64) X(cublasDznrm2) X(cublasDznrm2_v2) X(cublasDznrm2_v2_64) X(cublasFree) \
    X(cublasGemmBatchedEx_64) X(cublasGemmEx_64) X(cublasGemmGroupedBatchedEx) \
    X(cublasGemmGroupedBatchedEx_64) X(cublasGemmStridedBatchedEx_64) X(cublasGetBackdoor) \
    X(cublasGetCudartVersion) X(cublasGetEmulationSpecialValuesSupport) \
    X(cublasGetEmulationStrategy) X(cublasGetEnvironmentMode) X(cublasGetError) \
    X(cublasGetFixedPointEmulationMantissaBitCountPointer) \
    X(cublasGetFixedPointEmulationMantissaBitOffset) \
    X(cublasGetFixedPointEmulationMantissaControl) \
    X(cublasGetFixedPointEmulationMaxMantissaBitCount) X(cublasGetLoggerCallback) \
    X(cublasGetMatrixAsync_64) X(cublasGetMatrix_64) X(cublasGetSmCountTarget) \
    X(cublasGetVectorAsync_64) X(cublasGetVector_64) X(cublasGetVersion) X(cublasHSHgemvBatched) \
    X(cublasHSHgemvBatched_64) X(cublasHSHgemvStridedBatched) X(cublasHSHgemvStridedBatched_64) \
    X(cublasHSSgemvBatched) X(cublasHSSgemvBatched_64) X(cublasHSSgemvStridedBatched) \
    X(cublasHSSgemvStridedBatched_64) X(cublasHgemmBatched_64) X(cublasHgemmStridedBatched_64) \
    X(cublasHgemm_64) X(cublasIamaxEx) X(cublasIamaxEx_64) X(cublasIaminEx) X(cublasIaminEx_64) \
    X(cublasIcamax) X(cublasIcamax_v2) X(cublasIcamax_v2_64) X(cublasIcamin) X(cublasIcamin_v2) \
    X(cublasIcamin_v2_64) X(cublasIdamax) X(cublasIdamax_v2_64) X(cublasIdamin) \
    X(cublasIdamin_v2_64) X(cublasInit) X(cublasIsamax) X(cublasIsamax_v2_64) X(cublasIsamin) \
    X(cublasIsamin_v2_64) X(cublasIzamax) X(cublasIzamax_v2) X(cublasIzamax_v2_64) \
    X(cublasIzamin) X(cublasIzamin_v2) X(cublasIzamin_v2_64) X(cublasLoggerConfigure) \
    X(cublasNrm2Ex) X(cublasNrm2Ex_64) X(cublasRotEx) X(cublasRotEx_64) X(cublasRotgEx) \
    X(cublasRotmEx) X(cublasRotmEx_64) X(cublasRotmgEx) X(cublasSasum) X(cublasSasum_v2_64) \
    X(cublasSaxpy) X(cublasSaxpy_v2_64) X(cublasSbdmm) X(cublasScalEx) X(cublasScalEx_64) \
    X(cublasScasum) X(cublasScasum_v2) X(cublasScasum_v2_64) X(cublasScnrm2) X(cublasScnrm2_v2) \
    X(cublasScnrm2_v2_64) X(cublasScopy) X(cublasScopy_v2_64) X(cublasSdgmm_64) \
    X(cublasSdot) X(cublasSdot_v2_64) X(cublasSetBackdoor) X(cublasSetBackdoorEx) \
    X(cublasSetEmulationSpecialValuesSupport) X(cublasSetEmulationStrategy) \
    X(cublasSetEnvironmentMode) X(cublasSetFixedPointEmulationMantissaBitCountPointer) \
    X(cublasSetFixedPointEmulationMantissaBitOffset) \
    X(cublasSetFixedPointEmulationMantissaControl) \
    X(cublasSetFixedPointEmulationMaxMantissaBitCount) X(cublasSetKernelStream) \
    X(cublasSetLoggerCallback) X(cublasSetMatrixAsync_64) X(cublasSetMatrix_64) \
    X(cublasSetSmCountTarget) X(cublasSetVectorAsync_64) X(cublasSetVector_64) X(cublasSgbmv) \
    X(cublasSgbmv_v2_64) X(cublasSgeam_64) X(cublasSgelsBatched) \
    X(cublasSgemm) X(cublasSgemmBatched_64) X(cublasSgemmEx_64) X(cublasSgemmGroupedBatched) \
    X(cublasSgemmGroupedBatched_64) X(cublasSgemmStridedBatched_64) X(cublasSgemm_v2_64) \
    X(cublasSgemv) X(cublasSgemvBatched) X(cublasSgemvBatched_64) X(cublasSgemvStridedBatched) \
    X(cublasSgemvStridedBatched_64) X(cublasSgemv_v2_64) X(cublasSgeqrfBatched) X(cublasSger) \
    X(cublasSger_v2_64) \
    X(cublasShutdown) X(cublasSmatinvBatched) X(cublasSnrm2) X(cublasSnrm2_v2_64) X(cublasSrot) \
    X(cublasSrot_v2_64) X(cublasSrotg) X(cublasSrotg_v2) X(cublasSrotm) X(cublasSrotm_v2) \
    X(cublasSrotm_v2_64) X(cublasSrotmg) X(cublasSrotmg_v2) X(cublasSsbmv) \
    X(cublasSsbmv_v2_64) X(cublasSscal) X(cublasSscal_v2_64) X(cublasSspmv) \
    X(cublasSspmv_v2_64) X(cublasSspr) X(cublasSspr2) X(cublasSspr2_v2_64) \
    X(cublasSspr_v2_64) X(cublasSswap) X(cublasSswap_v2_64) X(cublasSsymm) \
    X(cublasSsymm_v2_64) X(cublasSsymv) X(cublasSsymv_v2_64) \
    X(cublasSsyr) X(cublasSsyr2) X(cublasSsyr2_v2_64) X(cublasSsyr2k) \
    X(cublasSsyr2k_v2) X(cublasSsyr2k_v2_64) X(cublasSsyr_v2_64) X(cublasSsyrk) \
    X(cublasSsyrk_v2_64) X(cublasSsyrkx) X(cublasSsyrkx_64) X(cublasStbmv) \
    X(cublasStbmv_v2_64) X(cublasStbsv) X(cublasStbsv_v2_64) \
    X(cublasStpmv) X(cublasStpmv_v2_64) X(cublasStpsv) \
    X(cublasStpsv_v2_64) X(cublasStpttr) X(cublasStrmm) X(cublasStrmm_v2_64) \
    X(cublasStrmv) X(cublasStrmv_v2_64) X(cublasStrsm) X(cublasStrsmBatched) \
    X(cublasStrsmBatched_64) X(cublasStrsm_v2_64) X(cublasStrsv) \
    X(cublasStrsv_v2_64) X(cublasStrttp) X(cublasSwapEx) X(cublasSwapEx_64) \
    X(cublasTSSgemvBatched) X(cublasTSSgemvBatched_64) X(cublasTSSgemvStridedBatched) \
    X(cublasTSSgemvStridedBatched_64) X(cublasTSTgemvBatched) X(cublasTSTgemvBatched_64) \
    X(cublasTSTgemvStridedBatched) X(cublasTSTgemvStridedBatched_64) X(cublasUint8gemmBias) \
    X(cublasXerbla) X(cublasXtCgemm) X(cublasXtChemm) X(cublasXtCher2k) X(cublasXtCherk) \
    X(cublasXtCherkx) X(cublasXtCreate) X(cublasXtCspmm) X(cublasXtCsymm) X(cublasXtCsyr2k) \
    X(cublasXtCsyrk) X(cublasXtCsyrkx) X(cublasXtCtrmm) X(cublasXtCtrsm) X(cublasXtDestroy) \
    X(cublasXtDeviceSelect) X(cublasXtDgemm) X(cublasXtDspmm) X(cublasXtDsymm) X(cublasXtDsyr2k) \
    X(cublasXtDsyrk) X(cublasXtDsyrkx) X(cublasXtDtrmm) X(cublasXtDtrsm) X(cublasXtGetBlockDim) \
    X(cublasXtGetNumBoards) X(cublasXtGetPinningMemMode) X(cublasXtMaxBoards) \
    X(cublasXtSetBlockDim) X(cublasXtSetCpuRatio) X(cublasXtSetCpuRoutine) \
    X(cublasXtSetPinningMemMode) X(cublasXtSgemm) X(cublasXtSspmm) X(cublasXtSsymm) \
    X(cublasXtSsyr2k) X(cublasXtSsyrk) X(cublasXtSsyrkx) X(cublasXtStrmm) X(cublasXtStrsm) \
    X(cublasXtZgemm) X(cublasXtZhemm) X(cublasXtZher2k) X(cublasXtZherk) X(cublasXtZherkx) \
    X(cublasXtZspmm) X(cublasXtZsymm) X(cublasXtZsyr2k) X(cublasXtZsyrk) X(cublasXtZsyrkx) \
    X(cublasXtZtrmm) X(cublasXtZtrsm) X(cublasZaxpy) X(cublasZaxpy_v2) X(cublasZaxpy_v2_64) \
    X(cublasZbdmm) X(cublasZcopy) X(cublasZcopy_v2) X(cublasZcopy_v2_64) X(cublasZdgmm) \
    X(cublasZdgmm_64) X(cublasZdotc) X(cublasZdotc_v2) X(cublasZdotc_v2_64) X(cublasZdotu) \
    X(cublasZdotu_v2) X(cublasZdotu_v2_64) X(cublasZdrot) X(cublasZdrot_v2) X(cublasZdrot_v2_64) \
    X(cublasZdscal) X(cublasZdscal_v2) X(cublasZdscal_v2_64) X(cublasZgbmv) X(cublasZgbmv_v2) \
    X(cublasZgbmv_v2_64) X(cublasZgeam) X(cublasZgeam_64) X(cublasZgelsBatched) X(cublasZgemm) \
    X(cublasZgemm3m) X(cublasZgemm3m_64) X(cublasZgemmBatched) X(cublasZgemmBatched_64) \
    X(cublasZgemmStridedBatched) X(cublasZgemmStridedBatched_64) X(cublasZgemm_v2) \
    X(cublasZgemm_v2_64) X(cublasZgemv) X(cublasZgemvBatched) X(cublasZgemvBatched_64) \
    X(cublasZgemvStridedBatched) X(cublasZgemvStridedBatched_64) X(cublasZgemv_v2) \
    X(cublasZgemv_v2_64) X(cublasZgeqrfBatched) X(cublasZgerc) X(cublasZgerc_v2) \
    X(cublasZgerc_v2_64) X(cublasZgeru) X(cublasZgeru_v2) X(cublasZgeru_v2_64) \
    X(cublasZgetrfBatched) X(cublasZgetriBatched) X(cublasZgetrsBatched) X(cublasZhbmv) \
    X(cublasZhbmv_v2) X(cublasZhbmv_v2_64) X(cublasZhemm) X(cublasZhemm_v2) X(cublasZhemm_v2_64) \
    X(cublasZhemv) X(cublasZhemv_v2) X(cublasZhemv_v2_64) X(cublasZher) X(cublasZher2) \
    X(cublasZher2_v2) X(cublasZher2_v2_64) X(cublasZher2k) X(cublasZher2k_v2) \
    X(cublasZher2k_v2_64) X(cublasZher_v2) X(cublasZher_v2_64) X(cublasZherk) X(cublasZherk_v2) \
    X(cublasZherk_v2_64) X(cublasZherkx) X(cublasZherkx_64) X(cublasZhpmv) X(cublasZhpmv_v2) \
    X(cublasZhpmv_v2_64) X(cublasZhpr) X(cublasZhpr2) X(cublasZhpr2_v2) X(cublasZhpr2_v2_64) \
    X(cublasZhpr_v2) X(cublasZhpr_v2_64) X(cublasZmatinvBatched) X(cublasZrot) X(cublasZrot_v2) \
    X(cublasZrot_v2_64) X(cublasZrotg) X(cublasZrotg_v2) X(cublasZscal) X(cublasZscal_v2) \
    X(cublasZscal_v2_64) X(cublasZswap) X(cublasZswap_v2) X(cublasZswap_v2_64) X(cublasZsymm) \
    X(cublasZsymm_v2) X(cublasZsymm_v2_64) X(cublasZsymv_v2) X(cublasZsymv_v2_64) \
    X(cublasZsyr2_v2) X(cublasZsyr2_v2_64) X(cublasZsyr2k) X(cublasZsyr2k_v2) \
    X(cublasZsyr2k_v2_64) X(cublasZsyr_v2) X(cublasZsyr_v2_64) X(cublasZsyrk) X(cublasZsyrk_v2) \
    X(cublasZsyrk_v2_64) X(cublasZsyrkx) X(cublasZsyrkx_64) X(cublasZtbmv) X(cublasZtbmv_v2) \
    X(cublasZtbmv_v2_64) X(cublasZtbsv) X(cublasZtbsv_v2) X(cublasZtbsv_v2_64) X(cublasZtpmv) \
    X(cublasZtpmv_v2) X(cublasZtpmv_v2_64) X(cublasZtpsv) X(cublasZtpsv_v2) X(cublasZtpsv_v2_64) \
    X(cublasZtpttr) X(cublasZtrmm) X(cublasZtrmm_v2) X(cublasZtrmm_v2_64) X(cublasZtrmv) \
    X(cublasZtrmv_v2) X(cublasZtrmv_v2_64) X(cublasZtrsm) X(cublasZtrsmBatched) \
    X(cublasZtrsmBatched_64) X(cublasZtrsm_v2) X(cublasZtrsm_v2_64) X(cublasZtrsv) \
    X(cublasZtrsv_v2) X(cublasZtrsv_v2_64) X(cublasZtrttp)
/* clang-format on */

#endif
