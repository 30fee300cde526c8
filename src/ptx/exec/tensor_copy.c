/*
 * cp.async.bulk.tensor, cp.reduce.async.bulk.tensor and their prefetch: boxes of tensors.
 *
 * The map says where the tensor lies (device/tensor_map.h), the coordinates which box. Done when
 * issued, row by row; then the barrier is told. The address of every 16 bytes in shared memory is
 * swizzled as the map says.
 */
#include "ptx/exec/cluster.h"
#include "ptx/exec/mbarrier.h"
#include "ptx/exec/transfer.h"

#include "device/tensor_map.h"
#include "num/convert.h"

#include <string.h>

enum tensor_way { TENSOR_LOAD, TENSOR_STORE, TENSOR_REDUCE, TENSOR_PREFETCH };

struct tensor_copy {
    enum tensor_way way;
    struct address map, shared, barrier;
    const ref_t *at, *offset; /* coordinates; of im2col, in the window; NULL: none */
    u32 rank;
    u8 offset_bytes;
    bool is_im2col;
    ref_t blocks; /* ranks that get a copy; REF_NONE: one */
    u8 blocks_bytes;
};

/* One copy on its way. */
struct carrier {
    struct warp *w;
    const struct op *op;
    struct op element; /* what a reduction does with two elements of the map's type */
    const struct tensor_map *map;
    u32 lane, element_bytes;
    u64 fill;
    u8 *shared[MOST_CLUSTER_BLOCKS]; /* memory of the blocks */
    u32 blocks;                      /* of these */
    u32 start;                       /* offset in it */
    u8 row[256 * 8];                 /* of a run: a box has up to 256 elements a side */
};

static bool read_map(struct warp *w, const struct op *op, u32 lane, struct tensor_map *map)
{
    const struct tensor_copy *t = op->extra;
    u8 *where[LANES], *to = (u8 *)map;
    access_addresses(w, &t->map);
    for (u32 i = 0; i < sizeof *map; i += 8) {
        if (!access_resolve(w, op, 1u << lane, 8, where, t->map.space, ACCESS_READ))
            return false;
        memcpy(to + i, where[lane], sizeof *map - i < 8 ? sizeof *map - i : 8);
        w->on->address[lane] += 8;
    }
    const char *flaw = tensor_map_flaw(map);
    if (flaw) {
        warp_fault(w, op, FAULT_INSTRUCTION, lane, "a copy of a tensor of rank %u finds %s",
                   t->rank, flaw);
        return false;
    }
    if (map->rank != t->rank || map->is_im2col != t->is_im2col) {
        warp_fault(w, op, FAULT_INSTRUCTION, lane, "there is no tensor map of rank %u%s", t->rank,
                   t->is_im2col ? " for im2col" : "");
        return false;
    }
    return true;
}

/* Loads of TF32 round to it. An H200 flushes nothing, whether the type says FTZ or not; its answers
 * leave open what becomes of a value halfway between two. */
static void convert(enum tensor_type type, u8 *row, u32 elements)
{
    if (type < TENSOR_TF32)
        return;
    for (u32 i = 0; i < elements; i++) {
        u32 v;
        memcpy(&v, row + 4 * (size_t)i, 4);
        v = f32_to_tf32_rna(v);
        memcpy(row + 4 * (size_t)i, &v, 4);
    }
}

/* Between a packed run and swizzled shared memory, 16 bytes at a time. */
static void pack(const struct carrier *c, u8 *shared, u32 offset, u8 *row, u32 bytes, bool is_load)
{
    for (u32 done = 0; done < bytes;) {
        u32 at = c->start + offset + done, room = 16 - at % 16;
        u32 piece = bytes - done < room ? bytes - done : room;
        u8 *there = shared + tensor_swizzle(c->map->swizzle, at);
        if (is_load)
            memcpy(there, row + done, piece);
        else
            memcpy(row + done, there, piece);
        done += piece;
    }
}

static bool load_run(void *context, const struct tensor_run *r)
{
    struct carrier *c = context;
    u32 bytes = r->elements * c->element_bytes;
    if (r->is_inside) {
        if (!access_read_run(c->w, c->op, c->lane, r->address, bytes, c->row))
            return false;
        transfer_lines(c->w, r->address, bytes);
        convert((enum tensor_type)c->map->type, c->row, r->elements);
    } else {
        for (u32 i = 0; i < r->elements; i++)
            memcpy(c->row + (size_t)i * c->element_bytes, &c->fill, c->element_bytes);
    }
    for (u32 i = 0; i < c->blocks; i++)
        pack(c, c->shared[i], r->offset, c->row, bytes, true);
    return true;
}

