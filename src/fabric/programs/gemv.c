/* Dense matrix times vector: a row is an item; a line of the row and one of the vector at a time.
 */
#include "fabric/program.h"

#include "base/rng.h"

#include <math.h>

#define AT_MATRIX ((u64)1 << 40)
#define AT_VECTOR ((u64)2 << 40)
#define AT_RESULT ((u64)3 << 40)
#define LINE_VALUES 8u
#define AHEAD 4u /* lines of each operand that are fetched ahead */

struct row {
    u64 number;
    u32 loaded, done; /* columns */
};

struct gemv {
    u32 size, elements;
    double *matrix, *vector, *result;
    struct row *rows; /* by element */
};

static void *gemv_open(const struct fabric_config *c, struct arena *arena, struct err *err)
{
    struct gemv *g = ARENA_NEW(arena, struct gemv);
    struct rng values;
    (void)err;
    g->size = c->program.size;
    g->elements = c->tile.elements;
    g->matrix = arena_alloc_sparse(arena, (size_t)g->size * g->size * sizeof(double));
    g->vector = ARENA_ARRAY(arena, double, g->size);
    g->result = ARENA_ARRAY(arena, double, g->size);
    g->rows = ARENA_ARRAY(arena, struct row, c->tile.count * c->tile.elements);
    rng_init(&values, 1, "gemv");
    for (u64 i = 0; i < (u64)g->size * g->size; i++)
        g->matrix[i] = rng_unit(&values);
    for (u32 i = 0; i < g->size; i++)
        g->vector[i] = rng_unit(&values);
    return g;
}

static u32 gemv_phases(const void *self)
{
    (void)self;
    return 1;
}

static void gemv_phase(const void *self, u32 phase, struct fabric_phase *out)
{
    (void)phase;
    *out = (struct fabric_phase){.name = "rows",
                                 .mode = FABRIC_SHARED,
                                 .team = 1,
                                 .items = ((const struct gemv *)self)->size};
}

static u32 gemv_parts(void *self, u32 phase, u64 item)
{
    (void)self, (void)phase, (void)item;
    return 1;
}

static struct row *row_of(struct gemv *g, const struct fabric_turn *t)
{
    return &g->rows[t->tile * g->elements + t->element];
}

static void gemv_begin(void *self, const struct fabric_turn *t, u64 item, u32 part)
{
    (void)part;
    *row_of(self, t) = (struct row){.number = item};
}

static u32 columns_at(const struct gemv *g, u32 column)
{
    return (u32)min_u64(LINE_VALUES, g->size - column);
}

static void load(const struct gemv *g, struct fabric_turn *t, struct row *r)
{
    u32 count = columns_at(g, r->loaded);
    u64 at = r->number * g->size + r->loaded;
    fabric_emit(t, OP_LOAD, AT_MATRIX + at * sizeof(double), count * 8);
    fabric_emit(t, OP_LOAD, AT_VECTOR + r->loaded * sizeof(double), count * 8);
    r->loaded += count;
}

static void gemv_fill(void *self, struct fabric_turn *t)
{
    struct gemv *g = self;
    struct row *r = row_of(g, t);
    while (r->done < g->size && fabric_has_room(t, 2 * AHEAD + 2)) {
        while (r->loaded < g->size && r->loaded < r->done + AHEAD * LINE_VALUES)
            load(g, t, r);
        u32 count = columns_at(g, r->done), lines = r->loaded - r->done - count;
        fabric_emit(t, OP_WAIT, 0, 2 * ((lines + LINE_VALUES - 1) / LINE_VALUES));
        fabric_emit(t, OP_COMPUTE, 0, count);
        for (u32 i = 0; i < count; i++, r->done++)
            g->result[r->number] += g->matrix[r->number * g->size + r->done] * g->vector[r->done];
    }
    if (r->done < g->size || !fabric_has_room(t, 2))
        return;
    fabric_emit(t, OP_STORE, AT_RESULT + r->number * sizeof(double), 8);
    fabric_emit(t, OP_END, 0, 0);
}

/* Column by column, so that sums come in another order than above. */
static bool gemv_verify(void *self, struct err *err)
{
    const struct gemv *g = self;
    for (u32 r = 0; r < g->size; r++) {
        double sum = 0;
        for (u32 c = g->size; c-- > 0;)
            sum += g->matrix[(u64)r * g->size + c] * g->vector[c];
        if (fabs(sum - g->result[r]) > 1e-9 * sum)
            return err_kind(err, ERR_VERIFY, "row %u is %.12g, expected %.12g", r, g->result[r],
                            sum);
    }
    return true;
}

static void gemv_summary(const void *self, struct text *out)
{
    const struct gemv *g = self;
    text_printf(out, "  product     of a %u x %u matrix and a vector\n", g->size, g->size);
}

const struct fabric_program_ops fabric_program_gemv = {
    .name = "gemv",
    .about = "dense matrix times vector",
    .open = gemv_open,
    .phases = gemv_phases,
    .phase = gemv_phase,
    .parts = gemv_parts,
    .begin = gemv_begin,
    .fill = gemv_fill,
    .verify = gemv_verify,
    .summary = gemv_summary,
};
