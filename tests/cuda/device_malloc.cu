/*
 * The heap on the device: malloc, free, new, delete and placement new.
 *
 * Proves that blocks handed out at once do not overlap, that they outlive the
 * kernel and may be freed by another, that lists grow node by node in each
 * thread, that constructors and destructors run, and that a request larger
 * than the heap gives NULL.
 */
#define TEST "device_malloc"
#include "check.h"

#include <new>

static const int threads = 256;

__device__ int alive; /* counted objects between constructor and destructor */

struct counted {
    int value;
    __device__ explicit counted(int v) : value(v)
    {
        atomicAdd(&alive, 1);
    }
    __device__ ~counted()
    {
        atomicSub(&alive, 1);
    }
};

struct node {
    struct node *next;
    int value;
};

__device__ static int length_of(int i)
{
    return 1 + (int)(mix(i) % 60);
}

/* Every thread fills a block of its own size; overlaps would show below. */
__global__ void allocate(int **blocks)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = length_of(i);
    int *block = (int *)malloc(n * sizeof(int));
    for (int k = 0; block && k < n; k++)
        block[k] = i * 1000 + k;
    blocks[i] = block;
}

__global__ void verify_and_free(int **blocks, int *wrong)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = length_of(i), bad = 0;
    for (int k = 0; k < n; k++)
        bad += blocks[i] == nullptr || blocks[i][k] != i * 1000 + k;
    wrong[i] = bad + ((size_t)blocks[i] % 16 != 0); /* malloc aligns to 16 */
    __syncthreads();
    free(blocks[(i & ~31) + 31 - (i & 31)]); /* freed by another thread */
}

/* A list of a length of its own per thread, summed and freed. */
__global__ void lists(int *sums)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    struct node *head = nullptr;
    for (int k = 0; k < i % 9; k++) {
        struct node *n = (struct node *)malloc(sizeof *n);
        n->next = head;
        n->value = i + k;
        head = n;
    }
    while (head) {
        struct node *next = head->next;
        sum = sum * 3 + head->value;
        free(head);
        head = next;
    }
    sums[i] = sum;
}

__global__ void objects(int *out)
{
    __shared__ int most;
    int i = threadIdx.x;
    alignas(counted) char room[sizeof(counted)];
    counted *one = new counted(i), *placed = new (room) counted(i * 2);
    counted **many = new counted *[3];
    for (int k = 0; k < 3; k++)
        many[k] = new counted(k);
    __syncthreads();
    if (i == 0)
        most = atomicAdd(&alive, 0);
    __syncthreads();
    out[i] = one->value + placed->value + many[2]->value + most * 1000;
    delete one;
    placed->~counted();
    for (int k = 0; k < 3; k++)
        delete many[k];
    delete[] many;
}

__global__ void too_much(void **kept, size_t bytes)
{
    *kept = malloc(bytes);
    free(nullptr); /* nothing */
}

int main(void)
{
    size_t heap = 0;
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 8 << 20));
    CHECK(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
    EXPECT(heap >= 8 << 20);

    int **blocks = device_array<int *>(threads), *out = device_array<int>(threads);
    for (int round = 0; round < 3; round++) {
        allocate<<<2, threads / 2>>>(blocks);
        verify_and_free<<<2, threads / 2>>>(blocks, out);
        wait_for_kernels();
        std::vector<int> wrong = host_copy(out, threads);
        for (int i = 0; i < threads; i++)
            expect_equal("wrong words", i, wrong[i], 0);
    }

    lists<<<2, threads / 2>>>(out);
    wait_for_kernels();
    std::vector<int> sums = host_copy(out, threads);
    for (int i = 0; i < threads; i++) {
        int want = 0;
        for (int k = i % 9 - 1; k >= 0; k--)
            want = want * 3 + i + k;
        expect_equal("list", i, sums[i], want);
    }

    const int holders = 64;
    objects<<<1, holders>>>(out);
    wait_for_kernels();
    std::vector<int> got = host_copy(out, holders);
    for (int i = 0; i < holders; i++)
        expect_equal("object", i, got[i], i + i * 2 + 2 + holders * 5 * 1000);
    int left = -1;
    CHECK(cudaMemcpyFromSymbol(&left, alive, sizeof left));
    expect_equal("alive", 0, left, 0);

    void **kept = device_array<void *>(1);
    too_much<<<1, 1>>>(kept, (size_t)1 << 40);
    wait_for_kernels();
    EXPECT(host_copy(kept, 1)[0] == nullptr);
    return pass();
}
