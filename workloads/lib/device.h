/*
 * The part of CUDA C++ that the kernels use, for clang without a CUDA toolkit: qualifiers, built-in
 * variables, atomics, shuffles, votes. Names and meanings are CUDA's, so nvcc compiles the same
 * kernels with its own headers. __syncthreads is clang's own builtin.
 *
 * PTX is made without contraction (tools/ptx): a product and a sum are fused where the kernel says
 * fmaf and nowhere else, so that a CPU can do the same operations in the same order.
 */
#ifndef WORKLOADS_DEVICE_H
#define WORKLOADS_DEVICE_H

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

#define ALL_LANES 0xffffffffu

#ifndef __NVCC__

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define DEVICE_CALL static inline __device__ __attribute__((always_inline))

/* threadIdx.x and the like are reads of special registers that look like fields. */
#define SPECIAL_FIELD(axis, reg)                                                                   \
    __declspec(property(get = read_##axis)) u32 axis;                                              \
    DEVICE_CALL u32 read_##axis()                                                                  \
    {                                                                                              \
        return (u32)__nvvm_read_ptx_sreg_##reg##_##axis();                                         \
    }
#define SPECIAL(name, reg)                                                                         \
    struct name##_fields {                                                                         \
        SPECIAL_FIELD(x, reg) SPECIAL_FIELD(y, reg) SPECIAL_FIELD(z, reg)                          \
    };                                                                                             \
    extern const __device__ __attribute__((weak)) name##_fields name;
SPECIAL(threadIdx, tid)
SPECIAL(blockIdx, ctaid)
SPECIAL(blockDim, ntid)
SPECIAL(gridDim, nctaid)

#define DEVICE_ATOMIC(name, type, builtin, as)                                                     \
    DEVICE_CALL type name(type *at, type value)                                                    \
    {                                                                                              \
        return (type)builtin((as *)at, (as)value);                                                 \
    }
DEVICE_ATOMIC(atomicAdd, int, __nvvm_atom_add_gen_i, int)
DEVICE_ATOMIC(atomicAdd, u32, __nvvm_atom_add_gen_i, int)
DEVICE_ATOMIC(atomicAdd, u64, __nvvm_atom_add_gen_ll, long long)
DEVICE_ATOMIC(atomicAdd, float, __nvvm_atom_add_gen_f, float)
DEVICE_ATOMIC(atomicAdd, double, __nvvm_atom_add_gen_d, double)
DEVICE_ATOMIC(atomicMin, int, __nvvm_atom_min_gen_i, int)
DEVICE_ATOMIC(atomicMin, u32, __nvvm_atom_min_gen_ui, u32)
DEVICE_ATOMIC(atomicMax, int, __nvvm_atom_max_gen_i, int)
DEVICE_ATOMIC(atomicMax, u32, __nvvm_atom_max_gen_ui, u32)
DEVICE_ATOMIC(atomicAnd, u32, __nvvm_atom_and_gen_i, int)
DEVICE_ATOMIC(atomicOr, u32, __nvvm_atom_or_gen_i, int)
DEVICE_ATOMIC(atomicExch, u32, __nvvm_atom_xchg_gen_i, int)

DEVICE_CALL u32 atomicCAS(u32 *at, u32 expected, u32 value)
{
    return (u32)__nvvm_atom_cas_gen_i((int *)at, (int)expected, (int)value);
}

/* The last operand of shfl is the width, as a mask of lane bits, and the lane not to go beyond. */
#define DEVICE_SHUFFLE(name, mode, bound)                                                          \
    DEVICE_CALL u32 name(u32 lanes, u32 value, u32 by, u32 width = 32)                             \
    {                                                                                              \
        return (u32)__nvvm_shfl_sync_##mode##_i32((int)lanes, (int)value, (int)by,                 \
                                                  (int)(((32 - width) << 8) | (bound)));           \
    }                                                                                              \
    DEVICE_CALL int name(u32 lanes, int value, u32 by, u32 width = 32)                             \
    {                                                                                              \
        return (int)name(lanes, (u32)value, by, width);                                            \
    }                                                                                              \
    DEVICE_CALL float name(u32 lanes, float value, u32 by, u32 width = 32)                         \
    {                                                                                              \
        return __nvvm_shfl_sync_##mode##_f32((int)lanes, value, (int)by,                           \
                                             (int)(((32 - width) << 8) | (bound)));                \
    }
DEVICE_SHUFFLE(__shfl_sync, idx, 31)
DEVICE_SHUFFLE(__shfl_up_sync, up, 0)
DEVICE_SHUFFLE(__shfl_down_sync, down, 31)
DEVICE_SHUFFLE(__shfl_xor_sync, bfly, 31)

DEVICE_CALL u32 __ballot_sync(u32 lanes, int claim)
{
    return __nvvm_vote_ballot_sync(lanes, claim);
}
DEVICE_CALL void __syncwarp(u32 lanes = ALL_LANES)
{
    __nvvm_bar_warp_sync(lanes);
}
/* A barrier of the block that also tells whether the claim holds in any thread. */
DEVICE_CALL int __syncthreads_or(int claim)
{
    return __nvvm_bar0_or(claim);
}
DEVICE_CALL void __threadfence()
{
    __nvvm_membar_gl();
}

/* The same bits. */
DEVICE_CALL u32 __float_as_uint(float x)
{
    return (u32)__nvvm_bitcast_f2i(x);
}
DEVICE_CALL float __uint_as_float(u32 x)
{
    return __nvvm_bitcast_i2f((int)x);
}

DEVICE_CALL float fmaf(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}
DEVICE_CALL double fma(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}
DEVICE_CALL float sqrtf(float x)
{
    return __nvvm_sqrt_rn_f(x);
}

#endif /* __NVCC__ */

#endif
