#include "ptx/lower/schedule.h"

#include "ptx/parse/module.h"

#include <string.h>

/* Loads whose value is waited for, at most: listings of ptxas have 12 to 19 of them ahead of
 * the first use, whatever a thread's registers. */
#define MOST_LOADS 16u

/* Cycles until a result can be used, by unit. What ptxas takes is not known; only the order of
 * sizes matters here. */
static const u16 latencies[UNIT_COUNT] = {
    [UNIT_INT] = 5,  [UNIT_FP32] = 4,    [UNIT_FP64] = 8,    [UNIT_FP16] = 5,
    [UNIT_SFU] = 18, [UNIT_TENSOR] = 18, [UNIT_MEMORY] = 30, [UNIT_BRANCH] = 1,
};
#define GLOBAL_LATENCY 300u

/* How far in the text what is no load may be ahead of the first that has not been issued. */
#define MOST_AHEAD 48u

#define FIRST_EDGES 1024u

/* Cycles between two instructions of a warp that a unit takes. */
static const u8 intervals[UNIT_COUNT] = {
    [UNIT_INT] = 1, [UNIT_FP32] = 1,   [UNIT_FP64] = 2,   [UNIT_FP16] = 1,
    [UNIT_SFU] = 8, [UNIT_TENSOR] = 8, [UNIT_MEMORY] = 1, [UNIT_BRANCH] = 1,
};

struct edge {
    u32 from, to;
    u32 next_from, next_to; /* of the same item's edges; 0: none */
    u16 latency;
    bool is_value; /* `to` reads what `from` makes */
};

struct scheduling {
    const struct schedule_item *items;
    u32 count;
    struct arena *scratch;
    struct edge *edges;
    u32 edge_count, edge_room;
    u32 *from, *to; /* of each item's edges the first; 0: none */
    u32 *before;    /* items that must be issued first */
    u32 *readers;   /* of a load, that have not been issued */
    u32 *height;    /* cycles from its issue to the end */
    u32 *earliest;
    u32 unit_free[UNIT_COUNT];
    bool *issued;
    u32 loads; /* under way */
    const struct schedule_registers *regs;
    u32 *reads; /* by register: items that have still to read it */
    bool *held; /* by register: it holds a value */
    u32 live;   /* registers of 32 bits that do */
};

#define GUARD_LATENCY 13u /* of a comparison: what ptxas leaves before whoever it guards */

static u32 latency_of(const struct instruction *i)
{
    if (i->cost == COST_COMPARE)
        return GUARD_LATENCY;
    bool far = i->kind == WINST_LOAD && i->space != SPACE_SHARED && i->space != SPACE_CONST &&
               i->space != SPACE_PARAM;
    return far || i->kind == WINST_TEXTURE ? GLOBAL_LATENCY : latencies[i->unit];
}

static bool is_load(const struct schedule_item *item)
{
    const struct instruction *i = item->instruction;
    return i->kind == WINST_TEXTURE ||
           (i->kind == WINST_LOAD && i->space != SPACE_CONST && i->space != SPACE_PARAM);
}

/* ---- who must come first -------------------------------------------------------------------- */

static void add_edge(struct scheduling *s, u32 from, u32 to, u32 latency, bool is_value)
{
    if (from == to)
        return;
    if (s->edge_count == s->edge_room) {
        struct edge *more = ARENA_ARRAY(s->scratch, struct edge, 2 * s->edge_room);
        memcpy(more, s->edges, s->edge_count * sizeof *more);
        s->edges = more;
        s->edge_room *= 2;
    }
    s->edges[s->edge_count] =
        (struct edge){from, to, s->from[from], s->to[to], (u16)latency, is_value};
    s->from[from] = s->to[to] = s->edge_count++;
    s->before[to]++;
    s->readers[from] += is_value;
}

struct reader {
    u32 item, next;
};

