/*
 * cuBLAS: copies, vectors, matrices with vectors, products in f32, f64, f16 and mixed types, batched
 * and strided, with factors on the host and on the device. Elements are small integers, so that every
 * order of additions gives the same; f16 products are exact in f32.
 */
#define TEST "blas"
#include "check.h"

#include <algorithm>
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

static void must(cublasStatus_t status, const char *what, int line)
{
    if (status != CUBLAS_STATUS_SUCCESS)
        fail("line %d: %s gave %d", line, what, (int)status);
}
#define BLAS(call) must((call), #call, __LINE__)

static cublasHandle_t handle;

template <class T> static std::vector<T> values(size_t count, uint32_t seed)
{
    std::vector<T> v(count);
    for (size_t i = 0; i < count; i++)
        v[i] = (T)((int)(mix((uint32_t)i + seed * 7919) % 9) - 4);
    return v;
}

template <class T> struct calls;
#define CALLS(T, L, l)                                                                             \
    template <> struct calls<T> {                                                                  \
        static constexpr auto scal = cublas##L##scal;                                              \
        static constexpr auto axpy = cublas##L##axpy;                                              \
        static constexpr auto copy = cublas##L##copy;                                              \
        static constexpr auto swap = cublas##L##swap;                                              \
        static constexpr auto dot = cublas##L##dot;                                                \
        static constexpr auto nrm2 = cublas##L##nrm2;                                              \
        static constexpr auto asum = cublas##L##asum;                                              \
        static constexpr auto amax = cublasI##l##amax;                                             \
        static constexpr auto amin = cublasI##l##amin;                                             \
        static constexpr auto gemv = cublas##L##gemv;                                              \
        static constexpr auto ger = cublas##L##ger;                                                \
        static constexpr auto geam = cublas##L##geam;                                              \
        static constexpr auto symv = cublas##L##symv;                                              \
        static constexpr auto syr = cublas##L##syr;                                                \
        static constexpr auto trsv = cublas##L##trsv;                                              \
        static constexpr auto trsm = cublas##L##trsm;                                              \
        static constexpr auto syrk = cublas##L##syrk;                                              \
        static constexpr auto gemm = cublas##L##gemm;                                              \
        static constexpr auto strided = cublas##L##gemmStridedBatched;                             \
        static constexpr auto batched = cublas##L##gemmBatched;                                    \
    };
CALLS(float, S, s)
CALLS(double, D, d)

