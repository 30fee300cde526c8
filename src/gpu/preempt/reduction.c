#include "gpu/preempt/reduction.h"

#include "gpu/dispatch/block_policy.h"
#include "gpu/preempt/compress.h"
#include "gpu/sm/sm.h"

#include <assert.h>

#define NO_NAME UINT32_MAX

/* ---- what is watched ---------------------------------------------------------------------------
 */

/* The block slot whose steps the source tells of. */
static u32 slot_of(struct reduction *r, const void *block)
{
    const struct sm *sm = r->sm;
    u32 slot = r->last_slot;
    while (!sm->blocks[slot].left || sm->blocks[slot].stream != block) {
        slot = (slot + 1) % sm->config->sm.blocks;
        assert(slot != r->last_slot);
    }
    return r->last_slot = slot;
}

/* Warps of a block take the lowest free slots, in order. */
static u32 warp_slot(const struct sm_block *b, u32 index)
{
    u64 slots = b->warps;
    while (index--)
        slots &= slots - 1;
    return (u32)__builtin_ctzll(slots);
}

static void forget_notes(struct warp_notes *n)
{
    for (u32 i = 0; i < SOURCE_NOTES; i++)
        n->notes[i].name = NO_NAME;
}

static void forget_notes_of(struct reduction *r, u64 warps)
{
    EACH_SLOT(warp, warps)
    forget_notes(&r->notes[warp]);
}

static struct source_note *find_note(struct warp_notes *n, u32 name)
{
    for (u32 i = 0; i < SOURCE_NOTES; i++) {
        if (n->notes[i].name == name)
            return &n->notes[i];
    }
    return NULL;
}

/* Of the block's last warp some lanes may not exist. */
static u32 lanes_of(const struct grid_source *g, u32 warp)
{
    return (u32)min_u64(WARP_LANES, g->threads_per_block - WARP_LANES * (u64)warp);
}

/* The registers hold something else now. */
static void note_written(struct reduction *r, u32 slot, u32 warp, const struct step_view *v)
{
    u32 count = lanes_of(r->sm->blocks[slot].grid, v->warp);
    for (u32 k = 0; k < v->written_count; k++) {
        const struct step_register *w = &v->written[k];
        for (u32 part = 0; part * 4 < w->bytes; part++) {
            u32 name = register_word(w->name, part);
            struct source_note *n = r->has_table ? find_note(&r->notes[warp], name) : NULL;
            if (n)
                n->name = NO_NAME;
            if (!r->has_cache)
                continue;
            u32 lanes[WARP_LANES] = {0};
            struct compressed_register c;
            for (u32 i = 0; i < WARP_LANES; i++)
                memcpy(&lanes[i], (const u8 *)w->lanes + (size_t)i * w->bytes + 4 * (size_t)part,
                       w->bytes < 4 ? w->bytes : 4);
            register_cache_write(&r->cache, warp, name,
                                 !v->is_put_off && register_compress(lanes, count, &c));
        }
    }
}

/* Lanes from base + (lane << shift): false if they are not. */
static bool find_stride(const struct step_view *v, struct source_note *out)
{
    u32 first = (u32)__builtin_ctz(v->mask), rest = v->mask & (v->mask - 1);
    u64 stride = 4;
    if (rest) {
        u32 second = (u32)__builtin_ctz(rest);
        stride = (v->address[second] - v->address[first]) / (second - first);
    }
    if (stride < 4 || stride > UINT32_MAX || stride & (stride - 1))
        return false;
    out->mask = v->mask;
    out->shift = (u8)__builtin_ctzll(stride);
    out->base = v->address[first] - ((u64)first << out->shift);
    for (; rest; rest &= rest - 1) {
        u32 lane = (u32)__builtin_ctz(rest);
        if (v->address[lane] != out->base + ((u64)lane << out->shift))
            return false;
    }
    out->low = v->address[first];
    out->end = v->address[31 - (u32)__builtin_clz(v->mask)] + v->bytes;
    return true;
}

static void note_load(struct reduction *r, u32 warp, const struct step_view *v)
{
    struct warp_notes *n = &r->notes[warp];
    struct source_note note;
    if (v->in_global != v->mask || v->is_strong || !v->moved_count || !find_stride(v, &note))
        return;
    u32 word = 0;
    for (u32 k = 0; k < v->moved_count; k++) {
        for (u32 part = 0; part * 4 < v->moved[k].bytes; part++, word++) {
            struct source_note *to = &n->notes[n->next];
            if (v->moved[k].name == NO_NAME)
                continue;
            *to = note;
            to->name = register_word(v->moved[k].name, part);
            to->base += 4 * (u64)word;
            n->next = (n->next + 1) % SOURCE_NOTES;
        }
    }
}

