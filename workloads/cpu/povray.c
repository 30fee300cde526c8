/*
 * Stands for povray (453.povray): rays through a scene of spheres and planes.
 *
 * Each pixel's ray is tested against all spheres, shaded with a shadow ray and a procedural
 * texture, and reflected up to three times; the picture is large and written once. To meet:
 * compute, L2 MPKI 0.47. Arguments: spheres, pixels along an edge, one of how many pixels keeps a
 * record of its rays.
 */
#include "common.h"

#include <math.h>

#define MOST 256u
#define MOST_EDGE 4096u
#define RECORDS (1u << 19)

static struct sphere {
    double x, y, z, r2, shine;
} spheres[MOST];
static struct record {
    double weight[8];
} records[RECORDS];
static u32 count;

static double hit(const double *o, const double *d, u32 *which)
{
    double nearest = 1e9;
    for (u32 i = 0; i < count; i++) {
        const struct sphere *s = &spheres[i];
        double x = s->x - o[0], y = s->y - o[1], z = s->z - o[2];
        double along = x * d[0] + y * d[1] + z * d[2];
        double off = x * x + y * y + z * z - along * along;
        if (along <= 0 || off > s->r2)
            continue;
        double t = along - sqrt(s->r2 - off);
        if (t > 1e-6 && t < nearest) {
            nearest = t;
            *which = i;
        }
    }
    return nearest;
}

static double shade(double *o, double *d)
{
    double light = 0, weight = 1;
    for (u32 bounce = 0; bounce < 3 && weight > 0.05; bounce++) {
        u32 i = 0, shadow = 0;
        double t = hit(o, d, &i), n[3], to_light[3] = {0.57735, 0.57735, -0.57735};
        if (t >= 1e9)
            return light + weight * 0.2 * (1 + d[1]);
        for (u32 k = 0; k < 3; k++)
            o[k] += t * d[k];
        n[0] = o[0] - spheres[i].x;
        n[1] = o[1] - spheres[i].y;
        n[2] = o[2] - spheres[i].z;
        double scale = 1 / sqrt(spheres[i].r2), facing = 0, dot = 0;
        for (u32 k = 0; k < 3; k++) {
            n[k] *= scale;
            facing += n[k] * to_light[k];
            dot += n[k] * d[k];
        }
        if (facing > 0 && hit(o, to_light, &shadow) >= 1e9)
            light += weight * facing * (0.6 + 0.4 * sin(10 * o[0]) * cos(10 * o[2]));
        for (u32 k = 0; k < 3; k++)
            d[k] -= 2 * dot * n[k];
        weight *= spheres[i].shine;
    }
    return light;
}

int main(int argc, char **argv)
{
    count = argument(argc, argv, 1, 40, MOST);
    u32 edge = argument(argc, argv, 2, 1000, MOST_EDGE),
        every = argument(argc, argv, 3, 4, 1000000);
    for (u32 i = 0; i < count; i++)
        spheres[i] =
            (struct sphere){4 * random_unit() - 2, 4 * random_unit() - 2, 3 + 4 * random_unit(),
                            0.05 + 0.2 * random_unit(), random_unit()};
    for (u32 p = 0, kept = 0;; p = (p + 1) % (edge * edge)) {
        u32 right = p % edge, up = p / edge;
        double o[3] = {0, 0, -1}, d[3] = {(right + 0.5) / edge - 0.5, (up + 0.5) / edge - 0.5, 1};
        double length = 1 / sqrt(d[0] * d[0] + d[1] * d[1] + 1);
        for (u32 k = 0; k < 3; k++)
            d[k] *= length;
        double light = shade(o, d);
        if (p % every == 0) {
            records[kept].weight[0] += light;
            kept = (kept + 1) % RECORDS;
        }
    }
}
