/* Loads, stores and atomics: addresses of all lanes first, then checks, then the data. */
#include "ptx/exec/access.h"

#include "ptx/decode/decode.h"
#include "ptx/exec/cluster.h"
#include "ptx/exec/out_of_bounds.h"
#include "ptx/exec/words.h"

#include "num/float.h"
#include "num/float16.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

bool access_decode(struct decoder *d, u32 operand, u8 space, struct address *a)
{
    const struct ptx_operand *o = &d->statement->operands[operand];
    d->mods.space = space;
    d->mods.has_space = space != SPACE_GENERIC;
    if (!decode_address(d, o) || !decode_space(d, o))
        return false;
    *a = (struct address){d->op->src[0], d->op->imm, d->op->address_64, d->op->in_frame,
                          d->op->space};
    d->op->src[0] = REF_NONE;
    return true;
}

void access_addresses(struct warp *w, const struct address *a)
{
    u64 *restrict to = w->on->address, offset = a->offset;
    if (a->in_frame)
        offset += w->paths[w->current].stack;
    if (a->base == REF_NONE) {
        for (u32 i = 0; i < LANES; i++)
            to[i] = offset;
    } else if (a->wide) {
        const u64 *base = ref_get(w, a->base);
        for (u32 i = 0; i < LANES; i++)
            to[i] = base[i] + offset;
    } else {
        const u32 *base = ref_get(w, a->base);
        for (u32 i = 0; i < LANES; i++)
            to[i] = (u32)(base[i] + (u32)offset);
    }
}

static void compute_addresses(struct warp *w, const struct op *op)
{
    struct address a = {op->src[0], op->imm, op->address_64, op->in_frame, op->space};
    access_addresses(w, &a);
}

bool access_find_allocation(struct warp *w, u64 low, u64 end)
{
    struct executor *e = w->on;
    const struct allocation *n = memory_find(w->grid->memory, low);
    if (!n || end < low || end > n->start + n->bytes)
        return false;
    e->cache_start = n->start;
    e->cache_end = n->start + n->bytes;
    e->cache_epoch = memory_epoch(w->grid->memory);
    return true;
}

/* All lanes inside one allocation is the common case, and often the same one as the time before. */
static bool check_global(struct warp *w, const struct op *op, u32 mask, u32 bytes, bool reads)
{
    struct executor *e = w->on;
    u64 low = UINT64_MAX, high = 0, odd = 0;
    if (LIKELY(mask == ALL_LANES)) {
        const u64 *at = w->on->address;
        for (u32 i = 0; i < LANES; i++) {
            low = at[i] < low ? at[i] : low;
            high = at[i] > high ? at[i] : high;
            odd |= at[i];
        }
    } else {
        EACH (i, mask) {
            low = min_u64(low, w->on->address[i]);
            high = max_u64(high, w->on->address[i]);
            odd |= w->on->address[i];
        }
    }
    u64 epoch = memory_epoch(w->grid->memory);
    bool aligned = !(odd & (bytes - 1));
    if (LIKELY(aligned && e->cache_epoch == epoch && low >= e->cache_start && high < e->cache_end &&
               e->cache_end - high >= bytes))
        return true;
    if (aligned && access_find_allocation(w, low, high + bytes))
        return true;
    EACH (i, mask) {
        u64 a = w->on->address[i];
        const struct allocation *n = memory_find(w->grid->memory, a);
        if (!n || a + bytes > n->start + n->bytes || a % bytes) {
            if (!out_of_bounds_send(w, op, i, bytes, reads))
                return false;
            continue;
        }
    }
    return true;
}

/* The first lane of the mask that is outside, or LANES. */
static inline u32 first_outside(const struct warp *w, u32 mask, u32 bytes, u64 size)
{
    if (LIKELY(mask == ALL_LANES)) { /* all bits together are no less than any address */
        u64 all = 0;
        for (u32 i = 0; i < LANES; i++)
            all |= w->on->address[i];
        if (LIKELY(!(all & (bytes - 1)) && all + bytes <= size && all + bytes > all))
            return LANES;
    }
    EACH (i, mask) {
        u64 a = w->on->address[i];
        if (UNLIKELY(a + bytes > size || a + bytes < a || a % bytes))
            return i;
    }
    return LANES;
}

