#include "cpu/openmp.h"

#include <inttypes.h>
#include <string.h>

enum openmp_state { ABSENT, RUNS, ASKS, WAITS, ENDS, ENDED };

#define NO_THREAD UINT32_MAX
#define NO_LOCK UINT32_MAX

/* clang-format off */
const struct stat_def openmp_stats[] = {
    S_ARRAY(openmp_counts, events, cpu_event_names, CPU_EVENT_COUNT, "events", "OpenMP events of the thread's trace, by kind"),
    S_ARRAY(openmp_counts, waited_cycles, cpu_event_names, CPU_EVENT_COUNT, "cycles", "cycles from reaching an event until the thread could continue, by kind"),
    S_COUNT(openmp_counts, serial_cycles, "cycles", "cycles outside parallel regions, waiting excluded"),
    S_COUNT(openmp_counts, parallel_cycles, "cycles", "cycles inside parallel regions, waiting excluded"),
    S_COUNT(openmp_counts, serial_instructions, "instructions", "instructions retired outside parallel regions"),
    S_COUNT(openmp_counts, parallel_instructions, "instructions", "instructions retired inside parallel regions"),
    S_COUNT(openmp_counts, regions, "regions", "parallel regions in which the thread took part"),
    S_COUNT(openmp_counts, cut, "threads", "threads whose trace was cut inside a parallel region"),
    S_COUNT(openmp_counts, early_passes, "events", "barriers and ends of regions passed before the last thread arrived"),
    S_COUNT(openmp_counts, double_holds, "events", "locks taken while another thread held them"),
    S_LAW(barriers, "early_passes == 0", "no thread passes a barrier before the last arrives"),
    S_LAW(locks, "double_holds == 0", "no lock is held by two threads"),
    S_END,
};
/* clang-format on */

void openmp_init(struct openmp *o, struct arena *arena, const struct openmp_hooks *hooks)
{
    memset(o, 0, sizeof *o);
    o->hooks = *hooks;
    o->err = ERR_INIT;
    map_init_fixed(&o->by_object, arena, OPENMP_LOCKS);
    for (u32 i = 0; i < OPENMP_LOCKS; i++)
        o->locks[i].next_free = i + 1 < OPENMP_LOCKS ? i + 1 : NO_LOCK;
}

void openmp_begin(struct openmp *o, const char *name, u32 first, u32 count)
{
    o->names[first] = name;
    for (u32 i = first; i < first + count; i++) {
        struct openmp_thread *t = &o->threads[i];
        struct openmp_counts counts = t->counts; /* of all runs of the program */
        *t = (struct openmp_thread){.state = RUNS,
                                    .first = first,
                                    .count = count,
                                    .cycles_before = t->cycles_before,
                                    .instructions_before = t->instructions_before,
                                    .counts = counts};
        o->asking &= ~((u64)1 << i);
        o->waiting &= ~((u64)1 << i);
        o->ending &= ~((u64)1 << i);
    }
}

/* ---- failures ------------------------------------------------------------------------------- */

/* The number of a thread within its program, as its user knows it. */
static u32 number_of(const struct openmp_thread *t, u32 thread)
{
    return thread - t->first;
}

static struct src_pos place_of(const struct openmp *o, u32 thread)
{
    return (struct src_pos){o->names[o->threads[thread].first], 0, 0};
}

/* The sentence is err_at's. */
#define FAIL(o, thread, ...)                                                                       \
    ((void)err_at(&(o)->err, place_of((o), (thread)), __VA_ARGS__),                                \
     (o)->hooks.fail((o)->hooks.context))

/* ---- locks ---------------------------------------------------------------------------------- */

/* Programs of a mix have address spaces of their own. */
static u64 key_of(const struct openmp_thread *t, u64 object)
{
    return object ^ (u64)t->first << 56;
}

static struct openmp_lock *lock_of(struct openmp *o, const struct openmp_thread *t, u64 object)
{
    u64 at;
    return map_get(&o->by_object, key_of(t, object), &at) ? &o->locks[at] : NULL;
}

static struct openmp_lock *new_lock(struct openmp *o, const struct openmp_thread *t, u64 object)
{
    u32 at = o->free_lock;
    if (at == NO_LOCK)
        return NULL;
    o->free_lock = o->locks[at].next_free;
    o->locks[at] = (struct openmp_lock){.object = key_of(t, object), .owner = NO_THREAD};
    map_put(&o->by_object, o->locks[at].object, at);
    return &o->locks[at];
}

static void take(struct openmp_thread *t, u32 thread, struct openmp_lock *l)
{
    t->counts.double_holds += l->depth && l->owner != thread;
    t->locks_held += l->depth == 0;
    l->owner = thread;
    l->depth++;
}

