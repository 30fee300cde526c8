/* Jacobi steps of a five-point stencil on a square: a phase is a step, an item a row. */
#include "fabric/program.h"

#include "base/rng.h"

#include <string.h>

#define LINE_VALUES 8u

struct jacobi {
    u32 size, steps, elements;
    double *arrays[2], *before; /* the two that steps go between; what they began with */
    u32 *done;                  /* points of its row, by element */
    u32 *rows;
};

static void *jacobi_open(const struct fabric_config *c, struct arena *arena, struct err *err)
{
    struct jacobi *s = ARENA_NEW(arena, struct jacobi);
    struct rng values;
    size_t points = (size_t)c->program.size * c->program.size;
    (void)err;
    s->size = c->program.size;
    s->steps = c->program.steps;
    s->elements = c->tile.elements;
    s->done = ARENA_ARRAY(arena, u32, c->tile.count * c->tile.elements);
    s->rows = ARENA_ARRAY(arena, u32, c->tile.count * c->tile.elements);
    s->before = arena_alloc_sparse(arena, points * sizeof(double));
    rng_init(&values, 1, "jacobi");
    for (size_t i = 0; i < points; i++)
        s->before[i] = rng_unit(&values);
    for (u32 i = 0; i < 2; i++) {
        s->arrays[i] = arena_alloc_sparse(arena, points * sizeof(double));
        memcpy(s->arrays[i], s->before, points * sizeof(double));
    }
    return s;
}

static u32 jacobi_phases(const void *self)
{
    return ((const struct jacobi *)self)->steps;
}

/* Without the first and the last, which stay as they are. */
static void jacobi_phase(const void *self, u32 phase, struct fabric_phase *out)
{
    u32 size = ((const struct jacobi *)self)->size;
    (void)phase;
    *out = (struct fabric_phase){
        .name = "step", .mode = FABRIC_SHARED, .team = 1, .items = size > 2 ? size - 2 : 0};
}

static u32 jacobi_parts(void *self, u32 phase, u64 item)
{
    (void)self, (void)phase, (void)item;
    return 1;
}

static void jacobi_begin(void *self, const struct fabric_turn *t, u64 item, u32 part)
{
    struct jacobi *s = self;
    (void)part;
    s->done[t->tile * s->elements + t->element] = 0;
    s->rows[t->tile * s->elements + t->element] = (u32)item + 1;
}

static double point(const double *from, u32 size, u32 row, u32 column)
{
    const double *at = from + (size_t)row * size + column;
    return column == 0 || column == size - 1
               ? *at
               : 0.2 * (*at + at[-1] + at[1] + at[-(int)size] + at[size]);
}

static u64 address(const struct jacobi *s, u32 array, u32 row, u32 column)
{
    return ((u64)(array + 1) << 40) + ((u64)row * s->size + column) * sizeof(double);
}

/* A line of the row above, its own and the one below; then its points. */
static void do_line(struct jacobi *s, struct fabric_turn *t, u32 row, u32 column)
{
    u32 from = t->phase % 2, count = (u32)min_u64(LINE_VALUES, s->size - column);
    for (u32 r = row - 1; r <= row + 1; r++)
        fabric_emit(t, OP_LOAD, address(s, from, r, column), count * 8);
    fabric_emit(t, OP_WAIT, 0, 0);
    fabric_emit(t, OP_COMPUTE, 0, 5 * count);
    fabric_emit(t, OP_STORE, address(s, !from, row, column), count * 8);
    for (u32 i = column; i < column + count; i++)
        s->arrays[!from][(size_t)row * s->size + i] = point(s->arrays[from], s->size, row, i);
}

static void jacobi_fill(void *self, struct fabric_turn *t)
{
    struct jacobi *s = self;
    u32 *done = &s->done[t->tile * s->elements + t->element];
    u32 row = s->rows[t->tile * s->elements + t->element];
    for (; *done < s->size && fabric_has_room(t, 6); *done += LINE_VALUES)
        do_line(s, t, row, *done);
    if (!t->count)
        fabric_emit(t, OP_END, 0, 0);
}

/* The same steps, in place of the arrays. */
static bool jacobi_verify(void *self, struct err *err)
{
    struct jacobi *s = self;
    size_t bytes = (size_t)s->size * s->size * sizeof(double);
    double *result = s->arrays[s->steps % 2], *next = s->arrays[!(s->steps % 2)];
    for (u32 step = 0; step < s->steps; step++) {
        memcpy(next, s->before, bytes);
        for (u32 r = 1; r + 1 < s->size; r++) {
            for (u32 c = 1; c + 1 < s->size; c++)
                next[(size_t)r * s->size + c] = point(s->before, s->size, r, c);
        }
        memcpy(s->before, next, bytes);
    }
    return memcmp(result, s->before, bytes) == 0 ||
           err_kind(err, ERR_VERIFY, "points differ from the sequential result");
}

static void jacobi_summary(const void *self, struct text *out)
{
    const struct jacobi *s = self;
    text_printf(out, "  stencil     %u steps on %u x %u points\n", s->steps, s->size, s->size);
}

const struct fabric_program_ops fabric_program_jacobi = {
    .name = "jacobi",
    .about = "steps of a five-point stencil",
    .open = jacobi_open,
    .phases = jacobi_phases,
    .phase = jacobi_phase,
    .parts = jacobi_parts,
    .begin = jacobi_begin,
    .fill = jacobi_fill,
    .verify = jacobi_verify,
    .summary = jacobi_summary,
};
