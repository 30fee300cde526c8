#include "source/sass/program.h"

#include "source/sass/opcode.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_UNIFORM = 256,
    FIRST_PREDICATE = 512,
    FIRST_UNIFORM_PREDICATE = 520,
    /* 16 named, each up to four wide */
    MOST_REGISTERS = 64,
};

/* What an opcode that nobody knows is taken for. */
static const struct opcode unknown_opcode = {
    .name = "", .kind = WINST_ARITHMETIC, .unit = UNIT_INT, .cost = COST_SIMPLE};

/* Registers that always read as zero or true carry no dependence. */
static const struct register_file {
    const char *prefix;
    u32 first, count;
    u32 constants[2];
} files[] = {
    {"R", 0, 256, {255, 255}},
    {"UR", FIRST_UNIFORM, 256, {63, 255}}, /* URZ, up to Hopper and since */
    {"P", FIRST_PREDICATE, 8, {7, 7}},
    {"UP", FIRST_UNIFORM_PREDICATE, 8, {7, 7}},
};
static const char *const constant_names[] = {"RZ", "URZ", "PT", "UPT"};

struct operands {
    u16 regs[MOST_REGISTERS];
    u32 count;
};

void trace_program_init(struct trace_program *p, const struct trace_header *h,
                        const struct log *log)
{
    *p = (struct trace_program){.log = log};
    /* PCs start at 0 in every kernel; code of different kernels must not look the same. */
    p->code_base = (hash_string(h->kernel_name) & 0xffffff) << 24;
    p->code_scale = h->binary_version >= 70 ? 2 : 1;
}

void trace_program_fini(struct trace_program *p)
{
    free(p->instructions);
    map_fini(&p->by_hash);
    strmap_fini(&p->unknown_names);
    free(p->unknown);
    arena_fini(&p->arena);
    *p = (struct trace_program){0};
}

static u64 hash_line(const struct trace_line *line)
{
    u64 h = hash_u64(line->pc + 1);
    for (size_t i = 0; i < line->fixed.length; i += 8) {
        u64 piece = 0;
        memcpy(&piece, line->fixed.start + i, min_u64(8, line->fixed.length - i));
        h = hash_u64(h ^ piece);
    }
    for (u32 i = 0; i < line->immediate_count; i++)
        h = hash_u64(h ^ (u64)line->immediates[i]);
    return hash_u64(h ^ line->bulk_bytes);
}

static bool is_same(const struct trace_instruction *t, const struct trace_line *line, u64 pc)
{
    return t->instruction.pc == pc && t->fixed.length == line->fixed.length &&
           memcmp(t->fixed.start, line->fixed.start, line->fixed.length) == 0 &&
           t->immediate_count == line->immediate_count &&
           memcmp(t->immediates, line->immediates, line->immediate_count * sizeof(i64)) == 0 &&
           t->bulk_bytes == line->bulk_bytes && t->has_addresses == (line->payload != PAYLOAD_NONE);
}

static void add_span(struct operands *o, const struct register_file *file, u32 number, u32 span)
{
    if (number == file->constants[0] || number == file->constants[1])
        return;
    if (file->count == 8) /* predicates are never wide */
        span = 1;
    for (u32 i = 0; i < span && number + i < file->count; i++)
        o->regs[o->count++] = (u16)(file->first + number + i);
}

static bool add_register(struct operands *o, struct slice word, u32 span, const struct scan *s,
                         struct err *err)
{
    for (size_t i = 0; i < ARRAY_LEN(constant_names); i++) {
        if (slice_is(word, constant_names[i]))
            return true;
    }
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        size_t n = strlen(files[i].prefix);
        struct slice digits = {word.start + n, word.length - n};
        i64 number;
        if (word.length > n && memcmp(word.start, files[i].prefix, n) == 0 &&
            slice_decimal(digits, &number) && number >= 0 && number < files[i].count) {
            add_span(o, &files[i], (u32)number, span);
            return true;
        }
    }
    return scan_refuse(s, word, "a register", "R0 to R255, UR0 to UR255, P0 to P7 or UP0 to UP7",
                       err);
}

/* Descriptors and offsets in uniform registers may stand anywhere among the operands of a
 * memory instruction, whose address and data are counted without them. */
static u32 source_span(const struct opcode *op, const struct trace_line *line, u32 source,
                       u32 *general)
{
    if (op->width != WIDTH_MEMORY)
        return opcode_registers(op, line->opcode, (i32)source, line->src_count);
    if (line->registers[line->dst_count + source].start[0] != 'R')
        return 1;
    return opcode_registers(op, line->opcode, (i32)(*general)++, line->src_count);
}

