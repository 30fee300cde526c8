#include "run/checkpoint_backend.h"

#include "base/console.h"
#include "base/err_report.h"
#include "base/map.h"
#include "cuda/core/core.h"
#include "cuda/core/early_exit.h"
#include "cuda/core/functional_backend.h"
#include "cuda/core/memory.h"
#include "cuda/core/work.h"
#include "base/units.h"
#include "run/checkpoint.h"
#include "run/interrupt.h"
#include "run/progress.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE_BYTES 4096u

/* ---- what both compare ------------------------------------------------------------------------
 */

static u64 launch_hash(const struct launch *l)
{
    const struct kernel_info *info = kernel_info(l->kernel);
    u32 shape[] = {l->grid[0],
                   l->grid[1],
                   l->grid[2],
                   l->block[0],
                   l->block[1],
                   l->block[2],
                   l->cluster[0],
                   l->cluster[1],
                   l->cluster[2],
                   l->cooperative,
                   l->dynamic_shared_bytes};
    u64 hash = hash_bytes(kernel_text_hash(l->kernel), info->name, strlen(info->name));
    hash = hash_bytes(hash, shape, sizeof shape);
    return hash_bytes(hash, l->params, info->param_bytes);
}

/* Does the host see it without asking for a copy? */
static bool host_sees(u64 address)
{
    return !memory_find(cu_core()->memory, address) || cu_memory_is_shared(address);
}

static bool copy_comes_back(const struct cu_copy *c)
{
    return host_sees(c->to) && !host_sees(c->from);
}

typedef void row_fn(void *context, u8 *to, const u8 *from, size_t count);

static void copy_rows(const struct cu_copy *c, row_fn *row, void *context)
{
    for (u64 z = 0; z < c->depth; z++) {
        for (u64 y = 0; y < c->height; y++)
            row(context, (u8 *)(uintptr_t)(c->to + z * c->to_slice + y * c->to_pitch),
                (const u8 *)(uintptr_t)(c->from + z * c->from_slice + y * c->from_pitch), c->width);
    }
}

static void hash_row(void *hash, u8 *to, const u8 *from, size_t count)
{
    (void)to;
    *(u64 *)hash = hash_bytes(*(u64 *)hash, from, count);
}

/* Its shape, and what comes from the host: the program's input is part of what it is. */
static u64 copy_hash(const struct cu_copy *c)
{
    u64 shape[] = {c->width, c->height, c->depth, copy_comes_back(c)};
    u64 hash = hash_bytes(0, shape, sizeof shape);
    if (host_sees(c->from))
        copy_rows(c, hash_row, &hash);
    return hash;
}

static _Noreturn void end_with(const struct err *err)
{
    save_discard();
    err_report(err);
    cu_leave((int)err->kind);
}

/* ---- saving ----------------------------------------------------------------------------------
 */

/* One per process, as the CUDA API is. */
static struct {
    const struct cuda_backend *inner;
    struct cuda_backend self;
    struct save_request request;
    struct checkpoint_writer file;
    pid_t owner; /* of the file */
    u64 launches;
    struct bytes before; /* what the host sees of memory, before a launch */
    /* with timing: */
    struct launch_number *under_way;
    u32 under_way_count;
    const struct device_memory *memory;
    /* without: */
    struct progress progress;
    const struct launch *executing;
} saving;

/* A launch that has started. */
struct launch_number {
    u64 ticket, number;
};

/* Returns its number; there is one. */
static u64 take_number(struct launch_number *list, u32 *count, u64 ticket)
{
    u32 i = 0;
    while (list[i].ticket != ticket)
        i++;
    u64 number = list[i].number;
    list[i] = list[--*count];
    return number;
}

static void add_number(struct launch_number **list, u32 *count, struct launch_number l)
{
    *list = xrealloc(*list, (*count + 1) * sizeof **list);
    (*list)[(*count)++] = l;
}

static void copy_out_row(void *unused, u8 *to, const u8 *from, size_t count)
{
    (void)unused;
    (void)from;
    checkpoint_put(&saving.file, CHECKPOINT_BYTES, 0, to, count);
}

static void save_copy(void *self, const struct cu_copy *c)
{
    (void)self;
    checkpoint_put(&saving.file, CHECKPOINT_COPY, copy_hash(c), NULL, 0);
    if (saving.inner->copy)
        saving.inner->copy(saving.inner->self, c);
    else
        cu_copy_run(c);
    if (copy_comes_back(c))
        copy_rows(c, copy_out_row, NULL);
}

