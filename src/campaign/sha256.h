/* SHA-256 (FIPS 180-4), so that anyone can check a run's key with sha256sum. */
#ifndef CAMPAIGN_SHA256_H
#define CAMPAIGN_SHA256_H

#include "base/err.h"

#define SHA256_HEX 64

struct sha256 {
    u32 state[8];
    u64 bytes;
    u8 block[64]; /* the part of a block that has come so far */
};

void sha256_init(struct sha256 *h);
void sha256_add(struct sha256 *h, const void *data, size_t bytes);
/* 64 hexadecimal digits and a NUL. */
void sha256_end(struct sha256 *h, char out[SHA256_HEX + 1]);

/* Of a file's content. */
bool sha256_file(const char *path, char out[SHA256_HEX + 1], struct err *err);
/* Of its bytes from begin to end, or to its own end. */
bool sha256_file_part(const char *path, u64 begin, u64 end, char out[SHA256_HEX + 1],
                      struct err *err);

#endif