static bool list_registers(struct trace_program *p, struct instruction *to, const struct opcode *op,
                           const struct trace_line *line, const struct scan *s, struct err *err)
{
    struct operands o = {.count = 0};
    for (u32 i = 0; i < line->dst_count; i++) {
        u32 span = opcode_registers(op, line->opcode, -1, line->src_count);
        if (!add_register(&o, line->registers[i], span, s, err))
            return false;
    }
    to->dst_count = (u8)o.count;
    u32 general = 0; /* R registers so far */
    for (u32 i = 0; i < line->src_count; i++) {
        struct slice word = line->registers[line->dst_count + i];
        if (!add_register(&o, word, source_span(op, line, i, &general), s, err))
            return false;
    }
    to->src_count = (u8)(o.count - to->dst_count);
    u16 *regs = ARENA_ARRAY(&p->arena, u16, o.count + 1);
    to->regs = memcpy(regs, o.regs, o.count * sizeof *regs);
    return true;
}

static bool is_memory(u8 kind)
{
    return kind == WINST_LOAD || kind == WINST_STORE || kind == WINST_ATOMIC ||
           kind == WINST_TEXTURE || kind == WINST_PREFETCH || kind == WINST_ASYNC_COPY ||
           kind == WINST_TRANSFER;
}

/* Two immediates are id and threads. One alone is the last that the instruction has: an id,
 * or, being too large for one, the threads of a barrier whose id was not recorded. */
static struct barrier_arrival arrival_of(const struct trace_line *line)
{
    struct barrier_arrival a = {.waits = !mnemonic_has(line->opcode, "ARV")};
    i64 first = line->immediate_count > 0 ? line->immediates[0] : 0;
    i64 second = line->immediate_count > 1 ? line->immediates[1] : 0;
    if (first < 0 || first >= BARRIER_NAMES) {
        a.barrier = BARRIER_UNNAMED;
        second = first;
    } else {
        a.barrier = (u32)first;
    }
    if (second >= WARP_LANES && second <= 1024)
        a.warps = (u32)second / WARP_LANES;
    return a;
}

/* To global memory, from wherever. */
static bool is_outward(const struct opcode *op, struct slice mnemonic)
{
    static const char copy[] = "UBLKCP.G.";
    return strcmp(op->name, "UTMASTG") == 0 || strcmp(op->name, "UTMAREDG") == 0 ||
           strcmp(op->name, "UBLKRED") == 0 ||
           (mnemonic.length > strlen(copy) && memcmp(mnemonic.start, copy, strlen(copy)) == 0);
}

/* HGMMA.64x128x16.F32: 128 columns. A in shared memory is not among the R registers, of which the
 * sums are one. What was given since the last group is one when the warp waits. */
static void describe_group(struct instruction *i, const struct trace_line *line)
{
    u32 columns = 8, general = 0;
    const char *x = memchr(line->opcode.start, 'x', line->opcode.length);
    for (u32 n = x ? 1 : 0; n && x + n < line->opcode.start + line->opcode.length; n++) {
        if (x[n] < '0' || x[n] > '9')
            break;
        columns = n == 1 ? (u32)(x[n] - '0') : columns * 10 + (u32)(x[n] - '0');
    }
    for (u32 k = 0; k < line->src_count; k++)
        general += line->registers[line->dst_count + k].start[0] == 'R';
    i->bytes = (u8)min_u64(max_u64(columns, 8) / 8, 32);
    i->cache_operator = (u8)((general < 2 ? GROUP_A_SHARED : 0) |
                             (mnemonic_has(line->opcode, "SP") ? GROUP_SPARSE : 0));
}

static void describe_memory(struct trace_instruction *t, const struct opcode *op,
                            const struct trace_line *line)
{
    struct instruction *i = &t->instruction;
    i->space = op->space;
    i->cache_operator = (u8)opcode_cache_operator(line->opcode);
    i->bytes = opcode_bytes(op, line->opcode);
    if (op->kind == WINST_TRANSFER) {
        t->is_outward = is_outward(op, line->opcode);
        t->part = t->is_outward || op->name[strlen(op->name) - 1] == 'F' ? TRACE_WORK : TRACE_COPY;
    } else if (strcmp(op->name, "SYNCS") == 0) {
        t->part = mnemonic_has(line->opcode, "PHASECHK") ? TRACE_LOOK : TRACE_WORK;
    }
}

