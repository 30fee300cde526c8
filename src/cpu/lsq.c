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

/* ---- a read of an instruction, or of one of its elements ---------------------------------------
 */

static u64 read_address(const struct cpu_instruction *i, u32 k)
{
    return UNLIKELY(!i->read_count) ? i->vector->address[k] : i->read[k];
}

static u32 read_bytes(const struct cpu_instruction *i, u32 k)
{
    return UNLIKELY(!i->read_count) ? i->vector->element_bytes : i->read_bytes[k];
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

static const struct lsq_store *find_conflict(const struct lsq *q, u64 position, u64 address,
                                             u32 bytes)
{
    for (u64 at = q->tail; at-- > q->head;) {
        const struct lsq_store *s = store_at(q, at);
        if (s->seq < position && address < s->address + s->bytes && s->address < address + bytes)
            return s;
    }
    return NULL;
}

/* The youngest store before a position that writes some of these bytes; NULL: none. */
static inline const struct lsq_store *conflict(const struct lsq *q, u64 position, u64 address,
                                               u32 bytes)
{
    return UNLIKELY(may_meet(q, address, bytes)) ? find_conflict(q, position, address, bytes)
                                                 : NULL;
}

const struct lsq_store *lsq_conflict(const struct lsq *q, u64 position, u64 address, u32 bytes)
{
    return conflict(q, position, address, bytes);
}

/* A size that is not known is taken as one byte: addresses that are equal meet. */
static u32 size_of(u32 bytes)
{
    return bytes ? bytes : 1;
}

static void put_store(struct lsq *q, u64 position, const struct cpu_instruction *i, u32 k)
{
    bool is_element = UNLIKELY(!i->write_count);
    struct lsq_store *s = store_at(q, q->tail++);
    *s = (struct lsq_store){.seq = position,
                            .pc = i->pc,
                            .address = is_element ? i->vector->address[k] : i->write[k],
                            .bytes =
                                size_of(is_element ? i->vector->element_bytes : i->write_bytes[k])};
    filter_add(q, s, 1);
}

void lsq_dispatch(struct lsq *q, u64 position)
{
    u32 slot = rob_slot(q->with.rob, position);
    const struct cpu_instruction *i = &q->with.rob->instructions[slot];
    for (u32 k = 0, reads = i->read_count; k < reads; k++) {
        const struct lsq_store *s = conflict(q, position, i->read[k], size_of(i->read_bytes[k]));
        if (UNLIKELY(s != NULL))
            issue_depend_on(q->with.issue, slot, CPU_MOST_SOURCES + k, s->seq);
    }
    for (u32 k = 0, writes = lsq_writes_of(i); k < writes; k++)
        put_store(q, position, i, k);
    q->loads_held += lsq_reads_of(i);
}

void lsq_line_came(struct lsq *q, u32 what)
{
    q->stores[what].lines_left--;
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

/* A read as it is accessed: of which instruction, and what of it. */
struct read {
    u32 slot;
    struct rob_entry *op;
    const struct cpu_instruction *instruction;
    u64 position;
};

/* The line of a read that comes next. */
static inline enum read_step access_line(struct lsq *q, const struct read *r, u64 address,
                                         u32 bytes, cycle_t now)
{
    struct rob_entry *op = r->op;
    u32 word = q->word_bytes, left = word - (u32)(address & (word - 1));
    struct cache_access a = {
        .address = address, .pc = r->instruction->pc, .kind = WAIT_LOAD, .what = r->slot};
    enum access_answer answer = caches_access(q->with.caches, &a, now);
    if (LIKELY(answer == ACCESS_HIT)) {
        op->ready_at = max_u64(op->ready_at, now + q->with.config->address_cycles +
                                                 q->with.caches->l1d.config->hit_cycles);
    } else if (answer == ACCESS_MISS) {
        op->lines_left++;
    } else {
        issue_block(q->with.issue, r->slot, CORE_MSHR);
        return READ_BLOCKED;
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
static inline enum read_step begin_read(struct lsq *q, const struct read *r, u64 address, u32 bytes,
                                        cycle_t now)
{
    struct rob_entry *op = r->op;
    if (!op->is_translated) {
        u32 extra = tlb_translate(q->with.dtlb, address);
        op->is_translated = true;
        if (extra) {
            op->waits = CORE_TLB;
            issue_schedule(q->with.issue, r->slot, now + extra, now);
            return READ_LATER;
        }
    }
    if (UNLIKELY(waits_for_addresses(q, r->position))) {
        issue_block(q->with.issue, r->slot, CORE_L1D);
        return READ_BLOCKED;
    }
    const struct lsq_store *s = conflict(q, r->position, address, bytes);
    if (LIKELY(!s))
        return READ_ON;
    if (!waits_for_order(q, s) && has_data(q, s) && forward(q, op, s, address, bytes, now)) {
        next_read(q, op);
        return READ_ON;
    }
    issue_block(q->with.issue, r->slot, CORE_L1D);
    return READ_BLOCKED;
}

static inline enum read_step step(struct lsq *q, const struct read *r, cycle_t now)
{
    const struct cpu_instruction *i = r->instruction;
    struct rob_entry *op = r->op;
    u32 before = op->read, all = size_of(read_bytes(i, before));
    u64 address = read_address(i, before) + op->read_done;
    cycle_t *pipe = issue_free_pipe(q->with.issue, CPU_LOAD, now);
    if (!pipe)
        return READ_BUSY;
    enum read_step s = READ_ON;
    if (!op->read_done)
        s = begin_read(q, r, address, all, now);
    if (UNLIKELY(!i->read_count) && s == READ_ON && op->read == before && merges(q, i, before)) {
        next_read(q, op);
        q->with.vector->counts.merged_elements++;
        return READ_ON;
    }
    if (s == READ_ON && op->read == before)
        s = access_line(q, r, address, all - op->read_done, now);
    if (s == READ_ON && !goes_on(q, op, before, address))
        *pipe = now + q->with.issue->units[CPU_LOAD].interval;
    return s;
}

enum issue_answer lsq_issue_reads(struct lsq *q, u32 slot, cycle_t now)
{
    static const u8 answers[] = {[READ_ON] = ISSUE_DONE,
                                 [READ_BUSY] = ISSUE_BUSY,
                                 [READ_BLOCKED] = ISSUE_BLOCKED,
                                 [READ_LATER] = ISSUE_LATER};
    const struct rob *rob = q->with.rob;
    const struct read r = {.slot = slot,
                           .op = &rob->entries[slot],
                           .instruction = &rob->instructions[slot],
                           .position = rob_position(rob, slot)};
    enum read_step s = READ_ON;
    for (u32 reads = lsq_reads_of(r.instruction); s == READ_ON && r.op->read < reads;)
        s = step(q, &r, now);
    return (enum issue_answer)answers[s];
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
