/* heddle trace convert: between our traces, ChampSim's and synthetic kernels. */
#include "base/arena.h"
#include "cli/trace.h"
#include "cpu_trace/champsim.h"
#include "cpu_trace/format/reader.h"

#include <stdio.h>
#include <string.h>

/* One of the two is there. */
struct output {
    struct cpu_trace_writer *ours;
    struct champsim_writer *champsim;
};

struct conversion {
    const char *from, *to;
    u64 first, count; /* of each thread */
    u32 begin, end;   /* threads */
    u64 done;         /* instructions */
};

static void put(struct output *out, u32 thread, const struct cpu_instruction *i)
{
    if (out->ours)
        cpu_trace_put(out->ours, thread, i);
    else
        champsim_put(out->champsim, i);
}

static bool copy_thread(struct conversion *c, struct output *out, u32 thread, struct err *err)
{
    struct cpu_stream s = {0};
    struct cpu_stream_request request = {.name = c->from, .thread = thread, .events = true};
    bool ok = cpu_stream_open(&s, &request, err) && cpu_stream_seek(&s, c->first, err);
    u64 left = c->count;
    for (const struct cpu_instruction *i; ok && left && (i = cpu_stream_peek(&s));
         cpu_stream_skip(&s)) {
        put(out, thread, i);
        left -= i->class != CPU_EVENT;
        c->done += i->class != CPU_EVENT;
    }
    ok = ok && cpu_stream_check(&s, err);
    cpu_stream_close(&s);
    return ok;
}

/* What is known of the program, where the source is a trace of ours. */
static bool finish_ours(const struct conversion *c, struct cpu_trace_writer *w, struct err *err)
{
    struct arena arena = {0};
    struct err ignored = ERR_INIT;
    struct cpu_trace t = {.file.file = -1};
    struct cpu_trace_about about = {.program = c->from, .sha256 = "", .machine = ""};
    if (cpu_trace_open(&t, c->from, &ignored))
        about = t.about;
    about.origin = arena_printf(&arena, "converted from %s", c->from);
    about.skipped += c->first;
    about.whole &= c->count == UINT64_MAX;
    bool ok = cpu_trace_finish(w, &about, err);
    cpu_trace_close(&t);
    arena_fini(&arena);
    return ok;
}

static bool finish(const struct conversion *c, struct output *out, bool ok, struct err *err)
{
    if (ok && !c->done)
        ok = err_at(err, (struct src_pos){c->from, 0, 0}, "the window contains no instructions");
    if (!ok && out->ours)
        cpu_trace_discard(out->ours);
    if (!ok && out->champsim)
        champsim_discard(out->champsim);
    if (!ok)
        return false;
    return out->ours ? finish_ours(c, out->ours, err) : champsim_finish(out->champsim, err);
}

static bool convert(struct conversion *c, bool is_champsim, struct err *err)
{
    struct output out = {0};
    if (is_champsim)
        out.champsim = champsim_create(c->to, err);
    else
        out.ours = cpu_trace_create(c->to, err);
    bool ok = out.ours || out.champsim;
    for (u32 thread = c->begin; ok && thread < c->end; thread++)
        ok = copy_thread(c, &out, thread, err);
    return finish(c, &out, ok, err);
}

static bool choose_threads(const struct cli *cli, struct conversion *c, bool is_champsim,
                           struct err *err)
{
    u64 thread;
    struct cpu_stream s = {0};
    if (!cli_number(cli, "thread", 0, UINT32_MAX - 1, 0, &thread, err))
        return false;
    c->begin = (u32)thread;
    c->end = (u32)thread + 1;
    bool ok =
        cpu_stream_open(&s, &(struct cpu_stream_request){.name = c->from, .thread = c->begin}, err);
    if (ok && !cli_has(cli, "thread")) {
        if (is_champsim && s.thread_count > 1)
            ok = err_at(
                err, (struct src_pos){c->from, 0, 0},
                "the trace has %u threads but a ChampSim trace holds one, expected --thread K",
                s.thread_count);
        c->end = s.thread_count;
    }
    cpu_stream_close(&s);
    return ok;
}

bool trace_convert(struct cli *cli, struct err *err)
{
    static const char prefix[] = "champsim:";
    struct conversion c = {0};
    if (cli->argument_count != 3)
        return err_at(err, (struct src_pos){0},
                      "`heddle trace convert` takes the source and the new file, %u are given",
                      cli->argument_count - 1);
    c.from = cli->arguments[1];
    c.to = cli->arguments[2];
    bool is_champsim = strncmp(c.to, prefix, strlen(prefix)) == 0;
    if (is_champsim)
        c.to += strlen(prefix);
    is_champsim |= cpu_name_is_champsim(c.to);
    if (!cli_number(cli, "first", 0, UINT64_MAX, 0, &c.first, err) ||
        !cli_number(cli, "count", 1, UINT64_MAX, UINT64_MAX, &c.count, err) ||
        !choose_threads(cli, &c, is_champsim, err) || !convert(&c, is_champsim, err))
        return false;
    if (!cli_has(cli, "quiet"))
        printf("%s: %llu instructions\n", c.to, (unsigned long long)c.done);
    return true;
}
