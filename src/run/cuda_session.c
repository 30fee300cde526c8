/* When libcuda.so.1 is loaded and unloaded: part of that library alone. */
#include "run/session.h"
#include "run/session_request.h"

#include "base/err_report.h"
#include "base/locale.h"
#include "cuda/core/core.h"
#include "cuda/core/failures.h"
#include "cuda/core/early_exit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((constructor)) static void attach(void)
{
    LOCALE_GUARD
    struct err err = ERR_INIT;
    if (!session_is_wanted() || session_open(&err))
        return;
    err_report(&err);
    _exit((int)err.kind);
}

__attribute__((destructor)) static void detach(void)
{
    LOCALE_GUARD
    int code = session_close();
    if (code)
        _exit(code); /* the program's own code would hide it */
}

/*
 * For a program that looks at its own launches (python/heddle): copies the JSON array of
 * session_kernels with its final zero and returns the bytes that it takes. Where that is more than
 * `room`, nothing is copied. Call it when the work in question has ended.
 */
CU_SHARED u64 cu_kernel_records(u64 first, char *out, u64 room);
CU_SHARED u64 cu_kernel_records(u64 first, char *out, u64 room)
{
    CU_GUARD
    struct text t = {0};
    session_kernels(first, &t);
    u64 bytes = t.length + 1;
    if (bytes <= room)
        memcpy(out, t.data, bytes);
    text_fini(&t);
    return bytes;
}

/* After everything else that this library does at the end. */
#define LAST 101
__attribute__((destructor(LAST))) static void end(void)
{
    LOCALE_GUARD
    int code = cu_failures_end();
    if (code)
        cu_leave(code);
}
