/*
 * cuBLAS: matrices of which a part is stored (a half, a band, packed columns), with a vector, in
 * place, updated and as a factor. Every result is compared with that of the whole matrix on the
 * host; elements are small integers, so that every order of additions gives the same. What is not
 * stored holds numbers that nobody may read.
 */
#define TEST "blas_storage"
#include "check.h"

#include <cublas_v2.h>

static void must(cublasStatus_t status, const char *what, int line)
{
    if (status != CUBLAS_STATUS_SUCCESS)
        fail("line %d: %s gave %d", line, what, (int)status);
}
#define BLAS(call) must((call), #call, __LINE__)

static cublasHandle_t handle;
static const int N = 19, LD = 24, BAND = 3, COLUMNS = 5;

template <class T> struct calls;
#define CALLS(T, L)                                                                                \
    template <> struct calls<T> {                                                                  \
        static constexpr auto sbmv = cublas##L##sbmv;                                              \
        static constexpr auto spmv = cublas##L##spmv;                                              \
        static constexpr auto gbmv = cublas##L##gbmv;                                              \
        static constexpr auto syr2 = cublas##L##syr2;                                              \
        static constexpr auto spr = cublas##L##spr;                                                \
        static constexpr auto spr2 = cublas##L##spr2;                                              \
        static constexpr auto trmv = cublas##L##trmv;                                              \
        static constexpr auto tbmv = cublas##L##tbmv;                                              \
        static constexpr auto tpmv = cublas##L##tpmv;                                              \
        static constexpr auto tbsv = cublas##L##tbsv;                                              \
        static constexpr auto tpsv = cublas##L##tpsv;                                              \
        static constexpr auto symm = cublas##L##symm;                                              \
        static constexpr auto trmm = cublas##L##trmm;                                              \
        static constexpr auto dgmm = cublas##L##dgmm;                                              \
    };
CALLS(float, S)
CALLS(double, D)

template <class T> static T small(int i, int k)
{
    return (T)((int)(mix((uint32_t)(i * 131 + k)) % 5) - 2);
}

template <class T> static std::vector<T> vector_of(int n, int seed)
{
    std::vector<T> v(n);
    for (int i = 0; i < n; i++)
        v[i] = small<T>(i, seed);
    return v;
}

/* Where (i, k) of a half lies, packed and as a band. */
static int packed(bool lower, int i, int k)
{
    return lower ? i + (2 * N - k - 1) * k / 2 : i + k * (k + 1) / 2;
}
static int band(bool lower, int i, int k)
{
    return (lower ? 0 : BAND) + i - k + k * LD;
}

template <class T>
static void expect(const char *what, const T *on_device, const std::vector<T> &want)
{
    std::vector<T> got = host_copy(on_device, want.size());
    for (size_t i = 0; i < want.size(); i++)
        expect_equal(what, (int)i, got[i], want[i]);
}

