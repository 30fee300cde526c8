/* Lattices and random numbers: Ising spins by checkerboard, Philox numbers to normals, random walks with early ends, a forest of decision trees, and a cellular automaton on bits. */
#include "../programs/program.h"
#include <cstdint>
#define L 512

__device__ inline unsigned xorshift(unsigned s)
{
    s ^= s << 13;
    s ^= s >> 17;
    return s ^ s << 5;
}

__global__ void ising(signed char *spins, unsigned *seeds, int color, float beta)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, y = i / (L / 2), x = (i % (L / 2)) * 2 + (y + color & 1);
    int up = (y + L - 1) % L, down = (y + 1) % L, left = (x + L - 1) % L, right = (x + 1) % L;
    int around = spins[up * L + x] + spins[down * L + x] + spins[y * L + left] + spins[y * L + right], mine = spins[y * L + x];
    unsigned s = xorshift(seeds[i]);
    seeds[i] = s;
    if ((float)s * 2.3283064e-10f < expf(-2.0f * beta * mine * around))
        spins[y * L + x] = (signed char)-mine;
}

__global__ void philox_normals(float2 *out, unsigned key, int turns)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float2 sum = {0, 0};
    for (int t = 0; t < turns; t++) {
        unsigned c0 = i, c1 = t, c2 = 7, c3 = 9, k0 = key, k1 = ~key;
#pragma unroll
        for (int r = 0; r < 10; r++) {
            unsigned h0 = __umulhi(0xD2511F53u, c0), l0 = 0xD2511F53u * c0, h1 = __umulhi(0xCD9E8D57u, c2), l1 = 0xCD9E8D57u * c2;
            c0 = h1 ^ c1 ^ k0;
            c1 = l1;
            c2 = h0 ^ c3 ^ k1;
            c3 = l0;
            k0 += 0x9E3779B9u;
            k1 += 0xBB67AE85u;
        }
        float u = (float)c0 * 2.3283064e-10f + 1e-10f, v = (float)c1 * 2.3283064e-10f, r = sqrtf(-2 * logf(u)), s, c;
        sincospif(2 * v, &s, &c);
        sum.x += r * c;
        sum.y += r * s;
    }
    out[i] = sum;
}

__global__ void walks(const float *field, int *steps, int most)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, s = i * 2654435761u + 1;
    int x = (int)(i % L), y = (int)(i / L % L), n = 0;
    while (n < most && field[y * L + x] < 0.9f) {
        s = xorshift(s);
        switch (s >> 30) {
        case 0: x = x + 1 & L - 1; break;
        case 1: x = x - 1 & L - 1; break;
        case 2: y = y + 1 & L - 1; break;
        default: y = y - 1 & L - 1;
        }
        n++;
    }
    steps[i] = n;
}

struct node {
    int feature;
    float limit;
};

__global__ void forest(const node *trees, const float *leaves, const float *rows, float *out, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int t = 0; t < count; t++) {
        int at = 0;
        for (int d = 0; d < 6; d++) {
            node n = trees[t * 63 + at];
            at = 2 * at + 1 + (rows[n.feature * 8192 + i] > n.limit);
        }
        s += leaves[t * 64 + at - 63];
    }
    out[i] = s;
}

__global__ void life(const unsigned *in, unsigned *out, int words, int rows)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    unsigned ones = 0, twos = 0, fours = 0, mine = in[y * words + x];
    for (int dy = -1; dy <= 1; dy++) {
        const unsigned *row = in + (y + dy + rows) % rows * words;
        unsigned m = row[x], l = __funnelshift_l(row[(x + words - 1) % words], m, 1), r = __funnelshift_r(m, row[(x + 1) % words], 1);
        unsigned all[3] = {l, r, m};
        for (int k = 0; k < (dy ? 3 : 2); k++) {
            unsigned c1 = ones & all[k];
            ones ^= all[k];
            unsigned c2 = twos & c1;
            twos ^= c1;
            fours |= c2;
        }
    }
    out[y * words + x] = twos & ~fours & (ones | mine);
}

int main()
{
    array<signed char> spins(L * L);
    array<unsigned> seeds(L * L / 2), cells(64 * 2048), next(64 * 2048);
    array<float> normals(2 << 14), field(L * L), leaves(50 * 64), rows(16 * 8192), votes(8192);
    array<int> steps(1 << 14);
    array<node> trees(50 * 63);
    for (int i = 0; i < L * L; i++)
        spins.host[i] = next_random() & 1 ? 1 : -1;
    for (unsigned &s : seeds.host)
        s = next_random() | 1;
    for (unsigned &c : cells.host)
        c = next_random() * 257;
    for (node &n : trees.host)
        n = {(int)(next_random() % 16), next_float()};
    spins.upload();
    seeds.upload();
    cells.upload();
    trees.upload();
    field.randomize();
    leaves.randomize();
    rows.randomize();
    ising<<<L * L / 2 / 256, 256>>>(spins.device, seeds.device, 0, 0.44f);
    ising<<<L * L / 2 / 256, 256>>>(spins.device, seeds.device, 1, 0.44f);
    philox_normals<<<(1 << 14) / 128, 128>>>((float2 *)normals.device, 99, 8);
    walks<<<(1 << 14) / 64, 64>>>(field.device, steps.device, 60);
    forest<<<8192 / 128, 128>>>(trees.device, leaves.device, rows.device, votes.device, 50);
    life<<<dim3(1, 2048), 64>>>(cells.device, next.device, 64, 2048);
    normals.download();
    votes.download();
    next.download();
    double s = 0, v = 0;
    for (float x : normals.host)
        s += x;
    check("mean of normals", s / normals.host.size(), 0, 0.1);
    for (int t = 0; t < 50; t++) {
        int at = 0;
        for (int d = 0; d < 6; d++) {
            node n = trees.host[t * 63 + at];
            at = 2 * at + 1 + (rows.host[n.feature * 8192 + 77] > n.limit);
        }
        v += leaves.host[t * 64 + at - 63];
    }
    check("forest", votes.host[77], v);
    int count = 0;
    for (int y = 99; y <= 101; y++)
        for (int b = 9; b <= 11; b++)
            if (y != 100 || b != 10)
                count += cells.host[y * 64 + 5] >> b & 1;
    check("life", next.host[100 * 64 + 5] >> 10 & 1, count == 3 || (count == 2 && (cells.host[100 * 64 + 5] >> 10 & 1)));
    return finish("lattice");
}
