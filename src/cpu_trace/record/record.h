/*
 * Records a program: runs it under QEMU and writes a trace of a window of it.
 */
#ifndef CPU_TRACE_RECORD_RECORD_H
#define CPU_TRACE_RECORD_RECORD_H

#include "base/err.h"
#include "cpu_trace/record/guest.h"

struct cpu_record_request {
    struct guest_request guest;
    const char *path;   /* of the trace */
    const char *sha256; /* of the program; "" when not known */
    u64 length;         /* instructions of all threads together; 0: to the program's end */
    bool keep_waits;    /* instructions of the OpenMP runtime that only wait, too */
};

struct cpu_record_result {
    u64 instructions, skipped;
    u64 cut;    /* instructions that waited, or that were in the runtime */
    u64 events; /* of synchronisation */
    u64 lost_accesses;
    u32 threads;       /* that executed something */
    bool whole;        /* to the program's end */
    bool was_replaced; /* by another program, of which nothing is recorded: whole up to there */
    int exit_status;
};

bool cpu_record(const struct cpu_record_request *request, struct cpu_record_result *result,
                struct err *err);

#endif
