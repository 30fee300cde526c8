/* What copies tell an mbarrier. */
#ifndef PTX_EXEC_MBARRIER_H
#define PTX_EXEC_MBARRIER_H

#include "ptx/decode/decode.h"
#include "ptx/exec/access.h"

/* `bytes` have come to the barrier at an address of shared memory. False: a fault. */
bool mbarrier_complete(struct warp *w, const struct op *op, u32 lane, u64 address, u32 bytes);
/* A look at an mbarrier, test_wait or try_wait. */
bool mbarrier_is_look(const struct op *op);
/* An arrival and the like. Its kind is that of a load. */
bool mbarrier_changes(const struct op *op);
/* What a thread that looks at the one at an address still waits for; nothing where there is none.
 */
void mbarrier_explain(struct warp *w, u64 address, char *out, size_t size);
/* cp.async.mbarrier.arrive */
bool decode_mbarrier_of_copies(struct decoder *d);
/* bulk.c: cp.async.bulk, cp.reduce.async.bulk; tensor_copy.c: those of tensors */
bool decode_bulk(struct decoder *d);
bool decode_tensor_copy(struct decoder *d);

#endif
