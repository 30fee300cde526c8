/*
 * The memory of an AArch64 program: one range of addresses from 0, in pages that are mapped or not.
 *
 * An address is an offset into a reservation of the host, so an access is a check and a copy. A
 * page that is not mapped may not be touched: the caller makes a fault of it, or for a first-fault
 * load a shorter vector.
 */
#ifndef AARCH64_MEMORY_H
#define AARCH64_MEMORY_H

#include "base/err.h"

#define A64_PAGE_BITS 12u
#define A64_PAGE ((u64)1 << A64_PAGE_BITS)
#define A64_MEMORY_BYTES ((u64)1 << 32)

enum a64_permission { A64_MAPPED = 1, A64_WRITABLE = 2, A64_EXECUTABLE = 4 };

struct a64_memory {
    u8 *bytes; /* of address 0 */
    u8 *pages; /* enum a64_permission, by page */
};

bool a64_memory_init(struct a64_memory *m, struct err *err);
void a64_memory_fini(struct a64_memory *m);
/* Pages that hold these bytes; what was there stays. False: outside the range of addresses. */
bool a64_memory_map(struct a64_memory *m, u64 address, u64 bytes, u32 permission);
/* Nothing is mapped, and what is mapped next is zero. */
void a64_memory_clear(struct a64_memory *m);

/* Up to A64_PAGE bytes. NULL: some of them may not be accessed so. */
static inline u8 *a64_memory_at(const struct a64_memory *m, u64 address, u64 bytes, u32 permission)
{
    u64 last = address + bytes - 1;
    if (UNLIKELY(address >= A64_MEMORY_BYTES || last >= A64_MEMORY_BYTES))
        return NULL;
    if (UNLIKELY(
            !(m->pages[address >> A64_PAGE_BITS] & m->pages[last >> A64_PAGE_BITS] & permission)))
        return NULL;
    return m->bytes + address;
}

#endif
