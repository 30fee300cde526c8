#include "run/progress.h"

#include "base/console.h"

#include "run/run.h"
#include "run/sampled.h"

#include <stdio.h>
#include <unistd.h>

#define REDRAW_SECONDS 0.2
#define PLAIN_SECONDS 10.0

void progress_init(struct progress *p, bool quiet)
{
    *p = (struct progress){.quiet = quiet,
                           .terminal = isatty(STDERR_FILENO),
                           .cpu_start = host_cpu_now(),
                           .last = host_now()};
}

void progress_text(const struct run *run, double cpu_seconds, char *out, size_t size)
{
    char where[PROGRESS_ROOM / 2];
    double cycles = (double)engine_cycle(&run->sim.engine, 0);
    if (run->sampled) {
        sampled_progress(run->sampled, out, size);
        return;
    }
    run->model->progress(run->machine, where, sizeof where);
    int n = snprintf(out, size, "%s, %.2f M cycles", where, cycles / 1e6);
    if (cpu_seconds > 0)
        snprintf(out + n, size - (size_t)n, ", %.2f M cycles/s", cycles / 1e6 / cpu_seconds);
}

void progress_update(struct progress *p, const struct run *run)
{
    double t = host_now();
    if (p->quiet || t - p->last < (p->terminal ? REDRAW_SECONDS : PLAIN_SECONDS))
        return;
    p->last = t;
    char text[PROGRESS_ROOM];
    progress_text(run, host_cpu_now() - p->cpu_start, text, sizeof text);
    if (p->terminal)
        console_status(text);
    else
        console_say("%s", text);
    p->drawn = true;
}

static void say(void *context, const char *line)
{
    progress_end(context);
    console_warn("%s", line);
}

struct log progress_log(struct progress *p)
{
    return (struct log){.sink = say, .context = p};
}

void progress_end(struct progress *p)
{
    if (p->drawn && p->terminal)
        console_status("");
    p->drawn = false;
}
