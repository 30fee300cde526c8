/* Routines of LAPACK and BLAS that the proxy applications call, as Fortran has them. */
#ifndef CPU_LAPACK_H
#define CPU_LAPACK_H

#include <pthread.h>

/* libgfortran refers to these weakly, so a static program would not have them. */
__attribute__((used)) static const void *const fortran_needs[] = {
    (const void *)pthread_mutex_destroy,  (const void *)pthread_mutex_init,
    (const void *)pthread_mutex_lock,     (const void *)pthread_mutex_unlock,
    (const void *)pthread_mutex_trylock,  (const void *)pthread_once,
    (const void *)pthread_create,         (const void *)pthread_key_create,
    (const void *)pthread_getspecific,    (const void *)pthread_setspecific,
    (const void *)pthread_cond_broadcast, (const void *)pthread_cond_wait,
};

void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *,
            const double *, const int *, const double *, const int *, const double *, double *,
            const int *);
void dgesv_(const int *, const int *, double *, const int *, int *, double *, const int *, int *);
void dpotrf_(const char *, const int *, double *, const int *, int *);
void dpotrs_(const char *, const int *, const int *, const double *, const int *, double *,
             const int *, int *);
void dsyev_(const char *, const char *, const int *, double *, const int *, double *, double *,
            const int *, int *);
void dgesvd_(const char *, const char *, const int *, const int *, double *, const int *, double *,
             double *, const int *, double *, const int *, double *, const int *, int *);
void dgeev_(const char *, const char *, const int *, double *, const int *, double *, double *,
            double *, const int *, double *, const int *, double *, const int *, int *);
void dgels_(const char *, const int *, const int *, const int *, double *, const int *, double *,
            const int *, double *, const int *, int *);
void dsygv_(const int *, const char *, const char *, const int *, double *, const int *, double *,
            const int *, double *, double *, const int *, int *);

#define WORK 4096

/* x = a^-1 x, of n equations; a goes. */
static inline int solve(double *a, double *x, int n)
{
    int pivots[64], one = 1, info;
    dgesv_(&n, &one, a, &n, pivots, x, &n, &info);
    return info;
}

/* Singular values of an n x n matrix, which goes. */
static inline int singular_values(double *a, double *s, double *u, double *vt, int n)
{
    double work[WORK];
    int room = WORK, info;
    dgesvd_("A", "A", &n, &n, a, &n, s, u, &n, vt, &n, work, &room, &info);
    return info;
}

/* Eigenvalues of a symmetric matrix, whose eigenvectors take its place. */
static inline int eigen_symmetric(double *a, double *w, int n)
{
    double work[WORK];
    int room = WORK, info;
    dsyev_("V", "U", &n, a, &n, w, work, &room, &info);
    return info;
}

/* ... of any matrix, which goes. */
static inline int eigen_any(double *a, double *real, double *imaginary, double *right, int n)
{
    double work[WORK], left[1];
    int room = WORK, one = 1, info;
    dgeev_("N", "V", &n, a, &n, real, imaginary, left, &one, right, &n, work, &room, &info);
    return info;
}

/* The x for which |a x - b| is least, of m equations in n unknowns; takes the place of b. */
static inline int least_squares(double *a, double *b, int m, int n)
{
    double work[WORK];
    int room = WORK, one = 1, info;
    dgels_("N", &m, &n, &one, a, &m, b, &m, work, &room, &info);
    return info;
}

/* Cholesky's factor in place of a, and x = a^-1 x. */
static inline int solve_positive(double *a, double *x, int n)
{
    int one = 1, info, more;
    dpotrf_("L", &n, a, &n, &info);
    dpotrs_("L", &n, &one, a, &n, x, &n, &more);
    return info | more;
}

#endif
