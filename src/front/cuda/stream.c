#include "front/cuda/stream.h"

#include "base/arena.h"
#include "front/cuda/capture.h"
#include "front/cuda/conditional.h"
#include "front/cuda/event.h"
#include "front/cuda/graph.h"
#include "front/cuda/graph_memory.h"
#include "front/cuda/launch.h"
#include "front/cuda/memory.h"
#include "front/cuda/texture.h"
#include "front/cuda/worker.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define HOST_PATIENCE_NS 100000000
#define VALUE_LOOK_MICROSECONDS 50

static _Thread_local bool in_host_function;

bool cu_in_host_function(void)
{
    return in_host_function;
}

CUstream cu_stream_new(CUcontext context, u32 flags, int priority)
{
    struct cu_core *core = cu_core();
    CUstream s = cu_object_new(sizeof(*s), CU_KIND_STREAM, context);
    s->flags = flags;
    s->priority = priority;
    s->id = ++core->next_id;
    CUstream *end = &core->streams;
    while (*end)
        end = &(*end)->next;
    *end = s;
    return s;
}

void cu_stream_delete(CUstream stream)
{
    CUstream *link = &cu_core()->streams;
    while (*link != stream)
        link = &(*link)->next;
    *link = stream->next;
    free(stream->last);
    cu_attributes_fini(&stream->attributes);
    cu_object_delete(stream);
}

CUresult cu_stream_create(CUcontext context, u32 flags, int priority, CUstream *out)
{
    if (flags & ~(u32)CU_STREAM_NON_BLOCKING)
        return CUDA_ERROR_INVALID_VALUE;
    if (priority > CU_PRIORITY_LEAST)
        priority = CU_PRIORITY_LEAST;
    if (priority < CU_PRIORITY_GREATEST)
        priority = CU_PRIORITY_GREATEST;
    *out = cu_stream_new(context, flags, priority);
    return CUDA_SUCCESS;
}

CUresult cu_stream_get(CUcontext context, CUstream handle, bool per_thread, CUstream *out)
{
    static _Thread_local struct {
        CUcontext context;
        u64 context_id;
        CUstream stream;
    } own;

    if (handle == CU_STREAM_LEGACY || (!handle && !per_thread)) {
        *out = context->legacy;
        return CUDA_SUCCESS;
    }
    if (handle == CU_STREAM_PER_THREAD || !handle) {
        if (own.context != context || own.context_id != context->id ||
            !cu_object_is(own.stream, CU_KIND_STREAM)) {
            own.context = context;
            own.context_id = context->id;
            own.stream = cu_stream_new(context, CU_STREAM_DEFAULT, 0);
        }
        *out = own.stream;
        return CUDA_SUCCESS;
    }
    if (!cu_object_is(handle, CU_KIND_STREAM))
        return CUDA_ERROR_INVALID_HANDLE;
    *out = handle;
    return CUDA_SUCCESS;
}

CUresult cu_stream_attribute(CUstream stream, u32 id, CUlaunchAttributeValue *value)
{
    CU_TRY(cu_attributes_get(&stream->attributes, id, value));
    if (id == CU_LAUNCH_ATTRIBUTE_PRIORITY)
        value->priority = stream->priority;
    return CUDA_SUCCESS;
}

/* ---- carrying out ---- */

static bool calls_host(const struct cu_op *op)
{
    return op->work.kind == CU_WORK_HOST || op->work.kind == CU_WORK_CALLBACK;
}

static void op_delete(struct cu_op *op)
{
    cu_core()->ops_queued--;
    cu_core()->host_ops_queued -= calls_host(op);
    cu_work_fini(&op->work);
    free(op);
}

static void op_complete(struct cu_op *op)
{
    CUstream s = op->stream;
    s->head = op->next;
    if (!s->head)
        s->tail = NULL;
    if ((op->work.kind == CU_WORK_RECORD) && !op->work.event.record->is_done) {
        op->work.event.record->is_done = true;
        op->work.event.record->time_ns = cu_core()->backend->now_ns(cu_core()->backend->self);
    }
    op_delete(op);
}

