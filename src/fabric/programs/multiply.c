/*
 * The multiply phase: an element works on up to MULTIPLIER_PARTS parts at once, as its queue of
 * requests allows. While it waits for the operands of one, those of the next are on their way; the
 * atomic that links a chunk is sent before the chunk is written, since nobody follows lists before
 * the merge.
 *
 * Products are gathered in the element's own scratchpad, and leave it a line at a time past the
 * banks: stored there, they would displace the row of B that all elements of the tile read.
 */
#include "fabric/programs/spgemm.h"

static struct multiplier *multiplier_of(struct spgemm *s, const struct fabric_turn *t)
{
    return &s->multipliers[t->tile * s->elements + t->element];
}

/* The part that is so many behind the oldest. */
static struct multiplier_part *part_of(struct multiplier *m, u32 behind)
{
    return &m->parts[(m->first + behind) % MULTIPLIER_PARTS];
}

void spgemm_begin_multiply(struct spgemm *s, const struct fabric_turn *t, u64 inner, u32 part)
{
    struct multiplier *m = multiplier_of(s, t);
    *part_of(m, m->count++) =
        (struct multiplier_part){.chunk = s->a_columns.start[inner] + part,
                                 .inner = (u32)inner,
                                 .length = (u32)matrix_row_length(&s->b, (u32)inner)};
}

static u64 ask(struct fabric_turn *t, struct multiplier *m, enum fabric_op_kind kind, u64 address,
               u32 bytes)
{
    fabric_emit(t, kind, address, bytes);
    return ++m->asked;
}

/* Until the request of this number, and all before it, have been answered. */
static void wait_for(struct fabric_turn *t, const struct multiplier *m, u64 number)
{
    fabric_emit(t, OP_WAIT, 0, (u32)(m->asked - number));
}

static void ask_operands(struct fabric_turn *t, struct multiplier *m, struct multiplier_part *p)
{
    ask(t, m, OP_LOAD, spgemm_address(REGION_B_START, (u64)p->inner * 4), 8);
    p->operands =
        ask(t, m, OP_LOAD, spgemm_address(REGION_A, p->chunk * ELEMENT_BYTES), ELEMENT_BYTES);
    m->started++;
}

static void load_next(const struct spgemm *s, struct fabric_turn *t, struct multiplier *m,
                      struct multiplier_part *p)
{
    u64 at = s->b.start[p->inner] + p->loaded;
    p->loads[p->loaded++ % ROW_AHEAD] =
        ask(t, m, OP_LOAD, spgemm_address(REGION_B, at * ELEMENT_BYTES), ELEMENT_BYTES);
}

/* With the operands: the row of C is known, where B's row is too. The old head of the list comes
 * back, to be written into the chunk. */
static void ask_row(struct spgemm *s, struct fabric_turn *t, struct multiplier *m,
                    struct multiplier_part *p)
{
    u32 row = s->a_columns.column[p->chunk];
    wait_for(t, m, p->operands);
    while (p->loaded < p->length && p->loaded < ROW_AHEAD)
        load_next(s, t, m, p);
    p->link = ask(t, m, OP_ATOMIC, spgemm_address(REGION_HEADS, (u64)row * 8), 8);
    m->rows++;
    s->next_chunk[p->chunk] = s->head_chunk[row];
    s->head_chunk[row] = (u32)p->chunk;
    s->row_chunks[row]++;
    s->chunk_inner[p->chunk] = p->inner;
    s->counts.chunks++;
}

/* A chunk up to its byte `from` is written: the line that has it, or what of it is the chunk's. */
static void write_line(const struct spgemm *s, struct fabric_turn *t,
                       const struct multiplier_part *p, u64 from, u64 end)
{
    u64 begin = max_u64(from / s->line_bytes * s->line_bytes, spgemm_chunk_address(s, p->chunk));
    fabric_emit(t, OP_STREAM, begin, (u32)(end - begin));
}

/* Lines that the next product completes, and what the last one leaves. The first line waits for the
 * link that is in it. */
static void write_products(const struct spgemm *s, struct fabric_turn *t,
                           const struct multiplier_part *p)
{
    u64 first = spgemm_chunk_address(s, p->chunk) / s->line_bytes;
    u64 at = spgemm_chunk_address(s, p->chunk) + CHUNK_HEAD_BYTES + (u64)p->done * ELEMENT_BYTES;
    u64 end = at + ELEMENT_BYTES;
    if (end / s->line_bytes > at / s->line_bytes && at / s->line_bytes > first)
        write_line(s, t, p, at, end / s->line_bytes * s->line_bytes);
    if (p->done + 1 == p->length && end % s->line_bytes && end / s->line_bytes > first)
        write_line(s, t, p, end, end);
}

static void write_first_line(const struct spgemm *s, struct fabric_turn *t,
                             const struct multiplier_part *p)
{
    u64 at = spgemm_chunk_address(s, p->chunk);
    u64 line_end = (at / s->line_bytes + 1) * s->line_bytes;
    u64 end = at + CHUNK_HEAD_BYTES + (u64)p->length * ELEMENT_BYTES;
    write_line(s, t, p, at, min_u64(end, line_end));
}

/* The oldest element of the row is used, the next is asked for. */
static void multiply_one(struct spgemm *s, struct fabric_turn *t, struct multiplier *m,
                         struct multiplier_part *p)
{
    wait_for(t, m, p->loads[p->done % ROW_AHEAD]);
    if (p->loaded < p->length)
        load_next(s, t, m, p);
    fabric_emit(t, OP_COMPUTE, 0, 1);
    fabric_emit(t, OP_SCRATCHPAD, 0, 1);
    write_products(s, t, p);
    s->products[s->first_product[p->chunk] + p->done] =
        s->a_columns.value[p->chunk] * s->b.value[s->b.start[p->inner] + p->done];
    p->done++;
    s->counts.partial_products++;
}

static void end_part(struct spgemm *s, struct fabric_turn *t, struct multiplier *m,
                     const struct multiplier_part *p)
{
    wait_for(t, m, p->link);
    write_first_line(s, t, p);
    m->first = (m->first + 1) % MULTIPLIER_PARTS;
    m->count--;
    m->started--;
    m->rows--;
    fabric_emit(t, m->count ? OP_MORE : OP_END, 0, 0);
}

/* Operands of new parts first, then the row of a second part, then the oldest is worked on. */
void spgemm_multiply(struct spgemm *s, struct fabric_turn *t)
{
    struct multiplier *m = multiplier_of(s, t);
    if (m->started < m->count) {
        while (m->started < m->count)
            ask_operands(t, m, part_of(m, m->started));
        if (m->count < MULTIPLIER_PARTS)
            fabric_emit(t, OP_MORE, 0, 0);
        return;
    }
    if (m->rows < 2 && m->rows < m->started) {
        ask_row(s, t, m, part_of(m, m->rows));
        return;
    }
    struct multiplier_part *p = part_of(m, 0);
    if (p->done == p->length) {
        end_part(s, t, m, p);
        return;
    }
    while (p->done < p->length && fabric_has_room(t, 6))
        multiply_one(s, t, m, p);
}