template <class T> static void symmetric(bool lower)
{
    using c = calls<T>;
    cublasFillMode_t fill = lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
    auto inside = [&](int i, int k) { return lower ? i >= k : i <= k; };
    auto element = [&](int i, int k) { return small<T>(i > k ? i : k, i > k ? k : i); };
    std::vector<T> full(LD * N, 1000), banded(LD * N, 1000), pack(N * (N + 1) / 2);
    for (int k = 0; k < N; k++) {
        for (int i = 0; i < N; i++) {
            if (!inside(i, k))
                continue;
            full[i + k * LD] = pack[packed(lower, i, k)] = element(i, k);
            if (abs(i - k) <= BAND)
                banded[band(lower, i, k)] = element(i, k);
        }
    }
    std::vector<T> x = vector_of<T>(2 * N, 1), y = vector_of<T>(N, 2), want(N);
    T *da = device_copy(full), *db = device_copy(banded), *dp = device_copy(pack);
    T *dx = device_copy(x), alpha = 2, beta = -1;
    for (int is_band = 0; is_band < 2; is_band++) {
        for (int i = 0; i < N; i++) {
            want[i] = -y[i];
            for (int k = 0; k < N; k++) {
                if (!is_band || abs(i - k) <= BAND)
                    want[i] += 2 * element(i, k) * x[2 * k];
            }
        }
        T *dy = device_copy(y);
        if (is_band)
            BLAS(c::sbmv(handle, fill, N, BAND, &alpha, db, LD, dx, 2, &beta, dy, 1));
        else
            BLAS(c::spmv(handle, fill, N, &alpha, dp, dx, 2, &beta, dy, 1));
        expect(is_band ? "sbmv" : "spmv", dy, want);
    }
    T *dy = device_copy(y);
    std::vector<T> two = full, one = pack, both = pack;
    for (int k = 0; k < N; k++) {
        for (int i = 0; i < N; i++) {
            if (!inside(i, k))
                continue;
            T crossed = 2 * (x[i] * y[k] + y[i] * x[k]);
            two[i + k * LD] += crossed;
            one[packed(lower, i, k)] += 2 * x[i] * x[k];
            both[packed(lower, i, k)] += crossed;
        }
    }
    BLAS(c::syr2(handle, fill, N, &alpha, dx, 1, dy, 1, da, LD));
    expect("syr2", da, two);
    BLAS(c::spr(handle, fill, N, &alpha, dx, 1, dp));
    expect("spr", dp, one);
    dp = device_copy(pack);
    BLAS(c::spr2(handle, fill, N, &alpha, dx, 1, dy, 1, dp));
    expect("spr2", dp, both);
    da = device_copy(full);
    for (int right = 0; right < 2; right++) {
        int m = right ? COLUMNS : N, n = right ? N : COLUMNS;
        std::vector<T> b = vector_of<T>(LD * n, 3), product(LD * n, 7);
        T *dc = device_copy(product);
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < m; i++) {
                T sum = 0;
                for (int k = 0; k < N; k++)
                    sum += right ? b[i + k * LD] * element(k, j) : element(i, k) * b[k + j * LD];
                product[i + j * LD] = 2 * sum - 7;
            }
        }
        BLAS(c::symm(handle, right ? CUBLAS_SIDE_RIGHT : CUBLAS_SIDE_LEFT, fill, m, n, &alpha, da,
                     LD, device_copy(b), LD, &beta, dc, LD));
        expect("symm", dc, product);
    }
}

