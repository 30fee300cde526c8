/*
 * Graphs beyond a line of kernels: nodes by their common description, memory that a graph allocates,
 * conditional nodes, capture into a graph that exists, capture of allocations, attributes, updates of
 * an instance, user objects.
 */
#define TEST "graph_nodes"
#include "check.h"

#include <cstring>

__global__ void add(int *x, int value)
{
    x[threadIdx.x] += value;
}

__global__ void count_down(int *left, cudaGraphConditionalHandle handle)
{
    cudaGraphSetConditional(handle, --*left > 0);
}

__global__ void choose(cudaGraphConditionalHandle handle, unsigned value)
{
    cudaGraphSetConditional(handle, value);
}

static cudaGraphNodeParams kernel_params(void *function, unsigned threads, void **args)
{
    cudaGraphNodeParams p = {};
    p.type = cudaGraphNodeTypeKernel;
    p.kernel.func = function;
    p.kernel.gridDim = dim3(1);
    p.kernel.blockDim = dim3(threads);
    p.kernel.kernelParams = args;
    return p;
}

static cudaGraphNode_t node_add(cudaGraph_t graph, cudaGraphNodeParams *p,
                                std::vector<cudaGraphNode_t> after = {})
{
    cudaGraphNode_t node = nullptr;
    CHECK(cudaGraphAddNode(&node, graph, after.data(), nullptr, after.size(), p));
    return node;
}

static void run(cudaGraph_t graph, unsigned times = 1)
{
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (unsigned i = 0; i < times; i++)
        CHECK(cudaGraphLaunch(exec, nullptr));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaGraphExecDestroy(exec));
}

static void expect_all(const char *what, const int *device, size_t count, int want)
{
    std::vector<int> got = host_copy(device, count);
    for (size_t i = 0; i < count; i++)
        expect_equal(what, i, got[i], want);
}

/* memset, kernel, copy by cudaGraphAddNode; then other parameters, in the graph and in an instance */
static void by_description(void)
{
    int *a = device_array<int>(32), *b = device_array<int>(32), value = 5;
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNodeParams fill = {};
    fill.type = cudaGraphNodeTypeMemset;
    fill.memset.dst = a;
    fill.memset.elementSize = 4;
    fill.memset.width = 32;
    fill.memset.height = 1;
    fill.memset.value = 7;
    cudaGraphNode_t first = node_add(graph, &fill);
    void *args[] = {&a, &value};
    cudaGraphNodeParams kernel = kernel_params((void *)add, 32, args);
    cudaGraphNode_t second = node_add(graph, &kernel, {first});
    cudaGraphNodeParams copy = {};
    copy.type = cudaGraphNodeTypeMemcpy;
    copy.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(a, 128, 128, 1);
    copy.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(b, 128, 128, 1);
    copy.memcpy.copyParams.extent = make_cudaExtent(128, 1, 1);
    copy.memcpy.copyParams.kind = cudaMemcpyDeviceToDevice;
    cudaGraphNode_t third = node_add(graph, &copy, {second});
    run(graph);
    expect_all("copied", b, 32, 12);

    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    value = 100;
    CHECK(cudaGraphExecNodeSetParams(exec, second, &kernel));
    CHECK(cudaGraphLaunch(exec, nullptr));
    CHECK(cudaDeviceSynchronize());
    expect_all("after a change of the instance", b, 32, 107);
    value = 20;
    CHECK(cudaGraphNodeSetParams(second, &kernel));
    cudaGraphExecUpdateResultInfo result;
    CHECK(cudaGraphExecUpdate(exec, graph, &result));
    EXPECT(result.result == cudaGraphExecUpdateSuccess);
    CHECK(cudaGraphLaunch(exec, nullptr));
    CHECK(cudaDeviceSynchronize());
    expect_all("after an update", b, 32, 27);
    CHECK(cudaGraphExecDestroy(exec));

    cudaMemcpy3DParms asked = {};
    CHECK(cudaGraphMemcpyNodeGetParams(third, &asked));
    EXPECT(asked.dstPtr.ptr == b && asked.extent.width == 128);
    cudaLaunchAttributeValue priority = {}, got = {};
    priority.priority = -2;
    CHECK(cudaGraphKernelNodeSetAttribute(second, cudaLaunchAttributePriority, &priority));
    CHECK(cudaGraphKernelNodeGetAttribute(second, cudaLaunchAttributePriority, &got));
    EXPECT(got.priority == -2);
    CHECK(cudaGraphDestroy(graph));
}

