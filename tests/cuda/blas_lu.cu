/*
 * cuBLAS: batched LU. The product of the factors is the matrix with its rows exchanged, solutions
 * and inverses give the right sides and the identity; the bound is n times the rounding of the sums.
 * A matrix without an inverse says at which column.
 */
#define TEST "blas_lu"
#include "check.h"

#include <cublas_v2.h>

#include <cmath>

static void must(cublasStatus_t status, const char *what, int line)
{
    if (status != CUBLAS_STATUS_SUCCESS)
        fail("line %d: %s gave %d", line, what, (int)status);
}
#define BLAS(call) must((call), #call, __LINE__)

static cublasHandle_t handle;

template <class T> struct calls;
#define CALLS(T, L)                                                                                \
    template <> struct calls<T> {                                                                  \
        static constexpr auto getrf = cublas##L##getrfBatched;                                     \
        static constexpr auto getrs = cublas##L##getrsBatched;                                     \
        static constexpr auto getri = cublas##L##getriBatched;                                     \
    };
CALLS(float, S)
CALLS(double, D)

template <class T> static T *on_device(const std::vector<T> &v)
{
    T *p;
    CHECK(cudaMalloc(&p, v.size() * sizeof(T)));
    CHECK(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}

template <class T> static std::vector<T> on_host(const T *p, size_t n)
{
    std::vector<T> v(n);
    CHECK(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
}

template <class T> static T **pointers(T *first, size_t step, int batch)
{
    std::vector<T *> list;
    for (int b = 0; b < batch; b++)
        list.push_back(first + b * step);
    return on_device(list);
}

template <class T> static void lu(int n, int ld, int batch, bool pivoting)
{
    const int columns = 3;
    const double bound = 64.0 * n * (sizeof(T) == 4 ? 1.2e-7 : 2.3e-16) * n;
    size_t step = (size_t)ld * n, side_step = (size_t)ld * columns;
    std::vector<T> a(step * batch, 99), b(side_step * batch, 77);
    for (int m = 0; m < batch; m++) {
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < n; i++) /* without pivoting the diagonal must be large */
                a[m * step + j * ld + i] =
                    (T)((int)(mix((uint32_t)(i * 131 + j + 7777 * m)) % 201) - 100) / 100 +
                    (i == j && !pivoting ? (T)n : 0);
        }
        for (int j = 0; j < columns; j++) {
            for (int i = 0; i < n; i++)
                b[m * side_step + j * ld + i] = (T)((int)(mix((uint32_t)(i + 31 * j)) % 9) - 4);
        }
    }
    T *da = on_device(a), *db = on_device(b), *dt = on_device(b), *dc = on_device(a);
    T **la = pointers(da, step, batch), **lb = pointers(db, side_step, batch);
    T **lt = pointers(dt, side_step, batch), **lc = pointers(dc, step, batch);
    int *pivots = pivoting ? on_device(std::vector<int>((size_t)n * batch)) : nullptr;
    int *info = on_device(std::vector<int>(batch, -1)), host_info = 5;
    BLAS(calls<T>::getrf(handle, n, la, ld, pivots, info, batch));
    BLAS(calls<T>::getrs(handle, CUBLAS_OP_N, n, columns, la, ld, pivots, lb, ld, &host_info,
                         batch));
    BLAS(calls<T>::getrs(handle, CUBLAS_OP_T, n, columns, la, ld, pivots, lt, ld, &host_info,
                         batch));
    BLAS(calls<T>::getri(handle, n, la, ld, pivots, lc, ld, info, batch));
    std::vector<T> f = on_host(da, a.size()), x = on_host(db, b.size()), t = on_host(dt, b.size());
    std::vector<T> c = on_host(dc, a.size());
    std::vector<int> p = pivoting ? on_host(pivots, (size_t)n * batch) : std::vector<int>();
    if (host_info)
        fail("info of getrs is %d", host_info);
    for (int m = 0; m < batch; m++) {
        const T *am = &a[m * step], *fm = &f[m * step], *cm = &c[m * step];
        if (on_host(info, batch)[m])
            fail("info of matrix %d is %d", m, on_host(info, batch)[m]);
        std::vector<int> row(n);
        for (int i = 0; i < n; i++)
            row[i] = i;
        for (int i = 0; pivoting && i < n; i++)
            std::swap(row[i], row[p[(size_t)m * n + i] - 1]);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                double sum = 0, product = 0;
                for (int k = 0; k < n; k++) {
                    if (k <= i && k <= j)
                        sum += (k == i ? 1.0 : (double)fm[k * ld + i]) * fm[j * ld + k];
                    product += (double)am[k * ld + i] * cm[j * ld + k];
                }
                if (!(std::fabs(sum - am[j * ld + row[i]]) <= bound))
                    fail("n %d, matrix %d: LU(%d, %d) is %g, expected %g", n, m, i, j, sum,
                         (double)am[j * ld + row[i]]);
                if (pivoting && i > j && std::fabs(fm[j * ld + i]) > 1)
                    fail("n %d, matrix %d: L(%d, %d) is larger than 1", n, m, i, j);
                if (!(std::fabs(product - (i == j)) <= 1000 * bound))
                    fail("n %d, matrix %d: A by its inverse at (%d, %d) is %g", n, m, i, j,
                         product);
            }
            for (int j = 0; j < columns; j++) {
                double plain = 0, turned = 0;
                for (int k = 0; k < n; k++) {
                    plain += (double)am[k * ld + i] * x[m * side_step + j * ld + k];
                    turned += (double)am[i * ld + k] * t[m * side_step + j * ld + k];
                }
                double expected = b[m * side_step + j * ld + i];
                if (!(std::fabs(plain - expected) <= 1000 * bound) ||
                    !(std::fabs(turned - expected) <= 1000 * bound))
                    fail("n %d, matrix %d: solution %d gives %g and %g at %d, expected %g", n, m, j,
                         plain, turned, i, expected);
            }
        }
        for (int j = 0; j < n; j++) {
            for (int i = n; i < ld; i++) {
                if (fm[j * ld + i] != 99 || cm[j * ld + i] != 99)
                    fail("n %d, matrix %d: what is below the matrix was written", n, m);
            }
        }
    }
}

