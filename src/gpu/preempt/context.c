#include "gpu/preempt/context.h"

#include "gpu/dispatch/block_message.h"
#include "gpu/dispatch/block_policy.h"
#include "gpu/preempt/reduction.h"
#include "gpu/sm/sm.h"

#include <assert.h>

/* Contexts lie above all that programs have, each in its application's address space. */

const char *const stop_reason_names[STOP_REASONS] = {"at random", "the LSU refuses too much",
                                                     "too many floating-point lanes"};

/* clang-format off */
const struct stat_def context_stats[] = {
    S_COUNT(context_counts, stops, "blocks", "blocks stopped, with their context saved"),
    S_COUNT(context_counts, resumes, "blocks", "blocks resumed on this SM, with their context restored"),
    S_COUNT(context_counts, flushes, "blocks", "blocks dropped, to start again"),
    S_COUNT(context_counts, refused_flushes, "blocks", "blocks not dropped because a restart could change results"),
    S_COUNT(context_counts, drain_cycles, "cycles", "total cycles from the request to stop a block until its outstanding operations were done"),
    S_COUNT(context_counts, save_cycles, "cycles", "total cycles from the end of draining until the context was in memory"),
    S_COUNT(context_counts, restore_cycles, "cycles", "total cycles until a context was restored"),
    S_COUNT(context_counts, saved_bytes, "bytes", "bytes of contexts saved"),
    S_COUNT(context_counts, restored_bytes, "bytes", "bytes of contexts restored"),
    S_COUNT(context_counts, transfer_parts, "cycles/1024", "transfer time of contexts at the SM's rate, memory latency excluded"),
    S_COUNT(context_counts, requests, "requests", "line requests that save or restore contexts"),
    S_COUNT(context_counts, answers, "requests", "line requests of contexts that were answered"),
    S_COUNT(context_counts, shuffled, "contexts", "contexts moved to or from a buffer on the chip"),
    S_COUNT(context_counts, shuffle_bytes, "bytes", "bytes moved to or from buffers on the chip"),
    S_COUNT(context_counts, shuffle_cycles, "cycles", "cycles spent moving contexts to or from buffers on the chip"),
    S_COUNT(context_counts, whole_bytes, "bytes", "bytes saved contexts would have without reduction"),
    S_COUNT(context_counts, register_words, "registers", "32-bit registers of stopped warps, where contexts are reduced"),
    S_COUNT(context_counts, live_words, "registers", "live registers of stopped warps"),
    S_COUNT(context_counts, cached_words, "registers", "live registers in the compressed register cache"),
    S_COUNT(context_counts, compressed_words, "registers", "live registers saved as two words and a pattern"),
    S_COUNT(context_counts, register_bytes, "bytes", "bytes of registers in saved contexts"),
    S_COUNT(context_counts, shared_words, "words", "words of shared memory of stopped blocks, where contexts are reduced"),
    S_COUNT(context_counts, valid_words, "words", "words of shared memory that had been written"),
    S_COUNT(context_counts, copied_words, "words", "words of shared memory that are copies of global memory and are loaded again"),
    S_COUNT(context_counts, reloaded_lines, "lines", "lines of global memory loaded again to restore copies"),
    S_COUNT(context_counts, shared_blocks, "blocks", "blocks that stored to shared memory, where contexts are reduced"),
    S_COUNT(context_counts, empty_cycles, "cycles", "total cycles from a block's start to its first store to shared memory"),
    S_LAW(answered, "requests == answers", "every line of a context is answered once"),
    S_END,
};
/* clang-format on */

u64 context_most_bytes(const struct sm_config *c)
{
    return (u64)c->registers * 4 + c->shared.bytes;
}

void context_init(struct sm *sm, struct arena *arena)
{
    const struct gpu_config *c = sm->config;
    struct context_unit *u = &sm->context;
    ring_init(&u->jobs, arena, c->sm.blocks);
    if (c->context.bytes_per_cycle > 0)
        u->line_parts = (u64)(c->line_bytes / c->context.bytes_per_cycle * CONTEXT_PARTS + 0.5);
    u->next = CYCLE_NEVER;
}

/* ---- lines ------------------------------------------------------------------------------------
 */

/* Blocks of traces and recordings have no values that are known. */
static bool is_reduced(const struct sm *sm, const struct sm_block *b)
{
    return sm->reduction && b->grid->ops->live_registers;
}

static void tell(struct sm *sm, const struct sm_block *b, enum block_message_kind kind)
{
    port_push(&sm->done, block_message_write(
                             (struct block_message){.kind = kind, .slot = (u32)(b - sm->blocks)}));
    engine_progress(sm->engine);
}

static void resumed(struct sm *sm, struct sm_block *b)
{
    sm->context.counts.restore_cycles += sm->now - b->context_since;
    b->context = CONTEXT_NONE;
    if (is_reduced(sm, b))
        reduction_restore(sm, b);
    tell(sm, b, BLOCK_RESUMED);
    block_resume(sm, b, sm->now);
}

