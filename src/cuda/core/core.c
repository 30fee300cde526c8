#include "cuda/core/core.h"

#include "base/arena.h"
#include "base/console.h"
#include "base/err_report.h"
#include "base/locale.h"
#include "cuda/core/event.h"
#include "cuda/graph/graph.h"
#include "cuda/core/early_exit.h"
#include "cuda/core/memory.h"
#include "cuda/code/module.h"
#include "cuda/core/stream.h"
#include "cuda/core/texture.h"
#include "device/bounds.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CONTEXT_DEPTH 64

static struct cu_core the_core = {
    .lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, /* for signal handlers that call exit() */
    .changed = PTHREAD_COND_INITIALIZER,
};

static _Thread_local CUcontext context_stack[CONTEXT_DEPTH];
static _Thread_local u32 context_depth;

struct cu_core *cu_core(void)
{
    if (!the_core.is_ready) {
        the_core.is_ready = true;
        the_core.objects.previous = the_core.objects.next = &the_core.objects;
        the_core.next_texture = 1;
        if (!the_core.backend)
            the_core.backend = cu_functional_backend();
    }
    return &the_core;
}

static _Thread_local u32 lock_depth;

struct cu_core *cu_lock(void)
{
    atomic_fetch_add(&the_core.entering, 1);
    pthread_mutex_lock(&the_core.lock);
    atomic_fetch_sub(&the_core.entering, 1);
    atomic_fetch_add(&the_core.entries, 1);
    lock_depth++;
    locale_enter();
    return cu_core();
}

void cu_unlock(struct cu_core **core)
{
    locale_leave(NULL);
    lock_depth--;
    pthread_mutex_unlock(&(*core)->lock);
}

bool cu_is_reentered(void)
{
    return lock_depth > 1;
}

bool cu_someone_waits(void)
{
    return atomic_load(&the_core.entering) > 0;
}

/* A mutex is not fair: without the wait this thread would have it again before the other wakes. */
void cu_let_in(void)
{
    struct cu_core *core = &the_core;
    unsigned long long entries = atomic_load(&core->entries);
    if (!cu_someone_waits())
        return;
    cu_unlock(&core);
    while (cu_someone_waits() && atomic_load(&core->entries) == entries)
        usleep(20);
    cu_lock();
}

void cu_core_set_backend(const struct cuda_backend *backend)
{
    cu_core()->backend = backend;
}

void cu_say(const char *fmt, ...)
{
    struct cu_failures *f = &the_core.failures;
    va_list args;
    va_start(args, fmt);
    vsnprintf(f->last_said, sizeof f->last_said, fmt, args);
    va_end(args);
    f->said++;
    va_start(args, fmt);
    console_vsay(fmt, args);
    va_end(args);
    err_report_said(f->last_said);
}

bool cu_device_exists(int device)
{
    u32 sockets = cu_core()->props.sockets;
    if (device && sockets > 1)
        cu_say("device %d does not exist: the %u sockets of this GPU are one device, number 0, and "
               "need no peer access",
               device, sockets);
    return !device;
}

void cu_complain(const struct err *err)
{
    char sentence[2048];
    err_text(err, sentence, sizeof(sentence));
    cu_say("%s", sentence);
}

/* As with NVIDIA's driver, a context does not live on in a child; what was printed is the
 * parent's to show. */
static void before_fork(void)
{
    cu_lock();
}

static void after_fork(void)
{
    struct cu_core *core = &the_core;
    cu_unlock(&core);
}

static void in_child(void)
{
    the_core.lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    the_core.entering = 0;
    the_core.is_forked = true;
    the_core.printed.length = 0;
    the_core.failures.unnoticed = 0;
    for (; lock_depth; lock_depth--)
        locale_leave(NULL);
}

void cu_end_early(int code)
{
    const struct cuda_backend *backend = cu_core()->backend;
    if (backend->ends)
        backend->ends(backend->self);
    cu_leave(code);
}

CUresult cu_init(void)
{
    struct cu_core *core = cu_core();
    if (core->is_forked)
        return CUDA_ERROR_NOT_INITIALIZED;
    if (core->is_initialised)
        return CUDA_SUCCESS;
    struct err err = ERR_INIT;
    core->props = cu_device();
    /* Pinned host memory lives in the same region and is not counted as the device's. */
    core->memory = memory_create(2 * core->props.memory_bytes, &err);
    if (!core->memory) {
        cu_complain(&err);
        return CUDA_ERROR_OPERATING_SYSTEM;
    }
    static const char *const modes[] = {BOUNDS_MODES};
    const char *bounds = getenv("HEDDLE_BOUNDS");
    enum bounds_mode mode = BOUNDS_DEFAULT;
    for (u32 i = 0; bounds && i < ARRAY_LEN(modes); i++)
        mode = strcmp(bounds, modes[i]) == 0 ? (enum bounds_mode)i : mode;
    if (!bounds_set(core->memory, mode))
        cu_say("warning: not enough memory for --bounds %s, so accesses are checked strictly",
               modes[mode]);
    core->is_initialised = true;
    static bool told;
    if (!told)
        pthread_atfork(before_fork, after_fork, in_child);
    told = true;
    return CUDA_SUCCESS;
}

