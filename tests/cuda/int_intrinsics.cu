/*
 * Integer intrinsics and arithmetic that compiles to single instructions.
 *
 * Proves bit counts and scans, reversal, byte permutation, funnel shifts,
 * high halves of products, sums of absolute differences, dot products of
 * bytes, averages, packed video operations, and division and remainder of
 * every width and sign.
 */
#define TEST "int_intrinsics"
#include "check.h"

static const int count = 1024, fields = 34;

__global__ void compute(const unsigned *in, long long *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned a = in[i], b = in[count + i], c = in[2 * count + i];
    unsigned long long w = (unsigned long long)a << 32 | b, x = (unsigned long long)b << 32 | c;
    int sa = (int)a, sb = (int)b;
    long long *o = out + i * fields;
    o[0] = __popc(a), o[1] = __popcll(w), o[2] = __clz(sa), o[3] = __clzll((long long)w);
    o[4] = __ffs(sa), o[5] = __ffsll((long long)w), o[6] = __brev(a), o[7] = (long long)__brevll(w);
    o[8] = __byte_perm(a, b, c & 0x7777);
    o[9] = __funnelshift_l(a, b, c), o[10] = __funnelshift_r(a, b, c);
    o[11] = __funnelshift_lc(a, b, c & 63), o[12] = __funnelshift_rc(a, b, c & 63);
    o[13] = __mulhi(sa, sb), o[14] = __umulhi(a, b);
    o[15] = __mul64hi((long long)w, (long long)x), o[16] = (long long)__umul64hi(w, x);
    o[17] = __mul24(sa, sb), o[18] = __umul24(a, b);
    o[19] = __sad(sa, sb, c), o[20] = __usad(a, b, c);
    o[21] = __hadd(sa, sb), o[22] = __rhadd(sa, sb), o[23] = __uhadd(a, b), o[24] = __urhadd(a, b);
    o[25] = __dp4a(sa, sb, (int)c), o[26] = __dp4a(a, b, c), o[27] = __dp2a_lo(sa, sb, (int)c);
    o[28] = __vadd4(a, b), o[29] = __vabsdiffu4(a, b), o[30] = __vmaxs2(a, b);
    o[31] = sa / (sb | 1) * 3LL + sa % (sb | 1);
    o[32] = (long long)w / (long long)(x | 1) + (long long)w % (long long)(b | 1);
    o[33] = (long long)(a / (b | 1) + a % (b >> 8 | 1) + w / (x >> 20 | 1) + w % (c | 1));
}

static unsigned byte_of(unsigned v, int at)
{
    return v >> (8 * at) & 255;
}

/* A signed product that fits in 128 bits; its high 64. */
static long long high_of(__int128 product)
{
    return (long long)(product >> 64);
}

