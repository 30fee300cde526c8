#include "matrix/generate.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/rng.h"

#include <stdlib.h>

#define RMAT_A 0.57
#define RMAT_B 0.19
#define RMAT_C 0.19

struct list {
    struct matrix_entry *entries;
    u64 count, room;
    struct rng values;
};

static void list_init(struct list *l, u64 room, u64 seed)
{
    *l = (struct list){.entries = xrealloc(NULL, (room + 1) * sizeof *l->entries), .room = room};
    rng_init(&l->values, seed, "matrix.values");
}

/* Values are between 1/2 and 3/2, so that none vanishes in a sum. */
static void add(struct list *l, u32 row, u32 column)
{
    if (l->count == l->room) {
        l->room = 2 * l->room + 16;
        l->entries = xrealloc(l->entries, l->room * sizeof *l->entries);
    }
    l->entries[l->count++] =
        (struct matrix_entry){.row = row, .column = column, .value = 0.5 + rng_unit(&l->values)};
}

static void finish(struct list *l, struct matrix *m, u32 rows)
{
    matrix_from_entries(m, rows, rows, l->entries, l->count);
    free(l->entries);
}

/* A place that nobody has: true, and it is taken. */
static bool take(struct map *taken, u32 row, u32 column)
{
    u64 key = (u64)row << 32 | column, value;
    if (map_get(taken, key, &value))
        return false;
    map_put(taken, key, 1);
    return true;
}

void matrix_uniform(struct matrix *m, u32 n, u64 nnz, u64 seed)
{
    struct list l;
    struct map taken = {0};
    struct rng places;
    list_init(&l, nnz, seed);
    rng_init(&places, seed, "matrix.places");
    map_reserve(&taken, (u32)nnz);
    while (l.count < nnz) {
        u32 row = (u32)rng_below(&places, n), column = (u32)rng_below(&places, n);
        if (take(&taken, row, column))
            add(&l, row, column);
    }
    map_fini(&taken);
    finish(&l, m, n);
}

/* One half of a range; the first is the larger. */
static void halve(u32 *first, u32 *count, bool second)
{
    u32 half = (*count + 1) / 2;
    if (second) {
        *first += half;
        *count -= half;
    } else {
        *count = half;
    }
}

static void rmat_place(struct rng *r, u32 n, u32 *row, u32 *column)
{
    u32 rows = n, columns = n;
    *row = *column = 0;
    while (rows > 1 || columns > 1) {
        double u = rng_unit(r);
        bool down = u >= RMAT_A + RMAT_B;
        bool right = (u >= RMAT_A && !down) || u >= RMAT_A + RMAT_B + RMAT_C;
        halve(row, &rows, down && rows > 1);
        halve(column, &columns, right && columns > 1);
    }
}

void matrix_rmat(struct matrix *m, u32 n, u64 nnz, u64 seed)
{
    struct list l;
    struct map taken = {0};
    struct rng places;
    list_init(&l, nnz, seed);
    rng_init(&places, seed, "matrix.places");
    map_reserve(&taken, (u32)nnz);
    while (l.count < nnz) {
        u32 row, column;
        rmat_place(&places, n, &row, &column);
        if (row != column && take(&taken, row, column))
            add(&l, row, column);
    }
    map_fini(&taken);
    finish(&l, m, n);
}

void matrix_mesh(struct matrix *m, u32 x, u32 y, u32 z, u64 seed)
{
    struct list l;
    u32 nodes = x * y * z;
    list_init(&l, (u64)nodes * 27, seed);
    for (u32 node = 0; node < nodes; node++) {
        u32 i = node % x, j = node / x % y, k = node / x / y;
        for (u32 near = 0; near < 27;
             near++) { /* one more than the step, so that none is negative */
            u32 a = i + near % 3, b = j + near / 3 % 3, c = k + near / 9;
            if (a && a <= x && b && b <= y && c && c <= z)
                add(&l, node, a - 1 + x * (b - 1 + y * (c - 1)));
        }
    }
    finish(&l, m, nodes);
}

void matrix_grid(struct matrix *m, u32 width, u32 height, double keep, u64 seed)
{
    struct list l;
    struct rng edges;
    u32 nodes = width * height;
    list_init(&l, (u64)nodes * 4, seed);
    rng_init(&edges, seed, "matrix.edges");
    for (u32 node = 0; node < nodes; node++) {
        const u32 to[] = {node % width + 1 < width ? node + 1 : node,
                          node + width < nodes ? node + width : node};
        for (u32 i = 0; i < ARRAY_LEN(to); i++) {
            if (to[i] == node || rng_unit(&edges) >= keep)
                continue;
            add(&l, node, to[i]);
            add(&l, to[i], node);
        }
    }
    finish(&l, m, nodes);
}
