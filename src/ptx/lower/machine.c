#include "ptx/lower/machine.h"

#include "ptx/lower/builder.h"

#include <string.h>

/* What ptxas takes beside what is live: fitted to the half "tune" of the bundled programs, 67 % of
 * whose kernels get the same multiple of 8; of the other half 71 %. */
#define BESIDE_LIVE 7u
/* With so many an SM is full of warps, and ptxas orders instructions so that they suffice: 22 of
 * 192 kernels of registers.csv have exactly these, 6 more. */
#define KEPT_REGISTERS 32u
#define FOR_ORDER 8u /* where more are live: the next larger warp's share */
#define LEAST_REGISTERS 16u
#define MOST_REGISTERS 255u

static u32 count_op(const struct node *n)
{
    return (u32)n->count + n->fence + n->control + n->entry + n->trips;
}

/* Of the ops, and of an unrolled loop's turns once more. */
static u32 count_code(const struct lower *l)
{
    u32 total = 0;
    for (u32 i = 0; i < l->count; i++) {
        total += count_op(&l->nodes[i]);
        for (u32 k = i; k < l->nodes[i].unrolled_end; k++)
            total += UNROLLED * count_op(&l->nodes[k]);
    }
    return total;
}

static void add_subroutines(struct builder *b, struct machine *m)
{
    for (u32 k = 0; k < SLOW_COUNT; k++) {
        m->slow_first[k] = b->count;
        for (const char *c = lower_slow_letters(k); *c; c++)
            builder_add(b, builder_simple(*c));
    }
    m->slow_first[SLOW_COUNT] = b->count;
}

static u32 subroutine_length(void)
{
    u32 total = 0;
    for (u32 k = 0; k < SLOW_COUNT; k++)
        total += (u32)strlen(lower_slow_letters(k));
    return total;
}

/* Code lies in the order in which it is issued, a loop's turns before what is left of them. */
static void place_code(struct builder *b, const struct machine *m, u64 at)
{
    for (u32 i = 0, end; i < b->l->count; i = end) {
        const struct machine_stretch *r = m->stretch[i];
        end = r ? r->end : i + 1;
        for (u32 k = 0; r && k < r->all_count; k++, at += INSTRUCTION_BYTES)
            b->code[r->all[k].instruction].pc = at;
        for (u32 k = 0; r && k < r->once_count; k++, at += INSTRUCTION_BYTES)
            b->code[r->once[k].instruction].pc = at;
        for (u32 k = m->first[i]; !r && k < m->first[end]; k++, at += INSTRUCTION_BYTES)
            b->code[k].pc = at;
    }
    for (u32 k = m->slow_first[0]; k < m->slow_first[SLOW_COUNT]; k++, at += INSTRUCTION_BYTES)
        b->code[k].pc = at;
}

/* Registers that the order keeps to: as many as the GPU's own assembler has taken, where a cubin
 * says so. */
static u32 order_registers(const struct program *p, const struct function *f, u32 live)
{
    u32 given = 0;
    for (u32 i = 0; i < p->kernel_count; i++) {
        if (p->kernels[i].function == f)
            given = p->kernels[i].registers_given;
    }
    return (u32)max_u64(max_u64(given, KEPT_REGISTERS), live + FOR_ORDER);
}

/* From what is live in program order, and in the order of issue: ptxas keeps to KEPT_REGISTERS
 * where the program's order lets it. */
static u32 count_registers(u32 live, u32 issued)
{
    u32 registers = issued + BESIDE_LIVE;
    bool fits = live + BESIDE_LIVE <= KEPT_REGISTERS;
    return fits && registers > KEPT_REGISTERS ? KEPT_REGISTERS : registers;
}

