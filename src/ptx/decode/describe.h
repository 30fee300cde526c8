/* What the timing model may know of a function's instructions before they execute. */
#ifndef ISA_EXEC_DESCRIBE_H
#define ISA_EXEC_DESCRIBE_H

#include "isa/exec/function.h"

/* Fills f->instructions. */
void function_describe(struct program *p, struct function *f, struct arena *scratch);

#endif
