#include "source/sass/kernel.h"

#include "base/map.h"
#include "source/sass/block.h"
#include "source/sass/text.h"

#include <stdlib.h>

/* Shared and local memory each have a window of this size in the generic address space. */
#define WINDOW_BYTES ((u64)1 << 24)

/* A thread's stack starts at the top of the local window and grows down; a trace does not
 * say how far. Offsets are counted modulo this, which divides the window. */
#define LOCAL_BYTES ((u32)16 << 10)

/* Where in the text a block is. */
struct block_place {
    u64 offset; /* of its line #BEGIN_TB */
    u64 line;
};

/* What is seen of the blocks when the file is opened. */
struct finder {
    struct trace_kernel *kernel;
    struct scan *s;
    const char *end;
    struct map lines; /* of #BEGIN_TB, by linear id */
    struct err *err;
};

struct trace_kernel {
    struct trace_header header;
    struct trace_program program;
    const char *file, *data;
    size_t length;
    struct trace_text text; /* what data is part of, when it is ours */
    struct block_place *places;
    u64 block_count, block_room;
    struct running_block *blocks, *free_blocks;
    u32 warps_per_block;
    u64 warp_instructions;
    struct err fault;
    struct arena arena;
};

struct running_block {
    struct trace_kernel *kernel;
    struct running_block *next, *next_free;
    struct trace_block decoded;
    struct warp_stream stream;
    bool is_damaged;
};

/* What a damaged block offers, so that a step can fail. */
static const struct instruction damaged_instruction = {.kind = WINST_CONTROL, .unit = UNIT_BRANCH};

static void add_place(struct trace_kernel *k, struct block_place place)
{
    if (k->block_count == k->block_room) {
        k->block_room = k->block_room ? k->block_room * 2 : 64;
        k->places = xrealloc(k->places, k->block_room * sizeof *k->places);
    }
    k->places[k->block_count++] = place;
}

/* Whether a block has instructions is known from its `insts =` lines; one that cannot be read
 * counts, so that decoding the block says what is wrong. */
static bool announces_instructions(struct scan *s)
{
    i64 count;
    if (!scan_skip(s, "insts ="))
        return false;
    return !slice_decimal(scan_word(s), &count) || count != 0;
}

/* The cursor is on #END_TB. */
static bool block_is_whole(struct finder *f, u64 begin, u32 places, u64 id, u32 warps)
{
    u32 wanted = warps_of_threads(f->kernel->header.threads_per_block);
    struct src_pos at = scan_pos(f->s, f->s->start);
    u64 before;
    if (places != 1)
        return err_at(f->err, at, "the block has %u lines `thread block = x,y,z`, expected one",
                      places);
    if (map_get(&f->lines, id, &before))
        return err_at(f->err, at, "the block is that of line %llu again, expected each once",
                      (unsigned long long)before);
    if (warps != wanted)
        return err_at(f->err, at, "the block has %u warps, expected the %u of its block dim", warps,
                      wanted);
    map_put(&f->lines, id, begin);
    return true;
}

/* From the line behind #BEGIN_TB to #END_TB. */
static bool skip_block(struct finder *f, bool *has_instructions)
{
    struct scan *s = f->s;
    u64 begin = s->line, id = 0;
    u32 warps = 0, places = 0;
    *has_instructions = false;
    while (scan_next_line(s, f->end)) {
        char first = s->start < s->end ? *s->start : '\0';
        if (first == 'i' && announces_instructions(s))
            *has_instructions = true;
        warps += first == 'w' && scan_skip(s, "warp =");
        if (first == 't' && scan_skip(s, "thread block =")) {
            places++;
            if (!trace_block_id(s, &f->kernel->header, &id, f->err))
                return false;
        }
        if (first == '#' && scan_skip(s, "#END_TB"))
            return block_is_whole(f, begin, places, id, warps);
    }
    return err_at(f->err, (struct src_pos){s->file, 0, 0},
                  "the file ends inside the block of line %llu, expected #END_TB",
                  (unsigned long long)begin);
}

