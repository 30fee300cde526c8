#include "front/cpu/stream.h"

#include "front/cpu/kernel.h"

#include <string.h>

bool cpu_stream_open(struct cpu_stream *s, const struct cpu_stream_request *request,
                     struct err *err)
{
    static const char prefix[] = "cpu:";
    struct src_pos at = {request->name, 0, 0};
    struct cpu_kernel k;
    *s = (struct cpu_stream){0};
    if (strncmp(request->name, prefix, strlen(prefix)) != 0)
        return err_at(err, at, "this names no CPU program, expected cpu:KERNEL");
    if (!cpu_kernel_parse(&k, request->name + strlen(prefix), err))
        return false;
    if (request->thread >= k.threads)
        return err_at(err, at, "there is no thread %u, expected one below %u", request->thread,
                      k.threads);
    cpu_kernel_open(s, &k, request->name, request->thread, request->seed);
    return true;
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
