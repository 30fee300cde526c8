/*
 * A CUDA program on a simulated chip: the machine behind libcuda.so.1.
 *
 * `heddle run` starts the program with the request in the environment; the
 * library reads it when it is loaded, answers device queries from the chip file,
 * builds the chip when the first kernel comes, and when the program ends checks
 * every law, prints the summary and writes the result. The variables are listed
 * in docs/howto/cuda.md.
 */
#ifndef RUN_SESSION_H
#define RUN_SESSION_H

#include "base/err.h"
#include "base/text.h"

/* Reads the request and the chip file; later calls of the CUDA API run on it. */
bool session_open(struct err *err);
/* The records of the kernels that have ended, without the first so many, as a JSON array: those
 * that the result file has under `kernels`. On several sockets each has its own. With the lock. */
void session_kernels(u64 first, struct text *out);
/* When the program ends; the exit code of what went wrong, or 0. */
int session_close(void);

#endif
