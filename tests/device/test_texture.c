/*
 * The recorded texture kernels, fetch by fetch: what tests/conformance/kernels/texture.kern
 * computes around a fetch is done here by hand, the fetch by src/device/texture.c.
 */
#include "device/texture.h"
#include "testing.h"

/* The suite's own reader of kernels, inputs and records; its arena is not ours. */
#include "../conformance/text.h"

#include "../conformance/compare.c"
#include "../conformance/forms.c"
#include "../conformance/kernels.c"
#include "../conformance/record.c"
#include "../conformance/suite.c"
#include "../conformance/text.c"
#include "../conformance/values.c"

struct fetches {
    const struct test_case *c;
    struct texture t;
    u32 threads;
    const u8 *in;
    u32 out[1024];
};

/* Word k of a thread, as $get and $put number them. */
static u32 word(const struct fetches *f, u32 thread, u32 k)
{
    u32 w;
    memcpy(&w, f->in + 4 * (k * f->threads + thread), sizeof w);
    return w;
}

static float number(const struct fetches *f, u32 thread, u32 k)
{
    u32 w = word(f, thread, k);
    float x;
    memcpy(&x, &w, sizeof x);
    return x;
}

static void put(struct fetches *f, u32 thread, u32 first, const u32 *values, u32 count)
{
    for (u32 k = 0; k < count; k++)
        f->out[(first + k) * f->threads + thread] = values[k];
}

static enum address_mode mode_of(const char *name)
{
    static const char *const names[] = {"wrap", "clamp", "mirror", "border"};
    for (u32 i = 0; i < 4; i++) {
        if (!strcmp(name, names[i]))
            return (enum address_mode)i;
    }
    return ADDRESS_CLAMP;
}

static struct texture texture_of(const struct image *m, u8 *texels)
{
    enum address_mode mode = mode_of(m->address);
    return (struct texture){
        .data = texels,
        .width = m->extent[0],
        .height = m->dimensions > 1 ? m->extent[1] : 0,
        .depth = m->dimensions > 2 ? m->extent[2] : 0,
        .pitch_bytes = (u64)m->extent[0] * m->channels * m->element->bytes,
        .channels = (u8)m->channels,
        .channel_bits = (u8)(m->element->bytes * 8),
        .kind = m->element->kind == KIND_FLOAT    ? TEXEL_FLOAT
                : m->element->kind == KIND_SIGNED ? TEXEL_SIGNED
                                                  : TEXEL_UNSIGNED,
        .address = {mode, mode, mode},
        .linear = !strcmp(m->filter, "linear"),
        .normalized_coords = m->normalized,
        .read_normalized = !m->as_integer,
        .border = {0.25f, 0.5f, 0.75f, 1.0f},
        .is_surface = m->surface,
        .is_array = true,
    };
}

static void tex_1d(struct fetches *f, u32 i)
{
    float x[3] = {number(f, i, 0) * (i > 40 ? 3.0f : 25.0f)};
    u32 v[4];
    texture_fetch(&f->t, 1, 0, x, v);
    put(f, i, 0, v, 4);
}

static void tex_scaled(struct fetches *f, u32 i, u32 dims, const float scale[3])
{
    float x[3] = {0};
    u32 v[4];
    for (u32 k = 0; k < dims; k++) {
        x[k] = number(f, i, k) * scale[k];
        if (i > 24)
            x[k] = x[k] * 0.1f;
    }
    texture_fetch(&f->t, dims, 0, x, v);
    put(f, i, 0, v, 4);
}

static void tex_2d(struct fetches *f, u32 i)
{
    tex_scaled(f, i, 2, (const float[3]){20, 11, 0});
}

static void tex_3d(struct fetches *f, u32 i)
{
    tex_scaled(f, i, 3, (const float[3]){10, 10, 6});
}

static void tex_1d_int(struct fetches *f, u32 i)
{
    i32 x[3] = {(i32)word(f, i, 0) + 8};
    u32 v[4];
    texture_fetch_int(&f->t, 1, 0, x, v);
    put(f, i, 0, v, 4);
}