/* Words of shared memory one after the other, and their places in memory a stride apart. */
struct run_builder {
    struct array_table *table;
    u32 block;
    struct array_run run; /* words 0: none yet */
};

static void run_end(struct run_builder *b)
{
    if (b->run.words)
        array_table_store(b->table, b->block, b->run);
    b->run.words = 0;
}

static void run_add(struct run_builder *b, u32 word, bool is_copy, u64 address)
{
    struct array_run *r = &b->run;
    bool follows = r->words && word == r->first + r->words && is_copy == r->is_copy;
    if (follows && is_copy && r->words == 1) {
        u64 stride = address - r->address;
        follows = stride >= 4 && stride <= UINT32_MAX && !(stride & (stride - 1));
        r->shift = follows ? (u8)__builtin_ctzll(stride) : r->shift;
    } else if (follows && is_copy) {
        follows = address == r->address + ((u64)r->words << r->shift);
    }
    if (follows) {
        r->words++;
        return;
    }
    run_end(b);
    *r = (struct array_run){
        .first = word, .words = 1, .is_copy = is_copy, .shift = 2, .address = address};
}

static void note_shared_store(struct reduction *r, u32 slot, u32 warp, const struct step_view *v)
{
    struct run_builder b = {.table = &r->table, .block = slot};
    const struct source_note *notes[2 * STEP_REGISTERS];
    u32 words = 0;
    for (u32 k = 0; v->kind == STEP_STORE && k < v->moved_count; k++) {
        for (u32 part = 0; part * 4 < v->moved[k].bytes && words < ARRAY_LEN(notes); part++)
            notes[words++] = find_note(&r->notes[warp], register_word(v->moved[k].name, part));
    }
    for (u32 left = v->in_shared; left; left &= left - 1) {
        u32 lane = (u32)__builtin_ctz(left);
        u32 first = (u32)(v->address[lane] / 4), end = (u32)((v->address[lane] + v->bytes + 3) / 4);
        for (u32 k = 0; first + k < end; k++) {
            const struct source_note *n = k < words ? notes[k] : NULL;
            bool is_copy = n && n->mask >> lane & 1;
            run_add(&b, first + k, is_copy, is_copy ? n->base + ((u64)lane << n->shift) : 0);
        }
    }
    run_end(&b);
}

static void note_global_store(struct reduction *r, const struct step_view *v)
{
    u64 low = UINT64_MAX, end = 0;
    for (u32 left = v->in_global; left; left &= left - 1) {
        u64 address = v->address[__builtin_ctz(left)];
        low = min_u64(low, address);
        end = max_u64(end, address + v->bytes);
        array_table_overwrite(&r->table, address, v->bytes);
    }
    for (u32 warp = 0; warp < r->sm->config->sm.warps; warp++) {
        for (u32 i = 0; i < SOURCE_NOTES; i++) {
            struct source_note *n = &r->notes[warp].notes[i];
            if (n->low < end && low < n->end)
                n->name = NO_NAME;
        }
    }
}

/* The block may have told others that they may write what it has copied. */
static void note_synchronised(struct reduction *r, u32 slot)
{
    bool alone = r->sm->config->context.atomics_clear_block;
    array_table_doubt(&r->table, alone ? (u64)1 << slot : ~(u64)0);
    forget_notes_of(r, alone ? r->sm->blocks[slot].warps : r->sm->slots);
}

static void count_first_store(struct reduction *r, u32 slot)
{
    const struct sm_block *b = &r->sm->blocks[slot];
    struct context_counts *c = &r->sm->context.counts;
    if (r->has_stored >> slot & 1)
        return;
    r->has_stored |= (u64)1 << slot;
    c->shared_blocks++;
    c->empty_cycles += r->sm->now - b->started;
}

