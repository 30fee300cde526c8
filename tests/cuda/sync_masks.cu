// Lanes outside the mask of their own _sync instruction, in warps that have not diverged: every
// form, whole warps and warps whose upper lanes have ended. expected/sync_masks.txt is what an H200
// answers.
#define TEST "sync_masks"
#include "check.h"

static const int forms = 12;

__device__ unsigned answer(int form, unsigned mask, unsigned x)
{
    int all;
    switch (form) {
    case 0:
        return __shfl_sync(mask, x, 3);
    case 1:
        return __shfl_up_sync(mask, x, 2);
    case 2:
        return __shfl_down_sync(mask, x, 5);
    case 3:
        return __shfl_xor_sync(mask, x, 1);
    case 4:
        return __shfl_xor_sync(mask, x, 16);
    case 5:
        return __shfl_sync(mask, x, 1, 8);
    case 6:
        return __ballot_sync(mask, x & 1);
    case 7:
        return __any_sync(mask, x == 104);
    case 8:
        return __all_sync(mask, x >= 100);
    case 9:
        return __match_any_sync(mask, x & 3);
    case 10:
        x = __match_all_sync(mask, x >> 5, &all);
        return x ^ (all ? 0u : 0x80000000u);
    default:
        __syncwarp(mask);
        return x;
    }
}

template <int form> __global__ void whole(unsigned mask, unsigned *out)
{
    out[threadIdx.x] = answer(form, mask, 100 + threadIdx.x);
}

template <int form> __global__ void shortened(unsigned mask, unsigned *out)
{
    unsigned lane = threadIdx.x, sum = 100 + lane;
    if (lane >= 24)
        return;
    for (int i = 0; i < 3; i++)
        sum += answer(form, mask, 100 + lane) & 255;
    out[lane] = sum;
}

static void show(const char *kernel, int form, unsigned mask, unsigned *out)
{
    wait_for_kernels();
    std::vector<unsigned> got = host_copy(out, 32);
    printf("%s %d %08x", kernel, form, mask);
    for (unsigned value : got)
        printf(" %u", value);
    printf("\n");
    cudaMemset(out, 0, 32 * sizeof(unsigned));
}

template <int form> static void try_form(unsigned *out)
{
    for (unsigned mask : {0xffffffffu, 0xffffu, 0x5555u, 0x80000001u, 0x00ff00ffu}) {
        whole<form><<<1, 32>>>(mask, out);
        show("whole", form, mask, out);
        shortened<form><<<1, 32>>>(mask, out);
        show("shortened", form, mask, out);
    }
    if constexpr (form + 1 < forms)
        try_form<form + 1>(out);
}

int main(void)
{
    unsigned *out = device_array<unsigned>(32);
    cudaMemset(out, 0, 32 * sizeof(unsigned));
    try_form<0>(out);
    return pass();
}
