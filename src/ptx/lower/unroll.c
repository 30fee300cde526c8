/* Instructions of an unrolled loop's turns: those of its text, with registers of their own. */
#include "ptx/lower/builder.h"

struct turns unroll_start(struct builder *b)
{
    struct arena *scratch = b->l->scratch;
    u32 room = b->numbers + 1;
    struct turns t = {.b = b};
    t.now = ARENA_ARRAY(scratch, u16, room);
    t.set_by = ARENA_ARRAY(scratch, u32, room);
    t.set_last_by = ARENA_ARRAY(scratch, u32, room);
    for (u32 r = 0; r < room; r++)
        t.now[r] = (u16)r;
    return t;
}

void unroll_note(struct turns *t, u32 instruction, u32 who)
{
    const struct instruction *x = &t->b->code[instruction];
    for (u32 k = 0; k < x->dst_count; k++)
        t->set_last_by[x->regs[k]] = who + 1;
}

/* What is set last keeps its number, for who comes after the loop and for the next turns. */
static u16 new_number(struct turns *t, u16 number, u32 who)
{
    if (t->set_last_by[number] == who + 1 || t->b->numbers >= UINT16_MAX)
        return number;
    u16 more = (u16)++t->b->numbers;
    t->b->weight[more] = t->b->weight[number];
    return more;
}

u32 unroll_copy(struct turns *t, u32 instruction, u32 who, bool partly)
{
    struct builder *b = t->b;
    struct instruction x = b->code[instruction];
    const u16 *old = x.regs;
    u32 to = x.dst_count, count = to + x.src_count;
    u16 *regs = ARENA_ARRAY(&b->p->arena, u16, count + to + 1);
    for (u32 k = to; k < count; k++)
        regs[k] = t->now[old[k]];
    for (u32 k = 0; k < to; k++) {
        u16 number = old[k], before = t->now[number];
        if (t->set_by[number] != who + 1) {
            t->set_by[number] = who + 1;
            t->now[number] = new_number(t, number, who);
            if (partly) /* lanes that do not execute it keep what was there */
                regs[count++] = before;
        }
        regs[k] = t->now[number];
    }
    x.regs = regs;
    x.src_count = (u8)(count - to);
    builder_add(b, x);
    return b->count - 1;
}