void *cu_object_new(size_t bytes, enum cu_kind kind, CUcontext context)
{
    struct cu_core *core = cu_core();
    struct cu_object *o = xrealloc(NULL, bytes);
    memset(o, 0, bytes);
    o->kind = kind;
    o->context = context;
    o->previous = core->objects.previous;
    o->next = &core->objects;
    o->previous->next = o->next->previous = o;
    map_put(&core->live, (u64)(uintptr_t)o, kind);
    return o;
}

void cu_object_delete(void *object)
{
    struct cu_object *o = object;
    if (!o)
        return;
    o->previous->next = o->next;
    o->next->previous = o->previous;
    map_remove(&cu_core()->live, (u64)(uintptr_t)o);
    free(o);
}

bool cu_object_is(const void *object, enum cu_kind kind)
{
    u64 found;
    return object && map_get(&cu_core()->live, (u64)(uintptr_t)object, &found) && found == kind;
}

/* Defaults as an H200 has them. */
static const u64 default_limits[CU_LIMITS] = {
    [CU_LIMIT_STACK_SIZE] = 1024,
    [CU_LIMIT_PRINTF_FIFO_SIZE] = 8650752,
    [CU_LIMIT_MALLOC_HEAP_SIZE] = 8 << 20,
    [CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT] = 2048,
    [CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = 64,
    [CU_LIMIT_PERSISTING_L2_CACHE_SIZE] = 11796480,
    [CU_LIMIT_SHMEM_SIZE] = 232448,
};

CUresult cu_limit_get(CUcontext context, u32 limit, u64 *value)
{
    if (limit >= CU_LIMITS)
        return CUDA_ERROR_INVALID_VALUE;
    if (limit == CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH)
        return CUDA_ERROR_UNSUPPORTED_LIMIT;
    *value = context->limits[limit];
    return CUDA_SUCCESS;
}

CUresult cu_limit_set(CUcontext context, u32 limit, u64 value)
{
    struct cu_core *core = cu_core();
    u64 old;
    CU_TRY(cu_limit_get(context, limit, &old));
    switch (limit) {
    case CU_LIMIT_STACK_SIZE:
        if (value > core->props.stack_limit_max)
            return CUDA_ERROR_INVALID_VALUE;
        value = (value + 15) & ~(u64)15;
        break;
    case CU_LIMIT_PRINTF_FIFO_SIZE:
        value = max_u64(value, 512 << 10);
        break;
    case CU_LIMIT_MALLOC_HEAP_SIZE:
        if (value > core->props.memory_bytes)
            return CUDA_ERROR_OUT_OF_MEMORY;
        value = max_u64((value + (1 << 20) - 1) & ~(u64)((1 << 20) - 1), 4 << 20);
        break;
    default:
        break;
    }
    context->limits[limit] = value;
    return CUDA_SUCCESS;
}

CUresult cu_context_create(CUcontext *out, u32 flags)
{
    struct cu_core *core = cu_core();
    CU_TRY(cu_init());
    CUcontext c = cu_object_new(sizeof(*c), CU_KIND_CONTEXT, NULL);
    c->id = ++core->next_id;
    c->flags = flags;
    c->api_version = 3020;
    memcpy(c->limits, default_limits, sizeof(c->limits));
    c->legacy = cu_stream_new(c, CU_STREAM_DEFAULT, 0);
    c->legacy->is_legacy = true;
    *out = c;
    return CUDA_SUCCESS;
}

/* Streams come last: the others may have work in them. */
static void object_destroy(struct cu_object *o)
{
    switch (o->kind) {
    case CU_KIND_EVENT:
        cu_event_destroy((CUevent)o);
        break;
    case CU_KIND_MODULE:
        cu_module_unload((CUmodule)o);
        break;
    case CU_KIND_ARRAY:
        cu_array_destroy((CUarray)o);
        break;
    case CU_KIND_MIPMAP:
        cu_mipmap_destroy((CUmipmappedArray)o);
        break;
    case CU_KIND_TEXTURE:
        cu_texture_destroy((struct cu_texture *)o);
        break;
    default:
        cu_object_delete(o);
        break;
    }
}

static void context_clear(CUcontext context)
{
    struct cu_core *core = cu_core();
    cu_stream_drop_all(context);
    cu_wait_under_way(context);
    for (;;) {
        struct cu_object *o = core->objects.next;
        while (o != &core->objects &&
               (o->context != context || o->kind == CU_KIND_STREAM || o->kind == CU_KIND_FUNCTION))
            o = o->next;
        if (o == &core->objects)
            break;
        object_destroy(o);
    }
    for (struct cu_object *o = core->objects.next, *next; o != &core->objects; o = next) {
        next = o->next;
        if (o->context == context)
            cu_stream_delete((CUstream)o);
    }
    cu_memory_drop_all(context);
    cu_print_flush();
}

void cu_context_destroy(CUcontext context)
{
    context_clear(context);
    for (u32 i = 0; i < context_depth; i++) {
        if (context_stack[i] == context)
            context_stack[i] = NULL;
    }
    while (context_depth && !context_stack[context_depth - 1])
        context_depth--;
    if (cu_core()->primary == context)
        cu_core()->primary = NULL;
    cu_object_delete(context);
}

CUresult cu_context_retain_primary(CUcontext *out)
{
    struct cu_core *core = cu_core();
    if (!core->primary) {
        CU_TRY(cu_context_create(&core->primary, core->primary_flags));
        core->primary->is_primary = true;
    }
    core->primary->references++;
    *out = core->primary;
    return CUDA_SUCCESS;
}

CUresult cu_context_release_primary(void)
{
    struct cu_core *core = cu_core();
    if (!core->primary || !core->primary->references)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (--core->primary->references == 0)
        cu_context_reset_primary();
    return CUDA_SUCCESS;
}

/* The handle stays good: threads that hold it go on with an empty context. */
void cu_context_reset_primary(void)
{
    CUcontext c = cu_core()->primary;
    if (!c)
        return;
    context_clear(c);
    c->id = ++cu_core()->next_id; /* what was loaded into it has to be loaded again */
    c->sticky = CUDA_SUCCESS;
    c->heap_bytes = 0;
    memcpy(c->limits, default_limits, sizeof(c->limits));
    c->legacy = cu_stream_new(c, CU_STREAM_DEFAULT, 0);
    c->legacy->is_legacy = true;
}

CUcontext cu_context_get(void)
{
    while (context_depth && !cu_object_is(context_stack[context_depth - 1], CU_KIND_CONTEXT))
        context_depth--; /* destroyed by another thread */
    return context_depth ? context_stack[context_depth - 1] : NULL;
}

CUresult cu_context_current(CUcontext *out)
{
    if (!cu_core()->is_initialised || cu_core()->is_forked)
        return CUDA_ERROR_NOT_INITIALIZED;
    if (cu_in_host_function())
        return CUDA_ERROR_NOT_PERMITTED;
    *out = cu_context_get();
    if (!*out)
        return CUDA_ERROR_INVALID_CONTEXT;
    return (*out)->sticky;
}

void cu_context_push(CUcontext context)
{
    if (context_depth < CONTEXT_DEPTH)
        context_stack[context_depth++] = context;
}

CUresult cu_context_pop(CUcontext *out)
{
    CUcontext top = cu_context_get();
    if (!top)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (out)
        *out = top;
    context_depth--;
    return CUDA_SUCCESS;
}

void cu_context_set(CUcontext context)
{
    if (cu_context_get())
        context_depth--;
    if (context)
        cu_context_push(context);
}

void cu_print_flush(void)
{
    struct text *t = &cu_core()->printed;
    if (!t->length)
        return;
    console_print(t->data, t->length);
    t->length = 0;
}

void cu_core_restart(const struct cuda_backend *backend)
{
    struct cu_core *core = cu_core();
    for (struct cu_object *o = core->objects.next; o != &core->objects;) {
        if (o->kind == CU_KIND_CONTEXT) {
            cu_context_destroy((CUcontext)o);
            o = core->objects.next;
        } else {
            o = o->next;
        }
    }
    cu_graph_delete_all();
    while (core->objects.next != &core->objects)
        cu_object_delete(core->objects.next);
    memory_destroy(core->memory);
    map_fini(&core->live);
    map_fini(&core->blocks);
    map_fini(&core->textures);
    map_fini(&core->device_texts);
    text_fini(&core->printed);
    free(core->conditions.all);
    context_depth = 0;
    pthread_mutex_t lock = core->lock;
    pthread_cond_t changed = core->changed;
    *core = (struct cu_core){
        .lock = lock, .changed = changed, .backend = backend, .has_worker = core->has_worker};
    cu_core();
}

/* A program that ends without a last synchronisation still shows what its kernels printed. */
__attribute__((destructor)) static void print_rest(void)
{
    if (the_core.is_ready)
        cu_print_flush();
}