template <class T> static void vectors(void)
{
    using c = calls<T>;
    const int n = 1000;
    std::vector<T> x = values<T>(2 * n, 1), y = values<T>(n, 2);
    T *dx = device_copy(x), *dy = device_copy(y);
    T alpha = 3, result = 0, want = 0, sum = 0, squares = 0;
    for (int i = 0; i < n; i++) {
        want += x[2 * i] * y[i];
        sum += std::fabs(x[2 * i]);
        squares += x[2 * i] * x[2 * i];
    }
    BLAS(c::dot(handle, n, dx, 2, dy, 1, &result));
    expect_equal("dot", 0, result, want);
    BLAS(c::asum(handle, n, dx, 2, &result));
    expect_equal("asum", 0, result, sum);
    BLAS(c::nrm2(handle, n, dx, 2, &result));
    expect_near("nrm2", 0, result, std::sqrt((double)squares), 1e-4);
    int place = 0, first = 1, least = 1;
    for (int i = 1; i < n; i++) {
        if (std::fabs(y[i]) > std::fabs(y[first - 1]))
            first = i + 1;
        if (std::fabs(y[i]) < std::fabs(y[least - 1]))
            least = i + 1;
    }
    BLAS(c::amax(handle, n, dy, 1, &place));
    expect_equal("amax", 0, place, first);
    BLAS(c::amin(handle, n, dy, 1, &place));
    expect_equal("amin", 0, place, least);

    /* a result and a factor in device memory */
    T *on_device = device_array<T>(2);
    CHECK(cudaMemcpy(on_device + 1, &alpha, sizeof alpha, cudaMemcpyHostToDevice));
    BLAS(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
    BLAS(c::dot(handle, n, dx, 2, dy, 1, on_device));
    BLAS(c::axpy(handle, n, on_device + 1, dx, 2, dy, 1));
    BLAS(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
    expect_equal("dot on the device", 0, host_copy(on_device, 1)[0], want);
    BLAS(c::scal(handle, n, &alpha, dx, 2));
    BLAS(c::swap(handle, n, dx, 2, dy, -1));
    std::vector<T> gx = host_copy(dx, 2 * n), gy = host_copy(dy, n);
    for (int i = 0; i < n; i++) {
        expect_equal("after swap, x", i, gx[2 * i], 3 * x[2 * (n - 1 - i)] + y[n - 1 - i]);
        expect_equal("after swap, y", i, gy[i], 3 * x[2 * (n - 1 - i)]);
        expect_equal("between", i, gx[2 * i + 1], x[2 * i + 1]);
    }
    BLAS(c::copy(handle, n, dx, 2, dy, 1));
    gy = host_copy(dy, n);
    for (int i = 0; i < n; i++)
        expect_equal("copy", i, gy[i], gx[2 * i]);
}

template <class T> static void matrices(void)
{
    using c = calls<T>;
    const int m = 37, n = 21, ld = 40;
    std::vector<T> a = values<T>(ld * n, 3), x = values<T>(64, 4), y = values<T>(64, 5);
    T *da = device_array<T>(ld * n), *dx = device_copy(x), *dy = device_copy(y);
    BLAS(cublasSetMatrix(m, n, sizeof(T), a.data(), ld, da, ld));
    T alpha = 2, beta = -1;
    for (int t = 0; t < 2; t++) {
        int rows = t ? n : m, columns = t ? m : n;
        CHECK(cudaMemcpy(dy, y.data(), 64 * sizeof(T), cudaMemcpyHostToDevice));
        BLAS(c::gemv(handle, t ? CUBLAS_OP_T : CUBLAS_OP_N, m, n, &alpha, da, ld, dx, 1, &beta, dy,
                     1));
        std::vector<T> got = host_copy(dy, 64);
        for (int i = 0; i < rows; i++) {
            T want = -y[i];
            for (int k = 0; k < columns; k++)
                want += 2 * (t ? a[k + i * ld] : a[i + k * ld]) * x[k];
            expect_equal(t ? "gemv transposed" : "gemv", i, got[i], want);
        }
    }
    T *dt = device_array<T>(n * m), zero = 0, one = 1;
    BLAS(c::geam(handle, CUBLAS_OP_T, CUBLAS_OP_N, n, m, &one, da, ld, &zero, dt, n, dt, n));
    std::vector<T> transposed = host_copy(dt, n * m);
    for (int i = 0; i < n * m; i++)
        expect_equal("geam", i, transposed[i], a[i / n + i % n * ld]);
    CHECK(cudaMemcpy(dy, y.data(), 64 * sizeof(T), cudaMemcpyHostToDevice));
    BLAS(c::ger(handle, m, n, &alpha, dx, 1, dy, 1, da, ld));
    std::vector<T> got(m * n);
    BLAS(cublasGetMatrix(m, n, sizeof(T), da, ld, got.data(), m));
    for (int i = 0; i < m * n; i++)
        expect_equal("ger", i, got[i], a[i % m + i / m * ld] + 2 * x[i % m] * y[i / m]);
}

/* Half of a matrix: the other holds numbers that nobody may read. */
template <class T> static void halves_of_matrices(void)
{
    using c = calls<T>;
    const int n = 20, ld = 24, columns = 7;
    for (int lower = 0; lower < 2; lower++) {
        cublasFillMode_t fill = lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
        std::vector<T> a(ld * n, 1000), x = values<T>(ld * n, 12), y = values<T>(n, 13);
        auto inside = [&](int i, int k) { return lower ? i >= k : i <= k; };
        for (int k = 0; k < n; k++) {
            for (int i = 0; i < n; i++) {
                if (inside(i, k))
                    a[i + k * ld] = i == k ? (T)2 : (T)((int)(mix(i * 31 + k) % 3) - 1);
            }
        }
        auto full = [&](int i, int k) { return inside(i, k) ? a[i + k * ld] : a[k + i * ld]; };
        T *da = device_copy(a), *dx = device_copy(x), *dy = device_copy(y), alpha = 2, beta = -1;
        BLAS(c::symv(handle, fill, n, &alpha, da, ld, dx, 1, &beta, dy, 1));
        std::vector<T> got = host_copy(dy, n);
        for (int i = 0; i < n; i++) {
            T want = -y[i];
            for (int k = 0; k < n; k++)
                want += 2 * full(i, k) * x[k];
            expect_equal("symv", i, got[i], want);
        }
        /* what was multiplied by the triangle is found again */
        for (int t = 0; t < 8; t++) {
            bool transposed = t & 1, right = t & 2, unit = t & 4;
            int m = right ? columns : n, w = right ? n : columns;
            auto element = [&](int i, int k) {
                if (transposed)
                    std::swap(i, k);
                return !inside(i, k) ? (T)0 : i == k && unit ? (T)1 : a[i + k * ld];
            };
            std::vector<T> b(ld * w, 0);
            for (int j = 0; j < w; j++) {
                for (int i = 0; i < m; i++) {
                    for (int k = 0; k < n; k++)
                        b[i + j * ld] += right ? x[i + k * ld] * element(k, j)
                                               : element(i, k) * x[k + j * ld];
                }
            }
            T *db = device_copy(b), one = 1;
            cublasOperation_t op = transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
            cublasDiagType_t diagonal = unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
            if (!right) {
                BLAS(c::trsv(handle, fill, op, diagonal, n, da, ld, db, 1));
                got = host_copy(db, n);
                for (int i = 0; i < n; i++)
                    expect_near("trsv", i, got[i], x[i], 1e-2);
                db = device_copy(b);
            }
            BLAS(c::trsm(handle, right ? CUBLAS_SIDE_RIGHT : CUBLAS_SIDE_LEFT, fill, op, diagonal, m,
                         w, &one, da, ld, db, ld));
            got = host_copy(db, ld * w);
            for (int j = 0; j < w; j++) {
                for (int i = 0; i < m; i++)
                    expect_near("trsm", i + j * ld, got[i + j * ld], x[i + j * ld], 1e-2);
            }
        }
        BLAS(c::syr(handle, fill, n, &alpha, dx, 1, da, ld));
        got = host_copy(da, ld * n);
        for (int i = 0; i < n * n; i++) {
            int r = i % n, k = i / n;
            expect_equal("syr", i, got[r + k * ld],
                         inside(r, k) ? a[r + k * ld] + 2 * x[r] * x[k] : (T)1000);
        }
        std::vector<T> sum(ld * n, 5);
        T *ds = device_copy(sum);
        BLAS(c::syrk(handle, fill, CUBLAS_OP_N, n, columns, &alpha, dx, ld, &beta, ds, ld));
        got = host_copy(ds, ld * n);
        for (int i = 0; i < n * n; i++) {
            int r = i % n, k = i / n;
            T want = 5;
            if (inside(r, k)) {
                want = -5;
                for (int j = 0; j < columns; j++)
                    want += 2 * x[r + j * ld] * x[k + j * ld];
            }
            expect_equal("syrk", i, got[r + k * ld], want);
        }
    }
}

/* alpha op(A) op(B) + beta C on the CPU, in double precision */
template <class T>
static std::vector<double> product(bool ta, bool tb, int m, int n, int k, const std::vector<T> &a,
                                   int lda, const std::vector<T> &b, int ldb,
                                   const std::vector<T> &c, double alpha, double beta, int shift)
{
    std::vector<double> out(m * n);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < m; i++) {
            double sum = 0;
            for (int l = 0; l < k; l++)
                sum += (double)a[shift * lda * 40 + (ta ? l + i * lda : i + l * lda)] *
                       (double)b[shift * ldb * 40 + (tb ? j + l * ldb : l + j * ldb)];
            out[i + j * m] = alpha * sum + beta * (double)c[shift * m * n + i + j * m];
        }
    }
    return out;
}