static bool store_run(void *context, const struct tensor_run *r)
{
    struct carrier *c = context;
    u32 bytes = r->elements * c->element_bytes;
    if (!r->is_inside)
        return true;
    transfer_lines(c->w, r->address, bytes);
    pack(c, c->shared[0], r->offset, c->row, bytes, false);
    return access_write_run(c->w, c->op, c->lane, r->address, bytes, c->row);
}

static bool reduce_run(void *context, const struct tensor_run *r)
{
    struct carrier *c = context;
    u32 each = c->element_bytes, bytes = r->elements * each;
    if (!r->is_inside)
        return true;
    u8 *to = access_global_run(c->w, c->op, c->lane, r->address, bytes);
    if (!to)
        return false;
    transfer_lines(c->w, r->address, bytes);
    pack(c, c->shared[0], r->offset, c->row, bytes, false);
    for (u32 i = 0; i < bytes; i += each) {
        u64 old = 0, value = 0;
        memcpy(&old, to + i, each);
        memcpy(&value, c->row + i, each);
        value = access_combine(&c->element, old, value);
        memcpy(to + i, &value, each);
    }
    return true;
}

static bool prefetch_run(void *context, const struct tensor_run *r)
{
    const struct carrier *c = context;
    if (r->is_inside)
        transfer_lines(c->w, r->address, r->elements * c->element_bytes);
    return true;
}

static enum type element_type(enum tensor_type type)
{
    static const u8 types[TENSOR_TYPES] = {
        [TENSOR_U8] = TYPE_U8,       [TENSOR_U16] = TYPE_U16,     [TENSOR_U32] = TYPE_U32,
        [TENSOR_S32] = TYPE_S32,     [TENSOR_U64] = TYPE_U64,     [TENSOR_S64] = TYPE_S64,
        [TENSOR_F16] = TYPE_F16,     [TENSOR_F32] = TYPE_F32,     [TENSOR_F64] = TYPE_F64,
        [TENSOR_BF16] = TYPE_BF16,   [TENSOR_F32_FTZ] = TYPE_F32, [TENSOR_TF32] = TYPE_F32,
        [TENSOR_TF32_FTZ] = TYPE_F32};
    return (enum type)types[type];
}

/* The shared memory of each block that takes part. */
static bool find_blocks(struct carrier *c, u64 address, u32 bytes)
{
    const struct tensor_copy *t = c->op->extra;
    struct block *own = c->w->block;
    u32 ranks = 1u << cluster_rank_of(own, address);
    if (t->blocks != REF_NONE)
        ranks = (u32)lane_read(ref_get(c->w, t->blocks), c->lane, t->blocks_bytes) & 0xffff;
    c->start = (u32)(address & CLUSTER_OFFSET);
    EACH (rank, ranks) {
        struct block *b = cluster_block(own, rank);
        u64 first = (u64)(rank + 1) << CLUSTER_SHIFT | c->start;
        if (c->start % 128) {
            warp_fault(c->w, c->op, FAULT_MISALIGNED, c->lane,
                       "a tensor copy at 0x%x of shared memory, expected a multiple of 128",
                       c->start);
            return false;
        }
        if (!access_shared_run(c->w, c->op, c->lane, b == own ? c->start : first, bytes))
            return false;
        c->shared[c->blocks++] = b->shared;
    }
    return true;
}

static bool tell_barriers(struct carrier *c, u32 bytes)
{
    const struct tensor_copy *t = c->op->extra;
    u32 ranks = 0;
    if (t->blocks != REF_NONE)
        ranks = (u32)lane_read(ref_get(c->w, t->blocks), c->lane, t->blocks_bytes) & 0xffff;
    access_addresses(c->w, &t->barrier);
    u64 barrier = access_shared_address(c->w->on->address[c->lane]);
    return transfer_complete(c->w, c->op, c->lane, barrier, bytes, ranks);
}