static void tex_2d_int(struct fetches *f, u32 i)
{
    i32 x[3] = {(i32)word(f, i, 0) + 8, (i32)word(f, i, 1)};
    u32 v[4];
    texture_fetch_int(&f->t, 2, 0, x, v);
    put(f, i, 0, v, 4);
}

static void tex_2d_plain(struct fetches *f, u32 i)
{
    float x[3] = {number(f, i, 0), number(f, i, 1)};
    u32 v[4];
    texture_fetch(&f->t, 2, 0, x, v);
    put(f, i, 0, v, 4);
}

static void tld4(struct fetches *f, u32 i)
{
    float x[2] = {number(f, i, 0), number(f, i, 1)};
    u32 v[4];
    texture_gather(&f->t, 0, x, (u32)(strchr("rgba", f->c->name[5]) - "rgba"), v);
    put(f, i, 0, v, 4);
}

static void suld(const struct texture *t, u32 dims, i32 x, i32 y, i32 z, void *to, u32 bytes)
{
    const u8 *from = surface_texel(t, dims, 0, x, y, z, bytes);
    memset(to, 0, bytes);
    if (from)
        memcpy(to, from, bytes);
}

static void sust(const struct texture *t, u32 dims, i32 x, i32 y, i32 z, const void *from,
                 u32 bytes)
{
    u8 *to = surface_texel(t, dims, 0, x, y, z, bytes);
    assert_non_null(to);
    memcpy(to, from, bytes);
}

static void surface_1d(struct fetches *f, u32 i)
{
    u32 bytes = strstr(f->c->name, ".b16.") ? 2 : 4, v[2] = {0}, w = word(f, i, 0);
    suld(&f->t, 1, (i32)i * 4, 0, 0, &v[0], bytes);
    sust(&f->t, 1, (i32)i * 4 + 128, 0, 0, &w, bytes);
    suld(&f->t, 1, (i32)i * 4 + 128, 0, 0, &v[1], 4);
    put(f, i, 0, v, 2);
}

static void surface_2d(struct fetches *f, u32 i)
{
    i32 x = ((i32)i & 15) * 4, y = (i32)i >> 4;
    u32 v[2], w = word(f, i, 0);
    suld(&f->t, 2, x, y, 0, &v[0], 4);
    sust(&f->t, 2, x, y + 4, 0, &w, 4);
    suld(&f->t, 2, x, y + 4, 0, &v[1], 4);
    put(f, i, 0, v, 2);
}

static void surface_2d_v4(struct fetches *f, u32 i)
{
    i32 x = ((i32)i & 15) * 16, y = (i32)i >> 4;
    u32 v[8], w[4] = {word(f, i, 0), word(f, i, 1), word(f, i, 2), word(f, i, 3)};
    suld(&f->t, 2, x, y, 0, v, 16);
    sust(&f->t, 2, x, y + 2, 0, w, 16);
    suld(&f->t, 2, x, y + 2, 0, v + 4, 16);
    put(f, i, 0, v, 8);
}

static void surface_3d(struct fetches *f, u32 i)
{
    i32 x = ((i32)i & 7) * 4, y = (i32)i >> 3;
    u32 v[2], w = word(f, i, 0);
    suld(&f->t, 3, x, y, 1, &v[0], 4);
    sust(&f->t, 3, x, y, 3, &w, 4);
    suld(&f->t, 3, x, y, 3, &v[1], 4);
    put(f, i, 0, v, 2);
}

static void surface_outside(struct fetches *f, u32 i)
{
    i32 at[2][3] = {{((i32)i - 8) * 4, 3, 0}, {20, (i32)i - 12, 0}};
    u32 v[2];
    for (u32 k = 0; k < 2; k++) {
        if (strstr(f->c->name, ".clamp/"))
            surface_clamp(&f->t, 2, at[k], 4);
        suld(&f->t, 2, at[k][0], at[k][1], 0, &v[k], 4);
    }
    put(f, i, 0, v, 2);
}