static bool check_bounded(struct warp *w, const struct op *op, u32 mask, u32 bytes, u64 size,
                          const char *space)
{
    u32 lane = first_outside(w, mask, bytes, size);
    return LIKELY(lane == LANES) || out_of_bounds_fault(w, op, lane, bytes, space);
}

/* A lane that takes no part may hold any address: the sum must be allowed to wrap. */
static u8 *place(const void *base, u64 offset)
{
    return (u8 *)((uintptr_t)base + (uintptr_t)offset);
}

/*
 * Lanes that store to one address in one instruction: PTX leaves open whose value stays. An H200
 * stores 128 bytes in one pass, of 32 lanes for up to 4 bytes each, of 16 for 8, of 8 for 16; the
 * last pass wins, and in a pass the lowest lane. So the passes in order, each from its highest
 * lane down.
 */
#define PASS_BYTES 128u

static u32 lanes_of_pass(u32 bytes)
{
    return bytes * LANES > PASS_BYTES ? PASS_BYTES / bytes : LANES;
}

/* Lane i's element follows lane i - 1's. */
static bool is_contiguous(const u64 *at, u32 bytes)
{
    u64 odd = 0;
    for (u32 i = 0; i < LANES; i++)
        odd |= at[i] ^ (at[0] + (u64)i * bytes);
    return !odd;
}

static void place_in_log(struct warp *w, u32 mask, u32 bytes, u8 **where)
{
    struct memory_log *l = w->on->log;
    const u64 *at = w->on->address;
    u64 *addresses;
    if (mask == ALL_LANES && is_contiguous(at, bytes)) {
        u8 *data = memory_log_store(l, 1, LANES * bytes, &addresses);
        addresses[0] = at[0];
        for (u32 i = 0; i < LANES; i++)
            where[i] = data + (size_t)i * bytes;
        memory_log_span(l, at[0], at[0] + (u64)LANES * bytes);
        return;
    }
    u8 *data = memory_log_store(l, (u32)__builtin_popcount(mask), bytes, &addresses);
    u32 pass = lanes_of_pass(bytes), slot = 0;
    u64 low = UINT64_MAX, high = 0;
    for (u32 first = 0; first < LANES; first += pass) {
        u32 left = mask & (ALL_LANES >> (LANES - pass)) << first;
        while (left) {
            u32 lane = LANES - 1 - (u32)__builtin_clz(left);
            left ^= 1u << lane;
            addresses[slot] = at[lane];
            where[lane] = data + (size_t)slot++ * bytes;
            low = min_u64(low, at[lane]);
            high = max_u64(high, at[lane] + bytes);
        }
    }
    memory_log_span(l, low, high);
}

/* Lanes that read what their SM has stored in this cycle read copies with those stores. */
static void read_through_log(struct warp *w, u32 mask, u32 bytes, u8 **where)
{
    struct executor *e = w->on;
    assert(bytes <= MOST_ACCESS_BYTES);
    EACH (i, mask) {
        u64 a = w->on->address[i];
        if (!memory_log_overlaps(e->log, a, a + bytes))
            continue;
        memcpy(e->copies[i], where[i], bytes);
        memory_log_overlay(e->log, a, bytes, e->copies[i]);
        where[i] = e->copies[i];
    }
}

/* Where lanes that have been checked find their data, or put it. */
static void place_global(struct warp *w, u32 mask, u32 bytes, u8 **restrict where,
                         enum access_kind kind)
{
    const struct memory_log *l = w->on->log;
    if (kind == ACCESS_WRITE && l) {
        place_in_log(w, mask, bytes, where);
        return;
    }
    for (u32 i = 0; i < LANES; i++)
        where[i] = (u8 *)(uintptr_t)w->on->address[i];
    if (UNLIKELY(l && l->high) && kind == ACCESS_READ)
        read_through_log(w, mask, bytes, where);
}

