/*
 * Stands for namd (444.namd): forces between atoms in patches.
 *
 * Pairs of atoms of neighbouring patches within a cut-off, Lennard-Jones and Coulomb forces by a
 * table of the distance; patches of a large system one after the other, with pairs enough to make
 * loads rare. To meet: compute. Arguments: atoms of a patch, patches.
 */
#include "common.h"

#define MOST_ATOMS 256u
#define MOST_PATCHES 4096u
#define TABLE 1024u

static struct atom {
    double x, y, z, charge, fx, fy, fz, unused;
} patch[MOST_PATCHES][MOST_ATOMS];
static double table[TABLE][2];

int main(int argc, char **argv)
{
    u32 n = argument(argc, argv, 1, 120, MOST_ATOMS);
    u32 patches = argument(argc, argv, 2, 2000, MOST_PATCHES);
    for (u32 p = 0; p < patches; p++) {
        for (u32 i = 0; i < n; i++)
            patch[p][i] = (struct atom){.x = random_unit() + p % 16,
                                        .y = random_unit(),
                                        .z = random_unit(),
                                        .charge = random_unit() - 0.5};
    }
    for (u32 i = 0; i < TABLE; i++) {
        double r = (i + 8.0) / TABLE;
        table[i][0] = 1e-6 / (r * r * r) - 1e-4 / r;
        table[i][1] = 1e-3 / (r * r);
    }
    for (u32 p = 0;; p = (p + 1) % (patches - 1)) {
        for (u32 i = 0; i < n; i++) {
            struct atom *a = &patch[p][i];
            double fx = 0, fy = 0, fz = 0;
            for (u32 j = 0; j < n; j++) {
                struct atom *b = &patch[p + 1][j];
                double x = a->x - b->x, y = a->y - b->y, z = a->z - b->z;
                double d = x * x + y * y + z * z;
                if (d >= 1)
                    continue;
                const double *t = table[(u32)(d * TABLE)];
                double f = t[0] + a->charge * b->charge * t[1];
                fx += f * x;
                fy += f * y;
                fz += f * z;
                b->fx -= f * x;
                b->fy -= f * y;
                b->fz -= f * z;
            }
            a->fx += fx;
            a->fy += fy;
            a->fz += fz;
        }
    }
}