static _Noreturn void cannot_save(const char *why)
{
    struct err err = ERR_INIT;
    err_at(&err, (struct src_pos){"--save", 0, 0},
           "%s before launch %llu, which a checkpoint cannot save", why,
           (unsigned long long)saving.launches);
    end_with(&err);
}

/* Why a run that skips what has happened so far would not be the same; NULL: it would. */
static const char *why_not(const struct launch *l)
{
    const struct cu_core *core = cu_core();
    if (core->failures.launches)
        return "a launch failed";
    if (core->has_awaited_value)
        return "a stream waits for a value in memory, which launches may write";
    if (core->conditions.count)
        return "a graph has conditional nodes, which launches decide";
    if (l->is_nested)
        return "a kernel launches kernels";
    for (u32 i = 0; i < memory_count(core->memory); i++) {
        const struct cu_block *b = cu_memory_find(memory_at(core->memory, i)->start);
        if (b && b->kind == CU_MEMORY_HEAP)
            return "a kernel has allocated memory";
    }
    return NULL;
}

static _Noreturn void save_now(const struct launch *l)
{
    struct err err = ERR_INIT;
    struct stat s = {0};
    const struct save_request *r = &saving.request;
    progress_end(&saving.progress);
    if (saving.under_way_count)
        cannot_save("a kernel of another stream is still running");
    if (r->machine)
        r->machine->build();
    bool ok = checkpoint_finish(&saving.file, r->workload, r->launch, l->memory,
                                r->machine ? &r->machine->state : NULL, &err);
    checkpoint_writer_fini(&saving.file);
    if (!ok)
        end_with(&err);
    stat(r->path, &s);
    console_say("checkpoint before launch %llu (%s): %s, %.1f MB", (unsigned long long)r->launch,
                kernel_info(l->kernel)->name, r->path, (double)s.st_size / 1e6);
    cu_leave(0);
}

static bool is_seen(const struct allocation *a)
{
    return cu_core()->host_sees && cu_memory_is_shared(a->start);
}

static void remember(const struct device_memory *m)
{
    saving.before.length = 0;
    for (u32 i = 0; i < memory_count(m); i++) {
        const struct allocation *a = memory_at(m, i);
        if (is_seen(a))
            put_raw(&saving.before, (const void *)(uintptr_t)a->start, a->bytes);
    }
}

/* Pages of what the host sees that a launch has changed. */
static void put_changes(const struct device_memory *m)
{
    const u8 *before = saving.before.data;
    for (u32 i = 0; i < memory_count(m); i++) {
        const struct allocation *a = memory_at(m, i);
        for (u64 at = 0; is_seen(a) && at < a->bytes; at += PAGE_BYTES) {
            size_t count = (size_t)min_u64(PAGE_BYTES, a->bytes - at);
            const u8 *now = (const u8 *)(uintptr_t)(a->start + at);
            if (memcmp(now, before, count) != 0)
                checkpoint_put(&saving.file, CHECKPOINT_CHANGED, a->start + at, now, count);
            before += count;
        }
    }
}

/* What kernels have printed since it was so much. */
static void put_printed(size_t before)
{
    const struct text *t = &cu_core()->printed;
    if (t->length > before)
        checkpoint_put(&saving.file, CHECKPOINT_PRINTED, 0, t->data + before, t->length - before);
}

/* ---- a run without timing, which has no engine that asks ---- */

static void tell_progress(u64 ended_blocks)
{
    const struct launch *l = saving.executing;
    u64 launches = saving.launches - 1, blocks = (u64)l->grid[0] * l->grid[1] * l->grid[2];
    char text[PROGRESS_ROOM], rest[32];
    if (!progress_is_due(&saving.progress))
        return;
    double share =
        ((double)launches + (double)ended_blocks / (double)blocks) / (double)saving.request.launch;
    double left = progress_left(&saving.progress, share, saving.progress.last);
    int n = snprintf(text, sizeof text,
                     "%.60s: %llu of %llu blocks; %llu of %llu launches executed before the "
                     "checkpoint",
                     kernel_info(l->kernel)->name, (unsigned long long)ended_blocks,
                     (unsigned long long)blocks, (unsigned long long)launches,
                     (unsigned long long)saving.request.launch);
    if (left >= 0) {
        duration_text(left, rest, sizeof rest);
        snprintf(text + n, sizeof text - (size_t)n, ", about %s left", rest);
    }
    progress_draw(&saving.progress, text);
}

static _Noreturn void end_interrupted(void)
{
    struct err err = ERR_INIT;
    progress_end(&saving.progress);
    err_kind(&err, ERR_INTERRUPTED,
             "interrupted after %llu of %llu launches before the checkpoint, which is not written",
             (unsigned long long)saving.launches, (unsigned long long)saving.request.launch);
    end_with(&err);
}

