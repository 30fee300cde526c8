/* tex, tld4, txq, suld, sust: objects by handle, one lane at a time. */
#include "ptx/exec/access.h"
#include "ptx/decode/decode.h"

#include "num/float.h"

#include <string.h>

struct texture_op {
    u32 dims;
    bool layered, integer, gather, cube;
    enum { LOD_NONE, LOD_LEVEL, LOD_GRADIENT } lod;
    ref_t level;
    ref_t gradient[2][4]; /* along, across */
    u32 channel;          /* of a gather */
    ref_t handle;
    ref_t coords[4];
    u32 coord_count;
    ref_t results[4];
    u32 result_count;
    u8 result_bytes;
    enum { OUTSIDE_TRAP, OUTSIDE_CLAMP, OUTSIDE_ZERO } outside;
    u8 query;
};

static const struct texture *find_object(struct warp *w, const struct op *op, ref_t handle,
                                         u32 lane)
{
    u64 h = ((const u64 *)ref_get(w, handle))[lane];
    const struct launch_host *host = w->grid->launch->host;
    const struct texture *t = host && host->texture ? host->texture(host->context, h) : NULL;
    if (!t)
        warp_fault(w, op, FAULT_ADDRESS, lane, "0x%llx is not a texture or surface object",
                   (unsigned long long)h);
    return t;
}

static u32 coord_bits(struct warp *w, const struct texture_op *t, u32 k, u32 lane)
{
    return k < t->coord_count ? ((const u32 *)ref_get(w, t->coords[k]))[lane] : 0;
}

static float level_of(struct warp *w, const struct texture_op *t, const struct texture *x, u32 lane)
{
    if (t->lod == LOD_LEVEL)
        return f32_value(((const u32 *)ref_get(w, t->level))[lane]);
    if (t->lod == LOD_NONE)
        return 0;
    float change[2][3] = {{0}, {0}};
    for (u32 i = 0; i < 2; i++) {
        for (u32 k = 0; k < t->dims; k++)
            change[i][k] = f32_value(((const u32 *)ref_get(w, t->gradient[i][k]))[lane]);
    }
    return texture_lod(x, t->cube ? 2 : t->dims, change[0], change[1]);
}

static void run_texture(struct warp *w, const struct op *op, u32 mask)
{
    const struct texture_op *t = op->extra;
    EACH (lane, mask) {
        const struct texture *x = find_object(w, op, t->handle, lane);
        if (!x)
            return;
        u32 layer = t->layered ? coord_bits(w, t, 0, lane) : 0, out[4] = {0};
        float real[3] = {0}, near[3] = {0};
        i32 whole[3] = {0};
        for (u32 k = 0; k < t->dims; k++) {
            u32 bits = coord_bits(w, t, k + t->layered, lane);
            real[k] = f32_value(bits);
            whole[k] = (i32)bits;
            near[k] = t->integer ? (float)whole[k] : real[k];
        }
        u32 dims = t->dims;
        if (t->cube) {
            layer = 6 * layer + texture_face(real, real);
            memcpy(near, real, sizeof near);
            dims = 2;
        }
        w->on->address[lane] = texture_address(x, dims, layer, near);
        if (t->gather)
            texture_gather(x, layer, real, t->channel, out);
        else if (t->integer)
            texture_fetch_int(x, dims, layer, whole, out);
        else
            texture_fetch_level(x, dims, layer, real, level_of(w, t, x, lane), out);
        for (u32 k = 0; k < t->result_count; k++) {
            ((u32 *)ref_get(w, t->results[k]))[lane] = out[k];
        }
    }
}

static void run_query(struct warp *w, const struct op *op, u32 mask)
{
    const struct texture_op *t = op->extra;
    EACH (lane, mask) {
        const struct texture *x = find_object(w, op, t->handle, lane);
        if (!x)
            return;
        u32 v[] = {x->width, x->height, x->depth, x->layers};
        ((u32 *)ref_get(w, op->dst))[lane] = v[t->query];
    }
}

static u8 *surface_at(struct warp *w, const struct op *op, u32 lane, u32 bytes)
{
    const struct texture_op *t = op->extra;
    const struct texture *x = find_object(w, op, t->handle, lane);
    if (!x)
        return NULL;
    u32 layer = t->layered ? coord_bits(w, t, 0, lane) : 0;
    i32 c[3] = {0};
    for (u32 k = 0; k < t->dims; k++)
        c[k] = (i32)coord_bits(w, t, k + t->layered, lane);
    u8 *at = surface_texel(x, t->dims, layer, c[0], c[1], c[2], bytes);
    w->on->address[lane] = (u64)(uintptr_t)(at ? at : x->data);
    if (at || t->outside == OUTSIDE_ZERO)
        return at;
    if (t->outside == OUTSIDE_TRAP) {
        warp_fault(w, op, FAULT_ADDRESS, lane, "surface coordinates (%d, %d, %d) are outside", c[0],
                   c[1], c[2]);
        return NULL;
    }
    surface_clamp(x, t->dims, c, bytes);
    return surface_texel(x, t->dims, layer, c[0], c[1], c[2], bytes);
}

