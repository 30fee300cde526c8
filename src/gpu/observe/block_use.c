#include "gpu/observe/block_use.h"

#include "gpu/dispatch/block_message.h"
#include "gpu/sm/sm.h"

#include <string.h>

/* clang-format off */
const struct stat_def use_stats[] = {
    S_COUNT(use_counts, cycles, "cycles", "total cycles of blocks on the SM"),
    S_COUNT(use_counts, warp_instructions, "instructions", "warp instructions executed by blocks"),
    S_COUNT(use_counts, thread_instructions, "instructions", "thread instructions executed by blocks"),
    S_COUNT(use_counts, branches, "instructions", "branch instructions of warps"),
    S_COUNT(use_counts, divergent_branches, "instructions", "branch instructions at which lanes diverged"),
    S_RATIO(use_counts, cfi, divergent_branches, warp_instructions, "control-flow irregularity: divergent branches per instruction"),
    S_COUNT(use_counts, accesses, "instructions", "warp instructions that access global memory"),
    S_COUNT(use_counts, replays, "instructions", "additional passes of global accesses, one for each line beyond the fewest possible"),
    S_FORMULA(mai, "replays / (warp_instructions + replays)", "ratio", "memory-access irregularity: replays per issue"),
    S_COUNT(use_counts, refused, "scheduler cycles", "scheduler cycles in which the LSU refused the warp greedy-then-oldest would choose, whether or not another issued"),
    S_COUNT(use_counts, refusable, "scheduler cycles", "scheduler cycles in which blocks were on the SM, once for each block"),
    S_RATIO(use_counts, throttle_share, refused, refusable, "share of a block's scheduler cycles in which the LSU refused it"),
    S_COUNT(use_counts, fp_lanes, "lanes", "lanes used by floating-point instructions"),
    S_COUNT(use_counts, lane_cycles, "lanes", "lane cycles of the floating-point units while blocks were on the SM, once for each block"),
    S_RATIO(use_counts, fpu_share, fp_lanes, lane_cycles, "share of the floating-point lanes used by a block"),
    S_COUNT(use_counts, polls, "polls", "polls of blocks"),
    S_COUNT(use_counts, updates, "messages", "messages that told the dispatcher of a changed code"),
    S_END,
};
/* clang-format on */

double use_share(const struct use_counts *c, enum block_metric m)
{
    u64 part = m == USE_MEMORY ? c->refused : c->fp_lanes;
    u64 whole = m == USE_MEMORY ? c->refusable : c->lane_cycles;
    return whole ? (double)part / (double)whole : 0;
}

u8 use_code(double share, const struct block_poll *p)
{
    u32 codes = 1u << p->bits;
    double code = share * codes / p->scale;
    return (u8)(code < codes ? (u32)code : codes - 1);
}

void uses_init(struct sm *sm, struct arena *arena)
{
    const struct sm_config *c = &sm->config->sm;
    const struct unit_config *f = &c->units.fp32;
    struct sm_uses *u = ARENA_NEW(arena, struct sm_uses);
    u->of = ARENA_ARRAY(arena, struct block_use, c->blocks);
    u->fp_lanes = 32 * f->pipes * (c->sub_cores ? c->schedulers : 1) / f->simple_interval;
    u->fp_lanes = u->fp_lanes ? u->fp_lanes : 1;
    u->next = CYCLE_NEVER;
    sm->uses = u;
    sm->issue.is_watched = true;
}

static struct block_use *use_of(const struct sm *sm, const struct sm_block *b)
{
    return &sm->uses->of[b - sm->blocks];
}

static void find_next(struct sm *sm)
{
    struct sm_uses *u = sm->uses;
    u->next = CYCLE_NEVER;
    for (u32 i = 0; i < sm->config->sm.blocks; i++)
        u->next = min_u64(u->next, sm->blocks[i].left ? u->of[i].poll_next : CYCLE_NEVER);
}

void uses_start(struct sm *sm, struct sm_block *b, cycle_t now)
{
    cycle_t interval = b->poll.cycles;
    b->use = use_of(sm, b);
    *b->use = (struct block_use){.polled_at = now,
                                 .poll_next = interval ? now + interval : CYCLE_NEVER,
                                 .is_known = b->poll.has_code};
    memcpy(b->use->code, b->poll.code, sizeof b->use->code);
    find_next(sm);
}

