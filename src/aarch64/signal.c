/*
 * Signals: Linux's frame on the stack, with the level and length that the thread is pinned at.
 *
 * A frame holds siginfo and ucontext. Behind the general registers are records, each with a magic
 * number and its size: fpsimd (128 bits of each vector), heddle's pin, and of a pinned thread sve
 * (vectors, predicates, first-fault register), which lies behind the frame if it is too long. Of
 * a thread that is not pinned nothing beyond 128 bits is live, so nothing of it is saved.
 *
 * A handler begins at the level at which the thread was interrupted: its frame can only come back
 * on a core whose vectors are long enough.
 */
#include "aarch64/op.h"
#include "aarch64/pin.h"
#include "aarch64/process.h"

#include <string.h>

enum {
    INFO_BYTES = 128,
    CONTEXT_AT = INFO_BYTES,
    MASK_AT = CONTEXT_AT + 40,
    MACHINE_AT = CONTEXT_AT + 176,
    GENERAL_AT = MACHINE_AT + 8,
    RECORDS_AT = MACHINE_AT + 288,
    RECORDS_BYTES = 4096,
    FRAME_BYTES = RECORDS_AT + RECORDS_BYTES,
    HEAD_BYTES = 8, /* magic and size */
    END_BYTES = 16,
    FPSIMD_BYTES = 528,
    PIN_BYTES = 16,
    EXTRA_BYTES = 32,
    SVE_HEAD_BYTES = 16,
};

static const u32 fpsimd_magic = 0x46508001, sve_magic = 0x53564501, extra_magic = 0x45585401,
                 pin_magic = 0x50494e31;

enum { DEFAULT, IGNORE };
enum { NO_RESTORER = 0, RESTORER = 0x04000000, NO_DEFER = 0x40000000 };
#define RESET_HANDLER 0x80000000u

/* ---- who handles it ---------------------------------------------------------------------------
 */

static bool is_ignored(const struct a64_action *a, u32 number)
{
    const u64 quiet = (u64)1 << 17 | (u64)1 << 18 | (u64)1 << 23 | (u64)1 << 28;
    return a->handler == IGNORE || (a->handler == DEFAULT && number < 64 && quiet >> number & 1);
}

void a64_raise(struct a64_thread *t, const struct a64_signal *s)
{
    const struct a64_action *a = &t->process->actions[s->number];
    u64 bit = (u64)1 << (s->number - 1);
    if (is_ignored(a, s->number))
        return;
    t->pending |= bit;
    t->signal_code[s->number] = s->code;
    t->signal_address[s->number] = s->address;
}

/* ---- the frame --------------------------------------------------------------------------------
 */

static bool is_mapped(const struct a64_thread *t, u64 address, u64 bytes, u32 permission)
{
    for (u64 at = address & ~(A64_PAGE - 1); at < address + bytes; at += A64_PAGE) {
        if (!a64_memory_at(t->memory, at, 1, permission))
            return false;
    }
    return address + bytes <= A64_MEMORY_BYTES;
}

static void put32(u8 *at, u32 v)
{
    memcpy(at, &v, sizeof v);
}

static void put64(u8 *at, u64 v)
{
    memcpy(at, &v, sizeof v);
}

static u32 get32(const u8 *at)
{
    u32 v;
    memcpy(&v, at, sizeof v);
    return v;
}

static u64 get64(const u8 *at)
{
    u64 v;
    memcpy(&v, at, sizeof v);
    return v;
}

static u8 *put_head(u8 *at, u32 magic, u32 bytes)
{
    put32(at, magic);
    put32(at + 4, bytes);
    return at + HEAD_BYTES;
}

static u32 sve_bytes(u32 vl)
{
    return (SVE_HEAD_BYTES + 32 * vl + 17 * vl / 8 + 15) & ~15u;
}

static void put_sve(u8 *at, const struct a64_thread *t)
{
    u32 vl = t->vl;
    put_head(at, sve_magic, sve_bytes(vl));
    put64(at + HEAD_BYTES, vl);
    at += SVE_HEAD_BYTES;
    for (u32 i = 0; i < 32; i++, at += vl)
        memcpy(at, t->z[i], vl);
    for (u32 i = 0; i < 16; i++, at += vl / 8)
        memcpy(at, t->p[i], vl / 8);
    memcpy(at, t->ffr, vl / 8);
}

