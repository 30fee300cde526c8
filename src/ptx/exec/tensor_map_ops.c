/*
 * tensormap.replace and tensormap.cp_fenceproxy: tensor maps that a kernel changes.
 *
 * A map made from zeros is as good as one of cuTensorMapEncodeTiled: the first change of a field
 * makes it a map. What a field may hold is checked when a copy reads the map, as on a GPU.
 */
#include "ptx/decode/decode.h"
#include "ptx/exec/access.h"

#include "device/tensor_map.h"

#include <string.h>

struct map_change {
    struct address map;
    enum tensor_field field;
    u32 ordinal; /* of a field with one value for each dimension */
    ref_t value;
    u8 value_bytes;
};

struct map_copy {
    struct address to, from;
};

/* The map of each lane: all of it lies where the lane may write. */
static bool find_maps(struct warp *w, const struct op *op, u32 mask, u8 **where)
{
    const struct map_change *c = op->extra;
    u8 *ends[LANES];
    u32 last = TENSOR_MAP_BYTES - 8;
    access_addresses(w, &c->map);
    EACH (lane, mask) {
        if (w->on->address[lane] % TENSOR_MAP_BYTES == 0)
            continue;
        warp_fault(w, op, FAULT_MISALIGNED, lane,
                   "a tensor map at 0x%llx, expected a multiple of %u",
                   (unsigned long long)w->on->address[lane], (u32)TENSOR_MAP_BYTES);
        return false;
    }
    for (u32 i = 0; i < LANES; i++)
        w->on->address[i] += last;
    if (!access_resolve(w, op, mask, 8, ends, c->map.space, ACCESS_UPDATE))
        return false;
    for (u32 i = 0; i < LANES; i++)
        w->on->address[i] -= last;
    return access_resolve(w, op, mask, 8, where, c->map.space, ACCESS_UPDATE);
}

static void change_maps(struct warp *w, const struct op *op, u32 mask, u8 *const *where)
{
    const struct map_change *c = op->extra;
    EACH (lane, mask) {
        struct tensor_map map;
        memcpy(&map, where[lane], sizeof map);
        tensor_map_replace(&map, c->field, c->ordinal,
                           lane_read(ref_get(w, c->value), lane, c->value_bytes));
        memcpy(where[lane], &map, sizeof map);
    }
    w->on->changes++;
}

static void run_replace(struct warp *w, const struct op *op, u32 mask)
{
    const struct map_change *c = op->extra;
    u8 *where[LANES];
    if (find_maps(w, op, mask, where))
        access_update(w, op, mask, where, c->map.space, change_maps);
}

/* All lanes name the same places. The timing model sees a store of four bytes a lane. */
static void run_copy_map(struct warp *w, const struct op *op, u32 mask)
{
    const struct map_copy *c = op->extra;
    u32 lane = (u32)__builtin_ctz(mask);
    access_addresses(w, &c->from);
    u64 from = w->on->address[lane];
    access_addresses(w, &c->to);
    u64 to = w->on->address[lane];
    if ((from | to) % TENSOR_MAP_BYTES) {
        warp_fault(w, op, FAULT_MISALIGNED, lane,
                   "a tensor map is copied from 0x%llx to 0x%llx, expected multiples of %u",
                   (unsigned long long)from, (unsigned long long)to, (u32)TENSOR_MAP_BYTES);
        return;
    }
    const u8 *map = access_shared_run(w, op, lane, from, TENSOR_MAP_BYTES);
    w->on->address[lane] = to;
    if (!map || !access_write_run(w, op, lane, to, TENSOR_MAP_BYTES, map))
        return;
    for (u32 i = 0; i < LANES; i++)
        w->on->address[i] = to + 4 * (u64)i;
    w->on->changes++;
}

/* ---- decoding ------------------------------------------------------------------------------ */

