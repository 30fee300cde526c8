/*
 * The merge phase: of a pair, one element follows the lists of rows and puts the first product of
 * each chunk into the scratchpad, the other sorts them and takes the smallest, again and again.
 *
 * A list is followed one latency of memory per chunk, so several rows are followed at once, as far
 * as the scratchpad has room and their lines fit the pair's cache. The successor of a product is
 * asked for when the product goes into the sorted list, and waits in the element's own scratchpad
 * until the product leaves it. A list with more heads than that scratchpad has places asks for the
 * successors of the heads that leave next: the places belong to its front.
 */
#include "fabric/programs/spgemm.h"

enum { SORT_NEXT, SORT_INSERT, SORT_MERGE, SORT_PASS, SORT_CHUNKS, SORT_ROW };

#define STEP_OPS (10u + CURSOR_AHEAD) /* the longest step, but for a list in memory */
#define FRONT_STEP                                                                                 \
    (CURSOR_AHEAD / 2) /* entries that get a place in a step: two operations each                  \
                        */

void spgemm_init_merge(struct spgemm *s, const struct fabric_config *c, struct arena *arena)
{
    u32 pairs = c->tile.count * c->tile.elements / 2;
    u64 longest = 0; /* run that a row with several passes may write */
    s->pairs = ARENA_ARRAY(arena, struct merge_pair, pairs);
    s->list_entries = c->rl1.bank_bytes / LIST_ENTRY_BYTES;
    s->lines = c->rl1.bank_bytes / c->line_bytes;
    s->own_entries = (u32)min_u64(c->tile.scratchpad_bytes / LIST_ENTRY_BYTES, c->tile.outstanding);
    for (u32 r = 0; r < s->a.rows; r++) {
        if (matrix_row_length(&s->a, r) > s->list_entries)
            longest = max_u64(longest, min_u64(s->c_start[r + 1] - s->c_start[r], s->b.columns));
    }
    for (u32 i = 0; i < pairs; i++) {
        struct merge_pair *p = &s->pairs[i];
        p->list = ARENA_ARRAY(arena, struct list_entry, s->list_entries);
        for (u32 k = 0; k < MERGE_ROWS; k++)
            p->rows[k].fetched = ARENA_ARRAY(arena, struct list_entry, s->list_entries);
        for (u32 k = 0; k < 2; k++) {
            p->run_columns[k] = arena_alloc_sparse(arena, (longest + 1) * sizeof(u32));
            p->run_values[k] = arena_alloc_sparse(arena, (longest + 1) * sizeof(double));
        }
    }
}

static struct merge_pair *pair_of(const struct spgemm *s, const struct fabric_turn *t)
{
    return &s->pairs[(t->tile * s->elements + t->element) / 2];
}

/* The row that is so many behind the one that is being sorted. */
static struct merge_row *row_of(struct merge_pair *p, u32 behind)
{
    return &p->rows[(p->first_row + behind) % MERGE_ROWS];
}

static struct merge_head *head_of(struct merge_pair *p, u32 behind)
{
    return &p->heads[(p->first_head + behind) % MERGE_ROWS];
}

void spgemm_begin_merge(struct spgemm *s, const struct fabric_turn *t, u64 row)
{
    struct merge_pair *p = pair_of(s, t);
    *head_of(p, p->heads_used++) = (struct merge_head){.row = (u32)row};
}

static struct cursor *cursors_of(const struct spgemm *s, const struct merge_row *r)
{
    return &s->cursors[s->a.start[r->row]];
}

static u64 list_address(const struct spgemm *s, const struct merge_pair *p, u64 entry)
{
    u64 index = (u64)(p - s->pairs) * s->list_entries + entry % s->list_entries;
    return spgemm_address(REGION_LISTS, index * LIST_ENTRY_BYTES);
}

/* ---- requests ------------------------------------------------------------------------------ */

static u64 *asked_by(struct merge_pair *p, const struct fabric_turn *t)
{
    return &p->asked[t->element & 1];
}

/* Its number. */
static u64 ask(struct merge_pair *p, struct fabric_turn *t, u64 address, u32 bytes)
{
    fabric_emit(t, OP_LOAD, address, bytes);
    return ++*asked_by(p, t);
}

/* Until the load of this number (of which 32 bits are enough), and all before it, have been
 * answered. */
static void wait_for(struct merge_pair *p, struct fabric_turn *t, u64 number)
{
    fabric_emit(t, OP_WAIT, 0, (u32)*asked_by(p, t) - (u32)number);
}

/* ---- the list of heads --------------------------------------------------------------------- */

