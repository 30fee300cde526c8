/*
 * A launched PTX kernel as a source of warp instructions: execution at issue.
 *
 * Blocks may begin in any order and several at a time; their state is kept and
 * used again, so that a running grid allocates nothing once it is at its width.
 */
#ifndef PTX_KERNEL_SOURCE_H
#define PTX_KERNEL_SOURCE_H

#include "ptx/launch.h"
#include "source/warp_instruction.h"

struct ptx_source;
struct signature_collector;

/* The launch must live as long as the source. NULL: an impossible launch, see err. */
struct ptx_source *ptx_source_open(const struct launch *l, struct err *err);
void ptx_source_close(struct ptx_source *s);
/* Its warps are to be seen executing machine instructions (ptx/lower) instead of PTX; before
 * ptx_source_grid. */
void ptx_source_lower(struct ptx_source *s);
struct grid_source ptx_source_grid(struct ptx_source *s);
/* What its warps execute on each SM is collected; before it is launched. */
void ptx_source_observe(struct ptx_source *s, struct signature_collector *by_sm, u32 count);
/* After a step that failed. */
enum launch_fault ptx_source_fault(const struct ptx_source *s);
struct launch_counts ptx_source_counts(const struct ptx_source *s);
/* No instruction of any grid is under way: floating point as the host wants it. */
void ptx_source_rest(void);

#endif
