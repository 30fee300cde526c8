#include "cpu_trace/aarch64_stream.h"

#include "aarch64/pin.h"
#include "aarch64/program.h"
#include "base/arena.h"
#include "base/console.h"
#include "base/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BATCH = 64, MOST_WORDS = 62 };

/* What the streams of a program's threads share; thread 0's owns it. */
struct shared {
    struct a64_program program;
    struct a64_arguments arguments;
    char *file, *text; /* text: the words of arguments are in it */
    const char *words[MOST_WORDS + 1];
    bool has_length;               /* its name says how long vectors are */
    struct cpu_instruction *fixed; /* what is the same in every execution, by word of code */
    struct cpu_threads threads;
};

struct source {
    struct shared *shared;
    struct a64_thread *thread;
    u32 core_vl;                /* bytes */
    struct cpu_vector *vectors; /* a ring */
    u32 next_vector;
    struct cpu_mover mover;
    char description[160];
    struct cpu_instruction batch[BATCH];
};

#define PREFIX "aarch64:"
#define BUILT_IN "vector:"

bool aarch64_name_is_program(const char *name)
{
    return strncmp(name, PREFIX, strlen(PREFIX)) == 0 ||
           strncmp(name, BUILT_IN, strlen(BUILT_IN)) == 0;
}

static const char *const vector_programs[] = {
    "loops",   "loops-legacy",   "spmv",    "spmv-legacy",    "sssp",    "sssp-legacy",
    "strings", "strings-legacy", "signals", "signals-legacy", "threads", "threads-legacy"};

/* ---- names ---------------------------------------------------------------------------------- */

char *aarch64_name_file(const char *name, struct err *err)
{
    bool is_built_in = strncmp(name, BUILT_IN, strlen(BUILT_IN)) == 0;
    const char *rest = name + strlen(is_built_in ? BUILT_IN : PREFIX);
    size_t n = strcspn(rest, ",");
    char places[MOST_PLACES][PATH_MAX];
    char *file = xrealloc(NULL, PATH_MAX + n + 8);
    u32 count = is_built_in ? place_find("workloads/vector", places) : 0;
    snprintf(file, PATH_MAX + n + 8, "%.*s", (int)n, rest);
    for (u32 i = 0; i < count; i++) {
        snprintf(file, PATH_MAX + n + 8, "%s/%.*s.elf", places[i], (int)n, rest);
        if (access(file, R_OK) == 0)
            return file;
    }
    if (!is_built_in)
        return file;
    snprintf(file, PATH_MAX + n + 8, "%.*s", (int)n, rest);
    err_unknown(err, (struct src_pos){name, 0, 0}, "vector program", file, vector_programs,
                ARRAY_LEN(vector_programs), NULL);
    free(file);
    return NULL;
}

static bool read_number(const char *text, u32 *to)
{
    char *end;
    unsigned long v = strtoul(text, &end, 10);
    *to = (u32)v;
    return *text >= '0' && *text <= '9' && !*end && v <= 4096;
}

static bool read_length(struct shared *s, const char *text, const char *name, struct err *err)
{
    u32 bits;
    if (!read_number(text, &bits) || bits < 128 || bits > 2048 || bits % 128)
        return err_at(err, (struct src_pos){name, 0, 0},
                      "vl is %s, expected bits: a multiple of 128 up to 2048", text);
    s->arguments.vl = bits / 8;
    s->has_length = true;
    return true;
}

/* The program sees how many threads it may have. */
static bool read_threads(struct shared *s, const char *text, const char *name, struct err *err)
{
    if (!read_number(text, &s->arguments.threads) || !s->arguments.threads ||
        s->arguments.threads > A64_MOST_THREADS)
        return err_at(err, (struct src_pos){name, 0, 0}, "threads is %s, expected 1 to %d", text,
                      A64_MOST_THREADS);
    return true;
}

