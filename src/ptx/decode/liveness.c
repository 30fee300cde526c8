/*
 * Which registers are live where: how many a thread needs at once, and which can
 * share their place in a frame.
 */
#include "ptx/decode/control_flow.h"

#include <string.h>

/* What is live while blocks are walked backward, and how many registers that is. */
struct liveness {
    const struct function *f;
    const u32 *by_offset; /* place in the frame / 4 -> register, or PTX_NONE */
    u64 *live;
    u32 weight; /* in 32-bit registers; predicates are free */
    u32 saved;  /* the most over a call */
};

static u32 weight_of(const struct liveness *l, u32 reg)
{
    return (type_info[l->f->source->regs[reg].type].bytes + 3u) / 4;
}

static void set_live(struct liveness *l, ref_t ref, bool live)
{
    u32 reg = l->by_offset[(ref & ~REF_WRITTEN) / 4];
    u64 bit = (u64)1 << (reg % 64);
    if (reg == PTX_NONE || live == ((l->live[reg / 64] & bit) != 0))
        return;
    l->live[reg / 64] ^= bit;
    l->weight = live ? l->weight + weight_of(l, reg) : l->weight - weight_of(l, reg);
}

/* Before the instruction: without what it makes, unless it may not make it, and with
 * what it reads. What is live over a call, a function saves. */
static void step_back(struct liveness *l, u32 op)
{
    const struct function *f = l->f;
    for (u32 k = f->touched_start[op]; k < f->touched_start[op + 1]; k++) {
        if (f->touched[k] & REF_WRITTEN && f->ops[op].guard == REF_NONE)
            set_live(l, f->touched[k], false);
    }
    if (f->ops[op].kind == OP_CALL && l->weight > l->saved)
        l->saved = l->weight;
    for (u32 k = f->touched_start[op]; k < f->touched_start[op + 1]; k++) {
        if (!(f->touched[k] & REF_WRITTEN))
            set_live(l, f->touched[k], true);
    }
}

/* Live at the end of a block: at the start of any that follows. */
static void start_block(struct liveness *l, const struct graph *g, const u64 *in, u32 words, u32 b)
{
    memset(l->live, 0, words * sizeof *l->live);
    for (u32 e = g->successor_start[b]; e < g->successor_start[b + 1]; e++) {
        for (u32 k = 0; k < words; k++)
            l->live[k] |= in[(size_t)words * g->successors[e] + k];
    }
    l->weight = 0;
    for (u32 k = 0; k < words; k++) {
        for (u64 bits = l->live[k]; bits; bits &= bits - 1)
            l->weight += weight_of(l, k * 64 + (u32)__builtin_ctzll(bits));
    }
}

/* A register is in use from the first to the last op, in the order of the text, at which
 * it is live or touched; a loop that needs it is in between. */
static void note_use(struct function *f, u32 reg, u32 op)
{
    if (reg == PTX_NONE)
        return;
    f->first_use[reg] = op < f->first_use[reg] ? op : f->first_use[reg];
    f->last_use[reg] = op > f->last_use[reg] ? op : f->last_use[reg];
}

static void note_live(struct function *f, const u64 *live, u32 words, u32 op)
{
    for (u32 k = 0; k < words; k++) {
        for (u64 bits = live[k]; bits; bits &= bits - 1)
            note_use(f, k * 64 + (u32)__builtin_ctzll(bits), op);
    }
}

static void find_uses(struct function *f, const struct graph *g, struct liveness *l, const u64 *in,
                      u32 words)
{
    for (u32 b = 0; b < g->count; b++) {
        start_block(l, g, in, words, b);
        note_live(f, l->live, words, g->first[b + 1] - 1);
        note_live(f, in + (size_t)words * b, words, g->first[b]);
    }
    for (u32 i = 0; i < f->op_count; i++) {
        for (u32 k = f->touched_start[i]; k < f->touched_start[i + 1]; k++)
            note_use(f, l->by_offset[(f->touched[k] & ~REF_WRITTEN) / 4], i);
    }
    /* what a caller writes and reads lives as long as the function */
    const struct ptx_function *s = f->source;
    for (u32 i = 0; i < s->param_count + s->return_count; i++) {
        const struct ptx_symbol *p =
            i < s->param_count ? &s->params[i] : &s->returns[i - s->param_count];
        if (p->space == SPACE_REG) {
            note_use(f, (u32)p->offset, 0);
            note_use(f, (u32)p->offset, f->op_count - 1);
        }
    }
}

