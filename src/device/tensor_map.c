#include "device/tensor_map.h"

u32 tensor_element_bytes(enum tensor_type type)
{
    static const u8 bytes[TENSOR_TYPES] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return bytes[type];
}

u64 tensor_fill(const struct tensor_map *m)
{
    return m->fills_nan ? 0x7ff77ff77ff77ff7 : 0; /* as an H200 does, of each type its bytes */
}

static u32 row_bytes(const struct tensor_map *m)
{
    return tensor_element_bytes((enum tensor_type)m->type) *
           (m->is_im2col ? m->channels : tensor_count(m, 0));
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