u32 access_in_global(const struct warp *w, u32 mask, u8 space)
{
    if (space != SPACE_GENERIC)
        return space == SPACE_GLOBAL ? mask : 0;
    u32 in_global = mask;
    EACH (i, mask) {
        u64 a = w->on->address[i];
        if (a - SHARED_WINDOW < WINDOW_BYTES || a - LOCAL_WINDOW < WINDOW_BYTES ||
            a - PARAM_WINDOW < WINDOW_BYTES)
            in_global &= ~(1u << i);
    }
    return in_global;
}

/* Every lane may mean another space; those that mean the same go together. */
static bool resolve_generic(struct warp *w, const struct op *op, u32 mask, u32 bytes, u8 **where,
                            enum access_kind kind)
{
    static const struct {
        u64 start;
        u8 space;
    } windows[] = {
        {SHARED_WINDOW, SPACE_SHARED}, {LOCAL_WINDOW, SPACE_LOCAL}, {PARAM_WINDOW, SPACE_PARAM}};
    u32 in_global = mask;
    for (u32 k = 0; k < ARRAY_LEN(windows); k++) {
        u32 inside = 0;
        EACH (i, mask)
            inside |= (u32)(w->on->address[i] - windows[k].start < WINDOW_BYTES) << i;
        if (!inside)
            continue;
        u8 *here[LANES];
        in_global &= ~inside;
        EACH (i, inside)
            w->on->address[i] -= windows[k].start;
        if (!access_resolve(w, op, inside, bytes, here, windows[k].space, kind))
            return false;
        EACH (i, inside) {
            where[i] = here[i];
            w->on->address[i] += windows[k].start;
        }
    }
    if (!in_global)
        return true;
    u8 *here[LANES];
    if (!access_resolve(w, op, in_global, bytes, here, SPACE_GLOBAL, kind))
        return false;
    EACH (i, in_global)
        where[i] = here[i];
    return true;
}

bool access_resolve(struct warp *w, const struct op *op, u32 mask, u32 bytes, u8 **restrict where,
                    u8 space, enum access_kind kind)
{
    struct grid *g = w->grid;
    const u64 *at = w->on->address;
    const u8 *base;
    switch (space) {
    case SPACE_GLOBAL:
        if (!check_global(w, op, mask, bytes, kind == ACCESS_READ))
            return false;
        place_global(w, mask, bytes, where, kind);
        return true;
    case SPACE_SHARED:
        if (UNLIKELY(first_outside(w, mask, bytes, g->shared_room) != LANES))
            return cluster_resolve(w, op, mask, bytes, where);
        base = w->block->shared;
        for (u32 i = 0; i < LANES; i++)
            where[i] = place(base, at[i]);
        return true;
    case SPACE_LOCAL:
        if (!check_bounded(w, op, mask, bytes, w->local_room, "local"))
            return false;
        for (u32 i = 0; i < LANES; i++)
            where[i] = place(w->local + (size_t)i * w->local_room, w->on->address[i]);
        return true;
    case SPACE_PARAM:
        if (kind != ACCESS_READ) {
            warp_fault(w, op, FAULT_ADDRESS, (u32)__builtin_ctz(mask),
                       "a kernel's parameters cannot be written");
            return false;
        }
        if (!check_bounded(w, op, mask, bytes, kernel_info(g->launch->kernel)->param_bytes,
                           "param"))
            return false;
        base = g->launch->params;
        for (u32 i = 0; i < LANES; i++)
            where[i] = place(base, at[i]);
        return true;
    default:
        break;
    }
    return resolve_generic(w, op, mask, bytes, where, kind);
}

