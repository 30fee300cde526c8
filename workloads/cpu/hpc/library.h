/*
 * What a proxy application does with its libraries before it begins: it reads its settings, and
 * looks at the matrices of its material in every way that linear algebra has. One thread.
 */
#ifndef CPU_LIBRARY_H
#define CPU_LIBRARY_H

#include "hpc.h"
#include "lapack.h"

#define SMALL 5

void dgees_(const char *, const char *, const void *, const int *, double *, const int *, int *,
            double *, double *, double *, const int *, double *, const int *, int *, int *);
void dggev_(const char *, const char *, const int *, double *, const int *, double *, const int *,
            double *, double *, double *, double *, const int *, double *, const int *, double *,
            const int *, int *);
void dgesdd_(const char *, const int *, const int *, double *, const int *, double *, double *,
             const int *, double *, const int *, double *, const int *, int *, int *);
void dsyevr_(const char *, const char *, const char *, const int *, double *, const int *,
             const double *, const double *, const int *, const int *, const double *, int *,
             double *, double *, const int *, int *, double *, const int *, int *, const int *,
             int *);
void dgelsd_(const int *, const int *, const int *, double *, const int *, double *, const int *,
             double *, const double *, int *, double *, const int *, int *, int *);
void dgesvx_(const char *, const char *, const int *, const int *, double *, const int *, double *,
             const int *, int *, char *, double *, double *, double *, const int *, double *,
             const int *, double *, double *, double *, double *, int *, int *);

struct survey {
    double a[SMALL * SMALL], kept[SMALL * SMALL], w[4 * SMALL], u[SMALL * SMALL], v[SMALL * SMALL];
    double work[WORK];
    int whole[256];
};

static inline double *again(struct survey *s)
{
    memcpy(s->a, s->kept, sizeof s->a);
    return s->a;
}

static inline int survey_eigenvalues(struct survey *s)
{
    int n = SMALL, room = WORK, many = 256, found, info, bad = 0, one = 1;
    double none = 0;
    bad |= eigen_symmetric(again(s), s->w, n);
    bad |= eigen_any(again(s), s->w, s->w + n, s->v, n);
    dgees_("V", "N", NULL, &n, again(s), &n, &found, s->w, s->w + n, s->v, &n, s->work, &room,
           s->whole, &info);
    bad |= info;
    memcpy(s->u, s->kept, sizeof s->u);
    for (int i = 0; i < n; i++)
        s->u[i * n + i] += 3;
    dggev_("N", "V", &n, again(s), &n, s->u, &n, s->w, s->w + n, s->w + 2 * n, s->v, &n, s->v, &n,
           s->work, &room, &info);
    bad |= info;
    dsyevr_("V", "A", "U", &n, again(s), &n, &none, &none, &one, &one, &none, &found, s->w, s->v,
            &n, s->whole + 128, s->work, &room, s->whole, &many, &info);
    bad |= info;
    memcpy(s->u, s->kept, sizeof s->u);
    for (int i = 0; i < n; i++)
        s->u[i * n + i] += 9;
    dsygv_(&one, "V", "U", &n, again(s), &n, s->u, &n, s->w, s->work, &room, &info);
    return bad | info;
}

static inline int survey_systems(struct survey *s)
{
    int n = SMALL, room = WORK, one = 1, rank, info, bad = 0;
    double limit = 1e-12, b[SMALL] = {1, 2, 3, 4, 5}, x[SMALL], growth;
    char scaled = 'N';
    bad |= singular_values(again(s), s->w, s->u, s->v, n);
    dgesdd_("A", &n, &n, again(s), &n, s->w, s->u, &n, s->v, &n, s->work, &room, s->whole, &info);
    bad |= info;
    bad |= solve(again(s), b, n);
    bad |= least_squares(again(s), b, n, n);
    dgelsd_(&n, &n, &one, again(s), &n, b, &n, s->w, &limit, &rank, s->work, &room, s->whole,
            &info);
    bad |= info;
    double condition, forward, backward;
    dgesvx_("E", "N", &n, &one, again(s), &n, s->u, &n, s->whole, &scaled, s->w, s->w + n, b, &n, x,
            &n, &condition, &forward, &backward, s->work, s->whole + 64, &info);
    growth = condition * forward;
    KEEP(growth);
    return bad | info;
}

/* Settings as text, there and back. */
static inline int survey_settings(void)
{
    char text[256];
    double a, b;
    int n, wrong = 0;
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text, "density %.6g modulus %12.5e cells %d name %s", 2.7 + i, 7e10,
                 i, "aluminium");
        wrong += sscanf(text, "density %lg modulus %lg cells %d", &a, &b, &n) != 3 || n != i;
    }
    return wrong;
}

/* 0: all went well. */
static inline int library_survey(void)
{
    static struct survey s;
    for (int i = 0; i < SMALL; i++) {
        for (int k = 0; k < SMALL; k++)
            s.kept[i * SMALL + k] = i == k ? 4 + i : 1. / (1 + abs(i - k));
    }
    return survey_eigenvalues(&s) | survey_systems(&s) | survey_settings();
}

#endif
