/*
 * Warnings for the person at the terminal.
 *
 * The library never decides where they go: the program that starts it gives a sink. A
 * NULL log is silent.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

struct log {
    void (*sink)(void *context, const char *line);
    void *context;
};

void log_warning(const struct log *log, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
