/*
 * The reserved region is cut into blocks that lie side by side: live ones and
 * holes. Holes are kept in bins by size (two-level segregated fit: Masmano et
 * al., ECRTS 2004), so taking and giving back a block costs the same however
 * many there are, and depends on nothing but the calls made before. Every block
 * ends in a guard that belongs to no allocation.
 *
 * A hole holds zeros only, so a new allocation needs no clearing: a freed block
 * is cleared, by the kernel for whole pages of large blocks.
 */
#include "device/memory.h"

#include "base/arena.h"
#include "device/bounds.h"
#include "device/address_space.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define GRANULE_BYTES 256ull
#define GUARD_BYTES 256ull
#define LARGE_BYTES (1ull << 20) /* from here on aligned as cudaMalloc does */
#define LARGE_ALIGN 512ull
#define PAGE_BYTES 65536ull /* the largest page of the machines we run on */
/* Access is opened and closed by the unit, which bounds the number of mappings. */
#define UNIT_BYTES MEMORY_UNIT_BYTES
/* Empty units up to here stay open: a small block that comes and goes costs no system call. */
#define OPEN_UNITS_KEPT 16
#define MAX_LIMIT_BYTES (1ull << 43)
#define SLACK_BYTES (1ull << 30) /* room for guards of small allocations */
#define BINS 192
#define NONE 0u
#define CHUNK_BLOCKS 256u

struct block {
    struct allocation allocation;
    u64 start, span;    /* guard included */
    u32 before, after;  /* neighbours in the region */
    u32 bin_prev, next; /* in its bin; `next` also links unused structs */
    bool is_hole, is_registered, is_reserved;
};

struct device_memory {
    u64 base, region_bytes, limit_bytes, used_bytes, epoch;
    struct block **chunks; /* blocks by number, from 1; they never move */
    u32 block_count, unused;
    u32 bin[BINS];
    u64 bin_used[BINS / 64];
    /* Live allocations by address. */
    u64 *starts;
    u32 *blocks;
    u32 live, capacity;
    u8 *unit_open;
    u64 open_units;
    u64 code_end;
    struct bounds bounds;
};

static u64 round_up(u64 x, u64 to)
{
    return (x + to - 1) & ~(to - 1);
}

static u64 round_down(u64 x, u64 to)
{
    return x & ~(to - 1);
}

static struct block *block_get(const struct device_memory *m, u32 number)
{
    assert(number != NONE && number <= m->block_count);
    return &m->chunks[(number - 1) / CHUNK_BLOCKS][(number - 1) % CHUNK_BLOCKS];
}

static u32 block_new(struct device_memory *m)
{
    u32 number = m->unused;
    if (number != NONE) {
        m->unused = block_get(m, number)->next;
    } else {
        u32 chunk = m->block_count / CHUNK_BLOCKS;
        if (m->block_count % CHUNK_BLOCKS == 0) {
            m->chunks = xrealloc(m->chunks, (chunk + 1) * sizeof(*m->chunks));
            m->chunks[chunk] = xrealloc(NULL, CHUNK_BLOCKS * sizeof(struct block));
        }
        number = ++m->block_count;
    }
    memset(block_get(m, number), 0, sizeof(struct block));
    return number;
}

static void block_drop(struct device_memory *m, u32 number)
{
    block_get(m, number)->next = m->unused;
    m->unused = number;
}

/* Four bins to every power of two; a hole in a later bin is never smaller. */
static u32 bin_of(u64 span)
{
    u64 granules = span / GRANULE_BYTES;
    if (granules < 4)
        return (u32)granules;
    u32 log = 63 - (u32)__builtin_clzll(granules);
    return log << 2 | ((u32)(granules >> (log - 2)) & 3);
}

static void hole_add(struct device_memory *m, u32 number)
{
    struct block *b = block_get(m, number);
    u32 bin = bin_of(b->span);
    b->is_hole = true;
    b->bin_prev = NONE;
    b->next = m->bin[bin];
    if (b->next != NONE)
        block_get(m, b->next)->bin_prev = number;
    m->bin[bin] = number;
    m->bin_used[bin / 64] |= 1ull << (bin % 64);
}

static void hole_remove(struct device_memory *m, u32 number)
{
    struct block *b = block_get(m, number);
    u32 bin = bin_of(b->span);
    b->is_hole = false;
    if (b->next != NONE)
        block_get(m, b->next)->bin_prev = b->bin_prev;
    if (b->bin_prev != NONE) {
        block_get(m, b->bin_prev)->next = b->next;
        return;
    }
    m->bin[bin] = b->next;
    if (b->next == NONE)
        m->bin_used[bin / 64] &= ~(1ull << (bin % 64));
}

