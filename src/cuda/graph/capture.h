/*
 * Recording the work of streams into a graph instead of doing it.
 *
 * A capture begins in one stream and spreads to others that wait for an event
 * recorded in it; they must have joined again when it ends. A call that could
 * not be replayed makes the capture invalid.
 */
#ifndef CUDA_GRAPH_CAPTURE_H
#define CUDA_GRAPH_CAPTURE_H

#include "cuda/core/core.h"
#include "cuda/core/work.h"

struct cu_capture {
    u64 id;
    CUgraph graph;
    CUstream origin;
    CUstreamCaptureMode mode;
    pthread_t thread;
    bool is_invalid;
    bool is_borrowed;  /* the graph is the application's */
    CUgraphNode *left; /* last nodes of streams that were destroyed before the end */
    u32 left_count;
};

/* `into`: a graph of the application's, in which the first work comes after these nodes. */
CU_SHARED CUresult cu_capture_begin(CUstream stream, CUgraph into, const CUgraphNode *after,
                                    size_t after_count, CUstreamCaptureMode mode);
/* What the next captured work comes after: these nodes, or these as well. */
CU_SHARED CUresult cu_capture_depend(CUstream stream, const CUgraphNode *nodes, size_t count,
                                     bool replace);
/* out: may be NULL where the graph is the application's. */
CU_SHARED CUresult cu_capture_end(CUstream stream, CUgraph *out);
CU_SHARED CUstreamCaptureMode cu_capture_exchange_mode(CUstreamCaptureMode mode);

/* May this stream be given work now? Work for the legacy stream would wait for captured streams. */
CUresult cu_capture_check(CUstream stream);
/* For calls that wait or allocate: refused while a capture is under way that does not allow it. */
CU_SHARED CUresult cu_capture_forbid(void);
/* The capture of this stream becomes invalid; returns `why`. */
CU_SHARED CUresult cu_capture_fail(CUstream stream, CUresult why);
CUresult cu_capture_add(CUstream stream, struct cu_work *take_work);
void cu_capture_record(CUstream stream, CUevent event);
CUresult cu_capture_join(CUstream stream, CUevent event);
bool cu_capture_is_live(u64 id);
void cu_capture_leave(CUstream stream); /* the stream goes away */

#endif