/* Accesses to the list: to the pair's scratchpad bank; without one, to memory. */
static void use_list(struct merge_pair *p, struct fabric_turn *t, u32 reads, u32 writes)
{
    if (t->mode == FABRIC_PRIVATE) {
        fabric_emit(t, OP_BANK, 0, reads + writes);
    } else {
        p->owed_reads += reads;
        p->owed_writes += writes;
    }
}

static bool owes(const struct merge_pair *p)
{
    return p->owed_reads || p->owed_writes;
}

/* Each read says where the next one is. */
static void pay(const struct spgemm *s, struct merge_pair *p, struct fabric_turn *t)
{
    for (; p->owed_reads && fabric_has_room(t, 2); p->owed_reads--)
        wait_for(p, t, ask(p, t, list_address(s, p, p->owed_reads), LIST_ENTRY_BYTES));
    for (; p->owed_writes && fabric_has_room(t, 1); p->owed_writes--)
        fabric_emit(t, OP_STORE, list_address(s, p, p->owed_writes), LIST_ENTRY_BYTES);
}

/* By column, and within one by the place of the chunk, so that sums have one order. */
static bool comes_before(const struct spgemm *s, const struct merge_row *r,
                         const struct list_entry *a, const struct list_entry *b)
{
    if (a->column != b->column)
        return a->column < b->column;
    const struct cursor *c = cursors_of(s, r), *x = &c[a->cursor], *y = &c[b->cursor];
    return x->is_run != y->is_run ? x->is_run : x->address < y->address;
}

/* Into the linked list, behind the smaller ones, which are read one after the other, and the first
 * that is not; then the entry is written, and the link of the one before it. Returns how many are
 * before it. The array is ours: it has the same order. */
static u32 insert(struct spgemm *s, struct merge_pair *p, struct fabric_turn *t,
                  struct list_entry e)
{
    const struct merge_row *r = row_of(p, 0);
    u32 at = p->sorted++, passed = 0;
    bool is_last; /* nothing is behind it */
    for (; at > 0 && comes_before(s, r, &p->list[at - 1], &e); at--, passed++)
        p->list[at] = p->list[at - 1];
    is_last = at == 0;
    p->list[at] = e;
    s->counts.list_steps += passed;
    use_list(p, t, passed + !is_last, 1 + (passed > 0));
    fabric_emit(t, OP_COMPUTE, 0, passed + 1);
    return passed;
}

/* ---- products ------------------------------------------------------------------------------ */

static u64 ask_product(struct merge_pair *p, struct fabric_turn *t, const struct cursor *c)
{
    return ask(p, t, c->address + (u64)c->ahead * ELEMENT_BYTES, ELEMENT_BYTES);
}

/* Its load has been asked for. */
static struct list_entry take(struct spgemm *s, struct cursor *c, u32 index)
{
    struct list_entry e = {.column = *c->column++, .cursor = index, .value = *c->value++};
    *(c->is_run ? &s->counts.run_element_reads : &s->counts.chunk_element_reads) += 1;
    c->left--;
    c->address += ELEMENT_BYTES;
    c->taken++;
    return e;
}

/* Not every head has a place for its successor. */
static bool is_long(const struct spgemm *s, const struct merge_row *r)
{
    return r->cursors > s->own_entries;
}

/* Successors are asked for while there is a place for them to wait in. */
static void ask_ahead(struct merge_pair *p, struct fabric_turn *t, struct cursor *c)
{
    for (; c->ahead < p->ahead && c->ahead < c->left; c->ahead++)
        c->asked[(c->taken + c->ahead) % CURSOR_AHEAD] = (u32)ask_product(p, t, c);
}

static struct list_entry take_successor(struct spgemm *s, struct merge_pair *p,
                                        struct fabric_turn *t, struct cursor *c, u32 index)
{
    if (c->ahead) {
        wait_for(p, t, c->asked[c->taken % CURSOR_AHEAD]);
        fabric_emit(t, OP_SCRATCHPAD, 0, 1);
        c->ahead--;
        p->places++;
    } else {
        wait_for(p, t, ask_product(p, t, c));
    }
    struct list_entry e = take(s, c, index);
    if (!is_long(s, row_of(p, 0)))
        ask_ahead(p, t, c);
    return e;
}

/* Of a long list: the successor of an entry, if it has one. */
static void ask_in_place(struct spgemm *s, struct merge_pair *p, struct fabric_turn *t,
                         const struct list_entry *e)
{
    struct cursor *c = &cursors_of(s, row_of(p, 0))[e->cursor];
    if (!c->left)
        return;
    ask_ahead(p, t, c);
    p->places--;
}