static const struct kernel {
    const char *pattern;
    void (*run)(struct fetches *f, u32 thread);
} kernels[] = {
    {"tex.?d.v4.*.s32", NULL}, /* before the others: by their coordinates */
    {"tex.2d.v4.u32.f32/*", tex_2d_plain},
    {"tex.level.2d.*", tex_2d_plain},
    {"tex.1d.*", tex_1d},
    {"tex.2d.*", tex_2d},
    {"tex.3d.*", tex_3d},
    {"tld4.*", tld4},
    {"suld-sust.*/outside", surface_outside},
    {"suld-sust.1d.*", surface_1d},
    {"suld-sust.2d.v4.*", surface_2d_v4},
    {"suld-sust.2d.*", surface_2d},
    {"suld-sust.3d.*", surface_3d},
};

static const struct kernel *kernel_of(const char *name)
{
    static const struct kernel by_index[] = {{"", tex_1d_int}, {"", tex_2d_int}};
    for (u32 k = 0; k < ARRAY_LEN(kernels); k++) {
        if (glob_match(kernels[k].pattern, name))
            return kernels[k].run ? &kernels[k] : &by_index[name[4] - '1'];
    }
    return NULL;
}

/* The number of results that are not the recorded bits. */
static u32 replay(const struct test_case *c, const struct record_entry *e)
{
    const struct kernel *k = kernel_of(c->name);
    static struct fetches f;
    u8 *inputs = calloc(1, c->in_bytes + c->image_bytes + 1);
    assert_non_null(inputs);
    assert_true(c->out_bytes <= sizeof f.out);
    assert_int_equal(case_fill(c, inputs), e->input_hash);
    f = (struct fetches){.c = c,
                         .t = texture_of(&c->image, inputs + c->in_bytes),
                         .threads = c->block[0],
                         .in = inputs};
    for (u32 i = 0; i < f.threads; i++)
        k->run(&f, i);
    u32 differ = 0, threads = f.threads ? f.threads : 1;
    for (u32 i = 0; i < c->out_bytes / 4; i++) {
        u32 want;
        memcpy(&want, e->data + 4 * i, sizeof want);
        if (want != f.out[i] && differ++ == 0)
            print_error("%s: thread %u, result %u is 0x%08x, recorded 0x%08x\n", c->name,
                        i % threads, i / threads, f.out[i], want);
    }
    if (differ)
        print_error("%s: %u of %u differ\n", c->name, differ, c->out_bytes / 4);
    free(inputs);
    return differ;
}

TEST(every_recorded_fetch_and_surface_access_gives_the_recorded_bits)
{
    UNUSED_STATE;
    const char *source = getenv("HEDDLE_SOURCE");
    char path[512], why[256];
    struct suite s = {0};
    struct record r = {0};
    snprintf(path, sizeof path, "%s/tests/conformance/kernels/texture.kern", source ? source : ".");
    if (!kernels_load(&s, path))
        fail_msg("%s", s.error);
    snprintf(path, sizeof path, "%s/tests/conformance/h200.zst", source ? source : ".");
    if (!record_read(&r, path, why, sizeof why))
        fail_msg("%s", why);
    u32 cases = 0, differ = 0;
    for (u32 i = 0; i < s.count; i++) {
        const struct record_entry *e = record_find(&r, s.cases[i]->name);
        if (!kernel_of(s.cases[i]->name) || !e || e->status != RECORD_RESULT)
            continue;
        cases++;
        differ += replay(s.cases[i], e) > 0;
    }
    print_message("# %u kernels replayed\n", cases);
    assert_true(cases > 60);
    assert_int_equal(differ, 0);
    suite_fini(&s);
    record_fini(&r);
}

/*
 * Fetches an H200 made from 1D arrays of 13 texels, most of them at coordinates
 * that lie between two roundings: 13 is not a power of two, so a normalised
 * coordinate is never exact.
 */
