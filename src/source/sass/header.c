#include "source/sass/header.h"

#include "base/arena.h"

#include <string.h>

/* No GPU that has been traced takes larger blocks or grids. */
#define MOST_THREADS 1024u
static const u32 most_blocks[3] = {INT32_MAX, 65535, 65535};

/* The versions whose lines are known; 7 is that of a fork. */
#define LAST_VERSION 7

enum key {
    KEY_NAME,
    KEY_ID,
    KEY_GRID,
    KEY_BLOCK,
    KEY_SHARED_BASE,
    KEY_SHARED,
    KEY_REGISTERS,
    KEY_BINARY,
    KEY_STREAM,
    KEY_LOCAL_BASE,
    KEY_TRACER,
    KEY_LINES,
    KEY_COUNT,
};

static const char *const key_words[KEY_COUNT] = {
    [KEY_NAME] = "-kernel name =",
    [KEY_ID] = "-kernel id =",
    [KEY_GRID] = "-grid dim =",
    [KEY_BLOCK] = "-block dim =",
    [KEY_SHARED_BASE] = "-shmem base_addr =",
    [KEY_SHARED] = "-shmem =",
    [KEY_REGISTERS] = "-nregs =",
    [KEY_BINARY] = "-binary version =",
    [KEY_STREAM] = "-cuda stream id =",
    [KEY_LOCAL_BASE] = "-local mem base_addr =",
    [KEY_TRACER] = "-accelsim tracer version =",
    [KEY_LINES] = "-enable lineinfo =",
};

static bool read_name(struct trace_header *h, struct scan *s, struct arena *arena)
{
    struct slice first = scan_word(s), last = first;
    for (struct slice word = first; word.length; word = scan_word(s))
        last = word;
    if (first.length)
        h->kernel_name = arena_printf(
            arena, "%.*s", (int)min_u64((u64)(last.start + last.length - first.start), 4096),
            first.start);
    return true;
}

/* Early files print the 64-bit handle as a signed int; any number will do to tell streams apart. */
static bool read_stream(struct trace_header *h, struct scan *s, struct err *err)
{
    struct slice word = scan_word(s);
    i64 value;
    if (slice_decimal(word, &value)) {
        h->stream = (u64)value;
        return true;
    }
    return scan_refuse(s, word, "cuda stream id", "a decimal number", err);
}

/* "1.2" counts as 1. */
static bool read_tracer(struct trace_header *h, struct scan *s, struct err *err)
{
    struct slice word = scan_word(s), whole = word;
    const char *dot = word.length ? memchr(word.start, '.', word.length) : NULL;
    if (dot)
        whole.length = (size_t)(dot - word.start);
    i64 value;
    if (!slice_decimal(whole, &value) || value < 1 || value > LAST_VERSION)
        return scan_refuse(s, word, "accelsim tracer version", "one from 1 to 7", err);
    h->tracer_version = (u32)value;
    return true;
}

static bool read_lines(struct trace_header *h, struct scan *s, struct err *err)
{
    u32 value;
    if (!scan_count(s, "enable lineinfo", 1, &value, err))
        return false;
    h->has_line_numbers = value;
    return true;
}

static bool read_id(struct trace_header *h, struct scan *s, struct err *err)
{
    i64 value;
    if (!scan_decimal(s, "kernel id", &value, err))
        return false;
    h->kernel_id = (u64)value;
    return true;
}

static bool read_grid(struct trace_header *h, struct scan *s, struct err *err)
{
    struct scan ahead = *s;
    const char *at = scan_word(&ahead).start;
    if (!scan_triple(s, "grid dim", h->grid, err))
        return false;
    h->blocks = 1;
    for (u32 i = 0; i < 3; i++) {
        if (h->grid[i] > most_blocks[i])
            return err_at(err, scan_pos(s, at),
                          "grid dim is (%u,%u,%u), expected at most (%u,%u,%u)", h->grid[0],
                          h->grid[1], h->grid[2], most_blocks[0], most_blocks[1], most_blocks[2]);
        h->blocks *= h->grid[i];
    }
    return true;
}

static bool read_value(struct trace_header *h, enum key key, struct scan *s, struct arena *arena,
                       struct err *err)
{
    switch (key) {
    case KEY_NAME:
        return read_name(h, s, arena);
    case KEY_ID:
        return read_id(h, s, err);
    case KEY_GRID:
        return read_grid(h, s, err);
    case KEY_BLOCK:
        return scan_triple(s, "block dim", h->block, err);
    case KEY_SHARED_BASE:
        return scan_hex(s, "shmem base_addr", &h->shared_base, err);
    case KEY_SHARED:
        return scan_count(s, "shmem", INT32_MAX, &h->shared_bytes, err);
    case KEY_REGISTERS:
        return scan_count(s, "nregs", 1024, &h->registers, err);
    case KEY_BINARY:
        return scan_count(s, "binary version", 1000, &h->binary_version, err);
    case KEY_STREAM:
        return read_stream(h, s, err);
    case KEY_LOCAL_BASE:
        return scan_hex(s, "local mem base_addr", &h->local_base, err);
    case KEY_TRACER:
        return read_tracer(h, s, err);
    case KEY_LINES:
        return read_lines(h, s, err);
    case KEY_COUNT:
        break;
    }
    return true;
}

static bool read_line(struct trace_header *h, struct scan *s, struct arena *arena, struct err *err)
{
    for (u32 key = 0; key < KEY_COUNT; key++) {
        if (scan_skip(s, key_words[key]))
            return read_value(h, key, s, arena, err);
    }
    struct slice word = scan_word(s);
    if (word.length == 0 || word.start[0] == '-')
        return true;
    return scan_refuse(s, word, "a line of the header", "`-key = value`, or # where it ends", err);
}

static bool check(struct trace_header *h, const struct scan *s, struct err *err)
{
    struct src_pos whole = {s->file, 0, 0};
    if (!h->grid[0] || !h->grid[1] || !h->grid[2])
        return err_at(err, whole, "the header has no `-grid dim = (x,y,z)` of 1 and more");
    u64 threads = (u64)h->block[0] * h->block[1];
    if (threads <= MOST_THREADS)
        threads *= h->block[2];
    if (threads == 0 || threads > MOST_THREADS)
        return err_at(err, whole,
                      "the header has no `-block dim = (x,y,z)` of 1 to %u threads in all",
                      MOST_THREADS);
    h->threads_per_block = (u32)threads;
    return true;
}

bool trace_header_read(struct trace_header *h, struct scan *s, const char *text_end,
                       struct arena *arena, struct err *err)
{
    *h = (struct trace_header){.kernel_name = s->file, .tracer_version = 3};
    while (scan_next_line(s, text_end)) {
        struct scan ahead = *s;
        struct slice word = scan_word(&ahead);
        if (word.length && word.start[0] == '#')
            return check(h, s, err);
        if (!read_line(h, s, arena, err))
            return false;
    }
    return err_at(err, (struct src_pos){s->file, 0, 0},
                  "the header does not end, expected a line that starts with #");
}
