/*
 * Tensor maps changed on the device, as CUTLASS's grouped GEMM and Triton's device descriptors do:
 * every block changes the address, dimensions and stride of a host's map for its own matrix, or
 * makes a map from zeros, copies it to global memory, and loads and stores boxes through it. The
 * host's map has no address, and its bit 85 is cleared, as both do.
 */
#define TEST "tensor_maps"
#include "check.h"

#include <cuda.h>

enum { MATRICES = 3, BOX_ROWS = 8, BOX_COLUMNS = 16, BOX = BOX_ROWS * BOX_COLUMNS };

struct matrix {
    float *data, *out;
    int rows, columns, pitch; /* elements */
};

static __device__ unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

static __device__ void describe(unsigned map, const float *data, const struct matrix &m,
                                bool from_zeros)
{
#define REPLACE(field, type, ...)                                                                  \
    asm volatile("tensormap.replace.tile." field ".shared::cta.b1024." type ";" ::"r"(map),        \
                 __VA_ARGS__                                                                       \
                 : "memory")
    REPLACE("global_address", "b64 [%0], %1", "l"(data));
    REPLACE("global_dim", "b32 [%0], 0, %1", "r"(m.columns));
    REPLACE("global_dim", "b32 [%0], 1, %1", "r"(m.rows));
    REPLACE("global_stride", "b64 [%0], 0, %1", "l"(4ull * m.pitch));
    if (!from_zeros)
        return;
    REPLACE("rank", "b32 [%0], %1", "n"(1));
    REPLACE("box_dim", "b32 [%0], 0, %1", "r"((int)BOX_COLUMNS));
    REPLACE("box_dim", "b32 [%0], 1, %1", "r"((int)BOX_ROWS));
    REPLACE("element_stride", "b32 [%0], 0, %1", "r"(1));
    REPLACE("element_stride", "b32 [%0], 1, %1", "r"(1));
    REPLACE("elemtype", "b32 [%0], %1", "n"(7));
    REPLACE("interleave_layout", "b32 [%0], %1", "n"(0));
    REPLACE("swizzle_mode", "b32 [%0], %1", "n"(0));
    REPLACE("fill_mode", "b32 [%0], %1", "n"(0));
#undef REPLACE
}

/* A warp a block: each box of the matrix to shared memory, doubled, and back to `out`. */
__global__ void double_boxes(const __grid_constant__ CUtensorMap base, bool from_zeros,
                             const struct matrix *all, CUtensorMap *maps)
{
    __shared__ alignas(128) unsigned map[2][32];
    __shared__ alignas(128) float box[BOX];
    __shared__ alignas(8) unsigned long long bar;
    const struct matrix m = all[blockIdx.x];
    unsigned lane = threadIdx.x;
    for (int i = 0; i < 2; i++)
        map[i][lane] = from_zeros ? 0 : ((const unsigned *)&base)[lane];
    if (lane == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(&bar)) : "memory");
    __syncwarp();
    if (lane == 0) {
        describe(shared_address(map[0]), m.data, m, from_zeros);
        describe(shared_address(map[1]), m.out, m, from_zeros);
    }
    __syncwarp();
    CUtensorMap *mine = maps + 2 * blockIdx.x;
    for (int i = 0; i < 2; i++)
        asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu"
                     ".sync.aligned [%0], [%1], 128;" ::"l"(mine + i),
                     "r"(shared_address(map[i]))
                     : "memory");
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(mine) : "memory");
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(mine + 1)
                 : "memory");
    unsigned phase = 0;
    for (int row = 0; row < m.rows; row += BOX_ROWS) {
        for (int column = 0; column < m.columns; column += BOX_COLUMNS) {
            if (lane == 0) {
                asm volatile(
                    "mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(&bar)),
                    "r"((int)(BOX * 4))
                    : "memory");
                asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx"
                             "::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(box)),
                             "l"(mine), "r"(column), "r"(row), "r"(shared_address(&bar))
                             : "memory");
            }
            asm volatile(
                "{\n.reg .pred p;\nAGAIN:\n"
                "mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@!p bra AGAIN;\n}" ::"r"(
                    shared_address(&bar)),
                "r"(phase)
                : "memory");
            phase ^= 1;
            for (unsigned i = lane; i < BOX; i += 32)
                box[i] *= 2;
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            __syncwarp();
            if (lane == 0) {
                asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}],"
                             " [%3];" ::"l"(mine + 1),
                             "r"(column), "r"(row), "r"(shared_address(box))
                             : "memory");
                asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;" ::
                                 : "memory");
            }
            __syncwarp();
        }
    }
    if (lane == 0)
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

static void check_all(const CUtensorMap &base, bool from_zeros)
{
    static const int shapes[MATRICES][3] = {{8, 16, 16}, {19, 33, 36}, {40, 5, 8}};
    std::vector<matrix> all;
    for (const int *s : shapes) {
        std::vector<float> host((size_t)s[0] * s[2]);
        for (size_t i = 0; i < host.size(); i++)
            host[i] = (float)(mix((uint32_t)i + 77u * s[0]) % 1000);
        all.push_back({device_copy(host), device_copy(host), s[0], s[1], s[2]});
    }
    matrix *matrices = device_copy(all);
    CUtensorMap *maps = device_array<CUtensorMap>(2 * MATRICES);
    double_boxes<<<MATRICES, 32>>>(base, from_zeros, matrices, maps);
    wait_for_kernels();
    for (const matrix &m : all) {
        size_t count = (size_t)m.rows * m.pitch;
        std::vector<float> was = host_copy(m.data, count), is = host_copy(m.out, count);
        for (size_t i = 0; i < count; i++) /* what lies outside the tensor is not written */
            expect_equal("out", i, is[i], was[i] * ((int)(i % m.pitch) < m.columns ? 2 : 1));
    }
}

int main()
{
    CUtensorMap base;
    cuuint64_t dimensions[] = {BOX_COLUMNS, BOX_ROWS}, strides[] = {BOX_COLUMNS * 4};
    cuuint32_t box[] = {BOX_COLUMNS, BOX_ROWS}, steps[] = {1, 1};
    CHECK(cudaFree(nullptr));
    EXPECT(cuTensorMapEncodeTiled(
               &base, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, nullptr, dimensions, strides, box, steps,
               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    reinterpret_cast<uint64_t *>(&base)[1] &= ~(1ull << 21); /* NVIDIA's advice for small tensors */
    check_all(base, false);
    check_all(base, true);
    return pass();
}
