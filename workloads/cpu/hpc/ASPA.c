/*
 * Stands for ASPA (ExMatEx): adaptive sampling. Queries look for a model of earlier answers that is
 * near enough; where there is none the fine scale is computed, and one thread fits new models to
 * the answers (kriging with LAPACK) and puts them into a tree.
 * Arguments: queries in a step, steps, new models in a step.
 */
#include "library.h"

#define MOST 512u
#define D 6
#define P 16 /* points of a model */

static struct model {
    double centre[D], weight[P], point[P][D], spread;
} models[MOST];
static u32 count;

/* The fine scale: strain energy of a small crystal, by its eigenvalues. */
static double fine(const double *q)
{
    double a[16], w[4];
    for (u32 i = 0; i < 4; i++) {
        for (u32 k = 0; k < 4; k++)
            a[4 * i + k] = i == k ? 3 + q[i] : 0.1 * q[4 + (i + k) % 2] * (i < k ? 1 : 1);
    }
    if (eigen_symmetric(a, w, 4))
        return NAN;
    return w[0] * w[1] + w[2] * w[3];
}

static double distance(const double *a, const double *b)
{
    double sum = 0;
    for (u32 k = 0; k < D; k++)
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sum;
}

static double covariance(const double *a, const double *b)
{
    return exp(-distance(a, b));
}

static int fit(struct model *m, u64 seed)
{
    double a[P * P], s[P], u[P * P], vt[P * P], value[P], real[P], imaginary[P], right[P * P];
    for (u32 k = 0; k < D; k++)
        m->centre[k] = unit_at(seed * D + k);
    for (u32 i = 0; i < P; i++) {
        for (u32 k = 0; k < D; k++)
            m->point[i][k] = m->centre[k] + 0.4 * (unit_at(seed * 1000 + i * D + k) - 0.5);
        value[i] = fine(m->point[i]);
    }
    for (u32 round = 0; round < 3; round++) {
        for (u32 i = 0; i < P * P; i++)
            a[i] = covariance(m->point[i / P], m->point[i % P]) + (i / P == i % P ? 1e-6 : 0);
        if (round == 0 && singular_values(a, s, u, vt, P))
            return 1;
        if (round == 1 && eigen_any(a, real, imaginary, right, P))
            return 1;
    }
    m->spread = s[0];
    memcpy(m->weight, value, sizeof value);
    return solve_positive(a, m->weight, P);
}

static double ask(const struct model *m, const double *q)
{
    double sum = 0;
    for (u32 i = 0; i < P; i++)
        sum += m->weight[i] * covariance(m->point[i], q);
    return sum;
}

int main(int argc, char **argv)
{
    u32 queries = argument(argc, argv, 1, 800, 100000), steps = argument(argc, argv, 2, 5, 100);
    u32 more = argument(argc, argv, 3, 3, 100);
    double error = 0;
    u32 bad = (u32)library_survey(), answered = 0;
    for (u32 s = 0; s < steps; s++) {
        for (u32 k = 0; k < more && count < MOST; k++)
            bad += fit(&models[count++], s * more + k) != 0;
#pragma omp parallel for reduction(+ : answered, error)
        for (u32 i = 0; i < queries; i++) {
            const struct model *near = &models[0];
            double q[D], best = 1e9;
            const struct model *home = &models[i % count];
            for (u32 k = 0; k < D; k++)
                q[k] = home->centre[k] + 0.3 * (unit_at(((u64)s * queries + i) * D + k) - 0.5);
            for (u32 m = 0; m < count; m++) {
                double d = distance(models[m].centre, q);
                if (d < best) {
                    best = d;
                    near = &models[m];
                }
            }
            if (best < 0.08) {
                answered++;
                error += fabs(ask(near, q) - fine(q)) / fine(q);
            } else {
                KEEP(fine(q));
            }
        }
    }
    return answer(bad + error / answered, 0, 0.05);
}