static const int M = 35, N = 19, K = 27, LD = 40, BATCH = 3;

template <class T> static void products(void)
{
    std::vector<T> a = values<T>(LD * 40 * BATCH, 6), b = values<T>(LD * 40 * BATCH, 7),
                   c = values<T>(M * N * BATCH, 8);
    T *da = device_copy(a), *db = device_copy(b), *dc = device_array<T>(M * N * BATCH);
    T alpha = 2, beta = 3;
    for (int t = 0; t < 4; t++) {
        cublasOperation_t opa = t & 1 ? CUBLAS_OP_T : CUBLAS_OP_N, opb = t & 2 ? CUBLAS_OP_T : CUBLAS_OP_N;
        CHECK(cudaMemcpy(dc, c.data(), c.size() * sizeof(T), cudaMemcpyHostToDevice));
        BLAS(calls<T>::gemm(handle, opa, opb, M, N, K, &alpha, da, LD, db, LD, &beta, dc, M));
        std::vector<T> got = host_copy(dc, M * N);
        std::vector<double> want = product(t & 1, t & 2, M, N, K, a, LD, b, LD, c, 2, 3, 0);
        for (int i = 0; i < M * N; i++)
            expect_equal("gemm", i, got[i], (T)want[i]);
        for (int how = 0; how < 2; how++) {
            CHECK(cudaMemcpy(dc, c.data(), c.size() * sizeof(T), cudaMemcpyHostToDevice));
            if (how) {
                BLAS(calls<T>::strided(handle, opa, opb, M, N, K, &alpha, da, LD, LD * 40, db, LD,
                                       LD * 40, &beta, dc, M, M * N, BATCH));
            } else {
                std::vector<const T *> pa, pb;
                std::vector<T *> pc;
                for (int i = 0; i < BATCH; i++) {
                    pa.push_back(da + i * LD * 40);
                    pb.push_back(db + i * LD * 40);
                    pc.push_back(dc + i * M * N);
                }
                BLAS(calls<T>::batched(handle, opa, opb, M, N, K, &alpha, device_copy(pa), LD,
                                       device_copy(pb), LD, &beta, device_copy(pc), M, BATCH));
            }
            for (int s = 0; s < BATCH; s++) {
                std::vector<T> some = host_copy(dc + s * M * N, M * N);
                want = product(t & 1, t & 2, M, N, K, a, LD, b, LD, c, 2, 3, s);
                for (int i = 0; i < M * N; i++)
                    expect_equal(how ? "strided" : "batched", i, some[i], (T)want[i]);
            }
        }
    }
}

