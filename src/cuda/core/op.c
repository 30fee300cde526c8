#include "cuda/core/op.h"

#include "base/arena.h"
#include "cuda/graph/conditional.h"
#include "cuda/core/event.h"
#include "cuda/graph/graph.h"

#include <stdlib.h>

bool cu_op_calls_host(const struct cu_op *op)
{
    return op->work.kind == CU_WORK_HOST || op->work.kind == CU_WORK_CALLBACK;
}

struct cu_op *cu_op_new(CUstream stream, u64 order, const struct cu_work *take_work)
{
    struct cu_core *core = cu_core();
    struct cu_op *op = xrealloc(NULL, sizeof(*op));
    *op = (struct cu_op){.stream = stream,
                         .order = order,
                         .work = *take_work,
                         .graph_launch = core->graph_launch,
                         .graph_exec = core->graph_exec};
    core->ops_queued++;
    core->has_awaited_value |= op->work.kind == CU_WORK_WAIT_VALUE;
    core->host_ops_queued += cu_op_calls_host(op);
    return op;
}

void cu_op_delete(struct cu_op *op)
{
    cu_core()->ops_queued--;
    cu_core()->host_ops_queued -= cu_op_calls_host(op);
    cu_work_fini(&op->work);
    free(op);
}

static void adopt(struct cu_op *op, struct cu_op *parent)
{
    op->parent = parent;
    if (parent)
        parent->children++;
}

struct cu_op *cu_op_push(CUstream stream, const struct cu_work *take_work, struct cu_op *parent)
{
    struct cu_op *op = cu_op_new(stream, ++cu_core()->next_order, take_work);
    adopt(op, parent);
    if (stream->tail)
        stream->tail->next = op;
    else
        stream->head = op;
    stream->tail = op;
    return op;
}

struct cu_op *cu_op_push_tail(struct cu_op *parent, const struct cu_work *take_work)
{
    struct cu_op **end = &parent->tails;
    while (*end)
        end = &(*end)->next;
    *end = cu_op_new(NULL, 0, take_work);
    return *end;
}

/* Streams of the device end with the grid that made them. They go when nobody walks the list. */
static void streams_end(struct cu_op *op)
{
    for (CUstream s = op->device_streams; s; s = s->device_next) {
        s->has_ended = true;
        cu_core()->device_streams_ended++;
    }
    op->device_streams = NULL;
}

void cu_op_complete(struct cu_op *op)
{
    CUstream s = op->stream;
    s->head = op->next;
    if (!s->head)
        s->tail = NULL;
    if ((op->work.kind == CU_WORK_RECORD) && !op->work.event.record->is_done) {
        op->work.event.record->is_done = true;
        op->work.event.record->time_ns = cu_core()->backend->now_ns(cu_core()->backend->self);
    }
    struct cu_op *parent = op->parent;
    streams_end(op);
    cu_op_delete(op);
    if (!parent)
        return;
    parent->children--;
    cu_op_settle(parent);
}

void cu_op_settle(struct cu_op *op)
{
    if (!op->is_over || op->children)
        return;
    struct cu_op *tail = op->tails;
    if (!tail) {
        op->stream->is_busy = false;
        cu_op_complete(op);
        return;
    }
    op->tails = tail->next;
    CUstream s = cu_stream_device(op, CU_DEVICE_STREAM_TAIL);
    cu_op_push(s, &tail->work, op)->graph_exec = tail->graph_exec;
    tail->work.kind = CU_WORK_EMPTY; /* it has moved */
    cu_op_delete(tail);
}

void cu_op_over(struct cu_op *op)
{
    op->is_over = true;
    cu_op_settle(op);
}

void cu_op_drop(struct cu_op *op)
{
    if (op->work.kind == CU_WORK_RECORD)
        op->work.event.record->is_done = true;
    if (op->parent)
        op->parent->children--;
    cu_op_delete(op);
}

void cu_op_drop_tails(struct cu_op *op)
{
    while (op->tails) {
        struct cu_op *next = op->tails->next;
        cu_op_delete(op->tails);
        op->tails = next;
    }
}

/* Puts what a body does behind `at`, in its place of the order; returns the last. */
static struct cu_op *body_insert(struct cu_op *at, CUgraph body)
{
    CUgraphNode *nodes = cu_graph_order(body);
    for (u32 i = 0; nodes && i < body->count; i++) {
        if (nodes[i]->is_disabled)
            continue;
        if (nodes[i]->work.kind == CU_WORK_GRAPH) {
            at = body_insert(at, nodes[i]->work.graph);
            continue;
        }
        struct cu_work work = cu_work_clone(&nodes[i]->work);
        struct cu_op *op = cu_op_new(at->stream, at->order, &work);
        adopt(op, at->parent);
        op->next = at->next;
        at->next = op;
        at = op;
    }
    free(nodes);
    if (!at->next)
        at->stream->tail = at;
    return at;
}

/* Of a loop, the node comes again after its body. */
void cu_op_expand(struct cu_op *op)
{
    CUgraph body = cu_conditional_body(op->work.conditional);
    if (!body)
        return;
    struct cu_op *last = body_insert(op, body);
    if (op->work.conditional->type != CU_GRAPH_COND_TYPE_WHILE)
        return;
    struct cu_work again = cu_work_clone(&op->work);
    struct cu_op *next = cu_op_new(op->stream, op->order, &again);
    adopt(next, op->parent);
    next->next = last->next;
    last->next = next;
    if (!next->next)
        op->stream->tail = next;
}
