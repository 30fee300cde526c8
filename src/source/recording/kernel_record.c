#include "source/recording/kernel_record.h"

#include "device/kernel_regions.h"

static void put_instruction(struct bytes *out, const struct instruction *i, u64 expected_pc,
                            bool accesses)
{
    put_difference(out, i->pc - expected_pc);
    put_u8(out, i->kind);
    put_u8(out, i->unit | (accesses ? 0x80 : 0));
    put_u8(out, i->cost);
    put_u8(out, i->space);
    put_u8(out, i->bytes);
    put_u8(out, i->cache_operator);
    put_u8(out, i->dst_count);
    put_u8(out, i->src_count);
    for (u32 r = 0; r < (u32)i->dst_count + i->src_count; r++)
        put_varint(out, i->regs[r]);
}

static void put_regions(struct bytes *out, const struct region_list *l)
{
    put_varint(out, l->count);
    for (u32 i = 0; i < l->count; i++) {
        put_varint(out, l->at[i].start);
        put_varint(out, l->at[i].bytes);
    }
    put_varint(out, l->beyond);
    put_varint(out, l->beyond_bytes);
}

void kernel_record_put(struct bytes *out, const struct kernel_record *k)
{
    const struct grid_source *s = &k->shape;
    u64 pc = 0, offset = 0;
    put_varint(out, strlen(s->name));
    put_raw(out, s->name, strlen(s->name));
    put_varint(out, s->blocks);
    put_varint(out, s->threads_per_block);
    put_varint(out, s->warps_per_block);
    put_varint(out, s->registers_per_thread);
    put_varint(out, s->shared_bytes_per_block);
    put_varint(out, s->local_bytes_per_thread);
    put_varint(out, s->scoreboard_registers);
    put_varint(out, s->stream);
    put_varint(out, k->instruction_count);
    for (u32 i = 0; i < k->instruction_count; i++) {
        put_instruction(out, &k->instructions[i], pc, k->slots[i] != NO_SLOT);
        pc = k->instructions[i].pc + INSTRUCTION_BYTES;
    }
    for (u64 b = 0; b < s->blocks; b++) {
        put_difference(out, k->blocks[b].offset - offset);
        put_varint(out, k->blocks[b].packed_bytes);
        put_varint(out, k->blocks[b].raw_bytes);
        offset = k->blocks[b].offset + k->blocks[b].packed_bytes;
    }
    if (s->regions)
        put_regions(out, s->regions);
}

/* ---- reading --------------------------------------------------------------------------------- */

struct reading {
    struct kernel_record *k;
    struct cursor in;
    u64 file_bytes;
    struct arena *arena;
    struct src_pos at;
    struct err *err;
};

static bool breaks_off(struct reading *r, const char *where)
{
    return err_at(r->err, r->at, "the description of a kernel ends in its %s", where);
}

static bool is_outside(struct reading *r, const char *what, u64 found, u64 lo, u64 hi)
{
    return err_at(r->err, r->at, "kernel %s: %s is %llu, expected %llu to %llu", r->k->shape.name,
                  what, (unsigned long long)found, (unsigned long long)lo, (unsigned long long)hi);
}

static bool check(struct reading *r, const char *what, u64 found, u64 lo, u64 hi)
{
    return (found >= lo && found <= hi) || is_outside(r, what, found, lo, hi);
}

static bool take_name(struct reading *r)
{
    u64 length = take_varint(&r->in);
    if (r->in.is_short || length > cursor_left(&r->in))
        return breaks_off(r, "name");
    char *name = arena_alloc(r->arena, (size_t)length + 1);
    memcpy(name, r->in.at, (size_t)length);
    r->in.at += length;
    r->k->shape.name = name;
    return true;
}

#define MOST_SCOREBOARD_REGISTERS 65536u

static bool take_shape(struct reading *r)
{
    struct grid_source *s = &r->k->shape;
    s->blocks = take_varint(&r->in);
    s->threads_per_block = take_u32(&r->in);
    s->warps_per_block = take_u32(&r->in);
    s->registers_per_thread = take_u32(&r->in);
    s->shared_bytes_per_block = take_u32(&r->in);
    s->local_bytes_per_thread = take_u32(&r->in);
    s->scoreboard_registers = take_u32(&r->in);
    s->stream = take_varint(&r->in);
    if (r->in.is_short)
        return breaks_off(r, "shape");
    return check(r, "number of blocks", s->blocks, 1, UINT32_MAX) &&
           check(r, "number of threads of a block", s->threads_per_block, 1,
                 RECORD_WARPS * WARP_LANES) &&
           check(r, "number of warps of a block", s->warps_per_block,
                 warps_of_threads(s->threads_per_block), warps_of_threads(s->threads_per_block)) &&
           check(r, "number of registers of a thread", s->registers_per_thread, 0, UINT16_MAX) &&
           check(r, "number of registers of the scoreboard", s->scoreboard_registers, 0,
                 MOST_SCOREBOARD_REGISTERS);
}

static bool take_registers(struct reading *r, struct instruction *i)
{
    u32 count = (u32)i->dst_count + i->src_count;
    if (count > cursor_left(&r->in))
        return breaks_off(r, "instructions");
    u16 *regs = ARENA_ARRAY(r->arena, u16, count);
    for (u32 k = 0; k < count; k++) {
        u64 number = take_varint(&r->in);
        if (number >= r->k->shape.scoreboard_registers)
            return err_at(
                r->err, r->at, "kernel %s: an instruction has register %llu, expected below %u",
                r->k->shape.name, (unsigned long long)number, r->k->shape.scoreboard_registers);
        regs[k] = (u16)number;
    }
    i->regs = regs;
    return true;
}

