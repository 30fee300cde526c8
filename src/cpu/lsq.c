/*
 * Loads and stores between dispatch and the L1D: order, forwarding, and retired stores.
 *
 * Addresses come with the instructions, so which older store a load depends on is known when it is
 * dispatched. A load whose bytes one store has all of takes them from it; one that needs bytes of
 * a store and others waits until the store is in the L1D.
 */
#include "cpu/core.h"

#define FILTER 1024u /* counts of stores in the queue, by 8 bytes of address */
#define FILTER_MOST 8u

void lsq_init(struct core *c)
{
    u32 room = CPU_MOST_WRITES;
    while (room < c->config->lsq.store_entries)
        room *= 2;
    c->store_mask = room - 1;
    c->stores = ARENA_ARRAY(&c->sim->arena, struct core_store, room);
    c->store_filter = ARENA_ARRAY(&c->sim->arena, u16, FILTER);
}

bool lsq_has_room(const struct core *c, const struct cpu_instruction *i)
{
    /* an instruction with more than there are entries goes alone */
    bool loads = c->loads_held + i->read_count <= c->config->lsq.load_entries || !c->loads_held;
    u64 stores = c->store_tail - c->store_head;
    return loads &&
           (stores + i->write_count <= c->config->lsq.store_entries || !i->write_count || !stores);
}

bool lsq_is_empty(const struct core *c)
{
    return c->store_head == c->store_tail;
}

static struct core_store *store_at(const struct core *c, u64 position)
{
    return &c->stores[position & c->store_mask];
}

/* ---- which stores a load meets ------------------------------------------------------------- */

static bool is_wide(u64 address, u32 bytes)
{
    return (address + bytes - 1) / 8 - address / 8 >= FILTER_MOST;
}

static void filter_add(struct core *c, const struct core_store *s, i32 by)
{
    if (is_wide(s->address, s->bytes)) {
        c->wide_stores += (u32)by;
        return;
    }
    for (u64 at = s->address / 8; at <= (s->address + s->bytes - 1) / 8; at++)
        c->store_filter[at % FILTER] = (u16)(c->store_filter[at % FILTER] + by);
}

static bool may_meet(const struct core *c, u64 address, u32 bytes)
{
    if (c->store_head == c->store_tail)
        return false;
    if (c->wide_stores || is_wide(address, bytes))
        return true;
    for (u64 at = address / 8; at <= (address + bytes - 1) / 8; at++) {
        if (c->store_filter[at % FILTER])
            return true;
    }
    return false;
}

const struct core_store *lsq_conflict(const struct core *c, u64 position, u64 address, u32 bytes)
{
    if (!may_meet(c, address, bytes))
        return NULL;
    for (u64 at = c->store_tail; at-- > c->store_head;) {
        const struct core_store *s = store_at(c, at);
        if (s->seq < position && address < s->address + s->bytes && s->address < address + bytes)
            return s;
    }
    return NULL;
}

/* A size that is not known is taken as one byte: addresses that are equal meet. */
static u32 size_of(u32 bytes)
{
    return bytes ? bytes : 1;
}

void lsq_dispatch(struct core *c, u64 position)
{
    u32 slot = core_slot_of(c, position);
    const struct cpu_instruction *i = &c->instructions[slot];
    for (u32 k = 0; k < i->read_count; k++) {
        const struct core_store *s =
            lsq_conflict(c, position, i->read[k], size_of(i->read_bytes[k]));
        if (s)
            core_depend(c, slot, CPU_MOST_SOURCES + k, s->seq);
    }
    for (u32 k = 0; k < i->write_count; k++) {
        struct core_store *s = store_at(c, c->store_tail++);
        *s = (struct core_store){.seq = position,
                                 .pc = i->pc,
                                 .address = i->write[k],
                                 .bytes = size_of(i->write_bytes[k])};
        filter_add(c, s, 1);
    }
    c->loads_held += i->read_count;
}

void lsq_retire(struct core *c, const struct cpu_instruction *i)
{
    c->loads_held -= i->read_count;
    c->store_retired += i->write_count;
}

/* ---- reads --------------------------------------------------------------------------------- */

static bool waits_for_addresses(const struct core *c, u64 position)
{
    return c->config->lsq.loads_wait == LOADS_WAIT_STORES && c->store_unissued < c->store_tail &&
           store_at(c, c->store_unissued)->seq < position;
}

void lsq_store_done(struct core *c)
{
    u64 before = c->store_unissued;
    while (c->store_unissued < c->store_tail) {
        u64 seq = store_at(c, c->store_unissued)->seq;
        if (seq >= c->retired && c->ops[core_slot_of(c, seq)].stage != OP_DONE)
            break;
        c->store_unissued++;
    }
    if (c->store_unissued != before)
        core_stores_moved(c);
}

/* The whole of one read, from a store in the queue. */
static bool forward(struct core *c, struct core_op *op, const struct core_store *s, u64 address,
                    u32 bytes, cycle_t now)
{
    const struct lsq_config *l = &c->config->lsq;
    if (address < s->address || address + bytes > s->address + s->bytes)
        return false;
    op->ready_at = max_u64(op->ready_at, now + l->address_cycles + l->forward_cycles);
    c->counts.forwards++;
    return true;
}

enum read_step { READ_ON, READ_BUSY, READ_BLOCKED, READ_LATER };

