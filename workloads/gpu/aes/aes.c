/*
 * Host of aes: AES-128 encryption (see aes.cu for its memory behaviour and use).
 *
 * Whole numbers: every block is compared exactly. That the cipher is AES is checked with the
 * example of FIPS 197, appendix C.1.
 */
#include "cipher.h"
#include "host.h"

static const struct host_choice choices[] = {
    {"blocks", "of 16 bytes", .sizes = {2000, 60000, 16777216}},
    {"passes", "over the data", .sizes = {1, 2, 8}},
    {0},
};

static u8 doubled(u8 x)
{
    return (u8)(x << 1 ^ (x & 0x80 ? 0x1b : 0));
}

static u8 product(u8 a, u8 b)
{
    u8 sum = 0;
    for (; b; b >>= 1, a = doubled(a))
        sum ^= b & 1 ? a : 0;
    return sum;
}

/* The inverse in the field, then the affine map. */
static u8 substitute(u8 x)
{
    u8 inverse = 0, result = 0x63;
    for (u32 y = 1; y < 256 && !inverse; y++)
        inverse = product(x, (u8)y) == 1 ? (u8)y : 0;
    for (u32 i = 0; i < 5; i++)
        result ^= (u8)(inverse << i | inverse >> (8 - i));
    return result;
}

static void make_table(u32 *table)
{
    for (u32 x = 0; x < 256; x++) {
        u8 s = substitute((u8)x);
        table[x] = doubled(s) | (u32)s << 8 | (u32)s << 16 | (u32)(doubled(s) ^ s) << 24;
    }
}

static void expand(const u32 *table, const u32 *key, u32 *keys)
{
    u8 constant = 1;
    for (u32 i = 0; i < KEY_WORDS; i++) {
        u32 word = i < 4 ? key[i] : keys[i - 1];
        if (i >= 4 && i % 4 == 0) {
            u32 turned = word >> 8 | word << 24;
            word = constant;
            for (u32 row = 0; row < 4; row++)
                word ^= substituted(table, turned, row);
            constant = doubled(constant);
        }
        keys[i] = i < 4 ? word : word ^ keys[i - 4];
    }
}

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "aes", choices, argc, argv);
    u32 count = host_measure(&h, "blocks"), table[256], keys[KEY_WORDS];
    make_table(table);
    u32 example[4] = {0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c};
    expand(table, example, keys);
    struct state plain = {{0x33221100, 0x77665544, 0xbbaa9988, 0xffeeddcc}};
    struct state cipher = encrypted(table, keys, plain);
    u32 known[4] = {0xd8e0c469, 0x30047b6a, 0x80b7cdd8, 0x5ac5b470};
    host_compare_u32(&h, "known", cipher.column, known, 4);

    expand(table, host_random_u32(&h, "key", 4, 0xffffffffu), keys);
    u32 *data = host_random_u32(&h, "data", 4 * (size_t)count, 0xffffffffu);
    CUdeviceptr constant, device_table = host_upload(&h, table, sizeof table);
    CUdeviceptr in = host_upload(&h, data, count * sizeof(struct state));
    CUdeviceptr out = host_device_alloc(&h, count * sizeof(struct state));
    size_t bytes;
    CU(&h, cuModuleGetGlobal, (&constant, &bytes, h.module, "keys"));
    CU(&h, cuMemcpyHtoD, (constant, keys, sizeof keys));
    for (u32 i = 0, passes = host_measure(&h, "passes"); i < passes; i++)
        host_launch(&h, host_kernel(&h, "aes"), DIM1(blocks_for(count, 256)), DIM1(256), 0,
                    ARGS(&device_table, &in, &out, &count));
    struct state *expected = HOST_ARRAY(&h, struct state, count);
    for (u32 i = 0; i < count; i++) {
        const u32 *d = data + 4 * (size_t)i;
        expected[i] = encrypted(table, keys, (struct state){{d[0], d[1], d[2], d[3]}});
    }
    host_check_u32(&h, "out", out, expected[0].column, 4 * (size_t)count);
    return host_finish(&h);
}