/* Column 1 is twice column 0: U(2, 2) is zero. */
static void singular()
{
    double *da = on_device(std::vector<double>{1, 2, 3, 2, 4, 6, 1, 0, 5});
    double **la = pointers(da, 9, 1);
    double *dc = on_device(std::vector<double>(9));
    double **lc = pointers(dc, 9, 1);
    int *pivots = on_device(std::vector<int>(3)), *info = on_device(std::vector<int>(1));
    BLAS(cublasDgetrfBatched(handle, 3, la, 3, pivots, info, 1));
    if (on_host(info, 1)[0] != 2 || on_host(pivots, 3)[0] != 3)
        fail("info is %d, pivot %d, expected 2 and 3", on_host(info, 1)[0], on_host(pivots, 3)[0]);
    BLAS(cublasDgetriBatched(handle, 3, la, 3, pivots, lc, 3, info, 1));
    if (on_host(info, 1)[0] != 2)
        fail("info of the inverse is %d, expected 2", on_host(info, 1)[0]);
    int host_info = 0;
    if (cublasDgetrsBatched(handle, CUBLAS_OP_N, 3, 1, la, 2, pivots, lc, 3, &host_info, 1) !=
            CUBLAS_STATUS_INVALID_VALUE ||
        host_info != -5)
        fail("a leading dimension of 2 gave %d, expected -5", host_info);
}

int main()
{
    BLAS(cublasCreate(&handle));
    lu<float>(1, 1, 2, true);
    lu<float>(7, 9, 3, true);
    lu<float>(33, 33, 2, true);
    lu<double>(20, 24, 3, true);
    lu<double>(140, 140, 1, true);
    lu<float>(16, 16, 2, false);
    lu<double>(5, 6, 2, false);
    singular();
    BLAS(cublasDestroy(handle));
    return pass();
}