/* allocated by one node, used, freed by another, again and again at the same address */
static void memory(void)
{
    int *out = device_array<int>(64);
    CHECK(cudaMemset(out, 0, 64 * sizeof(int)));
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNodeParams alloc = {};
    alloc.type = cudaGraphNodeTypeMemAlloc;
    alloc.alloc.bytesize = 64 * sizeof(int);
    alloc.alloc.poolProps.allocType = cudaMemAllocationTypePinned;
    alloc.alloc.poolProps.location.type = cudaMemLocationTypeDevice;
    cudaGraphNode_t n = node_add(graph, &alloc);
    int *x = (int *)alloc.alloc.dptr;
    EXPECT(x != nullptr);
    cudaGraphNodeParams fill = {};
    fill.type = cudaGraphNodeTypeMemset;
    fill.memset.dst = x;
    fill.memset.elementSize = 4;
    fill.memset.width = 64;
    fill.memset.height = 1;
    fill.memset.value = 3;
    n = node_add(graph, &fill, {n});
    int value = 4;
    void *args[] = {&x, &value};
    cudaGraphNodeParams kernel = kernel_params((void *)add, 64, args);
    n = node_add(graph, &kernel, {n});
    cudaGraphNode_t copy;
    CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &n, 1, out, x, 64 * sizeof(int),
                                   cudaMemcpyDeviceToDevice));
    cudaGraphNodeParams release = {};
    release.type = cudaGraphNodeTypeMemFree;
    release.free.dptr = x;
    node_add(graph, &release, {copy});
    run(graph, 3);
    expect_all("graph memory", out, 64, 7);
    uint64_t used = 1, high = 0; /* what is kept for the next launch counts or not */
    CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &high));
    EXPECT(used <= high);
    CHECK(cudaDeviceGraphMemTrim(0));
    CHECK(cudaGraphDestroy(graph));
}

/* freed outside of the graph; without that a second launch is refused, or frees by itself */
static void memory_outside(void)
{
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaMemAllocNodeParams alloc = {};
    alloc.bytesize = 4096;
    alloc.poolProps.allocType = cudaMemAllocationTypePinned;
    alloc.poolProps.location.type = cudaMemLocationTypeDevice;
    cudaGraphNode_t node;
    CHECK(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &alloc));
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, nullptr));
    CHECK(cudaMemset(alloc.dptr, 0, 4096));
    EXPECT_ERROR(cudaGraphLaunch(exec, nullptr), cudaErrorInvalidValue);
    CHECK(cudaFreeAsync(alloc.dptr, nullptr));
    CHECK(cudaGraphLaunch(exec, nullptr));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(alloc.dptr));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    for (int i = 0; i < 3; i++)
        CHECK(cudaGraphLaunch(exec, nullptr));
    CHECK(cudaFreeAsync(alloc.dptr, nullptr));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}

static void captured_memory(void)
{
    int *out = device_array<int>(32);
    cudaStream_t s;
    CHECK(cudaStreamCreate(&s));
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    int *x = nullptr;
    CHECK(cudaMallocAsync(&x, 32 * sizeof(int), s));
    CHECK(cudaMemsetAsync(x, 0, 32 * sizeof(int), s));
    add<<<1, 32, 0, s>>>(x, 9);
    CHECK(cudaMemcpyAsync(out, x, 32 * sizeof(int), cudaMemcpyDeviceToDevice, s));
    CHECK(cudaFreeAsync(x, s));
    CHECK(cudaStreamEndCapture(s, &graph));
    size_t count = 0;
    CHECK(cudaGraphGetNodes(graph, nullptr, &count));
    EXPECT(count == 5);
    run(graph, 2);
    expect_all("captured memory", out, 32, 9);
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(s));
}

