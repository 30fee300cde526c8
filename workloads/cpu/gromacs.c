/*
 * Stands for gromacs (435.gromacs): forces between molecules of water by neighbour lists.
 *
 * Three sites of a molecule against three of each neighbour: Coulomb by reciprocal square roots,
 * Lennard- Jones between the first sites. The system is small. To meet: compute. Arguments:
 * molecules, neighbours of each.
 */
#include "common.h"

#include <math.h>

#define MOST 8192u
#define MOST_NEIGHBOURS 256u

static float place[MOST][3][3], force[MOST][3][3];
static u32 neighbour[MOST][MOST_NEIGHBOURS];

int main(int argc, char **argv)
{
    u32 n = argument(argc, argv, 1, 300, MOST), each = argument(argc, argv, 2, 60, MOST_NEIGHBOURS);
    for (u32 i = 0; i < n; i++) {
        for (u32 k = 0; k < 9; k++)
            place[i][k / 3][k % 3] = (float)(3 * random_unit());
        for (u32 k = 0; k < each; k++)
            neighbour[i][k] = random_below(n);
    }
    for (;;) {
        for (u32 i = 0; i < n; i++) {
            for (u32 k = 0; k < each; k++) {
                u32 j = neighbour[i][k];
                for (u32 a = 0; a < 3; a++) {
                    for (u32 b = 0; b < 3; b++) {
                        float x = place[i][a][0] - place[j][b][0];
                        float y = place[i][a][1] - place[j][b][1];
                        float z = place[i][a][2] - place[j][b][2];
                        float r = 1.0f / sqrtf(x * x + y * y + z * z + 0.01f), r2 = r * r;
                        float f = (a == b ? 0.4f : -0.2f) * r * r2;
                        if (a == 0 && b == 0) {
                            float r6 = r2 * r2 * r2;
                            f += (12 * r6 - 6) * r6 * r2 * 1e-3f;
                        }
                        force[i][a][0] += f * x;
                        force[i][a][1] += f * y;
                        force[i][a][2] += f * z;
                        force[j][b][0] -= f * x;
                        force[j][b][1] -= f * y;
                        force[j][b][2] -= f * z;
                    }
                }
            }
        }
        for (u32 i = 0; i < n; i++) {
            for (u32 k = 0; k < 9; k++) {
                place[i][k / 3][k % 3] += 1e-6f * force[i][k / 3][k % 3];
                force[i][k / 3][k % 3] = 0;
            }
        }
    }
}
