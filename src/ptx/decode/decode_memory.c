/* Loads, stores, atomics, address conversion, fences. */
#include "ptx/decode/decode.h"
#include "ptx/exec/warp.h"

#include <string.h>

/* The space an instruction names, or that of its variable; parameters of
 * functions and of calls are local memory. */
bool decode_space(struct decoder *d, const struct ptx_operand *address)
{
    struct op *op = d->op;
    op->space = d->mods.space;
    const struct ptx_symbol *s = NULL;
    if (address->kind == OPERAND_ADDRESS && address->base == OPERAND_SYMBOL)
        s = d->function->module->symbols[address->index];
    if (s && !d->mods.has_space)
        op->space = (u8)s->space; /* a generic access to a named variable */
    if (s && op->space != s->space)
        return err_at(d->err, decode_pos(d), "%s is in %s memory, %s names %s", s->name,
                      space_names[s->space], d->statement->opcode, space_names[op->space]);
    if (op->space == SPACE_CONST)
        op->space = SPACE_GLOBAL; /* constants live in device memory */
    if (op->space == SPACE_PARAM) {
        if (s ? !decode_is_kernel_param(d, s) : !d->source->is_entry) {
            op->space = SPACE_LOCAL;
            op->in_frame = s != NULL;
        }
    } else if (op->space == SPACE_LOCAL) {
        op->in_frame = s != NULL;
    }
    return true;
}

static bool decode_access(struct decoder *d, const struct ptx_operand *address,
                          const struct ptx_operand *registers, bool is_source)
{
    struct op *op = d->op;
    enum type type = d->mods.types[0];
    u8 bytes = 0;
    if (d->mods.type_count != 1 || type_info[type].bytes == 0)
        return decode_unsupported(d, "");
    op->unit = UNIT_MEMORY;
    op->type = (u8)type;
    op->access_bytes = type_info[type].bytes;
    if (!decode_address(d, address) || !decode_space(d, address) ||
        !decode_list(d, registers, type, is_source, &bytes))
        return false;
    u32 expected = d->mods.vector ? d->mods.vector : 1;
    if (op->list_count != expected)
        return err_at(d->err, decode_pos(d), "%s names %u registers, expected %u",
                      d->statement->opcode, op->list_count, expected);
    if (bytes > 8 && op->access_bytes <= 8)
        return decode_unsupported(d, "a 128-bit register");
    if (bytes && bytes < op->access_bytes)
        return err_at(d->err, decode_pos(d), "%s moves %u bits, its register has %u",
                      d->statement->opcode, 8u * op->access_bytes, 8u * bytes);
    op->dst_bytes = bytes ? bytes : op->access_bytes;
    return true;
}

bool decode_load(struct decoder *d)
{
    u64 ordered = MOD_VOLATILE | MOD_RELAXED | MOD_ACQUIRE | MOD_SC | MOD_MMIO;
    d->op->run = lane_load;
    d->op->observes = (d->mods.flags & ordered) != 0;
    if (!decode_hinted_count(d, 2, 2))
        return false;
    return decode_access(d, &d->statement->operands[1], &d->statement->operands[0], false);
}

bool decode_store(struct decoder *d)
{
    if (decode_is(d, 0, "async"))
        return decode_store_async(d);
    if (d->mods.unknown)
        return decode_unsupported(d, "");
    d->op->run = lane_store;
    if (!decode_hinted_count(d, 2, 2))
        return false;
    return decode_access(d, &d->statement->operands[0], &d->statement->operands[1], true);
}

/* The operations that PTX has for a type; words without sign are as good as bits. */
static bool atomic_exists(enum operation operation, enum type type)
{
    const struct type_info *t = &type_info[type];
    bool whole = t->class == CLASS_BITS || t->class == CLASS_UNSIGNED || t->class == CLASS_SIGNED;
    bool word = whole && (t->bytes == 4 || t->bytes == 8);
    switch (operation) {
    case OPERATION_AND:
    case OPERATION_OR:
    case OPERATION_XOR:
        return word;
    case OPERATION_EXCH:
        return word || type == TYPE_B128;
    case OPERATION_CAS:
        return word || type == TYPE_B128 || (whole && t->bytes == 2);
    case OPERATION_ADD:
        return word || (t->class == CLASS_FLOAT && type != TYPE_TF32) || type == TYPE_F16X2 ||
               type == TYPE_BF16X2;
    case OPERATION_INC:
    case OPERATION_DEC:
        return whole && t->bytes == 4;
    case OPERATION_MIN:
    case OPERATION_MAX:
        return word;
    default:
        return false;
    }
}

