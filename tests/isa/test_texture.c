/*
 * The recorded texture kernels, fetch by fetch: what tests/conformance/kernels/texture.kern
 * computes around a fetch is done here by hand, the fetch by src/isa/texture.c.
 */
#include "isa/texture.h"
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

static u32 bits_of(float x)
{
    u32 bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

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
    u32 differ = 0;
    for (u32 i = 0; i < c->out_bytes / 4; i++) {
        u32 want;
        memcpy(&want, e->data + 4 * i, sizeof want);
        if (want != f.out[i] && differ++ == 0)
            print_error("%s: thread %u, result %u is 0x%08x, recorded 0x%08x\n", c->name,
                        i % f.threads, i / f.threads, f.out[i], want);
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

RUN_TESTS(T(every_recorded_fetch_and_surface_access_gives_the_recorded_bits))
