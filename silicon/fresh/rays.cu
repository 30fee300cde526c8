/* Rays: spheres in constant memory tested by every thread, a walk over a grid, a tree with a stack
 * in local memory. */
#include "fresh.h"

__constant__ float4 spheres[48];

__global__ void nearest_sphere(float *out, int width, int count)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    float dx = 2.0f * x / width - 1, dy = 2.0f * y / width - 1, dz = 1,
          k = rsqrtf(dx * dx + dy * dy + 1), best = 1e9f;
    dx *= k, dy *= k, dz *= k;
    for (int i = 0; i < count; i++) {
        float4 s = spheres[i];
        float b = dx * s.x + dy * s.y + dz * s.z,
              d = b * b - (s.x * s.x + s.y * s.y + s.z * s.z - s.w * s.w);
        if (d > 0) {
            float t = b - sqrtf(d);
            if (t > 0 && t < best)
                best = t;
        }
    }
    out[y * width + x] = best;
}

__global__ void walk_grid(const unsigned char *cell, int *out, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, steps = 0;
    float px = x * 0.25f, py = y * 0.5f, vx = 0.7f + 0.001f * x, vy = 1.1f - 0.002f * y;
    while (steps < 64) {
        int cx = (int)px & 63, cy = (int)py & 63;
        if (cell[cy * 64 + cx])
            break;
        px += vx;
        py += vy;
        steps++;
    }
    out[y * width + x] = steps;
}

__global__ void tree_with_stack(const float *key, const float *query, int *out, int nodes)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, stack[16], top = 0, found = 0;
    float q = query[t];
    stack[top++] = 0;
    while (top > 0) {
        int node = stack[--top];
        float d = key[node] - q;
        found += fabsf(d) < 0.1f;
        int left = 2 * node + 1;
        if (left + 1 < nodes) {
            if (d > -0.15f)
                stack[top++] = left;
            if (d < 0.15f && top < 16)
                stack[top++] = left + 1;
        }
    }
    out[t] = found;
}

int main()
{
    int w = 256;
    array<float> out(w * w), key(1023), query(1 << 14);
    array<unsigned char> cell(4096);
    array<int> steps(w * w);
    key.randomize();
    query.randomize();
    fill_below(cell, 24);
    for (unsigned char &c : cell.host)
        c = c == 0;
    cell.upload();
    std::vector<float> s(192);
    for (int i = 0; i < 192; i++)
        s[i] = i % 4 == 2 ? 4 + next_float() : i % 4 == 3 ? 0.3f : 2 * next_float();
    expect(cudaMemcpyToSymbol(spheres, s.data(), 768), "spheres");
    nearest_sphere<<<dim3(2, 256), 128>>>(out.device, w, 48);
    walk_grid<<<dim3(2, 128), 128>>>(cell.device, steps.device, w);
    tree_with_stack<<<(1 << 14) / 128, 128>>>(key.device, query.device, steps.device, 1023);
    expect_finite(steps, "steps");
    return finish("rays");
}
