#include "campaign/sha256.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* clang-format off */
static const u32 round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};
/* clang-format on */

static u32 rotate(u32 x, u32 by)
{
    return x >> by | x << (32 - by);
}

static void mix_block(struct sha256 *h)
{
    u32 w[64], s[8];
    for (u32 i = 0; i < 16; i++)
        w[i] = (u32)h->block[4 * i] << 24 | (u32)h->block[4 * i + 1] << 16 |
               (u32)h->block[4 * i + 2] << 8 | h->block[4 * i + 3];
    for (u32 i = 16; i < 64; i++) {
        u32 a = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
        u32 b = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + a + w[i - 7] + b;
    }
    memcpy(s, h->state, sizeof s);
    for (u32 i = 0; i < 64; i++) {
        u32 e = rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25);
        u32 t1 = s[7] + e + ((s[4] & s[5]) ^ (~s[4] & s[6])) + round_constants[i] + w[i];
        u32 a = rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22);
        u32 t2 = a + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (u32 i = 0; i < 8; i++)
        h->state[i] += s[i];
}

void sha256_init(struct sha256 *h)
{
    *h = (struct sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                   0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void sha256_add(struct sha256 *h, const void *data, size_t bytes)
{
    const u8 *from = data;
    while (bytes) {
        size_t used = h->bytes % 64, n = bytes < 64 - used ? bytes : 64 - used;
        memcpy(h->block + used, from, n);
        h->bytes += n;
        from += n;
        bytes -= n;
        if (h->bytes % 64 == 0)
            mix_block(h);
    }
}

void sha256_end(struct sha256 *h, char out[SHA256_HEX + 1])
{
    static const u8 one_bit = 0x80, zero = 0;
    u64 bits = h->bytes * 8;
    u8 length[8];
    for (u32 i = 0; i < 8; i++)
        length[i] = (u8)(bits >> (56 - 8 * i));
    sha256_add(h, &one_bit, 1);
    while (h->bytes % 64 != 56)
        sha256_add(h, &zero, 1);
    sha256_add(h, length, sizeof length);
    for (u32 i = 0; i < 8; i++)
        snprintf(out + 8 * (size_t)i, 9, "%08x", h->state[i]);
}

bool sha256_file(const char *path, char out[SHA256_HEX + 1], struct err *err)
{
    return sha256_file_part(path, 0, UINT64_MAX, out, err);
}

bool sha256_file_part(const char *path, u64 begin, u64 end, char out[SHA256_HEX + 1],
                      struct err *err)
{
    struct src_pos at = {path, 0, 0};
    FILE *f = fopen(path, "rbe");
    if (!f)
        return err_at(err, at, "cannot open the file: %s", strerror(errno));
    struct sha256 h;
    u8 chunk[16384];
    sha256_init(&h);
    bool bad = begin && fseeko(f, (off_t)begin, SEEK_SET) != 0;
    u64 left = end - begin;
    for (size_t n; !bad && (n = fread(chunk, 1, (size_t)min_u64(sizeof chunk, left), f)); left -= n)
        sha256_add(&h, chunk, n);
    bad |= ferror(f) != 0;
    fclose(f);
    sha256_end(&h, out);
    return !bad || err_at(err, at, "cannot read the file");
}