static void saved(struct sm *sm, struct sm_block *b)
{
    sm->context.counts.save_cycles += sm->now - b->context_since;
    b->context = CONTEXT_NONE;
    tell(sm, b, BLOCK_STOPPED);
}

static void finish(struct sm *sm, struct sm_block *b)
{
    if (b->lines_to_send || b->lines_left || sm->context.shuffling >> (b - sm->blocks) & 1)
        return;
    if (b->context == CONTEXT_SAVES)
        saved(sm, b);
    else
        resumed(sm, b);
}

void context_answered(struct sm *sm, u32 slot)
{
    struct sm_block *b = &sm->blocks[slot];
    assert(b->lines_left && sm->context.under_way);
    b->lines_left--;
    sm->context.under_way--;
    sm->context.counts.answers++;
    sm->context.next = sm->now; /* there is room for one more */
    finish(sm, b);
}

/* A block's context has a place of its own. */
static u64 own_line(const struct gpu_config *c, const struct sm_block *b)
{
    u64 room = (context_most_bytes(&c->sm) + c->line_bytes - 1) / c->line_bytes;
    return CONTEXT_BASE + (b->place * room + b->line_next) * c->line_bytes;
}

/* A line of the context, then those of memory that the block has copied. */
static handle_t line_request(struct sm *sm, const struct sm_block *b, cycle_t now)
{
    const struct gpu_config *c = sm->config;
    bool cacheable = c->context.cacheable, is_save = b->context == CONTEXT_SAVES;
    bool is_own = b->line_next < b->own_lines;
    u64 line = is_own ? own_line(c, b) : reduction_line(sm, b, b->line_next - b->own_lines);
    u16 cached = is_own ? REQUEST_LOCAL : 0;
    handle_t h = pool_alloc(sm->requests);
    *sm_request(sm, h) = (struct request){
        .line = line + application_base(b->grid->application),
        .sectors = (1u << (c->line_bytes / SECTOR_BYTES)) - 1,
        .agent = sm->agent.number,
        .reply_to = sm->agent.node,
        .kind = is_save ? REQUEST_STORE : REQUEST_LOAD,
        .flags = (u16)((is_save ? REQUEST_WHOLE : 0) |
                       (cacheable ? cached : REQUEST_NO_L1 | REQUEST_BYPASS_L2)),
        .application = b->grid->application,
        .ticket = ticket_write((struct sm_ticket){
            .entry = NO_ENTRY, .warp = (u16)(b - sm->blocks), .client = CLIENT_CONTEXT}),
        .issued = now};
    return h;
}

/* False: not now. It is counted first: an ideal memory may answer before this returns. */
static bool send_line(struct sm *sm, struct sm_block *b, cycle_t now)
{
    struct context_unit *u = &sm->context;
    bool cacheable = sm->config->context.cacheable;
    if (!sm_can_send(sm, &sm->miss, 1)) {
        u->next = CYCLE_NEVER; /* woken when there is room */
        return false;
    }
    handle_t h = line_request(sm, b, now);
    b->lines_to_send--;
    b->lines_left++;
    u->under_way++;
    u->counts.requests++;
    if (!cacheable) {
        sm_send(sm, h, &sm->miss, now);
    } else if (l1_access(&sm->l1, h, now) != L1_STALL_NONE) {
        pool_free(sm->requests, h);
        b->lines_to_send++;
        b->lines_left--;
        u->under_way--;
        u->counts.requests--;
        u->next = now + 1;
        return false;
    }
    b->line_next++;
    u->free_parts = max_u64(u->free_parts, now * CONTEXT_PARTS) + u->line_parts;
    u->counts.transfer_parts += u->line_parts;
    return true;
}

/* Contexts that have come to or from their buffer. */
static void shuffle_cycle(struct sm *sm, cycle_t now)
{
    struct context_unit *u = &sm->context;
    EACH_SLOT(slot, u->shuffling)
    {
        struct sm_block *b = &sm->blocks[slot];
        if (b->shuffled_at <= now) {
            u->shuffling &= ~((u64)1 << slot);
            finish(sm, b);
        } else {
            u->next = min_u64(u->next, b->shuffled_at);
        }
    }
}

static void send_lines(struct sm *sm, cycle_t now)
{
    struct context_unit *u = &sm->context;
    while (!ring_is_empty(&u->jobs)) {
        struct sm_block *b = &sm->blocks[ring_peek(&u->jobs, 0)];
        if (u->under_way == CONTEXT_LINES)
            return; /* an answer sets it going again */
        if (u->free_parts >= (now + 1) * CONTEXT_PARTS) {
            u->next = u->free_parts / CONTEXT_PARTS;
            return;
        }
        bool is_last = b->lines_to_send == 1;
        if (!send_line(sm, b, now))
            return;
        if (is_last)
            ring_pop(&u->jobs);
    }
}

