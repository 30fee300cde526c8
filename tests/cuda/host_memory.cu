/*
 * Memory of the host that the device can reach, and the other allocators.
 *
 * Proves pinned, mapped and registered memory read and written by kernels,
 * what cudaPointerGetAttributes says of each pointer, copies whose direction
 * follows from the pointers, peer copies of one device to itself, and
 * allocation in stream order.
 */
#define TEST "host_memory"
#include "check.h"

static const int count = 3000;

__global__ void add_in_place(int *data, int add)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        data[i] += add + i;
}

static void run(int *device, int add)
{
    add_in_place<<<(count + 127) / 128, 128>>>(device, add);
    wait_for_kernels();
}

static void mapped(void)
{
    int *host, *device;
    CHECK(cudaHostAlloc(&host, count * sizeof *host, cudaHostAllocMapped));
    for (int i = 0; i < count; i++)
        host[i] = -i;
    CHECK(cudaHostGetDevicePointer(&device, host, 0));
    run(device, 11);
    for (int i = 0; i < count; i++)
        expect_equal("mapped", i, host[i], 11);
    struct cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, host));
    EXPECT(attributes.type == cudaMemoryTypeHost && attributes.hostPointer == host &&
           attributes.devicePointer == device);
    unsigned flags = 0;
    CHECK(cudaHostGetFlags(&flags, host));
    EXPECT(flags & cudaHostAllocMapped);
    CHECK(cudaFreeHost(host));
}

static void registered(void)
{
    std::vector<int> storage(count + 1024);
    int *host = storage.data() + 5, *device; /* at no page boundary */
    struct cudaPointerAttributes attributes;
    for (int i = 0; i < count; i++)
        host[i] = 2 * i;
    CHECK(cudaHostRegister(host, count * sizeof *host, cudaHostRegisterMapped));
    CHECK(cudaHostGetDevicePointer(&device, host, 0));
    run(device, 100);
    for (int i = 0; i < count; i++)
        expect_equal("registered", i, host[i], 3 * i + 100);
    CHECK(cudaPointerGetAttributes(&attributes, host));
    EXPECT(attributes.type == cudaMemoryTypeHost);
    CHECK(cudaHostUnregister(host));
    EXPECT_ERROR(cudaHostUnregister(host), cudaErrorHostMemoryNotRegistered);
    CHECK(cudaPointerGetAttributes(&attributes, host));
    EXPECT(attributes.type == cudaMemoryTypeUnregistered);
}

/* Host to pinned to device to device to host, no direction given. */
static void directions(void)
{
    std::vector<int> in(count), out(count);
    int *pinned, *a, *b;
    for (int i = 0; i < count; i++)
        in[i] = (int)mix(i) >> 1;
    CHECK(cudaMallocHost(&pinned, count * sizeof(int)));
    CHECK(cudaMalloc(&a, count * sizeof(int)));
    CHECK(cudaMalloc(&b, count * sizeof(int)));
    CHECK(cudaMemcpy(pinned, in.data(), count * sizeof(int), cudaMemcpyHostToHost));
    CHECK(cudaMemcpy(a, pinned, count * sizeof(int), cudaMemcpyDefault));
    CHECK(cudaMemcpyPeer(b, 0, a, 0, count * sizeof(int)));
    run(b, 0);
    CHECK(cudaMemcpyPeerAsync(a, 0, b, 0, count * sizeof(int), 0));
    CHECK(cudaMemcpy(out.data(), a, count * sizeof(int), cudaMemcpyDefault));
    for (int i = 0; i < count; i++)
        expect_equal("direction", i, out[i], in[i] + i);
    struct cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, a + 17)); /* within the allocation */
    EXPECT(attributes.type == cudaMemoryTypeDevice && attributes.device == 0 &&
           attributes.devicePointer == a + 17);
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
}

static void in_stream_order(void)
{
    size_t free_before = 0, free_after = 0, total = 0;
    cudaStream_t stream;
    int *data, *more;
    std::vector<int> out(count);
    CHECK(cudaMemGetInfo(&free_before, &total));
    EXPECT(free_before > 0 && free_before <= total);
    CHECK(cudaStreamCreate(&stream));
    for (int round = 0; round < 3; round++) {
        CHECK(cudaMallocAsync(&data, count * sizeof *data, stream));
        CHECK(cudaMallocAsync(&more, 1 << 20, stream));
        EXPECT(data != more);
        CHECK(cudaMemsetAsync(data, 0, count * sizeof *data, stream));
        add_in_place<<<(count + 127) / 128, 128, 0, stream>>>(data, round);
        CHECK(cudaMemcpyAsync(out.data(), data, count * sizeof *data, cudaMemcpyDeviceToHost,
                              stream));
        CHECK(cudaFreeAsync(data, stream));
        CHECK(cudaFreeAsync(more, stream));
        CHECK(cudaStreamSynchronize(stream));
        for (int i = 0; i < count; i++)
            expect_equal("stream order", i, out[i], i + round);
    }
    /* 64 MiB taken must show. */
    CHECK(cudaMemGetInfo(&free_before, &total));
    CHECK(cudaMalloc(&data, 64 << 20));
    CHECK(cudaMemGetInfo(&free_after, &total));
    EXPECT(free_before - free_after >= 64 << 20);
    CHECK(cudaFree(data));
    CHECK(cudaStreamDestroy(stream));
}

int main(void)
{
    mapped();
    registered();
    directions();
    in_stream_order();
    return pass();
}