static void while_and_if(void)
{
    int *x = device_array<int>(32), *left = device_array<int>(1);
    int start = 5, one = 1, two = 2;
    CHECK(cudaMemset(x, 0, 32 * sizeof(int)));
    CHECK(cudaMemcpy(left, &start, sizeof start, cudaMemcpyHostToDevice));
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle loop, branch;
    CHECK(cudaGraphConditionalHandleCreate(&loop, graph, 1, cudaGraphCondAssignDefault));
    CHECK(cudaGraphConditionalHandleCreate(&branch, graph, 0, cudaGraphCondAssignDefault));
    cudaGraphNodeParams repeat = {};
    repeat.type = cudaGraphNodeTypeConditional;
    repeat.conditional.handle = loop;
    repeat.conditional.type = cudaGraphCondTypeWhile;
    repeat.conditional.size = 1;
    cudaGraphNode_t node = node_add(graph, &repeat);
    cudaGraph_t body = repeat.conditional.phGraph_out[0];
    void *args[] = {&x, &one};
    cudaGraphNodeParams kernel = kernel_params((void *)add, 32, args);
    cudaGraphNode_t inner = node_add(body, &kernel);
    void *down_args[] = {&left, &loop};
    cudaGraphNodeParams down = kernel_params((void *)count_down, 1, down_args);
    node_add(body, &down, {inner});

    /* if-else: the default takes the second body */
    cudaGraphNodeParams either = {};
    either.type = cudaGraphNodeTypeConditional;
    either.conditional.handle = branch;
    either.conditional.type = cudaGraphCondTypeIf;
    either.conditional.size = 2;
    node_add(graph, &either, {node});
    void *args2[] = {&x, &two};
    cudaGraphNodeParams kernel2 = kernel_params((void *)add, 32, args2);
    node_add(either.conditional.phGraph_out[1], &kernel2);
    int hundred = 100;
    void *args3[] = {&x, &hundred};
    cudaGraphNodeParams kernel3 = kernel_params((void *)add, 32, args3);
    node_add(either.conditional.phGraph_out[0], &kernel3);
    run(graph);
    expect_all("five rounds and the other branch", x, 32, 7);
    CHECK(cudaGraphDestroy(graph));
}

static void switched(void)
{
    int *x = device_array<int>(32);
    for (unsigned which = 0; which < 4; which++) {
        CHECK(cudaMemset(x, 0, 32 * sizeof(int)));
        cudaGraph_t graph;
        CHECK(cudaGraphCreate(&graph, 0));
        cudaGraphConditionalHandle handle;
        CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
        void *set_args[] = {&handle, &which};
        cudaGraphNodeParams set = kernel_params((void *)choose, 1, set_args);
        cudaGraphNode_t first = node_add(graph, &set);
        cudaGraphNodeParams node = {};
        node.type = cudaGraphNodeTypeConditional;
        node.conditional.handle = handle;
        node.conditional.type = cudaGraphCondTypeSwitch;
        node.conditional.size = 3;
        node_add(graph, &node, {first});
        cudaStream_t s;
        CHECK(cudaStreamCreate(&s));
        for (int k = 0; k < 3; k++) { /* bodies by capture into the graphs that the node made */
            CHECK(cudaStreamBeginCaptureToGraph(s, node.conditional.phGraph_out[k], nullptr,
                                                nullptr, 0, cudaStreamCaptureModeGlobal));
            add<<<1, 32, 0, s>>>(x, 10 + k);
            CHECK(cudaStreamEndCapture(s, nullptr));
        }
        run(graph);
        expect_all("switch", x, 32, which < 3 ? 10 + (int)which : 0);
        CHECK(cudaStreamDestroy(s));
        CHECK(cudaGraphDestroy(graph));
    }
}

static int destroyed;

static void user_objects(void)
{
    cudaUserObject_t object;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaUserObjectCreate(
        &object, &destroyed, [](void *p) { ++*(int *)p; }, 1,
        cudaUserObjectNoDestructorSync));
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    EXPECT(destroyed == 0);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 1000000 && !*(volatile int *)&destroyed; i++)
        ; /* it may come later */
    EXPECT(destroyed == 1);
}

int main()
{
    by_description();
    memory();
    memory_outside();
    captured_memory();
    while_and_if();
    switched();
    user_objects();
    return pass();
}
