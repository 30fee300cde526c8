#include "aarch64/memory.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

static void *reserve(u64 bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

bool a64_memory_init(struct a64_memory *m, struct err *err)
{
    m->bytes = reserve(A64_MEMORY_BYTES);
    m->pages = reserve(A64_MEMORY_BYTES >> A64_PAGE_BITS);
    if (m->bytes && m->pages)
        return true;
    int why = errno;
    a64_memory_fini(m);
    return err_kind(err, ERR_INTERNAL, "4 GiB of addresses cannot be reserved: %s", strerror(why));
}

void a64_memory_fini(struct a64_memory *m)
{
    if (m->bytes)
        munmap(m->bytes, A64_MEMORY_BYTES);
    if (m->pages)
        munmap(m->pages, A64_MEMORY_BYTES >> A64_PAGE_BITS);
    *m = (struct a64_memory){0};
}

bool a64_memory_map(struct a64_memory *m, u64 address, u64 bytes, u32 permission)
{
    if (!bytes)
        return true;
    u64 last = address + bytes - 1;
    if (last < address || last >= A64_MEMORY_BYTES)
        return false;
    for (u64 page = address >> A64_PAGE_BITS; page <= last >> A64_PAGE_BITS; page++)
        m->pages[page] |= (u8)(permission | A64_MAPPED);
    return true;
}

void a64_memory_clear(struct a64_memory *m)
{
    madvise(m->bytes, A64_MEMORY_BYTES, MADV_DONTNEED);
    madvise(m->pages, A64_MEMORY_BYTES >> A64_PAGE_BITS, MADV_DONTNEED);
}
