/* Instructions in which lanes of a warp exchange values. `mask` is who takes part. */
#include "ptx/decode/decode.h"
#include "ptx/exec/warp.h"

#include <string.h>

/* b: lane or distance; c: clamp in bits 0-4, segment mask in bits 8-12. A source lane that
 * takes no part gives an undefined value: its register or, if it has ended, zero, as hardware
 * does. */
void lane_shuffle(struct warp *w, const struct op *op, u32 mask)
{
    u32 a[LANES], from[LANES], valid = 0, sources = 0;
    const u32 *b = ref_get(w, op->src[1]), *c = ref_get(w, op->src[2]);
    memcpy(a, ref_get(w, op->src[0]), sizeof a);
    EACH (lane, mask) {
        u32 bval = b[lane] & 31, clamp = c[lane] & 31, segment = c[lane] >> 8 & 31;
        u32 top = (lane & segment) | (clamp & ~segment), bottom = lane & segment;
        i32 j;
        bool p;
        if (op->flags & MOD_UP) {
            j = (i32)lane - (i32)bval;
            p = j >= (i32)top;
        } else if (op->flags & MOD_DOWN) {
            j = (i32)(lane + bval);
            p = j <= (i32)top;
        } else if (op->flags & MOD_BFLY) {
            j = (i32)(lane ^ bval);
            p = j <= (i32)top;
        } else {
            j = (i32)(bottom | (bval & ~segment & 31));
            p = j <= (i32)top;
        }
        if (!p)
            j = (i32)lane;
        from[lane] = (u32)j & 31;
        sources |= 1u << from[lane];
        valid |= (u32)p << lane;
    }
    if (UNLIKELY(sources & ~mask)) {
        EACH (lane, sources & ~mask & warp_ended_lanes(w))
            a[lane] = 0;
    }
    u32 *d = ref_get(w, op->dst);
    EACH (lane, mask)
        d[lane] = a[from[lane]];
    predicate_merge(w, op->dst2, valid, mask);
}

void lane_vote(struct warp *w, const struct op *op, u32 mask)
{
    u32 p = *(const u32 *)ref_get(w, op->src[0]);
    if (op->negate)
        p = ~p;
    u32 yes = p & mask;
    if (op->flags & MOD_BALLOT) {
        u32 *d = ref_get(w, op->dst);
        EACH (lane, mask)
            d[lane] = yes;
        return;
    }
    bool r = op->flags & MOD_ALL   ? yes == mask
             : op->flags & MOD_ANY ? yes != 0
                                   : yes == mask || yes == 0;
    predicate_merge(w, op->dst, r ? ALL_LANES : 0, mask);
}

void lane_match(struct warp *w, const struct op *op, u32 mask)
{
    u8 bytes = op->src_bytes[0];
    const u8 *s = ref_get(w, op->src[0]);
    u64 a[LANES] = {0};
    EACH (i, mask)
        memcpy(&a[i], s + (size_t)i * bytes, bytes);
    u32 *d = ref_get(w, op->dst), all = 0;
    for (u32 left = mask; left;) { /* one value at a time */
        u64 value = a[__builtin_ctz(left)];
        u32 same = 0;
        for (u32 k = 0; k < LANES; k++)
            same |= (u32)(a[k] == value) << k;
        same &= mask;
        all |= same == mask ? mask : 0;
        EACH (i, same)
            d[i] = !(op->flags & MOD_ALL) || same == mask ? same : 0;
        left &= ~same;
    }
    predicate_merge(w, op->dst2, all, mask);
}

void lane_redux(struct warp *w, const struct op *op, u32 mask)
{
    const u32 *a = ref_get(w, op->src[0]);
    u32 *d = ref_get(w, op->dst), r = a[__builtin_ctz(mask)];
    bool is_signed = op->type == TYPE_S32;
    EACH (i, mask & (mask - 1)) {
        switch ((enum operation)op->operation) {
        case OPERATION_ADD:
            r += a[i];
            break;
        case OPERATION_AND:
            r &= a[i];
            break;
        case OPERATION_OR:
            r |= a[i];
            break;
        case OPERATION_XOR:
            r ^= a[i];
            break;
        case OPERATION_MIN:
            r = is_signed ? (u32)((i32)a[i] < (i32)r ? (i32)a[i] : (i32)r) : a[i] < r ? a[i] : r;
            break;
        default:
            r = is_signed ? (u32)((i32)a[i] > (i32)r ? (i32)a[i] : (i32)r) : a[i] > r ? a[i] : r;
        }
    }
    EACH (i, mask)
        d[i] = r;
}

void lane_activemask(struct warp *w, const struct op *op, u32 mask)
{
    u32 *d = ref_get(w, op->dst), active = w->paths[w->current].mask;
    EACH (i, mask)
        d[i] = active;
}

void lane_elect(struct warp *w, const struct op *op, u32 mask)
{
    u32 leader = (u32)__builtin_ctz(mask);
    u32 *d = ref_get(w, op->dst);
    EACH (i, mask)
        d[i] = leader;
    predicate_merge(w, op->dst2, 1u << leader, mask);
}