static void count_time(struct sm *sm, struct use_counts *c, cycle_t cycles)
{
    c->cycles += cycles;
    c->refusable += cycles * sm->config->sm.schedulers;
    c->lane_cycles += cycles * sm->uses->fp_lanes;
}

/* Its counts grow by the time since the last poll; the interval is the sample, and the SM's. */
static void close_interval(struct sm *sm, struct block_use *u, cycle_t now)
{
    count_time(sm, &u->now, now - u->polled_at);
    u64 *sample = (u64 *)(void *)&u->sample, *all = (u64 *)(void *)&sm->uses->all;
    const u64 *a = (const u64 *)(const void *)&u->now, *b = (const u64 *)(const void *)&u->then;
    for (u32 i = 0; i < sizeof u->sample / sizeof *sample; i++)
        all[i] += sample[i] = a[i] - b[i];
    u->then = u->now;
    u->polled_at = now;
}

static bool set_codes(struct block_use *u, const struct use_counts *c, const struct block_poll *p)
{
    bool changed = false;
    for (u32 m = 0; m < USE_METRICS; m++) {
        u8 code = use_code(use_share(c, (enum block_metric)m), p);
        changed |= code != u->code[m];
        u->code[m] = code;
    }
    return changed;
}

void uses_end(struct sm *sm, struct sm_block *b, cycle_t now)
{
    struct block_use *u = use_of(sm, b);
    close_interval(sm, u, now);
    if (b->poll.cycles && !u->has_code)
        set_codes(u, &u->now, &b->poll);
    u->poll_next = CYCLE_NEVER;
    find_next(sm);
}

void uses_accessed(struct sm *sm, const struct sm_block *b, const struct winst *x, u32 lines)
{
    u32 bytes = (u32)__builtin_popcount(x->in_global) * x->instruction->bytes;
    u32 least = (bytes + sm->config->line_bytes - 1) / sm->config->line_bytes;
    u32 replays = lines > least ? lines - least : 0;
    use_of(sm, b)->now.accesses++;
    use_of(sm, b)->now.replays += replays;
}

/* Greedy, then oldest: the one that issued last if it is ready, else the one that came first. */
static u32 selected(const struct sm *sm, u32 scheduler, u64 ready)
{
    const struct sm_uses *u = sm->uses;
    u32 last = u->last_slot[scheduler], oldest = 0;
    if (ready >> last & 1 && sm->view.age[last] == u->last_age[scheduler])
        return last;
    u64 age = UINT64_MAX;
    EACH_SLOT(slot, ready)
    {
        if (sm->view.age[slot] < age) {
            age = sm->view.age[slot];
            oldest = (u32)slot;
        }
    }
    return oldest;
}

void uses_select(struct sm *sm, u32 scheduler, u64 ready, u64 accepted, u64 cycles)
{
    u64 memory = issue_unit_for_memory(&sm->issue);
    if (!(ready & memory & ~accepted))
        return;
    u32 slot = selected(sm, scheduler, ready);
    if ((memory & ~accepted) >> slot & 1)
        use_of(sm, sm->warps[slot].block)->now.refused += cycles;
}

void uses_picked(struct sm *sm, u32 scheduler, u32 slot)
{
    sm->uses->last_slot[scheduler] = (u8)slot;
    sm->uses->last_age[scheduler] = sm->view.age[slot];
}

static void poll(struct sm *sm, u32 slot, cycle_t now)
{
    struct sm_block *b = &sm->blocks[slot];
    struct block_use *u = &sm->uses->of[slot];
    close_interval(sm, u, now);
    u->poll_next = now + b->poll.cycles;
    sm->uses->all.polls++;
    bool changed = set_codes(u, &u->sample, &b->poll) || !u->is_known;
    u->has_code = u->is_known = true;
    if (!changed && !b->poll.always)
        return;
    sm->uses->all.updates += changed;
    port_push(&sm->done, block_message_write((struct block_message){
                             .kind = BLOCK_POLLED, .slot = slot, .place = use_codes(u->code)}));
}

void uses_poll(struct sm *sm, cycle_t now)
{
    for (u32 i = 0; i < sm->config->sm.blocks; i++) {
        if (sm->blocks[i].left && sm->uses->of[i].poll_next <= now)
            poll(sm, i, now);
    }
    find_next(sm);
}