static void note_memory(struct reduction *r, u32 slot, u32 warp, const struct step_view *v)
{
    bool synchronises = v->kind == STEP_FENCE || (v->kind == STEP_ATOMIC && v->in_global) ||
                        (v->kind == STEP_STORE && v->is_strong && v->in_global);
    if (v->kind == STEP_UNTOLD)
        array_table_lose(&r->table, slot);
    if (synchronises || v->kind == STEP_UNTOLD)
        note_synchronised(r, slot);
    if (v->kind == STEP_LOAD)
        note_load(r, warp, v);
    if (v->kind != STEP_STORE && v->kind != STEP_ATOMIC)
        return;
    if (v->in_global)
        note_global_store(r, v);
    if (v->in_shared) {
        count_first_store(r, slot);
        note_shared_store(r, slot, warp, v);
    }
}

static void stepped(struct step_watch *w, const struct step_view *v)
{
    struct reduction *r = (struct reduction *)w;
    if (!v->written_count && v->kind == STEP_OTHER)
        return;
    u32 slot = slot_of(r, v->block), warp = warp_slot(&r->sm->blocks[slot], v->warp);
    note_written(r, slot, warp, v);
    if (r->has_table && v->kind != STEP_OTHER)
        note_memory(r, slot, warp, v);
}

struct array_list *reduction_lists(struct arena *arena, u32 places, u32 entries)
{
    struct array_list *lists = ARENA_ARRAY(arena, struct array_list, places + 1);
    for (u32 i = 0; i < places; i++)
        lists[i].runs = ARENA_ARRAY(arena, struct array_run, entries + 1);
    return lists;
}

void reduction_init(struct sm *sm, struct arena *arena, struct array_list *lists)
{
    const struct gpu_config *c = sm->config;
    struct reduction *r = ARENA_NEW(arena, struct reduction);
    *r = (struct reduction){.watch = {stepped},
                            .sm = sm,
                            .has_table = c->context.array_entries > 0,
                            .has_cache = c->context.register_cache_bytes > 0,
                            .lists = lists};
    array_table_init(&r->table, arena, c->context.array_entries);
    register_cache_init(&r->cache, arena, c->context.register_cache_bytes, c->sm.warps);
    r->notes = ARENA_ARRAY(arena, struct warp_notes, c->sm.warps);
    forget_notes_of(r, sm->slots);
    sm->reduction = r;
    sm->place.reads_registers = true;
    if (r->has_table || r->has_cache)
        sm->place.watch = &r->watch;
}

void reduction_forget(struct sm *sm, const struct sm_block *b)
{
    struct reduction *r = sm->reduction;
    u32 slot = (u32)(b - sm->blocks);
    array_table_forget(&r->table, slot);
    r->has_stored &= ~((u64)1 << slot);
    forget_notes_of(r, b->warps);
    EACH_SLOT(warp, b->warps)
    register_cache_forget(&r->cache, (u32)warp);
}

/* ---- registers ---------------------------------------------------------------------------------
 */

/* Beside registers: program counter, stack, and which registers follow in which form. */
#define WARP_STATE_BYTES 32u

struct warp_registers {
    const struct reduction *reduction;
    u32 slot, lanes;
    u64 words, cached, compressed; /* that are needed; of those: in the cache, in two words */
};

static void count_register(void *context, u32 name, const u32 *lanes)
{
    struct warp_registers *r = context;
    struct compressed_register c;
    bool fits = register_compress(lanes, r->lanes, &c);
    bool is_cached = fits && register_cache_has(&r->reduction->cache, r->slot, name);
    r->words++;
    r->cached += is_cached;
    r->compressed += is_cached || (fits && r->reduction->sm->config->context.compress_in_transit);
}

/* Bytes of a warp's registers that leave the SM; dead ones are lost. */
static u64 save_warp(struct sm *sm, const struct sm_block *b, u32 warp)
{
    const struct grid_source *g = b->grid;
    u32 lanes = lanes_of(g, warp);
    struct context_counts *c = &sm->context.counts;
    struct warp_registers r = {
        .reduction = sm->reduction, .slot = warp_slot(b, warp), .lanes = lanes};
    u64 all = (u64)g->registers_per_thread * lanes * 4;
    c->register_words += g->registers_per_thread;
    if (!g->ops->live_registers(b->stream, warp, count_register, &r)) {
        c->live_words += g->registers_per_thread;
        return all;
    }
    g->ops->forget_dead(b->stream, warp);
    c->live_words += min_u64(r.words, g->registers_per_thread);
    c->cached_words += r.cached;
    c->compressed_words += r.compressed;
    u64 bytes = (r.words - r.compressed) * lanes * 4 + (r.compressed * COMPRESSED_BITS + 7) / 8 +
                WARP_STATE_BYTES + 2 * ((g->registers_per_thread + 7u) / 8);
    return min_u64(bytes, all);
}