/* So many bytes from the start of a check's first 16 on are in one allocation. */
static bool check_global_range(struct warp *w, const struct op *op, u32 lane, u32 bytes)
{
    u64 start = w->on->address[lane];
    const struct allocation *n = memory_find(w->grid->memory, start);
    if (!n) /* no bulk copy goes astray */
        return out_of_bounds_fault(w, op, lane, 16, "global");
    if (!check_global(w, op, 1u << lane, 16, false))
        return false;
    u64 room = n->start + n->bytes - start;
    if (room >= bytes)
        return true;
    w->on->address[lane] = start + (room & ~(u64)15); /* between two allocations there is a gap */
    return out_of_bounds_fault(w, op, lane, 16, "global");
}

static u8 *access_range(struct warp *w, const struct op *op, u32 lane, u32 bytes, u8 space)
{
    u8 *where[LANES];
    u64 start = w->on->address[lane];
    if (space == SPACE_GLOBAL)
        return check_global_range(w, op, lane, bytes) ? (u8 *)(uintptr_t)start : NULL;
    if (!access_resolve(w, op, 1u << lane, 16, where, space, ACCESS_UPDATE))
        return NULL;
    u8 *first = where[lane];
    w->on->address[lane] = start + bytes - 16;
    return access_resolve(w, op, 1u << lane, 16, where, space, ACCESS_UPDATE) ? first : NULL;
}

static bool check_run(struct warp *w, const struct op *op, u32 lane, u64 address, u32 bytes)
{
    const struct allocation *n = memory_find(w->grid->memory, address);
    u64 end = n ? n->start + n->bytes : address;
    if (address + bytes <= end)
        return true;
    w->on->address[lane] = end;
    return out_of_bounds_fault(w, op, lane, 1, "global");
}

u8 *access_global_run(struct warp *w, const struct op *op, u32 lane, u64 address, u32 bytes)
{
    return check_run(w, op, lane, address, bytes) ? (u8 *)(uintptr_t)address : NULL;
}

bool access_read_run(struct warp *w, const struct op *op, u32 lane, u64 address, u32 bytes, u8 *to)
{
    struct memory_log *l = w->on->log;
    if (!check_run(w, op, lane, address, bytes))
        return false;
    memcpy(to, (const u8 *)(uintptr_t)address, bytes);
    if (l && memory_log_overlaps(l, address, address + bytes))
        memory_log_overlay(l, address, bytes, to);
    return true;
}

bool access_write_run(struct warp *w, const struct op *op, u32 lane, u64 address, u32 bytes,
                      const u8 *from)
{
    struct memory_log *l = w->on->log;
    u8 *to = (u8 *)(uintptr_t)address;
    u64 *addresses;
    if (!check_run(w, op, lane, address, bytes))
        return false;
    if (l) {
        to = memory_log_store(l, 1, bytes, &addresses);
        addresses[0] = address;
        memory_log_span(l, address, address + bytes);
    }
    memcpy(to, from, bytes);
    return true;
}

u8 *access_shared_run(struct warp *w, const struct op *op, u32 lane, u64 address, u32 bytes)
{
    w->on->address[lane] = access_shared_address(address);
    return access_range(w, op, lane, bytes, SPACE_SHARED);
}

bool access_copy(struct warp *w, const struct op *op, u32 lane, u32 bytes, const struct address *to,
                 const struct address *from)
{
    struct memory_log *l = w->on->log;
    u8 *target, *source;
    access_addresses(w, from);
    u64 read_at = w->on->address[lane];
    if (!(source = access_range(w, op, lane, bytes, from->space)))
        return false;
    access_addresses(w, to);
    u64 write_at = w->on->address[lane], *addresses;
    if (!(target = access_range(w, op, lane, bytes, to->space)))
        return false;
    if (to->space == SPACE_GLOBAL && l) {
        target = memory_log_store(l, 1, bytes, &addresses);
        addresses[0] = write_at;
        memory_log_span(l, write_at, write_at + bytes);
    }
    memmove(target, source, bytes);
    if (from->space == SPACE_GLOBAL && l && memory_log_overlaps(l, read_at, read_at + bytes))
        memory_log_overlay(l, read_at, bytes, target);
    return true;
}

static u64 extend(u64 v, enum type type)
{
    if (type_info[type].class != CLASS_SIGNED)
        return v;
    u32 spare = 64 - 8u * type_info[type].bytes;
    return (u64)((i64)(v << spare) >> spare);
}

