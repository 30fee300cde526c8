#include "ptx/exec/slab.h"

#include <stdlib.h>
#include <sys/mman.h>

#define ALIGN 64u
#define FIRST_BYTES ((size_t)256 << 10)
#define MOST_BYTES ((size_t)8 << 20)
#define HUGE_PAGE ((size_t)2 << 20)

static size_t round_up(size_t value, size_t unit)
{
    return (value + unit - 1) / unit * unit;
}

static struct slab *slab_new(const struct slab *last, size_t bytes)
{
    size_t size = last ? 2 * last->bytes : FIRST_BYTES;
    size = size < MOST_BYTES ? size : MOST_BYTES;
    size = size > bytes + ALIGN ? size : round_up(bytes + ALIGN, ALIGN);
    void *p = NULL;
    bool large = size >= HUGE_PAGE;
    if (posix_memalign(&p, large ? HUGE_PAGE : ALIGN, size) != 0)
        abort();
    if (large)
        madvise(p, size, MADV_HUGEPAGE); /* a wish: fewer misses when addresses are looked up */
    struct slab *s = p;
    *s = (struct slab){.bytes = size, .used = ALIGN};
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

void *slab_alloc(struct slab **list, struct slab **spare, size_t bytes)
{
    bytes = round_up(bytes ? bytes : 1, ALIGN);
    if (!*list || (*list)->bytes - (*list)->used < bytes) {
        struct slab *s = take_spare(spare, bytes);
        if (!s)
            s = slab_new(*list, bytes);
        s->next = *list;
        *list = s;
    }
    void *p = (u8 *)*list + (*list)->used;
    (*list)->used += bytes;
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
        free(s);
    }
}