/* By the thread that waits for an interrupt. */
static void end_when_free(void)
{
    cu_core()->in_haste = true;
    cu_lock();
    end_interrupted();
}

static void poll_executing(void *unused, u64 ended_blocks)
{
    (void)unused;
    if (interrupt_has_come())
        end_interrupted();
    tell_progress(ended_blocks);
}

static void execute(const struct launch *l, u64 ticket)
{
    saving.executing = l;
    poll_executing(NULL, 0);
    saving.inner->start(saving.inner->self, l, ticket); /* it has ended then */
}

static void save_start(void *self, const struct launch *l, u64 ticket)
{
    (void)self;
    const char *why = why_not(l), *name = kernel_info(l->kernel)->name;
    if (why)
        cannot_save(why);
    if (saving.file.file.err.kind != ERR_NONE) /* the disk is full: no need to go on */
        end_with(&saving.file.file.err);
    if (saving.launches == saving.request.launch)
        save_now(l);
    add_number(&saving.under_way, &saving.under_way_count,
               (struct launch_number){ticket, saving.launches++});
    checkpoint_put(&saving.file, CHECKPOINT_LAUNCH, launch_hash(l), name, strlen(name));
    if (saving.under_way_count == 1)
        remember(l->memory);
    saving.memory = l->memory;
    size_t printed = cu_core()->printed.length;
    if (saving.request.machine) {
        saving.inner->start(saving.inner->self, l, ticket);
        return;
    }
    execute(l, ticket);
    saving.under_way_count = 0;
    put_printed(printed);
    put_changes(l->memory);
}

static u64 save_finish(void *self, bool *ok, enum launch_fault *fault, struct err *err)
{
    (void)self;
    size_t printed = cu_core()->printed.length;
    u64 ticket = saving.inner->finish(saving.inner->self, ok, fault, err);
    if (!saving.request.machine)
        return ticket;
    put_printed(printed);
    if (!ticket)
        return 0;
    u64 number = take_number(saving.under_way, &saving.under_way_count, ticket);
    checkpoint_put(&saving.file, CHECKPOINT_DONE, number, NULL, 0);
    put_changes(saving.memory);
    remember(saving.memory);
    return ticket;
}

static u64 save_now_ns(void *self)
{
    (void)self;
    u64 ns = saving.inner->now_ns(saving.inner->self);
    if (saving.request.machine)
        checkpoint_put(&saving.file, CHECKPOINT_TIME, ns, NULL, 0);
    return ns;
}

const struct cuda_backend *save_backend(const struct cuda_backend *inner,
                                        const struct save_request *r, struct err *err)
{
    saving.inner = inner;
    saving.request = *r;
    saving.self = *inner;
    saving.self.start = save_start;
    saving.self.finish = save_finish;
    saving.self.copy = save_copy;
    saving.self.now_ns = save_now_ns;
    saving.owner = getpid();
    if (!r->machine) {
        static const struct launch_poll poll = {.poll = poll_executing};
        progress_init(&saving.progress, r->is_quiet);
        interrupt_catch(end_when_free);
        cu_functional_watch(&poll);
    }
    if (checkpoint_create(&saving.file, r->path, err))
        return &saving.self;
    checkpoint_writer_fini(&saving.file);
    return NULL;
}

void save_discard(void)
{
    if (saving.owner == getpid()) /* a forked child leaves its parent's file alone */
        checkpoint_writer_fini(&saving.file);
}

bool save_end(struct err *err)
{
    progress_end(&saving.progress);
    save_discard();
    return err_at(err, (struct src_pos){"--save", 0, 0},
                  "%s has %llu launches, expected more than %llu (they count from 0)",
                  saving.request.workload, (unsigned long long)saving.launches,
                  (unsigned long long)saving.request.launch);
}

/* ---- resuming ---------------------------------------------------------------------------------
 */

static struct {
    const struct cuda_backend *inner;
    struct cuda_backend self;
    struct checkpoint file;
    struct checkpoint_event next; /* of the log */
    u64 launches;
    u64 ticket; /* of a launch that was skipped; 0: none */
    bool is_over;
    /* after a run with timing: */
    struct timed_machine *machine; /* NULL: it was without */
    struct launch_number *under_way;
    u32 under_way_count;
} resuming;

static void read_next(void)
{
    struct err err = ERR_INIT;
    if (!checkpoint_next(&resuming.file, &resuming.next, &err))
        end_with(&err);
}

