#ifndef CLI_LIST_CUDA_H
#define CLI_LIST_CUDA_H

#include <stdbool.h>

/* Calls of CUDA that programs find and that are refused. */
void list_cuda(bool names_only);

#endif