/* What an H200 refuses as an illegal instruction (tests/conformance/hopper). */
static bool coordinates_allowed(const struct carrier *c, const i32 *at)
{
    const struct tensor_copy *t = c->op->extra;
    bool writes = t->way == TENSOR_STORE || t->way == TENSOR_REDUCE;
    if ((i64)at[0] * c->element_bytes % 16) {
        warp_fault(c->w, c->op, FAULT_INSTRUCTION, c->lane,
                   "a tensor copy from element %d of %u bytes, expected a multiple of 16 bytes",
                   at[0], c->element_bytes);
        return false;
    }
    for (u32 d = 0; writes && d < t->rank; d++) {
        if (at[d] >= 0)
            continue;
        warp_fault(c->w, c->op, FAULT_INSTRUCTION, c->lane,
                   "a tensor copy to global memory at coordinate %d, expected 0 or more", at[d]);
        return false;
    }
    return true;
}

static bool carry(struct warp *w, const struct op *op, u32 lane)
{
    static tensor_visit *const visits[] = {load_run, store_run, reduce_run, prefetch_run};
    const struct tensor_copy *t = op->extra;
    struct tensor_map map;
    struct carrier c = {.w = w, .op = op, .element = *op, .map = &map, .lane = lane};
    i32 at[TENSOR_MOST_RANK];
    u16 offset[3] = {0};
    if (!read_map(w, op, lane, &map))
        return false;
    u32 bytes = tensor_box_bytes(&map);
    c.element_bytes = tensor_element_bytes((enum tensor_type)map.type);
    c.element.type = (u8)element_type((enum tensor_type)map.type);
    c.fill = tensor_fill(&map);
    for (u32 d = 0; d < t->rank; d++)
        at[d] = ((const i32 *)ref_get(w, t->at[d]))[lane];
    for (u32 s = 0; t->offset && s + 2 < t->rank; s++)
        offset[s] = (u16)lane_read(ref_get(w, t->offset[s]), lane, t->offset_bytes);
    if (!coordinates_allowed(&c, at))
        return false;
    transfer_box(w, bytes);
    if (t->way != TENSOR_PREFETCH) {
        access_addresses(w, &t->shared);
        if (!find_blocks(&c, access_shared_address(w->on->address[lane]),
                         (u32)tensor_box_span(&map)))
            return false;
    }
    if (!tensor_box_visit(&map, at, offset, visits[t->way], &c))
        return false;
    return t->way != TENSOR_LOAD || tell_barriers(&c, bytes);
}

/* What a reduction will touch, which takes place at the end of the cycle. */
static void plan_lanes(struct warp *w, const struct op *op, u32 mask)
{
    const struct tensor_copy *t = op->extra;
    EACH (lane, mask) {
        struct tensor_map map;
        struct carrier c = {.w = w, .op = op, .map = &map, .lane = lane};
        i32 at[TENSOR_MOST_RANK];
        if (!read_map(w, op, lane, &map))
            return;
        c.element_bytes = tensor_element_bytes((enum tensor_type)map.type);
        for (u32 d = 0; d < t->rank; d++)
            at[d] = ((const i32 *)ref_get(w, t->at[d]))[lane];
        transfer_box(w, tensor_box_bytes(&map));
        tensor_box_visit(&map, at, (const u16[3]){0}, prefetch_run, &c);
    }
}

static void carry_lanes(struct warp *w, const struct op *op, u32 mask, u8 *const *where)
{
    (void)where;
    EACH (lane, mask) {
        if (!carry(w, op, lane))
            return;
    }
    w->on->changes++;
}

static void run_tensor_copy(struct warp *w, const struct op *op, u32 mask)
{
    const struct tensor_copy *t = op->extra;
    transfer_begin(w, t->way == TENSOR_STORE || t->way == TENSOR_REDUCE);
    if (w->on->log && t->way == TENSOR_REDUCE) {
        plan_lanes(w, op, mask);
        executor_put_off(w, op, mask, NULL, carry_lanes);
    } else {
        carry_lanes(w, op, mask, NULL);
    }
}

/* ---- decoding ------------------------------------------------------------------------------ */

