#include "aarch64/program.h"

#include "aarch64/pin.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct src_pos place(const struct a64_program *p)
{
    return (struct src_pos){p->path, 0, 0};
}

void a64_pin_vector(struct a64_thread *t)
{
    a64_pin_implicitly(t);
}

/* ---- the stack that a program begins with ---------------------------------------------------- */

static u64 push_words(struct a64_program *p, u64 at, const char *const *words, u64 *to)
{
    for (u32 i = 0; words && words[i]; i++) {
        u64 n = strlen(words[i]) + 1;
        at -= n;
        memcpy(p->memory.bytes + at, words[i], n);
        to[i] = at;
    }
    return at;
}

static bool make_stack(struct a64_program *p, const struct a64_arguments *a, struct err *err)
{
    enum { MOST_WORDS = 64 };
    u64 words[MOST_WORDS] = {0}, total = 0, n = 0;
    for (; a->words && a->words[n]; n++)
        total += strlen(a->words[n]) + 1;
    if (n >= MOST_WORDS - 1 || total > 65536)
        return err_at(err, place(p), "there are too many arguments, expected up to 62 and 64 KiB");
    a64_memory_map(&p->memory, A64_STACK_TOP - A64_STACK_BYTES, A64_STACK_BYTES, A64_WRITABLE);
    u64 at = push_words(p, A64_STACK_TOP, (const char *[]){a->path, NULL}, words);
    at = push_words(p, at, a->words, words + 1);
    /* argc, argv, NULL, no environment, an auxiliary vector of one end */
    u64 block[MOST_WORDS + 8] = {n + 1};
    memcpy(block + 1, words, (n + 1) * sizeof *words);
    at = (at - (n + 6) * sizeof *block) & ~(u64)15;
    memcpy(p->memory.bytes + at, block, (n + 6) * sizeof *block);
    p->thread.sp = at;
    p->thread.stack_low = A64_STACK_TOP - A64_STACK_BYTES;
    return true;
}

static void start_thread(struct a64_program *p, u32 id, u32 vl)
{
    struct a64_thread *t = id ? &p->others[id - 1] : &p->thread;
    void (*output)(void *, const void *, u64) = t->output;
    void *context = t->output_context;
    *t = (struct a64_thread){.id = id,
                             .stop = id ? A64_ABSENT : A64_RUNS,
                             .memory = &p->memory,
                             .process = &p->process,
                             .core_vl = vl,
                             .vl = vl,
                             .is_enforced = true,
                             .output = output,
                             .output_context = context};
    p->process.threads[id] = t;
}

static void start_process(struct a64_program *p)
{
    struct a64_process *s = &p->process;
    *s = (struct a64_process){
        .thread_count = s->thread_count, .wake = s->wake, .wake_context = s->wake_context};
}

static bool start(struct a64_program *p, const struct a64_arguments *a, struct err *err)
{
    if (a->vl < A64_LEAST_VL || a->vl > A64_MOST_VL || a->vl % A64_LEAST_VL)
        return err_at(err, place(p),
                      "vectors are %u bits long, expected a multiple of 128 up to 2048", a->vl * 8);
    start_process(p);
    for (u32 i = 0; i < p->process.thread_count; i++)
        start_thread(p, i, a->vl);
    if (!a64_load(p, err) || !make_stack(p, a, err))
        return false;
    p->thread.pc = p->entry;
    return true;
}

bool a64_program_open(struct a64_program *p, const struct a64_arguments *a, struct err *err)
{
    memset(p, 0, sizeof *p);
    p->path = a->path;
    a64_decoder_init(&p->decoder);
    p->process.thread_count = a->threads ? a->threads : 1;
    p->others = calloc(p->process.thread_count, sizeof *p->others);
    if (!p->others)
        return err_kind(err, ERR_INTERNAL, "there is no memory for the threads of %s", p->path);
    if (a64_memory_init(&p->memory, err) && start(p, a, err))
        return true;
    a64_program_close(p);
    return false;
}

bool a64_program_restart(struct a64_program *p, const struct a64_arguments *a, struct err *err)
{
    a64_memory_clear(&p->memory);
    return start(p, a, err);
}

void a64_program_close(struct a64_program *p)
{
    a64_memory_fini(&p->memory);
    free(p->others);
    free(p->code);
    free(p->symbols);
    free(p->file);
    p->others = NULL;
    p->code = NULL;
    p->symbols = NULL;
    p->file = NULL;
}

/* ---- steps ---------------------------------------------------------------------------------- */

static const struct a64_op *fetch_trampoline(struct a64_program *p, u64 pc)
{
    static const u32 words[A64_TRAMPOLINE_WORDS] = {0xd2801168, 0xd4000001};
    u64 n = (pc - A64_TRAMPOLINE) / 4;
    struct a64_op *op = &p->code[a64_code_words(p) + n];
    return op->row || a64_decode(&p->decoder, words[n], op) ? op : NULL;
}

const struct a64_op *a64_fetch(struct a64_program *p, struct a64_thread *t)
{
    u64 pc = t->pc;
    if (UNLIKELY(pc - p->code_start >= p->code_end - p->code_start || pc % 4)) {
        if (pc - A64_TRAMPOLINE < A64_TRAMPOLINE_WORDS * 4 && pc % 4 == 0)
            return fetch_trampoline(p, pc);
        stop_thread(t, A64_BAD_FETCH, pc);
        return NULL;
    }
    struct a64_op *op = &p->code[(pc - p->code_start) / 4];
    if (LIKELY(op->row != NULL))
        return op;
    const u8 *at = a64_memory_at(&p->memory, pc, 4, A64_EXECUTABLE);
    u32 word;
    if (!at) {
        stop_thread(t, A64_BAD_FETCH, pc);
        return NULL;
    }
    memcpy(&word, at, 4);
    if (!a64_decode(&p->decoder, word, op)) {
        stop_thread(t, A64_UNKNOWN_INSTRUCTION, pc);
        return NULL;
    }
    return op;
}