/* clang-format off */
static const struct probe {
    enum texel_kind kind;
    u8 bits;
    enum address_mode mode;
    bool linear, normalized;
    u32 texel[13];
    struct {
        u32 coord, result;
    } fetch[12];
} probes[] = {
    {TEXEL_FLOAT, 32, ADDRESS_WRAP, false, true,
     {0xbf5111a0, 0x403ab917, 0x3fda0f1c, 0xbe59f8db, 0xbe61becc, 0xbf270f9c, 0x3d84d0a6, 0x3ea6a0b7, 0x3ff496e9, 0x3cc22aa2, 0xbdd75a78, 0xbd306064, 0x3e075309},
     {{0x3e1d89d9, 0x403ab917}, {0xbe1d89d9, 0xbdd75a78}, {0x3f93b13c, 0x3fda0f1c}, {0x3e9d89d9, 0xbe59f8db}, {0xb3800000, 0x3e075309}, {0x3f313b14, 0x3ff496e9}, {0x3f6c4ec6, 0xbd306064}, {0x3f800000, 0xbf5111a0}, {0x3f898ec5, 0xbf5111a0}, {0x3d2663bd, 0xbf5111a0}, {0x3ef55b8c, 0x3d84d0a6}, {0x3f7da762, 0x3e075309}}},
    {TEXEL_FLOAT, 32, ADDRESS_MIRROR, false, true,
     {0xbe770d30, 0x3fd0d189, 0xbcde895c, 0xbedb045c, 0x3d95ea09, 0x3d8e6aba, 0xbf6f1bc1, 0x3e20b487, 0x3f35fc83, 0x3dac8f18, 0xbd554999, 0xbf88f626, 0x3d71a696},
     {{0x33800000, 0xbe770d30}, {0x3f1d89d8, 0x3e20b487}, {0x3e1d89d9, 0x3fd0d189}, {0x3f1d89d9, 0x3e20b487}, {0xbe1d89d8, 0xbcde895c}, {0x3f1d89db, 0x3e20b487}, {0x3f89d89e, 0x3d71a696}, {0x3f7ffffd, 0x3d71a696}, {0x3f5c1db8, 0xbf88f626}, {0x3f6a708c, 0xbf88f626}, {0x3d7d7fdb, 0xbe770d30}, {0x3f5f8127, 0xbf88f626}}},
    {TEXEL_FLOAT, 32, ADDRESS_WRAP, true, true,
     {0xc01e085e, 0xbd87c440, 0x4034ec5e, 0xbca2ae66, 0xbeee0a66, 0x3de8d95e, 0xbd149a61, 0x40143a14, 0xbf70a7e4, 0x3d72208c, 0x3f7724ec, 0x3dac1a97, 0x4006d077},
     {{0x3e59b13b, 0x40053d5a}, {0x3e1d89d9, 0x3fb0ae3c}, {0x3f3ae273, 0x3d422ab0}, {0x3f3eb13b, 0x3e66ea42}, {0x3f424ecf, 0x3ec8a630}, {0x3f4a313b, 0x3f40c43f}, {0x3e85d89e, 0x3e89dd82}, {0x3ea3c4eb, 0xbe9fb592}, {0x3f6c4ec5, 0x3f8c314c}, {0x3d035645, 0xc0060295}, {0x3d427627, 0xc00c02ab}, {0x3f13e276, 0x4012994c}}},
    {TEXEL_FLOAT, 32, ADDRESS_MIRROR, true, true,
     {0xc00f35bd, 0xbe96b35e, 0xbdf57e87, 0xbd60b1e4, 0x3ea3c1f3, 0xbf4c014f, 0x3cde93e0, 0xbd950019, 0x3ebeaaf3, 0x3dd52b8f, 0x3d93ad07, 0x3df18ad5, 0xbdc07ea3},
     {{0xbca89716, 0xc00f35bd}, {0x3f0c09d9, 0xbd0a1f3d}, {0x3f59d89e, 0x3dc879cb}, {0x3f04a764, 0x3b75c901}, {0x3ea90003, 0x3e781462}, {0x3ee8b13b, 0xbeec9acd}, {0x3e373b17, 0xbe1a26b4}, {0x3f8a3bd6, 0x3ca5e9df}, {0x3f84e765, 0xbdc07ea3}, {0x3eb5ccba, 0x3e4181d4}, {0xbd9f6276, 0xbf9f21ed}, {0xbd953b14, 0xbfaeadd7}}},
    {TEXEL_FLOAT, 32, ADDRESS_BORDER, true, true,
     {0xbf0632c3, 0xbf9e07b5, 0x400c1736, 0xbce262dd, 0xbe57d7cf, 0x3dad2e19, 0x3e59fa8f, 0xc0157970, 0x3fd60d9b, 0xbf19ef6e, 0x3fc30c97, 0xbf7fe37d, 0xbf346671},
     {{0x3ea84ec5, 0x3d254b92}, {0x33800000, 0x3d6734f4}, {0x3c1b13b0, 0x3c0408c4}, {0x3f2d1d87, 0x3f21ee11}, {0x3f6e8000, 0xbe914c50}, {0x3ec52762, 0x3dc1bc7c}, {0x3ec19d88, 0x3da56218}, {0x3e533b19, 0x3f8299af}, {0x3f26f3c7, 0x3f6a0798}, {0xbde574e7, 0x3e800000}, {0x3f0a6276, 0xbee416b1}, {0x3f110dc4, 0xbf5fa035}}},
    {TEXEL_FLOAT, 32, ADDRESS_BORDER, true, false,
     {0xbd6fd677, 0x4023a96c, 0x3d6a58a1, 0xbd59ed97, 0x3cd25df7, 0xbf38881f, 0xbd3358a6, 0x3dc550f6, 0xbcbf50f0, 0xbec6fdab, 0x4001888f, 0xbd3bd71f, 0xbe1a66f5},
     {{0x41207000, 0x3f124f5e}, {0x3ef80000, 0x3dc8fa39}, {0x410b4800, 0x3d992e40}, {0x409ffffe, 0xbd47d4bd}, {0x41200001, 0x3f08a8da}, {0x40db7000, 0x3e035dad}, {0xc0000002, 0x3e800000}, {0x4104a803, 0x3e007dd5}, {0x3fd19906, 0x3f9d296b}, {0x40b5f66b, 0xbe301146}, {0x80000001, 0x3e310299}, {0x413871a7, 0x3dcdaeaf}}},
    {TEXEL_FLOAT, 16, ADDRESS_CLAMP, true, false,
     {0xc0af, 0x0943, 0x8d9a, 0xb14e, 0x68af, 0xbaf7, 0x2980, 0x239e, 0x15b6, 0xb324, 0x9284, 0x8924, 0xc910},
     {{0x41615000, 0xc1220000}, {0x3f990000, 0xbf36a000}, {0x410e8ffe, 0xbdb9c000}, {0x40b33001, 0xbf472000}, {0x3ffffffe, 0xb8be2000}, {0x41713800, 0xc1220000}, {0x408a5003, 0x44f70000}, {0x40c41003, 0xbe97a000}, {0x40d2e7f4, 0x3d25a000}, {0x413d43b4, 0xc054a000}, {0x415d27fe, 0xc1220000}, {0x40add000, 0x431e8000}}},
    {TEXEL_SIGNED, 16, ADDRESS_CLAMP, true, false,
     {0x0ecb, 0x7ad9, 0x705c, 0x6460, 0x8be8, 0x6e08, 0x86d9, 0xc48a, 0xd5bc, 0xa722, 0x44e8, 0x8a7a, 0xf0b0},
     {{0x40e00000, 0xbf349d69}, {0x3fb1c000, 0x3f5e0fbc}, {0x40586017, 0x3f4b9197}, {0x40c00000, 0xbd31e164}, {0x414b5000, 0xbdf501ea}, {0x409d3001, 0xbe33b967}, {0x415d87ff, 0xbdf501ea}, {0xbfc52a56, 0x3decb1d9}, {0x80000000, 0x3decb1d9}, {0x4092f4a9, 0xbf3dcb7c}, {0x4160c800, 0xbdf501ea}, {0x4132c800, 0xbee451c9}}},
    {TEXEL_UNSIGNED, 8, ADDRESS_CLAMP, true, false,
     {0x23, 0x17, 0x51, 0xb6, 0x53, 0xbe, 0x98, 0x5a, 0x20, 0x66, 0x1f, 0x89, 0xb1},
     {{0x40400001, 0x3f040484}, {0x41300000, 0x3ea8a8a9}, {0x40f3a000, 0x3ea782a8}, {0x00000000, 0x3e0c8c8d}, {0x401e4000, 0x3e9f729f}, {0xbf3a0000, 0x3e0c8c8d}, {0xbe5a0000, 0x3e0c8c8d}, {0x3d680003, 0x3e0c8c8d}, {0x40a121bf, 0x3f0ccf8d}, {0x40aa4000, 0x3f2b71ab}, {0x4161f23d, 0x3f31b1b2}, {0x412bea16, 0x3e653ce5}}},
};
/* clang-format on */

