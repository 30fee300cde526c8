/*
 * Stands for dealII (447.dealII): finite elements, local matrices and a solver.
 *
 * For each cell of a mesh the local matrix of the Laplace operator by quadrature, distributed into
 * a small system, which some steps of conjugate gradients reduce. To meet: compute. Arguments:
 * cells along an edge, quadrature points along an edge.
 */
#include "common.h"

#define MOST_EDGE 128u
#define NODES ((MOST_EDGE + 1) * (MOST_EDGE + 1))

static double diagonal[NODES], side[NODES], below[NODES], x[NODES], r[NODES], p[NODES], q[NODES];

int main(int argc, char **argv)
{
    u32 edge = argument(argc, argv, 1, 40, MOST_EDGE), points = argument(argc, argv, 2, 4, 16);
    u32 row = edge + 1, n = row * row;
    for (u32 step = 0;; step++) {
        memset(diagonal, 0, sizeof *diagonal * n);
        for (u32 c = 0; c < edge * edge; c++) {
            u32 at = c / edge * row + c % edge;
            const u32 corner[4] = {at, at + 1, at + row, at + row + 1};
            double local[4][4] = {{0}};
            for (u32 k = 0; k < points * points; k++) {
                u32 right = k % points, up = k / points;
                double u = (right + 0.5) / points, v = (up + 0.5) / points;
                const double gx[4] = {v - 1, 1 - v, -v, v}, gy[4] = {u - 1, -u, 1 - u, u};
                double weight = (1 + 0.1 * u * (step & 7)) / (points * points);
                for (u32 a = 0; a < 4; a++) {
                    for (u32 b = 0; b < 4; b++)
                        local[a][b] += weight * (gx[a] * gx[b] + gy[a] * gy[b]);
                }
            }
            for (u32 a = 0; a < 4; a++)
                diagonal[corner[a]] += local[a][a] + 0.1;
            side[at] = local[0][1];
            below[at] = local[0][2];
        }
        for (u32 i = 0; i < n; i++) {
            x[i] = 0;
            p[i] = r[i] = 1;
        }
        double rho = n;
        for (u32 iteration = 0; iteration < 6; iteration++) {
            double alpha = 0, next = 0;
            for (u32 i = row; i < n - row; i++) {
                q[i] = diagonal[i] * p[i] + side[i] * p[i + 1] + side[i - 1] * p[i - 1] +
                       below[i] * p[i + row] + below[i - row] * p[i - row];
                alpha += p[i] * q[i];
            }
            alpha = rho / alpha;
            for (u32 i = 0; i < n; i++) {
                x[i] += alpha * p[i];
                r[i] -= alpha * q[i];
                next += r[i] * r[i];
            }
            for (u32 i = 0; i < n; i++)
                p[i] = r[i] + next / rho * p[i];
            rho = next;
        }
        KEEP(x);
    }
}