static void halves(void)
{
    std::vector<float> a = values<float>(LD * 40, 9), b = values<float>(LD * 40, 10),
                       c = values<float>(M * N, 11);
    std::vector<__half> ha, hb, hc;
    for (float f : a)
        ha.push_back(__float2half(f));
    for (float f : b)
        hb.push_back(__float2half(f));
    for (float f : c)
        hc.push_back(__float2half(f));
    std::vector<__nv_bfloat16> ba, bb;
    for (float f : a)
        ba.push_back(__float2bfloat16(f));
    for (float f : b)
        bb.push_back(__float2bfloat16(f));
    __nv_bfloat16 *dba = device_copy(ba), *dbb = device_copy(bb);
    __half *da = device_copy(ha), *db = device_copy(hb), *dh = device_copy(hc);
    float *dc = device_copy(c), alpha = 1, beta = 1;
    for (int t = 0; t < 4; t++) {
        cublasOperation_t opa = t & 1 ? CUBLAS_OP_T : CUBLAS_OP_N, opb = t & 2 ? CUBLAS_OP_T : CUBLAS_OP_N;
        CHECK(cudaMemcpy(dc, c.data(), c.size() * 4, cudaMemcpyHostToDevice));
        CHECK(cudaMemcpy(dh, hc.data(), hc.size() * 2, cudaMemcpyHostToDevice));
        std::vector<double> want = product(t & 1, t & 2, M, N, K, a, LD, b, LD, c, 1, 1, 0);
        BLAS(cublasGemmEx(handle, opa, opb, M, N, K, &alpha, da, CUDA_R_16F, LD, db, CUDA_R_16F, LD,
                          &beta, dc, CUDA_R_32F, M, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
        std::vector<float> got = host_copy(dc, M * N);
        for (int i = 0; i < M * N; i++)
            expect_equal("f16 to f32", i, got[i], (float)want[i]);
        CHECK(cudaMemcpy(dc, c.data(), c.size() * 4, cudaMemcpyHostToDevice));
        BLAS(cublasGemmEx(handle, opa, opb, M, N, K, &alpha, dba, CUDA_R_16BF, LD, dbb, CUDA_R_16BF,
                          LD, &beta, dc, CUDA_R_32F, M, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
        got = host_copy(dc, M * N);
        for (int i = 0; i < M * N; i++)
            expect_equal("bf16 to f32", i, got[i], (float)want[i]);
        __half one = __float2half(1.0f);
        BLAS(cublasHgemm(handle, opa, opb, M, N, K, &one, da, LD, db, LD, &one, dh, M));
        std::vector<__half> half = host_copy(dh, M * N);
        for (int i = 0; i < M * N; i++)
            expect_equal("f16", i, __half2float(half[i]), (float)want[i]);
    }
}

int main()
{
    BLAS(cublasCreate(&handle));
    cudaStream_t s;
    CHECK(cudaStreamCreate(&s));
    BLAS(cublasSetStream(handle, s));
    vectors<float>();
    vectors<double>();
    BLAS(cublasSetStream(handle, nullptr));
    matrices<float>();
    matrices<double>();
    halves_of_matrices<float>();
    halves_of_matrices<double>();
    products<float>();
    products<double>();
    halves();
    float x[4] = {1, 2, 3, 4}, back[4] = {0};
    float *dx = device_array<float>(8);
    BLAS(cublasSetVector(4, 4, x, 1, dx, 2));
    BLAS(cublasGetVector(4, 4, dx, 2, back, 1));
    for (int i = 0; i < 4; i++)
        expect_equal("vector", i, back[i], x[i]);
    BLAS(cublasDestroy(handle));
    return pass();
}