static void run_surface_load(struct warp *w, const struct op *op, u32 mask)
{
    const struct texture_op *t = op->extra;
    u32 bytes = op->access_bytes, total = bytes * t->result_count;
    EACH (lane, mask) {
        const u8 *at = surface_at(w, op, lane, total);
        if (w->on->fault != FAULT_NONE)
            return;
        u8 texel[MOST_ACCESS_BYTES] = {0};
        if (at)
            memcpy(texel, at, total);
        if (at && w->on->log)
            memory_log_overlay(w->on->log, (u64)(uintptr_t)at, total, texel);
        for (u32 k = 0; k < t->result_count; k++) {
            u64 v = 0;
            memcpy(&v, texel + k * bytes, bytes);
            memcpy((u8 *)ref_get(w, t->results[k]) + (size_t)lane * t->result_bytes, &v,
                   t->result_bytes);
        }
    }
}

static u8 *store_texel(struct memory_log *l, const u8 *at, u32 bytes)
{
    u64 *addresses, address = (u64)(uintptr_t)at;
    u8 *data = memory_log_store(l, 1, bytes, &addresses);
    addresses[0] = address;
    memory_log_span(l, address, address + bytes);
    return data;
}

static void run_surface_store(struct warp *w, const struct op *op, u32 mask)
{
    const struct texture_op *t = op->extra;
    u32 bytes = op->access_bytes, total = bytes * t->result_count;
    EACH (lane, mask) {
        u8 *at = surface_at(w, op, lane, total);
        if (w->on->fault != FAULT_NONE)
            return;
        if (at && w->on->log)
            at = store_texel(w->on->log, at, total);
        for (u32 k = 0; at && k < t->result_count; k++)
            memcpy(at + k * bytes,
                   (const u8 *)ref_get(w, t->results[k]) + (size_t)lane * t->result_bytes, bytes);
    }
}

static bool read_geometry(struct decoder *d, struct texture_op *t)
{
    static const struct {
        const char *word;
        u32 dims;
        bool layered, cube;
    } geometries[] = {{"1d", 1, false, false}, {"2d", 2, false, false}, {"3d", 3, false, false},
                      {"a1d", 1, true, false}, {"a2d", 2, true, false}, {"cube", 3, false, true},
                      {"acube", 3, true, true}};
    for (u32 i = 0; i < ARRAY_LEN(geometries); i++) {
        if (decode_has(d, geometries[i].word)) {
            t->dims = geometries[i].dims;
            t->layered = geometries[i].layered;
            t->cube = geometries[i].cube;
            return true;
        }
    }
    return false;
}

static bool take_refs(struct decoder *d, const struct ptx_operand *o, enum type type,
                      bool is_source, ref_t *out, u32 *count, u8 *bytes)
{
    if (!decode_list(d, o, type, is_source, bytes) || d->op->list_count > 4)
        return decode_unsupported(d, "");
    *count = d->op->list_count;
    memcpy(out, d->op->list, *count * sizeof *out);
    if (is_source) {
        d->op->list = NULL;
        d->op->list_count = 0;
    }
    return true;
}

static bool take_handle(struct decoder *d, const struct ptx_operand *o, struct texture_op *t)
{
    if (o->kind != OPERAND_ADDRESS || o->base != OPERAND_REG ||
        type_info[d->source->regs[o->index].type].bytes != 8)
        return decode_unsupported(d, "anything but an object in a 64-bit register");
    t->handle = decode_touch(d, o->index, false);
    return true;
}

static bool check_coordinates(struct decoder *d, const struct texture_op *t, u8 bytes)
{
    if (bytes == 4 && t->coord_count >= t->dims + t->layered)
        return true;
    if (bytes == 8 && d->statement->operands[2].kind == OPERAND_REG)
        return decode_unsupported(d, "a sampler apart from the texture");
    return err_at(d->err, decode_pos(d), "%s has %u coordinates of %u bits, expected %u of 32",
                  d->statement->opcode, t->coord_count, 8u * bytes, t->dims + t->layered);
}

/* A level, or how the coordinates change: operands behind the coordinates. */
static bool take_lod(struct decoder *d, struct texture_op *t)
{
    const struct ptx_operand *o = d->statement->operands;
    u32 count;
    u8 bytes;
    if (t->lod == LOD_LEVEL) /* an index for fetches by index, which no mipmap has */
        return decode_source(d, &o[3], t->integer ? TYPE_B32 : TYPE_F32, &t->level, &bytes) &&
               (bytes == 4 || decode_unsupported(d, "a level that has not 32 bits"));
    for (u32 i = 0; t->lod == LOD_GRADIENT && i < 2; i++) {
        if (!take_refs(d, &o[3 + i], TYPE_B32, true, t->gradient[i], &count, &bytes))
            return false;
        if (count < t->dims || bytes != 4)
            return decode_unsupported(d, "gradients of fewer numbers than coordinates");
    }
    return true;
}