static bool decode_way(struct decoder *d, struct tensor_copy *t, u32 *at)
{
    bool reduces = decode_is(d, 0, "reduce");
    *at = reduces ? 4 : 3; /* of the dimensions */
    if (decode_is(d, 2, "prefetch")) {
        t->way = TENSOR_PREFETCH;
        *at = 4;
        return decode_is(d, 5, "L2") && decode_is(d, 6, "global");
    }
    bool to_shared =
        decode_is(d, *at + 1, "shared::cluster") || decode_is(d, *at + 1, "shared::cta");
    t->way = reduces ? TENSOR_REDUCE : to_shared ? TENSOR_LOAD : TENSOR_STORE;
    return to_shared ? !reduces && decode_is(d, *at + 2, "global") &&
                           decode_has(d, "mbarrier::complete_tx::bytes")
                     : decode_is(d, *at + 1, "global") && decode_is(d, *at + 2, "shared::cta") &&
                           decode_has(d, "bulk_group");
}

static bool decode_place(struct decoder *d, struct tensor_copy *t, u32 operand)
{
    u8 bytes;
    const struct ptx_operand *o = d->statement->operands;
    if (o[operand + 1].kind != OPERAND_VECTOR)
        return err_at(d->err, decode_pos(d), "a tensor copy has no coordinates, expected {...}");
    if (!access_decode(d, operand, SPACE_GENERIC, &t->map) ||
        !decode_list(d, &o[operand + 1], TYPE_S32, true, &bytes))
        return false;
    t->at = d->op->list;
    if (bytes && bytes != 4)
        return decode_unsupported(d, "coordinates of other than 32 bits");
    return d->op->list_count == t->rank ||
           err_at(d->err, decode_pos(d), "%u coordinates, expected %u", d->op->list_count, t->rank);
}

static bool decode_offsets(struct decoder *d, struct tensor_copy *t, u32 operand)
{
    if (!decode_list(d, &d->statement->operands[operand], TYPE_U16, true, &t->offset_bytes))
        return false;
    t->offset = d->op->list;
    t->offset_bytes = t->offset_bytes ? t->offset_bytes : 2;
    return d->op->list_count + 2u == t->rank ||
           err_at(d->err, decode_pos(d), "%u offsets of im2col, expected %u", d->op->list_count,
                  t->rank - 2);
}

static bool decode_operation(struct decoder *d)
{
    if (d->mods.operation < OPERATION_AND || d->mods.operation > OPERATION_DEC)
        return decode_unsupported(d, "");
    d->op->operation = d->mods.operation;
    d->op->fp_mode = 0;
    return true;
}

bool decode_tensor_copy(struct decoder *d)
{
    struct tensor_copy *t = ARENA_NEW(&d->program->arena, struct tensor_copy);
    u32 at, operand = 0;
    bool to_many = decode_has(d, "multicast::cluster");
    d->op->run = run_tensor_copy;
    d->program->uses_transfers = true;
    d->op->extra = t;
    t->blocks = REF_NONE;
    t->is_im2col = decode_has(d, "im2col") || decode_has(d, "im2col_no_offs");
    if (!decode_way(d, t, &at) || decode_has(d, "tile::gather4") || decode_has(d, "im2col::w"))
        return decode_unsupported(d, "");
    for (u32 rank = 1; rank <= (u32)TENSOR_MOST_RANK; rank++)
        t->rank = decode_is(d, at, (const char[]){(char)('0' + rank), 'd', 0}) ? rank : t->rank;
    if (!t->rank || (t->is_im2col && t->rank < 3) || (to_many && t->way != TENSOR_LOAD))
        return decode_unsupported(d, "");
    bool has_offsets = decode_has(d, "im2col");
    bool loads = t->way == TENSOR_LOAD, has_shared = t->way != TENSOR_PREFETCH;
    u32 operands = 2u + has_shared + loads + has_offsets + to_many;
    if (!decode_hinted_count(d, operands, operands) ||
        (t->way == TENSOR_REDUCE && !decode_operation(d)))
        return false;
    if (loads && !access_decode(d, operand++, SPACE_SHARED, &t->shared))
        return false;
    if (!decode_place(d, t, operand))
        return false;
    operand += 2;
    if (has_shared && !access_decode(d, operand++, SPACE_SHARED, loads ? &t->barrier : &t->shared))
        return false;
    if (has_offsets && !decode_offsets(d, t, operand++))
        return false;
    return !to_many || (decode_source(d, &d->statement->operands[operand], TYPE_B16, &t->blocks,
                                      &t->blocks_bytes) &&
                        (t->blocks_bytes == 2 || decode_unsupported(d, "such a mask")));
}
