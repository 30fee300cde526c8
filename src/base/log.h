/*
 * Messages for the person at the terminal, by level.
 *
 * The library never decides where they go: whoever starts it gives a sink. A
 * NULL log is silent.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/types.h"

enum log_level { LOG_ERROR, LOG_WARNING };

struct log {
    enum log_level level; /* the most talkative level that is let through */
    void (*sink)(void *context, enum log_level level, const char *line);
    void *context;
};

const char *log_level_name(enum log_level level);

void log_write(const struct log *log, enum log_level level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static inline bool log_wants(const struct log *log, enum log_level level)
{
    return log && log->sink && level <= log->level;
}

#define log_warning(log, ...) log_write((log), LOG_WARNING, __VA_ARGS__)

#endif
