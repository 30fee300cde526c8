#include "source/sass/kernel.h"

#include "base/map.h"
#include "source/sass/block.h"
#include "source/sass/phases.h"
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
    struct trace_phases phases;
    struct transfer_view copy; /* of the last step */
    u64 *lines;
    u32 line_room;
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

/* Once for each mnemonic, with how many instructions of warps had it. */
static void tell_unknown(const struct trace_kernel *k)
{
    for (u32 i = 0; i < k->program.unknown_count; i++)
        log_warning(k->program.log,
                    "%s:%llu: unknown opcode %s, taken for a simple integer instruction: %llu of "
                    "all warps",
                    k->file, (unsigned long long)k->program.unknown[i].line,
                    k->program.unknown[i].name, (unsigned long long)k->program.unknown[i].count);
}

void trace_kernel_close(struct trace_kernel *k)
{
    if (!k)
        return;
    for (struct running_block *b = k->blocks; b; b = b->next) {
        trace_block_fini(&b->decoded);
        trace_phases_fini(&b->phases);
        free(b->lines);
    }
    tell_unknown(k);
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
    trace_phases_init(&b->phases, &k->arena, k->warps_per_block);
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
    if (!b->is_damaged)
        trace_phases_find(&b->phases, &b->decoded, &k->program);
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

#define COPY_LINE_BYTES 128u

/* Addresses lie as far apart as the tracer says, mostly in order: each line once in a row. */
static void describe_copy(struct running_block *b, u32 warp, const struct trace_instruction *t,
                          const struct trace_record *r, struct winst *out)
{
    const u64 *from = &b->decoded.addresses.data[r->first_address];
    u32 count = 0;
    if (b->line_room < r->mask) {
        b->line_room = r->mask;
        b->lines = xrealloc(b->lines, b->line_room * sizeof *b->lines);
    }
    for (u32 i = 1; i < r->mask; i++) {
        u64 line = from[i] / COPY_LINE_BYTES * COPY_LINE_BYTES;
        if (!count || b->lines[count - 1] != line)
            b->lines[count++] = line;
    }
    bool is_told = t->part == TRACE_COPY && from[0];
    b->copy = (struct transfer_view){
        .lines = b->lines,
        .line_count = count,
        .boxes = 1,
        .bytes = t->bulk_bytes,
        .token = is_told ? trace_phases_copy(&b->phases, warp, trace_barrier(from[0])) : NO_TOKEN,
        .is_store = t->is_outward};
    out->transfer = &b->copy;
    out->mask = 1;
}

/* An mbarrier is not ready: the warp stays where it is, and looks again. */
static bool must_wait(struct running_block *b, u32 warp, const struct trace_instruction *t,
                      const struct trace_record *r)
{
    if (t->part == TRACE_WORK)
        trace_phases_work(&b->phases, warp);
    return t->part == TRACE_LOOK && r->payload != PAYLOAD_NONE &&
           !trace_phases_look(&b->phases, warp,
                              trace_barrier(b->decoded.addresses.data[r->first_address]));
}

static u8 block_arrived(void *block, u32 token)
{
    struct running_block *b = block;
    trace_phases_arrived(&b->phases, token);
    return PHASE_BEGUN;
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
    if (r->payload == PAYLOAD_BULK) {
        describe_copy(b, warp, t, r, out);
    } else if (t->instruction.unit == UNIT_MEMORY && r->payload != PAYLOAD_NONE) {
        u64 *address = b->stream.address[warp];
        trace_record_addresses(&b->decoded, r, address);
        set_spaces(&b->kernel->header, out, address);
        out->address = address;
    }
    if (UNLIKELY(t->part != TRACE_OTHER) && must_wait(b, warp, t, r)) {
        out->phase = PHASE_AWAITED;
        return true;
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
    .arrived = block_arrived,
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
