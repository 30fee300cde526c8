/* Integers: a number-theoretic transform of 64-bit words, CRC by tables in shared memory, SipHash of short keys, modular powers, and division by a runtime divisor. */
#include "../programs/program.h"
#include <cstdint>
#define P 0xffffffff00000001ull

__device__ inline uint64_t mod_mul(uint64_t a, uint64_t b)
{
    uint64_t lo = a * b, hi = __umul64hi(a, b), top = hi >> 32, low = hi & 0xffffffff;
    uint64_t t = lo - top;
    if (lo < top)
        t -= 0xffffffff;
    uint64_t m = low * 0xffffffffull, r = t + m;
    return r < m || r >= P ? r - P : r;
}

__device__ inline uint64_t mod_add(uint64_t a, uint64_t b)
{
    uint64_t s = a + b;
    return s < a || s >= P ? s - P : s;
}

__device__ inline uint64_t mod_sub(uint64_t a, uint64_t b)
{
    return a >= b ? a - b : a - b + P;
}

__global__ void __launch_bounds__(512) ntt_1024(uint64_t *data, const uint64_t *roots)
{
    __shared__ uint64_t s[1024];
    uint64_t *mine = data + blockIdx.x * 1024;
    int t = threadIdx.x;
    s[t] = mine[t];
    s[t + 512] = mine[t + 512];
    for (int half = 512; half; half /= 2) {
        __syncthreads();
        int group = t / half, k = t % half, i = group * half * 2 + k;
        uint64_t a = s[i], b = s[i + half];
        s[i] = mod_add(a, b);
        s[i + half] = mod_mul(mod_sub(a, b), roots[k * (512 / half)]);
    }
    __syncthreads();
    mine[t] = s[t];
    mine[t + 512] = s[t + 512];
}

__global__ void crc_table(const unsigned char *text, const unsigned *table, unsigned *out, int bytes)
{
    __shared__ unsigned t[256];
    t[threadIdx.x] = table[threadIdx.x];
    __syncthreads();
    const unsigned char *p = text + (size_t)(blockIdx.x * 256 + threadIdx.x) * bytes;
    unsigned crc = ~0u;
    for (int i = 0; i < bytes; i++)
        crc = t[(crc ^ p[i]) & 255] ^ crc >> 8;
    out[blockIdx.x * 256 + threadIdx.x] = ~crc;
}

#define TURN(x, n) ((x) << (n) | (x) >> (64 - (n)))
#define ROUND                                                                                                          \
    v0 += v1, v1 = TURN(v1, 13) ^ v0, v0 = TURN(v0, 32), v2 += v3, v3 = TURN(v3, 16) ^ v2, v0 += v3,                    \
        v3 = TURN(v3, 21) ^ v0, v2 += v1, v1 = TURN(v1, 17) ^ v2, v2 = TURN(v2, 32)

__global__ void siphash(const uint64_t *keys, uint64_t *out, uint64_t k0, uint64_t k1)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint64_t v0 = k0 ^ 0x736f6d6570736575, v1 = k1 ^ 0x646f72616e646f6d, v2 = k0 ^ 0x6c7967656e657261, v3 = k1 ^ 0x7465646279746573;
    for (int w = 0; w < 4; w++) {
        uint64_t m = keys[i * 4 + w];
        v3 ^= m;
        ROUND;
        ROUND;
        v0 ^= m;
    }
    v2 ^= 255;
    for (int r = 0; r < 4; r++)
        ROUND;
    out[i] = v0 ^ v1 ^ v2 ^ v3;
}

__global__ void powers(const unsigned *base, unsigned *out, unsigned exponent, unsigned modulus)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint64_t b = base[i] % modulus, r = 1;
    for (unsigned e = exponent; e; e >>= 1) {
        if (e & 1)
            r = r * b % modulus;
        b = b * b % modulus;
    }
    out[i] = (unsigned)r;
}

__global__ void digit_sums(const unsigned *in, unsigned *out, unsigned radix)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v = in[i], s = 0;
    while (v) {
        s += v % radix;
        v /= radix;
    }
    out[i] = s;
}

static uint64_t slow_mul(uint64_t a, uint64_t b)
{
    return (uint64_t)((unsigned __int128)a * b % P);
}

int main()
{
    array<uint64_t> data(128 * 1024), roots(512), keys(4 << 14), hashes(1 << 14);
    array<unsigned char> text(64 << 13);
    array<unsigned> table(256), crc(1 << 13), base(1 << 13), power(1 << 13), sums(1 << 13);
    uint64_t w = 1, g = 7, e = (P - 1) / 1024;
    uint64_t root = 1;
    for (uint64_t b = g; e; e >>= 1, b = slow_mul(b, b))
        if (e & 1)
            root = slow_mul(root, b);
    for (int i = 0; i < 512; i++, w = slow_mul(w, root))
        roots.host[i] = w;
    uint64_t sum = 0;
    for (size_t i = 0; i < data.host.size(); i++)
        data.host[i] = next_random();
    for (int i = 0; i < 1024; i++)
        sum = (uint64_t)(((unsigned __int128)sum + data.host[3072 + i]) % P);
    for (uint64_t &k : keys.host)
        k = (uint64_t)next_random() << 30 ^ next_random();
    for (unsigned char &c : text.host)
        c = (unsigned char)next_random();
    for (unsigned i = 0; i < 256; i++) {
        unsigned c = i;
        for (int k = 0; k < 8; k++)
            c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
        table.host[i] = c;
    }
    for (unsigned &b : base.host)
        b = next_random();
    data.upload();
    roots.upload();
    keys.upload();
    text.upload();
    table.upload();
    base.upload();
    ntt_1024<<<128, 512>>>(data.device, roots.device);
    crc_table<<<(1 << 13) / 256, 256>>>(text.device, table.device, crc.device, 64);
    siphash<<<(1 << 14) / 128, 128>>>(keys.device, hashes.device, 1, 2);
    powers<<<(1 << 13) / 64, 64>>>(base.device, power.device, 65537, 1000003);
    digit_sums<<<(1 << 13) / 64, 64>>>(base.device, sums.device, 7);
    data.download();
    crc.download();
    power.download();
    sums.download();
    check("sum of a block", data.host[3072] == sum, 1);
    unsigned c = ~0u, s = 0;
    for (int i = 0; i < 64; i++)
        c = table.host[(c ^ text.host[100 * 64 + i]) & 255] ^ c >> 8;
    check("crc", crc.host[100], ~c);
    uint64_t r = 1, b = base.host[9] % 1000003;
    for (unsigned x = 65537; x; x >>= 1, b = b * b % 1000003)
        if (x & 1)
            r = r * b % 1000003;
    check("power", power.host[9], (double)r);
    for (unsigned v = base.host[9]; v; v /= 7)
        s += v % 7;
    check("digits", sums.host[9], s);
    return finish("integers");
}
