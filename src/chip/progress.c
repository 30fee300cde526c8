#include "chip/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define REDRAW_SECONDS 0.2
#define PLAIN_SECONDS 10.0

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void progress_init(struct progress *p, bool quiet)
{
    *p = (struct progress){.quiet = quiet, .terminal = isatty(STDERR_FILENO), .start = now()};
    p->last = p->start;
}

static void time_text(double seconds, char *out, size_t size)
{
    unsigned s = (unsigned)(seconds + 0.5);
    if (s < 60)
        snprintf(out, size, "%u s", s);
    else if (s < 3600)
        snprintf(out, size, "%u min %02u s", s / 60, s % 60);
    else
        snprintf(out, size, "%u h %02u min", s / 3600, s / 60 % 60);
}

void progress_update(struct progress *p, cycle_t cycles, double done)
{
    double t = now();
    if (p->quiet || t - p->last < (p->terminal ? REDRAW_SECONDS : PLAIN_SECONDS))
        return;
    p->last = t;
    double spent = t - p->start;
    char left[32] = "?";
    if (done > 0.001)
        time_text(spent / done * (1 - done), left, sizeof left);
    fprintf(stderr, "%s%5.1f %%  %.2f M cycles  %.2f M cycles/s  %s left%s",
            p->terminal ? "\r\033[K" : "heddle: ", done * 100, (double)cycles / 1e6,
            (double)cycles / 1e6 / spent, left, p->terminal ? "" : "\n");
    fflush(stderr);
    p->drawn = true;
}

static void say(void *context, const char *line)
{
    progress_end(context);
    fprintf(stderr, "heddle: warning: %s\n", line);
}

struct log progress_log(struct progress *p)
{
    return (struct log){.sink = say, .context = p};
}

void progress_end(struct progress *p)
{
    if (p->drawn && p->terminal)
        fprintf(stderr, "\r\033[K");
    p->drawn = false;
}