static void get_sve(const u8 *at, u32 vl, struct a64_thread *t)
{
    at += SVE_HEAD_BYTES;
    for (u32 i = 0; i < 32; i++, at += vl)
        memcpy(t->z[i], at, vl);
    for (u32 i = 0; i < 16; i++, at += vl / 8)
        memcpy(t->p[i], at, vl / 8);
    memcpy(t->ffr, at, vl / 8);
}

static bool has_vectors(const struct a64_thread *t)
{
    return t->pin.level || !t->is_enforced;
}

static bool is_long(u32 vl)
{
    return FPSIMD_BYTES + PIN_BYTES + sve_bytes(vl) + END_BYTES > RECORDS_BYTES;
}

static u64 extra_bytes(const struct a64_thread *t)
{
    return has_vectors(t) && is_long(t->vl) ? sve_bytes(t->vl) + END_BYTES : 0;
}

static void put_records(struct a64_thread *t, u64 frame)
{
    u8 *at = t->memory->bytes + frame + RECORDS_AT, *v = put_head(at, fpsimd_magic, FPSIMD_BYTES);
    put32(v, t->fpsr);
    put32(v + 4, t->fpcr);
    for (u32 i = 0; i < 32; i++)
        memcpy(v + 8 + 16 * i, t->z[i], 16);
    at += FPSIMD_BYTES;
    put64(put_head(at, pin_magic, PIN_BYTES), a64_pin_save(t));
    at += PIN_BYTES;
    if (extra_bytes(t)) {
        u8 *extra = t->memory->bytes + frame + FRAME_BYTES;
        v = put_head(at, extra_magic, EXTRA_BYTES);
        put64(v, frame + FRAME_BYTES);
        put64(v + 8, extra_bytes(t));
        put_sve(extra, t);
        put64(extra + sve_bytes(t->vl), 0);
        at += EXTRA_BYTES;
    } else if (has_vectors(t)) {
        put_sve(at, t);
        at += sve_bytes(t->vl);
    }
    put64(at, 0);
}

static void put_frame(struct a64_thread *t, u64 frame, u32 number)
{
    u8 *at = t->memory->bytes + frame;
    memset(at, 0, RECORDS_AT);
    put32(at, number);
    put32(at + 8, (u32)t->signal_code[number]);
    put64(at + 16, t->signal_address[number]);
    put64(at + MASK_AT, t->blocked);
    put64(at + MACHINE_AT, t->signal_address[number]);
    memcpy(at + GENERAL_AT, t->x, 31 * 8);
    put64(at + GENERAL_AT + 31 * 8, t->sp);
    put64(at + GENERAL_AT + 32 * 8, t->pc);
    put64(at + GENERAL_AT + 33 * 8, (u64)t->flags << 28);
    put_records(t, frame);
}

/* ---- a handler begins, and returns ------------------------------------------------------------
 */

static void begin_handler(struct a64_thread *t, u32 number)
{
    struct a64_action *a = &t->process->actions[number];
    u64 bit = (u64)1 << (number - 1), bytes = FRAME_BYTES + extra_bytes(t);
    u64 link = (t->sp & ~(u64)15) - 16, frame = (link - bytes) & ~(u64)15;
    if (t->sp < bytes + 64 || !is_mapped(t, frame, link + 16 - frame, A64_WRITABLE)) {
        a64_process_end(t, A64_STACK_OVERFLOW, frame);
        return;
    }
    put_frame(t, frame, number);
    put64(t->memory->bytes + link, t->x[29]);
    put64(t->memory->bytes + link + 8, t->x[30]);
    t->x[0] = number;
    t->x[1] = frame;
    t->x[2] = frame + CONTEXT_AT;
    t->x[29] = link;
    t->x[30] = a->flags & RESTORER ? a->restorer : A64_TRAMPOLINE;
    t->sp = frame;
    t->pc = a->handler;
    t->exclusive = 0;
    t->blocked |= a->mask | (a->flags & NO_DEFER ? 0 : bit);
    if (a->flags & RESET_HANDLER)
        a->handler = DEFAULT;
}

