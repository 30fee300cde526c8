/* Numbers of 256 bits: Montgomery products, sums with carries, and remainders by 64-bit division.
 */
#include "fresh.h"

__global__ void montgomery(const unsigned *a, const unsigned *b, unsigned *out, int n, int turns)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x[8], y[8];
    for (int i = 0; i < 8; i++) {
        x[i] = a[i * n + t];
        y[i] = b[i * n + t];
    }
    for (int turn = 0; turn < turns; turn++) {
        unsigned r[9] = {};
#pragma unroll
        for (int i = 0; i < 8; i++) {
            unsigned long long c = 0;
#pragma unroll
            for (int j = 0; j < 8; j++) {
                c += (unsigned long long)x[i] * y[j] + r[j];
                r[j] = (unsigned)c;
                c >>= 32;
            }
            unsigned m = r[0] * 0xffffffd1u, top = (unsigned)c;
            c = 0;
#pragma unroll
            for (int j = 0; j < 8; j++) {
                c += (unsigned long long)m * (0xfffffc2fu + j) + r[j];
                r[j ? j - 1 : 0] = (unsigned)c;
                c >>= 32;
            }
            r[7] = (unsigned)c + top;
        }
#pragma unroll
        for (int i = 0; i < 8; i++)
            x[i] = r[i];
    }
    for (int i = 0; i < 8; i++)
        out[i * n + t] = x[i];
}

__global__ void remainders(const unsigned long long *a, unsigned long long *out, int turns)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long x = a[t], m = 1000003 + 2 * t;
    for (int i = 0; i < turns; i++)
        x = (x * 6364136223846793005ull + 1442695040888963407ull) % m + (x >> 7);
    out[t] = x;
}

__global__ void index_puzzle(const int *in, int *out, int d0, int d1, int d2)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (int k = 0; k < 12; k++) {
        int at = t + k * 37, i = at / (d1 * d2), j = at / d2 % d1, l = at % d2;
        sum += in[((l * d0 + i) * d1 + j) & 0xffff];
    }
    out[t] = sum;
}

int main()
{
    int n = 1 << 15;
    array<unsigned> a(8 * n), b(8 * n), out(8 * n);
    array<unsigned long long> wide(n), rest(n);
    array<int> in(1 << 16), sums(1 << 17);
    fill_below(a, ~0u);
    fill_below(b, ~0u);
    fill_below(wide, ~0u);
    fill_below(in, 1000);
    montgomery<<<n / 128, 128>>>(a.device, b.device, out.device, n, 4);
    montgomery<<<8, 64>>>(a.device, b.device, out.device, n, 8);
    remainders<<<n / 256, 256>>>(wide.device, rest.device, 6);
    index_puzzle<<<(1 << 17) / 256, 256>>>(in.device, sums.device, 31, 57, 13);
    expect_finite(sums, "sums");
    return finish("bigintegers");
}