TEST(fetches_at_awkward_coordinates_give_the_bits_an_h200_gave)
{
    UNUSED_STATE;
    for (u32 p = 0; p < ARRAY_LEN(probes); p++) {
        const struct probe *k = &probes[p];
        u8 texels[13 * 4];
        for (u32 i = 0; i < 13; i++)
            memcpy(texels + i * k->bits / 8, &k->texel[i], k->bits / 8);
        struct texture t = {.data = texels,
                            .width = 13,
                            .pitch_bytes = 13u * k->bits / 8,
                            .channels = 1,
                            .channel_bits = k->bits,
                            .kind = k->kind,
                            .address = {k->mode, k->mode, k->mode},
                            .linear = k->linear,
                            .normalized_coords = k->normalized,
                            .read_normalized = true,
                            .border = {0.25f},
                            .is_array = true};
        for (u32 i = 0; i < 12; i++) {
            float x[3] = {0};
            u32 out[4];
            memcpy(&x[0], &k->fetch[i].coord, sizeof x[0]);
            texture_fetch(&t, 1, 0, x, out);
            if (out[0] != k->fetch[i].result)
                print_error("probe %u at 0x%08x\n", p, k->fetch[i].coord);
            assert_int_equal(out[0], k->fetch[i].result);
            assert_int_equal(out[1] | out[2] | out[3], 0);
        }
    }
}

