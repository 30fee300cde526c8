#include "cpu_trace/kernel.h"

#include "base/arena.h"
#include "base/map.h"

#include <stdlib.h>

#define BATCH 256u
#define INSTRUCTION 4u
#define CODE_BASE 0x400000ull
#define DATA_BASE 0x10000000000ull
#define THREAD_DATA ((u64)1 << 39) /* apart from each other */

/* Results go round 16 registers; those of a last, shorter round have registers of their own, so
 * that no distance meets a register that was written again. */
#define ROUND 16u

enum kind {
    KIND_PLAIN,
    KIND_LOAD,
    KIND_STORE,
    KIND_CONDITIONAL,
    KIND_INDIRECT,
    KIND_CALL,
    KIND_LOOP, /* the jump at the end */
};

/* Where a class' share is, and what its instructions are. */
static const struct kind_row {
    size_t share; /* offset of the u32 */
    u8 kind, class, branch;
    bool has_result;
} kind_rows[] = {
#define SHARE_OF(field) offsetof(struct cpu_kernel, field)
    {SHARE_OF(alu), KIND_PLAIN, CPU_ALU, 0, true},
    {SHARE_OF(mul), KIND_PLAIN, CPU_MUL, 0, true},
    {SHARE_OF(div), KIND_PLAIN, CPU_DIV, 0, true},
    {SHARE_OF(fp_add), KIND_PLAIN, CPU_FP_ADD, 0, true},
    {SHARE_OF(fp_mul), KIND_PLAIN, CPU_FP_MUL, 0, true},
    {SHARE_OF(fp_div), KIND_PLAIN, CPU_FP_DIV, 0, true},
    {SHARE_OF(fp_fma), KIND_PLAIN, CPU_FP_FMA, 0, true},
    {SHARE_OF(simd), KIND_PLAIN, CPU_SIMD, 0, true},
    {SHARE_OF(load), KIND_LOAD, CPU_LOAD, 0, true},
    {SHARE_OF(store), KIND_STORE, CPU_STORE, 0, false},
    {SHARE_OF(branch), KIND_CONDITIONAL, CPU_BRANCH, CPU_CONDITIONAL, false},
    {SHARE_OF(indirect), KIND_INDIRECT, CPU_BRANCH, CPU_INDIRECT_JUMP, false},
    {SHARE_OF(call), KIND_CALL, CPU_BRANCH, CPU_CALL, false},
    {SHARE_OF(nop), KIND_PLAIN, CPU_NOP, 0, false},
};

static const struct kind_row loop_row = {0, KIND_LOOP, CPU_BRANCH, CPU_JUMP, false};

struct slot {
    struct cpu_instruction fixed; /* as in the first copy of the loop */
    u8 kind;
    u32 executions; /* of a branch, modulo branch_period */
};

struct generator {
    struct arena arena;
    struct cpu_kernel kernel;
    struct slot *slots;
    u32 slot_count, copy_bytes, copies;
    u64 elements;   /* in the footprint */
    u64 chase_mask; /* the next power of two, less one */
    u64 data;       /* where it begins */
    u64 key;        /* of the random numbers */
    u16 thread;
    /* What a restart clears. */
    u64 draws;
    u64 position; /* instructions made */
    u64 element;  /* of the pattern, next */
    u32 next;     /* slot */
    u32 copy;     /* of the loop */
    bool returns; /* the function's return is next */
    struct cpu_instruction batch[BATCH];
};

/* ---- layout ---- */

static u32 share_of(const struct cpu_kernel *k, const struct kind_row *row)
{
    return *(const u32 *)(const void *)((const u8 *)k + row->share);
}

/* The kind furthest behind its share comes next: every stretch of the loop has the mix. */
static const struct kind_row *spread(const struct cpu_kernel *k, double *credit, double total)
{
    u32 best = 0;
    for (u32 i = 0; i < ARRAY_LEN(kind_rows); i++) {
        credit[i] += share_of(k, &kind_rows[i]) / total;
        if (credit[i] > credit[best])
            best = i;
    }
    credit[best] -= 1;
    return &kind_rows[best];
}

static u8 result_register(u32 result, u32 results)
{
    u32 whole = results - results % ROUND;
    return (u8)(CPU_REG_ARM + (result < whole ? result % ROUND : ROUND + result - whole));
}

