#include "isa/exec/lanes.h"

#include "isa/exec/warp.h"

#include <string.h>

lane_fn *const *lanes_select(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return lanes_avx2;
#endif
    return lanes_baseline;
}

static inline u64 read_lane(const u8 *vector, u32 lane, u8 bytes)
{
    u64 v = 0;
    switch (bytes) {
    case 0:
        return *(const u32 *)(const void *)vector >> lane & 1;
    case 1:
        return vector[lane];
    case 2:
        return ((const u16 *)(const void *)vector)[lane];
    case 4:
        return ((const u32 *)(const void *)vector)[lane];
    default:
        memcpy(&v, vector + (size_t)lane * bytes, 8);
        return v;
    }
}

static inline void write_lane(u8 *vector, u32 lane, u8 bytes, u64 value)
{
    switch (bytes) {
    case 0: {
        u32 *mask = (u32 *)(void *)vector;
        *mask = (*mask & ~(1u << lane)) | (u32)(value & 1) << lane;
        break;
    }
    case 1:
        vector[lane] = (u8)value;
        break;
    case 2:
        ((u16 *)(void *)vector)[lane] = (u16)value;
        break;
    case 4:
        ((u32 *)(void *)vector)[lane] = (u32)value;
        break;
    default:
        memcpy(vector + (size_t)lane * bytes, &value, 8);
    }
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
            s[k] = read_lane(source[k], lane, op->src_bytes[k]);
        u64 r = op->scalar(op, s);
        write_lane(d, lane, op->dst_bytes, r);
        if (d2)
            write_lane(d2, lane, 0, r >> 32);
    }
}
