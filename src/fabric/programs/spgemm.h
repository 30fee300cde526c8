/*
 * Sparse matrix times sparse matrix by outer products (context-management spec 2.6).
 *
 * Multiply: an item is a column of A and the row of B of the same number; a part is one element of
 * the column, which multiplies the whole row. Its products are a chunk, linked into the list of
 * their row of C by an atomic. Merge: an item is a row of C; of a pair, one element follows the
 * list and fetches the first product of each chunk into the scratchpad, the other keeps these heads
 * sorted by column, takes the smallest and fetches its successor. Rows with more chunks than the
 * scratchpad holds are merged in several passes.
 *
 * All that it holds is as large as A, B, the partial products, or C.
 */
#ifndef FABRIC_PROGRAMS_SPGEMM_H
#define FABRIC_PROGRAMS_SPGEMM_H

#include "fabric/program.h"

#include "matrix/matrix.h"

/* In the machine's memory. */
#define ELEMENT_BYTES 12u /* value and index */
#define CHUNK_HEAD_BYTES 16u
#define LIST_ENTRY_BYTES 16u /* column, value, where its successor is */
#define NO_CHUNK UINT32_MAX

enum spgemm_region {
    REGION_A = 1,
    REGION_B_START,
    REGION_B,
    REGION_CHUNKS,
    REGION_HEADS,
    REGION_C,
    REGION_C_LENGTH,
    REGION_RUNS,
    REGION_LISTS
};

struct spgemm_counts {
    u64 rows, elements_a, elements_b, elements_c;
    u64 partial_products, chunks;
    u64 chunk_element_reads, run_element_reads, run_element_writes; /* by the merge */
    u64 list_moves, merged_rows, passes, multi_pass_rows;
};

/* An element of the multiply phase, at work. */
struct multiplier {
    u64 chunk; /* number of the element of A, by columns */
    u32 inner; /* column of A, row of B */
    u32 loaded, done, length;
    u8 step;
};

/* The products of a chunk, or a run of an earlier pass, from the next on. */
struct cursor {
    const u32 *column;
    const double *value;
    u64 left, address;
    bool is_run;
};

struct list_entry {
    u32 column, cursor;
    double value;
};

/* A row on its way through a pair. */
struct merge_row {
    u32 row, chunk;             /* the next of its list that has not been fetched */
    u32 chunks;                 /* all of them */
    u32 cursors;                /* of this pass, each with an entry in fetched */
    bool is_ready;              /* for the one who sorts */
    struct list_entry *fetched; /* by cursor, unsorted */
};

struct merge_pair {
    struct merge_row rows[2];
    u32 fetching, sorting; /* which of the two */
    u32 next_row;          /* that the one who fetches was given */
    u32 entries_used;      /* of the scratchpad */
    u8 fetch_step, sort_step;
    /* the one who sorts */
    struct list_entry *list; /* smallest last */
    u32 sorted;
    u64 written; /* of the row, or of the run */
    u64 owed;    /* accesses to a list in memory that are still to be made */
    bool has_sum;
    struct list_entry sum;
    u32 run; /* which of two is written */
    u32 *run_columns[2];
    double *run_values[2];
};

struct spgemm {
    struct matrix a, b, a_columns; /* the last: A by columns */
    u32 tiles, elements, list_entries;
    u64 *first_product; /* of each chunk */
    u32 *chunk_place;   /* in units of a sector */
    u32 *chunk_inner;   /* the row of B that it has products of */
    u32 *next_chunk, *head_chunk, *row_chunks;
    double *products;
    u64 *c_start; /* of each row, room for all of its products */
    u32 *c_columns;
    double *c_values;
    u64 *c_length;
    struct cursor *cursors; /* of a row: from A's start of it */
    struct multiplier *multipliers;
    struct merge_pair *pairs;
    struct spgemm_counts counts;
};

static inline u64 spgemm_address(enum spgemm_region region, u64 byte)
{
    return ((u64)region << 42) + byte;
}

static inline u64 spgemm_chunk_address(const struct spgemm *s, u64 chunk)
{
    return spgemm_address(REGION_CHUNKS, (u64)s->chunk_place[chunk] * SECTOR_BYTES);
}

static inline u64 spgemm_chunk_length(const struct spgemm *s, u64 chunk)
{
    return s->first_product[chunk + 1] - s->first_product[chunk];
}

/* Of the two runs of a pair. */
static inline u64 spgemm_run_address(const struct spgemm *s, u64 pair, u32 run)
{
    u64 room = ((u64)s->b.columns * ELEMENT_BYTES + SECTOR_BYTES - 1) / SECTOR_BYTES * SECTOR_BYTES;
    return spgemm_address(REGION_RUNS, (2 * pair + run) * room);
}

/* programs/multiply.c */
void spgemm_begin_multiply(struct spgemm *s, const struct fabric_turn *t, u64 inner, u32 part);
void spgemm_multiply(struct spgemm *s, struct fabric_turn *t);
/* programs/merge.c */
void spgemm_init_merge(struct spgemm *s, const struct fabric_config *c, struct arena *arena);
void spgemm_begin_merge(struct spgemm *s, const struct fabric_turn *t, u64 row);
void spgemm_merge(struct spgemm *s, struct fabric_turn *t);

#endif