static const char *event_names[] = {
    [CHECKPOINT_LAUNCH] = "a launch",           [CHECKPOINT_PRINTED] = "printed text",
    [CHECKPOINT_CHANGED] = "changed memory",    [CHECKPOINT_COPY] = "a copy",
    [CHECKPOINT_BYTES] = "a copy's contents",   [CHECKPOINT_DONE] = "the end of a launch",
    [CHECKPOINT_TIME] = "the time of an event", [CHECKPOINT_END] = "its end",
};

static _Noreturn void refuse(const char *what, const char *there)
{
    struct err err = ERR_INIT;
    err_at(&err, (struct src_pos){resuming.file.file.path, 0, 0},
           "after %llu launches this run has %s where the checkpoint has %s: the program, its "
           "input or the device properties differ",
           (unsigned long long)resuming.launches, what, there);
    end_with(&err);
}

struct incoming {
    const u8 *data;
    size_t count;
};

static void copy_in_row(void *context, u8 *to, const u8 *from, size_t count)
{
    (void)from;
    struct incoming *in = context;
    while (count) {
        if (!in->count) {
            if (resuming.next.kind != CHECKPOINT_BYTES)
                refuse("a copy to the host", event_names[resuming.next.kind]);
            *in = (struct incoming){resuming.next.data, resuming.next.count};
        }
        size_t part = (size_t)min_u64(count, in->count);
        memcpy(to, in->data, part);
        in->data += part;
        in->count -= part;
        to += part;
        count -= part;
        if (!in->count)
            read_next();
    }
}

static void resume_copy(void *self, const struct cu_copy *c)
{
    (void)self;
    if (resuming.is_over) {
        cu_copy_run(c);
        return;
    }
    if (resuming.next.kind != CHECKPOINT_COPY)
        refuse("a copy", event_names[resuming.next.kind]);
    if (resuming.next.id != copy_hash(c))
        refuse("a copy of other data or of another shape", "one of its own");
    read_next();
    struct incoming in = {0};
    if (copy_comes_back(c))
        copy_rows(c, copy_in_row, &in);
    else
        cu_copy_run(c);
}

static void skip(const struct launch *l)
{
    const struct checkpoint_event *e = &resuming.next;
    const char *name = kernel_info(l->kernel)->name;
    if (e->kind != CHECKPOINT_LAUNCH)
        refuse("a launch", event_names[e->kind]);
    if (e->count != strlen(name) || memcmp(e->data, name, e->count) != 0) {
        char there[128];
        snprintf(there, sizeof there, "one of kernel %.*s", (int)min_u64(e->count, 80),
                 (const char *)e->data);
        struct text t = {0};
        text_printf(&t, "a launch of kernel %s", name);
        refuse(t.data, there);
    }
    if (e->id != launch_hash(l))
        refuse("a launch with another shape, arguments or code", "one of the same kernel");
    read_next();
}

static void take_effects(void)
{
    const struct checkpoint_event *e = &resuming.next;
    for (; e->kind == CHECKPOINT_PRINTED || e->kind == CHECKPOINT_CHANGED; read_next()) {
        if (e->kind == CHECKPOINT_PRINTED) {
            text_append(&cu_core()->printed, (const char *)e->data, e->count);
            continue;
        }
        if (!cu_memory_is_shared(e->id) || !cu_memory_holds(e->id, e->count))
            refuse("other memory that the host sees", "a change of it");
        memcpy((void *)(uintptr_t)e->id, e->data, e->count);
    }
}

static void resume_now(const struct launch *l)
{
    struct err err = ERR_INIT;
    if (resuming.next.kind != CHECKPOINT_END)
        refuse("its last launch", event_names[resuming.next.kind]);
    if (!checkpoint_restore(&resuming.file, l->memory, &err))
        end_with(&err);
    struct timed_machine *m = resuming.machine;
    if (m) {
        m->build();
        if (!image_read(&m->state.image, &resuming.file.file, &resuming.file.machine, &err))
            end_with(&err);
        m->resumed();
    }
    checkpoint_close(&resuming.file);
    resuming.is_over = true;
    resuming.self.is_lazy = resuming.inner->is_lazy;
    resuming.self.most_kernels = resuming.inner->most_kernels;
}

static void resume_start(void *self, const struct launch *l, u64 ticket)
{
    (void)self;
    if (!resuming.is_over && resuming.launches < resuming.file.launch) {
        skip(l);
        u64 number = resuming.launches++;
        if (resuming.machine) {
            add_number(&resuming.under_way, &resuming.under_way_count,
                       (struct launch_number){ticket, number});
            return;
        }
        take_effects();
        resuming.ticket = ticket;
        return;
    }
    if (!resuming.is_over)
        resume_now(l);
    resuming.inner->start(resuming.inner->self, l, ticket);
}

