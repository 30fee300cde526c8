/*
 * How many registers a thread of the machine code needs: what is live at once, without what is
 * folded and what all lanes agree on, which has registers of its own.
 */
#include "ptx/lower/rules.h"

#include <string.h>

struct live {
    const struct lower *l;
    u64 *bits;
    u32 weight;
};

u32 lower_weight(const struct lower *l, u32 reg)
{
    const struct value *v = &l->values[reg];
    u32 bytes = type_info[l->f->source->regs[reg].type].bytes;
    if (!bytes || !v->divergent)
        return 0;
    return bytes == 8 && !v->narrow ? 2 : 1;
}

static void set_live(struct live *s, u32 reg, bool live)
{
    u64 bit = (u64)1 << (reg % 64);
    if (live == ((s->bits[reg / 64] & bit) != 0))
        return;
    s->bits[reg / 64] ^= bit;
    u32 weight = lower_weight(s->l, reg);
    s->weight = live ? s->weight + weight : s->weight - weight;
}

/* What is folded keeps what it reads alive instead. */
static void use(struct live *s, u32 reg, u32 depth)
{
    const struct node *d = lower_definition(s->l, reg);
    if (!d || d->count || lower_is_joined(d) || depth > 8) {
        set_live(s, reg, true);
        return;
    }
    for (u32 k = 0; k < d->read_count; k++)
        use(s, d->reads[k], depth + 1);
}

static void step_back(struct live *s, const struct node *n)
{
    bool always = !n->s || n->s->guard == PTX_NONE;
    for (u32 k = 0; k < n->write_count && always; k++)
        set_live(s, n->writes[k], false);
    bool folded = !n->count && !lower_is_joined(n) && lower_result(n) != PTX_NONE &&
                  s->l->values[lower_result(n)].defs == 1;
    for (u32 k = 0; k < n->read_count && !folded && !n->dead; k++)
        use(s, n->reads[k], 0);
}

static void start_block(struct live *s, const u64 *in, u32 words, u32 block)
{
    const struct graph *g = &s->l->graph;
    memset(s->bits, 0, words * sizeof *s->bits);
    s->weight = 0;
    for (u32 e = g->successor_start[block]; e < g->successor_start[block + 1]; e++) {
        for (u32 k = 0; k < words; k++)
            s->bits[k] |= in[(size_t)words * g->successors[e] + k];
    }
    for (u32 k = 0; k < words; k++) {
        for (u64 left = s->bits[k]; left; left &= left - 1)
            s->weight += lower_weight(s->l, k * 64 + (u32)__builtin_ctzll(left));
    }
}

u32 lower_live_registers(struct lower *l)
{
    const struct graph *g = &l->graph;
    u32 words = lower_live_words(l), most = 0;
    u64 *in = ARENA_ARRAY(l->scratch, u64, (size_t)words * (g->count + 1) + 1);
    struct live s = {.l = l, .bits = ARENA_ARRAY(l->scratch, u64, words + 1)};
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 b = g->count; b-- > 0;) {
            start_block(&s, in, words, b);
            most = s.weight > most ? s.weight : most;
            for (u32 i = g->first[b + 1]; i-- > g->first[b];) {
                step_back(&s, &l->nodes[i]);
                most = s.weight > most ? s.weight : most;
            }
            u64 *mine = in + (size_t)words * b;
            if (memcmp(mine, s.bits, words * sizeof *s.bits) != 0) {
                memcpy(mine, s.bits, words * sizeof *s.bits);
                changed = true;
            }
        }
    }
    l->live_in = in;
    return most;
}

/* What is live before an op of a block, or behind the block's last. */
static void find_live(const struct lower *l, u32 block, u32 op, u64 *bits)
{
    const struct graph *g = &l->graph;
    struct live s = {.l = l, .bits = bits};
    start_block(&s, l->live_in, lower_live_words(l), block);
    for (u32 i = g->first[block + 1]; i-- > op;)
        step_back(&s, &l->nodes[i]);
}

void lower_live_before(const struct lower *l, u32 op, u64 *bits)
{
    find_live(l, l->graph.block_of[op], op, bits);
}

void lower_live_behind(const struct lower *l, u32 end, u64 *bits)
{
    find_live(l, l->graph.block_of[end - 1], end, bits);
}
