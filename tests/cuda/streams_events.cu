/*
 * Work on several streams runs in the order that streams and events ask for.
 *
 * Proves copy/kernel/copy chains on concurrent streams, cudaStreamWaitEvent
 * between streams, the implicit order with the default stream, host functions
 * called in stream order, and elapsed times that are positive and additive.
 */
#define TEST "streams_events"
#include "check.h"

static const int count = 4096;
static const int block = 128;

/* Each pass changes every element, so a late or missing pass shows. */
__global__ void advance(uint32_t *data, int n, int passes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint32_t v = data[i];
    for (int p = 0; p < passes; p++)
        v = mix(v + p);
    data[i] = v;
}

__global__ void combine(uint32_t *out, const uint32_t *a, const uint32_t *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] * 3 + b[i];
}

static uint32_t advanced(uint32_t v, int passes)
{
    for (int p = 0; p < passes; p++)
        v = mix(v + p);
    return v;
}

struct note {
    std::vector<int> *log;
    int value;
};

static void CUDART_CB write_note(void *data)
{
    struct note *n = (struct note *)data;
    n->log->push_back(n->value);
}

/* Four chunks over three streams, each copied in, computed and copied out. */
static void chunks_in_parallel(void)
{
    const int chunks = 4, per_chunk = count / chunks;
    uint32_t *host, *device;
    cudaStream_t streams[3];
    CHECK(cudaMallocHost(&host, count * sizeof *host));
    CHECK(cudaMalloc(&device, count * sizeof *device));
    for (int i = 0; i < count; i++)
        host[i] = i;
    for (int s = 0; s < 3; s++)
        CHECK(cudaStreamCreateWithFlags(&streams[s], cudaStreamNonBlocking));
    for (int c = 0; c < chunks; c++) {
        cudaStream_t stream = streams[c % 3];
        size_t bytes = per_chunk * sizeof *host;
        int at = c * per_chunk;
        CHECK(cudaMemcpyAsync(device + at, host + at, bytes, cudaMemcpyHostToDevice, stream));
        advance<<<per_chunk / block, block, 0, stream>>>(device + at, per_chunk, 5 + c);
        CHECK(cudaMemcpyAsync(host + at, device + at, bytes, cudaMemcpyDeviceToHost, stream));
    }
    for (int s = 0; s < 3; s++) {
        CHECK(cudaStreamSynchronize(streams[s]));
        CHECK(cudaStreamQuery(streams[s]));
        CHECK(cudaStreamDestroy(streams[s]));
    }
    for (int i = 0; i < count; i++)
        expect_equal("chunk", i, host[i], advanced(i, 5 + i / per_chunk));
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(device));
}

/* left and right run apart, join through an event; notes and times follow. */
static void joined_by_events(void)
{
    std::vector<uint32_t> a(count), b(count);
    for (int i = 0; i < count; i++) {
        a[i] = i;
        b[i] = ~i;
    }
    uint32_t *device_a = device_copy(a), *device_b = device_copy(b);
    uint32_t *out = device_array<uint32_t>(count);
    cudaStream_t left, right;
    cudaEvent_t begin, ready, end;
    CHECK(cudaStreamCreate(&left));
    CHECK(cudaStreamCreateWithPriority(&right, cudaStreamNonBlocking, 0));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&ready));
    CHECK(cudaEventCreate(&end));

    std::vector<int> log;
    struct note first = {&log, 1}, second = {&log, 2}, third = {&log, 3};
    CHECK(cudaEventRecord(begin, left));
    advance<<<count / block, block, 0, left>>>(device_a, count, 200); /* the slow side */
    CHECK(cudaLaunchHostFunc(left, write_note, &first));
    CHECK(cudaEventRecord(ready, left));
    advance<<<count / block, block, 0, right>>>(device_b, count, 2);
    CHECK(cudaStreamWaitEvent(right, ready, 0));
    CHECK(cudaLaunchHostFunc(right, write_note, &second));
    combine<<<count / block, block, 0, right>>>(out, device_a, device_b, count);
    CHECK(cudaEventRecord(end, right));
    CHECK(cudaLaunchHostFunc(right, write_note, &third));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaStreamSynchronize(right));
    wait_for_kernels();

    std::vector<uint32_t> got = host_copy(out, count);
    for (int i = 0; i < count; i++)
        expect_equal("joined", i, got[i], advanced(a[i], 200) * 3 + advanced(b[i], 2));
    EXPECT(log.size() == 3);
    for (int i = 0; i < 3; i++)
        expect_equal("log", i, log[i], i + 1);

    float to_ready = -1, to_end = -1, between = -1;
    CHECK(cudaEventQuery(end));
    CHECK(cudaEventElapsedTime(&to_ready, begin, ready));
    CHECK(cudaEventElapsedTime(&to_end, begin, end));
    CHECK(cudaEventElapsedTime(&between, ready, end));
    EXPECT(to_ready > 0 && between > 0 && to_end > to_ready && to_end < 60000);
    expect_near("milliseconds", 0, to_ready + between, to_end, 0.01 + 1e-3 * to_end);

    /* A blocking stream, the default stream and the blocking stream again take turns. */
    CHECK(cudaMemcpy(device_a, a.data(), count * sizeof(uint32_t), cudaMemcpyHostToDevice));
    advance<<<count / block, block, 0, left>>>(device_a, count, 50);
    combine<<<count / block, block>>>(device_a, device_a, device_a, count);
    advance<<<count / block, block, 0, left>>>(device_a, count, 1);
    wait_for_kernels();
    got = host_copy(device_a, count);
    for (int i = 0; i < count; i++)
        expect_equal("turns", i, got[i], advanced(advanced(a[i], 50) * 4, 1));

    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(ready));
    CHECK(cudaEventDestroy(end));
    CHECK(cudaStreamDestroy(left));
    CHECK(cudaStreamDestroy(right));
}

int main(void)
{
    chunks_in_parallel();
    joined_by_events();
    return pass();
}
