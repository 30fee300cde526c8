/* y = 2 x + y: an item is a line of both vectors. The example of docs/howto/fabric.md. */
#include "fabric/program.h"

#define LINE_VALUES 8u
#define AT_X ((u64)1 << 40)
#define AT_Y ((u64)2 << 40)

struct axpy {
    u32 size;
    double *x, *y;
    u64 items[FABRIC_MOST_TILES][FABRIC_MOST_ELEMENTS]; /* that each element is at */
};

static void *axpy_open(const struct fabric_config *c, struct arena *arena, struct err *err)
{
    struct axpy *p = ARENA_NEW(arena, struct axpy);
    (void)err; /* nothing can be wrong with a number of values */
    p->size = c->program.size;
    p->x = ARENA_ARRAY(arena, double, p->size);
    p->y = ARENA_ARRAY(arena, double, p->size);
    for (u32 i = 0; i < p->size; i++)
        p->x[i] = p->y[i] = i;
    return p;
}

static u32 axpy_phases(const void *self)
{
    (void)self;
    return 1;
}

static void axpy_phase(const void *self, u32 phase, struct fabric_phase *out)
{
    const struct axpy *p = self;
    (void)phase;
    *out = (struct fabric_phase){.name = "lines",
                                 .mode = FABRIC_SHARED,
                                 .team = 1,
                                 .items = (p->size + LINE_VALUES - 1) / LINE_VALUES};
}

static u32 axpy_parts(void *self, u32 phase, u64 item)
{
    (void)self, (void)phase, (void)item;
    return 1; /* one element does a line */
}

static void axpy_begin(void *self, const struct fabric_turn *t, u64 item, u32 part)
{
    (void)part;
    ((struct axpy *)self)->items[t->tile][t->element] = item;
}

static void axpy_fill(void *self, struct fabric_turn *t)
{
    struct axpy *p = self;
    u32 first = (u32)p->items[t->tile][t->element] * LINE_VALUES;
    u32 count = p->size - first < LINE_VALUES ? p->size - first : LINE_VALUES;
    fabric_emit(t, OP_LOAD, AT_X + first * 8, count * 8);
    fabric_emit(t, OP_LOAD, AT_Y + first * 8, count * 8);
    fabric_emit(t, OP_WAIT, 0, 0);
    fabric_emit(t, OP_COMPUTE, 0, 2 * count);
    fabric_emit(t, OP_STORE, AT_Y + first * 8, count * 8);
    fabric_emit(t, OP_END, 0, 0);
    for (u32 i = first; i < first + count; i++)
        p->y[i] += 2 * p->x[i];
}

static bool axpy_verify(void *self, struct err *err)
{
    const struct axpy *p = self;
    for (u32 i = 0; i < p->size; i++) {
        if (p->y[i] != 3.0 * i)
            return err_kind(err, ERR_VERIFY, "y[%u] is %g, expected %g", i, p->y[i], 3.0 * i);
    }
    return true;
}

static void axpy_summary(const void *self, struct text *out)
{
    text_printf(out, "  axpy        of %u values\n", ((const struct axpy *)self)->size);
}

const struct fabric_program_ops fabric_program_axpy = {
    .name = "axpy",
    .about = "y = 2 x + y, the example of docs/howto/fabric.md",
    .open = axpy_open,
    .phases = axpy_phases,
    .phase = axpy_phase,
    .parts = axpy_parts,
    .begin = axpy_begin,
    .fill = axpy_fill,
    .verify = axpy_verify,
    .summary = axpy_summary,
};
