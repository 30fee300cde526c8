/* Options of calls that compile or link: where logs go, and what was asked for. */
#ifndef CUDA_CODE_JIT_H
#define CUDA_CODE_JIT_H

#include "cuda/code/module.h"

struct cu_jit {
    const CUjit_option *options;
    void **values;
    u32 count;
};

/* Logs become empty. */
void cu_jit_begin(const struct cu_jit *jit);
/* The sentence goes into the error log or, if there is none, to stderr. */
void cu_jit_failed(const struct cu_jit *jit, const struct err *err);
/* What was loaded, where the program wants to know more than errors. module: may be NULL. */
void cu_jit_done(const struct cu_jit *jit, CUmodule module);

#endif
