#include "source/recording/warp_reader.h"

static bool is_wrong(struct warp_reader *r, const char *what)
{
    r->wrong = what;
    r->index = 0;
    r->has_need = false;
    return false;
}

static bool is_short(struct warp_reader *r)
{
    return is_wrong(r, "its stream ends in the middle of a step");
}

static void take_mask(struct warp_reader *r)
{
    u32 mask = 0;
    switch ((enum mask_code)take_u8(&r->in)) {
    case MASK_BEFORE:
        mask = r->mask_before;
        break;
    case MASK_NONE:
        break;
    case MASK_WHOLE:
        mask = r->whole;
        break;
    case MASK_OTHER:
        mask = (u32)take_fixed(&r->in, 4);
        break;
    default:
        is_wrong(r, "its lanes are given in an unknown way, expected 0 to 3");
    }
    r->mask_before = r->mask;
    r->mask = mask;
}

void warp_reader_next_need(struct warp_reader *r)
{
    r->has_need = r->has_more_needs;
    if (!r->has_need)
        return;
    u32 byte = take_u8(&r->in);
    r->has_more_needs = byte & NEED_MORE;
    r->need = (struct need){.barrier = byte & ~(NEED_MORE | NEED_EXITS)};
    r->need.arrivals = take_u32(&r->in);
    r->need.exits = byte & NEED_EXITS ? take_u32(&r->in) : 0;
    if (r->in.is_short)
        is_short(r);
    else if (r->need.barrier >= RECORD_BARRIERS)
        is_wrong(r, "it waits at a barrier above 31");
}

/* A head that says something: up to what must be known before the step. */
static void take_detail(struct warp_reader *r, u32 head)
{
    r->head = (u8)(head & ~HEAD_DETAIL);
    if (head & HEAD_UNUSED)
        is_wrong(r, "a step has an unknown part");
    if (head & HEAD_JUMP)
        r->index += (u32)take_difference(&r->in);
    if (head & HEAD_MASK)
        take_mask(r);
    if (head & HEAD_NEED && !r->wrong) {
        r->has_more_needs = true;
        warp_reader_next_need(r);
    }
    if (r->in.is_short)
        is_short(r);
}

static void look_ahead(struct warp_reader *r, u32 instructions)
{
    r->index++;
    r->head = 0;
    if (r->run) {
        r->run--;
        return;
    }
    if (UNLIKELY(r->in.at == r->in.end)) {
        r->has_ended = true;
        return;
    }
    u32 head = *r->in.at++;
    if (head < HEAD_DETAIL)
        r->run = head;
    else
        take_detail(r, head);
    if (UNLIKELY((u64)r->index + r->run >= instructions))
        is_wrong(r, "it executes an instruction that is not in the kernel's table");
}

void warp_reader_start(struct warp_reader *r, const u8 *data, size_t bytes, u32 lanes,
                       u32 instructions)
{
    *r = (struct warp_reader){.in = {.at = data, .end = data + bytes},
                              .history = {.start = data},
                              .index = UINT32_MAX,
                              .mask = lanes,
                              .whole = lanes};
    look_ahead(r, instructions);
}

static void take_barrier(struct warp_reader *r, struct winst *out)
{
    out->barrier = take_u8(&r->in);
    u64 threads = take_varint(&r->in);
    out->barrier_threads = (u32)(threads >> 1);
    out->arrives_only = threads & 1;
}

bool warp_reader_step(struct warp_reader *r, struct winst *out, u64 *address,
                      struct access_slot *slot, u32 instructions)
{
    if (UNLIKELY(r->wrong))
        return false;
    out->mask = r->mask;
    if (r->head & HEAD_BARRIER)
        take_barrier(r, out);
    if (r->head & HEAD_SLEEP)
        out->sleep_cycles = take_u32(&r->in);
    if (r->head & HEAD_ACCESS) {
        if (!slot)
            return is_wrong(r, "an instruction that accesses no memory has addresses");
        if (!access_take(&r->in, out, address, slot, &r->history))
            return is_wrong(r, "the addresses of its lanes are truncated or invalid");
    }
    if (UNLIKELY(r->in.is_short))
        return is_short(r);
    look_ahead(r, instructions);
    return true;
}
