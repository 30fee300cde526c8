// Kernels of the cuRAND drop-in: XORWOW, MRG32k3a and Philox4x32-10 with their distributions
#include "device.h"

/* What becomes of the numbers; curand.c has the same list. */
enum form { BITS, UNIFORM, UNIFORM_DOUBLE, NORMAL, NORMAL_DOUBLE };

#define INV_32 2.3283064365386963e-10f  /* 2^-32 */
#define INV_53 1.1102230246251565e-16   /* 2^-53 */
#define TWO_PI 6.2831855f

DEVICE_CALL float uniform(u32 x)
{
    return fmaf((float)x, INV_32, INV_32 / 2);
}

DEVICE_CALL double uniform_double(u32 x, u32 y)
{
    return fma((double)((u64)x ^ ((u64)y << 21)), INV_53, INV_53 / 2);
}

DEVICE_CALL float log_of(float x)
{
    return __nvvm_lg2_approx_f(x) * 0.69314718f;
}

/* Natural logarithm to about 1e-16: the exponent apart, then atanh of (m - 1) / (m + 1). */
DEVICE_CALL double log_double(double x)
{
    u64 bits = (u64)__nvvm_bitcast_d2ll(x);
    int e = (int)(bits >> 52) - 1023;
    double m = __nvvm_bitcast_ll2d((long long)((bits & 0xfffffffffffffull) | 0x3ff0000000000000ull));
    if (m > 1.4142135623730951) {
        m *= 0.5;
        e++;
    }
    double s = (m - 1) / (m + 1), z = s * s, sum = 0;
    for (int k = 21; k >= 1; k -= 2)
        sum = fma(sum, z, 1.0 / k);
    return fma((double)e, 0.6931471805599453, 2 * s * sum);
}

/* sin and cos of pi * v, 0 <= v <= 2, to about 1e-16: half a turn at a time, then a series. */
DEVICE_CALL void sincos_pi(double v, double *sine, double *cosine)
{
    int q = (int)(v * 2 + 0.5);
    double x = (v - q * 0.5) * 3.141592653589793, z = x * x, s = 0, c = 0;
    for (int k = 17; k >= 3; k -= 2)
        s = (s + 1) * (-z / (k * (k - 1)));
    for (int k = 18; k >= 2; k -= 2)
        c = (c + 1) * (-z / (k * (k - 1)));
    s = fma(x, s, x);
    c += 1;
    *sine = q & 1 ? (q & 2 ? -c : c) : (q & 2 ? -s : s);
    *cosine = q & 1 ? (q & 2 ? s : -s) : (q & 2 ? -c : c);
}

DEVICE_CALL void box_muller(float u, float angle, float out[2])
{
    float s = sqrtf(-2.0f * log_of(u));
    out[0] = __nvvm_sin_approx_f(angle) * s;
    out[1] = __nvvm_cos_approx_f(angle) * s;
}

DEVICE_CALL void box_muller_double(double u, double turns, double out[2])
{
    double s = __nvvm_sqrt_rn_d(-2 * log_double(u));
    sincos_pi(turns, &out[0], &out[1]);
    out[0] *= s;
    out[1] *= s;
}

DEVICE_CALL float exp_of(float x)
{
    return __nvvm_ex2_approx_f(x * 1.44269504f);
}

/* e^x by halving the argument to a small one, a series, and squaring back. */
DEVICE_CALL double exp_double(double x)
{
    double n = (double)(long long)(x * 1.4426950408889634 + (x < 0 ? -0.5 : 0.5));
    double r = fma(-n, 0.6931471805599453, x), sum = 1;
    for (int k = 16; k >= 1; k--)
        sum = fma(sum * r, 1.0 / k, 1.0);
    return sum * __nvvm_bitcast_ll2d((long long)(n + 1023) << 52);
}

struct numbers {
    void *out;
    u64 count;       /* of elements */
    double mean, deviation;
    int form, is_log;
};

DEVICE_CALL void put_pair(const numbers *n, u64 pair, const float v[2])
{
    for (int k = 0; k < 2; k++) {
        float x = fmaf(v[k], (float)n->deviation, (float)n->mean);
        if (2 * pair + k < n->count)
            ((float *)n->out)[2 * pair + k] = n->is_log ? exp_of(x) : x;
    }
}

DEVICE_CALL void put_pair_double(const numbers *n, u64 pair, const double v[2])
{
    for (int k = 0; k < 2; k++) {
        double x = fma(v[k], n->deviation, n->mean);
        if (2 * pair + k < n->count)
            ((double *)n->out)[2 * pair + k] = n->is_log ? exp_double(x) : x;
    }
}