/* Of the launch that ended next. */
static u64 ended_ticket(void)
{
    u32 i = 0;
    take_effects(); /* of all that are under way */
    if (resuming.next.kind != CHECKPOINT_DONE)
        refuse("the end of a launch", event_names[resuming.next.kind]);
    while (i < resuming.under_way_count && resuming.under_way[i].number != resuming.next.id)
        i++;
    if (i == resuming.under_way_count)
        refuse("the end of a launch", "that of another");
    u64 ticket = resuming.under_way[i].ticket;
    take_number(resuming.under_way, &resuming.under_way_count, ticket);
    read_next();
    take_effects();
    return ticket;
}

static u64 resume_finish(void *self, bool *ok, enum launch_fault *fault, struct err *err)
{
    (void)self;
    u64 ticket = resuming.ticket;
    resuming.ticket = 0;
    if (resuming.under_way_count)
        ticket = ended_ticket();
    if (!ticket)
        return resuming.inner->finish(resuming.inner->self, ok, fault, err);
    *ok = true;
    *fault = FAULT_NONE;
    return ticket;
}

static u64 resume_now_ns(void *self)
{
    (void)self;
    if (resuming.is_over || !resuming.machine)
        return resuming.inner->now_ns(resuming.inner->self);
    if (resuming.next.kind != CHECKPOINT_TIME)
        refuse("the time of an event", event_names[resuming.next.kind]);
    u64 ns = resuming.next.id;
    read_next();
    return ns;
}

/* The machine that will be restored knows of it. */
static void resume_copied(void *self, u64 to, u64 bytes)
{
    (void)self;
    if (resuming.is_over || !resuming.machine)
        resuming.inner->copied(resuming.inner->self, to, bytes);
}

static size_t line_length(const char *line)
{
    return strcspn(line, "\n");
}

/* The run goes on with the machine that was saved: false, and a sentence, where it has another. */
static bool check_machine(const struct resume_request *r, struct err *err)
{
    const char *there = resuming.file.identity;
    struct src_pos at = {r->path, 0, 0};
    if (!r->machine)
        return err_at(err, at,
                      "it holds the state of a chip, which a run without timing cannot use: "
                      "expected one written with --functional --save");
    if (r->only_untimed)
        return err_at(err, at,
                      "it holds the state of a chip, which cannot continue with %s: expected one "
                      "written with --functional --save",
                      r->only_untimed);
    for (const char *here = r->machine->state.identity; *here; here += line_length(here) + 1) {
        if (line_length(here) != line_length(there) || memcmp(here, there, line_length(here)) != 0)
            return err_at(err, at,
                          "it holds the state of a chip: it was saved with %.*s, this run has %.*s",
                          (int)line_length(there), there, (int)line_length(here), here);
        there += line_length(there) + 1;
    }
    return true;
}

const struct cuda_backend *resume_backend(const struct cuda_backend *inner,
                                          const struct resume_request *r, u64 *launch,
                                          struct err *err)
{
    if (!checkpoint_open(&resuming.file, r->path, err))
        return NULL;
    if (strcmp(resuming.file.workload, r->workload) != 0) {
        err_at(err, (struct src_pos){r->path, 0, 0}, "it is a checkpoint of %s, expected one of %s",
               resuming.file.workload, r->workload);
        return NULL;
    }
    bool is_timed = *resuming.file.identity;
    if ((is_timed && !check_machine(r, err)) ||
        !checkpoint_next(&resuming.file, &resuming.next, err))
        return NULL;
    *launch = resuming.file.launch;
    resuming.inner = inner;
    resuming.machine = is_timed ? r->machine : NULL;
    resuming.self = *inner;
    if (!is_timed) {
        resuming.self.is_lazy = false;
        resuming.self.most_kernels = 1;
    }
    resuming.self.now_ns = resume_now_ns;
    resuming.self.copied = resume_copied;
    resuming.self.start = resume_start;
    resuming.self.finish = resume_finish;
    resuming.self.copy = resume_copy;
    return &resuming.self;
}

bool resume_end(struct err *err)
{
    return resuming.is_over ||
           err_at(err, (struct src_pos){resuming.file.file.path, 0, 0},
                  "the checkpoint is before launch %llu, but the program ended after %llu",
                  (unsigned long long)resuming.file.launch, (unsigned long long)resuming.launches);
}
