/* Warp-group products in plain single precision, where all sums are exact. */
#include "testing.h"

#include "ptx/tensor/dot.h"
#include "ptx/tensor/warpgroup.h"

#include <string.h>

enum { COLUMNS = 24, REGISTERS = COLUMNS / 2 };

static u32 f32_of(float value)
{
    u32 bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static u32 element(enum mma_type type, int v)
{
    static const u8 e4m3[] = {0, 0x38, 0x40, 0x44}, e5m2[] = {0, 0x3c, 0x40, 0x42};
    u32 size = (u32)(v < 0 ? -v : v), sign = v < 0 ? 0x80 : 0;
    switch (type) {
    case MMA_F16:
        return f32_to_f16((float)v);
    case MMA_BF16:
        return f32_of((float)v) >> 16;
    case MMA_E4M3:
        return sign | e4m3[size];
    case MMA_E5M2:
        return sign | e5m2[size];
    default:
        return f32_of((float)v);
    }
}

static void put(enum mma_type type, u32 *line, u32 k, u32 bits)
{
    u32 wide = mma_type_bits(type), each = 32 / wide, shift = k % each * wide;
    u32 mask = wide == 32 ? ~0u : ((1u << wide) - 1) << shift;
    line[k / each] = (line[k / each] & ~mask) | (bits << shift & mask);
}

static int number(u32 i)
{
    return (int)((i * 2654435761u >> 16) % 7) - 3;
}

struct product {
    struct group_product p;
    u32 d[REGISTERS][32];
    u32 *sums[REGISTERS];
    u32 k;
};

static void begin(struct product *x, enum mma_type a, enum mma_type b)
{
    memset(x, 0, sizeof *x);
    x->k = 256 / mma_type_bits(a);
    x->p.shape = (struct mma_shape){
        .d = MMA_F32, .c = MMA_F32, .a = a, .b = b, .m = GROUP_ROWS, .n = COLUMNS};
    x->p.shape.k = (u16)x->k;
    x->p.accumulates = true;
    for (u32 i = 0; i < REGISTERS; i++)
        x->sums[i] = x->d[i];
    for (u32 k = 0; k < x->k; k++) {
        for (u32 i = 0; i < GROUP_ROWS; i++)
            put(a, x->p.a[i], k, element(a, number(i * 64 + k)));
        for (u32 j = 0; j < COLUMNS; j++)
            put(b, x->p.b[j], k, element(b, number(5000 + j * 64 + k)));
    }
    for (u32 i = 0; i < REGISTERS; i++) {
        for (u32 lane = 0; lane < 32; lane++)
            x->d[i][lane] = f32_of((float)number(9000 + i * 32 + lane));
    }
}

/* Lane 4r + q of register 4c + 2h + p has row r + 8h and column 8c + 2q + p. */
static int sum_of(const struct product *x, u32 reg, u32 lane)
{
    u32 row = lane / 4 + reg / 2 % 2 * 8, column = reg / 4 * 8 + lane % 4 * 2 + reg % 2;
    int sum = x->p.accumulates ? number(9000 + reg * 32 + lane) : 0;
    for (u32 k = 0; k < x->k; k++)
        sum += number(row * 64 + k) * number(5000 + column * 64 + k);
    return sum;
}

static bool has_it(void)
{
    struct product x;
    begin(&x, MMA_F16, MMA_F16);
    return wgmma_execute_whole(&x.p, x.sums); /* the processor may lack AVX2 */
}

TEST(products_of_small_integers_are_their_sums_in_every_type)
{
    UNUSED_STATE;
    static const enum mma_type types[][2] = {
        {MMA_F16, MMA_F16},   {MMA_BF16, MMA_BF16}, {MMA_TF32, MMA_TF32}, {MMA_E4M3, MMA_E4M3},
        {MMA_E5M2, MMA_E5M2}, {MMA_E4M3, MMA_E5M2}, {MMA_E5M2, MMA_E4M3}};
    if (!has_it())
        return;
    for (u32 t = 0; t < 2 * ARRAY_LEN(types); t++) {
        struct product x;
        begin(&x, types[t / 2][0], types[t / 2][1]);
        x.p.accumulates = t % 2;
        assert_true(wgmma_execute_whole(&x.p, x.sums));
        for (u32 i = 0; i < REGISTERS; i++) {
            for (u32 lane = 0; lane < 32; lane++)
                assert_int_equal(x.d[i][lane], f32_of((float)sum_of(&x, i, lane)));
        }
    }
}

static void refuses(struct product *x)
{
    u32 before[REGISTERS][32];
    memcpy(before, x->d, sizeof before);
    assert_false(wgmma_execute_whole(&x->p, x->sums));
    assert_memory_equal(before, x->d, sizeof before);
}

TEST(sums_that_could_need_more_places_are_left_to_the_exact_path)
{
    UNUSED_STATE;
    struct product x;
    begin(&x, MMA_F16, MMA_F16); /* products are below 3 x 3 x 16 = 144 in 16,777,216 */
    x.d[5][7] = f32_of(16777072.0f);
    assert_true(!has_it() || wgmma_execute_whole(&x.p, x.sums));
    begin(&x, MMA_F16, MMA_F16);
    x.d[5][7] = f32_of(16777073.0f);
    refuses(&x);
    begin(&x, MMA_F16, MMA_F16);
    x.d[0][0] = f32_of(0.5f); /* no multiple of 1 */
    refuses(&x);
    begin(&x, MMA_E4M3, MMA_E4M3); /* below 3 x 3 x 32 = 288 in 16,384 */
    x.d[0][0] = f32_of(16097.0f);
    refuses(&x);
    begin(&x, MMA_BF16, MMA_BF16);
    put(MMA_BF16, x.p.b[3], 2, 0x3280); /* 2^-26 beside 3 */
    refuses(&x);
}

TEST(infinities_and_nans_are_left_to_the_exact_path)
{
    UNUSED_STATE;
    static const struct {
        enum mma_type type;
        u32 bits;
    } special[] = {{MMA_F16, 0x7c00}, {MMA_F16, 0x7e01}, {MMA_BF16, 0xff80}, {MMA_TF32, 0x7fc00000},
                   {MMA_E4M3, 0xff},  {MMA_E5M2, 0x7c},  {MMA_E5M2, 0x7e}};
    for (u32 i = 0; i < 2 * ARRAY_LEN(special); i++) {
        struct product x;
        enum mma_type type = special[i / 2].type;
        begin(&x, type, type);
        put(type, i % 2 ? x.p.a[15] : x.p.b[COLUMNS - 1], x.k - 1, special[i / 2].bits);
        refuses(&x);
    }
    struct product x;
    begin(&x, MMA_F16, MMA_F16);
    x.d[REGISTERS - 1][31] = 0x7fffffff;
    refuses(&x);
}

/* As an H200: 0 x -1 + -0 is +0. */
TEST(a_sum_of_zero_is_positive)
{
    UNUSED_STATE;
    struct product x;
    if (!has_it())
        return;
    begin(&x, MMA_F16, MMA_F16);
    memset(x.p.a, 0, sizeof x.p.a);
    x.d[1][2] = 0x80000000;
    assert_true(wgmma_execute_whole(&x.p, x.sums));
    assert_int_equal(x.d[1][2], 0);
}

RUN_TESTS(T(products_of_small_integers_are_their_sums_in_every_type),
          T(sums_that_could_need_more_places_are_left_to_the_exact_path),
          T(infinities_and_nans_are_left_to_the_exact_path), T(a_sum_of_zero_is_positive))