static bool read_name(struct shared *s, const char *name, struct err *err)
{
    u32 count = 0;
    s->file = aarch64_name_file(name, err);
    s->text = strdup(strchr(name, ',') ? strchr(name, ',') + 1 : "");
    if (!s->file || !s->text)
        return false;
    char *rest = *s->text ? s->text : NULL;
    for (char *word; (word = strsep(&rest, ","));) {
        if (strncmp(word, "threads=", 8) == 0 && !read_threads(s, word + 8, name, err))
            return false;
        if (strncmp(word, "vl=", 3) == 0) {
            if (!read_length(s, word + 3, name, err))
                return false;
        } else if (count == MOST_WORDS) {
            return err_at(err, (struct src_pos){name, 0, 0}, "there are more than %d arguments",
                          MOST_WORDS);
        } else {
            s->words[count++] = word;
        }
    }
    s->arguments.path = s->file;
    s->arguments.words = s->words;
    return true;
}

/* ---- what is the same in every execution ----------------------------------------------------- */

static void add_source(struct cpu_instruction *i, u32 reg)
{
    for (u32 k = 0; k < i->source_count; k++) {
        if (i->sources[k] == reg)
            return;
    }
    if (reg && i->source_count < CPU_MOST_SOURCES)
        i->sources[i->source_count++] = (u8)reg;
}

static void add_destination(struct cpu_instruction *i, u32 reg)
{
    if (reg && i->destination_count < CPU_MOST_DESTINATIONS)
        i->destinations[i->destination_count++] = (u8)reg;
}

static u32 field_of(const struct a64_op *op, char letter)
{
    switch (letter) {
    case 'd':
        return op->d;
    case 'n':
        return op->n;
    case 'm':
        return op->m;
    case 'a':
        return op->a;
    case 'g':
        return op->g;
    case 'G':
        return BITS(op->word, 13, 10);
    case 'N':
        return BITS(op->word, 8, 5);
    case 'M':
        return op->m & 15;
    default:
        return op->size == 3 ? op->m & 15 : op->m & 7; /* i: the factor of an indexed form */
    }
}

static u32 register_of(const struct a64_op *op, char kind, char letter)
{
    u32 n = field_of(op, letter);
    switch (kind | 32) {
    case 'x':
        return n == 31 ? CPU_REG_NONE : CPU_REG_ARM + n;
    case 's':
        return n == 31 ? CPU_REG_STACK : CPU_REG_ARM + n;
    case 'p':
        return CPU_REG_MASK + (n & 15);
    default:
        return CPU_REG_VECTOR + n;
    }
}

/* The others of a structure's registers. */
static void add_structure(struct cpu_instruction *i, const struct a64_op *op, char kind)
{
    for (u32 k = 1; k <= BITS(op->word, 22, 21); k++) {
        u32 reg = CPU_REG_VECTOR + (op->d + k) % 32;
        if (kind == 'Z')
            add_destination(i, reg);
        else
            add_source(i, reg);
    }
}

static void add_base(struct cpu_instruction *i, const struct a64_op *op)
{
    u32 base = op->n == 31 ? CPU_REG_STACK : CPU_REG_ARM + op->n;
    add_destination(i, base);
    for (u32 k = 0; k < i->source_count; k++) {
        if (i->sources[k] == base && i->destinations[i->destination_count - 1] == base) {
            i->base_from = (k + 1) & 15u;
            i->base_to = (i->destination_count - 1u) & 15u;
        }
    }
}

/* Whether a first-fault load faults is known when its addresses are, not when its data comes. */
static void add_first_fault(struct cpu_instruction *i)
{
    add_destination(i, CPU_REG_FIRST_FAULT);
    for (u32 k = 0; k < i->source_count; k++) {
        if (i->sources[k] == CPU_REG_FIRST_FAULT) {
            i->base_from = (k + 1) & 15u;
            i->base_to = (i->destination_count - 1u) & 15u;
        }
    }
}

