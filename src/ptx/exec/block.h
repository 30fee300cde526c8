/* Blocks of a grid: memory, special values, starting; shared by running with and without timing. */
#ifndef PTX_EXEC_BLOCK_H
#define PTX_EXEC_BLOCK_H

#include "ptx/exec/warp.h"

/* Checks a launch and fills the grid; false: impossible, with the sentence in err. */
bool grid_open(struct grid *g, const struct launch *l, struct err *err);
void grid_close(struct grid *g);

/* Memory for one block of the grid, to be used for one block after the other. */
void block_create(struct block *b, struct grid *g);
/* And for what its warps execute ahead of the machine code that is issued. */
void block_create_windows(struct block *b);
/* A block in the grid's memory, created, with room behind it for stretches of its warps if they are
 * seen executing PTX (stretch.h). */
struct block *block_new(struct grid *g, bool stretches);
void block_destroy(struct block *b);
/* Block `id` starts on an SM and its executor: all its threads at the first instruction. */
void block_begin(struct block *b, u64 id, u32 sm, struct executor *on);
/* It goes on where it was, on this SM and its executor. */
void block_move(struct block *b, u32 sm, struct executor *on);

#endif
