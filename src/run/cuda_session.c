/* When libcuda.so.1 is loaded and unloaded: part of that library alone. */
#include "chip/session.h"
#include "chip/session_request.h"

#include "base/locale.h"

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