/* Of those who wait for a lock the one that came first. */
static u32 next_owner(const struct openmp *o, const struct openmp_thread *of, u64 object)
{
    u32 best = NO_THREAD;
    for (u32 i = of->first; i < of->first + of->count; i++) {
        const struct openmp_thread *t = &o->threads[i];
        if (t->state == WAITS && t->event == CPU_WAIT && t->object == object &&
            (best == NO_THREAD || t->asked < o->threads[best].asked))
            best = i;
    }
    return best;
}

static void go_on(struct openmp *o, u32 thread, u64 now)
{
    struct openmp_thread *t = &o->threads[thread];
    u64 bit = (u64)1 << thread;
    t->counts.waited_cycles[t->event] += now - t->asked;
    t->state = RUNS;
    o->asking &= ~bit;
    o->waiting &= ~bit;
    o->hooks.go_on(o->hooks.context, thread);
}

static bool ask_for_lock(struct openmp *o, u32 thread)
{
    struct openmp_thread *t = &o->threads[thread];
    struct openmp_lock *l = lock_of(o, t, t->object);
    if (l && l->owner != thread)
        return false;
    if (!l && !(l = new_lock(o, t, t->object))) {
        FAIL(o, thread,
             "thread %u takes one more lock at its event %" PRIu64
             " than the %u that can be held at one time",
             number_of(t, thread), t->event_number, OPENMP_LOCKS);
        return false;
    }
    take(t, thread, l);
    return true;
}

/* Passes a lock on, or forgets it. */
static void give_up(struct openmp *o, struct openmp_lock *l, u64 object, u64 now)
{
    struct openmp_thread *t = &o->threads[l->owner];
    u32 next = next_owner(o, t, object);
    t->locks_held--;
    l->owner = next;
    if (next != NO_THREAD) {
        take(&o->threads[next], next, l);
        go_on(o, next, now);
        return;
    }
    u32 at = (u32)(l - o->locks);
    map_remove(&o->by_object, l->object);
    l->next_free = o->free_lock;
    o->free_lock = at;
}

static bool signal_lock(struct openmp *o, u32 thread, u64 now)
{
    struct openmp_thread *t = &o->threads[thread];
    struct openmp_lock *l = lock_of(o, t, t->object);
    if (!l || l->owner != thread) {
        FAIL(o, thread,
             "thread %u signals lock 0x%" PRIx64 " at its event %" PRIu64
             ", expected a wait for it before",
             number_of(t, thread), t->object, t->event_number);
        return false;
    }
    if (--l->depth == 0)
        give_up(o, l, t->object, now);
    return true;
}

/* ---- regions -------------------------------------------------------------------------------- */

static bool is_outermost(const struct openmp_thread *t)
{
    return t->depth == 1;
}

/* Thread 0 opens a region; it can do so because it has closed the last one. */
static bool can_start(const struct openmp *o, u32 thread)
{
    const struct openmp_thread *t = &o->threads[thread];
    return t->depth || thread == t->first || o->threads[t->first].regions > t->regions;
}

static void start_region(struct openmp_thread *t)
{
    if (t->depth++)
        return;
    t->regions++;
    t->counts.regions++;
    t->barriers = 0;
}

/* Has a thread come to the barrier, or will it never? */
static bool has_reached(const struct openmp_thread *k, u64 region, u64 barrier)
{
    return k->state == ABSENT || k->state == ENDED ||
           (k->regions == region && k->left < region && k->barriers >= barrier);
}

static bool can_pass_barrier(const struct openmp *o, u32 thread)
{
    const struct openmp_thread *t = &o->threads[thread];
    if (!is_outermost(t)) /* of one thread */
        return true;
    for (u32 i = t->first; i < t->first + t->count; i++) {
        if (!has_reached(&o->threads[i], t->regions, t->barriers))
            return false;
    }
    return true;
}

static bool has_left(const struct openmp_thread *k, u64 region)
{
    return k->state == ABSENT || k->state == ENDED || k->left >= region;
}

static bool can_end(const struct openmp *o, u32 thread)
{
    const struct openmp_thread *t = &o->threads[thread];
    if (!is_outermost(t) || thread != t->first)
        return true;
    for (u32 i = t->first + 1; i < t->first + t->count; i++) {
        if (!has_left(&o->threads[i], t->regions))
            return false;
    }
    return true;
}

static void end_region(struct openmp_thread *t)
{
    if (--t->depth == 0)
        t->left = t->regions;
}

/* ---- the check ------------------------------------------------------------------------------ */

/* Asked again of every thread that goes on, apart from the decision: barriers that all threads of
 * the region have reached since it began, regions that all have left. */