static const struct {
    const char *word;
    enum tensor_field field;
    enum type type;
    bool has_ordinal;
} fields[] = {
    {"global_address", TENSOR_FIELD_ADDRESS, TYPE_B64, false},
    {"rank", TENSOR_FIELD_RANK, TYPE_B32, false},
    {"box_dim", TENSOR_FIELD_BOX, TYPE_B32, true},
    {"global_dim", TENSOR_FIELD_DIMENSION, TYPE_B32, true},
    {"global_stride", TENSOR_FIELD_STRIDE, TYPE_B64, true},
    {"element_stride", TENSOR_FIELD_STEP, TYPE_B32, true},
    {"elemtype", TENSOR_FIELD_TYPE, TYPE_B32, false},
    {"interleave_layout", TENSOR_FIELD_INTERLEAVE, TYPE_B32, false},
    {"swizzle_mode", TENSOR_FIELD_SWIZZLE, TYPE_B32, false},
    {"fill_mode", TENSOR_FIELD_FILL, TYPE_B32, false},
};

/* tensormap.replace.tile.FIELD{.SPACE}.b1024.TYPE [map]{, ordinal}, value */
static bool decode_replace(struct decoder *d)
{
    struct map_change *c = ARENA_NEW(&d->program->arena, struct map_change);
    const struct ptx_operand *o = d->statement->operands;
    bool in_shared = decode_has(d, "shared::cta"), in_global = decode_has(d, "global");
    u8 space = in_shared ? SPACE_SHARED : in_global ? SPACE_GLOBAL : SPACE_GENERIC;
    u32 i = 0, value;
    while (i < ARRAY_LEN(fields) && !decode_is(d, 2, fields[i].word))
        i++;
    if (i == ARRAY_LEN(fields) || !decode_is(d, 1, "tile") || !decode_has(d, "b1024") ||
        d->statement->modifier_count != 5u + (in_shared || in_global) ||
        !decode_is(d, d->statement->modifier_count - 1, fields[i].type == TYPE_B64 ? "b64" : "b32"))
        return decode_unsupported(d, "");
    value = fields[i].has_ordinal ? 2 : 1;
    d->op->run = run_replace;
    d->op->extra = c;
    d->op->access_bytes = fields[i].type == TYPE_B64 ? 8 : 4;
    c->field = fields[i].field;
    if (!decode_operand_count(d, value + 1, value + 1) || !access_decode(d, 0, space, &c->map))
        return false;
    if (fields[i].has_ordinal) {
        u32 most = (u32)TENSOR_MOST_RANK - (c->field == TENSOR_FIELD_STRIDE);
        if (o[1].kind != OPERAND_INT || (u64)o[1].value >= most)
            return err_at(d->err, decode_pos(d),
                          "%s of a tensor map has ordinals 0 to %u, constants", fields[i].word,
                          most - 1);
        c->ordinal = (u32)o[1].value;
    }
    return decode_source(d, &o[value], fields[i].type, &c->value, &c->value_bytes) &&
           (c->value_bytes == d->op->access_bytes || decode_unsupported(d, "such a value"));
}

/* tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.SCOPE.sync.aligned
 * [to], [from], 128 */
static bool decode_copy_map(struct decoder *d)
{
    struct map_copy *c = ARENA_NEW(&d->program->arena, struct map_copy);
    const struct ptx_operand *o = d->statement->operands;
    d->op->run = run_copy_map;
    d->op->extra = c;
    d->op->access_bytes = 4;
    if (!decode_is(d, 1, "global") || !decode_is(d, 2, "shared::cta") ||
        !decode_is(d, 3, "tensormap::generic") || !decode_has(d, "release") ||
        !decode_operand_count(d, 3, 3))
        return decode_unsupported(d, "");
    if (o[2].kind != OPERAND_INT || o[2].value != TENSOR_MAP_BYTES)
        return err_at(d->err, decode_pos(d), "a tensor map has %u bytes, which is the size to copy",
                      (u32)TENSOR_MAP_BYTES);
    return access_decode(d, 1, SPACE_SHARED, &c->from) && access_decode(d, 0, SPACE_GLOBAL, &c->to);
}

bool decode_tensormap(struct decoder *d)
{
    d->op->unit = UNIT_MEMORY;
    if (decode_is(d, 0, "replace"))
        return decode_replace(d);
    return decode_is(d, 0, "cp_fenceproxy") ? decode_copy_map(d) : decode_unsupported(d, "");
}
