#include "run/progress.h"

#include "base/console.h"
#include "base/units.h"

#include "run/run.h"
#include "run/sampled.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define REDRAW_SECONDS 0.2
#define PLAIN_SECONDS 10.0
#define LEAST_SHARE 0.01 /* of a kernel, before its rate is taken for that of the rest */

void progress_init(struct progress *p, bool quiet)
{
    *p = (struct progress){.quiet = quiet,
                           .terminal = isatty(STDERR_FILENO),
                           .cpu_start = host_cpu_now(),
                           .last = host_now()};
}

void progress_text(const struct run *run, double cpu_seconds, const char *left, char *out,
                   size_t size)
{
    char where[PROGRESS_ROOM / 2];
    double cycles = (double)engine_cycle(&run->sim.engine, 0);
    if (!run->sampled || !sampled_is_executing(run->sampled, where, sizeof where))
        run->model->progress(run->machine, where, sizeof where);
    int n =
        snprintf(out, size, "%s%s%s, %.2f M cycles", where, *left ? ", " : "", left, cycles / 1e6);
    if (cpu_seconds > 0)
        n += snprintf(out + n, size - (size_t)n, ", %.2f M cycles/s", cycles / 1e6 / cpu_seconds);
    if (run->sampled)
        sampled_progress(run->sampled, out + n, size - (size_t)n);
}

double progress_left(struct progress *p, double share, double now)
{
    if (share < p->seen || p->since <= 0) {
        p->first = share;
        p->since = now;
    }
    p->seen = share;
    double done = share - p->first;
    return done < LEAST_SHARE ? -1 : (1 - share) * (now - p->since) / done;
}

/* The share of the kernels under way that is done, or -1: not known. What is only executed goes on
 * at another rate than what is timed. */
static double share_done(struct progress *p, const struct run *run)
{
    bool is_executing = run->sampled && run->sampled->executing;
    if (is_executing != p->is_executing)
        p->since = 0;
    p->is_executing = is_executing;
    return is_executing             ? sampled_share_executed(run->sampled)
           : run->model->share_done ? run->model->share_done(run->machine)
                                    : -1;
}

bool progress_is_due(struct progress *p)
{
    double t = host_now();
    if (p->quiet || t - p->last < (p->terminal ? REDRAW_SECONDS : PLAIN_SECONDS))
        return false;
    p->last = t;
    return true;
}

void progress_draw(struct progress *p, const char *text)
{
    if (p->terminal)
        console_status(text);
    else
        console_say("%s", text);
    p->drawn = true;
}

void progress_update(struct progress *p, const struct run *run)
{
    if (!progress_is_due(p))
        return;
    char text[PROGRESS_ROOM], rest[32], words[64] = "";
    double share = share_done(p, run), left = share < 0 ? -1 : progress_left(p, share, p->last);
    if (left >= 0) {
        duration_text(left, rest, sizeof rest);
        /* Most of a long kernel may not be timed. */
        snprintf(words, sizeof words, "%s%s left of this kernel",
                 run->sampled && !p->is_executing ? "at most " : "", rest);
    }
    progress_text(run, host_cpu_now() - p->cpu_start, words, text, sizeof text);
    progress_draw(p, text);
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
