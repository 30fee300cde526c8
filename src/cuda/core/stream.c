#include "cuda/core/stream.h"

#include "base/arena.h"
#include "cuda/graph/capture.h"
#include "cuda/graph/conditional.h"
#include "cuda/core/event.h"
#include "cuda/core/failures.h"
#include "cuda/graph/graph.h"
#include "cuda/graph/graph_memory.h"
#include "cuda/core/launch.h"
#include "cuda/core/memory.h"
#include "cuda/core/op.h"
#include "cuda/core/texture.h"
#include "cuda/core/worker.h"
#include "device/bounds.h"

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

CUstream cu_stream_device(struct cu_op *op, u64 key)
{
    for (CUstream s = op->device_streams; s && key != CU_DEVICE_STREAM_OWN; s = s->device_next) {
        if (s->device_key == key)
            return s;
    }
    CUstream s = cu_stream_new(op->stream->object.context, CU_STREAM_NON_BLOCKING, 0);
    s->is_device = true;
    s->device_key = key;
    s->device_next = op->device_streams;
    op->device_streams = s;
    return s;
}

void cu_stream_sweep(void)
{
    struct cu_core *core = cu_core();
    if (!core->device_streams_ended)
        return;
    core->device_streams_ended = 0;
    for (CUstream s = core->streams, next; s; s = next) {
        next = s->next;
        if (s->is_device && s->has_ended && !s->head)
            cu_stream_delete(s);
    }
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
    bool is_ordered = !(op->stream->flags & CU_STREAM_NON_BLOCKING);
    for (CUstream other = core->streams; is_ordered && other; other = other->next) {
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

/* Memory of a graph, before its node allocated it or after it was freed: the work fails. */
static bool is_missing(struct cu_op *op, u64 address)
{
    if (!cu_graph_memory_is_missing(address))
        return false;
    CUcontext context = op->stream->object.context;
    struct err err = ERR_INIT;
    err_kind(&err, ERR_INPUT, "0x%llx is memory of a graph that is not allocated now",
             (unsigned long long)address);
    cu_op_complete(op);
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
        if (backend->copy)
            backend->copy(backend->self, &w->copy);
        else
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
        cu_op_expand(op);
        break;
    default:
        break;
    }
    cu_op_complete(op);
}

/* Starts what is ready; returns when everything left waits for something. */
static void start_ready(void)
{
    for (bool again = true; again;) {
        again = false;
        cu_stream_sweep();
        for (CUstream s = cu_core()->streams; s; s = s->next) {
            if (!s->head || !op_is_ready(s->head))
                continue;
            bool calls_out = cu_op_calls_host(s->head);
            op_begin(s->head);
            again = true;
            if (calls_out)
                break; /* other threads may have changed the list of streams */
        }
    }
}

/* The first access that went astray is shown, once. */
static void warn_of_out_of_bounds(void)
{
    struct bounds *b = memory_bounds(cu_core()->memory);
    if (b->mode != BOUNDS_WARN || !atomic_exchange(&b->is_told, false))
        return;
    char sentence[2048];
    err_text(&b->first, sentence, sizeof sentence);
    cu_say("warning: %s; such reads return 0, such writes are dropped, and further ones are not "
           "shown; --bounds strict makes them errors",
           sentence);
}

/* The same for what a kernel does against the rules of PTX, once for each kernel. */
static void tell_of_rules(struct kernel *kernel)
{
    char sentence[2048];
    struct err warning = ERR_INIT;
    if (!kernel_take_warning(kernel, &warning))
        return;
    err_text(&warning, sentence, sizeof sentence);
    cu_say("warning: %s; it takes part anyway, as on a GPU; further warnings of this kernel are "
           "not shown",
           sentence);
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
    tell_of_rules(op->launch.kernel);
    cu_op_over(op);
    warn_of_out_of_bounds();
    if (!ok) {
        cu_failure_of_kernel(context, &err);
        cu_launch_failed(context, fault, &err);
    }
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

void cu_run_submitted(void)
{
    const struct cu_core *core = cu_core();
    if (!core->backend->is_lazy && !core->host_sees && !core->graph_launch)
        run_until(nothing_is_ready, NULL);
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
    cu_op_push(stream, take_work, NULL);
    pthread_cond_broadcast(&core->changed);
    cu_worker_expect();
    /* A kernel may wait for what the host writes after this call. */
    cu_run_submitted();
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
            cu_op_drop(op);
            op = next;
        }
        if (s->is_busy) {
            s->head->next = NULL;
            cu_op_drop_tails(s->head);
        }
        s->tail = s->head = s->is_busy ? s->head : NULL;
    }
    /* Grids that had ended and waited for what they launched. */
    for (CUstream s = cu_core()->streams; s; s = s->next) {
        if (s->object.context == context && s->is_busy)
            cu_op_settle(s->head);
    }
}
