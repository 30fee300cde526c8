/*
 * Sixteen-bit floating point: cuda_fp16.h and cuda_bf16.h.
 *
 * Proves conversion of every half to float and of floats to both formats with
 * one rounding, add, subtract, multiply and fused multiply-add (scalar and in
 * pairs), comparisons, division and square root within one unit, and atomic
 * addition of half2. The reference rounds an exact double once; the operands
 * are chosen so that the double is exact.
 */
#define TEST "half_bf16"
#include "check.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

static const int count = 2048, ops = 12;

struct format {
    int digits, lowest_exponent, highest_exponent;
};

static const struct format half_format = {11, -14, 15}, bf16_format = {8, -126, 127};

/* To nearest, ties to even; subnormals as they are; overflow to infinity. */
static double rounded(double v, const struct format *f)
{
    if (v == 0 || std::isinf(v))
        return v;
    int exponent = std::ilogb(v);
    exponent = exponent < f->lowest_exponent ? f->lowest_exponent : exponent;
    double unit = std::ldexp(1.0, exponent - f->digits + 1);
    double r = std::nearbyint(v / unit) * unit;
    return std::ilogb(r) > f->highest_exponent && r != 0 ? std::copysign(INFINITY, v) : r;
}

static double unit_of(double v, const struct format *f)
{
    return std::ldexp(1.0, std::ilogb(v) - f->digits + 1);
}

__global__ void all_halves(float *out)
{
    unsigned bits = blockIdx.x * blockDim.x + threadIdx.x;
    out[bits] = __half2float(__ushort_as_half((unsigned short)bits));
}

__global__ void narrow(const float *in, float *half_out, float *bf16_out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    half_out[i] = __half2float(__float2half_rn(in[i]));
    bf16_out[i] = __bfloat162float(__float2bfloat16_rn(in[i]));
}

__device__ static __half fused(__half a, __half b, __half c)
{
    return __hfma(a, b, c);
}

/* cuda_bf16.h has __hfma and __hfma2 from sm_80 on only. */
__device__ static __nv_bfloat16 fused(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)
{
#if __CUDA_ARCH__ >= 800
    return __hfma(a, b, c);
#else
    return __float2bfloat16_rn(fmaf(float(a), float(b), float(c)));
#endif
}

/* The other overloads have the same names for both types. */
template <typename T> __device__ void compute(T a, T b, T c, float *o)
{
    o[0] = float(__hadd(a, b));
    o[1] = float(__hsub(a, b));
    o[2] = float(__hmul(a, b));
    o[3] = float(fused(a, b, c));
    o[4] = float(__hneg(a)) + float(__habs(b));
    o[5] = __hgt(a, b) + 2 * __hle(a, b) + 4 * __heq(a, b) + 8 * __hne(a, c);
    o[6] = float(__hmax(a, b));
    o[7] = float(__hmin(a, b));
    o[8] = float(__hdiv(a, c));
    o[9] = float(hsqrt(__habs(a)));
}

__global__ void halves(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __half a = __float2half(in[i]), b = __float2half(in[i + count]),
           c = __float2half(in[i + 2 * count]);
    float *o = out + i * ops;
    compute(a, b, c, o);
    __half2 pair = __hfma2(__halves2half2(a, b), __halves2half2(b, c), __halves2half2(c, a));
    o[10] = __low2float(pair);
    o[11] = __high2float(pair);
}

__global__ void bfloats(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __nv_bfloat16 a = __float2bfloat16(in[i]), b = __float2bfloat16(in[i + count]);
    __nv_bfloat16 c = __float2bfloat16(in[i + 2 * count]);
    float *o = out + i * ops;
    compute(a, b, c, o);
#if __CUDA_ARCH__ >= 800
    __nv_bfloat162 pair =
        __hfma2(__halves2bfloat162(a, b), __halves2bfloat162(b, c), __halves2bfloat162(c, a));
#else
    __nv_bfloat162 pair = __halves2bfloat162(fused(a, b, c), fused(b, c, a));
#endif
    o[10] = __low2float(pair);
    o[11] = __high2float(pair);
}

__global__ void pair_sum(__half2 *sum)
{
    atomicAdd(sum, __floats2half2_rn(1.0f, 0.25f * (threadIdx.x % 4)));
}

