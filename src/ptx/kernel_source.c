#include "ptx/kernel_source.h"

#include "ptx/exec/block.h"
#include "ptx/exec/cluster.h"
#include "ptx/exec/describe.h"
#include "ptx/decode/function.h"
#include "ptx/decode/live_registers.h"
#include "ptx/decode/modifiers.h"
#include "ptx/exec/reconvergence.h"
#include "ptx/exec/signature.h"
#include "ptx/exec/step.h"
#include "ptx/exec/stretch.h"
#include "ptx/exec/transfer.h"
#include "ptx/exec/window.h"
#include "device/kernel_regions.h"

#include <stdlib.h>

/* What an SM has of its own. A block that begins there takes the state of one that has ended there:
 * what it finds in memory that it has not written depends on nothing but its SM. */
struct sm_part {
    struct executor executor;
    struct transfer_record transfer;
    struct block **idle;
    u32 idle_count, idle_room;
    void (*call)(void *context, const void *block, enum cluster_event event, cycle_t now);
    void *call_context;
};

/* A cluster of which some block has begun and some has not ended. */
struct live_cluster {
    struct cluster cluster; /* first */
    u64 number;
    struct live_cluster *next;
};

struct ptx_source {
    struct grid grid;     /* first: see call_others */
    struct sm_part **sms; /* by number; NULL: none of its blocks was there yet */
    u32 sm_count;
    struct block **blocks; /* all that were ever made */
    u32 block_count, room;
    struct live_cluster *clusters, *spare_clusters;
    bool lowered;
    struct signature_collector *collectors; /* by SM; count 0: nobody asks */
    u32 collector_count;
    struct region_list regions;
};

struct ptx_source *ptx_source_open(const struct launch *l, struct err *err)
{
    struct ptx_source *s = xrealloc(NULL, sizeof *s);
    *s = (struct ptx_source){0};
    if (!grid_open(&s->grid, l, err)) {
        free(s);
        return NULL;
    }
    regions_find(l->memory, l->params, kernel_info(l->kernel)->param_bytes, &s->regions);
    return s;
}

static void free_clusters(struct live_cluster *c)
{
    while (c) {
        struct live_cluster *next = c->next;
        free(c);
        c = next;
    }
}

void ptx_source_close(struct ptx_source *s)
{
    if (!s)
        return;
    for (u32 i = 0; i < s->block_count; i++) {
        block_destroy(s->blocks[i]);
    }
    free(s->blocks);
    for (u32 i = 0; i < s->sm_count; i++) {
        if (s->sms[i]) {
            free(s->sms[i]->idle);
            free(s->sms[i]->transfer.lines);
        }
        free(s->sms[i]);
    }
    free(s->sms);
    free_clusters(s->clusters);
    free_clusters(s->spare_clusters);
    grid_close(&s->grid);
    free(s);
}

void ptx_source_lower(struct ptx_source *s)
{
    program_lower(s->grid.launch->kernel->program);
    s->lowered = true;
}

void ptx_source_observe(struct ptx_source *s, struct signature_collector *by_sm, u32 count)
{
    s->collectors = by_sm;
    s->collector_count = count;
    for (u32 i = 0; i < count; i++) /* of an SM that gets no block */
        by_sm[i].program = NULL;
}

static void observe(struct ptx_source *s, struct executor *e, struct signature_collector *c)
{
    collector_begin(c, s->grid.program);
    e->signature = c;
    e->is_observed = true;
}

static struct sm_part *part_of(struct ptx_source *s, const struct sm_place *at)
{
    u32 sm = at->sm;
    if (sm >= s->sm_count) {
        s->sms = xrealloc(s->sms, (sm + 1) * sizeof(struct sm_part *));
        while (s->sm_count <= sm)
            s->sms[s->sm_count++] = NULL;
    }
    if (!s->sms[sm]) {
        s->sms[sm] = xrealloc(NULL, sizeof(struct sm_part));
        *s->sms[sm] = (struct sm_part){0};
        executor_init(&s->sms[sm]->executor, at->clock, at->log);
        s->sms[sm]->executor.watch = at->watch;
        s->sms[sm]->executor.keeps_registers = at->reads_registers;
        s->grid.keeps_registers |= at->reads_registers;
        s->sms[sm]->executor.is_observed = at->watch != NULL;
        if (sm < s->collector_count)
            observe(s, &s->sms[sm]->executor, &s->collectors[sm]);
        if (s->grid.program->uses_transfers)
            s->sms[sm]->executor.transfer = &s->sms[sm]->transfer;
        s->sms[sm]->call = at->call;
        s->sms[sm]->call_context = at->call_context;
    }
    return s->sms[sm];
}

