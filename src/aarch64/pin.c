#include "aarch64/pin.h"

#include <string.h>

void a64_pin(struct a64_thread *t)
{
    if (t->pin.level == UINT16_MAX) {
        t->stop = A64_PIN_TRAP;
        return;
    }
    if (!t->pin.level++)
        t->pin.vl = (u16)t->core_vl;
    t->vl = t->is_enforced ? t->pin.vl : t->core_vl;
}

static void take_length(struct a64_thread *t)
{
    t->vl = t->pin.level && t->is_enforced ? t->pin.vl : t->core_vl;
}

void a64_unpin(struct a64_thread *t)
{
    if (t->pin.level == t->pin.floor) {
        t->stop = A64_UNPIN_TRAP;
        return;
    }
    t->pin.level--;
    take_length(t);
}

u64 a64_pin_save(const struct a64_thread *t)
{
    return t->pin.level | (u64)(t->pin.level ? t->pin.vl : 0) << 16;
}

void a64_pin_restore(struct a64_thread *t, u64 saved)
{
    u16 level = (u16)saved, vl = (u16)(saved >> 16); /* floors are 0 and 1 */
    if (level && vl > t->core_vl) {
        t->stop = A64_LENGTH_TRAP;
        return;
    }
    if (level)
        t->pin.vl = vl;
    else
        level = t->pin.floor; /* its length is the one it has */
    t->pin.level = level;
    take_length(t);
}

bool a64_may_migrate(const struct a64_thread *t, u32 to_vl)
{
    return !t->pin.level || to_vl >= t->pin.vl;
}

/* Scalar floating point and Neon have the lowest 128 bits, and do not pin: those stay. */
void a64_poison(struct a64_thread *t)
{
    for (u32 i = 0; i < 32; i++)
        memset(t->z[i] + A64_LEAST_VL, 0xdb, A64_MOST_VL - A64_LEAST_VL);
    memset(t->p, 0xdb, sizeof t->p);
    memset(t->ffr, 0xdb, sizeof t->ffr);
}

/* The part of a register that a shorter core has: what lies behind it is lost. */
static void lose(struct a64_thread *t, u32 vl)
{
    for (u32 i = 0; i < 32; i++)
        memset(t->z[i] + vl, 0, A64_MOST_VL - vl);
    for (u32 i = 0; i < 16; i++)
        memset(t->p[i] + vl / 8, 0, (A64_MOST_VL - vl) / 8);
    memset(t->ffr + vl / 8, 0, (A64_MOST_VL - vl) / 8);
}

void a64_migrate(struct a64_thread *t, u32 to_vl)
{
    if (!t->is_enforced)
        lose(t, to_vl);
    else if (!t->pin.level)
        a64_poison(t);
    t->core_vl = to_vl;
    take_length(t);
}
