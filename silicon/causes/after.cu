/* What L2 holds after a copy from the host: 1 to 40 MiB are copied, read, read again, written,
 * read. */
#include "../programs/program.h"

__global__ void read_all(const float4 *x, float *out, int n)
{
    float s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float4 v = x[i];
        s += v.x + v.y + v.z + v.w;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

__global__ void write_all(float4 *x, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] = make_float4(i, 1, 2, 3);
}

int main()
{
    array<float> out(264 * 512);
    for (int mib : {1, 4, 12, 24, 40}) {
        array<float> x(mib << 18);
        x.upload();
        for (int turn = 0; turn < 2; turn++)
            read_all<<<264, 512>>>((float4 *)x.device, out.device, mib << 16);
        write_all<<<264, 512>>>((float4 *)x.device, mib << 16);
        read_all<<<264, 512>>>((float4 *)x.device, out.device, mib << 16);
    }
    return finish("after");
}
