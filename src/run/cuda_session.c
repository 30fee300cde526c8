/* When libcuda.so.1 is loaded and unloaded: part of that library alone. */
#include "run/session.h"
#include "run/session_request.h"

#include "base/locale.h"
#include "cuda/core/failures.h"
#include "cuda/core/early_exit.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void attach(void)
{
    LOCALE_GUARD
    struct err err = ERR_INIT;
    if (!session_is_wanted() || session_open(&err))
        return;
    char text[1600];
    err_text(&err, text, sizeof text);
    fprintf(stderr, "heddle: %s\n", text);
    _exit((int)err.kind);
}

__attribute__((destructor)) static void detach(void)
{
    LOCALE_GUARD
    int code = session_close();
    if (code)
        _exit(code); /* the program's own code would hide it */
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