void a64_deliver_pending(struct a64_thread *t)
{
    for (u64 ready; !t->stop && (ready = t->pending & ~t->blocked);) {
        u32 number = (u32)__builtin_ctzll(ready) + 1;
        u64 handler = t->process->actions[number].handler;
        t->pending &= ~((u64)1 << (number - 1));
        if (handler == DEFAULT)
            a64_process_end(t, A64_KILLED, number);
        else if (handler != IGNORE)
            begin_handler(t, number);
    }
}

/* Faults: what the signal is that Linux, or the document for pins, makes of a stop. */
bool a64_deliver_fault(struct a64_thread *t)
{
    struct a64_signal s = {0, 0, t->pc - 4};
    switch (t->stop) {
    case A64_UNPIN_TRAP:
    case A64_PIN_TRAP:
    case A64_LENGTH_TRAP:
        s.number = A64_SIGILL;
        s.code = 2; /* ILL_ILLOPN */
        break;
    case A64_BAD_ACCESS:
        s.number = A64_SIGSEGV;
        s.code = 1; /* SEGV_MAPERR */
        s.address = t->stop_address;
        break;
    case A64_BREAK:
        s.number = A64_SIGTRAP;
        s.code = 1; /* TRAP_BRKPT */
        break;
    default:
        return false;
    }
    if (!t->process || t->process->actions[s.number].handler <= IGNORE ||
        t->blocked >> (s.number - 1) & 1)
        return false;
    t->stop = A64_RUNS;
    t->pc -= 4;
    a64_raise(t, &s);
    a64_deliver_pending(t);
    return true;
}

static void get_fpsimd(const u8 *at, struct a64_thread *t)
{
    t->fpsr = get32(at + HEAD_BYTES);
    for (u32 i = 0; i < 32; i++)
        memcpy(t->z[i], at + HEAD_BYTES + 8 + 16 * i, 16);
}

/* Records from `at` up to an end; false: they are none that a handler was given. */
static bool get_records(struct a64_thread *t, u64 at, u64 end, bool *pinned)
{
    const u8 *fpsimd = NULL;
    for (u32 magic; at + END_BYTES <= end && is_mapped(t, at, END_BYTES, A64_MAPPED);) {
        const u8 *r = t->memory->bytes + at;
        u32 bytes = get32(r + 4);
        if (!(magic = get32(r))) {
            if (fpsimd)
                get_fpsimd(fpsimd, t);
            return true;
        }
        if (bytes < END_BYTES || bytes > end - at || !is_mapped(t, at, bytes, A64_MAPPED))
            return false;
        if (magic == fpsimd_magic && bytes == FPSIMD_BYTES)
            fpsimd = r;
        else if (magic == pin_magic)
            a64_pin_restore(t, get64(r + HEAD_BYTES));
        else if (magic == sve_magic && get32(r + HEAD_BYTES) <= A64_MOST_VL &&
                 bytes >= sve_bytes(get32(r + HEAD_BYTES)))
            get_sve(r, get32(r + HEAD_BYTES), t), *pinned = true;
        else if (magic == extra_magic &&
                 !get_records(t, get64(r + HEAD_BYTES),
                              get64(r + HEAD_BYTES) + get32(r + HEAD_BYTES + 8), pinned))
            return false;
        at += bytes;
    }
    return false;
}

void a64_signal_return(struct a64_thread *t)
{
    u64 frame = t->sp;
    bool pinned = false;
    if (frame % 16 || !is_mapped(t, frame, FRAME_BYTES, A64_MAPPED)) {
        stop_thread(t, A64_BAD_ACCESS, frame);
        return;
    }
    const u8 *at = t->memory->bytes + frame;
    if (!get_records(t, frame + RECORDS_AT, frame + FRAME_BYTES, &pinned)) {
        stop_thread(t, A64_BAD_ACCESS, frame + RECORDS_AT);
        return;
    }
    if (t->stop)
        return; /* the core's vectors are too short for it */
    if (!pinned && t->is_enforced)
        a64_poison(t);
    memcpy(t->x, at + GENERAL_AT, 31 * 8);
    t->sp = get64(at + GENERAL_AT + 31 * 8);
    t->pc = get64(at + GENERAL_AT + 32 * 8);
    t->flags = (u8)(get64(at + GENERAL_AT + 33 * 8) >> 28 & 15);
    t->blocked = get64(at + MASK_AT);
    t->exclusive = 0;
}
