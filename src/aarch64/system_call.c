/* System calls: Linux's numbers. */
#include "aarch64/op.h"
#include "aarch64/pin.h"
#include "aarch64/process.h"

#include <string.h>

#define ERROR(n) (-(u64)(n))
enum {
    NO_SUCH_PROCESS = 3,
    INTERRUPTED = 4,
    BAD_FILE = 9,
    TRY_AGAIN = 11,
    NO_MEMORY = 12,
    BAD_ADDRESS = 14,
    INVALID = 22,
};

/* ---- memory --------------------------------------------------------------------------------- */

static u64 call_write(struct a64_thread *t)
{
    u64 at = t->x[1], left = t->x[2];
    if (t->x[0] != 1 && t->x[0] != 2)
        return ERROR(BAD_FILE);
    for (u64 n; left; at += n, left -= n) {
        n = min_u64(left, A64_PAGE - at % A64_PAGE);
        const u8 *bytes = a64_memory_at(t->memory, at, n, A64_MAPPED);
        if (!bytes)
            return left == t->x[2] ? ERROR(BAD_ADDRESS) : t->x[2] - left;
        if (t->output)
            t->output(t->output_context, bytes, n);
    }
    return t->x[2];
}

static u64 stack_low(const struct a64_thread *t)
{
    return t->process->threads[0]->stack_low;
}

static u64 call_brk(struct a64_thread *t)
{
    struct a64_process *p = t->process;
    u64 to = t->x[0];
    if (to < p->brk_start || to >= stack_low(t) - A64_PAGE)
        return p->brk;
    if (to > p->brk)
        a64_memory_map(t->memory, p->brk, to - p->brk, A64_WRITABLE);
    p->brk = to;
    return to;
}

/* Private memory of its own, placed behind what there is. */
static u64 call_mmap(struct a64_thread *t)
{
    enum { MAP_FIXED_BIT = 0x10, MAP_ANONYMOUS_BIT = 0x20 };
    struct a64_process *p = t->process;
    u64 bytes = (t->x[1] + A64_PAGE - 1) & ~(A64_PAGE - 1);
    if (!(t->x[3] & MAP_ANONYMOUS_BIT) || (t->x[3] & MAP_FIXED_BIT) || !bytes)
        return ERROR(INVALID);
    u64 at = (p->brk + A64_PAGE - 1) & ~(A64_PAGE - 1);
    if (bytes > stack_low(t) || at + bytes >= stack_low(t) - A64_PAGE)
        return ERROR(NO_MEMORY);
    a64_memory_map(t->memory, at, bytes, A64_WRITABLE);
    p->brk = at + bytes;
    return at;
}

/* ---- threads -------------------------------------------------------------------------------- */

static bool is_there(const struct a64_thread *t)
{
    return t->stop != A64_ABSENT && t->stop != A64_THREAD_ENDED;
}

static void go_on(struct a64_thread *t)
{
    struct a64_process *p = t->process;
    t->stop = A64_RUNS;
    if (p->wake)
        p->wake(p->wake_context, t->id);
}

static u64 wake(struct a64_process *p, u64 address, u64 most)
{
    u64 woken = 0;
    while (woken < most) {
        struct a64_thread *first = NULL;
        for (u32 i = 0; i < p->thread_count; i++) {
            struct a64_thread *t = p->threads[i];
            if (t->stop == A64_WAITS && t->futex == address &&
                (!first || t->wait_number < first->wait_number))
                first = t;
        }
        if (!first)
            break;
        first->x[0] = 0;
        go_on(first);
        woken++;
    }
    return woken;
}

static bool put_word(struct a64_thread *t, u64 address, u32 v)
{
    u8 *p = a64_memory_at(t->memory, address, 4, A64_WRITABLE);
    if (p)
        memcpy(p, &v, 4);
    return p;
}

static u64 call_futex(struct a64_thread *t)
{
    enum { WAIT, WAKE, WAIT_BITS = 9, WAKE_BITS, COMMAND = 127 };
    u32 what = t->x[1] & COMMAND, v;
    const u8 *at = a64_memory_at(t->memory, t->x[0], 4, A64_MAPPED);
    if (!at || t->x[0] % 4)
        return at ? ERROR(INVALID) : ERROR(BAD_ADDRESS);
    if (what == WAKE || what == WAKE_BITS)
        return wake(t->process, t->x[0], (u32)t->x[2]);
    if ((what != WAIT && what != WAIT_BITS) || t->x[3]) { /* one with a time to end at */
        stop_thread(t, A64_BAD_CALL, t->x[8]);
        return t->x[0];
    }
    memcpy(&v, at, 4);
    if (v != (u32)t->x[2])
        return ERROR(TRY_AGAIN);
    t->futex = t->x[0];
    t->wait_number = t->process->wait_count++;
    t->stop = A64_WAITS;
    return t->x[0];
}

