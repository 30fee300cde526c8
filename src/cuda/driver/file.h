/* Images that calls name by a path (driver/module.c). */
#ifndef CUDA_DRIVER_FILE_H
#define CUDA_DRIVER_FILE_H

#include <stddef.h>

/* The whole file with a zero after it, for free(); NULL when it cannot be read. */
char *driver_file_read(const char *path, size_t *bytes);

#endif
