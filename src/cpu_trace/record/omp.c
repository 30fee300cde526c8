#include "cpu_trace/record/omp.h"

#include "cpu_trace/instruction.h"

#include <string.h>

/* The first row that a name begins with. */
static const struct {
    const char *word;
    enum omp_entry entry;
} rows[] = {
    {"GOMP_parallel_start", OMP_START},
    {"GOMP_parallel_loop_static_start", OMP_START},
    {"GOMP_parallel_end", OMP_END},
    {"GOMP_parallel", OMP_PARALLEL},
    {"GOMP_teams_reg", OMP_PARALLEL},
    {"GOMP_barrier", OMP_BARRIER},
    {"GOMP_loop_end_nowait", OMP_OTHER},
    {"GOMP_loop_end", OMP_BARRIER},
    {"GOMP_sections_end_nowait", OMP_OTHER},
    {"GOMP_sections_end", OMP_BARRIER},
    {"GOMP_single_copy_start", OMP_BARRIER},
    {"GOMP_workshare_task_reduction_unregister", OMP_BARRIER},
    {"GOMP_critical_start", OMP_WAIT},
    {"GOMP_critical_name_start", OMP_WAIT},
    {"GOMP_critical_end", OMP_SIGNAL},
    {"GOMP_critical_name_end", OMP_SIGNAL},
    {"GOMP_atomic_start", OMP_WAIT},
    {"GOMP_atomic_end", OMP_SIGNAL},
    {"GOMP_ordered_start", OMP_WAIT},
    {"GOMP_ordered_end", OMP_SIGNAL},
    {"omp_set_lock", OMP_WAIT},
    {"omp_set_nest_lock", OMP_WAIT},
    {"omp_unset_lock", OMP_SIGNAL},
    {"omp_unset_nest_lock", OMP_SIGNAL},
    {"GOMP_taskwait", OMP_TASKS},
    {"GOMP_taskgroup_end", OMP_TASKS},
    {"gomp_thread_start", OMP_WORKER},
};

static enum omp_entry entry_of(const char *name)
{
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        if (strncmp(name, rows[i].word, strlen(rows[i].word)) == 0)
            return rows[i].entry;
    }
    return OMP_OTHER;
}

/* ---- where it is ---- */

static bool is_of_runtime(const char *name)
{
    return strncmp(name, "GOMP_", 5) == 0 || strncmp(name, "gomp_", 5) == 0 ||
           strncmp(name, "omp_", 4) == 0;
}

void omp_add_map(struct omp_code *c, const struct guest_map *map, bool is_program,
                 struct arena *arena)
{
    const char *slash = strrchr(map->file, '/');
    bool is_library = slash && strncmp(slash + 1, "libgomp.so", 10) == 0;
    if (!is_library && !is_program)
        return;
    struct function *found = NULL;
    u32 count = symbols_read(map, is_of_runtime, &found, arena);
    if (!count)
        return;
    struct function *all = ARENA_ARRAY(arena, struct function, c->function_count + count);
    if (c->function_count)
        memcpy(all, c->functions, c->function_count * sizeof *all);
    memcpy(all + c->function_count, found, count * sizeof *all);
    c->functions = all;
    c->function_count += count;
    c->is_anywhere = true;
    if (is_library) {
        c->begin = c->end ? min_u64(c->begin, map->begin) : map->begin;
        c->end = max_u64(c->end, map->end);
    }
}

bool omp_find(const struct omp_code *c, u64 pc, enum omp_entry *entry)
{
    bool is_inside = pc >= c->begin && pc < c->end;
    *entry = is_inside ? OMP_WORKER : OMP_OTHER; /* a library that exports no name for it */
    for (u32 i = 0; i < c->function_count; i++) {
        const struct function *f = &c->functions[i];
        if (pc == f->begin) {
            *entry = entry_of(f->name);
            return true;
        }
        is_inside |= pc > f->begin && pc < f->end;
    }
    return is_inside;
}

/* ---- what a thread does ---- */

enum omp_frame_kind {
    FRAME_ENTRY,  /* the runtime was called */
    FRAME_REGION, /* it called the program */
    FRAME_CALL,   /* it called another library */
};

