/*
 * Stands for soplex (450.soplex): pricing in a simplex method for sparse linear programs.
 *
 * For each column the product of its non-zeros with the dual values, which are gathered by row; the
 * best column enters and changes some dual values. To meet: cache-friendly, L2 MPKI 55.8.
 * Arguments: columns, non-zeros in a column, rows, refinements of each product.
 */
#include "common.h"

#define MOST (1u << 22)

static u32 rows_of[MOST];
static double values[MOST], dual[1u << 20];

int main(int argc, char **argv)
{
    u32 columns = argument(argc, argv, 1, 20000, 1u << 20);
    u32 each = argument(argc, argv, 2, 8, MOST / columns);
    u32 rows = argument(argc, argv, 3, 300000, 1u << 20);
    u32 work = argument(argc, argv, 4, 1, 1000);
    for (u32 i = 0; i < columns * each; i++) {
        rows_of[i] = random_below(rows);
        values[i] = random_unit() - 0.5;
    }
    for (u32 i = 0; i < rows; i++)
        dual[i] = random_unit();
    for (;;) {
        double best = 0;
        u32 entering = 0;
        for (u32 c = 0; c < columns; c++) {
            double price = 0;
            for (u32 k = c * each; k < (c + 1) * each; k++) {
                double term = values[k] * dual[rows_of[k]];
                for (u32 w = 0; w < work; w++)
                    term = term * 0.999 + 1e-9;
                price += term;
            }
            if (price < best) {
                best = price;
                entering = c;
            }
        }
        for (u32 k = entering * each; k < (entering + 1) * each; k++)
            dual[rows_of[k]] -= 0.1 * values[k];
    }
}
