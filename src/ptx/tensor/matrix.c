#include "ptx/tensor/matrix.h"

#include <string.h>

/* Where lane's half `h` of one matrix lies: row and byte in the row. */
static u32 row_of(u32 lane, u32 h, bool transposed)
{
    return transposed ? lane % 4 * 2 + h : lane / 4;
}

static u32 byte_of(u32 lane, u32 h, bool transposed)
{
    return transposed ? lane / 4 * 2 : lane % 4 * 4 + h * 2;
}

void ldmatrix(u32 count, bool transposed, const u8 (*rows)[MATRIX_ROW_BYTES], u32 *const *to)
{
    for (u32 i = 0; i < count; i++) {
        for (u32 lane = 0; lane < 32; lane++) {
            u32 value = 0;
            for (u32 h = 0; h < 2; h++) {
                const u8 *at =
                    &rows[8 * i + row_of(lane, h, transposed)][byte_of(lane, h, transposed)];
                value |= (u32)(at[0] | at[1] << 8) << 16 * h;
            }
            to[i][lane] = value;
        }
    }
}

void stmatrix(u32 count, bool transposed, const u32 *const *from, u8 (*rows)[MATRIX_ROW_BYTES])
{
    for (u32 i = 0; i < count; i++) {
        for (u32 lane = 0; lane < 32; lane++) {
            for (u32 h = 0; h < 2; h++) {
                u8 *at = &rows[8 * i + row_of(lane, h, transposed)][byte_of(lane, h, transposed)];
                at[0] = (u8)(from[i][lane] >> 16 * h);
                at[1] = (u8)(from[i][lane] >> (16 * h + 8));
            }
        }
    }
}

void movmatrix(const u32 *from, u32 *to)
{
    u8 rows[8][MATRIX_ROW_BYTES];
    stmatrix(1, false, &from, rows);
    ldmatrix(1, true, (const u8(*)[MATRIX_ROW_BYTES])rows, &to);
}