static void check_pass(struct openmp *o, u32 thread)
{
    struct openmp_thread *t = &o->threads[thread];
    if (!is_outermost(t) || (t->event == CPU_PARALLEL_END && thread != t->first))
        return;
    u64 late = 0;
    for (u32 i = t->first; i < t->first + t->count; i++) {
        const struct openmp_thread *k = &o->threads[i];
        if (i == thread || k->state == ABSENT || k->state == ENDED)
            continue;
        late += t->event == CPU_BARRIER ? k->regions < t->regions || (k->regions == t->regions &&
                                                                      k->barriers < t->barriers)
                                        : k->regions < t->regions || k->depth > 0;
    }
    t->counts.early_passes += late != 0;
}

/* ---- asking --------------------------------------------------------------------------------- */

void openmp_ask(struct openmp *o, u32 thread, const struct cpu_instruction *event, u64 now)
{
    struct openmp_thread *t = &o->threads[thread];
    t->state = ASKS;
    t->event = event->event;
    t->object = event->target;
    t->asked = now;
    t->event_number++;
    t->counts.events[event->event]++;
    o->asking |= (u64)1 << thread;
    o->hooks.ring(o->hooks.context);
}

void openmp_account(struct openmp *o, u32 thread, u64 cycles, u64 instructions)
{
    struct openmp_thread *t = &o->threads[thread];
    *(t->depth ? &t->counts.parallel_cycles : &t->counts.serial_cycles) +=
        cycles - t->cycles_before;
    *(t->depth ? &t->counts.parallel_instructions : &t->counts.serial_instructions) +=
        instructions - t->instructions_before;
    t->cycles_before = cycles;
    t->instructions_before = instructions;
}

void openmp_end(struct openmp *o, u32 thread, u64 now)
{
    struct openmp_thread *t = &o->threads[thread];
    if (t->state == ABSENT)
        return;
    t->state = ENDS;
    t->asked = now;
    o->ending |= (u64)1 << thread;
    t->counts.cut += t->depth > 0;
    if (t->locks_held && !t->depth)
        FAIL(o, thread,
             "thread %u ends after %" PRIu64
             " event%s while holding a lock, expected a signal for each wait",
             number_of(t, thread), t->event_number, t->event_number == 1 ? "" : "s");
    o->hooks.ring(o->hooks.context);
}

void openmp_drop(struct openmp *o, u32 thread)
{
    u64 bit = (u64)1 << thread;
    o->threads[thread].state = ABSENT;
    o->asking &= ~bit;
    o->waiting &= ~bit;
    o->ending &= ~bit;
}

/* ---- deciding ------------------------------------------------------------------------------- */

/* Can it go on? What the event changes is changed then. */
static bool try_event(struct openmp *o, u32 thread, u64 now)
{
    struct openmp_thread *t = &o->threads[thread];
    switch ((enum cpu_event)t->event) {
    case CPU_PARALLEL_START:
        if (!can_start(o, thread))
            return false;
        start_region(t);
        return true;
    case CPU_PARALLEL_END:
        if (!t->depth) {
            FAIL(o, thread,
                 "thread %u ends a parallel region at its event %" PRIu64
                 ", expected a start of one before",
                 number_of(t, thread), t->event_number);
            return false;
        }
        if (!can_end(o, thread))
            return false;
        check_pass(o, thread);
        end_region(t);
        return true;
    case CPU_BARRIER:
        if (!can_pass_barrier(o, thread))
            return false;
        check_pass(o, thread);
        return true;
    case CPU_WAIT:
        return ask_for_lock(o, thread);
    case CPU_SIGNAL:
        return signal_lock(o, thread, now);
    default:
        return true;
    }
}

static u32 first_of(u64 set)
{
    return (u32)__builtin_ctzll(set);
}

static void answer(struct openmp *o, u32 thread, u64 now)
{
    u64 bit = (u64)1 << thread;
    if (o->threads[thread].asked >= now) /* in this cycle: it has an answer in the next */
        return;
    o->asking &= ~bit;
    if (o->threads[thread].event == CPU_BARRIER && is_outermost(&o->threads[thread]))
        o->threads[thread].barriers++;
    if (try_event(o, thread, now)) {
        go_on(o, thread, now);
        return;
    }
    o->threads[thread].state = WAITS;
    o->waiting |= bit;
}

/* Those that wait for others of their region, as long as one of them can go on. A lock is handed
 * over by whoever gives it up. */
static void answer_waiting(struct openmp *o, u64 now)
{
    bool again = true;
    while (again && o->err.kind == ERR_NONE) {
        again = false;
        for (u64 left = o->waiting; left; left &= left - 1) {
            u32 thread = first_of(left);
            if (o->threads[thread].event == CPU_WAIT || !try_event(o, thread, now))
                continue;
            go_on(o, thread, now);
            again = true;
        }
    }
}