static u32 bin_next_used(const struct device_memory *m, u32 bin)
{
    for (u32 word = bin / 64; word < BINS / 64; word++) {
        u64 bits = m->bin_used[word];
        if (word == bin / 64)
            bits &= ~0ull << (bin % 64);
        if (bits)
            return word * 64 + (u32)__builtin_ctzll(bits);
    }
    return BINS;
}

/* Looks at no more than `depth` holes of a bin. */
static u32 hole_find(const struct device_memory *m, u64 span, u64 align, u32 depth)
{
    for (u32 bin = bin_next_used(m, bin_of(span)); bin < BINS; bin = bin_next_used(m, bin + 1)) {
        u32 seen = 0;
        for (u32 h = m->bin[bin]; h != NONE && seen < depth; h = block_get(m, h)->next, seen++) {
            const struct block *b = block_get(m, h);
            u64 lead = round_up(b->start, align) - b->start;
            if (b->span >= lead && b->span - lead >= span)
                return h;
        }
    }
    return NONE;
}

/* Cuts a block in two at `span`; returns the second part, in no bin. */
static u32 block_split(struct device_memory *m, u32 number, u64 span)
{
    u32 rest_number = block_new(m);
    struct block *b = block_get(m, number);
    struct block *rest = block_get(m, rest_number);
    rest->start = b->start + span;
    rest->span = b->span - span;
    rest->before = number;
    rest->after = b->after;
    if (b->after != NONE)
        block_get(m, b->after)->before = rest_number;
    b->after = rest_number;
    b->span = span;
    return rest_number;
}

/* Joins a block with the one after it. */
static void block_absorb(struct device_memory *m, u32 number)
{
    struct block *b = block_get(m, number);
    u32 gone = b->after;
    b->span += block_get(m, gone)->span;
    b->after = block_get(m, gone)->after;
    if (b->after != NONE)
        block_get(m, b->after)->before = number;
    block_drop(m, gone);
}

static bool units_open(struct device_memory *m, u64 start, u64 end)
{
    u64 last = (end - 1 - m->base) / UNIT_BYTES;
    for (u64 u = (start - m->base) / UNIT_BYTES; u <= last;) {
        u64 from = u;
        while (u <= last && !m->unit_open[u])
            u++;
        if (u > from) {
            void *at = (void *)(uintptr_t)(m->base + from * UNIT_BYTES);
            if (mprotect(at, (size_t)((u - from) * UNIT_BYTES), PROT_READ | PROT_WRITE) != 0)
                return false;
            memset(m->unit_open + from, 1, (size_t)(u - from));
            m->open_units += u - from;
        }
        while (u <= last && m->unit_open[u])
            u++;
    }
    return true;
}

static void pages_release(u64 start, u64 end)
{
    void *at = (void *)(uintptr_t)start;
    if (madvise(at, (size_t)(end - start), MADV_DONTNEED) != 0)
        memset(at, 0, (size_t)(end - start)); /* locked pages */
}

static void unit_close(struct device_memory *m, u64 unit)
{
    u64 start = m->base + unit * UNIT_BYTES;
    if (!m->unit_open[unit])
        return;
    pages_release(start, start + UNIT_BYTES);
    if (mprotect((void *)(uintptr_t)start, UNIT_BYTES, PROT_NONE) != 0)
        return; /* too many mappings: it stays open, and empty */
    m->unit_open[unit] = 0;
    m->open_units--;
}

static void bytes_clear(u64 start, u64 end)
{
    u64 from = round_up(start, PAGE_BYTES), to = round_down(end, PAGE_BYTES);
    if (from >= to) {
        memset((void *)(uintptr_t)start, 0, (size_t)(end - start));
        return;
    }
    memset((void *)(uintptr_t)start, 0, (size_t)(from - start));
    pages_release(from, to);
    memset((void *)(uintptr_t)to, 0, (size_t)(end - to));
}