/* Registers: a value before its readers, readers before the next value. */
static void order_registers(struct scheduling *s, u32 registers)
{
    u32 total = 1;
    for (u32 i = 0; i < s->count; i++)
        total += s->items[i].instruction->src_count;
    u32 *writer = ARENA_ARRAY(s->scratch, u32, registers + 1); /* item + 1 */
    u32 *reading = ARENA_ARRAY(s->scratch, u32, registers + 1);
    struct reader *readers = ARENA_ARRAY(s->scratch, struct reader, total);
    u32 count = 1;
    for (u32 i = 0; i < s->count; i++) {
        const struct instruction *x = s->items[i].instruction;
        for (u32 k = x->dst_count; k < (u32)x->dst_count + x->src_count; k++) {
            u32 r = x->regs[k], from = writer[r] - 1;
            if (writer[r])
                add_edge(s, from, i, latency_of(s->items[from].instruction), true);
            readers[count] = (struct reader){i, reading[r]};
            reading[r] = count++;
        }
        for (u32 k = 0; k < x->dst_count; k++) {
            u32 r = x->regs[k];
            if (writer[r])
                add_edge(s, writer[r] - 1, i, 1, false);
            for (u32 e = reading[r]; e; e = readers[e].next)
                add_edge(s, readers[e].item, i, 0, false);
            writer[r] = i + 1;
            reading[r] = 0;
        }
    }
}

static bool may_meet(const struct schedule_access *a, const struct schedule_access *b)
{
    bool generic = a->space == SPACE_GENERIC || b->space == SPACE_GENERIC;
    if ((a->space != b->space && !generic) || a->is_constant || b->is_constant)
        return false;
    if (a->base_kind == OPERAND_SYMBOL && b->base_kind == OPERAND_SYMBOL && a->base != b->base)
        return false;
    bool same =
        a->base_kind == b->base_kind && a->base == b->base && a->base_version == b->base_version;
    return !same || (a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes);
}

static void order_memory(struct scheduling *s)
{
    for (u32 i = 0; i < s->count; i++) {
        const struct schedule_access *a = &s->items[i].access;
        for (u32 k = i + 1; a->is_there && k < s->count; k++) {
            const struct schedule_access *b = &s->items[k].access;
            if (b->is_there && (a->writes || b->writes) && may_meet(a, b))
                add_edge(s, i, k, 1, false);
        }
    }
}

static void order_ends(struct scheduling *s)
{
    for (u32 i = 0; i < s->count; i++) {
        for (u32 k = i + 1; k < s->count; k++) {
            if (s->items[i].is_first || s->items[k].is_last)
                add_edge(s, i, k, 0, false);
        }
    }
}

/* Edges lead forward in the text. */
static void find_heights(struct scheduling *s)
{
    for (u32 i = s->count; i-- > 0;) {
        u32 most = latency_of(s->items[i].instruction);
        for (u32 e = s->from[i]; e; e = s->edges[e].next_from) {
            u32 height = s->edges[e].latency + s->height[s->edges[e].to];
            most = height > most ? height : most;
        }
        s->height[i] = most;
    }
}

/* ---- one after the other ----------------------------------------------------------------------
 */

static u32 start_of(const struct scheduling *s, u32 i, u32 time)
{
    u32 unit = s->unit_free[s->items[i].instruction->unit];
    return (u32)max_u64(time, max_u64(s->earliest[i], unit));
}

/* Is a a better choice than b at this time? Who can go now by how much hangs on it, else who
 * can go first. */
static bool is_better(const struct scheduling *s, u32 a, u32 b, u32 time)
{
    u32 start_a = start_of(s, a, time), start_b = start_of(s, b, time);
    if (start_a != start_b)
        return start_a < start_b;
    return s->height[a] > s->height[b];
}

/* ---- registers ------------------------------------------------------------------------------- */

static void count_reads(struct scheduling *s)
{
    s->reads = ARENA_ARRAY(s->scratch, u32, s->regs->count + 1);
    s->held = ARENA_ARRAY(s->scratch, bool, s->regs->count + 1);
    for (u32 i = 0; i < s->count; i++) {
        const struct instruction *x = s->items[i].instruction;
        for (u32 k = x->dst_count; k < (u32)x->dst_count + x->src_count; k++)
            s->reads[x->regs[k]]++;
    }
    for (u32 r = 0; r < s->regs->count; r++) {
        s->held[r] = s->regs->live_in[r];
        s->live += s->held[r] ? s->regs->weight[r] : 0;
    }
}

/* Registers that an item frees: it is the last to read them. */
static u32 freed_by(const struct scheduling *s, const struct instruction *x)
{
    u32 freed = 0;
    for (u32 k = x->dst_count; k < (u32)x->dst_count + x->src_count; k++) {
        u32 r = x->regs[k];
        if (s->reads[r] == 1 && s->held[r] && !s->regs->live_out[r])
            freed += s->regs->weight[r];
    }
    return freed;
}

