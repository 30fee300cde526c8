#include "cuda/core/event.h"

#include "base/arena.h"
#include "cuda/graph/capture.h"
#include "cuda/core/stream.h"

#include <stdlib.h>

#define FLAGS_KNOWN (CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS)

void cu_record_release(struct cu_record *r)
{
    if (r && --r->references == 0)
        free(r);
}

CUresult cu_event_create(CUcontext context, u32 flags, CUevent *out)
{
    if (flags & ~(u32)FLAGS_KNOWN)
        return CUDA_ERROR_INVALID_VALUE;
    if (flags & CU_EVENT_INTERPROCESS && !(flags & CU_EVENT_DISABLE_TIMING))
        return CUDA_ERROR_INVALID_VALUE;
    *out = cu_object_new(sizeof(**out), CU_KIND_EVENT, context);
    (*out)->flags = flags;
    return CUDA_SUCCESS;
}

void cu_event_destroy(CUevent event)
{
    cu_record_release(event->record);
    free(event->nodes);
    cu_object_delete(event);
}

CUresult cu_event_record(CUevent event, CUstream stream, u32 flags)
{
    CU_TRY(cu_capture_check(stream));
    if (stream->capture && !(flags & CU_EVENT_RECORD_EXTERNAL)) {
        cu_capture_record(stream, event);
        return CUDA_SUCCESS;
    }
    struct cu_work work = {.kind = CU_WORK_RECORD, .event.event = event};
    if (stream->capture)
        return cu_submit(stream, &work);
    struct cu_record *r = xrealloc(NULL, sizeof(*r));
    *r = (struct cu_record){.references = 2}; /* the event's and the queue's */
    cu_record_release(event->record);
    event->record = r;
    event->capture_id = 0;
    work.event.record = r;
    return cu_submit(stream, &work);
}

CUresult cu_event_make_wait(CUevent event, CUstream stream, u32 flags)
{
    if (flags & ~(u32)CU_EVENT_WAIT_EXTERNAL)
        return CUDA_ERROR_INVALID_VALUE;
    struct cu_work work = {.kind = CU_WORK_WAIT, .event.event = event};
    if (event->capture_id)
        return cu_capture_join(stream, event);
    CU_TRY(cu_capture_check(stream));
    if (stream->capture) {
        if (flags & CU_EVENT_WAIT_EXTERNAL)
            return cu_submit(stream, &work);
        return cu_capture_fail(stream, CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    }
    if (!event->record || event->record->is_done)
        return CUDA_SUCCESS;
    event->record->references++;
    work.event.record = event->record;
    return cu_submit(stream, &work);
}

/* Recorded in a capture: that says nothing about when work is done. */
static CUresult event_check(CUevent event)
{
    if (!event->capture_id)
        return CUDA_SUCCESS;
    return cu_capture_is_live(event->capture_id) ? CUDA_ERROR_CAPTURED_EVENT
                                                 : CUDA_ERROR_INVALID_VALUE;
}

CUresult cu_event_query(CUevent event)
{
    CU_TRY(event_check(event));
    if (!event->record)
        return CUDA_SUCCESS;
    if (!event->record->is_done)
        cu_step();
    if (event->object.context->sticky)
        return event->object.context->sticky;
    return event->record->is_done ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult cu_event_wait(CUevent event)
{
    CU_TRY(event_check(event));
    CUcontext context = event->object.context;
    if (event->record)
        cu_wait_record(event->record);
    return context->sticky;
}

CUresult cu_event_elapsed(CUevent start, CUevent end, float *milliseconds)
{
    CU_TRY(event_check(start));
    CU_TRY(event_check(end));
    if ((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING || !start->record || !end->record)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!start->record->is_done || !end->record->is_done)
        return CUDA_ERROR_NOT_READY;
    double ns = (double)end->record->time_ns - (double)start->record->time_ns;
    *milliseconds = (float)(ns * 1e-6);
    return CUDA_SUCCESS;
}