void lane_load(struct warp *w, const struct op *op, u32 mask)
{
    u8 *where[LANES];
    u32 bytes = op->access_bytes, total = bytes * op->list_count;
    if (words_load(w, op, mask))
        return;
    compute_addresses(w, op);
    if (!access_resolve(w, op, mask, total, where, op->space, ACCESS_READ))
        return;
    for (u32 k = 0; k < op->list_count; k++) {
        if (op->list[k] == SINK_REF)
            continue;
        u8 *d = ref_get(w, op->list[k]);
        u32 at = k * bytes;
        if (bytes == 4 && op->dst_bytes == 4 && mask == ALL_LANES) {
            u32 *d32 = (u32 *)(void *)d;
            for (u32 i = 0; i < LANES; i++)
                memcpy(&d32[i], where[i] + at, 4);
        } else if (bytes == 4 && op->dst_bytes == 4) {
            u32 *d32 = (u32 *)(void *)d;
            EACH (i, mask)
                memcpy(&d32[i], where[i] + at, 4);
        } else if (bytes == 8 && op->dst_bytes == 8) {
            u64 *d64 = (u64 *)(void *)d;
            EACH (i, mask)
                memcpy(&d64[i], where[i] + at, 8);
        } else if (bytes > 8) {
            EACH (i, mask)
                memcpy(d + (size_t)i * op->dst_bytes, where[i] + at, bytes);
        } else {
            EACH (i, mask) {
                u64 v = 0;
                memcpy(&v, where[i] + at, bytes);
                v = extend(v, (enum type)op->type);
                memcpy(d + (size_t)i * op->dst_bytes, &v, op->dst_bytes);
            }
        }
    }
}

/* Element `from` of each lane to `at` bytes behind where its vector starts. */
static inline __attribute__((always_inline)) void
store_in_passes(u8 *const *where, u32 at, const u8 *from, u32 stride, u32 bytes, u32 mask, u32 pass)
{
    for (u32 first = 0; first < LANES; first += pass) {
        u32 left = mask & (ALL_LANES >> (LANES - pass)) << first;
        while (left) {
            u32 lane = LANES - 1 - (u32)__builtin_clz(left);
            left ^= 1u << lane;
            memcpy(where[lane] + at, from + (size_t)lane * stride, bytes);
        }
    }
}

void lane_store(struct warp *w, const struct op *op, u32 mask)
{
    u8 *where[LANES];
    u32 bytes = op->access_bytes, total = bytes * op->list_count;
    if (words_store(w, op, mask))
        return;
    compute_addresses(w, op);
    if (!access_resolve(w, op, mask, total, where, op->space, ACCESS_WRITE))
        return;
    u32 pass = lanes_of_pass(total), stride = op->dst_bytes;
    for (u32 k = 0; k < op->list_count; k++) {
        const u8 *s = ref_get(w, op->list[k]);
        u32 at = k * bytes;
        if (bytes == 4 && stride == 4 && mask == ALL_LANES && pass == LANES) {
            for (u32 i = LANES; i-- > 0;)
                memcpy(where[i] + at, s + (size_t)i * 4, 4);
        } else if (bytes == 4) {
            store_in_passes(where, at, s, stride, 4, mask, pass);
        } else if (bytes == 1) {
            store_in_passes(where, at, s, stride, 1, mask, pass);
        } else {
            store_in_passes(where, at, s, stride, bytes, mask, pass);
        }
    }
}