static void add_idle(struct sm_part *p, struct block *b)
{
    if (p->idle_count == p->idle_room) {
        p->idle_room = p->idle_room ? 2 * p->idle_room : 8;
        p->idle = xrealloc(p->idle, p->idle_room * sizeof(struct block *));
    }
    p->idle[p->idle_count++] = b;
}

static struct block *new_block(struct ptx_source *s)
{
    if (s->block_count == s->room) {
        s->room = s->room ? 2 * s->room : 64;
        s->blocks = xrealloc(s->blocks, s->room * sizeof(struct block *));
    }
    struct block *b = block_new(&s->grid, !s->lowered);
    if (s->lowered)
        block_create_windows(b);
    return s->blocks[s->block_count++] = b;
}

/* That of the n-th block; new if it is the first of its cluster. */
static struct cluster *cluster_of(struct ptx_source *s, u64 n)
{
    u64 number = n / s->grid.cluster_blocks;
    struct live_cluster *c = s->clusters;
    while (c && c->number != number)
        c = c->next;
    if (c)
        return &c->cluster;
    c = s->spare_clusters;
    if (c)
        s->spare_clusters = c->next;
    else
        c = xrealloc(NULL, sizeof *c);
    *c = (struct live_cluster){
        .cluster = {.count = s->grid.cluster_blocks}, .number = number, .next = s->clusters};
    s->clusters = c;
    return &c->cluster;
}

static void leave_cluster(struct ptx_source *s, struct block *b)
{
    struct cluster *c = b->cluster;
    c->blocks[b->rank] = NULL;
    c->gone |= 1u << b->rank;
    b->cluster = NULL;
    if (c->gone != (1u << c->count) - 1)
        return;
    struct live_cluster **at = &s->clusters;
    while (&(*at)->cluster != c)
        at = &(*at)->next;
    struct live_cluster *all = *at;
    *at = all->next;
    all->next = s->spare_clusters;
    s->spare_clusters = all;
}

static void *source_block_begin(void *self, u64 id, const struct sm_place *at)
{
    struct ptx_source *s = self;
    struct sm_part *p = part_of(s, at);
    struct block *b = p->idle_count ? p->idle[--p->idle_count] : new_block(s);
    b->cluster = s->grid.cluster_blocks > 1 ? cluster_of(s, id) : NULL;
    block_begin(b, id, at->sm, &p->executor);
    for (u32 i = 0; s->lowered && i < b->warp_count; i++) {
        b->warps[i].place = (struct machine_place){0};
        b->warps[i].window->machine = NULL;
    }
    return b;
}

static void source_block_move(void *self, void *block, const struct sm_place *at)
{
    block_move(block, at->sm, &part_of(self, at)->executor);
}

/* What has executed and is not issued may be more than the SM knows of. */
static bool source_block_may_restart(void *block)
{
    const struct block *b = block;
    for (u32 i = 0; i < b->warp_count; i++) {
        const struct warp *w = &b->warps[i];
        if ((w->stretch && stretch_is_under_way(w->stretch)) ||
            (w->window && window_next(w->window)))
            return false;
    }
    return !b->had_effects;
}

static bool source_live_registers(void *block, u32 warp, register_visit *each, void *context)
{
    return warp_live_registers(&((struct block *)block)->warps[warp], each, context);
}

static void source_forget_dead(void *block, u32 warp)
{
    warp_forget_dead(&((struct block *)block)->warps[warp]);
}

static void source_forget_shared(void *block, u32 first, u32 words)
{
    memset(((struct block *)block)->shared + 4 * (size_t)first, 0xa5, 4 * (size_t)words);
}

static void source_reload_shared(void *block, u32 word, u64 address)
{
    memcpy(((struct block *)block)->shared + 4 * (size_t)word, (const void *)(uintptr_t)address, 4);
}

static void source_block_end(void *self, void *block)
{
    struct ptx_source *s = self;
    struct block *b = block;
    if (b->cluster)
        leave_cluster(s, b);
    add_idle(s->sms[b->sm], b);
}

static enum warp_next source_next(void *block, u32 warp, const struct instruction **next)
{
    const struct stretch *s = block_stretch(block, warp);
    if (stretch_is_under_way(s)) {
        *next = s->next;
        return NEXT_READY;
    }
    struct warp *w = s->warp;
    const struct op *op = NULL;
    enum warp_next state = warp_settle(w, &op);
    if (state == NEXT_READY) {
        const struct function *f = w->paths[w->current].function;
        *next = &f->instructions[op - f->ops];
    }
    return state;
}

