#include "campaign/sha256.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

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

/* Round i, for state word k of a..h: the words change places by their names alone. */
#define WORD(k) s[((k)-i) & 7]

static void mix_portably(u32 state[8], const u8 *block)
{
    u32 w[64], s[8];
    for (u32 i = 0; i < 16; i++)
        w[i] = (u32)block[4 * i] << 24 | (u32)block[4 * i + 1] << 16 | (u32)block[4 * i + 2] << 8 |
               block[4 * i + 3];
    for (u32 i = 16; i < 64; i++) {
        u32 a = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
        u32 b = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + a + w[i - 7] + b;
    }
    memcpy(s, state, sizeof s);
#pragma GCC unroll 8
    for (u32 i = 0; i < 64; i++) {
        u32 a = WORD(0), b = WORD(1), c = WORD(2), e = WORD(4), f = WORD(5), g = WORD(6);
        u32 t1 = WORD(7) + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) +
                 round_constants[i] + w[i];
        u32 t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        WORD(3) += t1;
        WORD(7) = t1 + t2;
    }
    for (u32 i = 0; i < 8; i++)
        state[i] += s[i];
}

#ifdef __x86_64__
/* Four words of the message at a time, in a ring of four; two rounds to an instruction. */
__attribute__((target("sha,sse4.1"))) static void mix_in_hardware(u32 state[8], const u8 *block)
{
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i low = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i_u *)state), 0xb1);
    __m128i high = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i_u *)(state + 4)), 0x1b);
    __m128i abef = _mm_alignr_epi8(low, high, 8), cdgh = _mm_blend_epi16(high, low, 0xf0);
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i m[4];
#pragma GCC unroll 16
    for (u32 i = 0; i < 16; i++) {
        __m128i *now = &m[i & 3];
        if (i < 4) {
            *now = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i_u *)(block + 16 * i)), swap);
        } else {
            __m128i last = m[(i + 3) & 3], middle = _mm_alignr_epi8(last, m[(i + 2) & 3], 4);
            __m128i first = _mm_sha256msg1_epu32(*now, m[(i + 1) & 3]);
            *now = _mm_sha256msg2_epu32(_mm_add_epi32(first, middle), last);
        }
        __m128i k = _mm_loadu_si128((const __m128i_u *)(round_constants + 4 * i));
        __m128i add = _mm_add_epi32(*now, k);
        cdgh = _mm_sha256rnds2_epu32(cdgh, abef, add);
        abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(add, 0x0e));
    }
    abef = _mm_shuffle_epi32(_mm_add_epi32(abef, abef_before), 0x1b);
    cdgh = _mm_shuffle_epi32(_mm_add_epi32(cdgh, cdgh_before), 0xb1);
    _mm_storeu_si128((__m128i_u *)state, _mm_blend_epi16(abef, cdgh, 0xf0));
    _mm_storeu_si128((__m128i_u *)(state + 4), _mm_alignr_epi8(cdgh, abef, 8));
}

static bool has_hardware(void)
{
    u32 a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && c & bit_SSE4_1 && c & bit_SSSE3 &&
           __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & bit_SHA;
}
#endif

static void mix_blocks(struct sha256 *h, const u8 *from, size_t count)
{
    void (*mix)(u32 *, const u8 *) = mix_portably;
#ifdef __x86_64__
    if (has_hardware())
        mix = mix_in_hardware;
#endif
    for (; count; count--, from += 64)
        mix(h->state, from);
}

void sha256_init(struct sha256 *h)
{
    *h = (struct sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                   0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void sha256_add(struct sha256 *h, const void *data, size_t bytes)
{
    const u8 *from = data;
    size_t used = h->bytes % 64;
    h->bytes += bytes;
    if (used) {
        size_t n = bytes < 64 - used ? bytes : 64 - used;
        memcpy(h->block + used, from, n);
        from += n;
        bytes -= n;
        if (used + n < 64)
            return;
        mix_blocks(h, h->block, 1);
    }
    mix_blocks(h, from, bytes / 64);
    memcpy(h->block, from + bytes / 64 * 64, bytes % 64);
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
