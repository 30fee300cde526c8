/*
 * Stands for calculix (454.calculix): a direct solver of structural mechanics.
 *
 * The factorisation of a front: dense Cholesky by columns of a matrix that fits into a private
 * cache, one front after the other, each assembled from elements. To meet: compute. Arguments: side
 * of a front.
 */
#include "common.h"

#include <math.h>

#define MOST 256u

static double front[MOST][MOST], column[MOST];

int main(int argc, char **argv)
{
    u32 n = argument(argc, argv, 1, 120, MOST);
    for (u32 number = 1;; number++) {
        for (u32 i = 0; i < n; i++) {
            for (u32 j = 0; j <= i; j++)
                front[i][j] = i == j ? n + number % 7 : 1.0 / (1 + i - j);
        }
        for (u32 k = 0; k < n; k++) {
            double pivot = sqrt(front[k][k]);
            front[k][k] = pivot;
            for (u32 i = k + 1; i < n; i++)
                column[i] = front[i][k] /= pivot;
            for (u32 i = k + 1; i < n; i++) {
                double factor = column[i];
                for (u32 j = k + 1; j <= i; j++)
                    front[i][j] -= factor * column[j];
            }
        }
        KEEP(front);
    }
}
