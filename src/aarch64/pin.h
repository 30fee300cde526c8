/*
 * A thread that is pinned to a length of vectors (the document's PIN_LEVEL): while vector values
 * are live, it may run only on cores whose vectors are at least as long, and keeps its length
 * there.
 *
 * In the hint space, so that other machines execute nothing: HINT 96 PIN_VL, 97 UNPIN_VL, 98
 * SAVE_PIN (x16 becomes level and length), 99 RESTORE_PIN (the level in x16 comes back, but not
 * below the floor), which setjmp and longjmp use. A vector instruction of a thread that is not
 * pinned pins it for the rest of its life (the floor becomes 1): code that knows nothing of pins is
 * right on every core. "Vector" means that it touches a Z, P or FFR register or reads the length;
 * 128-bit Neon does not.
 */
#ifndef AARCH64_PIN_H
#define AARCH64_PIN_H

#include "aarch64/thread.h"

enum { A64_HINT_PIN = 96, A64_HINT_UNPIN, A64_HINT_SAVE_PIN, A64_HINT_RESTORE_PIN };

/* Before a vector instruction. */
static inline void a64_pin_implicitly(struct a64_thread *t)
{
    if (UNLIKELY(!t->pin.level)) {
        t->pin = (struct a64_pin){1, 1, (u16)t->core_vl};
        t->vl = t->core_vl;
    }
}

void a64_pin(struct a64_thread *t);
void a64_unpin(struct a64_thread *t);
/* What a saved context holds: signals, setjmp. */
u64 a64_pin_save(const struct a64_thread *t);
void a64_pin_restore(struct a64_thread *t, u64 saved);
bool a64_may_migrate(const struct a64_thread *t, u32 to_vl);
/* Junk in state that has no defined value: vector registers beyond Neon's 128 bits, and predicates.
 */
void a64_poison(struct a64_thread *t);
/* The thread is on a core with such vectors from now on: one that is not pinned has junk in its
 * vector registers beyond Neon's 128 bits. Without is_enforced it goes as it is, and takes the new
 * length. */
void a64_migrate(struct a64_thread *t, u32 to_vl);

#endif