void context_cycle(struct sm *sm, cycle_t now)
{
    sm->context.next = CYCLE_NEVER;
    send_lines(sm, now);
    if (sm->context.shuffling)
        shuffle_cycle(sm, now);
}

/* One after the other, at the width of the SM's way to the buffers. */
static void shuffle(struct sm *sm, struct sm_block *b, u64 bytes)
{
    const struct context_config *c = &sm->config->context;
    struct context_unit *u = &sm->context;
    u64 cycles = c->fabric_setup_cycles +
                 (bytes + c->fabric_bytes_per_cycle - 1) / c->fabric_bytes_per_cycle;
    b->shuffled_at = u->fabric_free = max_u64(u->fabric_free, sm->now) + cycles;
    u->shuffling |= (u64)1 << (b - sm->blocks);
    u->next = min_u64(u->next, b->shuffled_at);
    u->counts.shuffled++;
    u->counts.shuffle_bytes += bytes;
    u->counts.shuffle_cycles += cycles;
}

/* ---- what is transferred -----------------------------------------------------------------------
 */

/* Of blocks whose values are not known, a share. */
static u64 bytes_to_save(struct sm *sm, const struct sm_block *b)
{
    u64 all = block_context_bytes(b->grid);
    sm->context.counts.whole_bytes += all;
    if (is_reduced(sm, b))
        return reduction_save(sm, b);
    return (u64)((double)all * sm->config->context.share + 0.999);
}

static void transfer(struct sm *sm, struct sm_block *b, enum context_state state)
{
    const struct context_config *config = &sm->config->context;
    bool is_save = state == CONTEXT_SAVES;
    if (is_save)
        b->context_bytes = (u32)bytes_to_save(sm, b);
    u64 bytes = b->context_bytes;
    struct context_counts *c = &sm->context.counts;
    *(is_save ? &c->saved_bytes : &c->restored_bytes) += bytes;
    b->context = (u8)state;
    b->context_since = sm->now;
    b->line_next = b->lines_left = b->own_lines = 0;
    if (is_save)
        b->in_buffer = b->how == STOP_SHUFFLE && bytes <= config->buffer_bytes;
    if (b->in_buffer)
        shuffle(sm, b, bytes);
    else
        b->own_lines = (u32)((bytes + sm->config->line_bytes - 1) / sm->config->line_bytes);
    b->lines_to_send = b->own_lines;
    if (!is_save && is_reduced(sm, b)) {
        u32 again = reduction_lines(sm, b);
        b->lines_to_send += again;
        c->reloaded_lines += again;
    }
    if (!b->lines_to_send) {
        finish(sm, b);
        return;
    }
    ring_push(&sm->context.jobs, (u32)(b - sm->blocks));
    sm->context.next = sm->now;
}

/* ---- stopping ---------------------------------------------------------------------------------
 */

static u64 running_warps(const struct sm *sm, const struct sm_block *b)
{
    u64 running = 0;
    EACH_SLOT(slot, b->warps & sm->used)
    {
        const struct sm_warp *w = &sm->warps[slot];
        running |= (u64)(w->block == b && !w->ended) << slot;
    }
    return running;
}

static bool may_flush(const struct sm *sm, const struct sm_block *b)
{
    const struct source_ops *ops = b->grid->ops;
    return !sm->flush_logs[b - sm->blocks].can_be_seen &&
           (!ops->block_may_restart || ops->block_may_restart(b->stream));
}

void context_stop(struct sm *sm, struct block_message m, cycle_t now)
{
    struct sm_block *b = &sm->blocks[m.slot];
    u64 warps = b->left ? running_warps(sm, b) : 0;
    if (!warps)
        return; /* it ends by itself, or has */
    if (m.how == STOP_FLUSH && !may_flush(sm, b)) {
        sm->context.counts.refused_flushes++;
        tell(sm, b, BLOCK_GOES_ON);
        return;
    }
    b->how = (u8)m.how;
    b->why = (u8)m.why;
    b->place = m.place;
    b->stopped_at = now;
    EACH_SLOT(warp, warps)
    warp_stop(sm, (u32)warp);
}

void context_drained(struct sm *sm, struct sm_block *b)
{
    struct context_counts *c = &sm->context.counts;
    c->drain_cycles += sm->now - b->stopped_at;
    if (b->how == STOP_FLUSH) {
        c->flushes++;
        if (sm->reduction)
            reduction_forget(sm, b);
        lock_take(&sm->sim->sources);
        b->grid->ops->block_end(b->grid->self, b->stream);
        lock_give(&sm->sim->sources);
        b->stream = NULL;
        tell(sm, b, BLOCK_STOPPED);
        return;
    }
    c->stops++;
    transfer(sm, b, CONTEXT_SAVES);
}

void context_resume(struct sm *sm, u32 slot, cycle_t now)
{
    struct sm_block *b = &sm->blocks[slot];
    (void)now;
    sm->context.counts.resumes++;
    transfer(sm, b, CONTEXT_RESTORES);
}
