/*
 * Work recorded once and launched many times.
 *
 * Proves a graph captured from two streams that fork and join, a graph built
 * node by node (memset, kernels, copy, host function) with dependencies that
 * matter, repeated launches, new kernel arguments in an instantiated graph,
 * a clone, and the count of nodes.
 */
#define TEST "graphs"
#include "check.h"

static const int count = 2000, block = 128, blocks = (count + block - 1) / block;

__global__ void affine(uint32_t *data, uint32_t multiply, uint32_t add)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        data[i] = data[i] * multiply + add + i;
}

__global__ void join(uint32_t *out, const uint32_t *a, const uint32_t *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = a[i] ^ (b[i] << 1);
}

static void CUDART_CB count_call(void *data)
{
    ++*(int *)data;
}

static void captured(void)
{
    std::vector<uint32_t> a(count), b(count);
    for (int i = 0; i < count; i++) {
        a[i] = i;
        b[i] = mix(i);
    }
    uint32_t *device_a = device_copy(a), *device_b = device_copy(b);
    uint32_t *out = device_array<uint32_t>(count);
    cudaStream_t main_stream, side;
    cudaEvent_t fork, joined;
    CHECK(cudaStreamCreate(&main_stream));
    CHECK(cudaStreamCreate(&side));
    CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));

    enum cudaStreamCaptureStatus status;
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaEventRecord(fork, main_stream));
    CHECK(cudaStreamWaitEvent(side, fork, 0));
    affine<<<blocks, block, 0, main_stream>>>(device_a, 3, 1);
    affine<<<blocks, block, 0, side>>>(device_b, 5, 2);
    affine<<<blocks, block, 0, side>>>(device_b, 7, 3);
    CHECK(cudaEventRecord(joined, side));
    CHECK(cudaStreamWaitEvent(main_stream, joined, 0));
    join<<<blocks, block, 0, main_stream>>>(out, device_a, device_b);
    CHECK(cudaStreamIsCapturing(main_stream, &status));
    EXPECT(status == cudaStreamCaptureStatusActive);
    CHECK(cudaStreamEndCapture(main_stream, &graph));
    CHECK(cudaStreamIsCapturing(main_stream, &status));
    EXPECT(status == cudaStreamCaptureStatusNone);

    /* Capture records and does not run. */
    std::vector<uint32_t> untouched = host_copy(device_a, count);
    for (int i = 0; i < count; i++)
        expect_equal("untouched", i, untouched[i], a[i]);
    size_t nodes = 0;
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    expect_equal("nodes", 0, nodes, 4);

    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int launch = 0; launch < 4; launch++) {
        CHECK(cudaGraphLaunch(exec, main_stream));
        CHECK(cudaStreamSynchronize(main_stream));
        std::vector<uint32_t> got = host_copy(out, count);
        for (int i = 0; i < count; i++) {
            a[i] = a[i] * 3 + 1 + i;
            b[i] = (b[i] * 5 + 2 + i) * 7 + 3 + i;
            expect_equal("captured", i, got[i], a[i] ^ (b[i] << 1));
        }
    }
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaEventDestroy(fork));
    CHECK(cudaEventDestroy(joined));
    CHECK(cudaStreamDestroy(main_stream));
    CHECK(cudaStreamDestroy(side));
}

static struct cudaKernelNodeParams affine_node(void **arguments)
{
    struct cudaKernelNodeParams params = {};
    params.func = (void *)affine;
    params.gridDim = dim3(blocks);
    params.blockDim = dim3(block);
    params.kernelParams = arguments;
    return params;
}

/* memset -> x4+1 -> x2+9 -> copy to the host -> host function */
static void built(void)
{
    uint32_t *data = device_array<uint32_t>(count);
    std::vector<uint32_t> host(count);
    int calls = 0;
    cudaGraph_t graph, clone;
    cudaGraphNode_t clear, first, second, copy, call;
    CHECK(cudaGraphCreate(&graph, 0));

    struct cudaMemsetParams fill = {};
    fill.dst = data;
    fill.value = 6;
    fill.elementSize = 4;
    fill.width = count;
    fill.height = 1;
    CHECK(cudaGraphAddMemsetNode(&clear, graph, nullptr, 0, &fill));
    uint32_t multiply = 4, add = 1;
    void *arguments[] = {&data, &multiply, &add};
    struct cudaKernelNodeParams params = affine_node(arguments);
    CHECK(cudaGraphAddKernelNode(&first, graph, &clear, 1, &params));
    multiply = 2, add = 9; /* the values of the first node were taken when it was added */
    CHECK(cudaGraphAddKernelNode(&second, graph, &first, 1, &params));
    CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &second, 1, host.data(), data,
                                   count * sizeof(uint32_t), cudaMemcpyDeviceToHost));
    struct cudaHostNodeParams host_params = {};
    host_params.fn = count_call;
    host_params.userData = &calls;
    CHECK(cudaGraphAddHostNode(&call, graph, &copy, 1, &host_params));
    CHECK(cudaGraphClone(&clone, graph));
    size_t nodes = 0, roots = 0;
    CHECK(cudaGraphGetNodes(clone, nullptr, &nodes));
    CHECK(cudaGraphGetRootNodes(clone, nullptr, &roots));
    EXPECT(nodes == 5 && roots == 1);

    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int launch = 0; launch < 3; launch++) {
        if (launch == 2) { /* from now on the second kernel is another */
            multiply = 100, add = 0;
            CHECK(cudaGraphExecKernelNodeSetParams(exec, second, &params));
        }
        CHECK(cudaGraphLaunch(exec, 0));
        CHECK(cudaDeviceSynchronize());
        expect_equal("calls", launch, calls, launch + 1);
        for (int i = 0; i < count; i++) {
            uint32_t v = 6 * 4 + 1 + i;
            expect_equal("built", i, host[i], launch < 2 ? v * 2 + 9 + i : v * 100 + i);
        }
    }
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));

    /* The clone lives on, as the graph was when it was cloned. */
    CHECK(cudaGraphInstantiate(&exec, clone, 0));
    for (int launch = 0; launch < 5; launch++)
        CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    expect_equal("calls", 3, calls, 8);
    for (int i = 0; i < count; i++)
        expect_equal("cloned", i, host[i], (25u + i) * 2 + 9 + i);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(clone));
    CHECK(cudaFree(data));
}

int main(void)
{
    captured();
    built();
    return pass();
}
