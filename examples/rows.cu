/* Sums of the rows of a matrix, a row per thread: neighbouring lanes read words far apart. With an
 * argument, a row per warp: neighbouring lanes read neighbouring words. */
#include <cstdio>

#define ROWS 1024
#define COLUMNS 128

__global__ void row_per_thread(const float *matrix, float *sums)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int i = 0; i < COLUMNS; i++)
        sum += matrix[row * COLUMNS + i];
    sums[row] = sum;
}

__global__ void row_per_warp(const float *matrix, float *sums)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0;
    for (int i = lane; i < COLUMNS; i += 32)
        sum += matrix[row * COLUMNS + i];
    for (int step = 16; step; step /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, step);
    if (lane == 0)
        sums[row] = sum;
}

int main(int argc, char **)
{
    static float matrix[ROWS * COLUMNS], sums[ROWS];
    float *device, *result;
    for (int i = 0; i < ROWS * COLUMNS; i++)
        matrix[i] = i % 7;
    cudaMalloc(&device, sizeof matrix);
    cudaMalloc(&result, sizeof sums);
    cudaMemcpy(device, matrix, sizeof matrix, cudaMemcpyHostToDevice);
    if (argc > 1)
        row_per_warp<<<ROWS * 32 / 256, 256>>>(device, result);
    else
        row_per_thread<<<ROWS / 64, 64>>>(device, result);
    cudaMemcpy(sums, result, sizeof sums, cudaMemcpyDeviceToHost);
    for (int r = 0; r < ROWS; r++) {
        float want = 0;
        for (int i = 0; i < COLUMNS; i++)
            want += matrix[r * COLUMNS + i];
        if (sums[r] != want) {
            printf("row %d: %g, expected %g\n", r, sums[r], want);
            return 1;
        }
    }
    printf("%d rows summed\n", ROWS);
    return 0;
}