static u32 words[3][4] = {{10, 11, 12, 13}, {20, 21, 22, 23}, {30, 31, 32, 33}};

static struct texture words_texture(void)
{
    return (struct texture){.data = (u8 *)words,
                            .width = 4,
                            .pitch_bytes = sizeof words[0],
                            .channels = 1,
                            .channel_bits = 32,
                            .kind = TEXEL_UNSIGNED,
                            .address = {ADDRESS_CLAMP, ADDRESS_CLAMP, ADDRESS_CLAMP}};
}

TEST(linear_memory_is_read_by_index_and_gives_0_outside)
{
    UNUSED_STATE;
    struct texture t = words_texture();
    t.width = 12;
    const i32 index[] = {0, 11, 12, -1, INT32_MIN, INT32_MAX};
    const u32 want[] = {10, 33, 0, 0, 0, 0};
    for (u32 i = 0; i < ARRAY_LEN(index); i++) {
        u32 out[4];
        texture_fetch_int(&t, 1, 0, (const i32[3]){index[i]}, out);
        assert_int_equal(out[0], want[i]);
        assert_int_equal(out[3], 0);
    }
}

TEST(a_layer_outside_is_the_last_one_for_floats_and_0_for_indices)
{
    UNUSED_STATE;
    struct texture t = words_texture();
    t.layers = 3;
    u32 out[4];
    texture_fetch(&t, 1, 7, (const float[3]){1.5f}, out);
    assert_int_equal(out[0], 31);
    texture_fetch_int(&t, 1, 2, (const i32[3]){1}, out);
    assert_int_equal(out[0], 31);
    texture_fetch_int(&t, 1, 3, (const i32[3]){1}, out);
    assert_int_equal(out[0], 0);
}

