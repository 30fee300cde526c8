/* Events: marks in streams that others wait for, with the time they were reached. */
#ifndef CUDA_CORE_EVENT_H
#define CUDA_CORE_EVENT_H

#include "cuda/core/core.h"

/* One cuEventRecord. Waits hold on to the record, so that recording the event again or destroying
 * it changes nothing for them. */
struct cu_record {
    u32 references;
    bool is_done;
    u64 time_ns;
};

struct CUevent_st {
    struct cu_object object;
    u32 flags;
    struct cu_record *record; /* the latest; NULL: never recorded */
    /* recorded in a stream that was being captured: */
    u64 capture_id; /* 0: not */
    CUgraphNode *nodes;
    u32 node_count;
};

void cu_record_release(struct cu_record *r);

CU_SHARED CUresult cu_event_create(CUcontext context, u32 flags, CUevent *out);
CU_SHARED void cu_event_destroy(CUevent event);
CU_SHARED CUresult cu_event_record(CUevent event, CUstream stream, u32 flags);
CU_SHARED CUresult cu_event_make_wait(CUevent event, CUstream stream, u32 flags);
CU_SHARED CUresult cu_event_query(CUevent event);
CU_SHARED CUresult cu_event_wait(CUevent event);
CU_SHARED CUresult cu_event_elapsed(CUevent start, CUevent end, float *milliseconds);

#endif