static u64 run_thread(struct a64_program *p, struct a64_thread *t, u64 most)
{
    u64 n = 0;
    a64_deliver(t);
    for (const struct a64_op *op; n < most && !t->stop && (op = a64_fetch(p, t)); n++)
        a64_execute_op(t, op);
    return n;
}

u64 a64_run(struct a64_program *p, u64 most)
{
    enum { TURN = 100 };
    if (p->process.thread_count == 1)
        return run_thread(p, &p->thread, most);
    u64 done = 0, before = UINT64_MAX;
    while (done < most && done != before) {
        before = done;
        for (u32 i = 0; i < p->process.thread_count && done < most; i++) {
            struct a64_thread *t = p->process.threads[i];
            done += run_thread(p, t, min_u64(TURN, most - done));
            if (t->stop && t->stop < A64_WAITS)
                return done; /* the program has ended, or cannot go on */
        }
    }
    return done;
}

/* ---- why it stopped -------------------------------------------------------------------------- */

const struct a64_symbol *a64_symbol_at(const struct a64_program *p, u64 address)
{
    const struct a64_symbol *found = NULL;
    for (u32 i = 0; i < p->symbol_count && p->symbols[i].address <= address; i++)
        found = &p->symbols[i];
    return found && (!found->bytes || address < found->address + found->bytes) ? found : NULL;
}

static void say_place(const struct a64_program *p, u64 pc, char *out, size_t size)
{
    const struct a64_symbol *s = a64_symbol_at(p, pc);
    if (s)
        snprintf(out, size, "pc 0x%" PRIx64 " (%s+%" PRIu64 ")", pc, s->name, pc - s->address);
    else
        snprintf(out, size, "pc 0x%" PRIx64, pc);
}

static u32 word_at(const struct a64_program *p, u64 pc)
{
    u32 word = 0;
    const u8 *at = a64_memory_at(&p->memory, pc, 4, A64_MAPPED);
    if (at)
        memcpy(&word, at, 4);
    return word;
}

static const char *group_of(u32 word)
{
    u32 op0 = BITS(word, 28, 25);
    if (op0 == 2)
        return "SVE";
    if ((op0 & 7) == 7)
        return "Neon or floating-point";
    return op0 & 4 && !(op0 & 1) ? "load or store" : "integer, branch or system";
}

bool a64_thread_check(const struct a64_program *p, const struct a64_thread *t, struct err *err)
{
    char where[160];
    u64 pc = t->stop == A64_BAD_FETCH || t->stop == A64_UNKNOWN_INSTRUCTION ? t->stop_address
                                                                            : t->pc - 4;
    say_place(p, pc, where, sizeof where);
    switch (t->stop) {
    case A64_RUNS:
    case A64_EXITED:
    case A64_ABSENT:
    case A64_THREAD_ENDED:
        return true;
    case A64_WAITS:
        return !a64_process_waits(&p->process) ||
               err_at(err, place(p), "%s: every thread waits for another one", where);
    case A64_KILLED:
        return err_at(err, place(p), "%s: the program was ended by signal %" PRIu64, where,
                      t->stop_address);
    case A64_UNKNOWN_INSTRUCTION:
        return err_at(err, place(p), "%s: instruction 0x%08x (%s) is not one that heddle executes",
                      where, word_at(p, pc), group_of(word_at(p, pc)));
    case A64_BAD_ACCESS:
        return err_at(err, place(p),
                      "%s: instruction 0x%08x accesses 0x%" PRIx64
                      ", which is not mapped, or not writable",
                      where, word_at(p, pc), t->stop_address);
    case A64_BAD_FETCH:
        return err_at(err, place(p), "%s is not code of the program", where);
    case A64_STACK_OVERFLOW:
        return err_at(err, place(p),
                      "%s: stack overflow at 0x%" PRIx64 ", the stack has %" PRIu64 " MiB", where,
                      t->stop_address, A64_STACK_BYTES >> 20);
    case A64_BAD_CALL:
        return err_at(
            err, place(p),
            "%s: system call %" PRIu64
            " is not supported in this form (docs/mechanisms/vectors.md lists those that are)",
            where, t->stop_address);
    case A64_BREAK:
        return err_at(err, place(p), "%s: breakpoint", where);
    case A64_UNPIN_TRAP:
        return err_at(err, place(p), "%s: UNPIN_VL at level %u, expected a PIN_VL before it", where,
                      t->pin.level);
    case A64_PIN_TRAP:
        return err_at(err, place(p), "%s: PIN_VL is nested more than 65535 deep", where);
    case A64_LENGTH_TRAP:
        return err_at(err, place(p),
                      "%s: a saved level is pinned to vectors longer than the core's %u bits",
                      where, t->core_vl * 8);
    }
    return true;
}

bool a64_program_check(const struct a64_program *p, struct err *err)
{
    for (u32 i = 0; i < p->process.thread_count; i++) {
        if (!a64_thread_check(p, p->process.threads[i], err))
            return false;
    }
    return true;
}