void lane_isspacep(struct warp *w, const struct op *op, u32 mask)
{
    const u64 *a = ref_get(w, op->src[0]);
    u32 *p = ref_get(w, op->dst), result = 0;
    for (u32 i = 0; i < LANES; i++) {
        bool shared = a[i] - SHARED_WINDOW < WINDOW_BYTES,
             local = a[i] - LOCAL_WINDOW < WINDOW_BYTES, param = a[i] - PARAM_WINDOW < WINDOW_BYTES;
        const struct allocation *n =
            op->space == SPACE_CONST ? memory_find(w->grid->memory, a[i]) : NULL;
        bool in = op->space == SPACE_CONST    ? n && n->flags & MEMORY_CONSTANT
                  : op->space == SPACE_SHARED ? shared
                  : op->space == SPACE_LOCAL  ? local
                  : op->space == SPACE_PARAM  ? param
                  : op->space == SPACE_GLOBAL ? !shared && !local && !param
                                              : false;
        result |= (u32)in << i;
    }
    *p = (*p & ~mask) | (result & mask);
}

/* ---- atomics -------------------------------------------------------------------------- */

static u16 half_choice(bool is_bf16, bool least, u16 a, u16 b)
{
    if (is_bf16)
        return least ? bf16_min(a, b, false) : bf16_max(a, b, false);
    return least ? f16_min(a, b, false) : f16_max(a, b, false);
}

/* min and max of f16 and bf16, and of pairs of them */
static u64 atomic_choice(enum type type, bool least, u64 old, u64 b)
{
    bool is_bf16 = type == TYPE_BF16 || type == TYPE_BF16X2;
    u64 low = half_choice(is_bf16, least, (u16)old, (u16)b);
    if (type_info[type].bytes == 2)
        return low;
    return low | (u64)half_choice(is_bf16, least, (u16)(old >> 16), (u16)(b >> 16)) << 16;
}

static u64 atomic_sum(enum type type, u64 old, u64 b)
{
    switch (type) {
    case TYPE_F32:
        return f32_canonical(f32_bits(f32_value((u32)old) + f32_value((u32)b)));
    case TYPE_F64:
        return f64_bits(f64_value(old) + f64_value(b));
    case TYPE_F16:
        return f16_add((u16)old, (u16)b);
    case TYPE_BF16:
        return bf16_add((u16)old, (u16)b);
    case TYPE_F16X2:
        return f16_add((u16)old, (u16)b) | (u32)f16_add((u16)(old >> 16), (u16)(b >> 16)) << 16;
    default:
        return bf16_add((u16)old, (u16)b) | (u32)bf16_add((u16)(old >> 16), (u16)(b >> 16)) << 16;
    }
}

static u64 atomic_value(const struct op *op, u64 old, u64 b, u64 c)
{
    enum type type = (enum type)op->type;
    u8 class = type_info[type].class;
    bool is_signed = class == CLASS_SIGNED;
    i64 so = (i64)extend(old, type), sb = (i64)extend(b, type);
    if ((class == CLASS_FLOAT || class == CLASS_PACKED) && op->operation == OPERATION_ADD)
        return atomic_sum(type, old, b);
    if (class == CLASS_FLOAT || class == CLASS_PACKED)
        return atomic_choice(type, op->operation == OPERATION_MIN, old, b);
    switch ((enum operation)op->operation) {
    case OPERATION_ADD:
        return old + b;
    case OPERATION_AND:
        return old & b;
    case OPERATION_OR:
        return old | b;
    case OPERATION_XOR:
        return old ^ b;
    case OPERATION_EXCH:
        return b;
    case OPERATION_CAS:
        return old == b ? c : old;
    case OPERATION_INC:
        return old >= b ? 0 : old + 1;
    case OPERATION_DEC:
        return old == 0 || old > b ? b : old - 1;
    case OPERATION_MIN:
        return is_signed ? (u64)(so < sb ? so : sb) : old < b ? old : b;
    case OPERATION_MAX:
        return is_signed ? (u64)(so > sb ? so : sb) : old > b ? old : b;
    default:
        return old;
    }
}

u64 access_combine(const struct op *op, u64 old, u64 value)
{
    return atomic_value(op, old, value, 0);
}

