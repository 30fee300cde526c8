#include "base/console.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

static void say(const char *before, const char *fmt, va_list args)
{
    fflush(stdout);
    fputs(before, stderr);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
}

void console_vsay(const char *fmt, va_list args)
{
    say("heddle: ", fmt, args);
}

void console_say(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    say("heddle: ", fmt, args);
    va_end(args);
}

void console_warn(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    say("heddle: warning: ", fmt, args);
    va_end(args);
}

void console_text(const char *text, size_t length)
{
    fflush(stdout);
    fwrite(text, 1, length, stderr);
}

bool console_print(const char *text, size_t length)
{
    fwrite(text, 1, length, stdout);
    return fflush(stdout) == 0;
}

u32 console_columns(void)
{
    struct winsize w;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 20 ? w.ws_col : 80;
}

/* A line that wraps could not be drawn again. */
void console_status(const char *text)
{
    fprintf(stderr, "\r\033[K%.*s", (int)console_columns() - 1, text);
    fflush(stderr);
}
