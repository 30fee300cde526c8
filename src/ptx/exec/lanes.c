#include "ptx/exec/lanes.h"

#include "ptx/exec/lane_memory.h"
#include "ptx/exec/warp.h"

static bool has_avx2(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

lane_fn *const *lanes_select(void)
{
    return has_avx2() ? lanes_avx2 : lanes_baseline;
}

const struct lane_memory *lane_memory_select(void)
{
    return has_avx2() ? &lane_memory_avx2 : &lane_memory_baseline;
}

/* dst2, where there is one, gets the upper 32 bits of the result. */
void lanes_scalar(struct warp *w, const struct op *op, u32 mask)
{
    const u8 *source[4] = {NULL, NULL, NULL, NULL};
    u32 count = 0;
    while (count < 4 && op->src[count] != REF_NONE) {
        source[count] = ref_get(w, op->src[count]);
        count++;
    }
    u8 *d = ref_get(w, op->dst);
    u8 *d2 = op->dst2 == REF_NONE ? NULL : ref_get(w, op->dst2);
    for (u32 left = mask; left; left &= left - 1) {
        u32 lane = (u32)__builtin_ctz(left);
        u64 s[4] = {0};
        for (u32 k = 0; k < count; k++)
            s[k] = lane_read(source[k], lane, op->src_bytes[k]);
        u64 r = op->scalar(op, s);
        lane_write(d, lane, op->dst_bytes, r);
        if (d2)
            lane_write(d2, lane, 0, r >> 32);
    }
}
