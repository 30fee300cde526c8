#include "isa/lower/machine.h"

#include "isa/lower/rules.h"
#include "isa/program.h"

#include <string.h>

/* The letters of expand.c. */
static const struct {
    char letter;
    u8 unit, cost;
} letters[] = {
    {'i', UNIT_INT, COST_SIMPLE},        {'c', UNIT_INT, COST_SELECT},
    {'m', UNIT_INT, COST_MULTIPLY_ADD},  {'f', UNIT_FP32, COST_MULTIPLY_ADD},
    {'d', UNIT_FP64, COST_MULTIPLY_ADD}, {'s', UNIT_SFU, COST_SIMPLE},
    {'b', UNIT_BRANCH, COST_SIMPLE},
};

/* What ptxas takes beside what is live: chosen once for all kernels of
 * silicon/h200/registers.csv, 65 % of which get the same multiple of 8. */
#define BESIDE_LIVE 4u
#define FOR_UNROLLED 8u
#define LEAST_REGISTERS 16u
#define MOST_REGISTERS 255u

struct builder {
    struct program *p;
    struct lower *l;
    u32 *same;   /* by register: the one that it is a copy of, or itself */
    u16 *number; /* for the scoreboard; 0: none yet */
    u32 numbers;
    struct instruction *code;
    u32 count;
    u64 start; /* of its code */
};

/* ---- registers ------------------------------------------------------------------------------- */

static u32 find_same(const struct builder *b, u32 reg)
{
    while (b->same[reg] != reg)
        reg = b->same[reg];
    return reg;
}

static u16 number_of(struct builder *b, u32 reg)
{
    u16 *n = &b->number[find_same(b, reg)];
    if (!*n && b->numbers < UINT16_MAX)
        *n = (u16)++b->numbers;
    return *n;
}

/* Copies that cost nothing share a register where neither is defined just once. */
static void join_copies(struct builder *b)
{
    const struct lower *l = b->l;
    for (u32 r = 0; r < l->value_count; r++)
        b->same[r] = r;
    for (u32 i = 0; i < l->count; i++) {
        const struct node *n = &l->nodes[i];
        u32 to = lower_result(n);
        if (n->count || n->dead || n->read_count != 1 || to == PTX_NONE || l->values[to].defs == 1)
            continue;
        b->same[find_same(b, to)] = find_same(b, n->reads[0]);
    }
}

struct list {
    u16 items[64];
    u32 count;
};

static void add_number(struct list *list, u16 number)
{
    for (u32 i = 0; i < list->count; i++) {
        if (list->items[i] == number)
            return;
    }
    if (list->count < ARRAY_LEN(list->items))
        list->items[list->count++] = number;
}

/* Who reads what a folded op makes waits for what that op reads. */
static void add_source(struct builder *b, struct list *list, u32 reg, u32 depth)
{
    const struct node *d = lower_definition(b->l, reg);
    if (!d || d->count || d->leader != PTX_NONE || depth > 8) {
        add_number(list, number_of(b, reg));
        return;
    }
    for (u32 k = 0; k < d->read_count; k++)
        add_source(b, list, d->reads[k], depth + 1);
}

static void list_destinations(struct builder *b, u32 op, struct list *list)
{
    const struct lower *l = b->l;
    for (u32 i = op; i < l->count && i < op + 256; i++) { /* and of loads that are one with it */
        const struct node *n = &l->nodes[i];
        if (i != op && n->leader != op)
            continue;
        for (u32 k = 0; k < n->write_count; k++)
            add_number(list, number_of(b, n->writes[k]));
        if (l->nodes[op].leader == PTX_NONE)
            return;
    }
}

static void set_registers(struct builder *b, struct instruction *out, const struct list *to,
                          const struct list *from, bool chained)
{
    struct list all = {.count = 0};
    u16 *regs = ARENA_ARRAY(&b->p->arena, u16, 2 * to->count + from->count + 1);
    u32 count = 0;
    for (u32 k = 0; k < to->count; k++)
        regs[count++] = to->items[k];
    out->dst_count = (u8)count;
    for (u32 k = 0; k < from->count; k++)
        add_number(&all, from->items[k]);
    for (u32 k = 0; chained && k < to->count; k++) /* needs what the one before it made */
        add_number(&all, to->items[k]);
    for (u32 k = 0; k < all.count; k++)
        regs[count++] = all.items[k];
    out->src_count = (u8)all.count;
    out->regs = regs;
}

/* ---- instructions ------------------------------------------------------------------------------
 */

static struct instruction *add(struct builder *b, struct instruction i)
{
    i.pc = b->start + (u64)INSTRUCTION_BYTES * b->count;
    b->code[b->count] = i;
    return &b->code[b->count++];
}

