#include "device/tensor_map.h"

u32 tensor_element_bytes(enum tensor_type type)
{
    static const u8 bytes[TENSOR_TYPES] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return bytes[type];
}

static u32 row_bytes(const struct tensor_map *m)
{
    return tensor_element_bytes((enum tensor_type)m->type) *
           (m->is_im2col ? m->channels : tensor_count(m, 0));
}

/* What is too large for its field is as illegal as the largest value that it holds. */
static u8 byte_of(u64 value)
{
    return value < UINT8_MAX ? (u8)value : UINT8_MAX;
}

void tensor_map_replace(struct tensor_map *m, enum tensor_field field, u32 ordinal, u64 value)
{
    /* from PTX ISA, tensormap.replace: not the order of CUtensorMapDataType */
    static const u8 types[] = {TENSOR_U8,   TENSOR_U16,  TENSOR_U32,     TENSOR_S32,     TENSOR_U64,
                               TENSOR_S64,  TENSOR_F16,  TENSOR_F32,     TENSOR_F32_FTZ, TENSOR_F64,
                               TENSOR_BF16, TENSOR_TF32, TENSOR_TF32_FTZ};
    m->magic = TENSOR_MAP_MAGIC;
    switch (field) {
    case TENSOR_FIELD_ADDRESS:
        m->address = value;
        break;
    case TENSOR_FIELD_RANK:
        m->rank = byte_of(value + 1);
        break;
    case TENSOR_FIELD_BOX:
        m->box[ordinal] = value < UINT16_MAX ? (u16)value : UINT16_MAX;
        break;
    case TENSOR_FIELD_DIMENSION: /* 2^32 elements do not fit the operand: 0 says so */
        m->last[ordinal] = (u32)value - 1;
        break;
    case TENSOR_FIELD_STRIDE:
        m->stride[ordinal] = value;
        break;
    case TENSOR_FIELD_STEP:
        m->step[ordinal] = byte_of(value);
        break;
    case TENSOR_FIELD_TYPE:
        m->type = value < sizeof types ? types[value] : UINT8_MAX;
        break;
    case TENSOR_FIELD_INTERLEAVE:
        m->interleave = byte_of(value);
        break;
    case TENSOR_FIELD_SWIZZLE:
        m->swizzle = byte_of(value);
        break;
    case TENSOR_FIELD_FILL:
        m->fills_nan = value != 0;
        break;
    }
}

const char *tensor_map_flaw(const struct tensor_map *m)
{
    static const u32 spans[] = {UINT32_MAX, 32, 64, 128};
    if (m->magic != TENSOR_MAP_MAGIC)
        return "no tensor map";
    if (!m->rank || m->rank > TENSOR_MOST_RANK)
        return "a tensor map whose rank is not 1 to 5";
    if (m->type >= TENSOR_TYPES)
        return "a tensor map with an unknown element type";
    if (m->interleave)
        return "a tensor map with interleaved channels, which is not supported";
    if (m->swizzle >= ARRAY_LEN(spans))
        return "a tensor map with an unknown swizzle mode";
    if (!m->address || m->address % 16)
        return "a tensor map whose address is not a multiple of 16";
    for (u32 d = 0; d < m->rank; d++) {
        if (!m->step[d] || m->step[d] > 8)
            return "a tensor map with an element stride outside 1 to 8";
        if (!m->is_im2col && (!m->box[d] || m->box[d] > 256))
            return "a tensor map with a box dimension outside 1 to 256";
        if (d && (m->stride[d - 1] % 16 || m->stride[d - 1] >> 40))
            return "a tensor map whose stride is no multiple of 16 below 2^40";
    }
    if (row_bytes(m) % 16 || row_bytes(m) > spans[m->swizzle])
        return "a tensor map whose box has rows of no multiple of 16 bytes, or above its swizzle's";
    return NULL;
}

u64 tensor_fill(const struct tensor_map *m)
{
    return m->fills_nan ? 0x7ff77ff77ff77ff7 : 0; /* as an H200 does, of each type its bytes */
}

static u64 rows(const struct tensor_map *m)
{
    u64 count = m->is_im2col ? m->pixels : 1;
    for (u32 d = 1; d < m->rank && !m->is_im2col; d++)
        count *= tensor_count(m, d);
    return count;
}