static bool orders_with(const struct CUstream_st *s, const struct CUstream_st *other)
{
    if (s == other || s->object.context != other->object.context ||
        (s->flags | other->flags) & CU_STREAM_NON_BLOCKING)
        return false;
    return s->is_legacy || other->is_legacy;
}

static bool op_is_ready(const struct cu_op *op)
{
    const struct cu_core *core = cu_core();
    u32 most = core->backend->most_kernels;
    if (op->stream->is_busy ||
        (op->work.kind == CU_WORK_KERNEL && most && core->kernels_running >= most))
        return false;
    for (CUstream other = cu_core()->streams; other; other = other->next) {
        if (other->head && other->head->order < op->order && orders_with(op->stream, other))
            return false;
    }
    if (op->work.kind == CU_WORK_WAIT_VALUE)
        return cu_value_is_there(&op->work);
    return op->work.kind != CU_WORK_WAIT || op->work.event.record->is_done;
}

/* The application's function runs without the lock: it may wait for other threads. */
static void host_call(struct cu_op *op)
{
    struct cu_core *core = cu_core();
    op->stream->is_busy = true;
    core->hosts_running++;
    CUresult status = op->stream->object.context->sticky;
    cu_unlock(&core);
    in_host_function = true;
    if (op->work.kind == CU_WORK_HOST)
        op->work.host.fn(op->work.host.userData);
    else
        op->work.callback.call(op->stream, status, op->work.callback.data);
    in_host_function = false;
    cu_lock();
    core->hosts_running--;
    core->hosts_called++;
    op->stream->is_busy = false;
    pthread_cond_broadcast(&core->changed);
}

static void tell_copied(u64 to, u64 bytes)
{
    const struct cuda_backend *backend = cu_core()->backend;
    const struct allocation *a = memory_find(cu_core()->memory, to);
    backend->copied(backend->self, a && !a->host ? to : 0, bytes);
}

