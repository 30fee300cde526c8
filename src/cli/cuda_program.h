/* Running an unmodified CUDA executable on heddle's own CUDA libraries. */
#ifndef CLI_CUDA_PROGRAM_H
#define CLI_CUDA_PROGRAM_H

#include "base/err.h"

/* Becomes the program, with our libraries in front; returns only on failure. The
 * exit code is then the program's own. */
bool cuda_program_run(const char *const *arguments, bool quiet, struct err *err);

#endif