static void conversions(void)
{
    float *out = device_array<float>(65536);
    all_halves<<<256, 256>>>(out);
    wait_for_kernels();
    std::vector<float> got = host_copy(out, 65536);
    for (int bits = 0; bits < 65536; bits++) {
        int exponent = bits >> 10 & 31, fraction = bits & 1023;
        if (exponent == 31 && fraction) {
            EXPECT(std::isnan(got[bits]));
            continue;
        }
        double v = exponent == 31 ? INFINITY
                   : exponent     ? std::ldexp(1024 + fraction, exponent - 25)
                                  : std::ldexp(fraction, -24);
        expect_equal("half", bits, got[bits], (float)(bits & 0x8000 ? -v : v));
    }

    std::vector<float> in(count);
    for (int i = 0; i < count; i++) /* magnitudes from below the least half to above the largest */
        in[i] = (float)std::ldexp((int32_t)mix(i), (int)(mix(i + 5000) % 48) - 60);
    in[0] = 65519.996f, in[1] = 65520.0f, in[2] = -5.96e-8f, in[3] = 1.0f + 0x1p-11f;
    in[4] = 1.0f + 0x3p-11f, in[5] = 1.0f + 0x1p-8f, in[6] = 1.0f + 0x3p-8f, in[7] = 0x1p-25f;
    float *device_in = device_copy(in), *h = device_array<float>(count),
          *b = device_array<float>(count);
    narrow<<<count / 128, 128>>>(device_in, h, b);
    wait_for_kernels();
    std::vector<float> got_h = host_copy(h, count), got_b = host_copy(b, count);
    for (int i = 0; i < count; i++) {
        expect_equal("to half", i, got_h[i], rounded(in[i], &half_format));
        expect_equal("to bfloat16", i, got_b[i], rounded(in[i], &bf16_format));
    }
}

/* Operands are multiples of `unit` up to `steps` units: exact in the format and in double. */
static void arithmetic(const char *what, void (*kernel)(const float *, float *),
                       const struct format *f, int steps, double unit)
{
    std::vector<float> in(3 * count);
    for (int i = 0; i < 3 * count; i++)
        in[i] = (float)(((int)(mix(i) % (2 * steps + 1)) - steps) * unit);
    for (int i = 2 * count; i < 3 * count; i++)
        in[i] = in[i] == 0 ? 1.0f : in[i]; /* c divides */
    for (int i = 0; i < count; i += 8)
        in[i + count] = in[i]; /* some equal pairs */
    float *out = device_array<float>(count * ops);
    kernel<<<count / 128, 128>>>(device_copy(in), out);
    wait_for_kernels();
    std::vector<float> got = host_copy(out, count * ops);
    for (int i = 0; i < count; i++) {
        double a = in[i], b = in[i + count], c = in[i + 2 * count];
        const double want[ops] = {a + b,
                                  a - b,
                                  a * b,
                                  a * b + c,
                                  -a + std::fabs(b),
                                  (double)((a > b) + 2 * (a <= b) + 4 * (a == b) + 8 * (a != c)),
                                  std::fmax(a, b),
                                  std::fmin(a, b),
                                  a / c,
                                  std::sqrt(std::fabs(a)),
                                  a * b + c,
                                  b * c + a};
        for (int o = 0; o < ops; o++) {
            double v = o == 4 || o == 5 ? want[o] : rounded(want[o], f);
            double slack = (o == 8 || o == 9) && v != 0 ? unit_of(v, f) : 0;
            expect_near(what, i * ops + o, got[i * ops + o], v, slack);
        }
    }
}

int main(void)
{
    conversions();
    arithmetic("half op", halves, &half_format, 1024, 1.0 / 16);
    arithmetic("bfloat16 op", bfloats, &bf16_format, 128, 1.0 / 8);

    __half2 *sum = device_array<__half2>(1);
    CHECK(cudaMemset(sum, 0, sizeof *sum));
    pair_sum<<<4, 64>>>(sum);
    wait_for_kernels();
    __half2 total = host_copy(sum, 1)[0];
    expect_equal("pair sum", 0, __low2float(total), 256);
    expect_equal("pair sum", 1, __high2float(total), 64 * 1.5);
    return pass();
}