/* The front of a long list has the places: each that is free goes to the first entry without. A
 * pointer to that entry is kept, so it takes one read of the list. */
static void widen_front(struct spgemm *s, struct merge_pair *p, struct fabric_turn *t)
{
    for (u32 n = 0; n < FRONT_STEP && p->places && p->front < p->sorted; n++) {
        use_list(p, t, 1, 0);
        ask_in_place(s, p, t, &p->list[p->sorted - 1 - p->front]);
        p->front++;
    }
}

/* As many successors of each chunk as the element's scratchpad has places for. */
static u32 successors_ahead(const struct spgemm *s, const struct merge_row *r)
{
    return (u32)min_u64(max_u64(s->own_entries / r->cursors, 1), CURSOR_AHEAD);
}

/* ---- chunks -------------------------------------------------------------------------------- */

/* The head of a row's next chunk, which says where the one behind it is, and its first product. */
static u64 ask_chunk(const struct spgemm *s, struct merge_pair *p, struct fabric_turn *t, u32 chunk)
{
    ask(p, t, spgemm_chunk_address(s, chunk), CHUNK_HEAD_BYTES);
    return ask(p, t, spgemm_chunk_address(s, chunk) + CHUNK_HEAD_BYTES, ELEMENT_BYTES);
}

/* Into the list, unsorted. */
static void take_chunk(struct spgemm *s, struct merge_pair *p, struct merge_row *r,
                       struct fabric_turn *t)
{
    u32 chunk = r->chunk, inner = s->chunk_inner[chunk], index = r->cursors++;
    struct cursor *c = &cursors_of(s, r)[index];
    *c = (struct cursor){.column = s->b.column + s->b.start[inner],
                         .value = s->products + s->first_product[chunk],
                         .left = spgemm_chunk_length(s, chunk),
                         .address = spgemm_chunk_address(s, chunk) + CHUNK_HEAD_BYTES};
    r->fetched[index] = take(s, c, index);
    if (t->mode == FABRIC_PRIVATE)
        fabric_emit(t, OP_BANK, 0, 1);
    else
        fabric_emit(t, OP_STORE, list_address(s, p, index), LIST_ENTRY_BYTES);
    r->chunk = s->next_chunk[chunk];
}

/* ---- the one who fetches ------------------------------------------------------------------- */

static u32 entries_of(const struct spgemm *s, u32 row)
{
    return (u32)min_u64(s->row_chunks[row], s->list_entries);
}

/* Beside the row that is being sorted and the one behind it: only what half of the cache has lines
 * for. */
static bool has_room(const struct spgemm *s, const struct merge_pair *p, u32 row)
{
    u32 entries = p->entries_used + entries_of(s, row);
    return p->rows_used < MERGE_ROWS &&
           entries <= (p->rows_used < 2 ? s->list_entries : min_u64(s->lines / 2, s->list_entries));
}

static void start_row(struct spgemm *s, struct merge_pair *p, struct fabric_turn *t, u32 row)
{
    struct merge_row *r = row_of(p, p->rows_used++);
    r->row = row;
    r->chunk = s->head_chunk[row];
    r->chunks = s->row_chunks[row];
    r->cursors = 0;
    r->is_ready = false;
    r->asked = ask_chunk(s, p, t, r->chunk);
    p->entries_used += entries_of(s, row);
}

static void take_head(struct merge_pair *p)
{
    p->first_head = (p->first_head + 1) % MERGE_ROWS;
    p->heads_used--;
}

/* The row whose load was sent first; NULL: none is on its way. */
static struct merge_row *oldest_row(struct merge_pair *p)
{
    struct merge_row *oldest = NULL;
    for (u32 i = 0; i < p->rows_used; i++) {
        struct merge_row *r = row_of(p, i);
        if (r->asked && (!oldest || r->asked < oldest->asked))
            oldest = r;
    }
    return oldest;
}

static void follow_list(struct spgemm *s, struct merge_pair *p, struct fabric_turn *t,
                        struct merge_row *r)
{
    wait_for(p, t, r->asked);
    take_chunk(s, p, r, t);
    bool goes_on = r->cursors < entries_of(s, r->row);
    r->asked = goes_on ? ask_chunk(s, p, t, r->chunk) : 0;
    p->fetched = goes_on ? NULL : r;
}

/* What was fetched in the turn before is in the scratchpad now. */
static void hand_over(struct merge_pair *p, struct fabric_turn *t)
{
    p->fetched->is_ready = true;
    p->fetched = NULL;
    fabric_emit(t, OP_WAKE, 0, t->element + 1);
}

