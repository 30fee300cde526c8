#include "fabric/programs/spgemm.h"

#include <string.h>

/* clang-format off */
static const struct stat_def stats[] = {
    S_COUNT(spgemm_counts, rows, "rows", "rows of the product"),
    S_COUNT(spgemm_counts, elements_a, "elements", "elements of the left matrix"),
    S_COUNT(spgemm_counts, elements_b, "elements", "elements of the right matrix"),
    S_COUNT(spgemm_counts, elements_c, "elements", "elements of the product"),
    S_COUNT(spgemm_counts, partial_products, "products", "partial products multiplied: the sum of nnz(a_i) nnz(b_i)"),
    S_COUNT(spgemm_counts, chunks, "chunks", "chunks linked into rows"),
    S_COUNT(spgemm_counts, chunk_element_reads, "products", "products the merge read from chunks"),
    S_COUNT(spgemm_counts, run_element_reads, "products", "products the merge read from runs of earlier passes"),
    S_COUNT(spgemm_counts, run_element_writes, "products", "products written to runs"),
    S_COUNT(spgemm_counts, list_steps, "entries", "list entries passed when inserting into sorted lists of heads"),
    S_COUNT(spgemm_counts, merged_rows, "rows", "rows that had products to merge"),
    S_COUNT(spgemm_counts, passes, "passes", "merge passes over rows (several where a row has more chunks than a list has entries)"),
    S_COUNT(spgemm_counts, multi_pass_rows, "rows", "rows that took several passes"),
    S_END,
};
/* clang-format on */

enum { PHASE_MULTIPLY, PHASE_MERGE, PHASES };

/* Into the arena, which lives as long as the machine. */
static struct matrix keep(struct matrix *m, struct arena *arena)
{
    u64 nnz = matrix_nnz(m);
    struct matrix kept = {.rows = m->rows, .columns = m->columns};
    kept.start = ARENA_ARRAY(arena, u64, (u64)m->rows + 1);
    kept.column = ARENA_ARRAY(arena, u32, nnz + 1);
    kept.value = ARENA_ARRAY(arena, double, nnz + 1);
    memcpy(kept.start, m->start, ((size_t)m->rows + 1) * sizeof *m->start);
    memcpy(kept.column, m->column, nnz * sizeof *m->column);
    memcpy(kept.value, m->value, nnz * sizeof *m->value);
    matrix_fini(m);
    return kept;
}

static bool open_matrix(struct matrix *out, const char *name, struct arena *arena, struct err *err)
{
    struct matrix m;
    if (!matrix_open(&m, name, NULL, err))
        return false;
    *out = keep(&m, arena);
    return matrix_nnz(out) < NO_CHUNK ||
           err_at(err, (struct src_pos){name, 0, 0},
                  "the matrix has %llu elements, expected fewer than 2^32 - 1",
                  (unsigned long long)matrix_nnz(out));
}

static bool open_matrices(struct spgemm *s, const struct program_config *c, struct arena *arena,
                          struct err *err)
{
    const char *right = *c->right ? c->right : c->matrix;
    struct matrix transpose;
    if (!open_matrix(&s->a, c->matrix, arena, err) || !open_matrix(&s->b, right, arena, err))
        return false;
    if (s->a.columns != s->b.rows)
        return err_at(err, (struct src_pos){right, 0, 0},
                      "the left matrix has %u columns and the right one %u rows, expected as many",
                      s->a.columns, s->b.rows);
    matrix_transpose(&transpose, &s->a);
    s->a_columns = keep(&transpose, arena);
    return true;
}

/* Chunks lie in the order of columns of A, each from a sector's begin: caches are not coherent, and
 * no two elements write one sector. */
static bool place_chunks(struct spgemm *s, struct arena *arena, const char *name, struct err *err)
{
    u64 chunks = matrix_nnz(&s->a), product = 0, place = 0;
    s->first_product = ARENA_ARRAY(arena, u64, chunks + 1);
    s->chunk_place = ARENA_ARRAY(arena, u32, chunks + 1);
    for (u32 i = 0; i < s->a.columns; i++) {
        u64 length = matrix_row_length(&s->b, i);
        for (u64 k = s->a_columns.start[i]; k < s->a_columns.start[i + 1]; k++) {
            s->first_product[k] = product;
            s->chunk_place[k] = (u32)place;
            product += length;
            place += (CHUNK_HEAD_BYTES + length * ELEMENT_BYTES + SECTOR_BYTES - 1) / SECTOR_BYTES;
        }
    }
    s->first_product[chunks] = product;
    if (place > UINT32_MAX)
        return err_at(err, (struct src_pos){name, 0, 0},
                      "the product has %llu partial products, expected at most about 10^10",
                      (unsigned long long)product);
    s->products = arena_alloc_sparse(arena, (product + 1) * sizeof *s->products);
    return true;
}

