#include "fabric/programs/spgemm.h"

enum { FETCH_HEAD, FETCH_RESERVE, FETCH_CHUNKS, FETCH_READY };
enum { SORT_NEXT, SORT_INSERT, SORT_MERGE, SORT_PASS, SORT_CHUNKS, SORT_ROW };

#define STEP_OPS 8u /* the longest step, but for a list in memory */

void spgemm_init_merge(struct spgemm *s, const struct fabric_config *c, struct arena *arena)
{
    u32 pairs = c->tile.count * c->tile.elements / 2;
    u64 longest = 0; /* run that a row with several passes may write */
    s->pairs = ARENA_ARRAY(arena, struct merge_pair, pairs);
    s->list_entries = c->rl1.bank_bytes / LIST_ENTRY_BYTES;
    for (u32 r = 0; r < s->a.rows; r++) {
        if (matrix_row_length(&s->a, r) > s->list_entries)
            longest = max_u64(longest, min_u64(s->c_start[r + 1] - s->c_start[r], s->b.columns));
    }
    for (u32 i = 0; i < pairs; i++) {
        struct merge_pair *p = &s->pairs[i];
        p->list = ARENA_ARRAY(arena, struct list_entry, s->list_entries);
        for (u32 k = 0; k < 2; k++) {
            p->rows[k].fetched = ARENA_ARRAY(arena, struct list_entry, s->list_entries);
            p->run_columns[k] = arena_alloc_sparse(arena, (longest + 1) * sizeof(u32));
            p->run_values[k] = arena_alloc_sparse(arena, (longest + 1) * sizeof(double));
        }
    }
}

static struct merge_pair *pair_of(const struct spgemm *s, const struct fabric_turn *t)
{
    return &s->pairs[(t->tile * s->elements + t->element) / 2];
}

