/* Operands of PTX as references; constants as vectors of equal lanes. */
#include "ptx/decode/decode.h"
#include "ptx/exec/warp.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define MOST_CONSTANT_BYTES ((1u << 30) - 65536) /* what a reference can count */

struct src_pos decode_pos(const struct decoder *d)
{
    return (struct src_pos){d->function->file, d->statement->line, d->statement->column};
}

bool decode_unsupported(struct decoder *d, const char *why)
{
    char name[160];
    size_t used = (size_t)snprintf(name, sizeof name, "%s", d->statement->opcode);
    for (u32 i = 0; i < d->statement->modifier_count && used < sizeof name; i++)
        used +=
            (size_t)snprintf(name + used, sizeof name - used, ".%s", d->statement->modifiers[i]);
    err_at(d->err, decode_pos(d), "%s is not supported%s%s", name, *why ? ": " : "", why);
    return false;
}

bool decode_operand_count(struct decoder *d, u32 least, u32 most)
{
    u32 n = d->statement->operand_count;
    if (n >= least && n <= most)
        return true;
    return err_at(d->err, decode_pos(d), "%s has %u operands, expected %u to %u",
                  d->statement->opcode, n, least, most);
}

bool decode_hinted_count(struct decoder *d, u32 least, u32 most)
{
    if (!(d->mods.flags & MOD_CACHE_HINT))
        return decode_operand_count(d, least, most);
    ref_t policy;
    u8 bytes;
    if (!decode_operand_count(d, least + 1, most + 1) ||
        !decode_source(d, &d->statement->operands[d->statement->operand_count - 1], TYPE_B64,
                       &policy, &bytes))
        return false;
    return bytes == 8 ||
           err_at(d->err, decode_pos(d), "a cache policy has %u bits, expected 64", 8u * bytes);
}

bool decode_is(const struct decoder *d, u32 modifier, const char *word)
{
    return modifier < d->statement->modifier_count &&
           strcmp(d->statement->modifiers[modifier], word) == 0;
}

bool decode_has(const struct decoder *d, const char *word)
{
    for (u32 i = 0; i < d->statement->modifier_count; i++) {
        if (decode_is(d, i, word))
            return true;
    }
    return false;
}

ref_t decode_touch(struct decoder *d, u32 reg, bool is_written)
{
    struct function *f = d->function;
    ref_t ref = f->reg_refs[reg];
    if (d->touched_count == d->touched_room) {
        u32 room = d->touched_room ? d->touched_room * 2 : 256;
        ref_t *more = ARENA_ARRAY(&d->program->arena, ref_t, room);
        if (d->touched_count)
            memcpy(more, f->touched, d->touched_count * sizeof *more);
        f->touched = more;
        d->touched_room = room;
    }
    f->touched[d->touched_count++] = ref | (is_written ? REF_WRITTEN : 0);
    return ref;
}

ref_t decode_constant(struct decoder *d, u64 bits, u8 bytes)
{
    struct program *p = d->program;
    assert(bytes >= 1 && bytes <= 8);
    if (bytes < 8)
        bits &= ((u64)1 << (8 * bytes)) - 1;
    u64 key = hash_u64(bits) ^ bytes, at;
    if (map_get(&p->constant_index, key, &at)) {
        u64 there = 0;
        memcpy(&there, p->constants + at - 1, bytes);
        if (there == bits) /* else two values share a key: make another copy */
            return ref_make(REF_CONSTANT, (u32)at - 1);
    }
    u32 size = (u32)bytes * LANES;
    if (p->constant_bytes > MOST_CONSTANT_BYTES) {
        err_at(d->err, decode_pos(d), "the program has more constants than fit in 1 GiB");
        return ref_make(REF_CONSTANT, 0);
    }
    if (p->constant_bytes + size > p->constant_room) {
        u32 room = p->constant_room ? p->constant_room * 2 : 1 << 16;
        u8 *more = arena_alloc_aligned(&p->arena, room, 64);
        if (p->constant_bytes)
            memcpy(more, p->constants, p->constant_bytes);
        p->constants = more;
        p->constant_room = room;
    }
    u32 offset = p->constant_bytes;
    for (u32 i = 0; i < LANES; i++)
        memcpy(p->constants + offset + i * bytes, &bits, bytes);
    p->constant_bytes += (size + 63) & ~63u;
    map_put(&p->constant_index, key, offset + 1);
    return ref_make(REF_CONSTANT, offset);
}