/* Live at the start of every block of the graph; *most: registers of 32 bits, at most at once. */
static u64 *live_at_blocks(struct liveness *l, const struct graph *g, u32 words,
                           struct arena *scratch, u32 *most)
{
    u64 *in = ARENA_ARRAY(scratch, u64, (size_t)words * (g->count + 1) + 1);
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 b = g->count; b-- > 0;) {
            start_block(l, g, in, words, b);
            *most = l->weight > *most ? l->weight : *most;
            for (u32 i = g->first[b + 1]; i-- > g->first[b];) {
                step_back(l, i);
                *most = l->weight > *most ? l->weight : *most;
            }
            u64 *mine = in + (size_t)words * b;
            if (memcmp(mine, l->live, words * sizeof *l->live) != 0) {
                memcpy(mine, l->live, words * sizeof *l->live);
                changed = true;
            }
        }
    }
    return in;
}

static struct liveness open_liveness(const struct function *f, struct arena *scratch)
{
    const struct ptx_function *s = f->source;
    u32 *by_offset = ARENA_ARRAY(scratch, u32, f->frame_bytes / 4 + 1);
    memset(by_offset, 0xff, (f->frame_bytes / 4 + 1) * sizeof *by_offset);
    for (u32 i = 0; i < s->reg_count; i++)
        by_offset[f->reg_refs[i] / 4] = i;
    return (struct liveness){.f = f,
                             .by_offset = by_offset,
                             .live = ARENA_ARRAY(scratch, u64, (s->reg_count + 63) / 64 + 1)};
}

void function_liveness(struct program *p, struct function *f, struct arena *scratch)
{
    const struct ptx_function *s = f->source;
    struct graph g;
    graph_build(f, &g, scratch);
    u32 words = (s->reg_count + 63) / 64, most = 0;
    struct liveness l = open_liveness(f, scratch);
    u64 *in = live_at_blocks(&l, &g, words, scratch, &most);
    f->live_registers = most;
    f->saved_registers = l.saved;
    f->first_use = ARENA_ARRAY(&p->arena, u32, s->reg_count + 1);
    f->last_use = ARENA_ARRAY(&p->arena, u32, s->reg_count + 1);
    memset(f->first_use, 0xff, (s->reg_count + 1) * sizeof *f->first_use);
    find_uses(f, &g, &l, in, words);
}

static u64 *live_before_ops(const struct function *f, struct arena *keep, struct arena *scratch,
                            const u32 **by_offset)
{
    u32 words = (f->source->reg_count + 63) / 64, most = 0;
    struct graph g;
    graph_build(f, &g, scratch);
    struct liveness l = open_liveness(f, scratch);
    const u64 *in = live_at_blocks(&l, &g, words, scratch, &most);
    u64 *live = ARENA_ARRAY(keep, u64, (size_t)words * (f->op_count + 1) + 1);
    for (u32 b = 0; b < g.count; b++) {
        start_block(&l, &g, in, words, b);
        for (u32 i = g.first[b + 1]; i-- > g.first[b];) {
            step_back(&l, i);
            memcpy(live + (size_t)words * i, l.live, words * sizeof *l.live);
        }
    }
    *by_offset = l.by_offset;
    return live;
}

u64 *function_live_in(const struct function *f, struct arena *a, const u32 **by_offset)
{
    return live_before_ops(f, a, a, by_offset);
}

/* Live before every op, worked out when it is first asked for. */
const u64 *function_live(struct program *p, struct function *f)
{
    const struct ptx_function *s = f->source;
    if (f->live)
        return f->live;
    struct arena scratch = {0};
    const u32 *by_offset;
    f->live = live_before_ops(f, &p->arena, &scratch, &by_offset);
    f->of_place = ARENA_ARRAY(&p->arena, u32, s->reg_count + 1);
    for (u32 i = 0; i < s->reg_count; i++)
        f->of_place[i] = by_offset[f->reg_refs[i] / 4];
    arena_fini(&scratch);
    return f->live;
}