/* The chase's loads have one register of their own, all others the next in turn. */
static void set_registers(struct generator *g, const u32 *results_before, u32 results)
{
    const struct cpu_kernel *k = &g->kernel;
    for (u32 i = 0; i < g->slot_count; i++) {
        struct slot *s = &g->slots[i];
        struct cpu_instruction *f = &s->fixed;
        bool chases = s->kind == KIND_LOAD && k->pattern == CPU_PATTERN_CHASE;
        u32 distance = k->dependence_distance;
        if (s->kind == KIND_LOAD || s->kind == KIND_STORE)
            f->sources[f->source_count++] = CPU_REG_STACK;
        if (chases)
            f->sources[0] = CPU_REG_VECTOR - 1;
        else if (s->kind != KIND_LOAD && s->kind != KIND_LOOP && f->class != CPU_NOP && distance &&
                 results)
            f->sources[f->source_count++] = result_register(
                (results_before[i] + results * ROUND - distance) % results, results);
        if (chases)
            f->destinations[f->destination_count++] = CPU_REG_VECTOR - 1;
        else if (f->destination_count) /* marked by lay_out */
            f->destinations[0] = result_register(results_before[i], results);
    }
}

static void lay_out(struct generator *g)
{
    const struct cpu_kernel *k = &g->kernel;
    double credit[ARRAY_LEN(kind_rows)] = {0}, total = 0;
    u32 results = 0;
    for (u32 i = 0; i < ARRAY_LEN(kind_rows); i++)
        total += share_of(k, &kind_rows[i]);
    g->slot_count = k->code_bytes / INSTRUCTION;
    g->copy_bytes = g->slot_count * INSTRUCTION;
    g->slots = ARENA_ARRAY(&g->arena, struct slot, g->slot_count);
    u32 *before = ARENA_ARRAY(&g->arena, u32, g->slot_count);
    for (u32 i = 0; i < g->slot_count; i++) {
        const struct kind_row *row = i + 1 < g->slot_count ? spread(k, credit, total) : &loop_row;
        bool chases = row->kind == KIND_LOAD && k->pattern == CPU_PATTERN_CHASE;
        struct cpu_instruction *f = &g->slots[i].fixed;
        g->slots[i].kind = row->kind;
        f->pc = CODE_BASE + (u64)i * INSTRUCTION;
        f->length = INSTRUCTION;
        f->thread = g->thread;
        f->class = row->class;
        f->branch = row->branch;
        f->taken = row->branch && row->branch != CPU_CONDITIONAL;
        before[i] = results;
        f->destination_count = row->has_result && !chases;
        results += f->destination_count;
    }
    set_registers(g, before, results);
}

/* ---- instructions ---- */

static u64 draw(struct generator *g)
{
    return hash_u64(g->key + g->draws++ * 0x9e3779b97f4a7c15ull);
}

static u64 draw_below(struct generator *g, u64 bound)
{
    return (u64)((u128)draw(g) * bound >> 64);
}

/* A full-period congruential generator over the next power of two; what lies outside is passed
 * over, so one round meets every element once. */
static u64 chase_next(const struct generator *g)
{
    u64 x = g->element;
    do
        x = (x * 0x5851f42d4c957f2dull + 0x14057b7ef767814full) & g->chase_mask;
    while (x >= g->elements);
    return x;
}

static u64 next_address(struct generator *g)
{
    u64 element = g->element;
    switch (g->kernel.pattern) {
    case CPU_PATTERN_RANDOM:
        element = draw_below(g, g->elements);
        break;
    case CPU_PATTERN_CHASE:
        g->element = chase_next(g);
        break;
    default:
        g->element = element + 1 == g->elements ? 0 : element + 1;
    }
    return g->data + element * g->kernel.stride_bytes;
}

static bool is_taken(struct generator *g, struct slot *s)
{
    if (!g->kernel.branch_period)
        return (double)(draw(g) >> 11) * 0x1p-53 < g->kernel.taken;
    if (++s->executions < g->kernel.branch_period)
        return true;
    s->executions = 0;
    return false;
}

