/* Each thread sorts a short row of its own in an array that registers cannot hold, and picks by
 * rank: local memory with indices known at run time. */
#include "fresh.h"

__global__ void sort_rows(const float *in, float *out, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n)
        return;
    float row[24];
    for (int i = 0; i < 24; i++)
        row[i] = in[i * n + t];
    for (int i = 1; i < 24; i++) {
        float v = row[i];
        int j = i;
        while (j > 0 && row[j - 1] > v) {
            row[j] = row[j - 1];
            j--;
        }
        row[j] = v;
    }
    out[t] = row[12];
}

__global__ void count_bytes(const unsigned *in, unsigned *out, int n, int per)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned char count[16];
    for (int i = 0; i < 16; i++)
        count[i] = 0;
    for (int i = 0; i < per; i++)
        count[in[i * n + t] & 15]++;
    unsigned most = 0;
    for (int i = 0; i < 16; i++)
        most = max(most, (unsigned)count[i] * 16 + i);
    out[t] = most;
}

__global__ void blend_doubles(const int *index, double *out, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    double table[12];
    for (int i = 0; i < 12; i++)
        table[i] = 0.5 * i + t;
    for (int k = 0; k < 16; k++) {
        int i = index[k * n + t] % 12, j = index[(k ^ 1) * n + t] % 12;
        table[i] = table[j] * 0.75 + table[i] * 0.25;
    }
    out[t] = table[index[t] % 12];
}

int main()
{
    int n = 1 << 15;
    array<float> in(24 * n), out(n);
    array<unsigned> bytes(24 * n), counts(n);
    array<double> sums(n);
    array<int> index(16 * n);
    in.randomize();
    fill_below(bytes, 1u << 20);
    fill_below(index, 12);
    sort_rows<<<n / 128, 128>>>(in.device, out.device, n);
    sort_rows<<<16, 64>>>(in.device, out.device, 1024);
    count_bytes<<<n / 256, 256>>>(bytes.device, counts.device, n, 24);
    blend_doubles<<<n / 128, 128>>>(index.device, sums.device, n);
    expect_finite(out, "sorted");
    expect_finite(sums, "blended");
    return finish("localsort");
}
