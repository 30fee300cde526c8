/*
 * What the 32 threads of a warp tell each other without memory.
 *
 * Proves shuffles of every direction and width, of 32-bit and 64-bit values,
 * under full and partial masks; votes, match_any and match_all, warp-wide
 * reductions (redux on sm_80 and later), lane masks, the active mask inside a
 * branch, and __syncwarp as a fence between lanes.
 */
#define TEST "warp_intrinsics"
#include "check.h"

static const unsigned all_lanes = 0xffffffffu, odd = 0xaaaaaaaau;
static const int threads = 64, fields = 40;

__host__ __device__ static int value_of(int i)
{
    return (int)(mix(i) % 10);
}

__global__ void observe(int *out)
{
    __shared__ int slots[threads];
    int t = threadIdx.x, lane = t & 31, v = value_of(t), *o = out + t * fields;
    double d = v * 0.5 + t;
    int all_equal = -1;

    o[0] = __shfl_sync(all_lanes, t, 5);
    o[1] = __shfl_sync(all_lanes, t, lane * 7); /* the index wraps at 32 */
    o[2] = __shfl_sync(all_lanes, t, 3, 8);     /* lane 3 of each eight */
    o[3] = __shfl_up_sync(all_lanes, t, 1);
    o[4] = __shfl_up_sync(all_lanes, t, 3, 16);
    o[5] = __shfl_down_sync(all_lanes, t, 2);
    o[6] = __shfl_down_sync(all_lanes, t, 5, 8);
    o[7] = __shfl_xor_sync(all_lanes, t, 1);
    o[8] = __shfl_xor_sync(all_lanes, t, 21);
    o[9] = __shfl_xor_sync(all_lanes, t, 2, 4);
    o[10] = (int)(__shfl_xor_sync(all_lanes, d, 16) * 2);
    o[11] = (int)(__shfl_down_sync(all_lanes, (long long)t << 40, 1) >> 40);

    o[12] = (int)__ballot_sync(all_lanes, v & 1);
    o[13] = __any_sync(all_lanes, v == 0);
    o[14] = __all_sync(all_lanes, v < 10);
    o[15] = __all_sync(all_lanes, v < 9);
    o[16] = (int)__match_any_sync(all_lanes, v);
    o[17] = (int)__match_any_sync(all_lanes, (long long)v << 35);
    o[18] = (int)__match_all_sync(all_lanes, t / 32, &all_equal);
    o[19] = all_equal;
    o[20] = (int)__match_all_sync(all_lanes, v, &all_equal);
    o[21] = all_equal;

    /* Lanes of the odd mask talk among themselves while the others stay away. */
    o[22] = o[23] = o[24] = o[25] = -1;
    if (lane & 1) {
        o[22] = __shfl_sync(odd, v, 31);
        o[23] = (int)__ballot_sync(odd, v > 4);
        o[24] = (int)__match_any_sync(odd, v);
        unsigned active = __activemask();
        /* Which lanes run together is the hardware's choice; who may is not. */
        o[25] = (active & ~odd) == 0 && (active >> lane & 1);
    }
    __syncwarp();

#if __CUDA_ARCH__ >= 800
    o[26] = __reduce_add_sync(all_lanes, v);
    o[27] = __reduce_min_sync(all_lanes, v - 5);
    o[28] = (int)__reduce_max_sync(all_lanes, mix(t));
    o[29] = (int)__reduce_and_sync(all_lanes, mix(t) | 0xff);
    o[30] = (int)__reduce_or_sync(all_lanes, 1u << v);
    o[31] = (int)__reduce_xor_sync(all_lanes, mix(t));
#else
    int add = v, low = v - 5;
    unsigned high = mix(t), both = mix(t) | 0xff, any = 1u << v, differ = mix(t);
    for (int step = 16; step; step /= 2) {
        add += __shfl_xor_sync(all_lanes, add, step);
        low = min(low, __shfl_xor_sync(all_lanes, low, step));
        high = max(high, __shfl_xor_sync(all_lanes, high, step));
        both &= __shfl_xor_sync(all_lanes, both, step);
        any |= __shfl_xor_sync(all_lanes, any, step);
        differ ^= __shfl_xor_sync(all_lanes, differ, step);
    }
    o[26] = add, o[27] = low, o[28] = (int)high, o[29] = (int)both, o[30] = (int)any;
    o[31] = (int)differ;
#endif
    slots[t] = v * 3;
    __syncwarp();
    o[32] = slots[t ^ 31];
    __syncwarp();
    slots[t ^ 1] = o[32] + 1;
    __syncwarp();
    o[33] = slots[t];

    unsigned lane_id, equal, below, not_above, above;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane_id));
    asm("mov.u32 %0, %%lanemask_eq;" : "=r"(equal));
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    asm("mov.u32 %0, %%lanemask_le;" : "=r"(not_above));
    asm("mov.u32 %0, %%lanemask_gt;" : "=r"(above));
    o[34] = (int)lane_id, o[35] = (int)equal, o[36] = (int)below, o[37] = (int)not_above;
    o[38] = (int)above;
    o[39] = (int)__activemask();
}

