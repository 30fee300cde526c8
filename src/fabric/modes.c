#include "fabric/modes.h"

#include <stdio.h>
#include <string.h>

u32 fabric_on(const struct fabric_config *c, const struct fabric_phase *p)
{
    u32 elements = c->tile.elements, on = 0;
    if (p->mode == FABRIC_PRIVATE)
        elements /= 2;
    for (u32 i = 0; i < elements; i++) {
        if (p->mode != FABRIC_MAP || p->map[i].is_on)
            on |= (u32)1 << i;
    }
    return on;
}

static bool same_place(const struct fabric_place *a, const struct fabric_place *b)
{
    return a->is_on == b->is_on &&
           (!a->is_on || (a->cache == b->cache && a->scratchpad == b->scratchpad));
}

bool fabric_modes_differ(const struct fabric_config *c, const struct fabric_phase *before,
                         const struct fabric_phase *after)
{
    static const struct fabric_phase first = {.mode = FABRIC_SHARED, .rl2 = RL2_CACHE};
    before = before ? before : &first;
    if (before->mode != after->mode || before->rl2 != after->rl2)
        return true;
    for (u32 i = 0; after->mode == FABRIC_MAP && i < c->tile.elements; i++) {
        if (!same_place(&before->map[i], &after->map[i]))
            return true;
    }
    return false;
}

static bool check_place(const struct fabric_config *c, const struct fabric_phase *p, u32 i,
                        struct err *err)
{
    const struct fabric_place *e = &p->map[i];
    if (e->cache >= c->rl1.banks)
        return err_kind(err, ERR_INPUT,
                        "phase %s leaves element %u without memory, expected a bank below %u as "
                        "the cache of each element that is on",
                        p->name, i, c->rl1.banks);
    if (e->scratchpad != FABRIC_NO_BANK && e->scratchpad >= c->rl1.banks)
        return err_kind(err, ERR_INPUT,
                        "phase %s gives element %u bank %u as scratchpad, expected one below %u, "
                        "or none",
                        p->name, i, e->scratchpad, c->rl1.banks);
    return true;
}

static bool check_map(const struct fabric_config *c, const struct fabric_phase *p, struct err *err)
{
    u64 caches = 0, scratchpads = 0;
    if (!p->map || !fabric_on(c, p))
        return err_kind(err, ERR_INPUT, "phase %s has mode map and no element that is on", p->name);
    for (u32 i = 0; i < c->tile.elements; i++) {
        const struct fabric_place *e = &p->map[i];
        if (!e->is_on)
            continue;
        if (!check_place(c, p, i, err))
            return false;
        caches |= (u64)1 << e->cache;
        scratchpads |= e->scratchpad == FABRIC_NO_BANK ? 0 : (u64)1 << e->scratchpad;
    }
    return !(caches & scratchpads) ||
           err_kind(err, ERR_INPUT,
                    "phase %s has bank %u as a cache and as a scratchpad, expected one of both",
                    p->name, (u32)__builtin_ctzll(caches & scratchpads));
}

static bool check_pairs(const struct fabric_config *c, const struct fabric_phase *p,
                        struct err *err)
{
    u32 on = fabric_on(c, p), alone = (on ^ on >> 1) & 0x55555555u;
    if (p->team < 2 || !alone)
        return true;
    u32 first = (u32)__builtin_ctz(alone);
    return err_kind(err, ERR_INPUT,
                    "phase %s has teams of 2, and of elements %u and %u one is off, expected both "
                    "on or off",
                    p->name, first, first + 1);
}

bool fabric_phase_check(const struct fabric_config *c, const struct fabric_phase *p,
                        struct err *err)
{
    return (p->mode != FABRIC_MAP || check_map(c, p, err)) && check_pairs(c, p, err);
}

void fabric_mode_text(u32 mode, u32 rl2, char *out, size_t size)
{
    if (rl2 == RL2_CACHE)
        snprintf(out, size, "%s", fabric_mode_names[mode]);
    else
        snprintf(out, size, "%s, RL2 %s", fabric_mode_names[mode], rl2_mode_names[rl2]);
}
