/* Merge sort: blocks are sorted in scratchpads, then each phase merges runs two by two, from one
 * array to the other. */
#include "fabric/program.h"

#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

#define KEY_BYTES 8u
#define BLOCK_KEYS 64u /* with a copy, half of a scratchpad of 1 kB each */
#define LINE_KEYS 8u

enum { STEP_LOAD, STEP_SORT, STEP_STORE, STEP_END };

/* An element at work on keys from first to end - 1; in later phases two runs from left and right.
 */
struct part {
    u64 first, middle, end;
    u64 left, right, out;
    u8 step;
};

struct tilesort {
    u64 keys;
    u32 elements;
    u64 *arrays[2], *sorted;
    struct part *parts;
};

static int compare(const void *a, const void *b)
{
    u64 x = *(const u64 *)a, y = *(const u64 *)b;
    return (x > y) - (x < y);
}

static void *tilesort_open(const struct fabric_config *c, struct arena *arena, struct err *err)
{
    struct tilesort *m = ARENA_NEW(arena, struct tilesort);
    struct rng keys;
    if (c->tile.scratchpad_bytes < 2 * BLOCK_KEYS * KEY_BYTES) {
        err_at(err, (struct src_pos){0},
               "tile.scratchpad_bytes is %u, expected at least %u for its blocks",
               c->tile.scratchpad_bytes, 2 * BLOCK_KEYS * KEY_BYTES);
        return NULL;
    }
    m->keys = c->program.size;
    m->elements = c->tile.elements;
    m->parts = ARENA_ARRAY(arena, struct part, c->tile.count * c->tile.elements);
    for (u32 i = 0; i < 2; i++)
        m->arrays[i] = ARENA_ARRAY(arena, u64, m->keys);
    m->sorted = ARENA_ARRAY(arena, u64, m->keys);
    rng_init(&keys, 1, "tilesort");
    for (u64 i = 0; i < m->keys; i++)
        m->arrays[0][i] = m->sorted[i] = rng_u64(&keys);
    qsort(m->sorted, m->keys, sizeof *m->sorted, compare);
    return m;
}

static u64 run_keys(u32 phase)
{
    return (u64)BLOCK_KEYS << phase;
}

static u32 tilesort_phases(const void *self)
{
    u32 phases = 1;
    while (run_keys(phases - 1) < ((const struct tilesort *)self)->keys)
        phases++;
    return phases;
}

static void tilesort_phase(const void *self, u32 phase, struct fabric_phase *out)
{
    u64 run = run_keys(phase), keys = ((const struct tilesort *)self)->keys;
    *out = (struct fabric_phase){.name = phase ? "merge" : "sort blocks",
                                 .mode = FABRIC_SHARED,
                                 .team = 1,
                                 .items = (keys + run - 1) / run};
}

static u32 tilesort_parts(void *self, u32 phase, u64 item)
{
    (void)self, (void)phase, (void)item;
    return 1;
}

static struct part *part_of(const struct tilesort *m, const struct fabric_turn *t)
{
    return &m->parts[t->tile * m->elements + t->element];
}

static void tilesort_begin(void *self, const struct fabric_turn *t, u64 item, u32 part)
{
    const struct tilesort *m = self;
    u64 run = run_keys(t->phase), first = item * run;
    (void)part;
    *part_of(m, t) = (struct part){.first = first,
                                   .middle = min_u64(first + run / 2, m->keys),
                                   .end = min_u64(first + run, m->keys),
                                   .left = first,
                                   .right = min_u64(first + run / 2, m->keys),
                                   .out = first};
}

static u64 address(u32 array, u64 key)
{
    return ((u64)(array + 1) << 40) + key * KEY_BYTES;
}

static void move_lines(struct fabric_turn *t, enum fabric_op_kind kind, u32 array,
                       const struct part *p)
{
    for (u64 k = p->first; k < p->end; k += LINE_KEYS)
        fabric_emit(t, kind, address(array, k), (u32)min_u64(LINE_KEYS, p->end - k) * KEY_BYTES);
}

/* Six rounds over 64 keys, each read, compared and written. */
static void sort_block(struct tilesort *m, struct fabric_turn *t, struct part *p)
{
    u32 count = (u32)(p->end - p->first), rounds = 0;
    while (((u32)1 << rounds) < count)
        rounds++;
    if (p->step == STEP_LOAD) {
        move_lines(t, OP_LOAD, 0, p);
        fabric_emit(t, OP_WAIT, 0, 0);
    } else if (p->step == STEP_SORT) {
        fabric_emit(t, OP_SCRATCHPAD, 0, 2 * count * (rounds + 1));
        fabric_emit(t, OP_COMPUTE, 0, count * (rounds + 1));
    } else if (p->step == STEP_STORE) {
        memcpy(m->arrays[1] + p->first, m->arrays[0] + p->first, count * sizeof(u64));
        qsort(m->arrays[1] + p->first, count, sizeof(u64), compare);
        move_lines(t, OP_STORE, 1, p);
    } else {
        fabric_emit(t, OP_END, 0, 0);
    }
    p->step++;
}

static void merge_key(struct tilesort *m, struct fabric_turn *t, struct part *p, u32 from)
{
    const u64 *keys = m->arrays[from];
    bool is_left = p->left < p->middle && (p->right == p->end || keys[p->left] <= keys[p->right]);
    u64 *at = is_left ? &p->left : &p->right;
    if (*at % LINE_KEYS == 0 || *at == p->first || *at == p->middle) {
        u64 rest = (is_left ? p->middle : p->end) - *at;
        u64 in_line = LINE_KEYS - *at % LINE_KEYS;
        fabric_emit(t, OP_LOAD, address(from, *at), (u32)min_u64(rest, in_line) * KEY_BYTES);
        fabric_emit(t, OP_WAIT, 0, 0);
    }
    fabric_emit(t, OP_COMPUTE, 0, 1);
    fabric_emit(t, OP_STORE, address(!from, p->out), KEY_BYTES);
    m->arrays[!from][p->out++] = keys[(*at)++];
}

static void tilesort_fill(void *self, struct fabric_turn *t)
{
    struct tilesort *m = self;
    struct part *p = part_of(m, t);
    u32 from = t->phase % 2;
    if (!t->phase) {
        sort_block(m, t, p);
        return;
    }
    while (p->out < p->end && fabric_has_room(t, 4))
        merge_key(m, t, p, from);
    if (!t->count)
        fabric_emit(t, OP_END, 0, 0);
}

static bool tilesort_verify(void *self, struct err *err)
{
    const struct tilesort *m = self;
    const u64 *result = m->arrays[tilesort_phases(self) % 2];
    for (u64 i = 0; i < m->keys; i++) {
        if (result[i] != m->sorted[i])
            return err_kind(err, ERR_VERIFY, "key %llu differs from the result of qsort",
                            (unsigned long long)i);
    }
    return true;
}

static void tilesort_summary(const void *self, struct text *out)
{
    text_printf(out, "  sorted      %llu keys\n",
                (unsigned long long)((const struct tilesort *)self)->keys);
}

const struct fabric_program_ops fabric_program_tilesort = {
    .name = "tilesort",
    .about = "sort keys: blocks in scratchpads, then runs two by two",
    .open = tilesort_open,
    .phases = tilesort_phases,
    .phase = tilesort_phase,
    .parts = tilesort_parts,
    .begin = tilesort_begin,
    .fill = tilesort_fill,
    .verify = tilesort_verify,
    .summary = tilesort_summary,
};