/* Before the step, after which the warp may be on another path, with other registers. */
static void describe_barrier(const struct warp *w, const struct path *p, const struct op *op,
                             struct winst *out)
{
    u32 mask = path_guarded(w, op, p->mask);
    if ((op->kind != OP_BARRIER && op->kind != OP_CLUSTER) || !mask) {
        out->barrier = NO_BARRIER;
        return;
    }
    out->arrives_only = (op->flags & MOD_ARRIVE) != 0;
    if (op->kind == OP_CLUSTER) {
        out->barrier = CLUSTER_BARRIER;
        return;
    }
    u32 lane = (u32)__builtin_ctz(mask);
    out->barrier = (u8)((const u32 *)ref_get(w, op->src[0]))[lane];
    if (op->src[1] != REF_NONE)
        out->barrier_threads = ((const u32 *)ref_get(w, op->src[1]))[lane];
}

/* Other blocks of the cluster that the step, or a copy, has set going. */
static __attribute__((noinline)) void call_others(struct warp *w, enum cluster_event phase)
{
    const struct ptx_source *s = (const struct ptx_source *)(const void *)w->grid;
    const struct cluster *c = w->block->cluster;
    const struct executor *e = w->on;
    for (u32 rank = 0; rank < c->count; rank++) {
        const struct block *b = c->blocks[rank];
        bool opened = e->opened == c, begun = e->begun >> rank & 1;
        if (!b || b == w->block || !(opened || begun))
            continue;
        const struct sm_part *p = s->sms[b->sm];
        if (opened)
            p->call(p->call_context, b, CLUSTER_OPENED, *e->clock);
        if (begun)
            p->call(p->call_context, b, phase, *e->clock);
    }
}

static u8 source_arrived(void *block, u32 token)
{
    u8 phase = transfer_arrived(block, token);
    struct warp *w = &((struct block *)block)->warps[0];
    if (w->block->cluster && w->on->begun)
        call_others(w, CLUSTER_COPIED);
    return phase;
}

static inline bool step_as(struct warp *w, const struct instruction *i, struct winst *out)
{
    const struct path *p = &w->paths[w->current];
    const struct op *op = &p->function->ops[p->pc];
    w->on->fp_mode = FP_UNKNOWN;
    w->on->put_off = false;
    w->on->phase = PHASE_NONE;
    w->on->pattern = ACCESS_ANY;
    w->on->spread = 0;
    w->on->opened = NULL;
    w->on->begun = 0;
    *out = (struct winst){.instruction = i};
    if (i->kind == WINST_BARRIER)
        describe_barrier(w, p, op, out);
    bool may_part = i->kind == WINST_CONTROL;
    u32 paths = may_part ? w->used_paths : 0;
    out->mask = warp_step(w, op);
    out->diverged = may_part && (w->used_paths & ~paths) != 0;
    if (i->kind == WINST_BARRIER && out->barrier != NO_BARRIER)
        out->mask = p->mask; /* without lanes that named another barrier: they come again */
    if (i->kind == WINST_TRANSFER)
        out->transfer = &w->on->transfer->view;
    else if (i->unit == UNIT_MEMORY && out->mask)
        describe_access(w, out);
    if (w->on->fp_mode != FP_UNKNOWN && w->on->fp_mode != 0)
        executor_set_fp(w->on, 0); /* nothing of it is seen by what comes next on this thread */
    out->is_put_off = w->on->put_off;
    out->phase = w->on->phase;
    if (UNLIKELY(w->in_cluster) && (w->on->opened || w->on->begun))
        call_others(w, CLUSTER_PHASE);
    out->wakes_others = i->kind == WINST_BARRIER || i->kind == WINST_EXIT;
    if (i->kind == WINST_SLEEP && op->src[0] != REF_NONE && out->mask)
        out->sleep_cycles = ((const u32 *)ref_get(w, op->src[0]))[__builtin_ctz(out->mask)];
    return w->on->fault == FAULT_NONE;
}

bool ptx_step(struct warp *w, const struct instruction *i, struct winst *out)
{
    return step_as(w, i, out);
}

static bool source_step(void *block, u32 warp, struct winst *out)
{
    struct stretch *s = block_stretch(block, warp);
    if (!stretch_is_under_way(s)) {
        struct warp *w = s->warp;
        if (!stretch_execute(s)) {
            const struct path *p = &w->paths[w->current];
            return step_as(w, &p->function->instructions[p->pc], out);
        }
        if (UNLIKELY(w->on->fault != FAULT_NONE))
            return false;
    }
    stretch_step(s, out);
    return true;
}