/* ---- XORWOW (Marsaglia 2003): five words and a counter ---- */

struct xorwow {
    u32 v[5], d;
};

DEVICE_CALL u32 next(xorwow *s)
{
    u32 t = s->v[0] ^ s->v[0] >> 2;
    for (int i = 0; i < 4; i++)
        s->v[i] = s->v[i + 1];
    s->v[4] = (s->v[4] ^ s->v[4] << 4) ^ (t ^ t << 1);
    s->d += 362437;
    return s->v[4] + s->d;
}

DEVICE_CALL float next_uniform(xorwow *s)
{
    return uniform(next(s));
}

DEVICE_CALL double next_double(xorwow *s)
{
    u32 x = next(s), y = next(s);
    return uniform_double(x, y);
}

DEVICE_CALL void next_normal(xorwow *s, float out[2])
{
    u32 x = next(s), y = next(s);
    box_muller(uniform(x), fmaf((float)y, INV_32 * TWO_PI, INV_32 * TWO_PI / 2), out);
}

/* ---- MRG32k3a (L'Ecuyer 1999): two recurrences of three ---- */

#define M1 4294967087ull
#define M2 4294944443ull

struct mrg {
    u32 a[3], b[3];
};

/* From 1 to M1. */
DEVICE_CALL u32 next_mod(mrg *s)
{
    u64 p = (1403580ull * s->a[1] + 810728ull * (M1 - s->a[0])) % M1;
    u64 q = (527612ull * s->b[2] + 1370589ull * (M2 - s->b[0])) % M2;
    s->a[0] = s->a[1];
    s->a[1] = s->a[2];
    s->a[2] = (u32)p;
    s->b[0] = s->b[1];
    s->b[1] = s->b[2];
    s->b[2] = (u32)q;
    return (u32)(p > q ? p - q : p + M1 - q);
}

DEVICE_CALL u32 next(mrg *s)
{
    return (u32)((double)next_mod(s) * 1.000000048662);
}

DEVICE_CALL float next_uniform(mrg *s)
{
    return (float)((double)next_mod(s) * 2.3283065498378288e-10);
}

DEVICE_CALL double next_double(mrg *s)
{
    return (double)next_mod(s) * 2.3283065498378288e-10;
}

DEVICE_CALL void next_normal(mrg *s, float out[2])
{
    float x = next_uniform(s), y = next_uniform(s);
    box_muller(x, y * TWO_PI, out);
}

/* ---- generators with a state for each thread ---- */

template <class STATE> DEVICE_CALL void generate(STATE *states, u32 threads, u32 shift, numbers n)
{
    u32 t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= threads)
        return;
    STATE s = states[t];
    bool pairs = n.form == NORMAL || n.form == NORMAL_DOUBLE;
    u64 end = pairs ? (n.count + 1) / 2 : n.count;
    /* the thread whose turn it is begins; `shift` says which that is */
    for (u64 i = t >= shift ? t - shift : t + threads - shift; i < end; i += threads) {
        if (n.form == BITS) {
            ((u32 *)n.out)[i] = next(&s);
        } else if (n.form == UNIFORM) {
            ((float *)n.out)[i] = next_uniform(&s);
        } else if (n.form == UNIFORM_DOUBLE) {
            ((double *)n.out)[i] = next_double(&s);
        } else if (n.form == NORMAL) {
            float v[2];
            next_normal(&s, v);
            put_pair(&n, i, v);
        } else {
            double u = next_double(&s), v[2];
            box_muller_double(u, next_double(&s) * 2, v);
            put_pair_double(&n, i, v);
        }
    }
    states[t] = s;
}

extern "C" __global__ void heddle_xorwow(xorwow *states, u32 threads, u32 shift, numbers n)
{
    generate(states, threads, shift, n);
}

extern "C" __global__ void heddle_mrg32k3a(mrg *states, u32 threads, u32 shift, numbers n)
{
    generate(states, threads, shift, n);
}

/* ---- Philox4x32-10 (Salmon et al., SC 2011): a bijection of counters ---- */

#define PHILOX_STREAMS 65536ull

