#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

static const char *const level_names[] = {"error", "warning"};

const char *log_level_name(enum log_level level)
{
    return level_names[level];
}

void log_write(const struct log *log, enum log_level level, const char *fmt, ...)
{
    if (!log_wants(log, level))
        return;
    char line[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    log->sink(log->context, level, line);
}