static void add_operand(struct cpu_instruction *i, const struct a64_op *op, const char *o)
{
    switch (*o) {
    case 'F':
        add_destination(i, CPU_REG_FLAGS);
        return;
    case 'f':
        add_source(i, CPU_REG_FLAGS);
        return;
    case 'R':
        add_first_fault(i);
        return;
    case 'r':
        add_source(i, CPU_REG_FIRST_FAULT);
        return;
    case 'L':
        add_destination(i, CPU_REG_ARM + 30);
        return;
    case 'B':
        add_base(i, op);
        return;
    default:
        break;
    }
    if (o[1] == 'k')
        add_structure(i, op, *o);
    else if (*o >= 'A' && *o <= 'Z')
        add_destination(i, register_of(op, *o, o[1]));
    else
        add_source(i, register_of(op, *o, o[1]));
}

static enum cpu_branch branch_of(u32 word)
{
    if ((word & 0x7c000000) == 0x14000000)
        return word >> 31 ? CPU_CALL : CPU_JUMP;
    if ((word & 0xfe000000) != 0xd6000000)
        return CPU_CONDITIONAL;
    switch (BITS(word, 22, 21)) {
    case 0:
        return CPU_INDIRECT_JUMP;
    case 1:
        return CPU_INDIRECT_CALL;
    default:
        return CPU_RETURN;
    }
}

static const u8 classes[A64_CLASSES] = {
    [A64_ALU] = CPU_ALU,       [A64_MUL] = CPU_MUL,       [A64_DIV] = CPU_DIV,
    [A64_FADD] = CPU_FP_ADD,   [A64_FMUL] = CPU_FP_MUL,   [A64_FDIV] = CPU_FP_DIV,
    [A64_FMA] = CPU_FP_FMA,    [A64_VECTOR] = CPU_SIMD,   [A64_LOAD] = CPU_LOAD,
    [A64_STORE] = CPU_STORE,   [A64_BRANCH] = CPU_BRANCH, [A64_NOP] = CPU_NOP,
    [A64_SYSTEM] = CPU_SYSTEM,
};

static void set_fixed(struct cpu_instruction *i, const struct a64_op *op, u64 pc)
{
    *i = (struct cpu_instruction){.pc = pc, .length = 4, .class = classes[op->row->class]};
    for (const char *o = op->row->operands; *o; o += *o != ' ' && o[1] && o[1] != ' ' ? 2 : 1) {
        if (*o != ' ')
            add_operand(i, op, o);
    }
    if (i->class == CPU_BRANCH)
        i->branch = (u8)branch_of(op->word);
}

/* ---- one instruction --------------------------------------------------------------------------
 */

static bool is_serial(const struct a64_op *op)
{
    return (op->word & 0xff3fe000) == 0x65182000; /* fadda */
}

static const struct cpu_vector *vector_of(struct source *s, const struct a64_op *op,
                                          const struct cpu_instruction *i)
{
    const struct a64_thread *t = s->thread;
    struct cpu_vector *v = &s->vectors[s->next_vector++ % (2 * CPU_VECTORS_KEPT)];
    v->lanes = (u16)t->lanes;
    v->active_lanes = (u16)t->active_lanes;
    v->element_bytes = (u8)t->element_bytes;
    v->count = (u16)t->element_count;
    v->is_scatter = t->elements_write;
    v->registers = 0;
    for (u32 k = 0; k < i->destination_count; k++)
        v->registers = (u8)(v->registers + (i->destinations[k] >= CPU_REG_VECTOR));
    v->serial = is_serial(op) ? (u8)min_u64(t->vl >> op->size, 255) : 0;
    memcpy(v->address, t->element, t->element_count * sizeof *v->address);
    s->mover.lanes += t->lanes;
    s->mover.active_lanes += t->active_lanes;
    return v;
}

