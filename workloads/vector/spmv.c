// sparse matrix times vector with gathers and sums in order: rows=N per_row=N rounds=N check=0|1
#include "runtime.h"

#define MOST_ROWS 16384
#define MOST_ENTRIES 262144

static uint32_t starts[MOST_ROWS + 1], columns[MOST_ENTRIES];
static float values[MOST_ENTRIES], x[MOST_ROWS], y[MOST_ROWS];

static float row_scalar(word first, word end)
{
    float sum = 0;
    for (word i = first; i < end; i++)
        sum += values[i] * x[columns[i]];
    return sum;
}

PINNED static float row_vector(word first, word end)
{
    float sum = 0;
    svbool_t p = svwhilelt_b32_u64(first, end);
    for (word i = first; svptest_first(svptrue_b32(), p);) {
        svfloat32_t v = svld1_f32(p, values + i);
        svuint32_t c = svld1_u32(p, columns + i);
        svfloat32_t g = svld1_gather_u32index_f32(p, x, c);
        sum = svadda_f32(p, sum, svmul_f32_z(p, v, g));
        i += svcntw();
        p = svwhilelt_b32_u64(i, end);
    }
    return sum;
}

static void make(word rows, word per_row)
{
    word state = 3, n = 0;
    for (word r = 0; r < rows; r++) {
        starts[r] = (uint32_t)n;
        x[r] = (float)(random_next(&state) % 1000) / 17;
        for (word k = random_next(&state) % (2 * per_row); k && n < MOST_ENTRIES; k--, n++) {
            columns[n] = (uint32_t)(random_next(&state) % rows);
            values[n] = (float)(random_next(&state) % 1000) / 31;
        }
    }
    starts[rows] = (uint32_t)n;
}

int run(void)
{
    word rows = argument_number("rows", 512), per_row = argument_number("per_row", 24);
    int is_scalar = same_text(argument("kernel", "vector"), "scalar");
    check(rows && rows <= MOST_ROWS && per_row, "rows");
    make(rows, per_row);
    for (word round = argument_number("rounds", 1); round; round--) {
        for (word r = 0; r < rows; r++) {
            if (is_scalar) {
                y[r] = row_scalar(starts[r], starts[r + 1]);
                continue;
            }
            PIN();
            y[r] = row_vector(starts[r], starts[r + 1]);
            UNPIN();
        }
    }
    for (word r = 0; r < rows && argument_number("check", 1); r++)
        check(y[r] == row_scalar(starts[r], starts[r + 1]), "spmv");
    return 0;
}
