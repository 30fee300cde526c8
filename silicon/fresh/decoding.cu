/* Decoding: Huffman-like bit streams by table, base-64 text, delta and run lengths in a warp. */
#include "fresh.h"

__global__ void bit_streams(const unsigned *in, const unsigned short *table, unsigned char *out,
                            int words, int symbols)
{
    __shared__ unsigned short s[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        s[i] = table[i];
    __syncthreads();
    int t = blockIdx.x * blockDim.x + threadIdx.x, bit = 0;
    const unsigned *mine = in + t * words;
    for (int i = 0; i < symbols; i++) {
        int w = bit >> 5, sh = bit & 31;
        unsigned v = sh ? mine[w] >> sh | mine[w + 1] << (32 - sh) : mine[w];
        unsigned short e = s[v & 255];
        out[t * symbols + i] = e & 255;
        bit += e >> 8;
    }
}

__global__ void base64(const unsigned char *in, unsigned char *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v = 0;
    for (int k = 0; k < 4; k++) {
        unsigned c = in[4 * t + k] & 63;
        v = v << 6 | (c < 26 ? c + 1 : c < 52 ? c ^ 21 : c);
    }
    out[3 * t] = v >> 16;
    out[3 * t + 1] = v >> 8;
    out[3 * t + 2] = v;
}

__global__ void prefix_deltas(const short *in, int *out, int per)
{
    int lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, carry = 0;
    for (int i = 0; i < per; i++) {
        int v = in[(warp * per + i) * 32 + lane];
        for (int d = 1; d < 32; d *= 2) {
            int o = __shfl_up_sync(~0u, v, d);
            if (lane >= d)
                v += o;
        }
        v += carry;
        out[(warp * per + i) * 32 + lane] = v;
        carry = __shfl_sync(~0u, v, 31);
    }
}

int main()
{
    int n = 1 << 13;
    array<unsigned> in(n * 12);
    array<unsigned short> table(256);
    array<unsigned char> out(n * 48), text(1 << 18), raw(1 << 18);
    array<short> delta(1 << 19);
    array<int> sum(1 << 19);
    fill_below(in, ~0u);
    fill_below(text, 256);
    fill_below(delta, 100);
    for (unsigned short &v : table.host)
        v = (3 + next_random() % 5) << 8 | next_random() % 256;
    table.upload();
    bit_streams<<<n / 128, 128>>>(in.device, table.device, out.device, 12, 36);
    base64<<<(1 << 16) / 256, 256>>>(text.device, raw.device);
    prefix_deltas<<<128, 128>>>(delta.device, sum.device, 32);
    prefix_deltas<<<4, 128>>>(delta.device, sum.device, 32);
    expect_finite(sum, "sum");
    return finish("decoding");
}