/* Lanes in order: any order is right, this one is always the same. */
static void update(struct warp *w, const struct op *op, u32 mask, u8 *const *where)
{
    u32 bytes = op->access_bytes;
    if (w->on->log && op->fp_mode != FP_ANY) /* whatever others have set since it was issued */
        executor_set_fp(w->on, op->fp_mode);
    const u8 *b = ref_get(w, op->src[1]);
    const u8 *c = op->src[2] == REF_NONE ? NULL : ref_get(w, op->src[2]);
    u8 *d = op->dst == REF_NONE ? NULL : ref_get(w, op->dst);
    bool changed = false;
    EACH (i, mask) {
        u8 old_bytes[16];
        memcpy(old_bytes, where[i], bytes);
        if (bytes == 16) { /* exch and cas of 128 bits */
            bool swap =
                op->operation == OPERATION_EXCH || memcmp(old_bytes, b + (size_t)i * 16, 16) == 0;
            const u8 *from = op->operation == OPERATION_EXCH || !c ? b : c;
            if (swap)
                memcpy(where[i], from + (size_t)i * 16, 16);
            changed |= memcmp(where[i], old_bytes, 16) != 0;
        } else {
            u64 old = 0, vb = 0, vc = 0;
            memcpy(&old, old_bytes, bytes);
            memcpy(&vb, b + (size_t)i * bytes, bytes);
            if (c)
                memcpy(&vc, c + (size_t)i * bytes, bytes);
            u64 v = atomic_value(op, old, vb, vc);
            memcpy(where[i], &v, bytes);
            changed |= (v ^ old) << (64 - 8 * bytes) != 0;
        }
        if (d)
            memcpy(d + (size_t)i * bytes, old_bytes, bytes);
    }
    w->on->changes += changed;
    if (w->on->log && op->fp_mode != FP_ANY && op->fp_mode != 0)
        executor_set_fp(w->on, 0);
}

void access_update(struct warp *w, const struct op *op, u32 mask, u8 **where, u8 space,
                   log_action *run)
{
    struct executor *e = w->on;
    if (e->log && access_in_global(w, mask, space))
        executor_put_off(w, op, mask, where, run);
    else
        run(w, op, mask, where);
}

void lane_atomic(struct warp *w, const struct op *op, u32 mask)
{
    u8 *where[LANES];
    compute_addresses(w, op);
    if (access_resolve(w, op, mask, op->access_bytes, where, op->space, ACCESS_UPDATE))
        access_update(w, op, mask, where, op->space, update);
}

/* Element by element: each is atomic on its own. */
static void update_vector(struct warp *w, const struct op *op, u32 mask, u8 *const *where)
{
    const ref_t *results = op->extra;
    u32 bytes = op->access_bytes;
    bool changed = false;
    if (w->on->log && op->fp_mode != FP_ANY)
        executor_set_fp(w->on, op->fp_mode);
    EACH (i, mask) {
        u64 old[8] = {0}, value[8] = {0};
        for (u32 k = 0; k < op->list_count; k++) { /* results may be among the operands */
            memcpy(&old[k], where[i] + (size_t)k * bytes, bytes);
            memcpy(&value[k], (const u8 *)ref_get(w, op->list[k]) + (size_t)i * bytes, bytes);
        }
        for (u32 k = 0; k < op->list_count; k++) {
            u64 v = atomic_value(op, old[k], value[k], 0);
            memcpy(where[i] + (size_t)k * bytes, &v, bytes);
            changed |= (v ^ old[k]) << (64 - 8 * bytes) != 0;
            if (results && results[k] != SINK_REF)
                memcpy((u8 *)ref_get(w, results[k]) + (size_t)i * bytes, &old[k], bytes);
        }
    }
    w->on->changes += changed;
}

void lane_atomic_vector(struct warp *w, const struct op *op, u32 mask)
{
    u8 *where[LANES];
    u32 bytes = (u32)op->access_bytes * op->list_count;
    compute_addresses(w, op);
    if (access_resolve(w, op, mask, bytes, where, op->space, ACCESS_UPDATE))
        access_update(w, op, mask, where, op->space, update_vector);
}

void lane_prefetch(struct warp *w, const struct op *op, u32 mask)
{
    (void)mask; /* an address in no allocation is no fault: nothing is fetched */
    compute_addresses(w, op);
}