static void set_accesses(struct cpu_instruction *i, const struct a64_thread *t)
{
    for (u32 k = 0; k < t->access_count; k++) {
        const struct a64_access *a = &t->access[k];
        if (a->is_write) {
            i->write[i->write_count] = a->address;
            i->write_bytes[i->write_count++] = a->bytes;
        } else {
            i->read[i->read_count] = a->address;
            i->read_bytes[i->read_count++] = a->bytes;
        }
    }
}

static void execute(struct source *s, const struct a64_op *op, struct cpu_instruction *i)
{
    struct a64_thread *t = s->thread;
    u64 pc = t->pc;
    struct cpu_instruction *fixed = &s->shared->fixed[op - s->shared->program.code];
    if (UNLIKELY(!fixed->length))
        set_fixed(fixed, op, pc);
    a64_execute_op(t, op);
    *i = *fixed;
    set_accesses(i, t);
    if (i->class == CPU_BRANCH) {
        i->taken = t->pc != pc + 4;
        i->target = i->taken ? t->pc : 0;
    }
    if (op->is_vector)
        i->vector = vector_of(s, op, i);
}

static bool check_exit(const struct shared *s, const struct a64_thread *t, struct err *err)
{
    i32 code = s->program.process.exit_code;
    return t->stop != A64_EXITED || !code ||
           err_kind(err, ERR_VERIFY, "%s ended with status %d, expected 0", s->file, code);
}

static bool check_end(const struct source *s, struct err *err)
{
    return a64_thread_check(&s->shared->program, s->thread, err) &&
           check_exit(s->shared, s->thread, err);
}

static bool is_to_go(struct source *s)
{
    const struct cpu_mover *m = &s->mover;
    return UNLIKELY(m->wanted_bits) &&
           (!m->is_enforced || a64_may_migrate(s->thread, m->wanted_bits / 8));
}

static bool refill(struct cpu_stream *stream)
{
    struct source *s = stream->self;
    struct a64_thread *t = s->thread;
    u32 n = 0;
    stream->goes_on = false;
    a64_deliver(t);
    for (const struct a64_op *op; n < BATCH && !t->stop; n++) {
        if (is_to_go(s)) {
            s->mover.may_go = true;
            break;
        }
        if (!(op = a64_fetch(&s->shared->program, t)))
            break;
        execute(s, op, &s->batch[n]);
        if (t->stop && t->stop != A64_EXITED && t->stop < A64_WAITS)
            break; /* it did not execute */
    }
    s->mover.pinned_bits = t->pin.level ? t->pin.vl * 8u : 0;
    stream->at = s->batch;
    stream->end = s->batch + n;
    if (n)
        return true;
    if (!s->mover.may_go)
        check_end(s, &stream->err);
    stream->goes_on = s->mover.may_go || t->stop == A64_WAITS;
    return false;
}

void cpu_mover_move(struct cpu_stream *stream, u32 bits)
{
    struct source *s = stream->self;
    s->thread->is_enforced = s->mover.is_enforced;
    a64_migrate(s->thread, bits / 8);
    s->mover.wanted_bits = 0;
    s->mover.may_go = false;
}

bool cpu_thread_runs(const struct cpu_stream *stream)
{
    const struct source *s = stream->self;
    return !s->thread->stop;
}

/* ---- opening --------------------------------------------------------------------------------- */

static void put(void *context, const void *bytes, u64 count)
{
    (void)context;
    console_print(bytes, count);
}

static void wake(void *shared, u32 thread)
{
    const struct shared *s = shared;
    if (s->threads.woken)
        s->threads.woken(s->threads.context, thread);
}

/* Thread 0's first: it begins the program again. */
static bool restart(struct cpu_stream *stream)
{
    struct source *s = stream->self;
    struct shared *shared = s->shared;
    s->mover = (struct cpu_mover){0};
    stream->at = stream->end = s->batch;
    if (s->thread->id == 0 &&
        !a64_program_restart(&shared->program, &shared->arguments, &stream->err))
        return false;
    s->thread->core_vl = s->thread->vl = s->core_vl;
    return true;
}

