/*
 * From a word to what executes it. A word that no table knows, or an encoding that is not
 * allocated, is not decoded; what it would be called cannot be said, its bits can.
 */
#ifndef AARCH64_DECODE_H
#define AARCH64_DECODE_H

#include "aarch64/op.h"

enum { A64_ROWS_MOST = 640 };

struct a64_decoder {
    u32 count;
    struct a64_pattern {
        u32 mask, value;
        const struct a64_row *row;
        bool is_vector;
    } patterns[A64_ROWS_MOST];
};

/* The same for every thread; built once. */
void a64_decoder_init(struct a64_decoder *d);
bool a64_decode(const struct a64_decoder *d, u32 word, struct a64_op *op);
/* Which of the encodings of a row there are. */
bool a64_row_allows(const struct a64_pattern *p, u32 word);

#endif