/* Products by a triangle, and the way back: solving gives what was multiplied. */
template <class T> static void triangles(bool lower, bool transposed, bool unit)
{
    using c = calls<T>;
    cublasFillMode_t fill = lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
    cublasOperation_t op = transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    cublasDiagType_t diagonal = unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
    auto inside = [&](int i, int k) { return lower ? i >= k : i <= k; };
    std::vector<T> full(LD * N, 1000), banded(LD * N, 1000), pack(N * (N + 1) / 2);
    for (int k = 0; k < N; k++) {
        for (int i = 0; i < N; i++) {
            if (!inside(i, k))
                continue;
            /* a unit diagonal is not read; another is a power of two, which divides exactly */
            T value = i == k ? (T)(unit ? 1000 : 2) : small<T>(i, k);
            full[i + k * LD] = pack[packed(lower, i, k)] = value;
            if (abs(i - k) <= BAND)
                banded[band(lower, i, k)] = value;
        }
    }
    auto element = [&](int i, int k) {
        int r = transposed ? k : i, q = transposed ? i : k;
        return !inside(r, q) ? (T)0 : r == q && unit ? (T)1 : full[r + q * LD];
    };
    T *da = device_copy(full), *db = device_copy(banded), *dp = device_copy(pack);
    std::vector<T> x = vector_of<T>(N, 4), whole(N), near(N), reversed(N);
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < N; k++) {
            whole[i] += element(i, k) * x[k];
            near[i] += abs(i - k) <= BAND ? element(i, k) * x[k] : 0;
        }
    }
    T *dx = device_copy(x);
    BLAS(c::trmv(handle, fill, op, diagonal, N, da, LD, dx, 1));
    expect("trmv", dx, whole);
    dx = device_copy(x);
    BLAS(c::tpmv(handle, fill, op, diagonal, N, dp, dx, 1));
    expect("tpmv", dx, whole);
    if (unit || sizeof(T) == 8) { /* every step is exact */
        BLAS(c::tpsv(handle, fill, op, diagonal, N, dp, dx, 1));
        expect("tpsv", dx, x);
    }
    for (int i = 0; i < N; i++)
        reversed[i] = x[N - 1 - i];
    dx = device_copy(reversed);
    BLAS(c::tbmv(handle, fill, op, diagonal, N, BAND, db, LD, dx, -1));
    std::vector<T> got = host_copy(dx, N);
    for (int i = 0; i < N; i++)
        expect_equal("tbmv with a step of -1", i, got[N - 1 - i], near[i]);
    BLAS(c::tbsv(handle, fill, op, diagonal, N, BAND, db, LD, dx, -1));
    got = host_copy(dx, N);
    for (int i = 0; i < N; i++)
        expect_near("tbsv with a step of -1", i, got[N - 1 - i], x[i], 1e-3);
    for (int how = 0; how < 4; how++) {
        bool right = how & 1, apart = how & 2;
        int m = right ? COLUMNS : N, n = right ? N : COLUMNS;
        std::vector<T> b = vector_of<T>(LD * n, 5), product = apart ? std::vector<T>(LD * n, 9) : b;
        T *from = device_copy(b), *to = apart ? device_copy(product) : from, alpha = 2;
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < m; i++) {
                T sum = 0;
                for (int k = 0; k < N; k++)
                    sum += right ? b[i + k * LD] * element(k, j) : element(i, k) * b[k + j * LD];
                product[i + j * LD] = 2 * sum;
            }
        }
        BLAS(c::trmm(handle, right ? CUBLAS_SIDE_RIGHT : CUBLAS_SIDE_LEFT, fill, op, diagonal, m, n,
                     &alpha, da, LD, from, LD, to, LD));
        expect("trmm", to, product);
    }
}

template <class T> static void general(void)
{
    using c = calls<T>;
    const int m = 17, n = 23, below = 4, above = 2, ld = 9;
    std::vector<T> a(ld * n, 1000), x = vector_of<T>(n, 6), y = vector_of<T>(n, 7);
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < m; i++) {
            if (i - k <= below && k - i <= above)
                a[above + i - k + k * ld] = small<T>(i, k);
        }
    }
    T *da = device_copy(a), *dx = device_copy(x), alpha = 3, beta = 2;
    for (int t = 0; t < 2; t++) {
        int rows = t ? n : m, columns = t ? m : n;
        T *dy = device_copy(y);
        std::vector<T> want = y;
        for (int i = 0; i < rows; i++) {
            want[i] = 2 * y[i];
            for (int k = 0; k < columns; k++) {
                int r = t ? k : i, q = t ? i : k;
                if (r - q <= below && q - r <= above)
                    want[i] += 3 * small<T>(r, q) * x[k];
            }
        }
        BLAS(c::gbmv(handle, t ? CUBLAS_OP_T : CUBLAS_OP_N, m, n, below, above, &alpha, da, ld, dx,
                     1, &beta, dy, 1));
        expect("gbmv", dy, want);
    }
    std::vector<T> whole = vector_of<T>(m * n, 8), want(m * n);
    for (int right = 0; right < 2; right++) {
        T *dc = device_copy(whole);
        for (int i = 0; i < m * n; i++)
            want[i] = whole[i] * x[right ? i / m : i % m];
        BLAS(c::dgmm(handle, right ? CUBLAS_SIDE_RIGHT : CUBLAS_SIDE_LEFT, m, n, dc, m, dx, 1, dc,
                     m));
        expect("dgmm", dc, want);
    }
}