static void describe(struct trace_program *p, struct trace_instruction *t, const struct opcode *op,
                     const struct trace_line *line)
{
    struct instruction *i = &t->instruction;
    i64 immediate = line->immediate_count ? line->immediates[0] : 0;
    i->kind = op->kind;
    i->unit = op->unit;
    i->cost = op->cost;
    if (is_memory(op->kind) && line->payload != PAYLOAD_NONE) {
        describe_memory(t, op, line);
    } else if (is_memory(op->kind)) {
        /* Constants, textures and surfaces are recorded without addresses. */
        p->without_addresses++;
        i->kind = WINST_ARITHMETIC;
        i->unit = UNIT_INT;
    } else if (op->kind == WINST_GROUP_MMA) {
        t->part = TRACE_WORK;
        describe_group(i, line);
    } else if (op->kind == WINST_GROUP_COMMIT) {
        i->cache_operator = GROUP_PENDING;
        if (mnemonic_has(line->opcode, "DEPBAR")) {
            i->kind = WINST_GROUP_WAIT;
            i->bytes = (u8)(immediate < 0 ? 0 : min_u64((u64)immediate, 255));
        }
    } else if (op->kind == WINST_BARRIER) {
        t->arrival = arrival_of(line);
    } else if (op->kind == WINST_ASYNC_WAIT) {
        i->bytes = (u8)(immediate < 0 ? 0 : min_u64((u64)immediate, 255));
    } else if (op->kind == WINST_SLEEP) {
        t->sleep_cycles = (u32)(immediate < 0 ? 0 : min_u64((u64)immediate, 1000000));
    }
}

/* Its mnemonic's place in the list, + 1; told of when the kernel ends. */
static u32 note_unknown(struct trace_program *p, struct slice opcode, const struct scan *s)
{
    struct slice base = mnemonic_base(opcode);
    const char *name = arena_printf(&p->arena, "%.*s", (int)min_u64(base.length, 64), base.start);
    u32 place;
    p->unknown_opcodes++;
    if (strmap_get(&p->unknown_names, name, &place))
        return place + 1;
    strmap_put(&p->unknown_names, name, p->unknown_count);
    p->unknown = xrealloc(p->unknown, (p->unknown_count + 1) * sizeof *p->unknown);
    p->unknown[p->unknown_count++] = (struct unknown_opcode){.name = name, .line = s->line};
    return p->unknown_count;
}

static bool add(struct trace_program *p, const struct trace_line *line, u64 pc,
                const struct scan *s, struct err *err)
{
    const struct opcode *op = opcode_find(line->opcode);
    struct trace_instruction *t = ARENA_NEW(&p->arena, struct trace_instruction);
    if (!op) {
        t->unknown = note_unknown(p, line->opcode, s);
        op = &unknown_opcode;
    }
    t->instruction.pc = pc;
    t->has_addresses = line->payload != PAYLOAD_NONE;
    t->immediate_count = line->immediate_count;
    memcpy(t->immediates, line->immediates, line->immediate_count * sizeof(i64));
    t->bulk_bytes = line->bulk_bytes;
    char *fixed = arena_alloc_aligned(&p->arena, line->fixed.length + 1, 1);
    t->fixed =
        (struct slice){memcpy(fixed, line->fixed.start, line->fixed.length), line->fixed.length};
    describe(p, t, op, line);
    if (!list_registers(p, &t->instruction, op, line, s, err))
        return false;
    if (p->count == p->room) {
        p->room = p->room ? p->room * 2 : 64;
        p->instructions = xrealloc(p->instructions, p->room * sizeof(struct trace_instruction *));
    }
    p->instructions[p->count++] = t;
    return true;
}

bool trace_program_find(struct trace_program *p, const struct trace_line *line,
                        const struct scan *s, u32 *number, struct err *err)
{
    u64 pc = p->code_base + line->pc / p->code_scale / INSTRUCTION_BYTES * INSTRUCTION_BYTES;
    u64 hash = hash_line(line), first = 0;
    bool known = map_get(&p->by_hash, hash, &first);
    for (u64 i = known ? first + 1 : 0; i; i = p->instructions[i - 1]->next_same_hash) {
        if (is_same(p->instructions[i - 1], line, pc)) {
            *number = (u32)(i - 1);
            return true;
        }
    }
    if (!add(p, line, pc, s, err))
        return false;
    *number = p->count - 1;
    p->instructions[*number]->next_same_hash = known ? (u32)first + 1 : 0;
    map_put(&p->by_hash, hash, *number);
    return true;
}
