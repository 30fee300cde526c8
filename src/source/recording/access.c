#include "source/recording/access.h"

/* The byte. */
enum { ACCESS_GLOBAL, ACCESS_SHARED, ACCESS_LOCAL, ACCESS_CONST, ACCESS_SPACE = 3 };
#define ACCESS_MIXED 0x04u /* masks of all four spaces follow */
#define ACCESS_SHAPE_SHIFT 3
#define ACCESS_SHAPE 0x38u
#define ACCESS_STEP 0x40u /* as far from the last time as that was from the time before */
#define ACCESS_UNUSED 0x80u

enum access_shape {
    SHAPE_SAME,   /* stride between lanes as the last time */
    SHAPE_STRIDE, /* stride between lanes */
    SHAPE_EACH,   /* difference of each lane to the one before */
    SHAPE_RUNS,   /* how many lanes with the same difference, and the difference */
    SHAPE_AGAIN,  /* listed as the last time, for the same lanes */
    SHAPE_COUNT,
};

static u32 space_bits(const struct winst *w)
{
    if (w->in_global == w->mask)
        return ACCESS_GLOBAL;
    if (w->in_shared == w->mask)
        return ACCESS_SHARED;
    if (w->in_local == w->mask)
        return ACCESS_LOCAL;
    return w->in_const == w->mask ? ACCESS_CONST : ACCESS_MIXED;
}

/* Differences between one lane and the next that takes part; returns how many. */
static u32 differences(const u64 *address, u32 lanes, u64 *out)
{
    u32 count = 0, last = (u32)__builtin_ctz(lanes);
    for (u32 left = lanes & (lanes - 1); left; left &= left - 1) {
        u32 lane = (u32)__builtin_ctz(left);
        out[count++] = address[lane] - address[last];
        last = lane;
    }
    return count;
}

static bool has_stride(const u64 *address, u32 lanes, u64 stride)
{
    u32 first = (u32)__builtin_ctz(lanes);
    for (u32 left = lanes; left; left &= left - 1) {
        u32 lane = (u32)__builtin_ctz(left);
        if (address[lane] != address[first] + (lane - first) * stride)
            return false;
    }
    return true;
}

static bool find_stride(const u64 *address, u32 lanes, u64 *stride)
{
    u32 rest = lanes & (lanes - 1);
    if (!rest)
        return false;
    u32 first = (u32)__builtin_ctz(lanes), second = (u32)__builtin_ctz(rest);
    i64 apart = (i64)(address[second] - address[first]), lanes_apart = (i64)(second - first);
    *stride = (u64)(apart / lanes_apart);
    return apart % lanes_apart == 0 && has_stride(address, lanes, *stride);
}

static u32 run_at(const u64 *d, u32 count, u32 start)
{
    u32 length = 1;
    while (start + length < count && d[start + length] == d[start])
        length++;
    return length;
}

static enum access_shape shape_of(const struct winst *w, u32 lanes, const struct access_slot *slot,
                                  u64 *stride)
{
    if (has_stride(w->address, lanes, slot->stride))
        return SHAPE_SAME;
    if (find_stride(w->address, lanes, stride))
        return SHAPE_STRIDE;
    u64 d[WARP_LANES];
    u32 count = differences(w->address, lanes, d), runs = 0;
    for (u32 i = 0; i < count; i += run_at(d, count, i))
        runs++;
    return 2 * runs <= count ? SHAPE_RUNS : SHAPE_EACH;
}

static void put_lanes(struct bytes *out, const u64 *address, u32 lanes, enum access_shape shape)
{
    u64 d[WARP_LANES];
    u32 count = differences(address, lanes, d), length = 1;
    for (u32 i = 0; i < count; i += length) {
        if (shape == SHAPE_RUNS) {
            length = run_at(d, count, i);
            put_u8(out, length);
        }
        put_difference(out, d[i]);
    }
}

/* Lists the lanes; if the instruction has listed them like this before, takes that back. */
static enum access_shape list_lanes(struct bytes *out, const u64 *address, u32 lanes,
                                    enum access_shape shape, struct access_slot *slot)
{
    size_t start = out->length;
    put_lanes(out, address, lanes, shape);
    size_t bytes = out->length - start;
    if (slot->lanes_at && slot->lanes == lanes && slot->shape == shape &&
        slot->lanes_at + bytes <= start &&
        memcmp(out->data + slot->lanes_at, out->data + start, bytes) == 0) {
        out->length = start;
        return SHAPE_AGAIN;
    }
    slot->lanes_at = (u32)start;
    slot->lanes = lanes;
    slot->shape = (u8)shape;
    return shape;
}

static void put_masks(struct bytes *out, const struct winst *w)
{
    put_fixed(out, w->in_global, 4);
    put_fixed(out, w->in_shared, 4);
    put_fixed(out, w->in_local, 4);
    put_fixed(out, w->in_const, 4);
}

/* Whether the step had to be written. */
static bool put_step(struct bytes *out, u64 base, struct access_slot *slot,
                     struct access_history *history)
{
    u64 step = base - (slot->is_used ? slot->base : history->last_base);
    bool is_new = !slot->is_used || step != slot->step;
    if (is_new)
        put_difference(out, step);
    slot->step = slot->is_used ? step : 0;
    slot->is_used = true;
    slot->base = history->last_base = base;
    return is_new;
}

