/* Dynamic programming: six pivots of all shortest paths of 192 nodes, the distance of two strings by diagonals in one
 * block, a knapsack by rows. */
#include "program.h"
#define N 192
#define LENGTH 256
#define ROOM 4096

__global__ void shortest(int *d, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    int through = d[i * N + k] + d[k * N + j];
    if (through < d[i * N + j])
        d[i * N + j] = through;
}

__global__ void edit_distance(const char *a, const char *b, int *out)
{
    __shared__ int s[3][LENGTH + 1];
    int t = threadIdx.x + 1;
    for (int diagonal = 0; diagonal <= 2 * LENGTH; diagonal++) {
        int *now = s[diagonal % 3], *last = s[(diagonal + 2) % 3], *older = s[(diagonal + 1) % 3];
        int i = t, j = diagonal - t;
        if (threadIdx.x == 0 && diagonal <= LENGTH)
            now[0] = diagonal;
        if (j == 0)
            now[i] = i;
        else if (j > 0 && j <= LENGTH)
            now[i] = min(min(last[i], last[i - 1]) + 1, older[i - 1] + (a[i - 1] != b[j - 1]));
        __syncthreads();
    }
    if (t == LENGTH)
        *out = s[2 * LENGTH % 3][LENGTH];
}

__global__ void knapsack_row(const int *last, int *now, int weight, int value)
{
    int w = blockIdx.x * blockDim.x + threadIdx.x;
    int without = last[w];
    now[w] = w >= weight ? max(without, last[w - weight] + value) : without;
}

int main()
{
    array<int> d(N * N), distance(1), x(ROOM), y(ROOM);
    array<char> a(LENGTH), b(LENGTH);
    for (auto &v : d.host)
        v = (int)(next_random() % 1000);
    for (int i = 0; i < LENGTH; i++) {
        a.host[i] = (char)('a' + next_random() % 4);
        b.host[i] = (char)('a' + next_random() % 4);
    }
    std::vector<int> e = d.host;
    d.upload();
    a.upload();
    b.upload();
    for (int k = 0; k < 6; k++) {
        shortest<<<dim3(N / 32, N / 8), dim3(32, 8)>>>(d.device, k);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                e[i * N + j] = std::min(e[i * N + j], e[i * N + k] + e[k * N + j]);
    }
    edit_distance<<<1, LENGTH>>>(a.device, b.device, distance.device);
    for (int i = 0; i < 4; i++)
        knapsack_row<<<ROOM / 256, 256>>>(i % 2 ? y.device : x.device, i % 2 ? x.device : y.device, 100 + 7 * i, 5 + i);
    d.download();
    distance.download();
    x.download();
    for (int i = 0; i < N * N; i += 97)
        check("distance", d.host[i], e[i]);
    std::vector<int> row(LENGTH + 1);
    for (int j = 0; j <= LENGTH; j++)
        row[j] = j;
    for (int i = 1; i <= LENGTH; i++) {
        int before = row[0];
        row[0] = i;
        for (int j = 1; j <= LENGTH; j++) {
            int old = row[j];
            row[j] = std::min(std::min(row[j], row[j - 1]) + 1, before + (a.host[i - 1] != b.host[j - 1]));
            before = old;
        }
    }
    check("edits", distance.host[0], row[LENGTH]);
    check("knapsack", x.host[ROOM - 1], 5 + 6 + 7 + 8);
    return finish("floydwarshall");
}
