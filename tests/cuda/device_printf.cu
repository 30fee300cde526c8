/*
 * printf in a kernel; the harness compares stdout with expected/device_printf.txt.
 *
 * Proves conversions, flags, widths and precisions of all argument types,
 * strings in device memory, the returned argument count, that output appears
 * by the time a synchronisation returns and in the order the threads printed.
 */
#define TEST "device_printf"
#include "check.h"

__device__ const char *const colours[3] = {"red", "green", "blue"};
__device__ int returned[3];

__global__ void formats(void)
{
    returned[0] = printf("no arguments, 100%%\n");
    returned[1] =
        printf("integers %d %i %u %x %X %o %c\n", -42, 7, 4000000000u, 0xbeef, 0xBEEF, 8, 'z');
    returned[2] = printf("wide %lld %llu %llx %ld\n", -9000000000LL, 18000000000000000000ULL,
                         0x123456789abcdefULL, -5L);
    printf("floats %f %.3f %e %.2E %g %G\n", 1.5, 3.14159265, 12345.678, 0.00012, 0.0001, 1e20);
    printf("float argument %f, inf %f, negative zero %g\n", 0.25f, 1.0 / 0.0, -0.0);
    printf("padded [%5d] [%-5d] [%05d] [%+d] [% d] [%8.3f] [%-8.1f] [%#x]\n", 42, 42, 42, 42, 42,
           2.71828, 2.71828, 255);
    printf("strings [%s] [%8s] [%-8s] [%.2s]\n", "plain", "right", "left", "cut");
    printf("small %hd %hu %d\n", (short)-3, (unsigned short)65535, (signed char)-4);
    printf("ten %d %f %d %f %d %f %d %f %d %f\n", 1, 2.0, 3, 4.0, 5, 6.0, 7, 8.0, 9, 10.0);
    printf("two\nlines\n");
}

/* Threads take turns, so the order is fixed without a promise about lanes of one warp. */
__global__ void turns(int round)
{
    for (unsigned turn = 0; turn < blockDim.x; turn++) {
        if (threadIdx.x == turn && turn % 16 == 3)
            printf("round %d block %u thread %u is %s\n", round, blockIdx.x, turn,
                   colours[turn % 3]);
        __syncthreads();
    }
}

/* All threads at once: every lane must be counted, and the text is alike. */
__global__ void chorus(void)
{
    printf("la\n");
}

int main(void)
{
    setvbuf(stdout, nullptr, _IONBF, 0); /* host and device lines in one order */
    printf("host: before\n");
    formats<<<1, 1>>>();
    wait_for_kernels();
    int counts[3];
    CHECK(cudaMemcpyFromSymbol(counts, returned, sizeof counts));
    expect_equal("returned", 0, counts[0], 0);
    expect_equal("returned", 1, counts[1], 7);
    expect_equal("returned", 2, counts[2], 4);
    for (int round = 0; round < 2; round++) {
        turns<<<1, 64>>>(round);
        wait_for_kernels();
        printf("host: after round %d\n", round);
    }
    chorus<<<2, 5>>>();
    wait_for_kernels();
    size_t fifo_bytes = 0;
    CHECK(cudaDeviceGetLimit(&fifo_bytes, cudaLimitPrintfFifoSize));
    EXPECT(fifo_bytes >= 65536);
    return pass();
}
