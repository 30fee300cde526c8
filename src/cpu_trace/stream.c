#include "cpu_trace/stream.h"

#include "base/file.h"
#include "cpu_trace/aarch64_stream.h"
#include "cpu_trace/champsim.h"
#include "cpu_trace/kernel.h"
#include "cpu_trace/suite.h"
#include "cpu_trace/format/format.h"
#include "cpu_trace/format/reader.h"
#include "cpu_trace/window.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool open_kernel(struct cpu_stream *s, const struct cpu_stream_request *request,
                        const char *kernel, struct err *err)
{
    struct cpu_kernel k;
    if (!cpu_kernel_parse(&k, kernel, err))
        return false;
    if (request->thread >= k.threads)
        return err_at(err, (struct src_pos){request->name, 0, 0},
                      "thread %u does not exist, expected a number below %u", request->thread,
                      k.threads);
    cpu_kernel_open(s, &k, request->name, request->thread, request->seed);
    return true;
}

/* What a name begins with, unless it is a file that says itself what it is. */
static const char *after(const char *name, const char *prefix)
{
    size_t n = strlen(prefix);
    return strncmp(name, prefix, n) == 0 ? name + n : NULL;
}

static bool open_champsim(struct cpu_stream *s, const struct cpu_stream_request *request,
                          const char *file, enum champsim_kind kind, struct err *err)
{
    if (request->thread)
        return err_at(err, (struct src_pos){file, 0, 0},
                      "thread %u does not exist: a ChampSim trace has one thread", request->thread);
    return champsim_stream(s, file, kind, err);
}

bool cpu_name_is_champsim(const char *name)
{
    const char *slash = strrchr(name, '/');
    return strstr(slash ? slash : name, "champsim") != NULL;
}

bool cpu_name_is_kernel(const char *name)
{
    return after(name, "cpu:") != NULL;
}

bool cpu_name_is_no_file(const char *name)
{
    return after(name, "cpu:") || after(name, SUITE_PREFIX) || aarch64_name_is_program(name);
}

bool cpu_name_is_program(const char *name)
{
    struct cpu_window w;
    char *rest;
    if (cpu_name_is_no_file(name) || after(name, "champsim:") || after(name, "cloudsuite:"))
        return true;
    if (file_starts_with(name, CPU_TRACE_MAGIC, CONTAINER_MAGIC_BYTES))
        return true;
    if (cpu_window_parse(name, &w, &rest)) {
        bool is = cpu_name_is_program(rest);
        free(rest);
        return is;
    }
    return cpu_name_is_champsim(name) && access(name, R_OK) == 0;
}

static bool open_suite(struct cpu_stream *s, const struct cpu_stream_request *request,
                       struct err *err)
{
    struct arena arena = {0};
    const char *path = suite_path(request->name, (struct src_pos){0}, &arena, err);
    bool ok = path && cpu_trace_stream(s, path, request->thread, request->events, err);
    arena_fini(&arena);
    return ok;
}

static bool open_whole(struct cpu_stream *s, const struct cpu_stream_request *request,
                       struct err *err)
{
    const char *name = request->name, *rest;
    *s = (struct cpu_stream){0};
    if ((rest = after(name, "cpu:")))
        return open_kernel(s, request, rest, err);
    if ((rest = after(name, "champsim:")))
        return open_champsim(s, request, rest, CHAMPSIM_STANDARD, err);
    if ((rest = after(name, "cloudsuite:")))
        return open_champsim(s, request, rest, CHAMPSIM_CLOUDSUITE, err);
    if (after(name, SUITE_PREFIX))
        return open_suite(s, request, err);
    if (aarch64_name_is_program(name))
        return aarch64_stream_open(s, request, err);
    if (cpu_name_is_champsim(name) &&
        !file_starts_with(name, CPU_TRACE_MAGIC, CONTAINER_MAGIC_BYTES))
        return open_champsim(s, request, name, CHAMPSIM_STANDARD, err);
    return cpu_trace_stream(s, name, request->thread, request->events, err);
}

/* Of several threads, some may have ended before the window begins. */
static bool window_begins(const struct cpu_stream *s, const struct cpu_window *w, const char *name,
                          struct err *err)
{
    return s->length == CPU_LENGTH_UNKNOWN || w->first < s->length || s->thread_count > 1 ||
           err_kind(err, ERR_INPUT,
                    "%s begins after the last instruction, expected a window of its %" PRIu64, name,
                    s->length);
}

bool cpu_stream_open(struct cpu_stream *s, const struct cpu_stream_request *request,
                     struct err *err)
{
    struct cpu_window w;
    struct cpu_stream inner = {0};
    struct cpu_stream_request part = *request;
    char *rest;
    if (access(request->name, F_OK) == 0 || !cpu_window_parse(request->name, &w, &rest))
        return open_whole(s, request, err);
    *s = (struct cpu_stream){0};
    part.name = rest;
    bool ok = open_whole(&inner, &part, err);
    if (ok && inner.threads) {
        err_kind(err, ERR_INPUT, "%s has threads, expected no window of it", request->name);
        cpu_stream_close(&inner);
        ok = false;
    }
    if (ok && !window_begins(&inner, &w, request->name, err)) {
        cpu_stream_close(&inner);
        ok = false;
    }
    ok = ok && cpu_window_open(s, &inner, w, err);
    free(rest);
    return ok;
}

void cpu_stream_close(struct cpu_stream *s)
{
    if (s->ops)
        s->ops->close(s);
    *s = (struct cpu_stream){0};
}

bool cpu_stream_check(const struct cpu_stream *s, struct err *err)
{
    if (s->err.kind && !err->kind)
        *err = s->err;
    return s->err.kind == ERR_NONE;
}

bool cpu_stream_restart(struct cpu_stream *s, struct err *err)
{
    s->err = ERR_INIT;
    s->at = s->end = NULL;
    return s->ops->restart(s) || cpu_stream_check(s, err);
}

static bool is_instruction(const struct cpu_instruction *i)
{
    return i->class != CPU_EVENT;
}

/* Instruction by instruction, for sources that cannot do better. */
static void pass_over(struct cpu_stream *s, u64 count)
{
    for (const struct cpu_instruction *i; count && (i = cpu_stream_peek(s)); cpu_stream_skip(s))
        count -= is_instruction(i);
}

bool cpu_stream_seek(struct cpu_stream *s, u64 position, struct err *err)
{
    s->err = ERR_INIT;
    s->at = s->end = NULL;
    if (s->ops->seek && s->length != CPU_LENGTH_UNKNOWN && position < s->length)
        return s->ops->seek(s, position) || cpu_stream_check(s, err);
    if (!cpu_stream_restart(s, err))
        return false;
    pass_over(s, position);
    return cpu_stream_check(s, err);
}
