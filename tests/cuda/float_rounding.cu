/*
 * Single precision: the four roundings to the last bit, and the fast functions.
 *
 * Proves add, multiply, fused multiply-add, divide and square root rounded to
 * nearest, to zero, up and down (float and double), conversions between
 * float, double and integers in each rounding with saturation, and the
 * approximate functions within the error stated in the programming guide.
 */
#define TEST "float_rounding"
#include "check.h"

#include <cfenv>

static const int count = 1024, roundings = 4, kinds = 10, conversions = 5, functions = 9;
static const int host_rounding[roundings] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};

#define FOUR_ROUNDINGS(at, name, ...)                                                              \
    (at)[0] = name##_rn(__VA_ARGS__), (at)[kinds] = name##_rz(__VA_ARGS__),                        \
    (at)[2 * kinds] = name##_ru(__VA_ARGS__), (at)[3 * kinds] = name##_rd(__VA_ARGS__)

__global__ void arithmetic(const double *in, double *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double a = in[i], b = in[count + i], c = in[2 * count + i];
    float fa = (float)a, fb = (float)b, fc = (float)c;
    double *o = out + i * roundings * kinds;
    FOUR_ROUNDINGS(o + 0, __fadd, fa, fb);
    FOUR_ROUNDINGS(o + 1, __fmul, fa, fb);
    FOUR_ROUNDINGS(o + 2, __fmaf, fa, fb, fc);
    FOUR_ROUNDINGS(o + 3, __fdiv, fa, fb);
    FOUR_ROUNDINGS(o + 4, __fsqrt, fabsf(fa));
    FOUR_ROUNDINGS(o + 5, __dadd, a, b);
    FOUR_ROUNDINGS(o + 6, __dmul, a, b);
    FOUR_ROUNDINGS(o + 7, __fma, a, b, c);
    FOUR_ROUNDINGS(o + 8, __ddiv, a, b);
    FOUR_ROUNDINGS(o + 9, __dsqrt, fabs(a));
}

__global__ void convert(const double *in, double *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double a = in[i];
    double *o = out + i * roundings * kinds;
    FOUR_ROUNDINGS(o + 0, __double2float, a);
    FOUR_ROUNDINGS(o + 1, __double2int, a);
    FOUR_ROUNDINGS(o + 2, __float2int, (float)a);
    FOUR_ROUNDINGS(o + 3, (double)__double2ll, a);
    FOUR_ROUNDINGS(o + 4, __ll2float, (long long)(a * 1e6));
}

__global__ void fast(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i], *o = out + i * functions;
    o[0] = __sinf(x);
    o[1] = __cosf(x);
    o[2] = __expf(x);
    o[3] = __logf(fabsf(x));
    o[4] = rsqrtf(fabsf(x));
    o[5] = __fdividef(x, 3.7f);
    o[6] = sinf(x * 100);
    o[7] = powf(fabsf(x), 1.7f);
    o[8] = __saturatef(x) + fabsf(x);
}

/* volatile keeps the host compiler from computing under another rounding. */
static double rounded(int kind, double a, double b, double c)
{
    volatile double x = a, y = b, z = c, wide = 0;
    volatile float fx = (float)a, fy = (float)b, fz = (float)c, narrow = 0;
    /* clang-format off */
    switch (kind) {
    case 0: narrow = fx + fy; return narrow;
    case 1: narrow = fx * fy; return narrow;
    case 2: narrow = fmaf(fx, fy, fz); return narrow;
    case 3: narrow = fx / fy; return narrow;
    case 4: narrow = sqrtf(fx < 0 ? -fx : fx); return narrow;
    case 5: wide = x + y; return wide;
    case 6: wide = x * y; return wide;
    case 7: wide = fma(x, y, z); return wide;
    case 8: wide = x / y; return wide;
    default: wide = sqrt(x < 0 ? -x : x); return wide;
    }
    /* clang-format on */
}

static double clamped(double v, double low, double high)
{
    return v < low ? low : v > high ? high : v;
}