static void free_shared(struct shared *s)
{
    a64_program_close(&s->program);
    free(s->fixed);
    free(s->file);
    free(s->text);
    free(s);
}

/* Streams of threads may be closed in any order, but none is used after thread 0's. */
static void close_stream(struct cpu_stream *stream)
{
    struct source *s = stream->self;
    if (stream->thread == 0)
        free_shared(s->shared);
    free(s->vectors);
    free(s);
}

static const struct cpu_stream_ops ops = {
    .refill = refill, .restart = restart, .close = close_stream};

static struct shared *open_program(const struct cpu_stream_request *r, struct err *err)
{
    struct shared *s = xrealloc(NULL, sizeof *s);
    memset(s, 0, sizeof *s);
    s->arguments.vl = r->vector_bits ? r->vector_bits / 8 : A64_LEAST_VL;
    s->arguments.threads = 1;
    if (!read_name(s, r->name, err) || !a64_program_open(&s->program, &s->arguments, err)) {
        free_shared(s);
        return NULL;
    }
    s->program.thread.output = put;
    return s;
}

/* Of a thread above 0: the program that thread 0's stream has opened. */
static struct shared *shared_of(const struct cpu_stream_request *r, struct err *err)
{
    const struct source *first = r->first ? r->first->self : NULL;
    if (first && r->thread < first->shared->arguments.threads)
        return first->shared;
    err_at(err, (struct src_pos){r->name, 0, 0},
           "thread %u of an executed program runs only beside the others, expected a chip or "
           "--functional",
           r->thread);
    return NULL;
}

bool aarch64_stream_open(struct cpu_stream *stream, const struct cpu_stream_request *request,
                         struct err *err)
{
    struct shared *shared = request->thread ? shared_of(request, err) : open_program(request, err);
    if (!shared)
        return false;
    u64 words = a64_code_words(&shared->program) + A64_TRAMPOLINE_WORDS;
    if (!shared->fixed) {
        shared->fixed = xrealloc(NULL, words * sizeof *shared->fixed);
        memset(shared->fixed, 0, words * sizeof *shared->fixed);
    }
    struct source *s = xrealloc(NULL, sizeof *s);
    memset(s, 0, sizeof *s);
    s->shared = shared;
    s->thread = shared->program.process.threads[request->thread];
    s->core_vl = shared->has_length || !request->thread
                     ? shared->arguments.vl
                     : (request->vector_bits ? request->vector_bits / 8 : A64_LEAST_VL);
    s->thread->core_vl = s->thread->vl = s->core_vl;
    shared->program.process.wake = wake;
    shared->program.process.wake_context = shared;
    s->vectors = xrealloc(NULL, 2 * CPU_VECTORS_KEPT * sizeof *s->vectors);
    snprintf(s->description, sizeof s->description, "%.100s, executed with vectors of %u bits",
             request->name, s->thread->core_vl * 8);
    bool is_one = shared->arguments.threads == 1;
    *stream = (struct cpu_stream){.ops = &ops,
                                  .self = s,
                                  .description = s->description,
                                  .length = CPU_LENGTH_UNKNOWN,
                                  .thread = request->thread,
                                  .thread_count = shared->arguments.threads,
                                  .mover = is_one ? &s->mover : NULL,
                                  .threads = is_one ? NULL : &shared->threads,
                                  .machine = "aarch64"};
    return true;
}

bool aarch64_execute(const struct cpu_stream_request *request, u64 *instructions, struct err *err)
{
    struct shared *s = open_program(request, err);
    if (!s)
        return false;
    *instructions = a64_run(&s->program, UINT64_MAX);
    bool ok = a64_program_check(&s->program, err) && check_exit(s, &s->program.thread, err);
    free_shared(s);
    return ok;
}
