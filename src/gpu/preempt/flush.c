#include "gpu/preempt/flush.h"

#include "base/map.h"

#define WORD_BYTES 4u

static bool was_loaded(const struct flush_log *l, u64 word)
{
    u64 h = hash_u64(word);
    return l->loaded[h % 64] >> (h >> 6 & 63) & l->loaded[h >> 12 & 63] >> (h >> 18 & 63) & 1;
}

static void note_loaded(struct flush_log *l, u64 word)
{
    u64 h = hash_u64(word);
    l->loaded[h % 64] |= (u64)1 << (h >> 6 & 63);
    l->loaded[h >> 12 & 63] |= (u64)1 << (h >> 18 & 63);
}

void flush_note(struct flush_log *l, const struct winst *x)
{
    bool stores = x->instruction->kind == WINST_STORE;
    if (!x->in_global || l->can_be_seen)
        return;
    if (x->instruction->kind == WINST_ATOMIC) {
        l->can_be_seen = true;
        return;
    }
    for (u32 left = x->in_global; left; left &= left - 1) {
        u64 first = x->address[__builtin_ctz(left)] / WORD_BYTES;
        u64 last = (x->address[__builtin_ctz(left)] + x->instruction->bytes - 1) / WORD_BYTES;
        for (u64 word = first; word <= last; word++) {
            if (!stores)
                note_loaded(l, word);
            else
                l->can_be_seen |= was_loaded(l, word);
        }
    }
}
