/* Order, forwarding, and retired stores. */
#include "cpu/lsq.h"

#include "cpu/vector.h"

#define FILTER 1024u /* counts of stores in the queue, by 8 bytes of address */
#define FILTER_MOST 8u

void lsq_init(struct lsq *q, struct arena *arena, const struct lsq_parts *with)
{
    u32 room = CPU_MOST_WRITES;
    while (room < with->config->store_entries ||
           room < CPU_MOST_ELEMENTS) /* a scatter goes alone */
        room *= 2;
    *q = (struct lsq){.with = *with, .mask = room - 1};
    q->word_bytes = (u32)min_u64(with->vector->bus_bytes, with->caches->line_bytes);
    q->stores = ARENA_ARRAY(arena, struct lsq_store, room);
    q->filter = ARENA_ARRAY(arena, u16, FILTER);
}

/* ---- reads and writes of an instruction: those that it has itself, or those of its elements ----
 */

static u32 reads_of(const struct cpu_instruction *i)
{
    if (UNLIKELY(i->vector && i->vector->count && !i->vector->is_scatter))
        return i->vector->count;
    return i->read_count;
}

static u32 writes_of(const struct cpu_instruction *i)
{
    if (UNLIKELY(i->vector && i->vector->count && i->vector->is_scatter))
        return i->vector->count;
    return i->write_count;
}

static u64 read_address(const struct cpu_instruction *i, u32 k)
{
    return UNLIKELY(!i->read_count) ? i->vector->address[k] : i->read[k];
}

static u32 read_bytes(const struct cpu_instruction *i, u32 k)
{
    return UNLIKELY(!i->read_count) ? i->vector->element_bytes : i->read_bytes[k];
}

bool lsq_has_room(const struct lsq *q, const struct cpu_instruction *i)
{
    /* an instruction with more than there are entries goes alone */
    u32 reads = reads_of(i), writes = writes_of(i);
    bool loads = q->loads_held + reads <= q->with.config->load_entries || !q->loads_held;
    u64 stores = q->tail - q->head;
    return loads && (stores + writes <= q->with.config->store_entries || !writes || !stores);
}

bool lsq_is_empty(const struct lsq *q)
{
    return q->head == q->tail;
}

static struct lsq_store *store_at(const struct lsq *q, u64 position)
{
    return &q->stores[position & q->mask];
}

/* ---- which stores a load meets ------------------------------------------------------------- */

static bool is_wide(u64 address, u32 bytes)
{
    return (address + bytes - 1) / 8 - address / 8 >= FILTER_MOST;
}

static void filter_add(struct lsq *q, const struct lsq_store *s, i32 by)
{
    if (is_wide(s->address, s->bytes)) {
        q->wide_stores += (u32)by;
        return;
    }
    for (u64 at = s->address / 8; at <= (s->address + s->bytes - 1) / 8; at++)
        q->filter[at % FILTER] = (u16)(q->filter[at % FILTER] + by);
}

static bool may_meet(const struct lsq *q, u64 address, u32 bytes)
{
    if (q->head == q->tail)
        return false;
    if (q->wide_stores || is_wide(address, bytes))
        return true;
    for (u64 at = address / 8; at <= (address + bytes - 1) / 8; at++) {
        if (q->filter[at % FILTER])
            return true;
    }
    return false;
}

