#include "ptx/decode/live_registers.h"

#include "ptx/decode/function.h"
#include "source/step_watch.h"

#include <stdlib.h>

#define MOST_REGISTER_WORDS 64u /* 4096 registers: beyond, all are taken to be needed */

/* True: `out` has the live registers of all paths. */
static bool find_live(const struct warp *w, u64 *out, u32 words)
{
    struct function *f = (struct function *)(uintptr_t)w->grid->kernel;
    const u64 *live = function_live((struct program *)(uintptr_t)w->grid->program, f);
    memset(out, 0, words * sizeof *out);
    EACH (i, w->used_paths) {
        const struct path *p = &w->paths[i];
        if (p->state == PATH_FREE)
            continue;
        if (p->function != f || p->frame)
            return false;
        for (u32 k = 0; k < words; k++)
            out[k] |= live[(size_t)words * p->pc + k];
    }
    EACH (i, w->used_reconvergence) {
        const struct reconvergence *j = &w->joins[i];
        if (j->function != f || j->frame)
            return false;
        for (u32 k = 0; j->pc < f->op_count && k < words; k++)
            out[k] |= live[(size_t)words * j->pc + k];
    }
    return true;
}

static u32 words_of(const struct warp *w)
{
    return (w->grid->kernel->source->reg_count + 63) / 64;
}

static u8 *place_of(const struct warp *w, u32 reg)
{
    return w->registers + (w->grid->kernel->reg_refs[reg] & REF_OFFSET);
}

static u32 bytes_of(const struct warp *w, u32 reg)
{
    return type_info[w->grid->kernel->source->regs[reg].type].bytes;
}

static void visit(const struct warp *w, u32 reg, register_visit *each, void *context)
{
    u32 bytes = bytes_of(w, reg), lanes[LANES];
    const u8 *at = place_of(w, reg);
    for (u32 part = 0; part < bytes; part += 4) {
        memset(lanes, 0, sizeof lanes);
        for (u32 i = 0; i < LANES; i++)
            memcpy(&lanes[i], at + (size_t)i * bytes + part, bytes < 4 ? bytes : 4);
        each(context, register_word(w->grid->kernel->reg_refs[reg] & REF_OFFSET, part / 4), lanes);
    }
}

bool warp_live_registers(const struct warp *w, register_visit *each, void *context)
{
    u64 live[MOST_REGISTER_WORDS];
    u32 words = words_of(w);
    if (words > MOST_REGISTER_WORDS || !find_live(w, live, words))
        return false;
    for (u32 k = 0; k < words; k++) {
        for (u64 bits = live[k]; bits; bits &= bits - 1)
            visit(w, k * 64 + (u32)__builtin_ctzll(bits), each, context);
    }
    return true;
}

void warp_forget_dead(struct warp *w)
{
    const struct function *f = w->grid->kernel;
    u64 live[MOST_REGISTER_WORDS];
    u32 words = words_of(w);
    if (words > MOST_REGISTER_WORDS || !find_live(w, live, words))
        return;
    for (u32 r = 0; r < f->source->reg_count; r++) {
        u32 of = f->of_place[r];
        if (of == r && f->reg_refs[r] != SINK_REF && !(live[r / 64] >> (r % 64) & 1))
            memset(place_of(w, r), 0xa5, (size_t)bytes_of(w, r) * LANES);
    }
}
