/*
 * The double-precision mathematical functions against the CPU's long double.
 *
 * Proves each function within the error bound the CUDA programming guide
 * states, in units in the last place, over ordinary and extreme arguments
 * (the large ones take sin and cos through their slow range reduction), and
 * division, square root and fused multiply-add to the last bit.
 */
#define TEST "double_math"
#include "check.h"

static const int count = 512;

/* clang-format off */
enum function {
    SIN, COS, TAN, EXP, EXP2, EXPM1, LOG, LOG2, LOG10, LOG1P, POW, SQRT, CBRT, RSQRT, HYPOT, SINH,
    COSH, TANH, ASIN, ACOS, ATAN, ATAN2, ERF, ERFC, LGAMMA, TGAMMA, FMOD, DIVIDE, FMA, FUNCTIONS
};
/* clang-format on */

struct bound {
    const char *name;
    double ulps; /* of the guide's table, which counts from the exact result rounded */
};

static const struct bound bounds[FUNCTIONS] = {
    {"sin", 2},    {"cos", 2},     {"tan", 2},   {"exp", 1},    {"exp2", 1}, {"expm1", 1},
    {"log", 1},    {"log2", 1},    {"log10", 1}, {"log1p", 1},  {"pow", 2},  {"sqrt", 0},
    {"cbrt", 1},   {"rsqrt", 1},   {"hypot", 2}, {"sinh", 2},   {"cosh", 1}, {"tanh", 1},
    {"asin", 2},   {"acos", 2},    {"atan", 2},  {"atan2", 2},  {"erf", 2},  {"erfc", 5},
    {"lgamma", 4}, {"tgamma", 10}, {"fmod", 0},  {"divide", 0}, {"fma", 0}};

/* One function per block row, so that a warp runs one function. */
__global__ void evaluate(const double *x, const double *y, double *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double a = x[blockIdx.y * count + i], b = y[blockIdx.y * count + i], r = 0;
    /* clang-format off */
    switch (blockIdx.y) {
    case SIN: r = sin(a); break;
    case COS: r = cos(a); break;
    case TAN: r = tan(a); break;
    case EXP: r = exp(a); break;
    case EXP2: r = exp2(a); break;
    case EXPM1: r = expm1(a); break;
    case LOG: r = log(a); break;
    case LOG2: r = log2(a); break;
    case LOG10: r = log10(a); break;
    case LOG1P: r = log1p(a); break;
    case POW: r = pow(a, b); break;
    case SQRT: r = sqrt(a); break;
    case CBRT: r = cbrt(a); break;
    case RSQRT: r = rsqrt(a); break;
    case HYPOT: r = hypot(a, b); break;
    case SINH: r = sinh(a); break;
    case COSH: r = cosh(a); break;
    case TANH: r = tanh(a); break;
    case ASIN: r = asin(a); break;
    case ACOS: r = acos(a); break;
    case ATAN: r = atan(a); break;
    case ATAN2: r = atan2(a, b); break;
    case ERF: r = erf(a); break;
    case ERFC: r = erfc(a); break;
    case LGAMMA: r = lgamma(a); break;
    case TGAMMA: r = tgamma(a); break;
    case FMOD: r = fmod(a, b); break;
    case DIVIDE: r = a / b; break;
    case FMA: r = fma(a, b, a); break;
    }
    /* clang-format on */
    out[blockIdx.y * count + i] = r;
}

static long double reference(int function, double x, double y)
{
    long double a = x, b = y;
    /* clang-format off */
    switch (function) {
    case SIN: return sinl(a);
    case COS: return cosl(a);
    case TAN: return tanl(a);
    case EXP: return expl(a);
    case EXP2: return exp2l(a);
    case EXPM1: return expm1l(a);
    case LOG: return logl(a);
    case LOG2: return log2l(a);
    case LOG10: return log10l(a);
    case LOG1P: return log1pl(a);
    case POW: return powl(a, b);
    case SQRT: return sqrt(x);
    case CBRT: return cbrtl(a);
    case RSQRT: return 1 / sqrtl(a);
    case HYPOT: return hypotl(a, b);
    case SINH: return sinhl(a);
    case COSH: return coshl(a);
    case TANH: return tanhl(a);
    case ASIN: return asinl(a);
    case ACOS: return acosl(a);
    case ATAN: return atanl(a);
    case ATAN2: return atan2l(a, b);
    case ERF: return erfl(a);
    case ERFC: return erfcl(a);
    case LGAMMA: return lgammal(a);
    case TGAMMA: return tgammal(a);
    case FMOD: return fmod(x, y);
    case DIVIDE: return x / y;
    default: return std::fma(x, y, x);
    }
    /* clang-format on */
}

