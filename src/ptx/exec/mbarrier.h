/* What copies tell an mbarrier. */
#ifndef PTX_EXEC_MBARRIER_H
#define PTX_EXEC_MBARRIER_H

#include "ptx/decode/decode.h"
#include "ptx/exec/access.h"

/* `bytes` have come to the barrier at an address of shared memory. False: a fault. */
bool mbarrier_complete(struct warp *w, const struct op *op, u32 lane, u64 address, u32 bytes);
/* cp.async.mbarrier.arrive */
bool decode_mbarrier_of_copies(struct decoder *d);
/* bulk.c: cp.async.bulk, cp.reduce.async.bulk; tensor_copy.c: those of tensors */
bool decode_bulk(struct decoder *d);
bool decode_tensor_copy(struct decoder *d);

#endif
