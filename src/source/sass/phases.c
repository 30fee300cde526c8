#include "source/sass/phases.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

#define ALL_WARPS 0xffu

void trace_phases_init(struct trace_phases *p, struct arena *arena, u32 warps)
{
    *p = (struct trace_phases){.warps = ARENA_ARRAY(arena, struct phase_warp, warps)};
}

void trace_phases_fini(struct trace_phases *p)
{
    map_fini(&p->index);
    free(p->uses);
    p->uses = NULL;
}

/* Made when it is new. */
static u32 index_of(struct trace_phases *p, u64 barrier, u32 warp)
{
    u64 key = barrier << 8 | warp, index;
    if (map_get(&p->index, key, &index))
        return (u32)index;
    if (p->count == p->room) {
        p->room = p->room ? p->room * 2 : 64;
        p->uses = xrealloc(p->uses, p->room * sizeof *p->uses);
    }
    p->uses[p->count] = (struct phase_use){0};
    map_put(&p->index, key, p->count);
    return p->count++;
}

/* Until the next one is made. */
static struct phase_use *use_of(struct trace_phases *p, u64 barrier, u32 warp)
{
    u32 index = index_of(p, barrier, warp);
    return &p->uses[index];
}

/* The first look of a wait? */
static bool begins_wait(struct trace_phases *p, u32 warp, u64 barrier)
{
    bool begins = p->warps[warp].looked_at != barrier;
    p->warps[warp].looked_at = barrier;
    return begins;
}

static void find_of_warp(struct trace_phases *p, const struct trace_block *b, u32 warp,
                         const struct trace_program *program)
{
    const struct warp_records *w = &b->warps[warp];
    for (u32 i = w->first; i < w->first + w->count; i++) {
        const struct trace_record *r = &b->records[i];
        const struct trace_instruction *t = program->instructions[r->instruction];
        u64 barrier = t->part == TRACE_OTHER || r->payload == PAYLOAD_NONE
                          ? 0
                          : trace_barrier(b->addresses.data[r->first_address]);
        if (t->part == TRACE_LOOK && barrier) {
            if (begins_wait(p, warp, barrier))
                use_of(p, barrier, warp)->waits++;
            continue;
        }
        if (t->part != TRACE_OTHER)
            trace_phases_work(p, warp);
        if (t->part == TRACE_COPY && barrier) {
            use_of(p, barrier, warp)->copies++;
            use_of(p, barrier, ALL_WARPS)->copies++;
        }
    }
    trace_phases_work(p, warp);
}

void trace_phases_find(struct trace_phases *p, const struct trace_block *b,
                       const struct trace_program *program)
{
    map_fini(&p->index);
    p->index = (struct map){0};
    p->count = 0;
    for (u32 w = 0; w < b->warp_count; w++)
        find_of_warp(p, b, w, program);
}

bool trace_phases_look(struct trace_phases *p, u32 warp, u64 barrier)
{
    u32 own = index_of(p, barrier, warp), all = index_of(p, barrier, ALL_WARPS);
    struct phase_use *u = &p->uses[own];
    if (begins_wait(p, warp, barrier))
        u->waited++;
    u64 needed = u->waits ? (u64)u->waited * p->uses[all].copies / u->waits : 0;
    if (u->copies && needed > u->issued)
        needed = u->issued;
    return p->uses[all].issued >= needed;
}

u32 trace_phases_copy(struct trace_phases *p, u32 warp, u64 barrier)
{
    trace_phases_work(p, warp);
    use_of(p, barrier, warp)->issued++;
    return index_of(p, barrier, ALL_WARPS);
}

void trace_phases_arrived(struct trace_phases *p, u32 token)
{
    p->uses[token].issued++;
}