static u32 taken_by(const struct scheduling *s, const struct instruction *x)
{
    u32 taken = 0;
    for (u32 k = 0; k < x->dst_count; k++)
        taken += s->held[x->regs[k]] ? 0 : s->regs->weight[x->regs[k]];
    return taken;
}

static void use_registers(struct scheduling *s, const struct instruction *x)
{
    s->live += taken_by(s, x);
    s->live -= freed_by(s, x);
    for (u32 k = x->dst_count; k < (u32)x->dst_count + x->src_count; k++) {
        u32 r = x->regs[k];
        s->held[r] = s->held[r] && (--s->reads[r] || s->regs->live_out[r]);
    }
    for (u32 k = 0; k < x->dst_count; k++)
        s->held[x->regs[k]] = true;
}

/* Would there be too many values? */
static bool is_held_back(const struct scheduling *s, u32 i)
{
    const struct instruction *x = s->items[i].instruction;
    u32 taken = taken_by(s, x), freed = freed_by(s, x);
    return taken > freed && s->live + taken - freed > s->regs->limit;
}

static u32 choose(const struct scheduling *s, u32 first, u32 time)
{
    u32 best = s->count, best_load = s->count;
    for (u32 i = first; i < s->count; i++) {
        if (s->issued[i] || s->before[i])
            continue;
        bool held = (s->loads >= MOST_LOADS && is_load(&s->items[i])) || is_held_back(s, i) ||
                    (i > first + MOST_AHEAD && !is_load(&s->items[i]));
        u32 *mine = held ? &best_load : &best;
        if (*mine == s->count || (!held && is_better(s, i, *mine, time)))
            *mine = i;
    }
    return best < s->count ? best : best_load;
}

static void release(struct scheduling *s, u32 chosen, u32 time)
{
    u32 unit = s->items[chosen].instruction->unit;
    s->issued[chosen] = true;
    use_registers(s, s->items[chosen].instruction);
    s->unit_free[unit] = time + intervals[unit];
    if (is_load(&s->items[chosen]) && s->readers[chosen])
        s->loads++;
    for (u32 e = s->to[chosen]; e; e = s->edges[e].next_to) {
        const struct edge *edge = &s->edges[e];
        if (edge->is_value && --s->readers[edge->from] == 0 && is_load(&s->items[edge->from]))
            s->loads--;
    }
    for (u32 e = s->from[chosen]; e; e = s->edges[e].next_from) {
        const struct edge *edge = &s->edges[e];
        u32 earliest = time + edge->latency;
        s->before[edge->to]--;
        if (earliest > s->earliest[edge->to])
            s->earliest[edge->to] = earliest;
    }
}

u32 schedule(const struct schedule_item *items, u32 count, const struct schedule_registers *regs,
             u32 *order, struct arena *scratch)
{
    struct scheduling s = {.items = items, .count = count, .scratch = scratch, .regs = regs};
    s.edges = ARENA_ARRAY(scratch, struct edge, FIRST_EDGES);
    s.edge_room = FIRST_EDGES;
    s.edge_count = 1; /* number 0 is none */
    s.from = ARENA_ARRAY(scratch, u32, count + 1);
    s.to = ARENA_ARRAY(scratch, u32, count + 1);
    s.before = ARENA_ARRAY(scratch, u32, count + 1);
    s.readers = ARENA_ARRAY(scratch, u32, count + 1);
    s.height = ARENA_ARRAY(scratch, u32, count + 1);
    s.earliest = ARENA_ARRAY(scratch, u32, count + 1);
    s.issued = ARENA_ARRAY(scratch, bool, count + 1);
    order_registers(&s, regs->count);
    order_memory(&s);
    order_ends(&s);
    find_heights(&s);
    count_reads(&s);
    u32 time = 0, first = 0, most = s.live;
    for (u32 k = 0; k < count; k++) {
        while (first < count && s.issued[first])
            first++;
        u32 i = choose(&s, first, time);
        time = start_of(&s, i, time);
        order[k] = i;
        release(&s, i, time);
        most = s.live > most ? s.live : most;
        time++;
    }
    return most;
}
