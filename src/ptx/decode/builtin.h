/* Functions without PTX that programs call: vprintf, malloc, free, __assertfail. */
#ifndef ISA_EXEC_BUILTIN_H
#define ISA_EXEC_BUILTIN_H

#include "isa/exec/function.h"
#include "isa/exec/warp.h"

void builtin_run(struct warp *w, const struct op *op, const struct call *c, u32 mask);

#endif
