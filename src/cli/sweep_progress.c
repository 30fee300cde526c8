#include "cli/sweep_progress.h"

#include "base/console.h"
#include "base/text.h"
#include "base/units.h"
#include "run/progress.h"
#include "run/run.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MOST_ROWS 16 /* of running points */

/* One line of the table, cut at the edge: a wrapped line could not be drawn over. */
static void table_line(struct text *out, const char *line, u32 columns, u32 *lines)
{
    size_t n = strlen(line);
    text_printf(out, "\r\033[K%.*s\n", (int)(n < columns ? n : columns - 1), line);
    ++*lines;
}

static void running_rows(const struct sweep_progress *p, u32 columns, struct text *out, u32 *lines)
{
    u32 shown = 0, more = 0;
    for (u32 i = 0; i < p->jobs; i++) {
        const struct sweep_slot *c = &p->slots[i];
        if (!c->is_busy || shown == MOST_ROWS) {
            more += c->is_busy;
            continue;
        }
        struct text line = {0};
        char spent[32];
        duration_text(host_now() - c->started, spent, sizeof spent);
        text_printf(&line, "  %12s  ", spent);
        point_text(p->plan->points[c->point], &line);
        table_line(out, line.data, columns, lines);
        text_fini(&line);
        shown++;
    }
    if (more) {
        char line[64];
        snprintf(line, sizeof line, "  and %u more", more);
        table_line(out, line, columns, lines);
    }
}

/* Time left: what the runs that ended took on average, for those that are left. */
static void summary_line(const struct sweep_progress *p, char *out, size_t size)
{
    u32 total = p->plan->count, done = p->before + p->ended, left = total > done ? total - done : 0;
    double spent = host_now() - p->started;
    char time[32] = "?";
    if (p->ended)
        duration_text(p->run_seconds / p->ended * left / p->at_once, time, sizeof time);
    snprintf(out, size, "%u of %u runs, %u not done, %.1f runs/min, %s left", done, total,
             p->not_done, p->ended / (spent > 0.001 ? spent : 0.001) * 60, time);
}

static void move_up(struct sweep_screen *screen, struct text *out)
{
    if (screen->lines)
        text_printf(out, "\033[%uA", screen->lines);
    screen->lines = 0;
}

static void draw(void *context, const struct sweep_progress *p)
{
    struct sweep_screen *screen = context;
    if (screen->quiet || !screen->terminal)
        return;
    struct text out = {0};
    char line[160];
    u32 columns = console_columns();
    move_up(screen, &out);
    summary_line(p, line, sizeof line);
    table_line(&out, line, columns, &screen->lines);
    if (p->note)
        table_line(&out, p->note, columns, &screen->lines);
    running_rows(p, columns, &out, &screen->lines);
    text_printf(&out, "\033[J");
    fputs(out.data, stderr);
    fflush(stderr);
    text_fini(&out);
}

static void run_ended(void *context, const struct sweep_progress *p, const struct plan_point *point,
                      const struct outcome *outcome)
{
    struct sweep_screen *screen = context;
    bool is_news = outcome->status != RUN_DONE;
    if (screen->quiet || (screen->terminal && !is_news))
        return;
    struct text out = {0};
    move_up(screen, &out);
    text_printf(&out, "%s%u/%u %-9s %7.2f s  ", screen->terminal ? "\r\033[J" : "",
                p->before + p->ended, p->plan->count, run_status_name(outcome->status),
                outcome->seconds);
    point_text(point, &out);
    text_printf(&out, "%s%s\n", *outcome->error ? ": " : "", outcome->error);
    fputs(out.data, stderr);
    fflush(stderr);
    text_fini(&out);
}

static void news(void *context, const char *sentence)
{
    struct sweep_screen *screen = context;
    if (screen->quiet)
        return;
    struct text out = {0};
    move_up(screen, &out);
    text_printf(&out, "%s%s\n", screen->terminal ? "\r\033[J" : "", sentence);
    fputs(out.data, stderr);
    fflush(stderr);
    text_fini(&out);
}

void sweep_screen_init(struct sweep_screen *screen, bool quiet)
{
    *screen = (struct sweep_screen){.quiet = quiet, .terminal = isatty(STDERR_FILENO)};
}

struct sweep_watcher sweep_screen_watcher(struct sweep_screen *screen)
{
    return (struct sweep_watcher){
        .context = screen, .run_ended = run_ended, .tick = draw, .news = news};
}

void sweep_screen_end(struct sweep_screen *screen)
{
    struct text out = {0};
    move_up(screen, &out);
    if (out.data)
        fprintf(stderr, "%s\r\033[J", out.data);
    text_fini(&out);
}