DEVICE_CALL void philox(u64 seed, u64 stream, u64 count, u32 out[4])
{
    u32 c[4] = {(u32)count, (u32)(count >> 32), (u32)stream, (u32)(stream >> 32)};
    u32 k0 = (u32)seed, k1 = (u32)(seed >> 32);
    for (int round = 0; round < 10; round++) {
        u64 p = 0xd2511f53ull * c[0], q = 0xcd9e8d57ull * c[2];
        u32 c0 = (u32)(q >> 32) ^ c[1] ^ k0, c2 = (u32)(p >> 32) ^ c[3] ^ k1;
        c[1] = (u32)q;
        c[3] = (u32)p;
        c[0] = c0;
        c[2] = c2;
        k0 += 0x9e3779b9;
        k1 += 0xbb67ae85;
    }
    for (int i = 0; i < 4; i++)
        out[i] = c[i];
}

/* Value v of the sequence; the group it was asked for last is kept. */
struct philox_cache {
    u64 group;
    u32 value[4];
};

DEVICE_CALL u32 value_at(u64 seed, u64 v, philox_cache *cache)
{
    if (cache->group != v / 4) {
        cache->group = v / 4;
        philox(seed, cache->group % PHILOX_STREAMS, cache->group / PHILOX_STREAMS, cache->value);
    }
    u32 k = (u32)v & 3;
    return k & 2 ? (k & 1 ? cache->value[3] : cache->value[2])
                 : (k & 1 ? cache->value[1] : cache->value[0]);
}

/* A thread makes what four values give: 4 numbers, or 2 doubles. */
extern "C" __global__ void heddle_philox(u64 seed, u64 first, numbers n)
{
    philox_cache c = {~0ull, {0, 0, 0, 0}};
    u64 threads = (u64)gridDim.x * blockDim.x;
    bool wide = n.form == UNIFORM_DOUBLE || n.form == NORMAL_DOUBLE;
    u64 groups = wide ? (n.count + 1) / 2 : (n.count + 3) / 4;
    for (u64 g = blockIdx.x * (u64)blockDim.x + threadIdx.x; g < groups; g += threads) {
        u32 x[4];
        u64 pair = first / 4 + g; /* of doubles: a stream gives two in turn */
        if (wide)
            philox(seed, pair / 2 % PHILOX_STREAMS, pair / (2 * PHILOX_STREAMS) * 2 + (pair & 1), x);
        for (int k = 0; !wide && k < 4; k++)
            x[k] = value_at(seed, first + 4 * g + k, &c);
        if (n.form == BITS || n.form == UNIFORM) {
            for (int k = 0; k < 4; k++) {
                if (4 * g + k >= n.count)
                    break;
                if (n.form == BITS)
                    ((u32 *)n.out)[4 * g + k] = x[k];
                else
                    ((float *)n.out)[4 * g + k] = uniform(x[k]);
            }
        } else if (n.form == NORMAL) {
            for (int k = 0; k < 2; k++) {
                float v[2];
                box_muller(uniform(x[2 * k]),
                           fmaf((float)x[2 * k + 1], INV_32 * TWO_PI, INV_32 * TWO_PI / 2), v);
                put_pair(&n, 2 * g + k, v);
            }
        } else {
            double a = uniform_double(x[0], x[1]), b = uniform_double(x[2], x[3]);
            double v[2] = {a, b};
            if (n.form == NORMAL_DOUBLE) {
                box_muller_double(a, b * 2, v);
                put_pair_double(&n, g, v);
                continue;
            }
            for (int k = 0; k < 2; k++) {
                if (2 * g + k < n.count)
                    ((double *)n.out)[2 * g + k] = v[k];
            }
        }
    }
}

/* ---- Sobol: one dimension after the other ---- */

/* `first` numbers of each dimension were given before; a thread makes any of them from its place. */
extern "C" __global__ void heddle_sobol(const u64 *vectors, u32 is_wide, u64 first, u64 each,
                                        numbers n)
{
    u64 threads = (u64)gridDim.x * blockDim.x;
    for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < n.count; i += threads) {
        const u64 *v = vectors + i / each * 64;
        u64 place = first + i % each, gray = place ^ place >> 1, x = 0;
        for (int bit = 0; gray && bit < (is_wide ? 64 : 32); bit++, gray >>= 1)
            x ^= gray & 1 ? v[bit] : 0;
        u32 top = (u32)(x >> 32);
        if (n.form == BITS && is_wide)
            ((u64 *)n.out)[i] = x;
        else if (n.form == BITS)
            ((u32 *)n.out)[i] = top;
        else if (n.form == UNIFORM)
            ((float *)n.out)[i] = uniform(top);
        else if (is_wide)
            ((double *)n.out)[i] = fma((double)(x >> 11), INV_53, INV_53 / 2);
        else
            ((double *)n.out)[i] = fma((double)top, 2.3283064365386963e-10, 2.3283064365386963e-10);
    }
}
