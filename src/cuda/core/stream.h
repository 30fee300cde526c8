/*
 * Streams: queues of work, and the order between them.
 *
 * Work of one stream is done in order. The legacy default stream waits for
 * everything submitted earlier to the other streams of its context and they
 * wait for it, except those created as non-blocking. Waiting for an event means
 * waiting for the record that was the latest when the wait was submitted.
 *
 * The thread that submits (with an eager backend) or waits carries out what is ready, in
 * order of stream creation, so that two runs of a single-threaded program do the
 * same in the same order. The simulating thread lets other threads in whenever a kernel
 * ends, and now and then (backend.h). For a host that waits without a call there
 * is worker.h.
 */
#ifndef CUDA_CORE_STREAM_H
#define CUDA_CORE_STREAM_H

#include "cuda/core/attributes.h"
#include "cuda/core/core.h"
#include "cuda/core/work.h"

struct cu_op {
    struct cu_op *next;
    CUstream stream;
    u64 order; /* of submission, over all streams */
    struct cu_work work;
    struct launch launch;
    struct launch_host host;
    /* op.h, device_runtime.h */
    struct cu_op *parent, *tails;
    u32 children;
    bool is_over;
    int device_error;        /* the last of its calls of the device runtime */
    CUstream device_streams; /* made by its threads */
    u64 graph_launch;        /* which launch of a graph it is of; 0: none */
    CUgraphExec graph_exec;
};

struct CUstream_st {
    struct cu_object object;
    CUstream next;
    u64 id;
    u32 flags;
    int priority;
    bool is_legacy;
    bool is_busy; /* its first entry is being carried out */
    struct cu_op *head, *tail;
    /* capture.c */
    struct cu_capture *capture;
    CUgraphNode *last; /* what the next captured node depends on */
    u32 last_count;
    struct cu_attributes attributes;
    /* made on the device */
    bool is_device, has_ended;
    CUstream device_next;
    u64 device_key;
};

CUstream cu_stream_new(CUcontext context, u32 flags, int priority);
void cu_stream_delete(CUstream stream);
/* Streams of the device that are no more. Not while somebody walks the list. */
void cu_stream_sweep(void);
/* The stream of a grid with this key, which names a block or a use; made if there is none. */
CUstream cu_stream_device(struct cu_op *op, u64 key);
#define CU_DEVICE_STREAM_TAIL UINT64_MAX
#define CU_DEVICE_STREAM_OWN (UINT64_MAX - 1) /* a new one with every call */
CU_SHARED CUresult cu_stream_create(CUcontext context, u32 flags, int priority, CUstream *out);
/* What is still queued will be done first. */
CU_SHARED CUresult cu_stream_destroy(CUstream stream);
/* NULL, the two special handles, or a stream; per_thread: what NULL means. */
CU_SHARED CUresult cu_stream_get(CUcontext context, CUstream handle, bool per_thread,
                                 CUstream *out);
/* The priority is one of them. */
CU_SHARED CUresult cu_stream_attribute(CUstream stream, u32 id, CUlaunchAttributeValue *value);
#define CU_PRIORITY_LEAST 0
#define CU_PRIORITY_GREATEST (-5)

/* The work is taken over, also when the answer is an error. A stream that is being captured adds
 * a node to its graph instead. */
CU_SHARED CUresult cu_submit(CUstream stream, struct cu_work *take_work);
/* As cu_submit, then waits: for calls that return when they are done. */
CU_SHARED CUresult cu_submit_and_wait(CUstream stream, struct cu_work *take_work);

/* An eager backend does at once what was submitted; a launch of a graph is submitted whole first.
 */
void cu_run_submitted(void);
CU_SHARED CUresult cu_stream_query(CUstream stream);
CU_SHARED CUresult cu_stream_wait(CUstream stream);
CU_SHARED CUresult cu_wait_all(CUcontext context);
void cu_wait_record(struct cu_record *record);
/* Until nothing of the context is being carried out; what is queued stays. */
void cu_wait_under_way(CUcontext context);
/* Carries out whatever is ready now and, lazily, one kernel. */
void cu_step(void);
/* When the program ends: an eager backend has promised to do everything. */
CU_SHARED void cu_run_rest(void);
bool cu_kernels_are_queued(void);
/* Could the host notice that queued work is done, without a call? */
bool cu_work_is_noticed(void);
/* Carries out everything that can be, until a host function has been called. */
void cu_run_on(void);
/* Forgets what is queued; whoever waits for it goes on. */
void cu_stream_drop_all(CUcontext context);
/* Is this thread inside a host function? Most calls are then refused. */
bool cu_in_host_function(void);

#endif
