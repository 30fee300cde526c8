#include "source/synthetic/layout.h"

#include "base/arena.h"

#include <assert.h>

/* Most that share() chooses from. */
#define MOST_SHARES 16u

enum kind {
    KIND_INTEGER,
    KIND_FP32,
    KIND_FP64,
    KIND_FP16,
    KIND_SFU,
    KIND_TENSOR,
    KIND_LOAD,
    KIND_STORE,
    KIND_ATOMIC,
    KIND_SHARED_LOAD,
    KIND_SHARED_STORE,
    KIND_BRANCH,
    KIND_COUNT,
    KIND_BARRIER = KIND_COUNT, /* placed by distance, not by share */
    KIND_LOOP,
};

/* clang-format off */
static const struct kind_row {
    u8 kind, unit, cost, space;
    bool has_result, is_global;
} rows[] = {
    /*                      kind              unit         cost               space          result global */
    [KIND_INTEGER]      = {WINST_ARITHMETIC, UNIT_INT,    COST_SIMPLE,       SPACE_GENERIC, true,  false},
    [KIND_FP32]         = {WINST_ARITHMETIC, UNIT_FP32,   COST_MULTIPLY_ADD, SPACE_GENERIC, true,  false},
    [KIND_FP64]         = {WINST_ARITHMETIC, UNIT_FP64,   COST_MULTIPLY_ADD, SPACE_GENERIC, true,  false},
    [KIND_FP16]         = {WINST_ARITHMETIC, UNIT_FP16,   COST_MULTIPLY_ADD, SPACE_GENERIC, true,  false},
    [KIND_SFU]          = {WINST_ARITHMETIC, UNIT_SFU,    COST_SIMPLE,       SPACE_GENERIC, true,  false},
    [KIND_TENSOR]       = {WINST_ARITHMETIC, UNIT_TENSOR, COST_MULTIPLY_ADD, SPACE_GENERIC, true,  false},
    [KIND_LOAD]         = {WINST_LOAD,       UNIT_MEMORY, COST_SIMPLE,       SPACE_GLOBAL,  true,  true},
    [KIND_STORE]        = {WINST_STORE,      UNIT_MEMORY, COST_SIMPLE,       SPACE_GLOBAL,  false, true},
    [KIND_ATOMIC]       = {WINST_ATOMIC,     UNIT_MEMORY, COST_SIMPLE,       SPACE_GLOBAL,  true,  true},
    [KIND_SHARED_LOAD]  = {WINST_LOAD,       UNIT_MEMORY, COST_SIMPLE,       SPACE_SHARED,  true,  false},
    [KIND_SHARED_STORE] = {WINST_STORE,      UNIT_MEMORY, COST_SIMPLE,       SPACE_SHARED,  false, false},
    [KIND_BRANCH]       = {WINST_CONTROL,    UNIT_BRANCH, COST_SIMPLE,       SPACE_GENERIC, false, false},
    [KIND_BARRIER]      = {WINST_BARRIER,    UNIT_BRANCH, COST_SIMPLE,       SPACE_GENERIC, false, false},
    [KIND_LOOP]         = {WINST_CONTROL,    UNIT_BRANCH, COST_SIMPLE,       SPACE_GENERIC, false, false},
};
/* clang-format on */

/* Choices in turn, so that after n of them each has had its share of n to within one. */
struct shares {
    u32 weights[MOST_SHARES];
    i64 credit[MOST_SHARES];
    u32 count;
    i64 total;
};

static struct shares shares_of(const u32 *weights, u32 count)
{
    struct shares s = {.count = count};
    for (u32 i = 0; i < count; i++) {
        s.weights[i] = weights[i];
        s.total += weights[i];
    }
    return s;
}

/* Smooth weighted round-robin: everybody earns, the richest is chosen and pays for all. */
static u32 share(struct shares *s)
{
    u32 richest = 0;
    for (u32 i = 0; i < s->count; i++) {
        s->credit[i] += s->weights[i];
        if (s->credit[i] > s->credit[richest])
            richest = i;
    }
    s->credit[richest] -= s->total;
    return richest;
}

static struct shares kinds_of(const struct synthetic_mix *m)
{
    const u32 weights[KIND_COUNT] = {
        m->integer, m->fp32,  m->fp64,   m->fp16,        m->sfu,          m->tensor,
        m->load,    m->store, m->atomic, m->shared_load, m->shared_store, m->branch,
    };
    return shares_of(weights, KIND_COUNT);
}

static struct shares patterns_of(const struct synthetic_access *a)
{
    const u32 weights[PATTERN_COUNT] = {a->stream, a->private_reuse, a->shared_reuse, a->random,
                                        a->chase};
    return shares_of(weights, PATTERN_COUNT);
}

/* Walks the slots of a turn. */
struct chooser {
    const struct synthetic_phase *phase;
    struct shares kinds, patterns;
    u32 index, count;
};

struct choice {
    enum kind kind;
    enum pattern pattern;
};

static struct chooser chooser_start(const struct synthetic_phase *p)
{
    return (struct chooser){.phase = p,
                            .kinds = kinds_of(&p->mix),
                            .patterns = patterns_of(&p->access),
                            .count = p->code_bytes / INSTRUCTION_BYTES};
}

