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
    u64 list_steps, merged_rows, passes, multi_pass_rows;
};

#define MULTIPLIER_PARTS 4u /* of an element, under way at once */
#define ROW_AHEAD 16u       /* elements of a row of B that are fetched ahead of their use */

struct multiplier_part {
    u64 chunk; /* number of the element of A, by columns */
    u32 inner; /* column of A, row of B */
    u32 loaded, done, length;
    /* numbers of requests: of the operands, the list's head, and elements of the row, in turn */
    u64 operands, link, loads[ROW_AHEAD];
};

/* An element of the multiply phase, at work. */
struct multiplier {
    struct multiplier_part parts[MULTIPLIER_PARTS]; /* from first on, in turn */
    u32 first, count;
    u32 started, rows; /* of them: their operands are asked for, their rows are */
    u64 asked;         /* requests so far: the number of the last */
};

#define CURSOR_AHEAD 16u /* products of a chunk that are asked for before their turn, at most */

/* The products of a chunk, or a run of an earlier pass, from the next on. */
struct cursor {
    const u32 *column;
    const double *value;
    u64 left, address;
    u32 asked[CURSOR_AHEAD]; /* numbers of the loads of the next ones, in turn */
    u32 taken, ahead;        /* so far; asked for beyond */
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
    u64 asked;                  /* number of the load of the next chunk; 0: all have been fetched */
    bool is_ready;              /* for the sorting element */
    struct list_entry *fetched; /* by cursor, unsorted */
};

#define MERGE_ROWS 8u /* of a pair, on their way at once */

/* A row whose list has been asked for. */
struct merge_head {
    u32 row;
    u64 asked; /* number of the load of its head; 0: to be asked for */
};

struct merge_pair {
    struct merge_row rows[MERGE_ROWS];   /* from first on, in turn; the first is being sorted */
    struct merge_head heads[MERGE_ROWS]; /* the same; not yet among rows */
    u32 first_row, rows_used, first_head, heads_used;
    struct merge_row *fetched; /* has been, in the turn before; NULL: none */
    u32 entries_used;          /* of the scratchpad */
    u64 asked[2];              /* requests of the two elements so far */
    u8 sort_step;
    /* the sorting element */
    struct list_entry *list;     /* smallest last */
    u32 sorted, ahead;           /* successors of a chunk that are asked for before their turn */
    u32 front, places;           /* of a long list: entries with a place, and free places */
    u64 written;                 /* of the row, or of the run */
    u64 owed_reads, owed_writes; /* of a list in memory, still to be made */
    bool has_sum;
    struct list_entry sum;
    u32 run; /* which of two is written */
    u32 *run_columns[2];
    double *run_values[2];
};

struct spgemm {
    struct matrix a, b, a_columns; /* the last: A by columns */
    u32 tiles, elements, list_entries;
    u32 line_bytes;
    u32 lines, own_entries; /* of a pair's cache; of an element's own scratchpad */
    u64 *first_product;     /* of each chunk */
    u32 *chunk_place;       /* in units of a sector */
    u32 *chunk_inner;       /* the row of B that it has products of */
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
