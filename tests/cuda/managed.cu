/*
 * One pointer for host and device: cudaMallocManaged and __managed__.
 *
 * Proves that each side sees what the other wrote after a synchronisation,
 * that pointers inside managed memory mean the same to both (a linked list
 * built by the host and rewritten by the device), and managed variables.
 */
#define TEST "managed"
#include "check.h"

struct node {
    struct node *next;
    int key;
    int visits;
};

__managed__ int total = 5;
__managed__ int squares[100];
__managed__ struct node *head;

__global__ void fill_squares(int add)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 100) {
        squares[i] = i * i + add;
        atomicAdd(&total, i);
    }
}

/* Reverses the list from `head` and counts a visit in every node. */
__global__ void reverse_list(void)
{
    struct node *done = nullptr;
    for (struct node *n = head; n;) {
        struct node *next = n->next;
        n->visits++;
        n->next = done;
        done = n;
        n = next;
    }
    head = done;
}

__global__ void scale(float *data, int n, float by)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        data[i] *= by;
}

static void variables(void)
{
    expect_equal("total", 0, total, 5);
    int want = 5;
    for (int round = 1; round <= 3; round++) {
        fill_squares<<<4, 32>>>(round);
        wait_for_kernels();
        want += 99 * 100 / 2;
        expect_equal("total", round, total, want);
        for (int i = 0; i < 100; i++)
            expect_equal("squares", i, squares[i], i * i + round);
        total += 7; /* the next launch must see the host's change */
        want += 7;
    }
}

static void linked_list(void)
{
    const int length = 200;
    struct node *nodes;
    CHECK(cudaMallocManaged(&nodes, length * sizeof *nodes));
    /* Order the list by a stride that visits all: 77 and 200 share no factor. */
    head = nullptr;
    for (int i = length - 1; i >= 0; i--) {
        struct node *n = &nodes[i * 77 % length];
        n->next = head;
        n->key = i;
        n->visits = 0;
        head = n;
    }
    reverse_list<<<1, 1>>>();
    wait_for_kernels();
    int want = length - 1;
    for (struct node *n = head; n; n = n->next, want--) {
        expect_equal("key", want, n->key, want);
        expect_equal("visits", want, n->visits, 1);
    }
    expect_equal("end of list", 0, want, -1);
    CHECK(cudaFree(nodes));
}

static void array(void)
{
    const int count = 10000;
    int concurrent = 0;
    float *data;
    CHECK(cudaMallocManaged(&data, count * sizeof *data));
    for (int i = 0; i < count; i++)
        data[i] = i;
    CHECK(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, 0));
#if CUDART_VERSION >= 13000
    if (concurrent) {
        struct cudaMemLocation here = {};
        here.type = cudaMemLocationTypeDevice;
        CHECK(cudaMemAdvise(data, count * sizeof *data, cudaMemAdviseSetPreferredLocation, here));
        CHECK(cudaMemPrefetchAsync(data, count * sizeof *data, here, 0, nullptr));
    }
#endif
    scale<<<10, 128>>>(data, count, 0.5f);
    scale<<<10, 128>>>(data, count, 3.0f);
    wait_for_kernels();
    for (int i = 0; i < count; i++)
        expect_equal("scaled", i, data[i], i * 0.5f * 3.0f);

    struct cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, data));
    EXPECT(attributes.type == cudaMemoryTypeManaged);
    EXPECT(attributes.devicePointer == data && attributes.hostPointer == data);

    /* Copies and fills take a managed pointer on either side. */
    std::vector<float> copy(count);
    CHECK(cudaMemcpy(copy.data(), data, count * sizeof *data, cudaMemcpyDefault));
    CHECK(cudaMemset(data, 0, count / 2 * sizeof *data));
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < count; i++) {
        expect_equal("copy", i, copy[i], i * 0.5f * 3.0f);
        expect_equal("cleared", i, data[i], i < count / 2 ? 0.0f : copy[i]);
    }
    CHECK(cudaFree(data));
}

int main(void)
{
    variables();
    linked_list();
    array();
    return pass();
}
