/*
 * Copies and fills of rectangles and boxes.
 *
 * Proves pitched allocation, cudaMemcpy2D in every direction with different
 * pitches, sub-rectangles, cudaMemcpy3D of a sub-box between pitched memories
 * and through an array, memset of one, two and three dimensions, copies on
 * the device, and that bytes beside the rectangle stay as they were.
 */
#define TEST "memcpy_shapes"
#include "check.h"

#include <cstring>

static unsigned char byte_at(int x, int y, int z)
{
    return (unsigned char)mix(x + 1000 * y + 1000000 * z);
}

/* Adds one to each byte of a rectangle, to show that a kernel sees the same pitch. */
__global__ void increment(unsigned char *data, size_t pitch, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < width && y < height)
        data[y * pitch + x]++;
}

static void rectangles(void)
{
    const int width = 77, height = 19;
    const size_t host_pitch = 90;
    unsigned char *a, *b;
    size_t pitch_a = 0, pitch_b = 0;
    CHECK(cudaMallocPitch(&a, &pitch_a, width, height));
    CHECK(cudaMallocPitch(&b, &pitch_b, width + 400, height + 3));
    EXPECT(pitch_a >= (size_t)width && pitch_a % 32 == 0);
    EXPECT(pitch_b >= (size_t)width + 400);
    std::vector<unsigned char> in(host_pitch * height), out(host_pitch * height, 0xee);
    for (int i = 0; i < (int)in.size(); i++)
        in[i] = byte_at(i % host_pitch, i / host_pitch, 0);

    CHECK(cudaMemcpy2D(a, pitch_a, in.data(), host_pitch, width, height, cudaMemcpyHostToDevice));
    increment<<<dim3(3, height), 32>>>(a, pitch_a, width, height);
    CHECK(cudaMemset2D(b, pitch_b, 0x33, width + 400, height + 3));
    /* a 50 x 10 rectangle from (7, 4) of a to (300, 11) of b, which is within b */
    CHECK(cudaMemcpy2D(b + 11 * pitch_b + 300, pitch_b, a + 4 * pitch_a + 7, pitch_a, 50, 10,
                       cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpy2D(out.data(), host_pitch, a, pitch_a, width, height, cudaMemcpyDeviceToHost));
    for (int i = 0; i < (int)out.size(); i++) {
        int x = i % host_pitch;
        expect_equal("rectangle", i, out[i], x < width ? in[i] + 1 : 0xee);
    }
    std::vector<unsigned char> whole((width + 400) * (height + 3));
    CHECK(cudaMemcpy2DAsync(whole.data(), width + 400, b, pitch_b, width + 400, height + 3,
                            cudaMemcpyDeviceToHost, 0));
    CHECK(cudaStreamSynchronize(0));
    for (int i = 0; i < (int)whole.size(); i++) {
        int x = i % (width + 400) - 300, y = i / (width + 400) - 11;
        bool inside = x >= 0 && x < 50 && y >= 0 && y < 10;
        expect_equal("moved", i, whole[i], inside ? byte_at(x + 7, y + 4, 0) + 1 : 0x33);
    }
    /* A width beyond the pitch makes no sense; an H200 with CUDA 13 calls it an invalid value. */
    EXPECT_ERROR(cudaMemcpy2D(out.data(), 10, a, pitch_a, 11, 1, cudaMemcpyDeviceToHost),
                 cudaErrorInvalidValue);
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
}

static void boxes(void)
{
    const int width = 24, height = 10, depth = 6; /* of ints */
    const struct cudaExtent bytes = make_cudaExtent(width * sizeof(int), height, depth);
    struct cudaPitchedPtr box;
    CHECK(cudaMalloc3D(&box, bytes));
    CHECK(cudaMemset3D(box, 0x5a, bytes));
    std::vector<int> in(width * height * depth);
    for (int i = 0; i < (int)in.size(); i++)
        in[i] = (int)mix(i);

    /* Only the sub-box of 9 x 5 x 3 from (3, 2, 1), to (10, 4, 2). */
    struct cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(in.data(), width * sizeof(int), width, height);
    copy.srcPos = make_cudaPos(3 * sizeof(int), 2, 1);
    copy.dstPtr = box;
    copy.dstPos = make_cudaPos(10 * sizeof(int), 4, 2);
    copy.extent = make_cudaExtent(9 * sizeof(int), 5, 3);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));

    /* All of it to an array (positions now count elements there) and back. */
    struct cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaArray_t array;
    CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(width, height, depth)));
    struct cudaMemcpy3DParms to_array = {}, from_array = {};
    to_array.srcPtr = box;
    to_array.dstArray = array;
    to_array.extent = make_cudaExtent(width, height, depth);
    to_array.kind = cudaMemcpyDeviceToDevice;
    CHECK(cudaMemcpy3D(&to_array));
    std::vector<int> out(in.size());
    from_array.srcArray = array;
    from_array.dstPtr = make_cudaPitchedPtr(out.data(), width * sizeof(int), width, height);
    from_array.extent = make_cudaExtent(width, height, depth);
    from_array.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3DAsync(&from_array, 0));
    CHECK(cudaStreamSynchronize(0));
    for (int i = 0; i < (int)out.size(); i++) {
        int x = i % width - 10, y = i / width % height - 4, z = i / (width * height) - 2;
        bool inside = x >= 0 && x < 9 && y >= 0 && y < 5 && z >= 0 && z < 3;
        int from = ((z + 1) * height + y + 2) * width + x + 3;
        expect_equal("box", i, out[i], inside ? in[from] : 0x5a5a5a5a);
    }
    CHECK(cudaFreeArray(array));
    CHECK(cudaFree(box.ptr));
}

static void lines(void)
{
    const int count = 1000;
    unsigned char *data = device_array<unsigned char>(count);
    CHECK(cudaMemset(data, 1, count));
    CHECK(cudaMemset(data + 13, 2, 101)); /* no alignment to lean on */
    CHECK(cudaMemsetAsync(data + 999, 3, 1, 0));
    CHECK(cudaMemcpy(data + 501, data + 10, 203, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpyAsync(data + 250, data + 251, 0, cudaMemcpyDeviceToDevice, 0)); /* nothing */
    std::vector<unsigned char> got = host_copy(data, count), want(count, 1);
    memset(&want[13], 2, 101);
    want[999] = 3;
    memcpy(&want[501], &want[10], 203);
    for (int i = 0; i < count; i++)
        expect_equal("line", i, got[i], want[i]);
    CHECK(cudaFree(data));
}

/* Two copies in one call, which CUDA 13 describes this way. */
static void in_one_call(void)
{
#if CUDART_VERSION >= 13000
    std::vector<int> in(16);
    for (int i = 0; i < 16; i++)
        in[i] = i;
    int *from = device_copy(in), *to = device_array<int>(16);
    void *ends[] = {to, to + 8};
    const void *starts[] = {from + 8, from};
    size_t bytes[] = {32, 32}, index[] = {0};
    cudaMemcpyAttributes attributes = {};
    attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    cudaStream_t s;
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaMemcpyBatchAsync(ends, starts, bytes, 2, &attributes, index, 1, s));
    CHECK(cudaStreamSynchronize(s));
    std::vector<int> got = host_copy(to, 16);
    for (int i = 0; i < 16; i++)
        expect_equal("batch", i, got[i], (i + 8) % 16);
    CHECK(cudaStreamDestroy(s));
#endif
}

int main(void)
{
    lines();
    rectangles();
    boxes();
    in_one_call();
    return pass();
}