/* ---- shared memory -----------------------------------------------------------------------------
 */

static void sort_runs(struct array_list *l)
{
    for (u32 i = 1; i < l->count; i++) {
        struct array_run r = l->runs[i];
        u32 k = i;
        for (; k && l->runs[k - 1].first > r.first; k--)
            l->runs[k] = l->runs[k - 1];
        l->runs[k] = r;
    }
}

/* Words that hold nothing and copies are lost. */
static u64 save_shared(struct sm *sm, const struct sm_block *b)
{
    const struct grid_source *g = b->grid;
    struct reduction *r = sm->reduction;
    struct context_counts *c = &sm->context.counts;
    u32 words = (g->shared_bytes_per_block + 3) / 4, next = 0;
    u64 bytes = 0;
    struct array_list *l = &r->lists[b->place];
    array_table_take(&r->table, (u32)(b - sm->blocks), l);
    if (!r->has_table)
        return g->shared_bytes_per_block;
    c->shared_words += words;
    if (l->overflowed) {
        c->valid_words += words;
        return g->shared_bytes_per_block;
    }
    sort_runs(l);
    for (u32 i = 0; i < l->count; i++) {
        const struct array_run *run = &l->runs[i];
        u32 valid = (u32)min_u64(run->words, words > run->first ? words - run->first : 0);
        c->valid_words += valid;
        c->copied_words += run->is_copy ? valid : 0;
        bytes += ARRAY_ENTRY_BYTES + (run->is_copy ? 0 : 4 * (u64)valid);
        if (run->is_copy)
            continue;
        if (run->first > next)
            g->ops->forget_shared(b->stream, next, run->first - next);
        next = run->first + run->words;
    }
    if (words > next)
        g->ops->forget_shared(b->stream, next, words - next);
    return min_u64(bytes, g->shared_bytes_per_block);
}

u64 reduction_save(struct sm *sm, const struct sm_block *b)
{
    const struct grid_source *g = b->grid;
    u64 bytes = 0;
    for (u32 i = 0; i < g->warps_per_block; i++)
        bytes += save_warp(sm, b, i);
    sm->context.counts.register_bytes += bytes;
    bytes += save_shared(sm, b);
    reduction_forget(sm, b);
    return bytes;
}

/* Lines of a copy: all between its ends, or if its words are further apart one for each. */
static u32 lines_of(const struct array_run *r, u32 line_bytes)
{
    if (1u << r->shift > line_bytes)
        return r->words;
    return (u32)((r->address + array_span(r) - 1) / line_bytes - r->address / line_bytes + 1);
}

u32 reduction_lines(const struct sm *sm, const struct sm_block *b)
{
    const struct array_list *l = &sm->reduction->lists[b->place];
    u32 lines = 0;
    for (u32 i = 0; i < l->count; i++)
        lines += l->runs[i].is_copy ? lines_of(&l->runs[i], sm->config->line_bytes) : 0;
    return lines;
}

u64 reduction_line(const struct sm *sm, const struct sm_block *b, u32 k)
{
    const struct array_run *r = sm->reduction->lists[b->place].runs;
    u32 line_bytes = sm->config->line_bytes;
    for (; !r->is_copy || k >= lines_of(r, line_bytes); r++)
        k -= r->is_copy ? lines_of(r, line_bytes) : 0;
    u64 at = r->address + (u64)k * max_u64(line_bytes, (u64)1 << r->shift);
    return at / line_bytes * line_bytes;
}

void reduction_restore(struct sm *sm, const struct sm_block *b)
{
    const struct array_list *l = &sm->reduction->lists[b->place];
    for (u32 i = 0; i < l->count; i++) {
        const struct array_run *r = &l->runs[i];
        for (u32 k = 0; r->is_copy && k < r->words; k++)
            b->grid->ops->reload_shared(b->stream, r->first + k, r->address + ((u64)k << r->shift));
    }
    array_table_put(&sm->reduction->table, (u32)(b - sm->blocks), l);
    if (l->count || l->overflowed)
        sm->reduction->has_stored |= (u64)1 << (b - sm->blocks);
}