static struct choice choose(struct chooser *c)
{
    u32 i = c->index++, every = c->phase->barrier_every;
    struct choice choice = {.kind = KIND_LOOP, .pattern = PATTERN_NONE};
    if (i + 1 == c->count)
        return choice;
    choice.kind = every && i % every == every - 1 ? KIND_BARRIER : (enum kind)share(&c->kinds);
    if (rows[choice.kind].is_global)
        choice.pattern = (enum pattern)share(&c->patterns);
    else if (rows[choice.kind].space == SPACE_SHARED)
        choice.pattern = PATTERN_SHARED_MEMORY;
    return choice;
}

static bool is_chase(struct choice c)
{
    return c.kind == KIND_LOAD && c.pattern == PATTERN_CHASE;
}

static bool has_result(struct choice c)
{
    return rows[c.kind].has_result && !is_chase(c);
}

u32 synthetic_results(const struct synthetic_phase *p)
{
    struct chooser c = chooser_start(p);
    u32 results = 0;
    while (c.index < c.count)
        results += has_result(choose(&c));
    return results;
}

/* The register of each result of a turn. A loop with more results than registers uses them
 * in rounds of equal length, so that a register is left alone for at least a round less
 * one, also across the end of the turn. */
static const u16 *result_registers(u32 results, struct arena *arena)
{
    u16 *regs = ARENA_ARRAY(arena, u16, results + 1);
    u32 rounds = (results + SYNTHETIC_RESULTS - 1) / SYNTHETIC_RESULTS;
    for (u32 round = 0; round < rounds; round++) {
        u32 first = (u32)((u64)round * results / rounds);
        u32 end = (u32)((u64)(round + 1) * results / rounds);
        for (u32 n = first; n < end; n++)
            regs[n] = (u16)(n - first);
    }
    return regs;
}

struct register_plan {
    const u16 *of_result;
    u32 results, distance;
    u32 done; /* results of the turn so far */
};

/* The destination, then the one source. */
static void set_registers(struct instruction *i, struct choice c, struct register_plan *plan,
                          struct arena *arena)
{
    u16 *regs = ARENA_ARRAY(arena, u16, 2);
    i->regs = regs;
    if (is_chase(c)) {
        regs[0] = regs[1] = SYNTHETIC_CHASE_REGISTER;
        i->dst_count = i->src_count = 1;
        return;
    }
    if (has_result(c))
        regs[i->dst_count++] = plan->of_result[plan->done];
    if (plan->distance && c.kind != KIND_LOOP && c.kind != KIND_BARRIER) {
        assert(plan->results >= plan->distance); /* synthetic_phase_check */
        u32 from = (plan->done + plan->results - plan->distance) % plan->results;
        regs[i->dst_count + i->src_count++] = plan->of_result[from];
    }
    plan->done += has_result(c);
}

static struct slot make_slot(const struct synthetic_phase *p, struct choice c)
{
    const struct kind_row *row = &rows[c.kind];
    struct slot s = {.branch = NO_BRANCH, .pattern = (u8)c.pattern};
    s.instruction.kind = row->kind;
    s.instruction.unit = row->unit;
    s.instruction.cost = row->cost;
    s.instruction.space = row->space;
    if (row->is_global) {
        s.instruction.bytes = (u8)p->access.lane_bytes;
        s.instruction.cache_operator = (u8)p->access.cache_operator;
    } else if (row->space == SPACE_SHARED) {
        s.instruction.bytes = 4;
    }
    return s;
}

/* What follows a branch up to the next one is its two sides, of equal length. */
static void mark_sides(struct layout *l)
{
    u32 branch = NO_BRANCH;
    for (u32 i = 0; i < l->count; i++) {
        if (l->slots[i].instruction.kind != WINST_CONTROL) {
            l->slots[i].branch = branch;
            continue;
        }
        if (branch != NO_BRANCH) {
            for (u32 k = branch + 1; k < i; k++)
                l->slots[k].second = k - branch > (i - branch) / 2;
        }
        branch = i;
    }
}

void layout_make(struct layout *l, const struct synthetic_phase *p, u64 pc, struct arena *arena)
{
    struct chooser chooser = chooser_start(p);
    struct register_plan plan = {.results = synthetic_results(p),
                                 .distance = p->dependence_distance};
    plan.of_result = result_registers(plan.results, arena);
    *l = (struct layout){.count = chooser.count};
    l->turns = (p->instructions + l->count - 1) / l->count;
    l->slots = ARENA_ARRAY(arena, struct slot, l->count);
    for (u32 i = 0; i < l->count; i++) {
        struct choice choice = choose(&chooser);
        struct slot *s = &l->slots[i];
        *s = make_slot(p, choice);
        s->instruction.pc = pc + (u64)i * INSTRUCTION_BYTES;
        if (choice.pattern != PATTERN_NONE)
            s->rank = l->per_turn[choice.pattern]++;
        set_registers(&s->instruction, choice, &plan, arena);
    }
    mark_sides(l);
}
