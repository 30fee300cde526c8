/* Automata: life with bits in words and with bytes, a pattern matcher by transitions in shared
 * memory. */
#include "fresh.h"

__global__ void life_bytes(const unsigned char *in, unsigned char *out, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            sum += in[(y + dy & n - 1) * n + (x + dx & n - 1)];
    int alive = in[y * n + x];
    out[y * n + x] = sum == 3 || (alive && sum == 4);
}

__global__ void life_words(const unsigned *in, unsigned *out, int words, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    unsigned s0 = 0, s1 = 0, s2 = 0, self = in[y * words + x];
    for (int dy = -1; dy <= 1; dy++) {
        const unsigned *row = in + (y + dy & height - 1) * words;
        unsigned m = row[x], l = row[x - 1 & words - 1], r = row[x + 1 & words - 1];
        unsigned v[3] = {m << 1 | l >> 31, m, m >> 1 | r << 31};
        for (int k = 0; k < 3; k++) {
            unsigned carry = s0 & v[k];
            s0 ^= v[k];
            unsigned carry2 = s1 & carry;
            s1 ^= carry;
            s2 ^= carry2;
        }
    }
    out[y * words + x] = (s0 & s1 & ~s2) | (self & ~s0 & ~s1 & s2);
}

__global__ void match(const unsigned char *textp, const unsigned char *table, int *hits, int per)
{
    __shared__ unsigned char next[16 * 64];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        next[i] = table[i];
    __syncthreads();
    int t = blockIdx.x * blockDim.x + threadIdx.x, state = 0, found = 0;
    for (int i = 0; i < per; i++) {
        state = next[state * 16 + textp[t * per + i]];
        found += state == 63;
    }
    hits[t] = found;
}

int main()
{
    int n = 512;
    array<unsigned char> a(n * n), b(n * n), table(1024);
    array<unsigned> w(n * n / 8), v(n * n / 8);
    array<int> hits(1 << 14);
    fill_below(a, 2);
    fill_below(w, ~0u);
    fill_below(table, 64);
    life_bytes<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(a.device, b.device, n);
    life_words<<<dim3(1, 512), 64>>>(w.device, v.device, 64, 512);
    match<<<(1 << 13) / 128, 128>>>(a.device, table.device, hits.device, 32);
    expect_finite(hits, "hits");
    return finish("automata");
}