static struct cu_op *op_new(CUstream stream, u64 order, const struct cu_work *take_work)
{
    struct cu_core *core = cu_core();
    struct cu_op *op = xrealloc(NULL, sizeof(*op));
    *op = (struct cu_op){.stream = stream, .order = order, .work = *take_work};
    core->ops_queued++;
    core->host_ops_queued += calls_host(op);
    return op;
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
        struct cu_op *op = op_new(at->stream, at->order, &work);
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
static void condition_run(struct cu_op *op)
{
    CUgraph body = cu_conditional_body(op->work.conditional);
    if (!body)
        return;
    struct cu_op *last = body_insert(op, body);
    if (op->work.conditional->type != CU_GRAPH_COND_TYPE_WHILE)
        return;
    struct cu_work again = cu_work_clone(&op->work);
    struct cu_op *next = op_new(op->stream, op->order, &again);
    next->next = last->next;
    last->next = next;
    if (!next->next)
        op->stream->tail = next;
}

/* Memory of a graph, before its node allocated it or after it was freed: the work fails. */
static bool is_missing(struct cu_op *op, u64 address)
{
    if (!cu_graph_memory_is_missing(address))
        return false;
    CUcontext context = op->stream->object.context;
    struct err err = ERR_INIT;
    err_kind(&err, ERR_INPUT, "0x%llx is memory of a graph that is not allocated now",
             (unsigned long long)address);
    op_complete(op);
    cu_launch_failed(context, FAULT_ADDRESS, &err);
    return true;
}

static void op_begin(struct cu_op *op)
{
    const struct cuda_backend *backend = cu_core()->backend;
    struct cu_work *w = &op->work;
    switch (w->kind) {
    case CU_WORK_KERNEL:
        op->stream->is_busy = true;
        cu_core()->kernels_running++;
        cu_launch_prepare(op);
        backend->start(backend->self, &op->launch, (u64)(uintptr_t)op);
        return;
    case CU_WORK_COPY:
        if (is_missing(op, w->copy.to) || is_missing(op, w->copy.from))
            return;
        cu_copy_run(&w->copy);
        tell_copied(w->copy.to, w->copy.width * w->copy.height * w->copy.depth);
        break;
    case CU_WORK_FILL:
        if (is_missing(op, w->fill.to))
            return;
        cu_fill_run(&w->fill);
        tell_copied(w->fill.to,
                    w->fill.width * w->fill.element_bytes * w->fill.height * w->fill.depth);
        break;
    case CU_WORK_HOST:
    case CU_WORK_CALLBACK:
        host_call(op);
        break;
    case CU_WORK_FREE:
        cu_memory_release(w->address);
        break;
    case CU_WORK_ALLOC:
        cu_graph_memory_take(op->stream->object.context, w->memory);
        break;
    case CU_WORK_WRITE:
        cu_value_write(w);
        break;
    case CU_WORK_CONDITIONAL:
        condition_run(op);
        break;
    default:
        break;
    }
    op_complete(op);
}

/* Starts what is ready; returns when everything left waits for something. */
static void start_ready(void)
{
    for (bool again = true; again;) {
        again = false;
        for (CUstream s = cu_core()->streams; s; s = s->next) {
            if (!s->head || !op_is_ready(s->head))
                continue;
            bool calls_out = calls_host(s->head);
            op_begin(s->head);
            again = true;
            if (calls_out)
                break; /* other threads may have changed the list of streams */
        }
    }
}

static void finish_one(void)
{
    struct cu_core *core = cu_core();
    struct err err = ERR_INIT;
    enum launch_fault fault = FAULT_NONE;
    bool ok = true;
    u64 ticket = core->backend->finish(core->backend->self, &ok, &fault, &err);
    if (!ticket) {
        cu_let_in();
        return;
    }
    struct cu_op *op = (struct cu_op *)(uintptr_t)ticket;
    CUcontext context = op->stream->object.context;
    core->kernels_running--;
    op->stream->is_busy = false;
    op_complete(op);
    if (!ok)
        cu_launch_failed(context, fault, &err);
    cu_let_in(); /* it may be what another thread waits for */
}

typedef bool (*claim_fn)(void *subject);

/* The device stands still while another thread runs a host function, as it does when this one
 * runs it: what the host submits in answer comes to the same place on every run. But not for
 * ever, for the function may wait for the device. False: nothing to wait for, or not any more. */
static bool host_returns(u64 *given_up)
{
    struct cu_core *core = cu_core();
    u64 calls = core->hosts_called;
    if (!core->hosts_running || *given_up == calls + 1)
        return false;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += HOST_PATIENCE_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    while (core->hosts_called == calls) {
        if (pthread_cond_timedwait(&core->changed, &core->lock, &until) != 0) {
            *given_up = calls + 1;
            return false;
        }
    }
    return true;
}

/* Memory that a stream waits for can only be written by another thread now. */
static bool a_value_is_awaited(void)
{
    for (CUstream s = cu_core()->streams; s; s = s->next) {
        if (s->head && s->head->work.kind == CU_WORK_WAIT_VALUE)
            return true;
    }
    return false;
}

static void let_the_host_write(void)
{
    struct cu_core *core = cu_core();
    cu_unlock(&core);
    usleep(VALUE_LOOK_MICROSECONDS);
    cu_lock();
}

static void run_until(claim_fn is_true, void *subject)
{
    struct cu_core *core = cu_core();
    u64 given_up = 0;
    while (!is_true(subject)) {
        if (host_returns(&given_up))
            continue;
        start_ready();
        if (is_true(subject))
            return;
        if (core->kernels_running)
            finish_one();
        else if (core->hosts_running)
            pthread_cond_wait(&core->changed, &core->lock);
        else if (a_value_is_awaited())
            let_the_host_write();
        else
            return; /* only other contexts' leftovers could be meant: nothing will come */
    }
}

static bool nothing_is_ready(void *unused)
{
    (void)unused;
    start_ready();
    return !cu_core()->kernels_running;
}

/* What an eager backend has left because the host can see its memory. */
void cu_run_rest(void)
{
    struct cu_core *core = cu_core();
    if (core->is_ready && !core->is_forked && !core->backend->is_lazy && !cu_is_reentered())
        run_until(nothing_is_ready, NULL);
}

static bool stream_is_empty(void *stream)
{
    /* it may be gone when a host function let other threads in */
    return !cu_object_is(stream, CU_KIND_STREAM) || !((CUstream)stream)->head;
}

static bool context_is_idle(void *context)
{
    for (CUstream s = cu_core()->streams; s; s = s->next) {
        if (s->object.context == context && s->head)
            return false;
    }
    return true;
}

static bool context_is_still(void *context)
{
    for (CUstream s = cu_core()->streams; s; s = s->next) {
        if (s->object.context == context && s->is_busy)
            return false;
    }
    return true;
}

static bool host_was_called(void *hosts_called)
{
    return cu_core()->hosts_called != *(const u64 *)hosts_called;
}

static bool record_is_done(void *record)
{
    return ((struct cu_record *)record)->is_done;
}

void cu_step(void)
{
    start_ready();
    if (cu_core()->kernels_running) {
        finish_one();
        start_ready();
    }
}

void cu_run_on(void)
{
    u64 hosts_called = cu_core()->hosts_called;
    run_until(host_was_called, &hosts_called);
}

bool cu_kernels_are_queued(void)
{
    for (CUstream s = cu_core()->streams; s; s = s->next) {
        for (const struct cu_op *op = s->head; op; op = op->next) {
            if (op->work.kind == CU_WORK_KERNEL)
                return true;
        }
    }
    return false;
}

bool cu_work_is_noticed(void)
{
    const struct cu_core *core = cu_core();
    return core->host_ops_queued || (core->ops_queued && core->host_sees);
}

void cu_wait_under_way(CUcontext context)
{
    run_until(context_is_still, context);
}

void cu_wait_record(struct cu_record *record)
{
    record->references++;
    run_until(record_is_done, record);
    cu_record_release(record);
}

CUresult cu_wait_all(CUcontext context)
{
    run_until(context_is_idle, context);
    return context->sticky;
}

CUresult cu_stream_wait(CUstream stream)
{
    CUcontext context = stream->object.context;
    if (stream->is_legacy)
        return cu_wait_all(context); /* it would wait for the blocking ones anyway */
    run_until(stream_is_empty, stream);
    return context->sticky;
}

CUresult cu_stream_query(CUstream stream)
{
    CUcontext context = stream->object.context;
    if (stream->head)
        cu_step();
    if (context->sticky)
        return context->sticky;
    return stream->head ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

CUresult cu_submit(CUstream stream, struct cu_work *take_work)
{
    struct cu_core *core = cu_core();
    CUresult status = cu_capture_check(stream);
    if (status != CUDA_SUCCESS) {
        cu_work_fini(take_work);
        return status;
    }
    if (stream->capture)
        return cu_capture_add(stream, take_work);
    struct cu_op *op = op_new(stream, ++core->next_order, take_work);
    if (stream->tail)
        stream->tail->next = op;
    else
        stream->head = op;
    stream->tail = op;
    pthread_cond_broadcast(&core->changed);
    cu_worker_expect();
    /* A kernel may wait for what the host writes after this call. */
    if (!core->backend->is_lazy && !core->host_sees)
        run_until(nothing_is_ready, NULL);
    return CUDA_SUCCESS;
}

CUresult cu_submit_and_wait(CUstream stream, struct cu_work *take_work)
{
    CU_TRY(cu_submit(stream, take_work));
    if (stream->capture)
        return CUDA_SUCCESS;
    return cu_stream_wait(stream);
}

CUresult cu_stream_destroy(CUstream stream)
{
    if (stream->is_legacy)
        return CUDA_ERROR_INVALID_HANDLE;
    CUresult status = cu_stream_wait(stream);
    cu_capture_leave(stream);
    cu_stream_delete(stream);
    return status;
}

void cu_stream_drop_all(CUcontext context)
{
    for (CUstream s = cu_core()->streams; s; s = s->next) {
        if (s->object.context != context)
            continue;
        cu_capture_leave(s);
        /* What is being carried out ends by itself. */
        struct cu_op *op = s->is_busy ? s->head->next : s->head;
        while (op) {
            struct cu_op *next = op->next;
            if (op->work.kind == CU_WORK_RECORD)
                op->work.event.record->is_done = true;
            op_delete(op);
            op = next;
        }
        if (s->is_busy)
            s->head->next = NULL;
        s->tail = s->head = s->is_busy ? s->head : NULL;
    }
}