static void say(struct omp_step *s, u8 event, u64 object)
{
    if (s->event_count == OMP_EVENTS)
        return;
    s->events[s->event_count].event = event;
    s->events[s->event_count++].object = object;
}

static void push(struct omp_thread *t, u8 kind, u8 entry)
{
    if (t->depth < OMP_DEPTH)
        t->frames[t->depth++] = (struct omp_frame){kind, entry, t->calls};
}

static const struct omp_frame *top(const struct omp_thread *t)
{
    return t->depth ? &t->frames[t->depth - 1] : NULL;
}

static void say_lock(struct omp_thread *t, u64 object, struct omp_step *s)
{
    if (t->awaits)
        say(s, t->awaits == OMP_WAIT ? CPU_WAIT : CPU_SIGNAL, object);
    t->awaits = OMP_OTHER;
}

static void pop(struct omp_thread *t, struct omp_step *s)
{
    const struct omp_frame *f = top(t);
    if (f->kind == FRAME_ENTRY)
        say_lock(t, 0, s);
    if ((f->kind == FRAME_ENTRY && f->entry == OMP_PARALLEL) ||
        (f->kind == FRAME_REGION && f->entry == OMP_WORKER))
        say(s, CPU_PARALLEL_END, 0);
    t->depth--;
}

/* What the last instruction did to the stack. */
static void follow_calls(struct omp_thread *t, struct omp_step *s)
{
    if (t->last_branch == CPU_CALL || t->last_branch == CPU_INDIRECT_CALL)
        t->calls++;
    if (t->last_branch != CPU_RETURN)
        return;
    t->calls--;
    while (t->depth && top(t)->calls > t->calls)
        pop(t, s);
}

static void enter(struct omp_thread *t, enum omp_entry entry, struct omp_step *s)
{
    push(t, FRAME_ENTRY, (u8)entry);
    if (entry == OMP_PARALLEL || entry == OMP_START)
        say(s, CPU_PARALLEL_START, 0);
    else if (entry == OMP_END)
        say(s, CPU_PARALLEL_END, 0);
    else if (entry == OMP_BARRIER)
        say(s, CPU_BARRIER, 0);
    else if (entry == OMP_WAIT || entry == OMP_SIGNAL)
        t->awaits = (u8)entry;
}

static void leave(struct omp_thread *t, struct omp_step *s)
{
    const struct omp_frame *f = top(t);
    u8 entry = f ? f->entry : (u8)OMP_OTHER;
    bool is_region = t->last_branch == CPU_INDIRECT_CALL;
    if (is_region && entry == OMP_WORKER)
        say(s, CPU_PARALLEL_START, 0);
    push(t, is_region ? FRAME_REGION : FRAME_CALL, entry);
}

/* A worker whose beginning was not recorded is in the runtime: it waits for work there. */
static void find_worker(struct omp_thread *t, struct omp_step *s)
{
    if (!t->is_worker || t->depth)
        return;
    if (t->has_begun)
        say(s, CPU_PARALLEL_END, 0);
    push(t, FRAME_ENTRY, OMP_WORKER);
}

struct omp_step omp_step(struct omp_thread *t, const struct cpu_instruction *i, bool is_inside,
                         enum omp_entry entry, bool is_atomic)
{
    struct omp_step s = {0};
    follow_calls(t, &s);
    bool has_returned = t->last_branch == CPU_RETURN || !t->has_begun;
    if (is_inside && has_returned)
        find_worker(t, &s);
    else if (is_inside && !t->is_inside)
        enter(t, entry, &s);
    else if (!is_inside && t->is_inside && !has_returned)
        leave(t, &s);
    if (is_atomic && (i->write_count || i->read_count))
        say_lock(t, i->write_count ? i->write[0] : i->read[0], &s);
    const struct omp_frame *f = is_inside ? top(t) : NULL;
    s.is_cut = f && f->entry != OMP_OTHER;
    t->is_inside = is_inside;
    t->has_begun = true;
    t->last_branch = i->branch;
    return s;
}
