#include "ptx/tensor/matrix.h"
#include "testing.h"

static u8 rows[32][MATRIX_ROW_BYTES];
static u32 lanes[4][32], *to[4] = {lanes[0], lanes[1], lanes[2], lanes[3]};

/* Element c of row r of matrix i is 64 i + 8 r + c. */
static void rows_count(void)
{
    for (u32 row = 0; row < 32; row++) {
        for (u32 c = 0; c < 8; c++) {
            rows[row][2 * c] = (u8)(row * 8 + c);
            rows[row][2 * c + 1] = (u8)((row * 8 + c) >> 8);
        }
    }
}

TEST(ldmatrix_gives_four_lanes_to_a_row)
{
    UNUSED_STATE;
    rows_count();
    ldmatrix(4, false, (const u8(*)[MATRIX_ROW_BYTES])rows, to);
    assert_int_equal(lanes[0][0], 0x00010000);
    assert_int_equal(lanes[0][13], 0x001b001a); /* row 3, elements 2 and 3: 26, 27 */
    assert_int_equal(lanes[2][31], 0x00bf00be);
}

TEST(ldmatrix_transposed_gives_four_lanes_to_a_column)
{
    UNUSED_STATE;
    rows_count();
    ldmatrix(2, true, (const u8(*)[MATRIX_ROW_BYTES])rows, to);
    assert_int_equal(lanes[0][13], 0x001b0013); /* column 3, rows 2 and 3: 19, 27 */
    assert_int_equal(lanes[1][1], 0x00580050);
}

TEST(stmatrix_undoes_ldmatrix)
{
    UNUSED_STATE;
    for (u32 transposed = 0; transposed < 2; transposed++) {
        u8 back[32][MATRIX_ROW_BYTES] = {0};
        rows_count();
        ldmatrix(4, transposed, (const u8(*)[MATRIX_ROW_BYTES])rows, to);
        stmatrix(4, transposed, (const u32 *const *)to, back);
        assert_memory_equal(back, rows, sizeof rows);
    }
}

TEST(stmatrix_of_one_matrix_leaves_the_other_rows_alone)
{
    UNUSED_STATE;
    memset(rows, 0x55, sizeof rows);
    memset(lanes, 0, sizeof lanes);
    stmatrix(1, false, (const u32 *const *)to, rows);
    assert_int_equal(rows[7][15], 0);
    assert_int_equal(rows[8][0], 0x55);
}

TEST(movmatrix_transposes_in_place)
{
    UNUSED_STATE;
    u32 plain[32], *one = plain;
    rows_count();
    ldmatrix(1, false, (const u8(*)[MATRIX_ROW_BYTES])rows, &one);
    ldmatrix(1, true, (const u8(*)[MATRIX_ROW_BYTES])rows, to);
    movmatrix(plain, plain);
    assert_memory_equal(plain, lanes[0], sizeof plain);
}

RUN_TESTS(T(ldmatrix_gives_four_lanes_to_a_row),
          T(ldmatrix_transposed_gives_four_lanes_to_a_column), T(stmatrix_undoes_ldmatrix),
          T(stmatrix_of_one_matrix_leaves_the_other_rows_alone), T(movmatrix_transposes_in_place))
