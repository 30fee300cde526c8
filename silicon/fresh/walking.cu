/* A graph: breadth-first levels by vertex and by edge, triangles by merging lists, and ranks. */
#include "fresh.h"

__global__ void level_by_vertex(const int *start, const int *to, int *level, int now, int *more,
                                int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n || level[v] != now)
        return;
    for (int e = start[v]; e < start[v + 1]; e++)
        if (level[to[e]] < 0) {
            level[to[e]] = now + 1;
            *more = 1;
        }
}

__global__ void rank_step(const int *start, const int *to, const float *old, float *rank, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    float sum = 0;
    for (int e = start[v]; e < start[v + 1]; e++)
        sum += old[to[e]];
    rank[v] = 0.15f + 0.85f * sum / (start[v + 1] - start[v] + 1);
}

__global__ void common(const int *start, const int *to, int *count, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x, u = (v * 7 + 1) % n, found = 0;
    int i = start[v], j = start[u];
    while (i < start[v + 1] && j < start[u + 1]) {
        int a = to[i], b = to[j];
        found += a == b;
        i += a <= b;
        j += b <= a;
    }
    count[v] = found;
}

int main()
{
    int n = 1 << 14;
    array<int> start(n + 1), to(n * 16), level(n), more(1), count(n);
    array<float> a(n), b(n);
    a.randomize();
    for (int v = 0; v < n; v++) {
        int degree = 2 + next_random() % 13, at = start.host[v];
        unsigned where = next_random() % 64;
        for (int k = 0; k < degree; k++) {
            to.host[at + k] = where % n;
            where += 1 + next_random() % 2048;
        }
        start.host[v + 1] = at + degree;
        level.host[v] = -1;
    }
    level.host[0] = 0;
    start.upload();
    to.upload();
    level.upload();
    for (int now = 0; now < 3; now++)
        level_by_vertex<<<n / 256, 256>>>(start.device, to.device, level.device, now, more.device,
                                          n);
    rank_step<<<n / 128, 128>>>(start.device, to.device, a.device, b.device, n);
    common<<<n / 256, 256>>>(start.device, to.device, count.device, n);
    expect_finite(b, "rank");
    return finish("walking");
}
