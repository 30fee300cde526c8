#include "cuda/graph/capture.h"

#include "base/arena.h"
#include "cuda/core/event.h"
#include "cuda/graph/graph.h"
#include "cuda/core/stream.h"

#include <stdlib.h>
#include <string.h>

static _Thread_local CUstreamCaptureMode thread_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

static void last_add(CUstream s, const CUgraphNode *nodes, u32 count)
{
    for (u32 i = 0; i < count; i++) {
        bool known = false;
        for (u32 k = 0; k < s->last_count; k++)
            known |= s->last[k] == nodes[i];
        if (known)
            continue;
        s->last = xrealloc(s->last, (s->last_count + 1) * sizeof(CUgraphNode));
        s->last[s->last_count++] = nodes[i];
    }
}

CUstreamCaptureMode cu_capture_exchange_mode(CUstreamCaptureMode mode)
{
    CUstreamCaptureMode old = thread_mode;
    thread_mode = mode;
    return old;
}

static void last_set(CUstream s, const CUgraphNode *nodes, u32 count)
{
    CUgraphNode *copy = NULL;
    if (count) {
        copy = xrealloc(NULL, count * sizeof(*copy));
        memcpy(copy, nodes, count * sizeof(*copy));
    }
    free(s->last);
    s->last = copy;
    s->last_count = count;
}

static bool are_nodes(CUgraph graph, const CUgraphNode *nodes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!nodes || !cu_object_is(nodes[i], CU_KIND_NODE) || nodes[i]->graph != graph)
            return false;
    }
    return true;
}

CUresult cu_capture_begin(CUstream stream, CUgraph into, const CUgraphNode *after,
                          size_t after_count, CUstreamCaptureMode mode)
{
    if (mode > CU_STREAM_CAPTURE_MODE_RELAXED || !are_nodes(into, after, after_count))
        return CUDA_ERROR_INVALID_VALUE;
    if (stream->is_legacy)
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (stream->capture)
        return CUDA_ERROR_ILLEGAL_STATE;
    struct cu_capture *c = xrealloc(NULL, sizeof(*c));
    *c = (struct cu_capture){.id = ++cu_core()->next_id,
                             .graph = into ? into : cu_graph_create(),
                             .origin = stream,
                             .mode = mode,
                             .thread = pthread_self(),
                             .is_borrowed = into != NULL};
    stream->capture = c;
    last_set(stream, after, (u32)after_count);
    return CUDA_SUCCESS;
}

CUresult cu_capture_depend(CUstream stream, const CUgraphNode *nodes, size_t count, bool replace)
{
    if (!stream->capture)
        return CUDA_ERROR_ILLEGAL_STATE;
    if (!are_nodes(stream->capture->graph, nodes, count))
        return CUDA_ERROR_INVALID_VALUE;
    if (replace)
        last_set(stream, nodes, (u32)count);
    else
        last_add(stream, nodes, (u32)count);
    return CUDA_SUCCESS;
}

CUresult cu_capture_fail(CUstream stream, CUresult why)
{
    if (stream->capture)
        stream->capture->is_invalid = true;
    return why;
}

CUresult cu_capture_check(CUstream stream)
{
    if (stream->capture)
        return stream->capture->is_invalid ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS;
    if (!stream->is_legacy)
        return CUDA_SUCCESS;
    bool crossed = false;
    for (CUstream s = cu_core()->streams; s; s = s->next) {
        if (s->capture && !(s->flags & CU_STREAM_NON_BLOCKING) &&
            s->object.context == stream->object.context && !s->capture->is_invalid) {
            s->capture->is_invalid = true;
            crossed = true;
        }
    }
    return crossed ? CUDA_ERROR_STREAM_CAPTURE_IMPLICIT : CUDA_SUCCESS;
}

CUresult cu_capture_forbid(void)
{
    if (thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED)
        return CUDA_SUCCESS;
    bool found = false;
    for (CUstream s = cu_core()->streams; s; s = s->next) {
        struct cu_capture *c = s->capture;
        if (!c || c->mode == CU_STREAM_CAPTURE_MODE_RELAXED)
            continue;
        bool own = pthread_equal(c->thread, pthread_self());
        if (own || (c->mode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
                    thread_mode == CU_STREAM_CAPTURE_MODE_GLOBAL)) {
            c->is_invalid = true;
            found = true;
        }
    }
    return found ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS;
}