/* Uniform in (low, high), or with a uniform exponent where low > 0. */
static double draw(uint32_t seed, double low, double high)
{
    double u = ((double)mix(seed) + 0.5 + mix(seed + 77777) * 0x1p-32) * 0x1p-32;
    if (low > 0)
        return std::exp(std::log(low) + (std::log(high) - std::log(low)) * u);
    return low + (high - low) * u;
}

static void arguments(int function, int i, double *x, double *y)
{
    uint32_t seed = function * 1000 + i;
    bool wild = i % 4 == 0; /* a quarter of the arguments go to the ends of the range */
    *x = draw(seed, -10, 10);
    *y = draw(seed + 300000, -10, 10);
    if (function <= TAN)
        *x = wild ? draw(seed, 1e5, 1e18) : *x;
    else if (function == EXP || function == SINH || function == COSH)
        *x = wild ? draw(seed, -700, 700) : *x;
    else if (function == EXP2)
        *x = wild ? draw(seed, -1060, 1020) : *x;
    else if (function == EXPM1 || function == TANH)
        *x = wild ? draw(seed, 1e-9, 1e-1) : *x;
    else if (function >= LOG && function <= LOG10)
        *x = wild ? draw(seed, 1e-310, 1e300) : draw(seed, 0.25, 4);
    else if (function == LOG1P)
        *x = wild ? draw(seed, 1e-12, 1e12) : draw(seed, -0.9, 1);
    else if (function == POW)
        *x = draw(seed, 0.01, 100), *y = wild ? draw(seed + 1, -140, 140) : *y;
    else if (function == SQRT || function == RSQRT)
        *x = draw(seed, 1e-305, 1e305);
    else if (function == ASIN || function == ACOS)
        *x /= 10;
    else if (function == ERFC)
        *x = draw(seed, -5, 25);
    else if (function == LGAMMA)
        *x = draw(seed, 3, 1e6);
    else if (function == TGAMMA)
        *x = draw(seed, 0.1, 160);
    else if (function == FMOD)
        *x = wild ? draw(seed, 1e10, 1e50) : *x;
    else if (function == DIVIDE && wild)
        *x = draw(seed, 1e-300, 1e300);
}

int main(void)
{
    std::vector<double> x(FUNCTIONS * count), y(FUNCTIONS * count);
    for (int f = 0; f < FUNCTIONS; f++) {
        for (int i = 0; i < count; i++)
            arguments(f, i, &x[f * count + i], &y[f * count + i]);
    }
    double *out = device_array<double>(FUNCTIONS * count);
    evaluate<<<dim3(count / 128, FUNCTIONS), 128>>>(device_copy(x), device_copy(y), out);
    wait_for_kernels();
    std::vector<double> got = host_copy(out, FUNCTIONS * count);
    for (int f = 0; f < FUNCTIONS; f++) {
        for (int i = 0; i < count; i++) {
            int at = f * count + i;
            long double want = reference(f, x[at], y[at]);
            double nearest = (double)want;
            if (got[at] == nearest)
                continue;
            long double unit = std::nextafter(std::fabs(nearest), INFINITY) - std::fabs(nearest);
            double error = (double)(std::fabs((long double)got[at] - nearest) / unit);
            if (!(error <= bounds[f].ulps))
                fail("first mismatch: %s(%.17g, %.17g) is %.17g, expected %.17g: %.1f units, "
                     "allowed %g",
                     bounds[f].name, x[at], y[at], got[at], nearest, error, bounds[f].ulps);
        }
    }
    return pass();
}
