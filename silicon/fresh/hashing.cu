/* Digests: four rounds of SHA-256 style mixing, CRC by table in shared memory, and a hash table
 * with open addressing. */
#include "fresh.h"

__device__ unsigned turn(unsigned x, int n)
{
    return x >> n | x << (32 - n);
}

__global__ void digest(const unsigned *in, unsigned *out, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned w[16], a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, d = 0xa54ff53a, e = 0x510e527f,
                    f = 0x9b05688c, g = 0x1f83d9ab, h = 0x5be0cd19;
#pragma unroll
    for (int i = 0; i < 16; i++)
        w[i] = in[i * n + t];
#pragma unroll
    for (int i = 0; i < 64; i++) {
        if (i >= 16) {
            unsigned x = w[(i + 1) & 15], y = w[(i + 14) & 15];
            w[i & 15] += (turn(x, 7) ^ turn(x, 18) ^ x >> 3) + w[(i + 9) & 15] +
                         (turn(y, 17) ^ turn(y, 19) ^ y >> 10);
        }
        unsigned t1 = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) +
                      w[i & 15] + 0x428a2f98u + i;
        unsigned t2 = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    out[t] = a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
}

__global__ void crc(const unsigned *in, const unsigned *table, unsigned *out, int n, int words)
{
    __shared__ unsigned s[256];
    s[threadIdx.x] = table[threadIdx.x];
    __syncthreads();
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned c = ~0u;
    for (int i = 0; i < words; i++) {
        unsigned w = in[i * n + t];
        for (int k = 0; k < 4; k++, w >>= 8)
            c = s[(c ^ w) & 255] ^ c >> 8;
    }
    out[t] = ~c;
}

__global__ void build_table(const unsigned *key, unsigned *slot, unsigned mask)
{
    unsigned k = key[blockIdx.x * blockDim.x + threadIdx.x] | 1, at = k * 2654435761u >> 12 & mask;
    for (int i = 0; i < 64; i++) {
        unsigned old = atomicCAS(&slot[at], 0, k);
        if (old == 0 || old == k)
            break;
        at = at + 1 & mask;
    }
}

int main()
{
    int n = 1 << 15;
    array<unsigned> in(16 * n), out(n), table(256), slot(1 << 17);
    fill_below(in, ~0u);
    fill_below(table, ~0u);
    digest<<<n / 128, 128>>>(in.device, out.device, n);
    digest<<<24, 64>>>(in.device, out.device, n);
    crc<<<n / 256, 256>>>(in.device, table.device, out.device, n, 8);
    build_table<<<n / 256, 256>>>(in.device, slot.device, (1 << 17) - 1);
    expect_finite(out, "digest");
    return finish("hashing");
}
