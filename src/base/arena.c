#include "base/arena.h"
#include "base/console.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define BLOCK_BYTES ((size_t)64 << 10)
#define HUGE_PAGE ((size_t)2 << 20)
#define LARGE_ARENA ((size_t)4 << 20) /* larger ones are wished for in large pages */
#define DEFAULT_ALIGN 16
#define SPARSE_HEAD 64u

struct arena_block {
    struct arena_block *next;
    size_t used, size;
    bool is_mapped;
};

static void out_of_memory(size_t bytes)
{
    console_say("out of memory (%zu bytes)", bytes);
    exit(4);
}

void *xrealloc(void *p, size_t bytes)
{
    void *q = realloc(p, bytes ? bytes : 1);
    if (!q)
        out_of_memory(bytes);
    return q;
}

/* Zeroed when it is touched first; in large pages if that is wished for: addresses of a large chip
 * are found sooner, and its first use is a few faults. */
static struct arena_block *map_anywhere(size_t size, bool large_pages)
{
    u8 *p = mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    size_t before = -(uintptr_t)p % HUGE_PAGE;
    if (before)
        munmap(p, before);
    if (before < HUGE_PAGE)
        munmap(p + before + size, HUGE_PAGE - before);
    if (large_pages)
        madvise(p + before, size, MADV_HUGEPAGE);
    return (struct arena_block *)(void *)(p + before);
}

static void *map_at(u64 address, u64 size)
{
    void *want = (void *)(uintptr_t)address;
    void *got = mmap(want, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got != MAP_FAILED && got != want) /* an old kernel takes the address as a hint */
        munmap(got, size);
    return got == want ? got : NULL;
}

static struct arena_block *map_block(struct arena *a, size_t size, bool large_pages)
{
    if (!a->end)
        return map_anywhere(size, large_pages);
    if (size > a->end - a->next)
        return NULL;
    void *p = map_at(a->next, size);
    if (p && large_pages)
        madvise(p, size, MADV_HUGEPAGE);
    a->next += p ? size : 0;
    return p;
}

void arena_place(struct arena *a, u64 from, u64 to)
{
    assert(!a->blocks && from % HUGE_PAGE == 0);
    a->next = from;
    a->end = to;
}

bool arena_extend(struct arena *a, u64 next)
{
    if (next < a->next || next > a->end || (next - a->next) % HUGE_PAGE)
        return false;
    if (next > a->next && !map_at(a->next, next - a->next))
        return false;
    a->next = next;
    return true;
}

static struct arena_block *add_block(struct arena *a, size_t payload)
{
    size_t size = payload + sizeof(struct arena_block);
    bool mapped = a->end || a->used_bytes > HUGE_PAGE / 2 || size > HUGE_PAGE / 2;
    bool large = a->used_bytes > LARGE_ARENA;
    if (mapped)
        size = (size + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
    else if (size < BLOCK_BYTES)
        size = BLOCK_BYTES;
    struct arena_block *b = mapped ? map_block(a, size, large) : calloc(1, size);
    if (!b)
        out_of_memory(size);
    *b = (struct arena_block){.next = a->blocks, .size = size - sizeof *b, .is_mapped = mapped};
    a->blocks = b;
    return b;
}

void *arena_alloc_sparse(struct arena *a, size_t bytes)
{
    size_t size = (bytes + SPARSE_HEAD + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
    if (bytes < HUGE_PAGE / 2)
        return arena_alloc_aligned(a, bytes, 64);
    lock_take(&a->lock);
    struct arena_block *b = map_block(a, size, false);
    if (!b)
        out_of_memory(size);
    *b = (struct arena_block){.used = size, .size = size - sizeof *b, .is_mapped = true};
    if (a->blocks) { /* the first goes on being used */
        b->next = a->blocks->next;
        a->blocks->next = b;
    } else {
        a->blocks = b;
    }
    a->used_bytes += bytes;
    lock_give(&a->lock);
    return (u8 *)b + SPARSE_HEAD;
}

/* Where in the block an aligned allocation would start. */
static size_t aligned_offset(const struct arena_block *b, size_t align)
{
    uintptr_t base = (uintptr_t)(b + 1);
    uintptr_t at = (base + b->used + align - 1) & ~(uintptr_t)(align - 1);
    return (size_t)(at - base);
}

void *arena_alloc_aligned(struct arena *a, size_t bytes, size_t align)
{
    assert(align && (align & (align - 1)) == 0 && align <= 4096);
    lock_take(&a->lock);
    struct arena_block *b = a->blocks;
    if (!b || aligned_offset(b, align) + bytes > b->size)
        b = add_block(a, bytes + align);
    size_t at = aligned_offset(b, align);
    b->used = at + bytes;
    a->used_bytes += bytes;
    lock_give(&a->lock);
    return (char *)(b + 1) + at;
}

void *arena_alloc(struct arena *a, size_t bytes)
{
    return arena_alloc_aligned(a, bytes, DEFAULT_ALIGN);
}

char *arena_strdup(struct arena *a, const char *s)
{
    size_t n = strlen(s) + 1;
    return memcpy(arena_alloc_aligned(a, n, 1), s, n);
}

#define SHORT_TEXT 200u

/* The decimal digits of a number end before `end`; where they start. */
static char *digits_before(char *end, u32 number)
{
    do {
        *--end = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    return end;
}

/* A text of %s and %u, as the thousands of names of a machine are: its length. SHORT_TEXT: the
 * format has something else, or the text is not short. */
static size_t write_plain(char to[SHORT_TEXT], const char *fmt, va_list args)
{
    size_t n = 0;
    for (; *fmt; fmt++) {
        char number[10], *end = number + sizeof number;
        const char *part = fmt;
        size_t length = 1;
        if (*fmt == '%' && *++fmt == 's') {
            part = va_arg(args, const char *);
            length = part ? strlen(part) : SHORT_TEXT;
        } else if (*part == '%') {
            if (*fmt != 'u')
                return SHORT_TEXT;
            part = digits_before(end, va_arg(args, u32));
            length = (size_t)(end - part);
        }
        if (n + length >= SHORT_TEXT)
            return SHORT_TEXT;
        memcpy(to + n, part, length);
        n += length;
    }
    return n;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
    va_list args;
    char plain[SHORT_TEXT];
    va_start(args, fmt);
    size_t n = write_plain(plain, fmt, args);
    va_end(args);
    if (n < SHORT_TEXT) {
        char *s = arena_alloc_aligned(a, n + 1, 1);
        memcpy(s, plain, n);
        s[n] = '\0';
        return s;
    }
    va_start(args, fmt);
    int length = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    assert(length >= 0);
    char *s = arena_alloc_aligned(a, (size_t)length + 1, 1);
    va_start(args, fmt);
    vsnprintf(s, (size_t)length + 1, fmt, args);
    va_end(args);
    return s;
}

static void free_blocks(struct arena_block *b)
{
    for (struct arena_block *next; b; b = next) {
        next = b->next;
        if (b->is_mapped)
            munmap(b, b->size + sizeof *b);
        else
            free(b);
    }
}

void arena_clear(struct arena *a)
{
    struct arena_block *b = a->blocks;
    if (!b)
        return;
    free_blocks(b->next);
    b->next = NULL;
    memset(b + 1, 0, b->used);
    b->used = 0;
    a->used_bytes = 0;
}

void arena_fini(struct arena *a)
{
    free_blocks(a->blocks);
    *a = (struct arena){0};
}