bool decode_texture(struct decoder *d)
{
    struct texture_op *t = ARENA_NEW(&d->program->arena, struct texture_op);
    const struct ptx_operand *o = d->statement->operands;
    u8 bytes;
    d->op->run = run_texture;
    d->op->extra = t;
    d->op->unit = UNIT_MEMORY;
    d->op->fp_mode = 0;
    t->gather = strcmp(d->statement->opcode, "tld4") == 0;
    static const char *const channels[] = {"r", "g", "b", "a"};
    for (u32 i = 0; t->gather && i < 4; i++) {
        if (decode_is(d, 0, channels[i]))
            t->channel = i;
    }
    if (!read_geometry(d, t) || d->mods.type_count != 2 || d->mods.vector != 4 ||
        type_info[d->mods.types[0]].bytes != 4)
        return decode_unsupported(d, "");
    t->integer = d->mods.types[1] == TYPE_S32;
    t->lod = decode_has(d, "level") ? LOD_LEVEL : decode_has(d, "grad") ? LOD_GRADIENT : LOD_NONE;
    if (d->statement->operand_count > 3 + (u32)t->lod && o[1].kind == OPERAND_ADDRESS &&
        o[2].kind != OPERAND_REG)
        return decode_unsupported(d, "an offset, or a depth to compare with");
    return decode_operand_count(d, 3 + (u32)t->lod, 6) && take_handle(d, &o[1], t) &&
           take_refs(d, &o[2], TYPE_B32, true, t->coords, &t->coord_count, &bytes) &&
           check_coordinates(d, t, bytes) && take_lod(d, t) &&
           take_refs(d, &o[0], TYPE_B32, false, t->results, &t->result_count, &t->result_bytes) &&
           ((t->result_count == 4 && (t->result_bytes == 4 || t->result_bytes == 0)) ||
            decode_unsupported(d, "anything but four 32-bit results"));
}

bool decode_texture_query(struct decoder *d)
{
    static const char *const words[] = {"width", "height", "depth", "array_size"};
    struct texture_op *t = ARENA_NEW(&d->program->arena, struct texture_op);
    d->op->run = run_query;
    d->op->extra = t;
    d->op->unit = UNIT_MEMORY;
    for (u32 i = 0; i < ARRAY_LEN(words); i++) {
        if (decode_is(d, 0, words[i])) {
            t->query = (u8)i;
            return decode_operand_count(d, 2, 2) && decode_destination_exact(d, 0, 4) &&
                   take_handle(d, &d->statement->operands[1], t);
        }
    }
    return decode_unsupported(d, "");
}

static bool check_texels(struct decoder *d, const struct texture_op *t)
{
    u32 expected = d->mods.vector ? d->mods.vector : 1, bytes = d->op->access_bytes;
    if (t->result_count != expected)
        return err_at(d->err, decode_pos(d), "%s names %u registers, expected %u",
                      d->statement->opcode, t->result_count, expected);
    if (t->result_bytes == 0 || (t->result_bytes >= bytes && t->result_bytes <= 8))
        return true;
    return err_at(d->err, decode_pos(d), "%s moves %u bits, its register has %u",
                  d->statement->opcode, 8u * bytes, 8u * t->result_bytes);
}

bool decode_surface(struct decoder *d)
{
    struct texture_op *t = ARENA_NEW(&d->program->arena, struct texture_op);
    const struct ptx_operand *o = d->statement->operands;
    bool is_load = strcmp(d->statement->opcode, "suld") == 0;
    u32 first = is_load ? 1 : 0;
    u8 bytes;
    d->op->run = is_load ? run_surface_load : run_surface_store;
    d->op->extra = t;
    d->op->unit = UNIT_MEMORY;
    enum type type = d->mods.types[0];
    if (!read_geometry(d, t) || !decode_is(d, 0, "b") || d->mods.type_count != 1 ||
        type_info[type].bytes == 0 || type_info[type].bytes > 8)
        return decode_unsupported(d, "");
    d->op->access_bytes = type_info[type].bytes;
    t->outside = decode_has(d, "clamp")  ? OUTSIDE_CLAMP
                 : decode_has(d, "zero") ? OUTSIDE_ZERO
                                         : OUTSIDE_TRAP;
    return decode_operand_count(d, 3, 3) && take_handle(d, &o[first], t) &&
           take_refs(d, &o[first + 1], TYPE_B32, true, t->coords, &t->coord_count, &bytes) &&
           check_coordinates(d, t, bytes) &&
           take_refs(d, &o[is_load ? 0 : 2], type, !is_load, t->results, &t->result_count,
                     &t->result_bytes) &&
           check_texels(d, t);
}