CUresult cu_capture_add(CUstream stream, struct cu_work *take_work)
{
    CUgraphNode node;
    CUresult status =
        cu_graph_add(stream->capture->graph, stream->last, stream->last_count, take_work, &node);
    if (status == CUDA_SUCCESS)
        last_set(stream, &node, 1);
    return status;
}

void cu_capture_record(CUstream stream, CUevent event)
{
    free(event->nodes);
    event->nodes = NULL;
    event->node_count = stream->last_count;
    if (event->node_count) {
        event->nodes = xrealloc(NULL, event->node_count * sizeof(CUgraphNode));
        memcpy(event->nodes, stream->last, event->node_count * sizeof(CUgraphNode));
    }
    event->capture_id = stream->capture->id;
}

static struct cu_capture *capture_find(u64 id)
{
    for (CUstream s = cu_core()->streams; s; s = s->next) {
        if (s->capture && s->capture->id == id)
            return s->capture;
    }
    return NULL;
}

bool cu_capture_is_live(u64 id)
{
    return capture_find(id) != NULL;
}

CUresult cu_capture_join(CUstream stream, CUevent event)
{
    struct cu_capture *c = capture_find(event->capture_id);
    if (!c)
        return CUDA_ERROR_INVALID_VALUE;
    if (c->is_invalid)
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (stream->is_legacy)
        return cu_capture_fail(c->origin, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    if (stream->capture && stream->capture != c) {
        stream->capture->is_invalid = c->is_invalid = true;
        return CUDA_ERROR_STREAM_CAPTURE_MERGE;
    }
    stream->capture = c;
    last_add(stream, event->nodes, event->node_count);
    return CUDA_SUCCESS;
}

static bool are_joined(const struct cu_capture *c, const CUgraphNode *nodes, u32 count)
{
    for (u32 i = 0; i < count; i++) {
        if (!cu_graph_comes_before(nodes[i], c->origin->last, c->origin->last_count))
            return false;
    }
    return true;
}

/* Everything else that was captured must come before the last nodes of the origin. */
static bool all_joined(const struct cu_capture *c)
{
    for (CUstream s = cu_core()->streams; s; s = s->next) {
        if (s->capture == c && s != c->origin && !are_joined(c, s->last, s->last_count))
            return false;
    }
    return are_joined(c, c->left, c->left_count);
}

static void capture_close(struct cu_capture *c)
{
    for (CUstream s = cu_core()->streams; s; s = s->next) {
        if (s->capture == c) {
            s->capture = NULL;
            last_set(s, NULL, 0);
        }
    }
    free(c->left);
    free(c);
}

CUresult cu_capture_end(CUstream stream, CUgraph *out)
{
    struct cu_capture *c = stream->capture;
    if (!out && !(c && c->is_borrowed))
        return CUDA_ERROR_INVALID_VALUE;
    if (out)
        *out = NULL;
    if (!c)
        return CUDA_ERROR_ILLEGAL_STATE;
    if (stream != c->origin)
        return cu_capture_fail(stream, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
    CUresult status = CUDA_SUCCESS;
    if (c->mode != CU_STREAM_CAPTURE_MODE_RELAXED && !pthread_equal(c->thread, pthread_self()))
        return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
    if (c->is_invalid)
        status = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    else if (!all_joined(c))
        status = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
    CUgraph graph = c->graph;
    bool is_own = !c->is_borrowed;
    capture_close(c);
    if (status == CUDA_SUCCESS && out)
        *out = graph;
    else if (status != CUDA_SUCCESS && is_own)
        cu_graph_destroy(graph);
    return status;
}

void cu_capture_leave(CUstream stream)
{
    struct cu_capture *c = stream->capture;
    if (!c)
        return;
    if (stream == c->origin) {
        if (!c->is_borrowed)
            cu_graph_destroy(c->graph);
        capture_close(c);
        return;
    }
    if (stream->last_count) {
        c->left = xrealloc(c->left, (c->left_count + stream->last_count) * sizeof(CUgraphNode));
        memcpy(c->left + c->left_count, stream->last, stream->last_count * sizeof(CUgraphNode));
        c->left_count += stream->last_count;
    }
    stream->capture = NULL;
}