enum {
    CLONE_VM_BIT = 0x100,
    CLONE_SIGHAND_BIT = 0x800,
    CLONE_THREAD_BIT = 0x10000,
    CLONE_SETTLS_BIT = 0x80000,
    CLONE_PARENT_SETTID_BIT = 0x100000,
    CLONE_CHILD_CLEARTID_BIT = 0x200000,
    CLONE_CHILD_SETTID_BIT = 0x1000000,
};

/* What the new thread has of the one that makes it: its registers, as far as they are its own. It
 * is pinned to nothing, and its vectors are as long as those of its core. */
static void inherit(struct a64_thread *to, const struct a64_thread *from)
{
    u32 core_vl = to->core_vl, id = to->id;
    *to = *from;
    to->id = id;
    to->core_vl = to->vl = core_vl;
    to->pin = (struct a64_pin){0};
    to->exclusive = to->pending = to->clear_tid = to->stack_low = 0;
    to->access_count = to->element_count = 0;
    a64_poison(to);
}

static u64 call_clone(struct a64_thread *t)
{
    const u32 needed = CLONE_VM_BIT | CLONE_SIGHAND_BIT | CLONE_THREAD_BIT;
    struct a64_process *p = t->process;
    u64 flags = t->x[0];
    struct a64_thread *made = NULL;
    if ((flags & needed) != needed) { /* a process of its own */
        stop_thread(t, A64_BAD_CALL, t->x[8]);
        return t->x[0];
    }
    for (u32 i = 1; i < p->thread_count && !made; i++)
        made = is_there(p->threads[i]) ? NULL : p->threads[i];
    if (!made)
        return ERROR(TRY_AGAIN);
    inherit(made, t);
    made->x[0] = 0;
    if (t->x[1])
        made->sp = t->x[1];
    if (flags & CLONE_SETTLS_BIT)
        made->tpidr = t->x[3];
    u32 number = A64_PID + made->id;
    if (flags & CLONE_PARENT_SETTID_BIT)
        put_word(t, t->x[2], number);
    if (flags & CLONE_CHILD_SETTID_BIT)
        put_word(t, t->x[4], number);
    if (flags & CLONE_CHILD_CLEARTID_BIT)
        made->clear_tid = t->x[4];
    go_on(made);
    return number;
}

void a64_process_end(struct a64_thread *t, enum a64_stop why, u64 address)
{
    struct a64_process *p = t->process;
    for (u32 i = 0; i < p->thread_count; i++)
        p->threads[i]->stop = A64_EXITED;
    stop_thread(t, why, address);
}

bool a64_process_waits(const struct a64_process *p)
{
    bool one_waits = false;
    for (u32 i = 0; i < p->thread_count; i++) {
        if (p->threads[i]->stop == A64_WAITS)
            one_waits = true;
        else if (is_there(p->threads[i]))
            return false;
    }
    return one_waits;
}

/* The program ends with its last thread, and with the status of its first. */
static void call_exit(struct a64_thread *t)
{
    struct a64_process *p = t->process;
    bool is_last = true;
    for (u32 i = 0; i < p->thread_count; i++)
        is_last = is_last && (p->threads[i] == t || !is_there(p->threads[i]));
    if (t->id == 0)
        p->exit_code = (i32)t->x[0] & 255;
    if (is_last) {
        a64_process_end(t, A64_EXITED, 0);
        return;
    }
    t->stop = A64_THREAD_ENDED;
    if (t->clear_tid && put_word(t, t->clear_tid, 0))
        wake(p, t->clear_tid, 1);
}

/* ---- signals -------------------------------------------------------------------------------- */

static u64 call_action(struct a64_thread *t)
{
    enum { KILL = 9, STOP = 19 };
    u64 number = t->x[0];
    const u8 *from = NULL;
    u8 *to = NULL;
    if (!number || number > A64_SIGNALS || t->x[3] != 8 ||
        (t->x[1] && (number == KILL || number == STOP)))
        return ERROR(INVALID);
    struct a64_action *a = &t->process->actions[number];
    if ((t->x[1] && !(from = a64_memory_at(t->memory, t->x[1], sizeof *a, A64_MAPPED))) ||
        (t->x[2] && !(to = a64_memory_at(t->memory, t->x[2], sizeof *a, A64_WRITABLE))))
        return ERROR(BAD_ADDRESS);
    struct a64_action old = *a;
    if (from)
        memcpy(a, from, sizeof *a);
    if (to)
        memcpy(to, &old, sizeof old);
    return 0;
}