template <class T> static void all(void)
{
    general<T>();
    for (int lower = 0; lower < 2; lower++) {
        symmetric<T>(lower);
        for (int k = 0; k < 4; k++)
            triangles<T>(lower, k & 1, k & 2);
    }
}

/* What the documentation of cuBLAS calls an invalid value: lengths, operations, steps of zero. */
static void refusals(void)
{
    const cublasStatus_t bad = CUBLAS_STATUS_INVALID_VALUE;
    const auto op = (cublasOperation_t)4;
    const auto fill = (cublasFillMode_t)3;
    const auto side = (cublasSideMode_t)2;
    const auto diagonal = (cublasDiagType_t)2;
    const auto n = CUBLAS_OP_N;
    const auto low = CUBLAS_FILL_MODE_LOWER;
    const auto left = CUBLAS_SIDE_LEFT;
    const auto plain = CUBLAS_DIAG_NON_UNIT;
    float *a = device_copy(vector_of<float>(64, 1)), f = 1;
    cublasHandle_t h = handle;
    EXPECT(cublasSgemm(h, op, n, 4, 4, 4, &f, a, 4, a, 4, &f, a, 4) == bad);
    EXPECT(cublasSgemm(h, n, op, 4, 4, 4, &f, a, 4, a, 4, &f, a, 4) == bad);
    EXPECT(cublasSgemm(h, n, n, -1, 4, 4, &f, a, 4, a, 4, &f, a, 4) == bad);
    EXPECT(cublasSgemm(h, n, n, 4, 4, 4, &f, a, 3, a, 4, &f, a, 4) == bad);
    EXPECT(cublasSgemm(h, n, n, 4, 4, 4, &f, a, 4, a, 4, &f, a, 3) == bad);
    EXPECT(cublasSgemv(h, op, 4, 4, &f, a, 4, a, 1, &f, a, 1) == bad);
    EXPECT(cublasSgemv(h, n, 4, 4, &f, a, 4, a, 0, &f, a, 1) == bad);
    EXPECT(cublasSgemv(h, n, 4, 4, &f, a, 4, a, 1, &f, a, 0) == bad);
    EXPECT(cublasSgemv(h, n, 4, -4, &f, a, 4, a, 1, &f, a, 1) == bad);
    EXPECT(cublasSgeam(h, n, op, 4, 4, &f, a, 4, &f, a, 4, a, 4) == bad);
    EXPECT(cublasSgeam(h, n, n, 4, 4, &f, a, 3, &f, a, 4, a, 4) == bad);
    EXPECT(cublasSsymv(h, fill, 4, &f, a, 4, a, 1, &f, a, 1) == bad);
    EXPECT(cublasSgbmv(h, op, 4, 4, 1, 1, &f, a, 4, a, 1, &f, a, 1) == bad);
    EXPECT(cublasSsyr(h, fill, 4, &f, a, 1, a, 4) == bad);
    EXPECT(cublasSsyrk(h, fill, n, 4, 4, &f, a, 4, &f, a, 4) == bad);
    EXPECT(cublasSsyrk(h, low, op, 4, 4, &f, a, 4, &f, a, 4) == bad);
    EXPECT(cublasSsymm(h, side, low, 4, 4, &f, a, 4, a, 4, &f, a, 4) == bad);
    EXPECT(cublasStrmv(h, low, n, diagonal, 4, a, 4, a, 1) == bad);
    EXPECT(cublasStrsv(h, low, op, plain, 4, a, 4, a, 1) == bad);
    EXPECT(cublasStrsm(h, left, low, n, plain, 4, 4, &f, a, 3, a, 4) == bad);
    EXPECT(cublasStrsm(h, side, low, n, plain, 4, 4, &f, a, 4, a, 4) == bad);
    EXPECT(cublasSaxpy(h, -1, &f, a, 1, a, 1) ==
           CUBLAS_STATUS_SUCCESS); /* vectors: nothing to do */
}

int main()
{
    BLAS(cublasCreate(&handle));
    refusals();
    all<float>();
    all<double>();
    BLAS(cublasDestroy(handle));
    return pass();
}
