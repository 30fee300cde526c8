/* Names and texts of error numbers, as CUDA gives them. */
#ifndef CUDA_CORE_ERROR_NAMES_H
#define CUDA_CORE_ERROR_NAMES_H

#include "cuda/core/export.h"

/* NULL: no such error in that interface */
CU_SHARED const char *cu_error_driver_name(int code);
CU_SHARED const char *cu_error_runtime_name(int code);
CU_SHARED const char *cu_error_text(int code);

#endif
