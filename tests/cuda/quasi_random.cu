/*
 * Sobol sequences of cuRAND's host library. The first dimension is the place's bits in Gray code,
 * turned round; all are those of the device generators of cuRAND's headers, with direction vectors
 * that follow from the published numbers of the second and the fifth dimension. In every
 * dimension the first 2^k numbers are one in each interval of 2^-k.
 */
#define TEST "quasi_random"
#include "check.h"

#include <curand.h>
#include <curand_kernel.h>

static void must(curandStatus_t status, const char *what, int line)
{
    if (status != CURAND_STATUS_SUCCESS)
        fail("line %d: %s gave %d", line, what, (int)status);
}
#define RAND(call) must((call), #call, __LINE__)

/* x + 1 and numbers 1: m(i) = 2 m(i-1) ^ m(i-1). x^3 + x^2 + 1 and numbers 1, 1, 1:
 * m(i) = 2 m(i-1) ^ 8 m(i-3) ^ m(i-3). */
static std::vector<unsigned long long> vectors(int dimension)
{
    std::vector<unsigned long long> m(64, 1);
    for (int i = 1; i < 64 && dimension == 2; i++)
        m[i] = 2 * m[i - 1] ^ m[i - 1];
    for (int i = 3; i < 64 && dimension == 5; i++)
        m[i] = 2 * m[i - 1] ^ 8 * m[i - 3] ^ m[i - 3];
    for (int i = 0; i < 64; i++)
        m[i] <<= 63 - i;
    return m;
}

struct wanted {
    unsigned bits;
    float uniform;
    double wide;
    unsigned long long bits64;
    float uniform64;
    double wide64;
};

__global__ void expected(const unsigned long long *v, unsigned count, unsigned skip, wanted *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    curandDirectionVectors32_t v32;
    curandDirectionVectors64_t v64;
    for (int k = 0; k < 64; k++)
        v64[k] = v[k];
    for (int k = 0; k < 32; k++)
        v32[k] = (unsigned)(v[k] >> 32);
    curandStateSobol32_t s, t;
    curandStateSobol64_t w, x;
    curand_init(v32, i + skip, &s);
    curand_init(v64, i + skip, &w);
    t = s;
    out[i].bits = curand(&t);
    t = s;
    out[i].uniform = curand_uniform(&t);
    t = s;
    out[i].wide = curand_uniform_double(&t);
    x = w;
    out[i].bits64 = curand(&x);
    x = w;
    out[i].uniform64 = curand_uniform(&x);
    x = w;
    out[i].wide64 = curand_uniform_double(&x);
}

static const unsigned N = 1000, DIMENSIONS = 5, SKIP = 12345;

static void check_dimension(int dimension)
{
    std::vector<unsigned long long> v = vectors(dimension);
    unsigned long long *dv;
    wanted *dw;
    std::vector<wanted> w(N);
    CHECK(cudaMalloc(&dv, v.size() * 8));
    CHECK(cudaMalloc(&dw, N * sizeof(wanted)));
    CHECK(cudaMemcpy(dv, v.data(), v.size() * 8, cudaMemcpyHostToDevice));
    expected<<<(N + 127) / 128, 128>>>(dv, N, SKIP, dw);
    CHECK(cudaMemcpy(w.data(), dw, N * sizeof(wanted), cudaMemcpyDeviceToHost));
    size_t total = (size_t)N * DIMENSIONS, at = (size_t)N * (dimension - 1);
    std::vector<unsigned> bits(total);
    std::vector<float> uniform(total), uniform64(total);
    std::vector<double> wide(total), wide64(total);
    std::vector<unsigned long long> bits64(total);
    curandGenerator_t g, h;
    RAND(curandCreateGeneratorHost(&g, CURAND_RNG_QUASI_DEFAULT));
    RAND(curandCreateGeneratorHost(&h, CURAND_RNG_QUASI_SOBOL64));
    RAND(curandSetQuasiRandomGeneratorDimensions(g, DIMENSIONS));
    RAND(curandSetQuasiRandomGeneratorDimensions(h, DIMENSIONS));
    RAND(curandSetGeneratorOffset(g, SKIP));
    RAND(curandGenerate(g, bits.data(), total));
    RAND(curandSetGeneratorOffset(g, SKIP));
    RAND(curandGenerateUniform(g, uniform.data(), total));
    RAND(curandSetGeneratorOffset(g, SKIP));
    RAND(curandGenerateUniformDouble(g, wide.data(), total));
    RAND(curandSetGeneratorOffset(h, SKIP));
    RAND(curandGenerateLongLong(h, bits64.data(), total));
    RAND(curandSetGeneratorOffset(h, SKIP));
    RAND(curandGenerateUniform(h, uniform64.data(), total));
    RAND(curandSetGeneratorOffset(h, SKIP));
    RAND(curandGenerateUniformDouble(h, wide64.data(), total));
    for (unsigned i = 0; i < N; i++) {
        if (bits[at + i] != w[i].bits || uniform[at + i] != w[i].uniform ||
            wide[at + i] != w[i].wide || bits64[at + i] != w[i].bits64 ||
            uniform64[at + i] != w[i].uniform64 || wide64[at + i] != w[i].wide64)
            fail("dimension %d, number %u: %08x %.9g %.17g %016llx, expected %08x %.9g %.17g %016llx",
                 dimension, i, bits[at + i], uniform[at + i], wide[at + i], bits64[at + i],
                 w[i].bits, w[i].uniform, w[i].wide, w[i].bits64);
    }
    RAND(curandDestroyGenerator(g));
    RAND(curandDestroyGenerator(h));
}

/* In two calls; of 2^10 numbers one in each interval. */
static void check_intervals()
{
    const unsigned all = 21, half = 512;
    std::vector<unsigned> x(2 * half * all), first(half * all);
    unsigned *d;
    curandGenerator_t g;
    CHECK(cudaMalloc(&d, first.size() * 4));
    RAND(curandCreateGenerator(&g, CURAND_RNG_QUASI_SOBOL32));
    RAND(curandSetQuasiRandomGeneratorDimensions(g, all));
    for (unsigned part = 0; part < 2; part++) {
        RAND(curandGenerate(g, d, first.size()));
        CHECK(cudaMemcpy(first.data(), d, first.size() * 4, cudaMemcpyDeviceToHost));
        for (unsigned k = 0; k < all; k++) {
            for (unsigned i = 0; i < half; i++)
                x[k * 2 * half + part * half + i] = first[k * half + i];
        }
    }
    if (x[0] != 0 || x[1] != 0x80000000u || x[2] != 0xc0000000u || x[3] != 0x40000000u)
        fail("the first dimension begins with %08x %08x %08x %08x", x[0], x[1], x[2], x[3]);
    for (unsigned k = 0; k < all; k++) {
        std::vector<int> seen(2 * half);
        for (unsigned i = 0; i < 2 * half; i++)
            seen[x[k * 2 * half + i] >> 22]++;
        for (unsigned i = 0; i < 2 * half; i++) {
            if (seen[i] != 1)
                fail("dimension %u has %d numbers in interval %u", k + 1, seen[i], i);
        }
    }
    if (curandGenerate(g, d, 22) != CURAND_STATUS_LENGTH_NOT_MULTIPLE ||
        curandSetQuasiRandomGeneratorDimensions(g, 0) != CURAND_STATUS_OUT_OF_RANGE ||
        curandSetPseudoRandomGeneratorSeed(g, 1) != CURAND_STATUS_TYPE_ERROR)
        fail("a wrong call was accepted");
}

int main()
{
    check_intervals();
    check_dimension(2);
    check_dimension(5);
    return pass();
}
