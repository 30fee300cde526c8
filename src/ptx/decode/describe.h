/* What the timing model may know of a function's instructions before they execute. */
#ifndef PTX_DECODE_DESCRIBE_H
#define PTX_DECODE_DESCRIBE_H

#include "ptx/decode/function.h"

/* Fills f->instructions. */
void function_describe(struct program *p, struct function *f, struct arena *scratch);

#endif
