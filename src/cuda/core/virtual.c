#include "cuda/core/virtual.h"

#include "base/arena.h"
#include "cuda/core/memory.h"
#include "cuda/core/stream.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static CUresult physical_new(u64 bytes, int file, const CUmemAllocationProp *prop,
                             struct cu_physical **out)
{
    struct cu_core *core = cu_core();
    if (bytes > core->props.memory_bytes - core->device_used) {
        close(file);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    struct cu_physical *p = cu_object_new(sizeof(*p), CU_KIND_PHYSICAL, NULL);
    p->prop = *prop;
    p->bytes = bytes;
    p->file = file;
    p->handles = 1;
    core->device_used += bytes;
    *out = p;
    return CUDA_SUCCESS;
}

CUresult cu_physical_create(u64 bytes, const CUmemAllocationProp *prop, struct cu_physical **out)
{
    if (!bytes || bytes % MEMORY_UNIT_BYTES || prop->type != 1 || prop->location.id != 0 ||
        prop->location.type == 0)
        return CUDA_ERROR_INVALID_VALUE;
    int file = memfd_create("heddle", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, (off_t)bytes) != 0) {
        if (file >= 0)
            close(file);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return physical_new(bytes, file, prop, out);
}

CUresult cu_physical_import(int file, struct cu_physical **out)
{
    static const CUmemAllocationProp prop = {
        .type = 1, .requestedHandleTypes = 1, .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    struct stat status;
    int copy = dup(file);
    if (copy < 0 || fstat(copy, &status) != 0 || status.st_size <= 0 ||
        (u64)status.st_size % MEMORY_UNIT_BYTES) {
        if (copy >= 0)
            close(copy);
        return CUDA_ERROR_INVALID_VALUE;
    }
    return physical_new((u64)status.st_size, copy, &prop, out);
}

static void physical_drop(struct cu_physical *p)
{
    if (p->handles || p->mappings)
        return;
    cu_core()->device_used -= p->bytes;
    close(p->file);
    cu_object_delete(p);
}

void cu_physical_release(struct cu_physical *p)
{
    p->handles--;
    physical_drop(p);
}

struct cu_mapping *cu_mapping_find(u64 address)
{
    for (struct cu_mapping *m = cu_core()->mappings; m; m = m->next) {
        if (address - m->start < m->bytes)
            return m;
    }
    return NULL;
}

CUresult cu_mapping_add(u64 start, u64 bytes, struct cu_physical *p)
{
    struct cu_core *core = cu_core();
    if (start % MEMORY_UNIT_BYTES || !bytes || bytes % MEMORY_UNIT_BYTES || bytes > p->bytes ||
        !memory_is_reserved(core->memory, start, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    for (const struct cu_mapping *m = core->mappings; m; m = m->next) {
        if (start < m->start + m->bytes && m->start < start + bytes)
            return CUDA_ERROR_INVALID_VALUE;
    }
    struct cu_mapping *m = xrealloc(NULL, sizeof(*m));
    *m = (struct cu_mapping){.next = core->mappings, .start = start, .bytes = bytes, .physical = p};
    core->mappings = m;
    p->mappings++;
    return CUDA_SUCCESS;
}

/* Do whole mappings fill the range? */
static bool range_is_mapped(u64 start, u64 bytes)
{
    u64 end = start + bytes;
    if (!bytes || end < start)
        return false;
    while (start < end) {
        const struct cu_mapping *m = cu_mapping_find(start);
        if (!m || m->start != start || m->bytes > end - start)
            return false;
        start += m->bytes;
    }
    return true;
}

CUresult cu_mapping_remove(u64 start, u64 bytes)
{
    if (!range_is_mapped(start, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    CUcontext context = cu_context_get();
    if (context)
        cu_wait_all(context); /* work that uses it comes first */
    for (struct cu_mapping **link = &cu_core()->mappings; *link;) {
        struct cu_mapping *m = *link;
        if (m->start < start || m->start >= start + bytes) {
            link = &m->next;
            continue;
        }
        if (m->access)
            cu_memory_release(m->start);
        *link = m->next;
        m->physical->mappings--;
        physical_drop(m->physical);
        free(m);
    }
    return CUDA_SUCCESS;
}

CUresult cu_mapping_allow(CUcontext context, u64 start, u64 bytes, int access)
{
    if (!range_is_mapped(start, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    for (u64 at = start; at < start + bytes;) {
        struct cu_mapping *m = cu_mapping_find(at);
        if (access && !m->access)
            CU_TRY(
                cu_memory_map(context, CU_MEMORY_MAPPED, m->start, m->bytes, m->physical->file, 0));
        if (!access && m->access)
            cu_memory_release(m->start);
        m->access = access;
        at += m->bytes;
    }
    return CUDA_SUCCESS;
}