static u64 code_of(const struct generator *g, u32 copy, u32 slot)
{
    return CODE_BASE + (u64)copy * g->copy_bytes + (u64)slot * INSTRUCTION;
}

/* Functions lie behind the copies, one for each slot. */
static u64 function_of(const struct generator *g, u32 slot)
{
    return code_of(g, g->copies, slot);
}

static void make_return(struct generator *g, struct cpu_instruction *i)
{
    *i = (struct cpu_instruction){
        .pc = function_of(g, g->next - 1),
        .target = code_of(g, g->copy, g->next),
        .length = INSTRUCTION,
        .class = CPU_BRANCH,
        .branch = CPU_RETURN,
        .taken = true,
        .thread = g->thread,
    };
    g->returns = false;
}

static void add_read(struct generator *g, struct cpu_instruction *i)
{
    i->read_bytes[i->read_count] = g->kernel.access_bytes;
    i->read[i->read_count++] = next_address(g);
}

static void add_write(struct generator *g, struct cpu_instruction *i)
{
    i->write_bytes[i->write_count] = g->kernel.access_bytes;
    i->write[i->write_count++] = next_address(g);
}

static void make_next(struct generator *g, struct cpu_instruction *i)
{
    struct slot *s = &g->slots[g->next];
    *i = s->fixed;
    i->pc += (u64)g->copy * g->copy_bytes;
    u32 copy = g->copy, slot = g->next + 1; /* where it goes on */
    switch (s->kind) {
    case KIND_LOAD:
        add_read(g, i);
        break;
    case KIND_STORE:
        add_write(g, i);
        break;
    case KIND_CONDITIONAL:
        i->taken = is_taken(g, s);
        i->target = code_of(g, (copy + 1) % g->copies, slot);
        copy = i->taken ? (copy + 1) % g->copies : copy;
        break;
    case KIND_INDIRECT:
        copy = (u32)draw_below(g, g->kernel.indirect_targets);
        i->target = code_of(g, copy, slot);
        break;
    case KIND_CALL:
        i->target = function_of(g, g->next);
        g->returns = true;
        break;
    case KIND_LOOP:
        slot = 0;
        i->target = code_of(g, copy, slot);
        break;
    }
    g->copy = copy;
    g->next = slot;
}

static bool refill(struct cpu_stream *stream)
{
    struct generator *g = stream->self;
    u32 count = (u32)min_u64(BATCH, g->kernel.length - g->position);
    for (u32 i = 0; i < count; i++) {
        if (g->returns)
            make_return(g, &g->batch[i]);
        else
            make_next(g, &g->batch[i]);
    }
    g->position += count;
    stream->at = g->batch;
    stream->end = g->batch + count;
    return count > 0;
}

static bool restart(struct cpu_stream *stream)
{
    struct generator *g = stream->self;
    for (u32 i = 0; i < g->slot_count; i++)
        g->slots[i].executions = 0;
    g->draws = g->position = g->element = 0;
    g->next = g->copy = 0;
    g->returns = false;
    return true;
}

static void close_generator(struct cpu_stream *stream)
{
    struct generator *g = stream->self;
    arena_fini(&g->arena);
    free(g);
}

static const struct cpu_stream_ops generator_ops = {
    .refill = refill, .restart = restart, .close = close_generator};

void cpu_kernel_open(struct cpu_stream *s, const struct cpu_kernel *k, const char *name, u32 thread,
                     u64 seed)
{
    struct generator *g = xrealloc(NULL, sizeof *g);
    *g = (struct generator){.kernel = *k, .thread = (u16)thread};
    g->copies = k->indirect ? (u32)max_u64(2, k->indirect_targets) : 2;
    g->elements = k->footprint_bytes / k->stride_bytes;
    for (u64 n = 1; n < g->elements; n *= 2)
        g->chase_mask = 2 * n - 1;
    g->data = DATA_BASE + (k->shared ? 0 : thread * THREAD_DATA);
    g->key = hash_u64(seed ^ hash_u64(thread + 1));
    lay_out(g);
    *s = (struct cpu_stream){
        .ops = &generator_ops,
        .self = g,
        .description = arena_printf(&g->arena, "synthetic kernel %s", name),
        .length = k->length,
        .thread = thread,
        .thread_count = k->threads,
    };
}