u32 tensor_row_pitch(const struct tensor_map *m)
{
    u32 bytes = row_bytes(m), span = m->swizzle ? 16u << m->swizzle : 0;
    return bytes < span ? span : bytes;
}

u64 tensor_box_span(const struct tensor_map *m)
{
    return (rows(m) - 1) * tensor_row_pitch(m) + row_bytes(m);
}

u32 tensor_box_bytes(const struct tensor_map *m)
{
    return (u32)(rows(m) * row_bytes(m));
}

/* A row of the box: what is before the tensor, in it, and behind. */
static bool visit_row(const struct tensor_map *m, i64 first, u32 count, u64 row, bool is_inside,
                      u32 offset, tensor_visit *visit, void *context)
{
    u32 bytes = tensor_element_bytes((enum tensor_type)m->type);
    i64 end = (i64)m->last[0] + 1;
    i64 cuts[4] = {first, first < 0 ? 0 : first, end, first + count};
    cuts[1] = cuts[1] > cuts[3] ? cuts[3] : cuts[1];
    cuts[2] = cuts[2] < cuts[1] ? cuts[1] : cuts[2] > cuts[3] ? cuts[3] : cuts[2];
    for (u32 i = 0; i < 3; i++) {
        struct tensor_run run = {.address = row + (u64)cuts[i] * bytes,
                                 .elements = (u32)(cuts[i + 1] - cuts[i]),
                                 .offset = offset + (u32)(cuts[i] - first) * bytes,
                                 .is_inside = is_inside && i == 1};
        if (run.elements && !visit(context, &run))
            return false;
    }
    return true;
}

static bool visit_tile(const struct tensor_map *m, const i32 *at, tensor_visit *visit,
                       void *context)
{
    u32 count[TENSOR_MOST_RANK] = {1, 1, 1, 1, 1}, offset = 0;
    u64 all = rows(m);
    u32 pitch = tensor_row_pitch(m);
    for (u32 d = 0; d < m->rank; d++)
        count[d] = tensor_count(m, d);
    for (u64 row = 0; row < all; row++, offset += pitch) {
        u64 address = m->address;
        bool is_inside = true;
        for (u64 d = 1, left = row; d < m->rank; left /= count[d++]) {
            i64 c = (i64)at[d] + (i64)(left % count[d]) * m->step[d];
            is_inside = is_inside && c >= 0 && c <= (i64)m->last[d];
            address += (u64)c * m->stride[d - 1];
        }
        if (!visit_row(m, at[0], count[0], address, is_inside, offset, visit, context))
            return false;
    }
    return true;
}

/*
 * Pixels of im2col: from the coordinates on, along the first spatial dimension, then the next, then
 * the images; each dimension from `lower` to its end plus `upper`, by steps. The offset is
 * where in its window the convolution looks.
 */
static bool visit_columns(const struct tensor_map *m, const i32 *at, const u16 *offset,
                          tensor_visit *visit, void *context)
{
    u32 spatial = m->rank - 2u, pitch = tensor_row_pitch(m);
    i64 c[TENSOR_MOST_RANK];
    for (u32 d = 0; d < m->rank; d++)
        c[d] = at[d];
    for (u32 pixel = 0; pixel < m->pixels; pixel++) {
        u64 address = m->address + (u64)c[m->rank - 1u] * m->stride[m->rank - 2u];
        bool is_inside = c[m->rank - 1u] >= 0 && c[m->rank - 1u] <= (i64)m->last[m->rank - 1u];
        for (u32 s = 0; s < spatial; s++) {
            i64 at_s = c[s + 1] + offset[s];
            is_inside = is_inside && at_s >= 0 && at_s <= (i64)m->last[s + 1];
            address += (u64)at_s * m->stride[s];
        }
        if (!visit_row(m, at[0], m->channels, address, is_inside, pixel * pitch, visit, context))
            return false;
        u32 s = 0;
        for (; s < spatial; s++) {
            c[s + 1] += m->step[s + 1];
            if (c[s + 1] < (i64)m->last[s + 1] + 1 + m->upper[s])
                break;
            c[s + 1] = m->lower[s];
        }
        if (s == spatial)
            c[m->rank - 1u]++;
    }
    return true;
}

bool tensor_box_visit(const struct tensor_map *m, const i32 *at, const u16 *offset,
                      tensor_visit *visit, void *context)
{
    return m->is_im2col ? visit_columns(m, at, offset, visit, context)
                        : visit_tile(m, at, visit, context);
}