static void ask_heads(struct merge_pair *p, struct fabric_turn *t)
{
    for (u32 i = 0; i < p->heads_used; i++) {
        struct merge_head *h = head_of(p, i);
        if (!h->asked)
            h->asked = ask(p, t, spgemm_address(REGION_HEADS, (u64)h->row * 8), 8);
    }
}

/* False: it has to wait for room. */
static bool open_list(struct spgemm *s, struct merge_pair *p, struct fabric_turn *t)
{
    struct merge_head h = *head_of(p, 0);
    bool is_empty = s->head_chunk[h.row] == NO_CHUNK;
    if (!is_empty && !has_room(s, p, h.row))
        return false;
    wait_for(p, t, h.asked);
    if (!is_empty)
        start_row(s, p, t, h.row);
    take_head(p);
    return true;
}

/* A row that is behind a long one would wait while other pairs have nothing to do: rows whose lists
 * are not open yet go back. The answers of their heads come, and nobody looks at them. */
static bool return_rows(const struct spgemm *s, struct merge_pair *p, struct fabric_turn *t)
{
    bool is_long = false;
    for (u32 i = 0; i < p->rows_used; i++)
        is_long |= row_of(p, i)->chunks > s->lines;
    if (!is_long)
        return false;
    for (; p->heads_used; take_head(p))
        fabric_emit(t, OP_RETURN, head_of(p, 0)->row, 0);
    return true;
}

/* Another row is asked for while there is room for an average one. */
static void ask_more(const struct spgemm *s, const struct merge_pair *p, struct fabric_turn *t)
{
    if (p->heads_used < MERGE_ROWS / 2 && p->rows_used + p->heads_used < MERGE_ROWS &&
        p->entries_used < s->lines / 4)
        fabric_emit(t, OP_MORE, 0, 0);
}

static void fetch(struct spgemm *s, struct merge_pair *p, struct fabric_turn *t)
{
    if (p->fetched)
        hand_over(p, t);
    if (!return_rows(s, p, t)) {
        ask_heads(p, t);
        ask_more(s, p, t);
    }
    struct merge_row *r = oldest_row(p);
    bool is_opened = p->heads_used && (!r || head_of(p, 0)->asked < r->asked) && open_list(s, p, t);
    if (!is_opened && r)
        follow_list(s, p, t, r);
    if (!is_opened && !r)
        fabric_emit(t, p->heads_used ? OP_PARK : OP_END, 0, 0);
}

/* ---- the one who sorts --------------------------------------------------------------------- */

static bool is_last_pass(const struct merge_row *r)
{
    return r->chunk == NO_CHUNK;
}

/* To the row of C, or to a run that the next pass takes. */
static void store_sum(struct spgemm *s, struct merge_pair *p, struct fabric_turn *t)
{
    const struct merge_row *r = row_of(p, 0);
    u64 at = p->written++, pair = (u64)(p - s->pairs);
    p->has_sum = false;
    if (is_last_pass(r)) {
        u64 to = s->c_start[r->row] + at;
        s->c_columns[to] = p->sum.column;
        s->c_values[to] = p->sum.value;
        s->counts.elements_c++;
        fabric_emit(t, OP_STORE,
                    spgemm_address(REGION_C, to * ELEMENT_BYTES + (u64)r->row * SECTOR_BYTES),
                    ELEMENT_BYTES);
        return;
    }
    p->run_columns[p->run][at] = p->sum.column;
    p->run_values[p->run][at] = p->sum.value;
    s->counts.run_element_writes++;
    fabric_emit(t, OP_STORE, spgemm_run_address(s, pair, p->run) + at * ELEMENT_BYTES,
                ELEMENT_BYTES);
}

/* The first product of a chunk, or of a run. */
static void insert_first(struct spgemm *s, struct merge_pair *p, struct fabric_turn *t)
{
    struct merge_row *r = row_of(p, 0);
    struct list_entry e = r->fetched[p->sorted];
    use_list(p, t, 1, 0);
    if (!is_long(s, r))
        ask_ahead(p, t, &cursors_of(s, r)[e.cursor]);
    insert(s, p, t, e);
}

