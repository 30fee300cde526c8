/* A small stack machine run by every thread over the same program: a switch in a loop, and an
 * evaluation stack in local memory. */
#include "fresh.h"

__constant__ int program[64];

__global__ void run_machine(const float *x, float *out, int length)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float stack[16];
    int top = 0;
    float a = x[t];
    for (int pc = 0; pc < length; pc++) {
        int op = program[pc];
        switch (op & 7) {
        case 0:
            stack[top++ & 15] = a;
            break;
        case 1:
            stack[top++ & 15] = (float)(op >> 3);
            break;
        case 2:
            top--;
            stack[(top - 1) & 15] += stack[top & 15];
            break;
        case 3:
            top--;
            stack[(top - 1) & 15] *= stack[top & 15];
            break;
        case 4:
            stack[(top - 1) & 15] = fabsf(stack[(top - 1) & 15]) + 1;
            break;
        default:
            stack[(top - 1) & 15] = 1.0f / stack[(top - 1) & 15];
            break;
        }
    }
    out[t] = stack[(top - 1) & 15];
}

__global__ void run_own(const int *code, const float *x, float *out, int length)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float r[8];
    for (int i = 0; i < 8; i++)
        r[i] = x[t] + i;
    const int *mine = code + (t / 32) * length;
    for (int pc = 0; pc < length; pc++) {
        int w = mine[pc], d = w & 7, s = w >> 3 & 7;
        r[d] = (w >> 6 & 1) ? r[d] * 0.5f + r[s] : r[s] - 0.25f * r[d];
    }
    out[t] = r[0];
}

int main()
{
    int n = 1 << 15;
    array<float> x(n), out(n);
    array<int> code(n / 32 * 48);
    x.randomize();
    fill_below(code, 128);
    int words[64];
    for (int i = 0; i < 64; i++)
        words[i] = i < 4        ? 0
                   : i % 6 == 0 ? 0
                   : i % 6 == 1 ? 1 + 8 * (i % 5)
                   : i % 6 == 2 ? 3
                   : i % 6 == 3 ? 2
                                : 4 + i % 2;
    expect(cudaMemcpyToSymbol(program, words, sizeof words), "program");
    run_machine<<<n / 256, 256>>>(x.device, out.device, 64);
    run_machine<<<32, 128>>>(x.device, out.device, 40);
    run_own<<<n / 128, 128>>>(code.device, x.device, out.device, 48);
    expect_finite(out, "result");
    return finish("machine");
}
