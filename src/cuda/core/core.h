/*
 * The one simulated device of this process, as both CUDA interfaces see it.
 *
 * Functions named cu_* expect the lock to be held: an interface function begins
 * with CU_GUARD, and the lock is let go when it returns. The thread with the lock is in the C
 * locale (base/locale.h). Results are the driver interface's codes; the runtime interface
 * translates.
 */
#ifndef CUDA_CORE_CORE_H
#define CUDA_CORE_CORE_H

#include "base/map.h"
#include "base/text.h"
#include "cuda/core/backend.h"
#include "cuda/core/device.h"
#include "cuda/core/export.h"
#include "device/memory.h"

#include <pthread.h>
#include <stdatomic.h>

#define CUDA_DRIVER_VERSION 13000

/* Everything an application holds a handle of begins with this. */
enum cu_kind {
    CU_KIND_CONTEXT = 1,
    CU_KIND_STREAM,
    CU_KIND_EVENT,
    CU_KIND_MODULE,
    CU_KIND_FUNCTION,
    CU_KIND_ARRAY,
    CU_KIND_MIPMAP,
    CU_KIND_TEXTURE,
    CU_KIND_GRAPH,
    CU_KIND_NODE,
    CU_KIND_EXEC,
    CU_KIND_LINK,
    CU_KIND_POOL,
    CU_KIND_USER_OBJECT,
    CU_KIND_PHYSICAL,
};

struct cu_object {
    enum cu_kind kind;
    CUcontext context; /* dies with it; NULL: with the process */
    struct cu_object *previous, *next;
};

#define CU_LIMITS 8

struct CUctx_st {
    struct cu_object object;
    u64 id;
    u32 flags, api_version;
    u32 references; /* the primary context only */
    bool is_primary;
    CUresult sticky; /* a kernel faulted: every later call says so */
    u64 limits[CU_LIMITS];
    CUfunc_cache cache_config;
    CUsharedconfig shared_config;
    CUstream legacy; /* the default stream that waits for all others */
    u64 heap_bytes;  /* taken by malloc() in kernels */
    u64 grids;       /* launched so far */
};

/* See failures.h. */
#define CU_FAILURE_BYTES 1024

struct cu_failures {
    u64 launches;            /* failed or refused, all of them */
    atomic_ullong unnoticed; /* of those, since the program last fetched an error */
    u64 said;                /* sentences on stderr so far */
    int exit_code;           /* the program's own, once it ends */
    bool has_ended;          /* by exit() or return from main */
    char last_said[CU_FAILURE_BYTES];
    char first[CU_FAILURE_BYTES]; /* why the first of them failed */
};

struct cu_core {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a host function returned, or work was submitted meanwhile */
    atomic_uint entering;   /* threads that wait for the lock */
    atomic_ullong entries;  /* calls so far */
    atomic_bool in_haste;   /* the process is ending: the simulating thread makes room at once */
    bool is_ready, is_initialised;
    bool is_forked;         /* in a child of a process that had a context: no call works here */
    bool host_sees;         /* there is memory in which the host sees what kernels do */
    bool has_worker;        /* worker.c */
    bool has_awaited_value; /* a stream was told to wait for a value in memory */
    struct cuda_device_props props;
    const struct cuda_backend *backend;
    struct device_memory *memory;
    struct map live;          /* address of every object -> kind */
    struct map blocks;        /* start address -> struct cu_block */
    struct map textures;      /* handle -> struct cu_texture */
    struct map device_texts;  /* host address -> the same text in device memory */
    struct cu_object objects; /* ring */
    CUstream streams;         /* all of them, oldest first */
    CUcontext primary;
    u32 primary_flags;
    CUmemoryPool pool, default_pool;
    struct {
        struct cu_graph_memory *all;
        u64 used, used_high, reserved, reserved_high;
    } graph_memory;
    struct {
        struct cu_condition *all; /* a handle is a place here, from 1 */
        u64 count;
    } conditions;
    struct cu_mapping *mappings; /* virtual.h */
    u64 device_used;             /* bytes */
    u64 next_id, next_order, next_texture;
    u32 kernels_running, hosts_running;
    u32 ops_queued, host_ops_queued; /* with what is being carried out */
    u64 hosts_called;                /* so far */
    u32 device_streams_ended;        /* and not yet swept */
    u64 graph_launch;                /* that is being submitted; 0: none */
    CUgraphExec graph_exec;          /* whose it is */
    struct text printed;             /* by kernels, not yet on stdout */
    struct cu_failures failures;
};