ref_t decode_special(struct decoder *d, u32 special)
{
    struct program *p = d->program;
    if (!p->special_offset[special]) {
        bool wide = special == SPECIAL_DYNAMIC_BASE_64 ||
                    (special < SPECIAL_COUNT && special_bytes(special) == 8);
        p->special_offset[special] = p->special_bytes + 1;
        p->special_bytes += wide ? 8 * LANES : 4 * LANES;
    }
    return ref_make(REF_SPECIAL, p->special_offset[special] - 1);
}

static u64 float_bits(const struct ptx_operand *o, enum type type)
{
    double v;
    memcpy(&v, &o->value, sizeof v);
    if (type == TYPE_F64 || type == TYPE_B64)
        return (u64)o->value;
    if (type_info[type].bytes == 4) {
        if (v != v) /* a NaN keeps its payload */
            return ((u64)o->value >> 32 & 0x80000000u) | 0x7f800000u |
                   ((u64)o->value >> 29 & 0x7fffffu);
        float f = (float)v;
        u32 w;
        memcpy(&w, &f, sizeof w);
        return w;
    }
    return (u64)o->value;
}

bool decode_is_kernel_param(const struct decoder *d, const struct ptx_symbol *s)
{
    const struct ptx_function *f = d->source;
    return f->is_entry && f->param_count && s >= f->params && s < f->params + f->param_count;
}

/* A variable's address as a value: a constant, or something that is only known
 * when the warp runs. */
static bool symbol_source(struct decoder *d, const struct ptx_operand *o, u8 width, ref_t *ref)
{
    const struct ptx_symbol *s = d->function->module->symbols[o->index];
    if (width != 4 && width != 8)
        return err_at(d->err, decode_pos(d), "the address of '%s' has 64 bits, not %u", s->name,
                      8u * width);
    if (s->space == SPACE_LOCAL || (s->space == SPACE_PARAM && !decode_is_kernel_param(d, s)))
        return err_at(d->err, decode_pos(d), "the address of '%s' can only be had by mov", s->name);
    if (s->is_dynamic_shared) {
        if (o->value)
            return decode_unsupported(d, "an offset from dynamic shared memory");
        *ref = decode_special(d, width == 8 ? SPECIAL_DYNAMIC_BASE_64 : SPECIAL_DYNAMIC_BASE);
        return true;
    }
    *ref = decode_constant(d, s->offset + (u64)o->value, width);
    return true;
}

static bool no_value(struct decoder *d, const char *what, enum type type)
{
    return err_at(d->err, decode_pos(d), "%s has %s as %u-bit operand", d->statement->opcode, what,
                  8u * type_info[type].bytes);
}

static bool number_source(struct decoder *d, const struct ptx_operand *o, enum type type,
                          ref_t *ref, u8 *bytes)
{
    u8 width = type_info[type].bytes;
    *bytes = width;
    if (type == TYPE_PRED && o->kind == OPERAND_INT) {
        *ref = decode_constant(d, o->value ? ALL_LANES : 0, 4);
        return true;
    }
    if (width == 0 || width > 8)
        return no_value(d, "a number", type);
    if (o->kind == OPERAND_FLOAT) {
        if (width < 4)
            return no_value(d, "a floating-point number", type);
        *ref = decode_constant(d, float_bits(o, type), width);
        return true;
    }
    u64 bits = (u64)o->value;
    if (type == TYPE_F32 || type == TYPE_F64) {
        struct ptx_operand f = {.kind = OPERAND_FLOAT};
        double v = (double)o->value;
        memcpy(&f.value, &v, sizeof v);
        bits = float_bits(&f, type);
    }
    *ref = decode_constant(d, bits, width);
    return true;
}

