#include "fabric/programs/spgemm.h"

#define AHEAD 16u /* elements of a row of B that are fetched ahead of their use */

enum { STEP_OPERANDS, STEP_ROW };

static struct multiplier *multiplier_of(struct spgemm *s, const struct fabric_turn *t)
{
    return &s->multipliers[t->tile * s->elements + t->element];
}

void spgemm_begin_multiply(struct spgemm *s, const struct fabric_turn *t, u64 inner, u32 part)
{
    *multiplier_of(s, t) = (struct multiplier){.chunk = s->a_columns.start[inner] + part,
                                               .inner = (u32)inner,
                                               .length = (u32)matrix_row_length(&s->b, (u32)inner)};
}

static void load_next(const struct spgemm *s, struct fabric_turn *t, struct multiplier *m)
{
    u64 at = s->b.start[m->inner] + m->loaded++;
    fabric_emit(t, OP_LOAD, spgemm_address(REGION_B, at * ELEMENT_BYTES), ELEMENT_BYTES);
}

/* The next element is asked for, the oldest is used. */
static void multiply_one(struct spgemm *s, struct fabric_turn *t, struct multiplier *m)
{
    if (m->loaded < m->length)
        load_next(s, t, m);
    fabric_emit(t, OP_WAIT, 0, m->loaded - m->done - 1);
    fabric_emit(t, OP_COMPUTE, 0, 1);
    fabric_emit(t, OP_STORE,
                spgemm_chunk_address(s, m->chunk) + CHUNK_HEAD_BYTES + (u64)m->done * ELEMENT_BYTES,
                ELEMENT_BYTES);
    s->products[s->first_product[m->chunk] + m->done] =
        s->a_columns.value[m->chunk] * s->b.value[s->b.start[m->inner] + m->done];
    m->done++;
    s->counts.partial_products++;
}

/* Into the list of its row of C: the old head comes back, and is written into the chunk. */
static void link_chunk(struct spgemm *s, struct fabric_turn *t, const struct multiplier *m)
{
    u32 row = s->a_columns.column[m->chunk];
    fabric_emit(t, OP_ATOMIC, spgemm_address(REGION_HEADS, (u64)row * 8), 8);
    fabric_emit(t, OP_WAIT, 0, 0);
    fabric_emit(t, OP_STORE, spgemm_chunk_address(s, m->chunk), CHUNK_HEAD_BYTES);
    fabric_emit(t, OP_END, 0, 0);
    s->next_chunk[m->chunk] = s->head_chunk[row];
    s->head_chunk[row] = (u32)m->chunk;
    s->row_chunks[row]++;
    s->chunk_inner[m->chunk] = m->inner;
    s->counts.chunks++;
}

void spgemm_multiply(struct spgemm *s, struct fabric_turn *t)
{
    struct multiplier *m = multiplier_of(s, t);
    if (m->step == STEP_OPERANDS) {
        fabric_emit(t, OP_LOAD, spgemm_address(REGION_B_START, (u64)m->inner * 4), 8);
        fabric_emit(t, OP_LOAD, spgemm_address(REGION_A, m->chunk * ELEMENT_BYTES), ELEMENT_BYTES);
        fabric_emit(t, OP_WAIT, 0, 0);
        while (m->loaded < m->length && m->loaded < AHEAD)
            load_next(s, t, m);
        m->step = STEP_ROW;
        return;
    }
    if (m->done == m->length) {
        link_chunk(s, t, m);
        return;
    }
    while (m->done < m->length && fabric_has_room(t, 4))
        multiply_one(s, t, m);
}
