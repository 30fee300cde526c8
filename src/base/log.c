#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const level_names[] = {"error", "warning", "info", "debug"};

const char *log_level_name(enum log_level level)
{
    return level_names[level];
}

bool log_level_parse(const char *name, enum log_level *level)
{
    for (size_t i = 0; i < ARRAY_LEN(level_names); i++) {
        if (strcmp(name, level_names[i]) == 0) {
            *level = (enum log_level)i;
            return true;
        }
    }
    return false;
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