static bool special_source(struct decoder *d, const struct ptx_operand *o, enum type type,
                           ref_t *ref, u8 *bytes)
{
    const struct special_info *info = &special_info[o->index];
    if (o->index == SPECIAL_WARP_SIZE) {
        struct ptx_operand size = {.kind = OPERAND_INT, .value = LANES};
        return number_source(d, &size, type, ref, bytes);
    }
    if (o->index == SPECIAL_PM)
        return err_at(d->err, decode_pos(d), "%s is not supported: a performance counter", o->name);
    if (info->changes)
        return err_at(d->err, decode_pos(d), "%%%s can only be read by mov", info->name);
    *bytes = special_bytes(o->index);
    *ref = decode_special(d, o->index);
    return true;
}

static bool function_source(struct decoder *d, const struct ptx_operand *o, enum type type,
                            ref_t *ref)
{
    if (type_info[type].bytes != 8)
        return no_value(d, "a function", type);
    for (u32 i = 0; i < d->program->function_count; i++) {
        if (strcmp(d->program->functions[i]->name, o->name) == 0) {
            *ref = decode_constant(d, FUNCTION_WINDOW + (u64)i * FUNCTION_STRIDE, 8);
            return true;
        }
    }
    return err_at(d->err, decode_pos(d), "function '%s' has no body here", o->name);
}

bool decode_source(struct decoder *d, const struct ptx_operand *o, enum type type, ref_t *ref,
                   u8 *bytes)
{
    *bytes = type_info[type].bytes;
    if (o->negated && !d->may_negate)
        return decode_unsupported(d, "a negated operand");
    switch (o->kind) {
    case OPERAND_REG:
        *ref = decode_touch(d, o->index, false);
        *bytes = type_info[d->source->regs[o->index].type].bytes;
        return true;
    case OPERAND_INT:
    case OPERAND_FLOAT:
        return number_source(d, o, type, ref, bytes);
    case OPERAND_SPECIAL:
        return special_source(d, o, type, ref, bytes);
    case OPERAND_SYMBOL:
        return symbol_source(d, o, *bytes, ref);
    case OPERAND_FUNCTION:
        return function_source(d, o, type, ref);
    default:
        return err_at(d->err, decode_pos(d), "%s has an operand that is not a value",
                      d->statement->opcode);
    }
}

static bool check_width(struct decoder *d, u32 operand, u8 bytes, u8 expected)
{
    if (bytes == expected)
        return true;
    if (expected == 0 || bytes == 0)
        return err_at(d->err, decode_pos(d), "operand %u of %s is %s predicate, expected %s",
                      operand + 1, d->statement->opcode, expected ? "a" : "no",
                      expected ? "a register" : "one");
    return err_at(d->err, decode_pos(d), "operand %u of %s has %u bits, expected %u", operand + 1,
                  d->statement->opcode, 8u * bytes, 8u * expected);
}

bool decode_source_exact(struct decoder *d, u32 operand, enum type type, u32 k)
{
    const struct ptx_operand *o = &d->statement->operands[operand];
    u8 bytes = 0;
    if (!decode_source(d, o, type, &d->op->src[k], &bytes))
        return false;
    d->op->src_bytes[k] = bytes;
    return check_width(d, operand, bytes, type_info[type].bytes);
}

bool decode_destination(struct decoder *d, const struct ptx_operand *o, ref_t *ref, u8 *bytes)
{
    *bytes = 0;
    if (o->kind == OPERAND_SINK) {
        *ref = SINK_REF;
        return true;
    }
    if (o->kind != OPERAND_REG)
        return err_at(d->err, decode_pos(d), "the destination of %s is not a register",
                      d->statement->opcode);
    *ref = decode_touch(d, o->index, true);
    *bytes = type_info[d->source->regs[o->index].type].bytes;
    return true;
}

bool decode_destination_exact(struct decoder *d, u32 operand, u8 expected)
{
    const struct ptx_operand *o = &d->statement->operands[operand];
    u8 bytes = 0;
    if (!decode_destination(d, o, &d->op->dst, &bytes))
        return false;
    d->op->dst_bytes = expected;
    return o->kind == OPERAND_SINK || check_width(d, operand, bytes, expected);
}