static bool find_blocks(struct finder *f)
{
    struct trace_kernel *k = f->kernel;
    struct scan *s = f->s;
    u64 line;
    do {
        struct scan ahead = *s;
        struct slice word = scan_word(&ahead);
        struct block_place place = {(u64)(s->start - k->data), s->line};
        if (slice_is(word, "#BEGIN_TB")) {
            bool has_instructions;
            if (!skip_block(f, &has_instructions))
                return false;
            if (has_instructions)
                add_place(k, place);
        } else if (word.length && word.start[0] != '#') {
            return scan_refuse(s, word, "a line between blocks",
                               "#BEGIN_TB, as in traces grouped by post-traces-processing", f->err);
        }
        line = s->line;
    } while (scan_next_line(s, f->end));
    const u32 *grid = k->header.grid;
    if (f->lines.count != k->header.blocks)
        return err_at(f->err, (struct src_pos){s->file, (u32)min_u64(line, UINT32_MAX), 1},
                      "the file holds %u of the %llu blocks of grid dim (%u,%u,%u), expected all "
                      "of them",
                      f->lines.count, (unsigned long long)k->header.blocks, grid[0], grid[1],
                      grid[2]);
    return true;
}

struct trace_kernel *trace_kernel_open_text(const char *name, const char *text, size_t length,
                                            const struct log *log, struct err *err)
{
    struct trace_kernel *k = xrealloc(NULL, sizeof *k);
    *k = (struct trace_kernel){.data = text, .length = length};
    k->file = arena_strdup(&k->arena, name);
    struct scan s = {.file = k->file, .at = text};
    struct finder f = {.kernel = k, .s = &s, .end = text + length, .err = err};
    bool ok = trace_header_read(&k->header, &s, text + length, &k->arena, err) && find_blocks(&f);
    map_fini(&f.lines);
    if (!ok) {
        trace_kernel_close(k);
        return NULL;
    }
    k->warps_per_block = warps_of_threads(k->header.threads_per_block);
    trace_program_init(&k->program, &k->header, log);
    return k;
}

struct trace_kernel *trace_kernel_open(const char *path, const struct log *log, struct err *err)
{
    struct trace_text text;
    if (!trace_text_open(&text, path, err))
        return NULL;
    struct trace_kernel *k = trace_kernel_open_text(path, text.data, text.length, log, err);
    if (k)
        k->text = text;
    else
        trace_text_close(&text);
    return k;
}

void trace_kernel_close(struct trace_kernel *k)
{
    if (!k)
        return;
    for (struct running_block *b = k->blocks; b; b = b->next)
        trace_block_fini(&b->decoded);
    trace_program_fini(&k->program);
    trace_text_close(&k->text);
    free(k->places);
    arena_fini(&k->arena);
    free(k);
}

static struct running_block *take_block(struct trace_kernel *k)
{
    struct running_block *b = k->free_blocks;
    if (b) {
        k->free_blocks = b->next_free;
        warp_stream_reset(&b->stream);
        return b;
    }
    b = ARENA_NEW(&k->arena, struct running_block);
    b->kernel = k;
    b->next = k->blocks;
    k->blocks = b;
    trace_block_init(&b->decoded, &k->arena, k->warps_per_block);
    warp_stream_init(&b->stream, &k->arena, k->warps_per_block);
    return b;
}

static void *block_begin(void *self, u64 block, const struct sm_place *at)
{
    (void)at;
    struct trace_kernel *k = self;
    const struct block_place *place = &k->places[block];
    struct running_block *b = take_block(k);
    struct scan s = {.file = k->file, .line = place->line - 1, .at = k->data + place->offset};
    const char *end = k->data + k->length;
    scan_next_line(&s, end);
    b->is_damaged = !trace_block_read(&b->decoded, &s, end, &k->header, &k->program, &k->fault);
    for (u32 w = 0; w < b->stream.warps && !b->is_damaged; w++) {
        if (b->decoded.warps[w].count == 0)
            warp_stream_end(&b->stream, w);
    }
    k->warp_instructions += b->decoded.record_count;
    return b;
}

static void block_end(void *self, void *block)
{
    struct trace_kernel *k = self;
    struct running_block *b = block;
    b->next_free = k->free_blocks;
    k->free_blocks = b;
}

static const struct trace_record *next_record(const struct running_block *b, u32 warp)
{
    u64 position = b->stream.places[warp].position;
    return &b->decoded.records[b->decoded.warps[warp].first + position];
}

static const struct trace_instruction *instruction_of(const struct running_block *b,
                                                      const struct trace_record *r)
{
    return b->kernel->program.instructions[r->instruction];
}

