/*
 * The report of a hang: who waits for whom, and the circle if there is one.
 *
 * A full port makes its producer wait for its consumer; anything else a unit
 * waits for it tells through its explain hook.
 */
#include "sim/engine.h"

#include "sim/port.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_LINES 48

struct wait {
    unit_id who, on;
    char why[400];
};

struct waits {
    const struct engine *engine;
    unit_id who; /* whose explain hook runs */
    struct wait *list;
    u32 count, room;
};

static struct wait *new_wait(struct waits *w)
{
    if (w->count == w->room) {
        w->room = w->room ? w->room * 2 : 32;
        w->list = xrealloc(w->list, w->room * sizeof *w->list);
    }
    return &w->list[w->count++];
}

void waits_add(struct waits *w, unit_id on, const char *fmt, ...)
{
    struct wait *x = new_wait(w);
    x->who = w->who;
    x->on = on;
    va_list args;
    va_start(args, fmt);
    vsnprintf(x->why, sizeof x->why, fmt, args);
    va_end(args);
}

static void collect(struct waits *w)
{
    const struct engine *e = w->engine;
    for (u32 i = 0; i < e->port_count; i++) {
        const struct port *p = e->ports[i];
        if (port_count(p) < p->capacity || p->producer == UNIT_NONE || p->consumer == UNIT_NONE)
            continue;
        w->who = p->producer;
        waits_add(w, p->consumer, "port %s is full (%u of %u)", p->name, port_count(p),
                  p->capacity);
    }
    for (u32 i = 0; i < e->unit_count; i++) {
        w->who = i;
        if (e->units[i]->explain)
            e->units[i]->explain(e->units[i]->self, w);
    }
}

static const char *unit_name(const struct engine *e, unit_id u)
{
    return u == UNIT_NONE ? "nobody" : e->units[u]->name;
}

static void print_wait(const struct engine *e, const struct wait *w, struct text *out)
{
    text_printf(out, "  %s", unit_name(e, w->who));
    if (w->on != UNIT_NONE)
        text_printf(out, " waits for %s", unit_name(e, w->on));
    text_printf(out, ": %s\n", w->why);
}

/* Nobody would ever have been woken, or those who were did nothing. */
static void print_when(const struct engine *e, struct text *out)
{
    const struct domain *d = &e->domains[0];
    u64 wake_fs = UINT64_MAX;
    for (u32 i = 0; i < e->domain_count; i++)
        wake_fs = min_u64(wake_fs, e->domains[i].wake_fs);
    if (wake_fs == UINT64_MAX)
        text_printf(out, "nothing can go on");
    else
        text_printf(out, "no progress for %llu cycles of '%s'",
                    (unsigned long long)((wake_fs - e->progress_fs) / d->step_fs), d->name);
    text_printf(out, ", stopped at cycle %llu\n", (unsigned long long)engine_cycle(e, 0));
}

/* Depth-first search along the waits; marks: 0 new, 1 on the path, 2 done. */
static bool find_circle(const struct waits *w, unit_id at, u8 *mark, unit_id *path, u32 *length)
{
    mark[at] = 1;
    path[(*length)++] = at;
    for (u32 i = 0; i < w->count; i++) {
        unit_id next = w->list[i].on;
        if (w->list[i].who != at || next == UNIT_NONE || mark[next] == 2)
            continue;
        if (mark[next] == 1) {
            path[(*length)++] = next;
            return true;
        }
        if (find_circle(w, next, mark, path, length))
            return true;
    }
    mark[at] = 2;
    (*length)--;
    return false;
}

static void print_circle(const struct waits *w, struct text *out)
{
    const struct engine *e = w->engine;
    u8 *mark = xrealloc(NULL, e->unit_count + 1);
    unit_id *path = xrealloc(NULL, (e->unit_count + 2) * sizeof *path);
    for (u32 i = 0; i < e->unit_count; i++)
        mark[i] = 0;
    for (u32 i = 0; i < e->unit_count; i++) {
        u32 length = 0;
        if (mark[i] || !find_circle(w, i, mark, path, &length))
            continue;
        u32 start = 0;
        while (path[start] != path[length - 1])
            start++;
        text_printf(out, "  circle: ");
        for (u32 k = start; k < length; k++)
            text_printf(out, "%s%s", k > start ? " -> " : "", unit_name(e, path[k]));
        text_printf(out, "\n");
        break;
    }
    free(mark);
    free(path);
}

static void print_waits(const struct waits *w, struct text *out)
{
    for (u32 i = 0; i < w->count && i < MAX_LINES; i++)
        print_wait(w->engine, &w->list[i], out);
    if (w->count > MAX_LINES)
        text_printf(out, "  and %u more\n", w->count - MAX_LINES);
}

void watchdog_waits(const struct engine *e, struct text *out)
{
    struct waits w = {.engine = e};
    collect(&w);
    print_waits(&w, out);
    free(w.list);
}

void watchdog_report(const struct engine *e, struct text *out)
{
    struct waits w = {.engine = e};
    collect(&w);
    print_when(e, out);
    print_waits(&w, out);
    if (w.count == 0)
        text_printf(out, "  no port is full and no unit says what it waits for: all sleep\n");
    print_circle(&w, out);
    for (u32 i = 0, shown = 0; i < e->port_count && shown < MAX_LINES; i++) {
        const struct port *p = e->ports[i];
        if (port_count(p) == 0)
            continue;
        shown++;
        text_printf(out, "  port %s holds %u of %u for %s\n", p->name, port_count(p), p->capacity,
                    unit_name(e, p->consumer));
    }
    free(w.list);
}