static const struct machine *build(struct program *p, const struct function *f)
{
    struct arena scratch = {0};
    struct lower l;
    lower_function(&l, f, &scratch);
    u32 total = count_code(&l) + subroutine_length();
    struct builder b = {.p = p, .l = &l};
    b.same = ARENA_ARRAY(&scratch, u32, l.value_count + 1);
    b.number = ARENA_ARRAY(&scratch, u16, l.value_count + 1);
    b.weight = ARENA_ARRAY(&scratch, u8, UINT16_MAX + 1);
    u32 live = lower_live_registers(&l);
    b.live = live;
    b.limit = order_registers(p, f, live);
    b.code = ARENA_ARRAY(&p->arena, struct instruction, total + 1);
    u32 *first = ARENA_ARRAY(&p->arena, u32, l.count + 1);
    u32 *joins = ARENA_ARRAY(&p->arena, u32, l.count + 1);
    u32 *walk_end = ARENA_ARRAY(&p->arena, u32, l.count + 1);
    u8 *turns = ARENA_ARRAY(&p->arena, u8, l.count + 1),
       *slow = ARENA_ARRAY(&p->arena, u8, l.count + 1),
       *atomics = ARENA_ARRAY(&p->arena, u8, l.count + 1);
    struct machine *m = ARENA_ARRAY(&p->arena, struct machine, 1);
    *m = (struct machine){.code = b.code,
                          .first = first,
                          .turns = turns,
                          .walk_end = walk_end,
                          .joins = joins,
                          .slow = slow,
                          .atomics = atomics};
    builder_join_copies(&b);
    for (u32 i = 0; i < l.count; i++) {
        const struct node *n = &l.nodes[i];
        first[i] = b.count;
        turns[i] = n->turns;
        walk_end[i] = n->walk_end;
        slow[i] = n->slow;
        atomics[i] = n->atomic;
        builder_add_op(&b, i);
    }
    first[l.count] = b.count;
    for (u32 i = 0; i < l.count; i++) /* the instruction with which the meeting point starts */
        joins[i] = l.nodes[i].joins ? first[f->ops[i].reconverge] : UINT32_MAX;
    add_subroutines(&b, m);
    builder_find_stretches(&b, first, m);
    m->code_bytes = (u64)INSTRUCTION_BYTES * (b.count + 1);
    m->code_start = memory_place_code(p->memory, m->code_bytes);
    place_code(&b, m, m->code_start);
    m->registers = b.numbers + 1;
    m->live = count_registers(live, b.live);
    arena_fini(&scratch);
    return m;
}

void program_lower(struct program *p)
{
    if (p->machine_registers)
        return;
    p->machine_registers = p->most_registers;
    for (u32 i = 0; i < p->function_count; i++) {
        struct function *f = p->functions[i];
        if (!f->ops)
            continue;
        f->machine = build(p, f);
        if (f->machine->registers > p->machine_registers)
            p->machine_registers = f->machine->registers;
        p->most_stretch_ops = (u32)max_u64(p->most_stretch_ops, f->machine->most_ops);
        p->most_stretch_accesses =
            (u32)max_u64(p->most_stretch_accesses, f->machine->most_accesses);
    }
}

/* Functions are put into their callers. */
static u32 live_with_calls(const struct function *f, u32 depth)
{
    u32 deepest = 0;
    for (u32 i = 0; i < f->op_count && depth < 4; i++) {
        const struct call *c = f->ops[i].kind == OP_CALL ? f->ops[i].extra : NULL;
        if (!c || !c->callee || !c->callee->machine)
            continue;
        u32 live = live_with_calls(c->callee, depth + 1);
        deepest = live > deepest ? live : deepest;
    }
    return f->machine->live + deepest;
}

u32 machine_thread_registers(const struct function *kernel)
{
    u32 registers = live_with_calls(kernel, 0), most = ptx_most_registers(kernel->source);
    registers = registers < LEAST_REGISTERS  ? LEAST_REGISTERS
                : registers > MOST_REGISTERS ? MOST_REGISTERS
                                             : registers;
    return registers > most ? most : registers;
}