static struct instruction simple(char letter)
{
    static const u16 none;
    size_t k = 0;
    while (k + 1 < ARRAY_LEN(letters) && letters[k].letter != letter)
        k++;
    return (struct instruction){
        .regs = &none, .kind = WINST_ARITHMETIC, .unit = letters[k].unit, .cost = letters[k].cost};
}

static u32 words_of(const struct lower *l, u32 op)
{
    u32 words = 0;
    for (u32 i = op; i < l->count && i < op + 256; i++)
        words += l->nodes[i].leader == op;
    return words;
}

static void add_op(struct builder *b, u32 op)
{
    const struct node *n = &b->l->nodes[op];
    const struct instruction *plain = &b->l->f->instructions[op];
    for (u32 k = 0; k < n->control; k++)
        add(b, simple('b'));
    for (u32 k = 0; k < n->entry; k++)
        add(b, simple('i'));
    if (!n->count)
        return;
    const char *expansion = lower_expansion(b->l, n);
    if (expansion && strlen(expansion) != n->count)
        expansion = NULL;
    struct list to = {.count = 0}, from = {.count = 0};
    list_destinations(b, op, &to);
    for (u32 k = 0; k < n->read_count; k++)
        add_source(b, &from, n->reads[k], 0);
    for (u32 k = 0; k < n->count; k++) {
        bool is_last = k + 1 == n->count;
        struct instruction i = simple(expansion ? expansion[k] : 'i');
        if (is_last && (!expansion || plain->kind != WINST_ARITHMETIC))
            i = *plain;
        if (is_last && n->leader == op)
            i.bytes = (u8)(n->bytes * words_of(b->l, op));
        bool moves_data = is_last && plain->unit == UNIT_MEMORY;
        set_registers(b, add(b, i),
                      moves_data || !to.count || plain->unit != UNIT_MEMORY ? &to : &from, &from,
                      k > 0 && plain->unit != UNIT_MEMORY);
    }
}

static u32 count_code(const struct lower *l)
{
    u32 total = 0;
    for (u32 i = 0; i < l->count; i++)
        total += (u32)l->nodes[i].count + l->nodes[i].control + l->nodes[i].entry;
    return total;
}

static void add_subroutines(struct builder *b, struct machine *m)
{
    for (u32 k = 0; k < SLOW_COUNT; k++) {
        m->slow_first[k] = b->count;
        for (const char *c = lower_slow_letters(k); *c; c++)
            add(b, simple(*c));
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

static const struct machine *build(struct program *p, const struct function *f)
{
    struct arena scratch = {0};
    struct lower l;
    lower_function(&l, f, &scratch);
    u32 total = count_code(&l) + subroutine_length();
    struct builder b = {.p = p, .l = &l};
    b.same = ARENA_ARRAY(&scratch, u32, l.value_count + 1);
    b.number = ARENA_ARRAY(&scratch, u16, l.value_count + 1);
    b.code = ARENA_ARRAY(&p->arena, struct instruction, total + 1);
    b.start = memory_place_code(p->memory, (u64)INSTRUCTION_BYTES * (total + 1));
    u32 *first = ARENA_ARRAY(&p->arena, u32, l.count + 1);
    u32 *joins = ARENA_ARRAY(&p->arena, u32, l.count + 1);
    u32 *walk_end = ARENA_ARRAY(&p->arena, u32, l.count + 1);
    u8 *turns = ARENA_ARRAY(&p->arena, u8, l.count + 1),
       *slow = ARENA_ARRAY(&p->arena, u8, l.count + 1);
    struct machine *m = ARENA_ARRAY(&p->arena, struct machine, 1);
    *m = (struct machine){.code = b.code,
                          .first = first,
                          .turns = turns,
                          .walk_end = walk_end,
                          .joins = joins,
                          .slow = slow};
    join_copies(&b);
    for (u32 i = 0; i < l.count; i++) {
        const struct node *n = &l.nodes[i];
        first[i] = b.count;
        turns[i] = n->turns;
        walk_end[i] = n->walk_end;
        slow[i] = n->slow;
        add_op(&b, i);
    }
    first[l.count] = b.count;
    for (u32 i = 0; i < l.count; i++) /* the instruction with which the meeting point starts */
        joins[i] = l.nodes[i].joins ? first[f->ops[i].reconverge] : UINT32_MAX;
    add_subroutines(&b, m);
    m->registers = b.numbers + 1;
    m->live = lower_live_registers(&l) + BESIDE_LIVE;
    for (u32 i = 0; i < l.count; i++) {
        if (turns[i]) {
            m->live += FOR_UNROLLED; /* loads of several turns are under way at once */
            break;
        }
    }
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
    u32 registers = live_with_calls(kernel, 0), most = kernel->source->max_registers;
    registers = registers < LEAST_REGISTERS  ? LEAST_REGISTERS
                : registers > MOST_REGISTERS ? MOST_REGISTERS
                                             : registers;
    return most && registers > most ? most : registers;
}
