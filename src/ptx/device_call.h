/*
 * Calls of CUDA's device runtime: what kernels ask of the part of the driver
 * that is on the GPU. They have no PTX; the caller that launches a kernel answers them
 * (launch_host in ptx/launch.h).
 */
#ifndef PTX_DEVICE_CALL_H
#define PTX_DEVICE_CALL_H

#include "base/types.h"

/* Number, name, how many arguments. Those that end in _ptsz mean the same. */
/* clang-format off */
#define DEVICE_CALLS(X) \
    X(PARAMETER_BUFFER,    "__cudaCDP2GetParameterBuffer",      2) \
    X(PARAMETER_BUFFER_V2, "__cudaCDP2GetParameterBufferV2",    4) \
    X(LAUNCH,              "__cudaCDP2LaunchDevice",            6) \
    X(LAUNCH_V2,           "__cudaCDP2LaunchDeviceV2",          2) \
    X(STREAM_CREATE,       "__cudaCDP2StreamCreateWithFlags",   2) \
    X(STREAM_DESTROY,      "__cudaCDP2StreamDestroy",           1) \
    X(STREAM_WAIT_EVENT,   "__cudaCDP2StreamWaitEvent",         3) \
    X(EVENT_CREATE,        "__cudaCDP2EventCreateWithFlags",    2) \
    X(EVENT_RECORD,        "__cudaCDP2EventRecord",             2) \
    X(EVENT_RECORD_FLAGS,  "__cudaCDP2EventRecordWithFlags",    3) \
    X(EVENT_DESTROY,       "__cudaCDP2EventDestroy",            1) \
    X(MALLOC,              "__cudaCDP2Malloc",                  2) \
    X(FREE,                "__cudaCDP2Free",                    1) \
    X(MEMCPY,              "__cudaCDP2MemcpyAsync",             5) \
    X(MEMCPY_2D,           "__cudaCDP2Memcpy2DAsync",           8) \
    X(MEMSET,              "__cudaCDP2MemsetAsync",             4) \
    X(MEMSET_2D,           "__cudaCDP2Memset2DAsync",           6) \
    X(LAST_ERROR,          "__cudaCDP2GetLastError",            0) \
    X(PEEK_ERROR,          "__cudaCDP2PeekAtLastError",         0) \
    X(ERROR_NAME,          "__cudaCDP2GetErrorName",            1) \
    X(ERROR_STRING,        "__cudaCDP2GetErrorString",          1) \
    X(DEVICE_COUNT,        "__cudaCDP2GetDeviceCount",          1) \
    X(DEVICE,              "__cudaCDP2GetDevice",               1) \
    X(DEVICE_ATTRIBUTE,    "__cudaCDP2DeviceGetAttribute",      3) \
    X(DEVICE_LIMIT,        "__cudaCDP2DeviceGetLimit",          2) \
    X(RUNTIME_VERSION,     "__cudaCDP2RuntimeGetVersion",       1) \
    X(FUNCTION_ATTRIBUTES, "__cudaCDP2FuncGetAttributes",       2) \
    X(OCCUPANCY,           "__cudaCDP2OccupancyMaxActiveBlocksPerMultiprocessor", 4) \
    X(OCCUPANCY_FLAGS,     "__cudaCDP2OccupancyMaxActiveBlocksPerMultiprocessorWithFlags", 5) \
    X(GRAPH_LAUNCH,        "cudaGraphLaunch",                   2) \
    X(GRAPH_CONDITION,     "cudaGraphSetConditional",           2)
/* clang-format on */

#define DEVICE_CALL_NUMBER(id, name, arguments) DEVICE_CALL_##id,
enum device_call_number { DEVICE_CALLS(DEVICE_CALL_NUMBER) DEVICE_CALL_COUNT };
#undef DEVICE_CALL_NUMBER

#define DEVICE_CALL_ARGUMENTS 8

/* One call of one thread. */
struct device_call {
    enum device_call_number number;
    const void *argument[DEVICE_CALL_ARGUMENTS]; /* the bytes of each */
    u64 result;
    u64 block; /* in the order of the grid */
    /* Where the thread finds `bytes` at an address of its own, or NULL. */
    void *(*at)(const struct device_call *call, u64 address, u64 bytes);
    void *warp; /* for at() */
    u32 lane;
};

/* DEVICE_CALL_COUNT: no such call. */
enum device_call_number device_call_find(const char *name);
u32 device_call_arguments(enum device_call_number number);

#endif