static void make_lists(struct spgemm *s, struct arena *arena)
{
    u64 chunks = matrix_nnz(&s->a), products = s->first_product[chunks];
    s->next_chunk = ARENA_ARRAY(arena, u32, chunks + 1);
    s->chunk_inner = ARENA_ARRAY(arena, u32, chunks + 1);
    s->cursors = ARENA_ARRAY(arena, struct cursor, chunks + 1);
    s->head_chunk = ARENA_ARRAY(arena, u32, s->a.rows);
    s->row_chunks = ARENA_ARRAY(arena, u32, s->a.rows);
    s->c_length = ARENA_ARRAY(arena, u64, s->a.rows);
    s->c_start = ARENA_ARRAY(arena, u64, s->a.rows + 1);
    memset(s->head_chunk, 0xff, s->a.rows * sizeof *s->head_chunk);
    for (u32 r = 0; r < s->a.rows; r++) {
        u64 sum = 0;
        for (u64 i = s->a.start[r]; i < s->a.start[r + 1]; i++)
            sum += matrix_row_length(&s->b, s->a.column[i]);
        s->c_start[r + 1] = s->c_start[r] + sum;
    }
    s->c_columns = arena_alloc_sparse(arena, (products + 1) * sizeof *s->c_columns);
    s->c_values = arena_alloc_sparse(arena, (products + 1) * sizeof *s->c_values);
}

static void *spgemm_open(const struct fabric_config *c, struct arena *arena, struct err *err)
{
    struct spgemm *s = ARENA_NEW(arena, struct spgemm);
    if (!open_matrices(s, &c->program, arena, err) ||
        !place_chunks(s, arena, c->program.matrix, err))
        return NULL;
    s->tiles = c->tile.count;
    s->elements = c->tile.elements;
    s->line_bytes = c->line_bytes;
    s->multipliers = ARENA_ARRAY(arena, struct multiplier, s->tiles * s->elements);
    make_lists(s, arena);
    spgemm_init_merge(s, c, arena);
    s->counts = (struct spgemm_counts){
        .rows = s->a.rows, .elements_a = matrix_nnz(&s->a), .elements_b = matrix_nnz(&s->b)};
    return s;
}

static u32 spgemm_phases(const void *self)
{
    (void)self;
    return PHASES;
}

static void spgemm_phase(const void *self, u32 phase, struct fabric_phase *out)
{
    const struct spgemm *s = self;
    *out = phase == PHASE_MULTIPLY
               ? (struct fabric_phase){.name = "multiply",
                                       .mode = FABRIC_SHARED,
                                       .team = 1,
                                       .items = s->a.columns}
               : (struct fabric_phase){
                     .name = "merge", .mode = FABRIC_PRIVATE, .team = 2, .items = s->a.rows};
}

/* A column without elements, or with an empty row, has no part: the tile's manager sees that from
 * the two pointers, which it reads ahead. */
static u32 spgemm_parts(void *self, u32 phase, u64 item)
{
    const struct spgemm *s = self;
    if (phase == PHASE_MERGE)
        return 1;
    return matrix_row_length(&s->b, (u32)item) ? (u32)matrix_row_length(&s->a_columns, (u32)item)
                                               : 0;
}

static void spgemm_begin(void *self, const struct fabric_turn *turn, u64 item, u32 part)
{
    if (turn->phase == PHASE_MULTIPLY)
        spgemm_begin_multiply(self, turn, item, part);
    else
        spgemm_begin_merge(self, turn, item);
}

static void spgemm_fill(void *self, struct fabric_turn *turn)
{
    if (turn->phase == PHASE_MULTIPLY)
        spgemm_multiply(self, turn);
    else
        spgemm_merge(self, turn);
}

/* The product as a matrix of its own. */
static void take_product(const struct spgemm *s, struct matrix *c)
{
    u64 at = 0;
    matrix_init(c, s->a.rows, s->b.columns, s->counts.elements_c);
    for (u32 r = 0; r < s->a.rows; r++) {
        memcpy(c->column + at, s->c_columns + s->c_start[r], s->c_length[r] * sizeof(u32));
        memcpy(c->value + at, s->c_values + s->c_start[r], s->c_length[r] * sizeof(double));
        at += s->c_length[r];
        c->start[r + 1] = at;
    }
}

static bool spgemm_verify(void *self, struct err *err)
{
    const struct spgemm *s = self;
    struct matrix c, expected;
    u32 row, column;
    take_product(s, &c);
    matrix_multiply(&expected, &s->a, &s->b);
    bool ok =
        matrix_equals(&c, &expected, 1e-9, &row, &column) ||
        err_kind(err, ERR_VERIFY, "the product differs from the row-wise one at row %u, column %u",
                 row + 1, column + 1);
    matrix_fini(&c);
    matrix_fini(&expected);
    return ok;
}

static const void *spgemm_counts(const void *self)
{
    return &((const struct spgemm *)self)->counts;
}

static void spgemm_summary(const void *self, struct text *out)
{
    const struct spgemm_counts *c = spgemm_counts(self);
    text_printf(out,
                "  product     %llu partial products, %llu elements in %llu rows; %llu rows took "
                "several passes\n",
                (unsigned long long)c->partial_products, (unsigned long long)c->elements_c,
                (unsigned long long)c->rows, (unsigned long long)c->multi_pass_rows);
}

const struct fabric_program_ops fabric_program_spgemm = {
    .name = "spgemm",
    .about = "sparse matrix product by outer products: multiply, then merge",
    .stats = stats,
    .open = spgemm_open,
    .phases = spgemm_phases,
    .phase = spgemm_phase,
    .parts = spgemm_parts,
    .begin = spgemm_begin,
    .fill = spgemm_fill,
    .verify = spgemm_verify,
    .counts = spgemm_counts,
    .summary = spgemm_summary,
};