/* Vectors of sm_90: sums of f32 in .v2 and .v4; sums, minima and maxima of f16 and bf16 in .v2, .v4
 * and .v8, of their pairs in .v2 and .v4; each element on its own is atomic. */
static bool vector_exists(enum operation operation, enum type type, u32 count)
{
    bool half = type == TYPE_F16 || type == TYPE_BF16;
    bool pair = type == TYPE_F16X2 || type == TYPE_BF16X2;
    if (type == TYPE_F32)
        return operation == OPERATION_ADD && count <= 4;
    return (half || (pair && count <= 4)) &&
           (operation == OPERATION_ADD || operation == OPERATION_MIN || operation == OPERATION_MAX);
}

static bool decode_atomic_vector(struct decoder *d, bool is_red)
{
    struct op *op = d->op;
    const struct ptx_operand *o = d->statement->operands;
    enum type type = d->mods.types[0];
    u32 at = is_red ? 0 : 1;
    u8 bytes[2];
    if (d->mods.type_count != 1 || d->mods.space != SPACE_GLOBAL ||
        !vector_exists((enum operation)d->mods.operation, type, d->mods.vector))
        return decode_unsupported(d, "");
    if (!decode_hinted_count(d, at + 2, at + 2))
        return false;
    op->run = lane_atomic_vector;
    op->observes = !is_red;
    op->unit = UNIT_MEMORY;
    op->operation = d->mods.operation;
    op->type = (u8)type;
    op->access_bytes = type_info[type].bytes;
    op->fp_mode = 0;
    if (!decode_address(d, &o[at]) || !decode_space(d, &o[at]))
        return false;
    bytes[0] = op->access_bytes;
    if (!is_red) {
        if (!decode_list(d, &o[0], type, false, &bytes[0]))
            return false;
        op->extra = op->list;
        if (op->list_count != d->mods.vector)
            return decode_unsupported(d, "another number of registers");
    }
    if (!decode_list(d, &o[at + 1], type, true, &bytes[1]))
        return false;
    if (op->list_count != d->mods.vector)
        return err_at(d->err, decode_pos(d), "%s names %u registers, expected %u",
                      d->statement->opcode, op->list_count, d->mods.vector);
    return ((!bytes[0] || bytes[0] == op->access_bytes) && bytes[1] == op->access_bytes) ||
           err_at(d->err, decode_pos(d), "the registers of %s have %u bits, expected %u",
                  d->statement->opcode, 8u * bytes[1], 8u * op->access_bytes);
}

bool decode_atomic(struct decoder *d)
{
    struct op *op = d->op;
    bool is_red = strcmp(d->statement->opcode, "red") == 0;
    u32 at = is_red ? 0 : 1;
    u32 values = d->mods.operation == OPERATION_CAS ? 2 : 1;
    enum type type = d->mods.types[0];
    if (is_red && decode_is(d, 0, "async"))
        return decode_reduce_async(d);
    if (is_red && d->mods.unknown)
        return decode_unsupported(d, "");
    if (d->mods.vector)
        return decode_atomic_vector(d, is_red);
    if (!atomic_exists((enum operation)d->mods.operation, type) || d->mods.type_count != 1 ||
        d->mods.space == SPACE_CONST || d->mods.space == SPACE_LOCAL ||
        d->mods.space == SPACE_PARAM)
        return decode_unsupported(d, "");
    if (!decode_hinted_count(d, at + 1 + values, at + 1 + values))
        return false;
    op->run = lane_atomic;
    op->observes = !is_red;
    op->unit = UNIT_MEMORY;
    op->operation = d->mods.operation;
    op->type = (u8)type;
    op->access_bytes = type_info[type].bytes;
    op->fp_mode = 0;
    if (!decode_address(d, &d->statement->operands[at]) ||
        !decode_space(d, &d->statement->operands[at]))
        return false;
    if (!is_red && !decode_destination_exact(d, 0, op->access_bytes))
        return false;
    for (u32 k = 0; k < values; k++) {
        if (!decode_source_exact(d, at + 1 + k, type, k + 1))
            return false;
    }
    return true;
}

