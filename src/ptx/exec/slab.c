#include "ptx/exec/slab.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ALIGN 64u
#define PAGE ((size_t)4096)
#define FIRST_BYTES ((size_t)256 << 10)
#define MOST_BYTES ((size_t)8 << 20)
#define HUGE_PAGE ((size_t)2 << 20)

static size_t round_up(size_t value, size_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/* Zeros that cost nothing before they are touched; `align` is whole pages. */
static void *map_zeros(size_t bytes, size_t align)
{
    u8 *p = mmap(NULL, bytes + align, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        abort();
    size_t before = round_up((uintptr_t)p, align) - (uintptr_t)p;
    if (before)
        munmap(p, before);
    if (before < align)
        munmap(p + before + bytes, align - before);
    return p + before;
}

static struct slab *slab_new(const struct slab *last, size_t bytes, bool huge)
{
    size_t size = last ? 2 * last->bytes : FIRST_BYTES;
    size = size < MOST_BYTES ? size : MOST_BYTES;
    size = size > bytes + ALIGN ? size : round_up(bytes + ALIGN, PAGE);
    bool large = huge && size >= HUGE_PAGE;
    struct slab *s = map_zeros(size, large ? HUGE_PAGE : PAGE);
    if (large)
        madvise(s, size, MADV_HUGEPAGE); /* a wish: fewer misses when addresses are looked up */
    *s = (struct slab){.bytes = size, .used = ALIGN, .touched = ALIGN};
    return s;
}

/* A spare one that is large enough, taken off its list. */
static struct slab *take_spare(struct slab **spare, size_t bytes)
{
    for (struct slab **link = spare; *link; link = &(*link)->next) {
        struct slab *s = *link;
        if (s->bytes - ALIGN >= bytes) {
            *link = s->next;
            return s;
        }
    }
    return NULL;
}

/* Room in the first of the list, for `bytes` that are a multiple of ALIGN. */
static struct slab *make_room(struct slab **list, struct slab **spare, size_t bytes, bool huge)
{
    if (!*list || (*list)->bytes - (*list)->used < bytes) {
        struct slab *s = take_spare(spare, bytes);
        if (!s)
            s = slab_new(*list, bytes, huge);
        s->next = *list;
        *list = s;
    }
    return *list;
}

void *slab_alloc(struct slab **list, struct slab **spare, size_t bytes, size_t *touched)
{
    bytes = round_up(bytes ? bytes : 1, ALIGN);
    struct slab *s = make_room(list, spare, bytes, true);
    void *p = (u8 *)s + s->used;
    size_t old = s->touched > s->used ? s->touched - s->used : 0;
    *touched = old < bytes ? old : bytes;
    s->used += bytes;
    s->touched = s->touched > s->used ? s->touched : s->used;
    return p;
}

void *slab_alloc_rough(struct slab **list, struct slab **spare, size_t bytes, bool huge)
{
    bytes = round_up(bytes ? bytes : 1, ALIGN);
    struct slab *s = make_room(list, spare, bytes, huge);
    void *p = (u8 *)s + s->used;
    s->used += bytes;
    return p;
}

void slab_spare(struct slab **list, struct slab **spare)
{
    while (*list) {
        struct slab *s = *list;
        *list = s->next;
        s->used = ALIGN;
        s->next = *spare;
        *spare = s;
    }
}

void slab_free(struct slab **list)
{
    while (*list) {
        struct slab *s = *list;
        *list = s->next;
        munmap(s, s->bytes);
    }
}