static enum warp_next block_next(void *block, u32 warp, const struct instruction **next)
{
    const struct running_block *b = block;
    enum warp_next state = warp_stream_next(&b->stream, warp);
    if (b->is_damaged)
        *next = &damaged_instruction;
    else if (state == NEXT_READY)
        *next = &instruction_of(b, next_record(b, warp))->instruction;
    return state;
}

static bool is_in_window(u64 address, u64 base)
{
    return base && address >= base && address - base < WINDOW_BYTES;
}

/* The space of one lane's access; shared and local addresses then count from their start. */
static enum space lane_space(const struct trace_header *h, enum space fixed, u64 *address)
{
    bool any = fixed == SPACE_GENERIC;
    bool in_shared = is_in_window(*address, h->shared_base);
    bool in_local = is_in_window(*address, h->local_base);
    if (fixed == SPACE_SHARED || (any && in_shared)) {
        *address -= in_shared ? h->shared_base : 0;
        return SPACE_SHARED;
    }
    if (fixed == SPACE_LOCAL || (any && in_local)) {
        *address = (*address - (in_local ? h->local_base : 0)) % LOCAL_BYTES;
        return SPACE_LOCAL;
    }
    return any ? SPACE_GLOBAL : fixed;
}

static void set_spaces(const struct trace_header *h, struct winst *w, u64 *address)
{
    for (u32 left = w->mask; left; left &= left - 1) {
        u32 lane = (u32)__builtin_ctz(left), bit = (u32)1 << lane;
        enum space space = lane_space(h, w->instruction->space, &address[lane]);
        w->in_global |= space == SPACE_GLOBAL ? bit : 0;
        w->in_shared |= space == SPACE_SHARED ? bit : 0;
        w->in_local |= space == SPACE_LOCAL ? bit : 0;
        w->in_const |= space == SPACE_CONST ? bit : 0;
    }
}

static bool block_step(void *block, u32 warp, struct winst *out)
{
    struct running_block *b = block;
    if (b->is_damaged)
        return false;
    const struct trace_record *r = next_record(b, warp);
    const struct trace_instruction *t = instruction_of(b, r);
    *out = (struct winst){
        .instruction = &t->instruction, .mask = r->mask, .sleep_cycles = t->sleep_cycles};
    if (t->instruction.unit == UNIT_MEMORY && r->payload != PAYLOAD_NONE) {
        u64 *address = b->stream.address[warp];
        trace_record_addresses(&b->decoded, r, address);
        set_spaces(&b->kernel->header, out, address);
        out->address = address;
    }
    b->stream.places[warp].position++;
    if (t->instruction.kind == WINST_BARRIER)
        out->wakes_others = warp_stream_arrive(&b->stream, warp, &t->arrival);
    if (b->stream.places[warp].position == b->decoded.warps[warp].count)
        out->wakes_others |= warp_stream_end(&b->stream, warp);
    return true;
}

static void kernel_fault(void *self, struct err *err)
{
    const struct trace_kernel *k = self;
    if (err->kind == ERR_NONE)
        *err = k->fault;
}

static const struct source_ops kernel_ops = {
    .block_begin = block_begin,
    .block_end = block_end,
    .next = block_next,
    .step = block_step,
    .fault = kernel_fault,
};

struct grid_source trace_kernel_grid(struct trace_kernel *k)
{
    return (struct grid_source){
        .is_shared = true, /* a block that begins may add to the kernel's instructions */
        .ops = &kernel_ops,
        .self = k,
        .name = k->header.kernel_name,
        .blocks = k->block_count,
        .threads_per_block = k->header.threads_per_block,
        .warps_per_block = k->warps_per_block,
        .registers_per_thread = k->header.registers,
        .shared_bytes_per_block = k->header.shared_bytes,
        .local_bytes_per_thread = LOCAL_BYTES,
        .scoreboard_registers = TRACE_SCOREBOARD_REGISTERS,
        .stream = k->header.stream,
        .queue = k->header.stream,
    };
}

const struct trace_header *trace_kernel_header(const struct trace_kernel *k)
{
    return &k->header;
}

struct trace_counts trace_kernel_counts(const struct trace_kernel *k)
{
    return (struct trace_counts){.warp_instructions = k->warp_instructions,
                                 .instructions = k->program.count,
                                 .unknown_opcodes = k->program.unknown_opcodes,
                                 .without_addresses = k->program.without_addresses};
}
