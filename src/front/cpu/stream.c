#include "front/cpu/stream.h"

#include "front/cpu/kernel.h"
#include "front/cpu/trace/reader.h"

#include <string.h>

static bool open_kernel(struct cpu_stream *s, const struct cpu_stream_request *request,
                        const char *kernel, struct err *err)
{
    struct cpu_kernel k;
    if (!cpu_kernel_parse(&k, kernel, err))
        return false;
    if (request->thread >= k.threads)
        return err_at(err, (struct src_pos){request->name, 0, 0},
                      "there is no thread %u, expected one below %u", request->thread, k.threads);
    cpu_kernel_open(s, &k, request->name, request->thread, request->seed);
    return true;
}

bool cpu_stream_open(struct cpu_stream *s, const struct cpu_stream_request *request,
                     struct err *err)
{
    static const char prefix[] = "cpu:";
    *s = (struct cpu_stream){0};
    if (strncmp(request->name, prefix, strlen(prefix)) == 0)
        return open_kernel(s, request, request->name + strlen(prefix), err);
    return cpu_trace_stream(s, request->name, request->thread, request->events, err);
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
