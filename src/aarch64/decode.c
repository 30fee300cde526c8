#include "aarch64/decode.h"

#include <assert.h>

static void read_pattern(struct a64_pattern *p, const char *text)
{
    u32 bits = 0;
    for (; *text; text++) {
        if (*text == ' ')
            continue;
        p->mask = p->mask << 1 | (*text == '0' || *text == '1');
        p->value = p->value << 1 | (*text == '1');
        bits++;
    }
    assert(bits == 32);
}

static void add_rows(struct a64_decoder *d, const struct a64_row *rows, bool is_vector)
{
    for (; rows->pattern; rows++) {
        assert(d->count < A64_ROWS_MOST);
        struct a64_pattern *p = &d->patterns[d->count++];
        *p = (struct a64_pattern){.row = rows, .is_vector = is_vector};
        read_pattern(p, rows->pattern);
    }
}

void a64_decoder_init(struct a64_decoder *d)
{
    d->count = 0;
    add_rows(d, a64_integer_rows, false);
    add_rows(d, a64_branch_rows, false);
    add_rows(d, a64_memory_rows, false);
    add_rows(d, a64_float_rows, false);
    add_rows(d, a64_neon_rows, false);
    add_rows(d, a64_sve_integer_rows, true);
    add_rows(d, a64_sve_move_rows, true);
    add_rows(d, a64_sve_predicate_rows, true);
    add_rows(d, a64_sve_float_rows, true);
    add_rows(d, a64_sve_memory_rows, true);
}

bool a64_row_allows(const struct a64_pattern *p, u32 word)
{
    const struct a64_row *r = p->row;
    return (!r->sizes || r->sizes >> BITS(word, 23, 22) & 1) && (!r->allow || r->allow(word));
}

/* Of the forms that have one: of general registers N is bit 22, of vectors bit 17. */
static u64 immediate_of(u32 word)
{
    u64 v = 0;
    if (BITS(word, 28, 23) == 0x24)
        a64_bitmask(word >> 22 & 1, BITS(word, 21, 16), BITS(word, 15, 10), &v);
    else if (BITS(word, 31, 24) == 0x05 && BITS(word, 21, 18) == 0)
        a64_bitmask(word >> 17 & 1, BITS(word, 16, 11), BITS(word, 10, 5), &v);
    return v;
}

bool a64_decode(const struct a64_decoder *d, u32 word, struct a64_op *op)
{
    for (u32 i = 0; i < d->count; i++) {
        const struct a64_pattern *p = &d->patterns[i];
        if ((word & p->mask) != p->value || !a64_row_allows(p, word))
            continue;
        *op = (struct a64_op){.execute = p->row->execute,
                              .row = p->row,
                              .word = word,
                              .d = word & 31,
                              .n = BITS(word, 9, 5),
                              .m = BITS(word, 20, 16),
                              .a = BITS(word, 14, 10),
                              .g = BITS(word, 12, 10),
                              .size = BITS(word, 23, 22),
                              .arg = p->row->arg,
                              .is_vector = p->is_vector,
                              .imm = immediate_of(word)};
        return true;
    }
    return false;
}

bool a64_bitmask(u32 n, u32 immr, u32 imms, u64 *value)
{
    u32 width = n << 6 | (~imms & 63);
    if (width < 2)
        return false;
    u32 bits = 1u << (31 - (u32)__builtin_clz(width));
    u32 s = imms & (bits - 1), r = immr & (bits - 1);
    if (s == bits - 1)
        return false;
    u64 v = ones(s + 1);
    if (r)
        v = (v >> r | v << (bits - r)) & ones(bits);
    for (; bits < 64; bits *= 2)
        v |= v << bits;
    *value = v;
    return true;
}