/* cvta.space to generic, cvta.to.space back: add or subtract the window. */
bool decode_cvta(struct decoder *d)
{
    static const u64 windows[SPACE_COUNT] = {
        [SPACE_SHARED] = SHARED_WINDOW, [SPACE_LOCAL] = LOCAL_WINDOW, [SPACE_PARAM] = PARAM_WINDOW};
    struct op *op = d->op;
    u64 window = windows[d->mods.space];
    bool to = (d->mods.flags & MOD_TO) != 0;
    u8 bytes;
    if (!decode_operand_count(d, 2, 2))
        return false;
    if (d->mods.types[0] != TYPE_U64)
        return decode_unsupported(d, "32-bit addresses");
    const struct ptx_operand *from = &d->statement->operands[1];
    if (from->kind == OPERAND_SYMBOL) {
        const struct ptx_symbol *s = d->function->module->symbols[from->index];
        if (s->space == SPACE_LOCAL) {
            op->run = lane_local_address;
            op->imm = s->offset + (u64)from->value + (to ? 0 : window);
            return decode_destination_exact(d, 0, 8);
        }
    }
    op->run = d->program->lanes[LANE_add_u64];
    op->src[1] = decode_constant(d, to ? 0 - window : window, 8);
    return decode_destination_exact(d, 0, 8) &&
           decode_source(d, from, TYPE_U64, &op->src[0], &bytes) &&
           (bytes == 8 || decode_unsupported(d, "a 32-bit register"));
}

bool decode_isspacep(struct decoder *d)
{
    d->op->run = lane_isspacep;
    d->op->space = d->mods.space;
    if (!d->mods.has_space)
        return decode_unsupported(d, "");
    return decode_operand_count(d, 2, 2) && decode_destination_exact(d, 0, 0) &&
           decode_source_exact(d, 1, TYPE_B64, 0);
}

bool decode_fence(struct decoder *d)
{
    d->op->run = lane_nothing;
    d->op->unit = UNIT_MEMORY;
    return true;
}

/* Prefetches ask for the line at an address; the others have no effect. */
bool decode_prefetch(struct decoder *d)
{
    const struct ptx_operand *o = d->statement->operands;
    bool fetches = strncmp(d->statement->opcode, "prefetch", 8) == 0 && !decode_has(d, "tensormap");
    d->op->run = lane_nothing;
    d->op->unit = UNIT_MEMORY;
    if (!fetches)
        return true;
    d->op->run = lane_prefetch;
    return decode_operand_count(d, 1, 1) && decode_address(d, o) && decode_space(d, o);
}

/* createpolicy.fractional, .range and .cvt: a number that only cache hints take, which have no
 * effect; it is CUTLASS's for the priority, whatever the fraction or range. */
bool decode_policy(struct decoder *d)
{
    static const struct {
        const char *word;
        u64 policy;
        bool may_be_second;
    } priorities[] = {{"L2::evict_normal", 0x1000000000000000u, false},
                      {"L2::evict_first", 0x12f0000000000000u, true},
                      {"L2::evict_last", 0x14f0000000000000u, false},
                      {"L2::evict_unchanged", 0x16f0000000000000u, true}};
    struct op *op = d->op;
    const struct ptx_operand *o = d->statement->operands;
    u32 n = d->statement->modifier_count, at = decode_is(d, 1, "global") ? 2 : 1, named = 0;
    u64 policy = 0;
    if (!decode_is(d, n - 1, "b64"))
        return decode_unsupported(d, "");
    op->run = d->program->lanes[LANE_mov_u64];
    op->dst_bytes = 8;
    if (decode_is(d, 0, "cvt"))
        return decode_is(d, 1, "L2") && decode_operand_count(d, 2, 2) &&
               decode_destination_exact(d, 0, 8) && decode_source_exact(d, 1, TYPE_B64, 0);
    for (; at + 1 < n; at++, named++) {
        u32 i = 0;
        while (i < ARRAY_LEN(priorities) && !decode_is(d, at, priorities[i].word))
            i++;
        if (i == ARRAY_LEN(priorities) || named == 2 || (named && !priorities[i].may_be_second))
            return decode_unsupported(d, "such priorities");
        policy = named ? policy : priorities[i].policy;
    }
    bool is_range = decode_is(d, 0, "range");
    if (!named || (!is_range && !decode_is(d, 0, "fractional")))
        return decode_unsupported(d, "");
    if (!decode_operand_count(d, is_range ? 4 : 1, is_range ? 4 : 2) ||
        !decode_destination_exact(d, 0, 8))
        return false;
    if (is_range && !(decode_address(d, &o[1]) && decode_source_exact(d, 2, TYPE_B32, 1) &&
                      decode_source_exact(d, 3, TYPE_B32, 1)))
        return false;
    if (!is_range && d->statement->operand_count == 2 && !decode_source_exact(d, 1, TYPE_F32, 1))
        return false;
    op->src[0] = decode_constant(d, policy, 8);
    op->src[1] = REF_NONE;
    op->imm = 0;
    return true;
}