/* Takes the smallest, and its successor into the list. */
static void merge_one(struct spgemm *s, struct merge_pair *p, struct fabric_turn *t)
{
    bool has_front = is_long(s, row_of(p, 0));
    if (has_front)
        widen_front(s, p, t);
    struct list_entry e = p->list[--p->sorted];
    struct cursor *c = &cursors_of(s, row_of(p, 0))[e.cursor];
    p->front -= p->front > 0;
    use_list(p, t, 1, 0);
    fabric_emit(t, OP_COMPUTE, 0, 2); /* is it the same column; add */
    if (p->has_sum && p->sum.column == e.column) {
        p->sum.value += e.value;
    } else {
        if (p->has_sum)
            store_sum(s, p, t);
        p->sum = e;
        p->has_sum = true;
    }
    if (!c->left)
        return;
    e = take_successor(s, p, t, c, e.cursor);
    if (insert(s, p, t, e) < p->front) {
        ask_in_place(s, p, t, &e); /* in the place that its predecessor had */
        p->front++;
    }
}

/* What was merged is the first list of the next pass. */
static void begin_pass(struct spgemm *s, struct merge_pair *p, struct fabric_turn *t)
{
    struct merge_row *r = row_of(p, 0);
    struct cursor *c = cursors_of(s, r);
    *c = (struct cursor){.column = p->run_columns[p->run],
                         .value = p->run_values[p->run],
                         .left = p->written,
                         .address = spgemm_run_address(s, (u64)(p - s->pairs), p->run),
                         .is_run = true};
    r->cursors = 1;
    wait_for(p, t, ask_product(p, t, c));
    r->fetched[0] = take(s, c, 0);
    p->run ^= 1;
    s->counts.passes++;
}

static void end_row(struct spgemm *s, struct merge_pair *p, struct fabric_turn *t)
{
    struct merge_row *r = row_of(p, 0);
    s->c_length[r->row] = p->written;
    fabric_emit(t, OP_STORE, spgemm_address(REGION_C_LENGTH, (u64)r->row * 8), 8);
    fabric_emit(t, OP_WAKE, 0, t->element - 1);
    s->counts.merged_rows++;
    s->counts.passes++;
    s->counts.multi_pass_rows += r->chunks > s->list_entries;
    p->entries_used -= entries_of(s, r->row);
    r->is_ready = false;
    p->first_row = (p->first_row + 1) % MERGE_ROWS;
    p->rows_used--;
}

/* One step; it may take no operation, unless it is the last of a batch. */
static void sort_step(struct spgemm *s, struct merge_pair *p, struct fabric_turn *t)
{
    struct merge_row *r = row_of(p, 0);
    switch (p->sort_step) {
    case SORT_NEXT:
        p->sorted = 0;
        p->written = 0;
        p->ahead = successors_ahead(s, r);
        p->front = 0;
        p->places = s->own_entries;
        p->sort_step = SORT_INSERT;
        break;
    case SORT_INSERT:
        if (p->sorted < r->cursors)
            insert_first(s, p, t);
        else
            p->sort_step = SORT_MERGE;
        break;
    case SORT_MERGE:
        if (p->sorted)
            merge_one(s, p, t);
        else
            p->sort_step = SORT_PASS;
        break;
    case SORT_PASS:
        if (p->has_sum)
            store_sum(s, p, t);
        p->sort_step = is_last_pass(r) ? SORT_ROW : SORT_CHUNKS;
        if (p->sort_step == SORT_CHUNKS)
            begin_pass(s, p, t);
        break;
    case SORT_CHUNKS:
        if (r->chunk != NO_CHUNK && r->cursors < s->list_entries) {
            wait_for(p, t, ask_chunk(s, p, t, r->chunk));
            take_chunk(s, p, r, t);
        } else {
            p->sort_step = SORT_NEXT;
        }
        break;
    }
}

/* What a row leaves to others happens when all of its operations have been issued. */
static void sort(struct spgemm *s, struct merge_pair *p, struct fabric_turn *t)
{
    pay(s, p, t);
    if (p->sort_step == SORT_ROW && !t->count) {
        end_row(s, p, t);
        p->sort_step = SORT_NEXT;
        return;
    }
    if (p->sort_step == SORT_NEXT && !(p->rows_used && row_of(p, 0)->is_ready)) {
        fabric_emit(t, OP_PARK, 0, 0);
        return;
    }
    while (p->sort_step != SORT_ROW && !owes(p) && fabric_has_room(t, STEP_OPS)) {
        sort_step(s, p, t);
        if (owes(p))
            pay(s, p, t);
    }
}

void spgemm_merge(struct spgemm *s, struct fabric_turn *t)
{
    struct merge_pair *p = pair_of(s, t);
    if (t->element & 1)
        sort(s, p, t);
    else
        fetch(s, p, t);
    if (!t->count) /* a step without operations: the next does */
        spgemm_merge(s, t);
}
