#include "source/sass/block.h"

#include <stdio.h>
#include <stdlib.h>

struct block_reader {
    struct trace_block *block;
    struct scan *s;
    const char *text_end;
    const struct trace_header *header;
    struct trace_program *program;
    struct err *err;
    struct trace_line line;
    u32 warp; /* being read; warp_count: none yet */
};

void trace_block_init(struct trace_block *b, struct arena *arena, u32 warps)
{
    *b = (struct trace_block){.warp_count = warps};
    b->warps = ARENA_ARRAY(arena, struct warp_records, warps);
}

void trace_block_fini(struct trace_block *b)
{
    free(b->records);
    free(b->addresses.data);
    *b = (struct trace_block){0};
}

static void add_record(struct trace_block *b, struct trace_record record)
{
    if (b->record_count == b->record_room) {
        b->record_room = b->record_room ? b->record_room * 2 : 256;
        b->records = xrealloc(b->records, b->record_room * sizeof *b->records);
    }
    b->records[b->record_count++] = record;
}

static bool read_instruction(struct block_reader *r)
{
    struct trace_block *b = r->block;
    u32 number;
    if (!trace_line_read(&r->line, r->s, r->header, &b->addresses, r->err) ||
        !trace_program_find(r->program, &r->line, r->s, &number, r->err))
        return false;
    if (UNLIKELY(r->program->instructions[number]->unknown))
        r->program->unknown[r->program->instructions[number]->unknown - 1].count++;
    bool is_bulk = r->line.payload == PAYLOAD_BULK;
    if (is_bulk && !r->line.mask) /* predicated off */
        r->line.payload = PAYLOAD_NONE;
    add_record(b, (struct trace_record){.instruction = number,
                                        .mask = is_bulk && r->line.mask ? r->line.address_count
                                                                        : r->line.mask,
                                        .first_address = r->line.first_address,
                                        .payload = (u8)r->line.payload});
    return true;
}

/* The next line that has words, and its first word without moving behind it. */
static bool next_words(struct block_reader *r, struct slice *word)
{
    while (scan_next_line(r->s, r->text_end)) {
        struct scan ahead = *r->s;
        *word = scan_word(&ahead);
        if (word->length)
            return true;
    }
    err_at(r->err, (struct src_pos){r->s->file, 0, 0},
           "the file ends inside a block, expected #END_TB");
    return false;
}

static bool is_instruction(struct slice word)
{
    return word.start[0] != '#' && !slice_is(word, "warp") && !slice_is(word, "insts") &&
           !slice_is(word, "thread");
}

static bool read_instructions(struct block_reader *r)
{
    struct warp_records *w = &r->block->warps[r->warp];
    struct slice word;
    u32 count;
    if (!scan_count(r->s, "insts", INT32_MAX, &count, r->err))
        return false;
    w->first = r->block->record_count;
    for (u32 i = 0; i < count; i++) {
        if (!next_words(r, &word))
            return false;
        if (!is_instruction(word)) {
            char expected[80];
            snprintf(expected, sizeof expected, "%u more of warp %u", count - i, r->warp);
            return scan_refuse(r->s, word, "an instruction line", expected, r->err);
        }
        if (!read_instruction(r))
            return false;
    }
    w->count = r->block->record_count - w->first;
    return true;
}

static bool read_warp(struct block_reader *r)
{
    struct trace_block *b = r->block;
    struct slice word;
    if (!scan_count(r->s, "warp", b->warp_count - 1, &r->warp, r->err))
        return false;
    if (b->warps[r->warp].is_recorded)
        return err_at(r->err, scan_pos(r->s, r->s->start), "warp %u is in the block twice",
                      r->warp);
    b->warps[r->warp].is_recorded = true;
    if (!next_words(r, &word))
        return false;
    if (!scan_skip(r->s, "insts ="))
        return scan_refuse(r->s, word, "the line after the warp", "`insts = COUNT`", r->err);
    return read_instructions(r);
}

bool trace_block_id(struct scan *s, const struct trace_header *h, u64 *id, struct err *err)
{
    u32 at[3];
    const u32 *grid = h->grid;
    if (!scan_triple(s, "thread block", at, err))
        return false;
    if (at[0] >= grid[0] || at[1] >= grid[1] || at[2] >= grid[2])
        return err_at(err, scan_pos(s, s->start),
                      "thread block is %u,%u,%u, expected one inside the grid of %u,%u,%u", at[0],
                      at[1], at[2], grid[0], grid[1], grid[2]);
    *id = ((u64)at[2] * grid[1] + at[1]) * grid[0] + at[0];
    return true;
}

bool trace_block_read(struct trace_block *b, struct scan *s, const char *text_end,
                      const struct trace_header *h, struct trace_program *program, struct err *err)
{
    struct block_reader r = {b, s, text_end, h, program, err, .warp = b->warp_count};
    b->record_count = b->addresses.count = 0;
    for (u32 w = 0; w < b->warp_count; w++)
        b->warps[w] = (struct warp_records){0};
    for (bool ok = true; ok;) {
        struct slice word;
        if (!next_words(&r, &word))
            return false;
        if (slice_is(word, "#END_TB"))
            return true;
        if (scan_skip(s, "warp ="))
            ok = read_warp(&r);
        else if (slice_is(word, "#BEGIN_TB") ||
                 (word.start[0] != '#' && !slice_is(word, "cluster") && !slice_is(word, "thread")))
            return scan_refuse(s, word, "a line of the block", "`warp = NUMBER` or #END_TB", err);
    }
    return false;
}

void trace_record_addresses(const struct trace_block *b, const struct trace_record *r,
                            u64 out[WARP_LANES])
{
    const u64 *from = &b->addresses.data[r->first_address];
    u64 address = r->payload == PAYLOAD_STRIDE ? from[0] : 0;
    for (u32 left = r->mask; left; left &= left - 1) {
        u32 lane = (u32)__builtin_ctz(left);
        if (r->payload == PAYLOAD_LIST) {
            out[lane] = *from++;
        } else {
            out[lane] = address;
            address += from[1];
        }
    }
}