/* ---- nobody can go on ----------------------------------------------------------------------- */

static void say_lock(struct openmp *o, u32 thread)
{
    const struct openmp_thread *t = &o->threads[thread];
    const struct openmp_lock *l = lock_of(o, t, t->object);
    const struct openmp_thread *owner = &o->threads[l->owner];
    FAIL(o, thread,
         "thread %u waits for lock 0x%" PRIx64 " at its event %" PRIu64
         ", expected a signal of thread %u, which has it and %s",
         number_of(t, thread), t->object, t->event_number, number_of(owner, l->owner),
         owner->state == ENDED ? "has ended" : "waits itself");
}

static void say_barrier(struct openmp *o, u32 thread)
{
    const struct openmp_thread *t = &o->threads[thread];
    for (u32 i = t->first; i < t->first + t->count; i++) {
        const struct openmp_thread *k = &o->threads[i];
        if (has_reached(k, t->regions, t->barriers))
            continue;
        FAIL(o, thread,
             "thread %u waits at barrier %" PRIu64 " of parallel region %" PRIu64
             " (its event %" PRIu64 "), expected thread %u there, which %s after %" PRIu64
             " barriers of its region %" PRIu64,
             number_of(t, thread), t->barriers, t->regions, t->event_number, number_of(k, i),
             k->left == k->regions ? "is outside" : "waits", k->barriers, k->regions);
        return;
    }
}

static void say_region(struct openmp *o, u32 thread)
{
    const struct openmp_thread *t = &o->threads[thread];
    if (t->event == CPU_PARALLEL_END)
        FAIL(o, thread,
             "thread %u waits at the end of parallel region %" PRIu64 " (its event %" PRIu64
             "), expected all other threads to leave it",
             number_of(t, thread), t->regions, t->event_number);
    else
        FAIL(o, thread,
             "thread %u waits to begin parallel region %" PRIu64 " (its event %" PRIu64
             "), expected thread 0 to start it",
             number_of(t, thread), t->regions + 1, t->event_number);
}

/* Those that wait for a lock or at a barrier say most; the others wait for them. */
static void say_stuck(struct openmp *o, u32 first, u32 count)
{
    static const u8 order[] = {CPU_WAIT, CPU_BARRIER, CPU_PARALLEL_START, CPU_PARALLEL_END};
    for (u32 k = 0; k < ARRAY_LEN(order); k++) {
        for (u32 i = first; i < first + count; i++) {
            if (o->threads[i].state != WAITS || o->threads[i].event != order[k])
                continue;
            if (order[k] == CPU_WAIT)
                say_lock(o, i);
            else if (order[k] == CPU_BARRIER)
                say_barrier(o, i);
            else
                say_region(o, i);
            return;
        }
    }
}

static void find_stuck(struct openmp *o)
{
    for (u32 i = 0; i < OPENMP_THREADS && o->err.kind == ERR_NONE;) {
        const struct openmp_thread *t = &o->threads[i];
        u32 count = t->state == ABSENT || !t->count ? 1 : t->count, waits = 0, others = 0;
        for (u32 k = i; k < i + count; k++) {
            waits += o->threads[k].state == WAITS;
            others += o->threads[k].state == RUNS || o->threads[k].state == ASKS ||
                      o->threads[k].state == ENDS;
        }
        if (waits && !others)
            say_stuck(o, i, count);
        i += count;
    }
}

/* A trace that was cut has no signals for the locks of its thread. */
static void give_up_cut(struct openmp *o, u64 now)
{
    for (u32 i = 0; o->cut && i < OPENMP_LOCKS; i++) {
        struct openmp_lock *l = &o->locks[i];
        if (!l->depth || !(o->cut >> l->owner & 1))
            continue;
        l->depth = 0;
        give_up(o, l, l->object ^ (u64)o->threads[l->owner].first << 56, now);
    }
    o->cut = 0;
}

static void end_threads(struct openmp *o, u64 now)
{
    for (u64 left = o->ending; left; left &= left - 1) {
        struct openmp_thread *t = &o->threads[first_of(left)];
        u64 bit = left & -left;
        if (t->asked >= now)
            continue;
        t->state = ENDED;
        o->ending &= ~bit;
        o->cut |= t->locks_held && t->depth ? bit : 0;
    }
    give_up_cut(o, now);
}

void openmp_decide(struct openmp *o, u64 now)
{
    end_threads(o, now);
    for (u64 left = o->asking; left && o->err.kind == ERR_NONE; left &= left - 1)
        answer(o, first_of(left), now);
    answer_waiting(o, now);
    if (o->waiting)
        find_stuck(o);
}