TEST(coordinates_that_are_no_number_or_infinite_stay_inside)
{
    UNUSED_STATE;
    struct texture t = words_texture();
    for (u32 mode = 0; mode < 4; mode++) {
        for (u32 norm = 0; norm < 2; norm++) {
            for (u32 linear = 0; linear < 2; linear++) {
                static const u32 coords[] = {0x7fc00000, 0x7f800000, 0xff800000, 0x7f7fffff,
                                             0xff7fffff, 0x80000001, 0x80000000};
                t.address[0] = t.address[1] = (enum address_mode)mode;
                t.normalized_coords = norm;
                t.linear = linear;
                t.kind = linear ? TEXEL_FLOAT : TEXEL_UNSIGNED;
                for (u32 i = 0; i < ARRAY_LEN(coords); i++) {
                    float x[3] = {0};
                    u32 out[4];
                    memcpy(&x[0], &coords[i], sizeof x[0]);
                    texture_fetch(&t, 1, 0, x, out);
                    texture_gather(&t, 0, x, 0, out);
                }
            }
        }
    }
}

TEST(the_border_of_an_integer_texture_is_a_word)
{
    UNUSED_STATE;
    struct texture t = words_texture();
    u32 out[4], border = 0xfffffff0;
    t.address[0] = ADDRESS_BORDER;
    memcpy(&t.border[0], &border, sizeof border);
    texture_fetch(&t, 1, 0, (const float[3]){-0.5f}, out);
    assert_int_equal(out[0], 0xfffffff0);
    t.kind = TEXEL_SIGNED;
    t.channel_bits = 8;
    texture_fetch(&t, 1, 0, (const float[3]){-0.5f}, out);
    assert_int_equal(out[0], (u32)-16);
}

TEST(a_surface_access_must_lie_inside_its_row_as_a_whole)
{
    UNUSED_STATE;
    struct texture t = words_texture();
    t.height = 3;
    u8 *base = (u8 *)words;
    assert_ptr_equal(surface_texel(&t, 2, 0, 0, 0, 0, 16), base);
    assert_ptr_equal(surface_texel(&t, 2, 0, 12, 2, 0, 4), base + 44);
    assert_null(surface_texel(&t, 2, 0, 16, 0, 0, 1));
    assert_null(surface_texel(&t, 2, 0, 13, 0, 0, 4));
    assert_null(surface_texel(&t, 2, 0, -4, 1, 0, 4));
    assert_null(surface_texel(&t, 2, 0, 0, 3, 0, 4));
    assert_null(surface_texel(&t, 2, 0, 0, -1, 0, 4));
    t.height = 0;
    t.layers = 3;
    assert_ptr_equal(surface_texel(&t, 1, 2, 4, 0, 0, 4), base + 36);
    assert_null(surface_texel(&t, 1, 3, 4, 0, 0, 4));
}

RUN_TESTS(T(every_recorded_fetch_and_surface_access_gives_the_recorded_bits),
          T(fetches_at_awkward_coordinates_give_the_bits_an_h200_gave),
          T(linear_memory_is_read_by_index_and_gives_0_outside),
          T(a_layer_outside_is_the_last_one_for_floats_and_0_for_indices),
          T(coordinates_that_are_no_number_or_infinite_stay_inside),
          T(the_border_of_an_integer_texture_is_a_word),
          T(a_surface_access_must_lie_inside_its_row_as_a_whole))