void access_put(struct bytes *out, const struct winst *w, struct access_slot *slot,
                struct access_history *history)
{
    u32 lanes = winst_lanes(w), space = space_bits(w);
    u64 base = w->address[__builtin_ctz(lanes)], stride = 0;
    enum access_shape shape = shape_of(w, lanes, slot, &stride);
    size_t head = out->length;
    put_u8(out, 0); /* known at the end */
    if (space == ACCESS_MIXED)
        put_masks(out, w);
    u32 same_step = put_step(out, base, slot, history) ? 0 : ACCESS_STEP;
    if (shape == SHAPE_STRIDE) {
        put_difference(out, stride);
        slot->stride = stride;
    } else if (shape != SHAPE_SAME) {
        shape = list_lanes(out, w->address, lanes, shape, slot);
    }
    out->data[head] = (u8)(space | same_step | (u32)shape << ACCESS_SHAPE_SHIFT);
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool take_mixed(struct cursor *in, struct winst *w)
{
    w->in_global = (u32)take_fixed(in, 4);
    w->in_shared = (u32)take_fixed(in, 4);
    w->in_local = (u32)take_fixed(in, 4);
    w->in_const = (u32)take_fixed(in, 4);
    u32 lanes = winst_lanes(w);
    u32 sum = (u32)(__builtin_popcount(w->in_global) + __builtin_popcount(w->in_shared) +
                    __builtin_popcount(w->in_local) + __builtin_popcount(w->in_const));
    return !(lanes & ~w->mask) && sum == (u32)__builtin_popcount(lanes);
}

static bool take_space(struct cursor *in, struct winst *w, u32 byte)
{
    if (byte & ACCESS_MIXED)
        return take_mixed(in, w);
    switch (byte & ACCESS_SPACE) {
    case ACCESS_GLOBAL:
        w->in_global = w->mask;
        break;
    case ACCESS_SHARED:
        w->in_shared = w->mask;
        break;
    case ACCESS_LOCAL:
        w->in_local = w->mask;
        break;
    default:
        w->in_const = w->mask;
    }
    return true;
}

static bool take_lanes(struct cursor *in, u64 *address, u32 lanes, u64 at, bool in_runs)
{
    u32 run = 0;
    u64 d = 0;
    address[__builtin_ctz(lanes)] = at;
    for (u32 left = lanes & (lanes - 1); left; left &= left - 1) {
        if (!run) {
            run = in_runs ? take_u8(in) : 1;
            d = take_difference(in);
            if (!run)
                return false;
        }
        run--;
        at += d;
        address[__builtin_ctz(left)] = at;
    }
    return run == 0;
}

/* All lanes: a loop without conditions is done in a few vector instructions. */
static void fill_stride(u64 *address, u64 base, u64 stride, u32 first)
{
    u64 start = base - first * stride;
    for (u32 lane = 0; lane < WARP_LANES; lane++)
        address[lane] = start + lane * stride;
}

static void take_step(struct cursor *in, struct access_slot *slot, struct access_history *history,
                      bool is_new)
{
    u64 step = is_new ? take_difference(in) : slot->step;
    slot->base = step + (slot->is_used ? slot->base : history->last_base);
    slot->step = slot->is_used ? step : 0;
    slot->is_used = true;
    history->last_base = slot->base;
}

/* Lanes that are listed here, or were the last time. */
static bool take_list(struct cursor *in, u64 *address, u32 lanes, enum access_shape shape,
                      struct access_slot *slot, const struct access_history *history)
{
    if (shape == SHAPE_AGAIN) {
        struct cursor before = {history->start + slot->lanes_at, in->end, false};
        return slot->lanes_at && slot->lanes == lanes &&
               take_lanes(&before, address, lanes, slot->base, slot->shape == SHAPE_RUNS);
    }
    slot->lanes_at = (u32)(in->at - history->start);
    slot->lanes = lanes;
    slot->shape = (u8)shape;
    return take_lanes(in, address, lanes, slot->base, shape == SHAPE_RUNS) && !in->is_short;
}

bool access_take(struct cursor *in, struct winst *w, u64 *address, struct access_slot *slot,
                 struct access_history *history)
{
    u32 byte = take_u8(in);
    u32 shape = (byte & ACCESS_SHAPE) >> ACCESS_SHAPE_SHIFT;
    if (byte & ACCESS_UNUSED || shape >= SHAPE_COUNT || !take_space(in, w, byte))
        return false;
    u32 lanes = winst_lanes(w);
    if (!lanes)
        return false;
    take_step(in, slot, history, !(byte & ACCESS_STEP));
    if (shape == SHAPE_STRIDE)
        slot->stride = take_difference(in);
    w->address = address;
    if (shape > SHAPE_STRIDE)
        return take_list(in, address, lanes, (enum access_shape)shape, slot, history);
    fill_stride(address, slot->base, slot->stride, (u32)__builtin_ctz(lanes));
    return !in->is_short;
}
