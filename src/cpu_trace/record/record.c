#include "cpu_trace/record/record.h"

#include "cpu_trace/record/thread.h"
#include "cpu_trace/format/writer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

struct recorder {
    const struct cpu_record_request *request;
    struct cpu_record_result *result;
    struct guest guest;
    struct guest_code code;
    struct cpu_trace_writer *writer;
    struct thread {
        struct guest_thread guest;
        struct omp_thread omp;
    } * threads[CHANNEL_THREADS];
};

static void put_event(struct recorder *r, u32 thread, u64 pc, u8 event, u64 object)
{
    struct cpu_instruction i = {
        .pc = pc, .target = object, .class = CPU_EVENT, .event = event, .thread = (u16)thread};
    cpu_trace_put(r->writer, thread, &i);
    r->result->events++;
}

/* False: it is left out. */
static bool passes_runtime(struct recorder *r, u32 thread, const struct cpu_instruction *i,
                           const struct code_instruction *code)
{
    struct omp_step s = omp_step(&r->threads[thread]->omp, i, code->is_runtime,
                                 (enum omp_entry)code->entry, code->is_atomic);
    for (u32 k = 0; k < s.event_count; k++)
        put_event(r, thread, i->pc, s.events[k].event, s.events[k].object);
    r->result->cut += s.is_cut;
    return !s.is_cut;
}

static bool put(void *context, u32 thread, const struct cpu_instruction *i,
                const struct code_instruction *code)
{
    struct recorder *r = context;
    if (r->code.omp.is_anywhere && !r->request->keep_waits && !passes_runtime(r, thread, i, code))
        return true;
    cpu_trace_put(r->writer, thread, i);
    return ++r->result->instructions != r->request->length;
}

static struct guest_thread *thread_of(struct recorder *r, u32 number)
{
    struct thread **t = &r->threads[number];
    if (!*t) {
        *t = xrealloc(NULL, sizeof **t);
        memset(*t, 0, sizeof **t);
        (*t)->guest.number = number;
        (*t)->omp.is_worker = number > 0;
        r->result->threads++;
    }
    return &(*t)->guest;
}

static bool end_threads(struct recorder *r)
{
    for (u32 n = 0; n < CHANNEL_THREADS; n++) {
        if (r->threads[n] && !guest_thread_end(&r->threads[n]->guest, &r->code, put, r))
            return false;
    }
    return true;
}

/* To the end of the window or of the program. */
static void follow(struct recorder *r)
{
    const struct chunk *c;
    while ((c = guest_next(&r->guest))) {
        if (c->state == CHUNK_DEFINITIONS)
            guest_code_define(&r->code, c);
        else if (!guest_thread_run(thread_of(r, c->thread), &r->code, c, put, r))
            return;
    }
    r->result->whole = end_threads(r);
}

static const char *text_of(void *context, u64 pc)
{
    return guest_code_text(context, pc);
}

static bool finish(struct recorder *r, struct err *err)
{
    const struct cpu_record_request *q = r->request;
    struct cpu_record_result *result = r->result;
    struct src_pos at = {r->guest.program, 0, 0};
    result->skipped = atomic_load(&r->guest.channel->skipped);
    if (result->whole && !guest_check(&r->guest, result->instructions, err))
        return false;
    if (atomic_load(&r->guest.channel->too_many))
        return err_at(err, at, "the program has more than %u threads", CHANNEL_THREADS);
    result->was_replaced = result->whole && guest_was_replaced(&r->guest);
    if (!result->instructions && result->was_replaced)
        return err_at(err, at,
                      "the program called exec after %llu instructions, before the window that "
                      "begins at %llu; record the program that it starts",
                      (unsigned long long)result->skipped, (unsigned long long)q->guest.skip);
    if (!result->instructions)
        return q->guest.skip
                   ? err_at(err, at,
                            "the program ended after %llu instructions, before the window that "
                            "begins at %llu",
                            (unsigned long long)result->skipped, (unsigned long long)q->guest.skip)
                   : err_at(err, at,
                            "nothing was recorded: the threads that were asked for "
                            "executed nothing");
    for (u32 n = 0; n < CHANNEL_THREADS; n++)
        result->lost_accesses += r->threads[n] ? r->threads[n]->guest.lost_accesses : 0;
    u32 count = 0;
    while (q->guest.arguments[count + 1])
        count++;
    struct cpu_trace_about about = {
        .program = q->guest.arguments[0],
        .arguments = q->guest.arguments + 1,
        .argument_count = count,
        .sha256 = q->sha256,
        .machine = cpu_machine_names[r->guest.machine],
        .origin = "recorded under QEMU",
        .skipped = result->skipped,
        .asked = q->length,
        .whole = result->whole && !result->was_replaced,
    };
    result->exit_status = result->whole && !result->was_replaced && WIFEXITED(r->guest.status)
                              ? WEXITSTATUS(r->guest.status)
                              : 0;
    struct cpu_trace_writer *w = r->writer;
    cpu_trace_name(w, text_of, &r->code);
    r->writer = NULL;
    return cpu_trace_finish(w, &about, err);
}

bool cpu_record(const struct cpu_record_request *request, struct cpu_record_result *result,
                struct err *err)
{
    struct recorder *r = xrealloc(NULL, sizeof *r);
    *r = (struct recorder){.request = request, .result = result};
    *result = (struct cpu_record_result){0};
    bool ok = (r->writer = cpu_trace_create(request->path, err)) != NULL &&
              guest_start(&r->guest, &request->guest, err) &&
              guest_code_init(&r->code, r->guest.machine, r->guest.program, err);
    if (ok) {
        follow(r);
        ok = finish(r, err);
    }
    if (r->writer)
        cpu_trace_discard(r->writer);
    guest_stop(&r->guest);
    guest_code_fini(&r->code);
    for (u32 n = 0; n < CHANNEL_THREADS; n++)
        free(r->threads[n]);
    free(r);
    return ok;
}
