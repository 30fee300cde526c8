#include "device/address_space.h"

#include <sys/mman.h>

/* False if the address is taken: by another device of this process, or otherwise. */
static bool region_map(u64 address, u64 bytes)
{
    void *want = (void *)(uintptr_t)address;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    void *got = mmap(want, (size_t)bytes, PROT_NONE, flags, -1, 0);
    if (got == MAP_FAILED)
        return false;
    if (got == want)
        return true;
    munmap(got, (size_t)bytes); /* an old kernel takes the address as a hint */
    return false;
}

#if defined(__SANITIZE_THREAD__)
#define UNDER_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define UNDER_THREAD_SANITIZER 1
#endif
#endif

/* The same sequence of addresses on every run. */
u64 region_reserve(u64 bytes)
{
    static const u64 ranges[][2] = {
#ifdef UNDER_THREAD_SANITIZER
        {0x7ea000000000, 0x7f8000000000}, /* it ends a program that maps elsewhere */
#else
        {0x700000000000, 0x7a0000000000}, /* between heap and libraries on x86-64 and AArch64 */
        {0x100000000000, 0x500000000000},
        {0x002000000000, 0x004000000000}, /* AArch64 with 39-bit addresses */
#endif
    };
    u64 step = 1ull << 36;
    while (step < bytes)
        step *= 2;
    for (u32 r = 0; r < ARRAY_LEN(ranges); r++) {
        for (u64 at = ranges[r][0]; at + bytes <= ranges[r][1]; at += step) {
            if (region_map(at, bytes))
                return at;
        }
    }
    return 0;
}
