#include "cpu_trace/window.h"

#include "base/arena.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct view {
    struct cpu_stream inner;
    struct cpu_window window;
    u64 left; /* instructions */
};

bool cpu_window_parse(const char *name, struct cpu_window *w, char **rest)
{
    const char *at = strrchr(name, '@');
    char *plus, *end;
    if (!at || at[1] < '0' || at[1] > '9')
        return false;
    errno = 0;
    w->first = strtoull(at + 1, &plus, 10);
    if (*plus != '+' || plus[1] < '0' || plus[1] > '9')
        return false;
    w->count = strtoull(plus + 1, &end, 10);
    if (*end || !w->count || errno == ERANGE)
        return false;
    size_t n = (size_t)(at - name);
    *rest = xrealloc(NULL, n + 1);
    memcpy(*rest, name, n);
    (*rest)[n] = '\0';
    return true;
}

static bool refill(struct cpu_stream *s)
{
    struct view *v = s->self;
    if (!v->left)
        return false;
    if (!cpu_stream_peek(&v->inner)) {
        cpu_stream_check(&v->inner, &s->err);
        return false;
    }
    const struct cpu_instruction *end = v->inner.at;
    while (end < v->inner.end && v->left)
        v->left -= (end++)->class != CPU_EVENT;
    s->at = v->inner.at;
    s->end = v->inner.at = end;
    return true;
}

static bool restart(struct cpu_stream *s)
{
    struct view *v = s->self;
    v->left = v->window.count;
    return cpu_stream_seek(&v->inner, v->window.first, &s->err);
}

static void close_view(struct cpu_stream *s)
{
    struct view *v = s->self;
    cpu_stream_close(&v->inner);
    free(v);
}

static const struct cpu_stream_ops view_ops = {
    .refill = refill, .restart = restart, .close = close_view};

bool cpu_window_open(struct cpu_stream *s, struct cpu_stream *inner, struct cpu_window w,
                     struct err *err)
{
    struct view *v = xrealloc(NULL, sizeof *v);
    *v = (struct view){.inner = *inner, .window = w};
    *s = (struct cpu_stream){.ops = &view_ops,
                             .self = v,
                             .description = inner->description,
                             .length = CPU_LENGTH_UNKNOWN,
                             .thread = inner->thread,
                             .thread_count = inner->thread_count};
    if (inner->length != CPU_LENGTH_UNKNOWN)
        s->length = w.first < inner->length ? min_u64(w.count, inner->length - w.first) : 0;
    if (cpu_stream_restart(s, err))
        return true;
    cpu_stream_close(s);
    return false;
}