static void expected(unsigned a, unsigned b, unsigned c, long long *o)
{
    unsigned long long w = (unsigned long long)a << 32 | b, x = (unsigned long long)b << 32 | c;
    unsigned long long both = (unsigned long long)b << 32 | a; /* the funnel: b above a */
    int sa = (int)a, sb = (int)b, c63 = c & 63, amount = c63 > 32 ? 32 : c63;
    o[0] = __builtin_popcount(a), o[1] = __builtin_popcountll(w);
    o[2] = a ? __builtin_clz(a) : 32, o[3] = w ? __builtin_clzll(w) : 64;
    o[4] = __builtin_ffs(sa), o[5] = __builtin_ffsll((long long)w);
    unsigned reversed = 0;
    unsigned long long wide_reversed = 0;
    for (int bit = 0; bit < 64; bit++) {
        wide_reversed |= (w >> bit & 1) << (63 - bit);
        if (bit < 32)
            reversed |= (a >> bit & 1) << (31 - bit);
    }
    o[6] = reversed, o[7] = (long long)wide_reversed;
    unsigned permuted = 0, sums = 0, differences = 0, maxima = 0;
    unsigned dot = c, dot_lo = c, udot = c; /* unsigned, because they wrap */
    for (int k = 0; k < 4; k++) {
        permuted |= (unsigned)(both >> (8 * (c >> (4 * k) & 7)) & 255) << (8 * k);
        unsigned p = byte_of(a, k), q = byte_of(b, k);
        sums |= ((p + q) & 255) << (8 * k);
        differences |= (p > q ? p - q : q - p) << (8 * k);
        dot += (int8_t)p * (int8_t)q;
        udot += p * q;
        if (k < 2) {
            int16_t s = (int16_t)(a >> (16 * k)), t = (int16_t)(b >> (16 * k));
            maxima |= (unsigned)(uint16_t)(s > t ? s : t) << (16 * k);
            dot_lo += s * (int8_t)byte_of(b, k);
        }
    }
    o[8] = permuted;
    o[9] = (unsigned)(both << (c & 31) >> 32), o[10] = (unsigned)(both >> (c & 31));
    o[11] = amount == 32 ? a : (unsigned)(both << amount >> 32);
    o[12] = amount == 32 ? b : (unsigned)(both >> amount);
    o[13] = (int)(((long long)sa * sb) >> 32),
    o[14] = (unsigned)(((unsigned long long)a * b) >> 32);
    o[15] = high_of((__int128)(long long)w * (long long)x);
    o[16] = (long long)(unsigned long long)(((unsigned __int128)w * x) >> 64);
    int a24 = (int)(a << 8) >> 8, b24 = (int)(b << 8) >> 8;
    o[17] = (int)((long long)a24 * b24);
    o[18] = (unsigned)((unsigned long long)(a & 0xffffff) * (b & 0xffffff));
    unsigned distance = sa > sb ? a - b : b - a, udistance = a > b ? a - b : b - a;
    o[19] = distance + c, o[20] = udistance + c;
    o[21] = (int)(((long long)sa + sb) >> 1), o[22] = (int)(((long long)sa + sb + 1) >> 1);
    o[23] = (unsigned)(((unsigned long long)a + b) >> 1);
    o[24] = (unsigned)(((unsigned long long)a + b + 1) >> 1);
    o[25] = (int)dot, o[26] = udot, o[27] = (int)dot_lo, o[28] = sums, o[29] = differences,
    o[30] = maxima;
    o[31] = sa / (sb | 1) * 3LL + sa % (sb | 1);
    o[32] = (long long)w / (long long)(x | 1) + (long long)w % (long long)(b | 1);
    o[33] = (long long)(a / (b | 1) + a % (b >> 8 | 1) + w / (x >> 20 | 1) + w % (c | 1));
}

int main(void)
{
    const unsigned corners[8] = {0, 1, 0x7fffffff, 0x80000000, ~0u, 0x80, 0x7f, 0x00ff8001};
    std::vector<unsigned> in(3 * count);
    for (int i = 0; i < 3 * count; i++)
        in[i] = mix(i) >> (i % 7 ? 0 : mix(i + 1) % 32);
    for (int i = 0; i < 512; i++) { /* all triples of corners */
        in[i] = corners[i & 7];
        in[count + i] = corners[i >> 3 & 7];
        in[2 * count + i] = corners[i >> 6];
    }
    for (int i = 0; i < count; i++) {
        if (in[i] == 0x80000000 && in[count + i] == ~0u)
            in[i]++; /* the quotient would overflow */
    }
    long long *out = device_array<long long>(count * fields), want[fields];
    compute<<<count / 128, 128>>>(device_copy(in), out);
    wait_for_kernels();
    std::vector<long long> got = host_copy(out, count * fields);
    for (int i = 0; i < count; i++) {
        expected(in[i], in[count + i], in[2 * count + i], want);
        for (int f = 0; f < fields; f++)
            expect_equal("computed", i * fields + f, got[i * fields + f], want[f]);
    }
    return pass();
}