const struct lsq_store *lsq_conflict(const struct lsq *q, u64 position, u64 address, u32 bytes)
{
    if (!may_meet(q, address, bytes))
        return NULL;
    for (u64 at = q->tail; at-- > q->head;) {
        const struct lsq_store *s = store_at(q, at);
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

void lsq_dispatch(struct lsq *q, u64 position)
{
    u32 slot = rob_slot(q->with.rob, position);
    const struct cpu_instruction *i = &q->with.rob->instructions[slot];
    for (u32 k = 0; k < i->read_count; k++) {
        const struct lsq_store *s =
            lsq_conflict(q, position, i->read[k], size_of(i->read_bytes[k]));
        if (s)
            issue_depend_on(q->with.issue, slot, CPU_MOST_SOURCES + k, s->seq);
    }
    for (u32 k = 0; k < writes_of(i); k++) {
        bool is_element = UNLIKELY(!i->write_count);
        struct lsq_store *s = store_at(q, q->tail++);
        *s = (struct lsq_store){
            .seq = position,
            .pc = i->pc,
            .address = is_element ? i->vector->address[k] : i->write[k],
            .bytes = size_of(is_element ? i->vector->element_bytes : i->write_bytes[k])};
        filter_add(q, s, 1);
    }
    q->loads_held += reads_of(i);
}

void lsq_line_came(struct lsq *q, u32 what)
{
    q->stores[what].lines_left--;
}

void lsq_retire(struct lsq *q, const struct cpu_instruction *i)
{
    q->loads_held -= reads_of(i);
    q->retired += writes_of(i);
}

/* ---- reads --------------------------------------------------------------------------------- */

static bool waits_for_addresses(const struct lsq *q, u64 position)
{
    return q->with.config->loads_wait == LOADS_WAIT_STORES && q->unissued < q->tail &&
           store_at(q, q->unissued)->seq < position;
}

/* Stores that execute in order: one before this store has not. */
static bool waits_for_order(const struct lsq *q, const struct lsq_store *s)
{
    return q->with.config->loads_wait == LOADS_WAIT_ORDER && q->unissued < q->tail &&
           store_at(q, q->unissued)->seq < s->seq;
}

void lsq_store_done(struct lsq *q)
{
    u64 before = q->unissued;
    while (q->unissued < q->tail) {
        u64 seq = store_at(q, q->unissued)->seq;
        if (seq >= q->with.rob->retired &&
            q->with.rob->entries[rob_slot(q->with.rob, seq)].stage != OP_DONE)
            break;
        q->unissued++;
    }
    if (q->unissued != before)
        issue_stores_moved(q->with.issue);
}

/* The whole of one read, from a store in the queue. */
static bool forward(struct lsq *q, struct rob_entry *op, const struct lsq_store *s, u64 address,
                    u32 bytes, cycle_t now)
{
    const struct lsq_config *l = q->with.config;
    if (address < s->address || address + bytes > s->address + s->bytes)
        return false;
    op->ready_at = max_u64(op->ready_at, now + l->address_cycles + l->forward_cycles);
    q->with.counts->forwards++;
    return true;
}

enum read_step { READ_ON, READ_BUSY, READ_BLOCKED, READ_LATER };

static void next_read(struct lsq *q, struct rob_entry *op)
{
    q->with.counts->loads++;
    op->read++;
    op->read_done = 0;
    op->is_translated = false;
}

/* The line of a read that comes next. */
static enum read_step access_line(struct lsq *q, u32 slot, u64 address, u32 bytes, cycle_t now)
{
    struct rob_entry *op = &q->with.rob->entries[slot];
    u32 word = q->word_bytes, left = word - (u32)(address & (word - 1));
    struct cache_access a = {.address = address,
                             .pc = q->with.rob->instructions[slot].pc,
                             .kind = WAIT_LOAD,
                             .what = slot};
    switch (caches_access(q->with.caches, &a, now)) {
    case ACCESS_BLOCKED:
        issue_block(q->with.issue, slot, CORE_MSHR);
        return READ_BLOCKED;
    case ACCESS_MISS:
        op->lines_left++;
        break;
    case ACCESS_HIT:
        op->ready_at = max_u64(op->ready_at, now + q->with.config->address_cycles +
                                                 q->with.caches->l1d.config->hit_cycles);
    }
    op->read_done += left;
    if (left >= bytes)
        next_read(q, op);
    return READ_ON;
}

/* Gathers do not wait for the stores of their elements before they issue. */
static bool has_data(const struct lsq *q, const struct lsq_store *s)
{
    return s->seq < q->with.rob->retired ||
           q->with.rob->entries[rob_slot(q->with.rob, s->seq)].stage == OP_DONE;
}

/* The line of the element before has been accessed for this one too. */
static bool merges(const struct lsq *q, const struct cpu_instruction *i, u32 k)
{
    u64 line = q->with.caches->line_bytes, at = i->vector->address[k];
    u32 bytes = i->vector->element_bytes;
    return k && at / line == i->vector->address[k - 1] / line &&
           (at + bytes - 1) / line == at / line;
}

/* The same bus word as the part before: a bus wider than a line. */
static bool goes_on(const struct lsq *q, const struct rob_entry *op, u32 before, u64 address)
{
    u64 bus = q->with.vector->bus_bytes, line = q->with.caches->line_bytes;
    return bus > line && op->read == before && (address / line + 1) * line % bus;
}

/* Before its first line: the page, and the stores before it. */
static enum read_step begin_read(struct lsq *q, u32 slot, u64 position, u64 address, u32 bytes,
                                 cycle_t now)
{
    struct rob_entry *op = &q->with.rob->entries[slot];
    if (!op->is_translated) {
        u32 extra = tlb_translate(q->with.dtlb, address);
        op->is_translated = true;
        if (extra) {
            op->waits = CORE_TLB;
            issue_schedule(q->with.issue, slot, now + extra, now);
            return READ_LATER;
        }
    }
    if (UNLIKELY(waits_for_addresses(q, position))) {
        issue_block(q->with.issue, slot, CORE_L1D);
        return READ_BLOCKED;
    }
    const struct lsq_store *s = lsq_conflict(q, position, address, bytes);
    if (!s)
        return READ_ON;
    if (!waits_for_order(q, s) && has_data(q, s) && forward(q, op, s, address, bytes, now)) {
        next_read(q, op);
        return READ_ON;
    }
    issue_block(q->with.issue, slot, CORE_L1D);
    return READ_BLOCKED;
}

static enum read_step step(struct lsq *q, u32 slot, u64 position, cycle_t now)
{
    const struct cpu_instruction *i = &q->with.rob->instructions[slot];
    struct rob_entry *op = &q->with.rob->entries[slot];
    u32 all = size_of(read_bytes(i, op->read)), before = op->read;
    u64 address = read_address(i, op->read) + op->read_done;
    cycle_t *pipe = issue_free_pipe(q->with.issue, CPU_LOAD, now);
    if (!pipe)
        return READ_BUSY;
    enum read_step s = READ_ON;
    if (!op->read_done)
        s = begin_read(q, slot, position, address, all, now);
    if (UNLIKELY(!i->read_count) && s == READ_ON && op->read == before && merges(q, i, before)) {
        next_read(q, op);
        q->with.vector->counts.merged_elements++;
        return READ_ON;
    }
    if (s == READ_ON && op->read == before)
        s = access_line(q, slot, address, all - op->read_done, now);
    if (s == READ_ON && !goes_on(q, op, before, address))
        *pipe = now + q->with.issue->units[CPU_LOAD].interval;
    return s;
}

enum issue_answer lsq_issue_reads(struct lsq *q, u32 slot, cycle_t now)
{
    struct rob_entry *op = &q->with.rob->entries[slot];
    u64 position = rob_position(q->with.rob, slot);
    while (op->read < reads_of(&q->with.rob->instructions[slot])) {
        switch (step(q, slot, position, now)) {
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
static bool write_line(struct lsq *q, cycle_t now)
{
    struct lsq_store *s = store_at(q, q->access);
    u64 address = s->address + s->done_bytes;
    u32 word = q->word_bytes;
    struct cache_access a = {
        .address = address, .pc = s->pc, .kind = WAIT_STORE, .what = (u32)q->access & q->mask};
    enum access_answer answer = caches_access(q->with.caches, &a, now);
    if (answer == ACCESS_BLOCKED)
        return false;
    if (!s->done_bytes)
        tlb_translate(q->with.dtlb,
                      address); /* when its address was known: off the critical path */
    s->lines_left += answer == ACCESS_MISS;
    s->done_bytes += word - (u32)(address & (word - 1));
    if (s->done_bytes >= s->bytes) {
        q->access++;
        q->with.counts->stores++;
    }
    return true;
}

/* They leave in order, each when all its lines are there. */
static void free_stores(struct lsq *q)
{
    u64 before = q->head;
    while (q->head < q->access && !store_at(q, q->head)->lines_left)
        filter_add(q, store_at(q, q->head++), -1);
    if (q->unissued < q->head)
        q->unissued = q->head;
    if (q->head != before)
        issue_stores_moved(q->with.issue);
}

cycle_t lsq_move(struct lsq *q, cycle_t now)
{
    for (u32 i = 0; i < q->with.issue->units[CPU_STORE].pipes && q->access < q->retired; i++) {
        if (q->is_blocked)
            break;
        q->is_blocked = !write_line(q, now);
    }
    u64 head = q->head;
    free_stores(q);
    if (q->access < q->retired && !q->is_blocked)
        return now + 1;
    return q->head != head ? now + 1 : CYCLE_NEVER; /* dispatch has room then */
}
