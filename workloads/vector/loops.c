// triad, histogram and matrix product: what=triad|histogram|matmul n=N rounds=N check=0|1
#include "runtime.h"

#define MOST 65536
#define SIDE 128

static float a[MOST], b[MOST], c[MOST], reference[MOST];
static uint32_t keys[MOST], bins[1024], reference_bins[1024];

PINNED static void triad(word n)
{
    svbool_t p = svwhilelt_b32_u64(0, n);
    for (word i = 0; svptest_first(svptrue_b32(), p);) {
        svst1_f32(p, a + i, svmla_n_f32_z(p, svld1_f32(p, b + i), svld1_f32(p, c + i), 3));
        i += svcntw();
        p = svwhilelt_b32_u64(i, n);
    }
}

static void triad_scalar(float *to, word n)
{
    for (word i = 0; i < n; i++)
        to[i] = __builtin_fmaf(c[i], 3, b[i]);
}

static uint32_t lanes[64][64];

/* Lanes may have the same key: every lane has bins of its own until the end. Returns how many. */
PINNED static word count_by_lane(word n)
{
    word keys_mask = 63;
    svuint32_t lane = svmul_n_u32_z(svptrue_b32(), svindex_u32(0, 1), 64);
    svbool_t p = svwhilelt_b32_u64(0, n);
    for (word i = 0; svptest_first(svptrue_b32(), p);) {
        svuint32_t at =
            svadd_u32_z(p, lane, svand_n_u32_z(p, svld1_u32(p, keys + i), (uint32_t)keys_mask));
        svuint32_t v = svld1_gather_u32index_u32(p, &lanes[0][0], at);
        svst1_scatter_u32index_u32(p, &lanes[0][0], at, svadd_n_u32_z(p, v, 1));
        i += svcntw();
        p = svwhilelt_b32_u64(i, n);
    }
    return svcntw();
}

static void histogram(word n)
{
    PIN();
    word used = count_by_lane(n);
    UNPIN();
    for (word l = 0; l < used; l++) {
        for (word k = 0; k < 64; k++) {
            bins[k] += lanes[l][k];
            lanes[l][k] = 0;
        }
    }
}

static void histogram_scalar(uint32_t *to, word n)
{
    for (word i = 0; i < n; i++)
        to[keys[i] & 63]++;
}

PINNED static void matmul(word n)
{
    for (word i = 0; i < n; i++) {
        for (word j = 0; j < n; j += svcntw()) {
            svbool_t p = svwhilelt_b32_u64(j, n);
            svfloat32_t sum = svdup_n_f32(0);
            for (word k = 0; k < n; k++)
                sum = svmla_n_f32_m(p, sum, svld1_f32(p, c + k * n + j), b[i * n + k]);
            svst1_f32(p, a + i * n + j, sum);
        }
    }
}

static void matmul_scalar(float *to, word n)
{
    for (word i = 0; i < n; i++) {
        for (word j = 0; j < n; j++) {
            float sum = 0;
            for (word k = 0; k < n; k++)
                sum = __builtin_fmaf(c[k * n + j], b[i * n + k], sum);
            to[i * n + j] = sum;
        }
    }
}

int run(void)
{
    const char *what = argument("what", "triad");
    int is_matmul = same_text(what, "matmul"), checks = argument_number("check", 1) != 0;
    int is_scalar = same_text(argument("kernel", "vector"), "scalar");
    word n = argument_number("n", is_matmul ? 32 : 4096), state = 9, all = is_matmul ? n * n : n;
    word rounds = argument_number("rounds", 1);
    check(is_matmul ? n <= SIDE : n <= MOST, "n is too large");
    for (word i = 0; i < all; i++) {
        keys[i] = (uint32_t)random_next(&state);
        b[i] = (float)(keys[i] % 100) / 7;
        c[i] = (float)(keys[i] % 31) / 3;
    }
    if (same_text(what, "histogram")) {
        for (word r = 0; r < rounds; r++) {
            if (is_scalar)
                histogram_scalar(bins, n);
            else
                histogram(n);
            histogram_scalar(reference_bins, checks ? n : 0);
        }
        for (word k = 0; k < 64 && checks; k++)
            check(bins[k] == reference_bins[k], what);
        return 0;
    }
    check(is_matmul || same_text(what, "triad"), "an unknown loop");
    for (word r = 0; r < rounds; r++) {
        if (is_scalar) {
            is_matmul ? matmul_scalar(a, n) : triad_scalar(a, n);
            continue;
        }
        PIN();
        is_matmul ? matmul(n) : triad(n);
        UNPIN();
    }
    if (checks)
        is_matmul ? matmul_scalar(reference, n) : triad_scalar(reference, n);
    for (word i = 0; i < all && checks; i++)
        check(a[i] == reference[i], what);
    return 0;
}