/* The float and the integer were made from x before, under rounding to nearest. */
static double converted(int kind, double a, float nearest_float, long long scaled)
{
    volatile double x = kind == 2 ? nearest_float : a, whole;
    volatile float narrow;
    volatile long long integer = scaled;
    /* clang-format off */
    switch (kind) {
    case 0: narrow = (float)x; return narrow;
    case 1:
    case 2: whole = nearbyint(x); return clamped(whole, -2147483648.0, 2147483647.0);
    case 3: whole = nearbyint(x); return whole;
    default: narrow = (float)integer; return narrow;
    }
    /* clang-format on */
}

int main(void)
{
    std::vector<double> in(3 * count);
    std::vector<float> single(count);
    for (int i = 0; i < 3 * count; i++)
        in[i] =
            ((int32_t)mix(i) + mix(i + 10000) * 0x1p-32) * std::ldexp(1.0, -(int)(mix(i + 9) % 36));
    for (int i = 0; i < count; i++) {
        single[i] = (float)((double)mix(i) * 0x1p-32 * 6.28 - 3.14);
        if (i % 5 == 0)
            in[i] = (int)in[i] + 0.5; /* ties */
    }
    double *device_in = device_copy(in), *out = device_array<double>(count * roundings * kinds);

    arithmetic<<<count / 128, 128>>>(device_in, out);
    wait_for_kernels();
    std::vector<double> got = host_copy(out, count * roundings * kinds);
    for (int i = 0; i < count; i++) {
        /* The float operands were rounded to nearest; keep them so. */
        for (int k = 0; k < kinds; k++) {
            double a = in[i], b = in[count + i], c = in[2 * count + i];
            if (k < 5)
                a = (float)a, b = (float)b, c = (float)c;
            for (int r = 0; r < roundings; r++) {
                size_t at = ((size_t)i * roundings + r) * kinds + k;
                fesetround(host_rounding[r]);
                double want = rounded(k, a, b, c);
                fesetround(FE_TONEAREST);
                expect_equal("arithmetic", at, got[at], want);
            }
        }
    }

    convert<<<count / 128, 128>>>(device_in, out);
    wait_for_kernels();
    got = host_copy(out, count * roundings * kinds);
    for (int i = 0; i < count; i++) {
        float nearest_float = (float)in[i];
        long long scaled = (long long)(in[i] * 1e6);
        for (int k = 0; k < conversions; k++) {
            for (int r = 0; r < roundings; r++) {
                size_t at = ((size_t)i * roundings + r) * kinds + k;
                fesetround(host_rounding[r]);
                double want = converted(k, in[i], nearest_float, scaled);
                fesetround(FE_TONEAREST);
                expect_equal("converted", at, got[at], want);
            }
        }
    }

    float *fast_out = device_array<float>(count * functions);
    fast<<<count / 128, 128>>>(device_copy(single), fast_out);
    wait_for_kernels();
    std::vector<float> near = host_copy(fast_out, count * functions);
    for (int i = 0; i < count; i++) {
        double x = single[i], size = std::fabs(x), ulp = 0x1p-23;
        const double want[functions] = {std::sin(x),
                                        std::cos(x),
                                        std::exp(x),
                                        std::log(size),
                                        1 / std::sqrt(size),
                                        x / 3.7f,
                                        std::sin((double)(single[i] * 100)),
                                        std::pow(size, (double)1.7f),
                                        clamped(x, 0, 1) + size};
        const double slack[functions] = {0x1p-21,
                                         0x1p-21,
                                         (2 + std::floor(1.173 * size)) * ulp * want[2],
                                         std::fmax(0x1p-21, 3 * ulp * std::fabs(want[3])),
                                         2.5 * ulp * want[4],
                                         2.5 * ulp * std::fabs(want[5]),
                                         2.5 * ulp * std::fabs(want[6]) + 1e-12,
                                         8.5 * ulp * want[7],
                                         ulp * want[8]};
        for (int f = 0; f < functions; f++)
            expect_near("fast", i * functions + f, near[i * functions + f], want[f], slack[f]);
    }
    return pass();
}
