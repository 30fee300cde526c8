/*
 * A texture or surface object: where its texels are and how they are read.
 *
 * Texels lie in rows of pitch_bytes, slices of pitch_bytes * height; a 1D
 * texture over linear memory is one row. The owner (a CUDA library) fills the
 * struct; tex_fetch and the surface accesses only read it.
 */
#ifndef DEVICE_TEXTURE_H
#define DEVICE_TEXTURE_H

#include "base/types.h"

enum texel_kind { TEXEL_SIGNED, TEXEL_UNSIGNED, TEXEL_FLOAT };
enum address_mode { ADDRESS_WRAP, ADDRESS_CLAMP, ADDRESS_MIRROR, ADDRESS_BORDER };

struct texture {
    u8 *data;
    u32 width, height, depth; /* texels; 0: that dimension does not exist */
    u32 layers;               /* 0: not layered */
    u64 pitch_bytes;
    u8 channels;     /* 1, 2 or 4 */
    u8 channel_bits; /* 8, 16 or 32 */
    enum texel_kind kind;
    enum address_mode address[3];
    bool linear;            /* filter */
    bool normalized_coords; /* 0..1 over the extent */
    bool read_normalized;   /* integers as floats in 0..1 or -1..1 */
    float border[4];        /* words of integers where texels are read as integers */
    bool is_surface;
    bool is_array; /* a CUDA array: an H200 gives 0 for 1D fetches by index from one */
    /* A mipmap: this is the finest of its levels, which are textures of their own. */
    const struct texture *levels;
    u32 level_count;      /* 0: no mipmap */
    bool level_linear;    /* between two levels */
    float level_bias;     /* added to every level of detail */
    float level_clamp[2]; /* least, most */
};

/* One fetch: `dims` 1 to 3; coordinates as floats (texel centres at .5) or, for
 * integer coordinates, texel indices. Four results: bits of f32, s32 or u32. */
void texture_fetch(const struct texture *t, u32 dims, u32 layer, const float coord[3], u32 out[4]);
void texture_fetch_int(const struct texture *t, u32 dims, u32 layer, const i32 coord[3],
                       u32 out[4]);
/* From a mipmap, at a level of detail; from anything else as texture_fetch. */
void texture_fetch_level(const struct texture *t, u32 dims, u32 layer, const float coord[3],
                         float lod, u32 out[4]);
/* The level of detail of a footprint given by how coordinates change along and across it. */
float texture_lod(const struct texture *t, u32 dims, const float dx[3], const float dy[3]);
/* Of a cube map, whose faces are layers: the face in a direction, and where on it. */
u32 texture_face(const float coord[3], float on_face[3]);
/* tld4: component `channel` of the four texels of a bilinear footprint. */
void texture_gather(const struct texture *t, u32 layer, const float coord[2], u32 channel,
                    u32 out[4]);

/* Where the texel nearest to a coordinate lies, clamped: what the timing model sees. */
u64 texture_address(const struct texture *t, u32 dims, u32 layer, const float coord[3]);

/* Surface accesses: x in bytes, as in PTX. NULL when outside. */
u8 *surface_texel(const struct texture *t, u32 dims, u32 layer, i32 x_bytes, i32 y, i32 z,
                  u32 bytes);
/* .clamp: moves x in bytes, y and z to the nearest access of `bytes` inside. */
void surface_clamp(const struct texture *t, u32 dims, i32 at[3], u32 bytes);

#endif
