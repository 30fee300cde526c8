/*
 * The one place outside cli that writes to the terminal: sentences and warnings on standard error,
 * each a line that begins with "heddle: ", and a status line that is drawn again.
 *
 * Standard output is flushed first, so the order on a terminal is that of the calls.
 */
#ifndef BASE_CONSOLE_H
#define BASE_CONSOLE_H

#include "base/types.h"

#include <stdarg.h>
#include <stddef.h>

void console_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void console_vsay(const char *fmt, va_list args) __attribute__((format(printf, 1, 0)));
/* "heddle: warning: ..." */
void console_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Text with line ends of its own, to standard error. */
void console_text(const char *text, size_t length);
/* What a command or a program is to print: to standard output. False: it cannot be written. */
bool console_print(const char *text, size_t length);
/* A line without an end, in place of the last such; "": it is wiped out. */
void console_status(const char *text);
/* Columns of the terminal; 80 if standard error is none. */
u32 console_columns(void);

#endif