static bool take_instruction(struct reading *r, struct instruction *i, u64 expected_pc,
                             bool *accesses)
{
    i->pc = expected_pc + take_difference(&r->in);
    i->kind = take_u8(&r->in);
    u8 unit = take_u8(&r->in);
    *accesses = unit & 0x80;
    i->unit = unit & 0x7f;
    i->cost = take_u8(&r->in);
    i->space = take_u8(&r->in);
    i->bytes = take_u8(&r->in);
    i->cache_operator = take_u8(&r->in);
    i->dst_count = take_u8(&r->in);
    i->src_count = take_u8(&r->in);
    if (r->in.is_short)
        return breaks_off(r, "instructions");
    return check(r, "address of an instruction modulo its size", i->pc % INSTRUCTION_BYTES, 0, 0) &&
           check(r, "kind of an instruction", i->kind, 0, WINST_EXIT) &&
           check(r, "unit of an instruction", i->unit, 0, UNIT_COUNT - 1) &&
           check(r, "cost of an instruction", i->cost, 0, COST_COUNT - 1) &&
           check(r, "space of an instruction", i->space, 0, SPACE_COUNT - 1) &&
           check(r, "cache operator of an instruction", i->cache_operator, 0, CACHE_VOLATILE) &&
           take_registers(r, i);
}

#define LEAST_INSTRUCTION_BYTES 9u

static bool take_instructions(struct reading *r)
{
    struct kernel_record *k = r->k;
    u64 count = take_varint(&r->in), pc = 0, first = UINT64_MAX, end = 0;
    if (!check(r, "number of instructions", count, 1,
               cursor_left(&r->in) / LEAST_INSTRUCTION_BYTES))
        return false;
    k->instruction_count = (u32)count;
    k->instructions = ARENA_ARRAY(r->arena, struct instruction, count);
    k->slots = ARENA_ARRAY(r->arena, u32, count);
    for (u32 i = 0; i < count; i++) {
        bool accesses = false;
        if (!take_instruction(r, &k->instructions[i], pc, &accesses))
            return false;
        pc = k->instructions[i].pc + INSTRUCTION_BYTES;
        k->slots[i] = accesses ? k->slot_count++ : NO_SLOT;
        first = min_u64(first, k->instructions[i].pc);
        end = max_u64(end, pc);
    }
    k->shape.code_start = first; /* of what was executed */
    k->shape.code_bytes = end - first;
    return true;
}

#define LEAST_PLACE_BYTES 3u

static bool take_block(struct reading *r, struct container_place *p, u64 expected_offset)
{
    p->offset = expected_offset + take_difference(&r->in);
    p->packed_bytes = take_u32(&r->in);
    p->raw_bytes = take_u32(&r->in);
    if (r->in.is_short)
        return breaks_off(r, "list of blocks");
    return check(r, "number of bytes of a block", p->raw_bytes, 1, CONTAINER_RAW_BYTES) &&
           check(r, "number of packed bytes of a block", p->packed_bytes, 1, r->file_bytes) &&
           check(r, "offset of a block", p->offset, 0, r->file_bytes - p->packed_bytes);
}

static bool take_blocks(struct reading *r)
{
    struct kernel_record *k = r->k;
    u64 offset = 0, count = k->shape.blocks;
    if (count > cursor_left(&r->in) / LEAST_PLACE_BYTES)
        return breaks_off(r, "list of blocks");
    k->blocks = ARENA_ARRAY(r->arena, struct container_place, count);
    for (u64 b = 0; b < count; b++) {
        struct container_place *p = &k->blocks[b];
        if (!take_block(r, p, offset))
            return false;
        offset = p->offset + p->packed_bytes;
        k->most_packed_bytes = (u32)max_u64(k->most_packed_bytes, p->packed_bytes);
        k->most_raw_bytes = (u32)max_u64(k->most_raw_bytes, p->raw_bytes);
    }
    return true;
}

static bool take_regions(struct reading *r)
{
    struct region_list *l = ARENA_NEW(r->arena, struct region_list);
    u64 count = take_varint(&r->in);
    if (!check(r, "number of regions", count, 0, MOST_REGIONS))
        return false;
    for (; l->count < count; l->count++) {
        l->at[l->count].start = take_varint(&r->in);
        l->at[l->count].bytes = take_varint(&r->in);
    }
    l->beyond = take_u32(&r->in);
    l->beyond_bytes = take_varint(&r->in);
    r->k->shape.regions = l;
    return !r->in.is_short || breaks_off(r, "regions");
}

bool kernel_record_take(struct kernel_record *k, struct cursor in, u64 file_bytes,
                        struct arena *arena, struct src_pos at, struct err *err)
{
    struct reading r = {k, in, file_bytes, arena, at, err};
    *k = (struct kernel_record){0};
    if (!take_name(&r) || !take_shape(&r) || !take_instructions(&r) || !take_blocks(&r) ||
        (cursor_left(&r.in) && !take_regions(&r)))
        return false;
    return !cursor_left(&r.in) ||
           err_at(err, at, "kernel %s: %zu bytes too many in its description", k->shape.name,
                  cursor_left(&r.in));
}
