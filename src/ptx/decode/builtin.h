/* Functions without PTX that programs call: vprintf, malloc, free, __assertfail. */
#ifndef PTX_DECODE_BUILTIN_H
#define PTX_DECODE_BUILTIN_H

#include "ptx/decode/function.h"
#include "ptx/exec/warp.h"

void builtin_run(struct warp *w, const struct op *op, const struct call *c, u32 mask);

#endif
