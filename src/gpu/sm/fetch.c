#include "gpu/sm/fetch.h"

void warp_fetch_init(struct warp_fetch *f, struct arena *arena,
                     const struct warp_fetch_parts *parts)
{
    *f = (struct warp_fetch){.at = *parts,
                             .warps = ARENA_ARRAY(arena, struct fetch_state, parts->slots),
                             .base = ARENA_ARRAY(arena, u64, parts->slots)};
}

void warp_fetch_start(struct warp_fetch *f, u32 slot, u64 base)
{
    f->warps[slot] = (struct fetch_state){0};
    f->base[slot] = base;
    f->missed &= ~((u64)1 << slot);
}

void warp_fetch_arrived(struct warp_fetch *f, u32 slot, cycle_t now)
{
    struct fetch_state *w = &f->warps[slot];
    if (!w->coming || w->coming_at > now)
        return;
    w->buffered = (u8)(w->buffered + w->coming);
    w->coming = 0;
    if (w->runs && warp_fetch_has_room(f, w))
        f->wants |= (u64)1 << slot;
}

/* A warp's turn: as many instructions as the line still has, up to the width. */
static void fetch_one(struct warp_fetch *f, u32 slot, cycle_t now)
{
    const struct fetch_config *c = f->at.config;
    struct fetch_state *w = &f->warps[slot];
    u64 address =
        (w->next / INSTRUCTION_BYTES + w->buffered) * c->instruction_bytes + f->base[slot];
    u64 line = address & ~(u64)(f->at.line_bytes - 1), bit = (u64)1 << slot;
    f->missed |= bit; /* an ideal memory may answer before this returns */
    cycle_t ready = f->at.client->line(f->at.sm, slot, line, now);
    if (ready == CYCLE_NEVER)
        return;
    f->missed &= ~bit;
    u64 to_end = (line + f->at.line_bytes - address) / c->instruction_bytes;
    w->coming = (u8)min_u64(c->width, to_end ? to_end : 1);
    w->coming_at = ready + c->cycles;
    f->wants &= ~bit;
    f->at.client->arrives(f->at.sm, slot, w->coming_at);
}

void warp_fetch_cycle(struct warp_fetch *f, cycle_t now)
{
    for (u32 n = 0; n < f->at.config->per_cycle; n++) {
        u64 mask = f->wants & ~f->missed;
        if (!mask)
            return;
        u64 after = f->last < 63 ? mask & ~(u64)0 << (f->last + 1) : 0;
        f->last = (u32)__builtin_ctzll(after ? after : mask);
        fetch_one(f, f->last, now);
    }
}