/* The state of the process; made on first use. */
CU_SHARED struct cu_core *cu_core(void);
CU_SHARED struct cu_core *cu_lock(void);
CU_SHARED void cu_unlock(struct cu_core **core);
/* Lets another thread in that waits for the lock, or returns at once. Between two steps of work
 * only: anything may have changed afterwards. */
void cu_let_in(void);
bool cu_someone_waits(void);
/* Has this thread entered twice? Then a signal handler called in the middle of a call. */
bool cu_is_reentered(void);
#define CU_GUARD struct cu_core *core __attribute__((cleanup(cu_unlock), unused)) = cu_lock();

/* Everything is forgotten. Tests begin with it; no CUDA call does this. */
void cu_core_restart(const struct cuda_backend *backend);
void cu_core_set_backend(const struct cuda_backend *backend);
/* CUDA_ERROR_OPERATING_SYSTEM with a line on stderr when the device cannot be set up. */
CU_SHARED CUresult cu_init(void);
/* A program that cannot be run ends here, with what there is of results: it would go on without
 * a device and, as a rule, into a crash. */
CU_SHARED _Noreturn void cu_end_early(int code);
/* "heddle: ..." on stderr */
CU_SHARED void cu_complain(const struct err *err);
/* Is there a device of this number? If not, and it may be meant for a socket, a sentence says so.
 */
CU_SHARED bool cu_device_exists(int device);
CU_SHARED void cu_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Objects */
void *cu_object_new(size_t bytes, enum cu_kind kind, CUcontext context);
void cu_object_delete(void *object);
CU_SHARED bool cu_object_is(const void *object, enum cu_kind kind);

/* Contexts. Each thread has a stack of them; calls use the top. */
CU_SHARED CUresult cu_context_create(CUcontext *out, u32 flags);
CU_SHARED void cu_context_destroy(CUcontext context);
CU_SHARED CUresult cu_context_retain_primary(CUcontext *out);
CU_SHARED CUresult cu_context_release_primary(void);
CU_SHARED void cu_context_reset_primary(void);
CU_SHARED CUcontext cu_context_get(void);              /* NULL: none */
CU_SHARED CUresult cu_context_current(CUcontext *out); /* fails as a call would */
CU_SHARED void cu_context_set(CUcontext context);
CU_SHARED void cu_context_push(CUcontext context);
CU_SHARED CUresult cu_context_pop(CUcontext *out);
CU_SHARED CUresult cu_limit_get(CUcontext context, u32 limit, u64 *value);
CU_SHARED CUresult cu_limit_set(CUcontext context, u32 limit, u64 value);

/* What kernels printed goes to stdout. */
CU_SHARED void cu_print_flush(void);

/* In an interface function: the lock and a usable context, or return. */
#define CU_CALL(context)                                                                           \
    CU_GUARD                                                                                       \
    CUcontext context = NULL;                                                                      \
    CUresult context##_status = cu_context_current(&context);                                      \
    if (context##_status != CUDA_SUCCESS)                                                          \
        return context##_status;

#define CU_TRY(call)                                                                               \
    do {                                                                                           \
        CUresult try_status = (call);                                                              \
        if (try_status != CUDA_SUCCESS)                                                            \
            return try_status;                                                                     \
    } while (0)

#endif
