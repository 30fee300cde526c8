#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

void log_warning(const struct log *log, const char *fmt, ...)
{
    if (!log)
        return;
    char line[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    log->sink(log->context, line);
}