bool decode_second_destination(struct decoder *d, u32 operand)
{
    const struct ptx_operand *o = &d->statement->operands[operand];
    u8 bytes = 0;
    return decode_destination(d, o, &d->op->dst2, &bytes) && check_width(d, operand, bytes, 0);
}

bool decode_predicate_source(struct decoder *d, const struct ptx_operand *o, u32 k)
{
    u8 bytes = 1;
    d->may_negate = true;
    bool ok = decode_source(d, o, TYPE_PRED, &d->op->src[k], &bytes);
    d->may_negate = false;
    if (!ok)
        return false;
    d->op->src_bytes[k] = bytes;
    d->op->negate = o->negated;
    return bytes == 0 ||
           err_at(d->err, decode_pos(d), "%s wants a predicate as operand", d->statement->opcode);
}

const struct ptx_operand *decode_elements(const struct decoder *d, const struct ptx_operand *o,
                                          u32 *count)
{
    if (o->kind == OPERAND_VECTOR || o->kind == OPERAND_LIST) {
        *count = o->count;
        return o->count ? d->source->pool + o->index : NULL;
    }
    *count = 1;
    return o;
}

/* As wide as the registers beside it: st.v2.u8 of {%rs1, 5} */
static enum type type_among(const struct decoder *d, const struct ptx_operand *e, u32 count,
                            enum type type)
{
    for (u32 i = 0; i < count; i++) {
        enum type other = e[i].kind == OPERAND_REG ? d->source->regs[e[i].index].type : TYPE_NONE;
        if (other != TYPE_NONE && type_info[other].bytes != type_info[type].bytes)
            return other;
    }
    return type;
}

bool decode_list(struct decoder *d, const struct ptx_operand *o, enum type type, bool is_source,
                 u8 *bytes)
{
    u32 count;
    const struct ptx_operand *e = decode_elements(d, o, &count);
    ref_t *list = ARENA_ARRAY(&d->program->arena, ref_t, count + 1);
    *bytes = 0;
    type = type_among(d, e, count, type);
    for (u32 i = 0; i < count; i++) {
        u8 width = 0;
        bool ok = is_source ? decode_source(d, &e[i], type, &list[i], &width)
                            : decode_destination(d, &e[i], &list[i], &width);
        if (!ok)
            return false;
        if (e[i].kind == OPERAND_SINK)
            continue;
        if (width == 0)
            return err_at(d->err, decode_pos(d), "%s has a predicate where a register belongs",
                          d->statement->opcode);
        if (*bytes && width != *bytes)
            return err_at(d->err, decode_pos(d), "the registers of a vector differ in width");
        *bytes = width;
    }
    d->op->list = list;
    d->op->list_count = (u8)count;
    return true;
}

bool decode_address(struct decoder *d, const struct ptx_operand *o)
{
    struct op *op = d->op;
    if (o->kind != OPERAND_ADDRESS)
        return err_at(d->err, decode_pos(d), "%s has no address, expected [...]",
                      d->statement->opcode);
    op->imm = (u64)o->value;
    op->address_64 = true;
    op->src[0] = REF_NONE;
    if (o->base == OPERAND_NONE)
        return true;
    if (o->base == OPERAND_REG) {
        u8 bytes = type_info[d->source->regs[o->index].type].bytes;
        op->src[0] = decode_touch(d, o->index, false);
        op->address_64 = bytes == 8;
        if (bytes != 4 && bytes != 8)
            return err_at(d->err, decode_pos(d), "the address register has %u bits, expected 64",
                          8u * bytes);
        return true;
    }
    if (o->base != OPERAND_SYMBOL)
        return err_at(d->err, decode_pos(d), "%s has an address that is not a variable",
                      d->statement->opcode);
    const struct ptx_symbol *s = d->function->module->symbols[o->index];
    if (s->is_dynamic_shared) {
        op->src[0] = decode_special(d, SPECIAL_DYNAMIC_BASE);
        op->address_64 = false;
        return true;
    }
    op->imm += s->offset;
    return true;
}