/* The SM with a fault; the first, should several have one. NULL: none has. */
static const struct executor *faulty(const struct ptx_source *s)
{
    for (u32 i = 0; i < s->sm_count; i++) {
        if (s->sms[i] && s->sms[i]->executor.fault != FAULT_NONE)
            return &s->sms[i]->executor;
    }
    return NULL;
}

static void source_fault(void *self, struct err *err)
{
    const struct executor *e = faulty(self);
    if (e)
        *err = e->err;
}

static bool source_explain(void *block, u32 warp, u64 *address, struct err *err)
{
    const struct warp *w = &((struct block *)block)->warps[warp];
    *address = 0;
    return (w->ready && warp_explain_loop(w, address, err)) || warp_explain(w, err);
}

static u64 source_state(void *block, u32 warp)
{
    return warp_state(&((struct block *)block)->warps[warp]);
}

static u64 source_changes(void *self)
{
    const struct ptx_source *s = self;
    u64 all = 0;
    for (u32 i = 0; i < s->sm_count; i++)
        all += s->sms[i] ? s->sms[i]->executor.changes : 0;
    return all;
}

struct grid_source ptx_source_grid(struct ptx_source *s)
{
    static const struct source_ops ops = {
        .block_begin = source_block_begin,
        .block_end = source_block_end,
        .block_move = source_block_move,
        .block_may_restart = source_block_may_restart,
        .live_registers = source_live_registers,
        .forget_dead = source_forget_dead,
        .forget_shared = source_forget_shared,
        .reload_shared = source_reload_shared,
        .next = source_next,
        .step = source_step,
        .arrived = source_arrived,
        .fault = source_fault,
        .explain = source_explain,
        .state = source_state,
        .changes = source_changes,
    };
    static const struct source_ops lowered = {
        .block_begin = source_block_begin,
        .block_end = source_block_end,
        .block_move = source_block_move,
        .block_may_restart = source_block_may_restart,
        .live_registers = source_live_registers,
        .forget_dead = source_forget_dead,
        .forget_shared = source_forget_shared,
        .reload_shared = source_reload_shared,
        .next = lowered_next,
        .step = lowered_step,
        .arrived = source_arrived,
        .fault = source_fault,
        .explain = source_explain,
        .state = source_state,
        .changes = source_changes,
    };
    const struct grid *g = &s->grid;
    const struct kernel *k = g->launch->kernel;
    const struct kernel_info *info = kernel_info(k);
    bool estimate = s->lowered && !k->registers_given;
    const struct function *f = k->function;
    return (struct grid_source){
        .ops = s->lowered ? &lowered : &ops,
        .self = s,
        .name = info->name,
        .blocks = g->blocks,
        .grid = {g->launch->grid[0], g->launch->grid[1], g->launch->grid[2]},
        .block = {g->launch->block[0], g->launch->block[1], g->launch->block[2]},
        .cooperative = g->launch->cooperative,
        .cluster_blocks = g->cluster_blocks,
        .is_shared = g->cluster_blocks > 1,
        .threads_per_block = g->threads_per_block,
        .warps_per_block = g->warps_per_block,
        .registers_per_thread = estimate ? machine_thread_registers(f) : info->registers,
        .shared_bytes_per_block = g->shared_bytes,
        .local_bytes_per_thread = g->local_bytes,
        .is_nested = g->launch->is_nested,
        .scoreboard_registers =
            s->lowered ? g->program->machine_registers : g->program->most_registers,
        .regions = &s->regions,
        .code_start = s->lowered ? f->machine->code_start : f->instructions[0].pc,
        .code_bytes = s->lowered ? f->machine->code_bytes : (u64)INSTRUCTION_BYTES * f->op_count,
    };
}

enum launch_fault ptx_source_fault(const struct ptx_source *s)
{
    const struct executor *e = faulty(s);
    return e ? e->fault : FAULT_NONE;
}

struct launch_counts ptx_source_counts(const struct ptx_source *s)
{
    struct launch_counts all = {0};
    for (u32 i = 0; i < s->sm_count; i++) {
        if (s->sms[i]) {
            all.warp_instructions += s->sms[i]->executor.warp_instructions;
            all.thread_instructions += s->sms[i]->executor.thread_instructions;
        }
    }
    return all;
}

void ptx_source_rest(void)
{
    struct executor none;
    executor_set_fp(&none, 0);
}