/* Clears what a freed block held; `hole` is what it has become part of. */
static void block_clear(struct device_memory *m, u64 start, u64 bytes, const struct block *hole)
{
    bytes_clear(start, start + bytes);
    if (m->open_units <= OPEN_UNITS_KEPT && bytes < UNIT_BYTES)
        return;
    u64 from = max_u64(round_up(hole->start, UNIT_BYTES), round_down(start, UNIT_BYTES));
    u64 to = min_u64(round_down(hole->start + hole->span, UNIT_BYTES),
                     round_up(start + bytes + GUARD_BYTES, UNIT_BYTES));
    for (u64 at = from; at < to; at += UNIT_BYTES)
        unit_close(m, (at - m->base) / UNIT_BYTES);
}

/* How many live allocations start at or before an address. */
static u32 live_until(const struct device_memory *m, u64 address)
{
    u32 low = 0, count = m->live;
    while (count > 0) {
        u32 half = count / 2;
        bool before = m->starts[low + half] <= address;
        low = before ? low + half + 1 : low;
        count = before ? count - half - 1 : half;
    }
    return low;
}

static void live_insert(struct device_memory *m, u64 start, u32 number)
{
    if (m->live == m->capacity) {
        m->capacity = m->capacity ? m->capacity * 2 : 64;
        m->starts = xrealloc(m->starts, m->capacity * sizeof(*m->starts));
        m->blocks = xrealloc(m->blocks, m->capacity * sizeof(*m->blocks));
    }
    u32 at = live_until(m, start);
    memmove(m->starts + at + 1, m->starts + at, (m->live - at) * sizeof(*m->starts));
    memmove(m->blocks + at + 1, m->blocks + at, (m->live - at) * sizeof(*m->blocks));
    m->starts[at] = start;
    m->blocks[at] = number;
    m->live++;
    m->epoch++;
}

static void live_remove(struct device_memory *m, u32 at)
{
    m->live--;
    memmove(m->starts + at, m->starts + at + 1, (m->live - at) * sizeof(*m->starts));
    memmove(m->blocks + at, m->blocks + at + 1, (m->live - at) * sizeof(*m->blocks));
    m->epoch++;
}

static const struct allocation *live_get(const struct device_memory *m, u32 at)
{
    return &block_get(m, m->blocks[at])->allocation;
}

struct device_memory *memory_create(u64 limit_bytes, struct err *err)
{
    if (limit_bytes > MAX_LIMIT_BYTES) {
        err_kind(err, ERR_INPUT, "device memory is %llu bytes, expected at most %llu",
                 (unsigned long long)limit_bytes, (unsigned long long)MAX_LIMIT_BYTES);
        return NULL;
    }
    /* Twice the limit, so that fragments and guards do not make the device full early. */
    u64 region_bytes = round_up(2 * limit_bytes + SLACK_BYTES, UNIT_BYTES);
    u64 base = region_reserve(region_bytes);
    if (base == 0) {
        err_kind(err, ERR_INTERNAL, "cannot reserve %llu bytes of address space: %s",
                 (unsigned long long)region_bytes, strerror(errno));
        return NULL;
    }
    struct device_memory *m = xrealloc(NULL, sizeof(*m));
    *m = (struct device_memory){.base = base,
                                .region_bytes = region_bytes,
                                .limit_bytes = limit_bytes,
                                .bounds = {.end = base + region_bytes, .first = ERR_INIT}};
    m->unit_open = xrealloc(NULL, (size_t)(region_bytes / UNIT_BYTES));
    memset(m->unit_open, 0, (size_t)(region_bytes / UNIT_BYTES));
    u32 number = block_new(m);
    block_get(m, number)->start = base;
    block_get(m, number)->span = region_bytes;
    hole_add(m, number);
    return m;
}

#define CODE_START 0x7d0000000000ull /* above any region */
#define CODE_ALIGN 4096u

u64 memory_place_code(struct device_memory *m, u64 bytes)
{
    u64 start = CODE_START + m->code_end;
    m->code_end += round_up(bytes, CODE_ALIGN);
    return start;
}

void memory_destroy(struct device_memory *m)
{
    if (!m)
        return;
    munmap((void *)(uintptr_t)m->base, (size_t)m->region_bytes);
    for (u32 c = 0; c * CHUNK_BLOCKS < m->block_count; c++)
        free(m->chunks[c]);
    free(m->chunks);
    free(m->starts);
    free(m->blocks);
    free(m->unit_open);
    free(m);
}