static void next_read(struct core *c, struct core_op *op)
{
    c->counts.loads++;
    op->read++;
    op->read_done = 0;
    op->is_translated = false;
}

/* The line of a read that comes next. */
static enum read_step access_line(struct core *c, u32 slot, u64 address, u32 bytes, cycle_t now)
{
    struct core_op *op = &c->ops[slot];
    u32 line = c->caches.line_bytes, left = line - (u32)(address & (line - 1));
    struct cache_access a = {
        .address = address, .pc = c->instructions[slot].pc, .kind = WAIT_LOAD, .what = slot};
    switch (caches_access(&c->caches, &a, now)) {
    case ACCESS_BLOCKED:
        core_block(c, slot, CORE_MSHR);
        return READ_BLOCKED;
    case ACCESS_MISS:
        op->lines_left++;
        break;
    case ACCESS_HIT:
        op->ready_at =
            max_u64(op->ready_at, now + c->config->lsq.address_cycles + c->config->l1d.hit_cycles);
    }
    op->read_done += left;
    if (left >= bytes)
        next_read(c, op);
    return READ_ON;
}

/* Before its first line: the page, and the stores before it. */
static enum read_step begin_read(struct core *c, u32 slot, u64 position, u64 address, u32 bytes,
                                 cycle_t now)
{
    struct core_op *op = &c->ops[slot];
    if (!op->is_translated) {
        u32 extra = tlb_translate(&c->dtlb, address);
        op->is_translated = true;
        if (extra) {
            op->waits = CORE_TLB;
            core_schedule(c, slot, now + extra, now);
            return READ_LATER;
        }
    }
    if (UNLIKELY(waits_for_addresses(c, position))) {
        core_block(c, slot, CORE_L1D);
        return READ_BLOCKED;
    }
    const struct core_store *s = lsq_conflict(c, position, address, bytes);
    if (!s)
        return READ_ON;
    if (forward(c, op, s, address, bytes, now)) {
        next_read(c, op);
        return READ_ON;
    }
    core_block(c, slot, CORE_L1D);
    return READ_BLOCKED;
}

static enum read_step step(struct core *c, u32 slot, u64 position, cycle_t now)
{
    const struct cpu_instruction *i = &c->instructions[slot];
    struct core_op *op = &c->ops[slot];
    u32 all = size_of(i->read_bytes[op->read]), before = op->read;
    u64 address = i->read[op->read] + op->read_done;
    cycle_t *pipe = core_free_pipe(c, CPU_LOAD, now);
    if (!pipe)
        return READ_BUSY;
    enum read_step s = READ_ON;
    if (!op->read_done)
        s = begin_read(c, slot, position, address, all, now);
    if (s == READ_ON && op->read == before)
        s = access_line(c, slot, address, all - op->read_done, now);
    if (s == READ_ON)
        *pipe = now + c->units[CPU_LOAD].interval;
    return s;
}

enum issue_answer lsq_issue_reads(struct core *c, u32 slot, cycle_t now)
{
    struct core_op *op = &c->ops[slot];
    u64 position = c->retired + ((slot - core_slot_of(c, c->retired)) & c->mask);
    while (op->read < c->instructions[slot].read_count) {
        switch (step(c, slot, position, now)) {
        case READ_ON:
            break;
        case READ_BUSY:
            return ISSUE_BUSY;
        case READ_BLOCKED:
            return ISSUE_BLOCKED;
        case READ_LATER:
            return ISSUE_LATER;
        }
    }
    return ISSUE_DONE;
}

/* ---- retired stores ------------------------------------------------------------------------ */

/* Lines of the oldest that is not in the L1D yet. False: it has to wait for an MSHR. */
static bool write_line(struct core *c, cycle_t now)
{
    struct core_store *s = store_at(c, c->store_access);
    u64 address = s->address + s->done_bytes;
    u32 line = c->caches.line_bytes;
    struct cache_access a = {.address = address,
                             .pc = s->pc,
                             .kind = WAIT_STORE,
                             .what = (u32)c->store_access & c->store_mask};
    enum access_answer answer = caches_access(&c->caches, &a, now);
    if (answer == ACCESS_BLOCKED)
        return false;
    if (!s->done_bytes)
        tlb_translate(&c->dtlb, address); /* when its address was known: off the critical path */
    s->lines_left += answer == ACCESS_MISS;
    s->done_bytes += line - (u32)(address & (line - 1));
    if (s->done_bytes >= s->bytes) {
        c->store_access++;
        c->counts.stores++;
    }
    return true;
}

/* They leave in order, each when all its lines are there. */
static void free_stores(struct core *c)
{
    u64 before = c->store_head;
    while (c->store_head < c->store_access && !store_at(c, c->store_head)->lines_left)
        filter_add(c, store_at(c, c->store_head++), -1);
    if (c->store_unissued < c->store_head)
        c->store_unissued = c->store_head;
    if (c->store_head != before)
        core_stores_moved(c);
}

cycle_t lsq_drain(struct core *c, cycle_t now)
{
    for (u32 i = 0; i < c->units[CPU_STORE].pipes && c->store_access < c->store_retired; i++) {
        if (c->store_blocked)
            break;
        c->store_blocked = !write_line(c, now);
    }
    bool was_full = c->store_head != c->store_access;
    free_stores(c);
    if (c->store_access < c->store_retired && !c->store_blocked)
        return now + 1;
    return was_full && c->store_head == c->store_access ? now + 1 : CYCLE_NEVER;
}