void spgemm_begin_merge(struct spgemm *s, const struct fabric_turn *t, u64 row)
{
    struct merge_pair *p = pair_of(s, t);
    p->next_row = (u32)row;
    p->fetch_step = FETCH_HEAD;
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

/* ---- the list of heads --------------------------------------------------------------------- */

/* Accesses to the list: to the pair's scratchpad bank; without one, to memory. */
static void use_list(struct merge_pair *p, struct fabric_turn *t, u32 accesses)
{
    if (t->mode == FABRIC_PRIVATE)
        fabric_emit(t, OP_BANK, 0, accesses);
    else
        p->owed += accesses;
}

/* Loads and stores in turn; each load is used at once. */
static void pay(const struct spgemm *s, struct merge_pair *p, struct fabric_turn *t)
{
    while (p->owed && fabric_has_room(t, 3)) {
        u64 at = list_address(s, p, p->owed / 2);
        fabric_emit(t, OP_LOAD, at, LIST_ENTRY_BYTES);
        fabric_emit(t, OP_WAIT, 0, 0);
        if (p->owed > 1)
            fabric_emit(t, OP_STORE, at, LIST_ENTRY_BYTES);
        p->owed -= min_u64(p->owed, 2);
    }
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

/* Into the list, behind the larger ones; those that are smaller move. */
static void insert(struct spgemm *s, struct merge_pair *p, struct fabric_turn *t,
                   struct list_entry e)
{
    const struct merge_row *r = &p->rows[p->sorting];
    u32 at = p->sorted++, moves = 0;
    for (; at > 0 && comes_before(s, r, &p->list[at - 1], &e); at--, moves++)
        p->list[at] = p->list[at - 1];
    p->list[at] = e;
    s->counts.list_moves += moves;
    use_list(p, t, 2 * moves + 1);
    fabric_emit(t, OP_COMPUTE, 0, moves + 1);
}

/* ---- products ------------------------------------------------------------------------------ */

static struct list_entry take(struct spgemm *s, struct cursor *c, u32 index, struct fabric_turn *t)
{
    struct list_entry e = {.column = *c->column++, .cursor = index, .value = *c->value++};
    fabric_emit(t, OP_LOAD, c->address, ELEMENT_BYTES);
    *(c->is_run ? &s->counts.run_element_reads : &s->counts.chunk_element_reads) += 1;
    c->left--;
    c->address += ELEMENT_BYTES;
    return e;
}

/* The head of the next chunk of the list, which says where the one behind it is, and its first
 * product; into the list, unsorted. */
static void fetch_chunk(struct spgemm *s, struct merge_pair *p, struct merge_row *r,
                        struct fabric_turn *t)
{
    u32 chunk = r->chunk, inner = s->chunk_inner[chunk], index = r->cursors++;
    struct cursor *c = &cursors_of(s, r)[index];
    *c = (struct cursor){.column = s->b.column + s->b.start[inner],
                         .value = s->products + s->first_product[chunk],
                         .left = spgemm_chunk_length(s, chunk),
                         .address = spgemm_chunk_address(s, chunk) + CHUNK_HEAD_BYTES};
    fabric_emit(t, OP_LOAD, spgemm_chunk_address(s, chunk), CHUNK_HEAD_BYTES);
    r->fetched[index] = take(s, c, index, t);
    fabric_emit(t, OP_WAIT, 0, 0);
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

/* A place for the row, and room for its heads beside those that are being merged. */
static bool reserve(struct spgemm *s, struct merge_pair *p)
{
    struct merge_row *r = &p->rows[p->fetching];
    if (r->is_ready || p->entries_used + entries_of(s, p->next_row) > s->list_entries)
        return false;
    r->row = p->next_row;
    r->chunk = s->head_chunk[r->row];
    r->chunks = s->row_chunks[r->row];
    r->cursors = 0;
    p->entries_used += entries_of(s, r->row);
    return true;
}

static void fetch(struct spgemm *s, struct merge_pair *p, struct fabric_turn *t)
{
    struct merge_row *r = &p->rows[p->fetching];
    if (p->fetch_step == FETCH_HEAD) {
        fabric_emit(t, OP_LOAD, spgemm_address(REGION_HEADS, (u64)p->next_row * 8), 8);
        fabric_emit(t, OP_WAIT, 0, 0);
        p->fetch_step = FETCH_RESERVE;
        if (s->head_chunk[p->next_row] == NO_CHUNK)
            fabric_emit(t, OP_END, 0, 0);
        return;
    }
    if (p->fetch_step == FETCH_RESERVE) {
        if (!reserve(s, p)) {
            fabric_emit(t, OP_PARK, 0, 0);
            return;
        }
        p->fetch_step = FETCH_CHUNKS;
    }
    if (p->fetch_step == FETCH_CHUNKS) {
        while (r->cursors < entries_of(s, r->row) && fabric_has_room(t, 4))
            fetch_chunk(s, p, r, t);
        if (r->cursors == entries_of(s, r->row))
            p->fetch_step = FETCH_READY;
        return;
    }
    r->is_ready = true;
    p->fetching ^= 1;
    fabric_emit(t, OP_WAKE, 0, t->element + 1);
    fabric_emit(t, OP_END, 0, 0);
}

/* ---- the one who sorts --------------------------------------------------------------------- */

static bool is_last_pass(const struct merge_row *r)
{
    return r->chunk == NO_CHUNK;
}

/* To the row of C, or to a run that the next pass takes. */
static void store_sum(struct spgemm *s, struct merge_pair *p, struct fabric_turn *t)
{
    const struct merge_row *r = &p->rows[p->sorting];
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

/* Takes the smallest, and its successor into the list. */
static void merge_one(struct spgemm *s, struct merge_pair *p, struct fabric_turn *t)
{
    struct list_entry e = p->list[--p->sorted];
    struct cursor *c = &cursors_of(s, &p->rows[p->sorting])[e.cursor];
    use_list(p, t, 1);
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
    struct list_entry next = take(s, c, e.cursor, t);
    fabric_emit(t, OP_WAIT, 0, 0);
    insert(s, p, t, next);
}

/* What was merged is the first list of the next pass. */
static void begin_pass(struct spgemm *s, struct merge_pair *p, struct fabric_turn *t)
{
    struct merge_row *r = &p->rows[p->sorting];
    struct cursor *c = cursors_of(s, r);
    *c = (struct cursor){.column = p->run_columns[p->run],
                         .value = p->run_values[p->run],
                         .left = p->written,
                         .address = spgemm_run_address(s, (u64)(p - s->pairs), p->run),
                         .is_run = true};
    r->cursors = 1;
    r->fetched[0] = take(s, c, 0, t);
    fabric_emit(t, OP_WAIT, 0, 0);
    p->run ^= 1;
    s->counts.passes++;
}

static void end_row(struct spgemm *s, struct merge_pair *p, struct fabric_turn *t)
{
    struct merge_row *r = &p->rows[p->sorting];
    s->c_length[r->row] = p->written;
    fabric_emit(t, OP_STORE, spgemm_address(REGION_C_LENGTH, (u64)r->row * 8), 8);
    fabric_emit(t, OP_WAKE, 0, t->element - 1);
    s->counts.merged_rows++;
    s->counts.passes++;
    s->counts.multi_pass_rows += r->chunks > s->list_entries;
    p->entries_used -= entries_of(s, r->row);
    r->is_ready = false;
    p->sorting ^= 1;
}

/* One step; it may take no operation, unless it is the last of a batch. */
static void sort_step(struct spgemm *s, struct merge_pair *p, struct fabric_turn *t)
{
    struct merge_row *r = &p->rows[p->sorting];
    switch (p->sort_step) {
    case SORT_NEXT:
        p->sorted = 0;
        p->written = 0;
        p->sort_step = SORT_INSERT;
        break;
    case SORT_INSERT:
        if (p->sorted < r->cursors) {
            use_list(p, t, 1);
            insert(s, p, t, r->fetched[p->sorted]);
        } else {
            p->sort_step = SORT_MERGE;
        }
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
        if (r->chunk != NO_CHUNK && r->cursors < s->list_entries)
            fetch_chunk(s, p, r, t);
        else
            p->sort_step = SORT_NEXT;
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
    if (p->sort_step == SORT_NEXT && !p->rows[p->sorting].is_ready) {
        fabric_emit(t, OP_PARK, 0, 0);
        return;
    }
    while (p->sort_step != SORT_ROW && !p->owed && fabric_has_room(t, STEP_OPS)) {
        sort_step(s, p, t);
        if (p->owed)
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
