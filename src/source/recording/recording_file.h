/* A recording's file: what recording.c and replay.c share. */
#ifndef SOURCE_RECORDING_RECORDING_FILE_H
#define SOURCE_RECORDING_RECORDING_FILE_H

#include "source/recording/recording.h"

struct recording {
    struct container file;
    struct record_event *events;
    struct container_place *kernels; /* by launch */
    u32 event_count, launch_count;
};

#endif