/* Takes a block out of a hole; what is left before and after it are holes. */
static u32 hole_cut(struct device_memory *m, u32 number, u64 start, u64 span)
{
    hole_remove(m, number);
    u64 lead = start - block_get(m, number)->start;
    if (lead > 0) {
        u32 rest = block_split(m, number, lead);
        hole_add(m, number);
        number = rest;
    }
    if (block_get(m, number)->span > span)
        hole_add(m, block_split(m, number, span));
    return number;
}

/* Joined with the holes beside it; returns what it has become part of. */
static u32 block_to_hole(struct device_memory *m, u32 number)
{
    struct block *b = block_get(m, number);
    if (b->after != NONE && block_get(m, b->after)->is_hole) {
        hole_remove(m, b->after);
        block_absorb(m, number);
    }
    if (b->before != NONE && block_get(m, b->before)->is_hole) {
        number = b->before;
        hole_remove(m, number);
        block_absorb(m, number);
    }
    hole_add(m, number);
    return number;
}

u64 memory_alloc(struct device_memory *m, u64 bytes, u64 align, const char *label, u32 flags)
{
    assert((align & (align - 1)) == 0);
    if (bytes > m->limit_bytes - m->used_bytes)
        return 0;
    align = max_u64(align, bytes >= LARGE_BYTES ? LARGE_ALIGN : GRANULE_BYTES);
    u64 span = round_up(bytes, GRANULE_BYTES) + GUARD_BYTES;
    u32 number = hole_find(m, span, align, 8);
    if (number == NONE)
        number = hole_find(m, span, align, UINT32_MAX);
    if (number == NONE)
        return 0;
    u64 start = round_up(block_get(m, number)->start, align);
    if (!units_open(m, start, start + span))
        return 0;

    number = hole_cut(m, number, start, span);
    block_get(m, number)->allocation =
        (struct allocation){.start = start, .bytes = bytes, .flags = flags, .label = label};
    live_insert(m, start, number);
    m->used_bytes += bytes;
    return start;
}

bool memory_register(struct device_memory *m, u64 start, u64 bytes, const char *label, u32 flags)
{
    if (bytes == 0 || start == 0 || bytes > UINT64_MAX - start)
        return false;
    if (start < m->base + m->region_bytes && m->base < start + bytes)
        return false;
    u32 until = live_until(m, start + bytes - 1);
    if (until > 0) {
        const struct allocation *a = live_get(m, until - 1);
        if (a->start + a->bytes > start)
            return false;
    }
    u32 number = block_new(m);
    struct block *b = block_get(m, number);
    b->is_registered = true;
    b->allocation = (struct allocation){
        .start = start, .bytes = bytes, .flags = flags, .host = start, .label = label};
    live_insert(m, start, number);
    return true;
}

bool memory_free(struct device_memory *m, u64 start)
{
    u32 until = live_until(m, start);
    if (until == 0 || m->starts[until - 1] != start)
        return false;
    u32 number = m->blocks[until - 1];
    live_remove(m, until - 1);
    struct block *b = block_get(m, number);
    if (b->is_registered) {
        block_drop(m, number);
        return true;
    }
    u64 bytes = b->allocation.bytes;
    m->used_bytes -= bytes;
    number = block_to_hole(m, number);
    block_clear(m, start, bytes, block_get(m, number));
    return true;
}

/* A block with only addresses is found by walking: there are few. */
static u32 reserved_find(const struct device_memory *m, u64 address)
{
    for (u32 n = 1; n <= m->block_count; n++) {
        const struct block *b = block_get(m, n);
        if (b->is_reserved && address - b->start < b->span)
            return n;
    }
    return NONE;
}

/* The hole that holds all of a range, or NONE. */
static u32 hole_around(const struct device_memory *m, u64 start, u64 span)
{
    for (u32 n = 1; n <= m->block_count; n++) {
        const struct block *b = block_get(m, n);
        if (b->is_hole && start >= b->start && start - b->start < b->span &&
            span <= b->span - (start - b->start))
            return n;
    }
    return NONE;
}

u64 memory_reserve(struct device_memory *m, u64 bytes, u64 align, u64 wanted)
{
    u64 span = round_up(bytes, UNIT_BYTES), start = wanted;
    if (bytes == 0 || span < bytes || (align & (align - 1)) != 0)
        return 0;
    align = max_u64(align, UNIT_BYTES);
    u32 number = wanted && wanted % align == 0 ? hole_around(m, wanted, span) : NONE;
    if (number == NONE) {
        number = hole_find(m, span, align, UINT32_MAX);
        if (number == NONE)
            return 0;
        start = round_up(block_get(m, number)->start, align);
    }
    for (u64 at = start; at < start + span; at += UNIT_BYTES)
        unit_close(m, (at - m->base) / UNIT_BYTES); /* what a freed block had left open */
    number = hole_cut(m, number, start, span);
    block_get(m, number)->is_reserved = true;
    return start;
}

