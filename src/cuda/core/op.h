/*
 * Entries of streams while they wait and are carried out.
 *
 * A kernel may launch others, and what else the device runtime offers: its children. It is complete
 * when its grid has ended and they all are; then those come, one after the other, that were to
 * follow as its tail, and each may have children again.
 */
#ifndef CUDA_CORE_OP_H
#define CUDA_CORE_OP_H

#include "cuda/core/stream.h"

struct cu_op *cu_op_new(CUstream stream, u64 order, const struct cu_work *take_work);
void cu_op_delete(struct cu_op *op);
bool cu_op_calls_host(const struct cu_op *op);
/* At the end of a stream; parent NULL: from the host. */
struct cu_op *cu_op_push(CUstream stream, const struct cu_work *take_work, struct cu_op *parent);
/* To be done when `parent` and all its children are. */
struct cu_op *cu_op_push_tail(struct cu_op *parent, const struct cu_work *take_work);
/* The first entry of its stream is done. */
void cu_op_complete(struct cu_op *op);
/* The grid has ended; its children may not have. */
void cu_op_over(struct cu_op *op);
/* Goes on with a grid that has ended, if its children have. */
void cu_op_settle(struct cu_op *op);
/* A conditional node: what its body does comes next. */
void cu_op_expand(struct cu_op *op);
/* Never carried out. */
void cu_op_drop(struct cu_op *op);
void cu_op_drop_tails(struct cu_op *op);

#endif
