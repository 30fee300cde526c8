/* Names and texts of error numbers, as CUDA gives them. */
#ifndef FRONT_CUDA_ERROR_NAMES_H
#define FRONT_CUDA_ERROR_NAMES_H

#include "front/cuda/export.h"

/* NULL: no such error in that interface */
CU_SHARED const char *cu_error_driver_name(int code);
CU_SHARED const char *cu_error_runtime_name(int code);
CU_SHARED const char *cu_error_text(int code);

#endif
