/* What an access was, as the timing model sees it: which memory each lane meant, and where. */
#ifndef PTX_EXEC_DESCRIBE_H
#define PTX_EXEC_DESCRIBE_H

#include "ptx/exec/warp.h"
#include "source/warp_instruction.h"

/* Of a memory instruction that has just executed for the lanes out->mask. */
void describe_access(struct warp *w, struct winst *out);
/* The lanes of a space other than the generic one. */
void describe_space(struct winst *out);

#endif