/* Lane `from` of t's segment of `width` lanes; outside it, t keeps its own. */
static int shuffled(int t, int from, int width)
{
    int segment = t / width * width;
    return from >= segment && from < segment + width ? from : t;
}

static void expected(int t, int *w)
{
    int lane = t & 31, first = t - lane, v = value_of(t);
    unsigned ballot = 0, match = 0, odd_ballot = 0, odd_match = 0;
    unsigned high = 0, both = ~0u, any = 0, differ = 0;
    bool zero = false, under_9 = true, same = true;
    int add = 0, low = 99;
    for (int l = 0; l < 32; l++) {
        int other = value_of(first + l);
        unsigned bit = 1u << l, m = mix(first + l);
        ballot |= other & 1 ? bit : 0;
        match |= other == v ? bit : 0;
        odd_ballot |= (l & 1) && other > 4 ? bit : 0;
        odd_match |= (l & 1) && other == v ? bit : 0;
        zero |= other == 0;
        under_9 &= other < 9;
        same &= other == value_of(first);
        add += other;
        low = other - 5 < low ? other - 5 : low;
        high = m > high ? m : high;
        both &= m | 0xff;
        any |= 1u << other;
        differ ^= m;
    }
    const int want[fields] = {first + 5,
                              first + lane * 7 % 32,
                              t / 8 * 8 + 3,
                              shuffled(t, t - 1, 32),
                              shuffled(t, t - 3, 16),
                              shuffled(t, t + 2, 32),
                              shuffled(t, t + 5, 8),
                              t ^ 1,
                              t ^ 21,
                              t ^ 2,
                              value_of(t ^ 16) + 2 * (t ^ 16),
                              shuffled(t, t + 1, 32),
                              (int)ballot,
                              zero,
                              1,
                              under_9,
                              (int)match,
                              (int)match,
                              (int)all_lanes,
                              1,
                              same ? (int)all_lanes : 0,
                              same,
                              lane & 1 ? value_of(first + 31) : -1,
                              lane & 1 ? (int)odd_ballot : -1,
                              lane & 1 ? (int)odd_match : -1,
                              lane & 1 ? 1 : -1,
                              add,
                              low,
                              (int)high,
                              (int)both,
                              (int)any,
                              (int)differ,
                              value_of(t ^ 31) * 3,
                              value_of(t ^ 1 ^ 31) * 3 + 1,
                              lane,
                              (int)(1u << lane),
                              (int)((1u << lane) - 1),
                              (int)((2u << lane) - 1),
                              (int)~((2u << lane) - 1),
                              (int)all_lanes};
    for (int f = 0; f < fields; f++)
        w[f] = want[f];
}

int main(void)
{
    int *out = device_array<int>(threads * fields), want[fields];
    observe<<<1, threads>>>(out);
    wait_for_kernels();
    std::vector<int> got = host_copy(out, threads * fields);
    for (int t = 0; t < threads; t++) {
        expected(t, want);
        for (int f = 0; f < fields; f++)
            expect_equal("observed", t * fields + f, got[t * fields + f], want[f]);
    }
    return pass();
}