static bool holds_live(const struct device_memory *m, u64 start, u64 span)
{
    u32 until = live_until(m, start + span - 1);
    return until > 0 && m->starts[until - 1] >= start;
}

bool memory_unreserve(struct device_memory *m, u64 start)
{
    u32 number = reserved_find(m, start);
    if (number == NONE || block_get(m, number)->start != start ||
        holds_live(m, start, block_get(m, number)->span))
        return false;
    block_get(m, number)->is_reserved = false;
    block_to_hole(m, number);
    return true;
}

bool memory_is_reserved(const struct device_memory *m, u64 start, u64 bytes)
{
    u32 number = reserved_find(m, start);
    if (number == NONE)
        return false;
    const struct block *b = block_get(m, number);
    return bytes <= b->span - (start - b->start);
}

bool memory_map(struct device_memory *m, u64 start, u64 bytes, int file, u64 offset,
                const char *label, u32 flags)
{
    u64 span = round_up(bytes, UNIT_BYTES);
    if (bytes == 0 || start % UNIT_BYTES || !memory_is_reserved(m, start, span) ||
        holds_live(m, start, span))
        return false;
    if (live_until(m, start) > 0) {
        const struct allocation *below = live_get(m, live_until(m, start) - 1);
        if (start - below->start < below->bytes)
            return false;
    }
    void *at = (void *)(uintptr_t)start;
    int how = file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
    if (mmap(at, (size_t)span, PROT_READ | PROT_WRITE, how | MAP_FIXED, file, (off_t)offset) != at)
        return false;
    u32 number = block_new(m);
    block_get(m, number)->is_registered = true; /* it is none of the region's blocks */
    block_get(m, number)->allocation =
        (struct allocation){.start = start, .bytes = bytes, .flags = flags, .label = label};
    live_insert(m, start, number);
    return true;
}

bool memory_unmap(struct device_memory *m, u64 start)
{
    u32 until = live_until(m, start);
    if (until == 0 || m->starts[until - 1] != start || reserved_find(m, start) == NONE)
        return false;
    u64 span = round_up(live_get(m, until - 1)->bytes, UNIT_BYTES);
    void *at = (void *)(uintptr_t)start;
    int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    if (mmap(at, (size_t)span, PROT_NONE, how, -1, 0) != at)
        return false;
    return memory_free(m, start);
}

const struct allocation *memory_find(const struct device_memory *m, u64 address)
{
    u32 until = live_until(m, address);
    if (until == 0)
        return NULL;
    const struct allocation *a = live_get(m, until - 1);
    return address - a->start < a->bytes ? a : NULL;
}

bool memory_is_spare(const struct device_memory *m, u32 index)
{
    return m->bounds.zeros &&
           (m->starts[index] == m->bounds.zeros || m->starts[index] == m->bounds.sink);
}

const struct allocation *memory_nearest(const struct device_memory *m, u64 address)
{
    u32 until = live_until(m, address), from = until;
    /* those pages are nobody's neighbours */
    while (until > 0 && memory_is_spare(m, until - 1))
        until--;
    while (from < m->live && memory_is_spare(m, from))
        from++;
    const struct allocation *below = until > 0 ? live_get(m, until - 1) : NULL;
    const struct allocation *above = from < m->live ? live_get(m, from) : NULL;
    if (!below || !above)
        return below ? below : above;
    if (address - below->start < below->bytes)
        return below;
    /* From the last byte of one to the first of the other; the lower wins a tie. */
    u64 past = address - below->start - (below->bytes ? below->bytes - 1 : 0);
    return past <= above->start - address ? below : above;
}

u32 memory_count(const struct device_memory *m)
{
    return m->live;
}

const struct allocation *memory_at(const struct device_memory *m, u32 index)
{
    return live_get(m, index);
}

u64 memory_used(const struct device_memory *m)
{
    return m->used_bytes;
}

u64 memory_limit(const struct device_memory *m)
{
    return m->limit_bytes;
}

u64 memory_epoch(const struct device_memory *m)
{
    return m->epoch;
}

struct bounds *memory_bounds(struct device_memory *m)
{
    return &m->bounds;
}