static u64 call_mask(struct a64_thread *t)
{
    enum { BLOCK, UNBLOCK, SET };
    const u64 never = (u64)1 << (9 - 1) | (u64)1 << (19 - 1);
    u64 old = t->blocked, set;
    const u8 *from = t->x[1] ? a64_memory_at(t->memory, t->x[1], 8, A64_MAPPED) : NULL;
    u8 *to = t->x[2] ? a64_memory_at(t->memory, t->x[2], 8, A64_WRITABLE) : NULL;
    if (t->x[3] != 8 || (from && t->x[0] > SET))
        return ERROR(INVALID);
    if ((t->x[1] && !from) || (t->x[2] && !to))
        return ERROR(BAD_ADDRESS);
    if (from) {
        memcpy(&set, from, 8);
        t->blocked = t->x[0] == SET ? set : t->x[0] == BLOCK ? old | set : old & ~set;
        t->blocked &= ~never;
    }
    if (to)
        memcpy(to, &old, 8);
    return 0;
}

/* To a thread that waits: it waits no more, or begins to wait again behind the handler. */
static void interrupt(struct a64_thread *t)
{
    enum { RESTARTS = 0x10000000 };
    u64 ready = t->pending & ~t->blocked;
    if (t->stop != A64_WAITS || !ready)
        return;
    if (t->process->actions[__builtin_ctzll(ready) + 1].flags & RESTARTS)
        t->pc -= 4;
    else
        t->x[0] = ERROR(INTERRUPTED);
    go_on(t);
}

static u64 send(struct a64_thread *from, struct a64_thread *to, u64 number, i32 code)
{
    if (number > A64_SIGNALS)
        return ERROR(INVALID);
    if (!number)
        return 0;
    a64_raise(to, &(struct a64_signal){(u32)number, code, A64_PID});
    if (to != from)
        interrupt(to);
    return 0;
}

/* A signal to the program is that of the first thread that does not block it, from the caller on.
 */
static u64 call_kill(struct a64_thread *t)
{
    struct a64_process *p = t->process;
    u64 bit = (u64)1 << ((t->x[1] - 1) & 63);
    struct a64_thread *to = t;
    if (t->x[0] != A64_PID)
        return ERROR(NO_SUCH_PROCESS);
    for (u32 i = 0; i < p->thread_count && to->blocked & bit; i++) {
        if (is_there(p->threads[i]) && !(p->threads[i]->blocked & bit))
            to = p->threads[i];
    }
    return send(t, to, t->x[1], 0);
}

static u64 call_thread_kill(struct a64_thread *t, u64 tid, u64 number)
{
    enum { BY_TKILL = -6 };
    struct a64_process *p = t->process;
    u64 id = tid - A64_PID;
    if (id >= p->thread_count || !is_there(p->threads[id]))
        return ERROR(NO_SUCH_PROCESS);
    return send(t, p->threads[id], number, BY_TKILL);
}

/* ---- all ------------------------------------------------------------------------------------ */

/* Calls with a result. */
static u64 result_of(struct a64_thread *t)
{
    switch (t->x[8]) {
    case 64:
        return call_write(t);
    case 96: /* set_tid_address */
        t->clear_tid = t->x[0];
        return A64_PID + t->id;
    case 98:
        return call_futex(t);
    case 124: /* sched_yield: each thread has its core */
        return 0;
    case 129:
        return call_kill(t);
    case 130:
        return call_thread_kill(t, t->x[0], t->x[1]);
    case 131:
        return t->x[0] == A64_PID ? call_thread_kill(t, t->x[1], t->x[2]) : ERROR(NO_SUCH_PROCESS);
    case 134:
        return call_action(t);
    case 135:
        return call_mask(t);
    case 172: /* getpid */
        return A64_PID;
    case 178: /* gettid */
        return A64_PID + t->id;
    case 214:
        return call_brk(t);
    case 215: /* munmap: what is there stays */
        return 0;
    case 220:
        return call_clone(t);
    case 222:
        return call_mmap(t);
    default:
        stop_thread(t, A64_BAD_CALL, t->x[8]);
        return t->x[0];
    }
}

void a64_system_call(struct a64_thread *t)
{
    switch (t->x[8]) {
    case 93:
        call_exit(t);
        return;
    case 94:
        t->process->exit_code = (i32)t->x[0] & 255;
        a64_process_end(t, A64_EXITED, 0);
        return;
    case 139:
        a64_signal_return(t);
        break;
    default: {
        u64 r = result_of(t);
        if (!t->stop)
            t->x[0] = r;
    }
    }
    a64_deliver(t);
}
