/* PTX statements to ops: the table of opcodes, and the lane-wise instructions. */
#include "ptx/decode/decode.h"

#include "ptx/exec/warp.h"
#include "num/bits.h"

#include <stdio.h>
#include <string.h>

extern const struct form selection_forms[];

static const struct form *selection(const char *name)
{
    const struct form *f = selection_forms;
    while (f->opcode && strcmp(f->opcode, name) != 0)
        f++;
    return f->opcode ? f : NULL;
}

static const struct ptx_operand *operand(const struct decoder *d, u32 i)
{
    return &d->statement->operands[i];
}

u8 decode_fp_mode(const struct decoder *d)
{
    static const u8 control[] = {[ROUND_RN] = 0, [ROUND_RM] = 1, [ROUND_RP] = 2, [ROUND_RZ] = 3};
    u8 mode = d->mods.round < ARRAY_LEN(control) ? control[d->mods.round] : 0;
    return d->mods.flags & MOD_FTZ ? mode | FP_FLUSH : mode;
}

static void use_form(struct decoder *d, const struct form *f)
{
    struct op *op = d->op;
    op->unit = f->unit;
    if (f->lane != LANE_NONE) {
        op->run = d->program->lanes[f->lane];
    } else {
        op->run = lanes_scalar;
        op->scalar = f->scalar;
    }
    if (f->fp == FORM_ROUNDED)
        op->fp_mode = decode_fp_mode(d);
    else if (f->fp == FORM_OWN)
        op->fp_mode = 0;
}

static enum type source_type(const struct form *f, enum type type, u32 k)
{
    static const enum type by_bytes[] = {[2] = TYPE_B16, [4] = TYPE_B32, [8] = TYPE_B64};
    u8 bytes = k == 0 ? 0 : f->source_bytes[k - 1];
    return bytes == 0xff ? TYPE_PRED : bytes ? by_bytes[bytes] : type;
}

static bool decode_form(struct decoder *d, const struct form *f, enum type type)
{
    static const u8 doubled[] = {[1] = 2, [2] = 4, [4] = 8, [8] = 16};
    u8 bytes = type_info[type].bytes;
    u8 result = f->result == RESULT_DOUBLE ? doubled[bytes]
                : f->result == RESULT_B32  ? 4
                : f->result == RESULT_PRED ? 0
                                           : bytes;
    use_form(d, f);
    bool is_choice = !strcmp(f->opcode, "min") || !strcmp(f->opcode, "max");
    if (is_choice && type == TYPE_F32 && d->statement->operand_count == 4)
        return decode_unsupported(d, "three operands need sm_100");
    if (!decode_operand_count(d, f->sources + 1u, f->sources + 1u) ||
        !decode_destination_exact(d, 0, result))
        return false;
    for (u32 k = 0; k < f->sources; k++) {
        enum type t = source_type(f, type, k);
        if (f->result == RESULT_DOUBLE && k == 2) /* the addend of mad.wide */
            t = result == 8 ? TYPE_B64 : TYPE_B32;
        if (!decode_source_exact(d, k + 1, t, k))
            return false;
    }
    return true;
}

/* One type, of 16, 32 or 64 bits. */
static bool one_type(struct decoder *d, enum type *type)
{
    *type = d->mods.types[0];
    u8 bytes = type_info[*type].bytes;
    return (d->mods.type_count == 1 && (bytes == 2 || bytes == 4 || bytes == 8)) ||
           decode_unsupported(d, "");
}

/* ---- moves and selections ------------------------------------------------------- */

static enum type bits_of(u8 bytes)
{
    static const enum type types[] = {
        [1] = TYPE_B8, [2] = TYPE_B16, [4] = TYPE_B32, [8] = TYPE_B64, [16] = TYPE_B128};
    return bytes < ARRAY_LEN(types) ? types[bytes] : TYPE_NONE;
}

/* The elements of a vector and the whole have the same number of bits. */
static bool check_parts(struct decoder *d, u32 count, u8 part, u8 whole)
{
    if (part == 0 || count * part == whole)
        return true;
    return err_at(d->err, decode_pos(d), "mov has %u x %u bits on one side and %u on the other",
                  count, 8u * part, 8u * whole);
}

/* {a, b} = {c, d}, d = {a, b} or {a, b} = s */
static bool decode_mov_vector(struct decoder *d, const struct ptx_operand *to,
                              const struct ptx_operand *from, enum type type)
{
    struct op *op = d->op;
    u8 whole = type_info[type].bytes;
    if (from->kind == OPERAND_VECTOR && to->kind == OPERAND_VECTOR) { /* {a, b} = %tid */
        op->run = lane_move_list;
        if (from->count != to->count || from->count == 0 ||
            !decode_list(d, from, type, true, &op->src_bytes[0]))
            return decode_unsupported(d, "");
        op->extra = op->list;
        return decode_list(d, to, type, false, &op->dst_bytes) &&
               (op->dst_bytes == op->src_bytes[0] || decode_unsupported(d, "other widths"));
    }
    u32 count = from->kind == OPERAND_VECTOR ? from->count : to->count;
    if (count == 0 || whole == 0 || whole % count)
        return decode_unsupported(d, "");
    enum type part = bits_of((u8)(whole / count));
    if (from->kind == OPERAND_VECTOR) {
        op->run = lane_pack;
        return decode_list(d, from, part, true, &op->src_bytes[0]) &&
               check_parts(d, count, op->src_bytes[0], whole) &&
               decode_destination_exact(d, 0, whole);
    }
    op->run = lane_unpack;
    return decode_list(d, to, part, false, &op->dst_bytes) &&
           check_parts(d, count, op->dst_bytes, whole) && decode_source_exact(d, 1, type, 0);
}

static bool decode_mov(struct decoder *d)
{
    struct op *op = d->op;
    const struct ptx_operand *to, *from;
    if (!decode_operand_count(d, 2, 2))
        return false;
    to = operand(d, 0);
    from = operand(d, 1);
    enum type type = d->mods.types[0];
    if (d->mods.type_count != 1)
        return decode_unsupported(d, "");
    if (from->kind == OPERAND_VECTOR || to->kind == OPERAND_VECTOR)
        return decode_mov_vector(d, to, from, type);
    if (type == TYPE_PRED) {
        op->run = lanes_scalar;
        op->scalar = selection("mov")->scalar;
        if (!decode_destination_exact(d, 0, 0) || !decode_predicate_source(d, from, 0))
            return false;
        return !op->negate || decode_unsupported(d, "a negated operand");
    }
    u8 width = type_info[type].bytes, bytes;
    if (width > 8 || width < 2)
        return decode_unsupported(d, "");
    if (!decode_destination_exact(d, 0, width))
        return false;
    if (from->kind == OPERAND_SPECIAL && special_info[from->index].changes) {
        op->run = lane_special;
        op->imm = from->index;
        return true;
    }
    if (from->kind == OPERAND_SYMBOL) {
        const struct ptx_symbol *s = d->function->module->symbols[from->index];
        if (s->space == SPACE_LOCAL || (s->space == SPACE_PARAM && !decode_is_kernel_param(d, s))) {
            op->run = lane_local_address;
            op->imm = s->offset + (u64)from->value;
            return true;
        }
    }
    if (!decode_source(d, from, type, &op->src[0], &bytes))
        return false;
    op->src_bytes[0] = bytes;
    if (bytes == 0 || (bytes != width && from->kind != OPERAND_SPECIAL))
        return err_at(d->err, decode_pos(d), "mov moves %u bits into %u", 8u * bytes, 8u * width);
    static const u16 moves[] = {[2] = LANE_mov_u16, [4] = LANE_mov_u32, [8] = LANE_mov_u64};
    if (bytes == width) {
        op->run = d->program->lanes[moves[bytes]];
    } else { /* a special register of another width */
        op->run = lanes_scalar;
        op->scalar = selection("mov")->scalar;
    }
    return true;
}

static bool decode_selp(struct decoder *d)
{
    enum type type;
    d->op->run = lane_selp;
    return one_type(d, &type) && decode_operand_count(d, 4, 4) &&
           decode_destination_exact(d, 0, type_info[type].bytes) &&
           decode_source_exact(d, 1, type, 0) && decode_source_exact(d, 2, type, 1) &&
           decode_predicate_source(d, operand(d, 3), 2);
}

static bool decode_slct(struct decoder *d)
{
    bool is_float = d->mods.types[1] == TYPE_F32;
    enum type type = d->mods.types[0];
    u8 width = type_info[type].bytes;
    if (d->mods.type_count != 2 || (width != 2 && width != 4 && width != 8) ||
        (!is_float && d->mods.types[1] != TYPE_S32))
        return decode_unsupported(d, "");
    use_form(d, selection(is_float ? "slct_f32" : "slct_s32"));
    return decode_operand_count(d, 4, 4) && decode_destination_exact(d, 0, type_info[type].bytes) &&
           decode_source_exact(d, 1, type, 0) && decode_source_exact(d, 2, type, 1) &&
           decode_source_exact(d, 3, d->mods.types[1], 2);
}

static bool constant_operand(struct decoder *d, u32 i, u64 *out)
{
    if (operand(d, i)->kind != OPERAND_INT)
        return err_at(d->err, decode_pos(d), "operand %u of %s is not a constant", i + 1,
                      d->statement->opcode);
    *out = (u64)operand(d, i)->value;
    return true;
}

static bool decode_lop3(struct decoder *d)
{
    struct op *op = d->op;
    bool with_predicate = d->mods.operation != OPERATION_NONE;
    u32 first = with_predicate ? 2 : 1;
    u64 table = 0;
    use_form(d, selection("lop3"));
    if (d->mods.operation > OPERATION_XOR)
        return decode_unsupported(d, "");
    if (!decode_operand_count(d, first + (with_predicate ? 5 : 4),
                              first + (with_predicate ? 5 : 4)) ||
        !constant_operand(d, first + 3, &table) || !decode_destination_exact(d, 0, 4))
        return false;
    for (u32 k = 0; k < 3; k++) {
        if (!decode_source_exact(d, first + k, TYPE_B32, k))
            return false;
    }
    op->imm = table & 0xff;
    if (with_predicate) { /* d|p = lop3 with q: p = (d != 0) op q */
        op->operation = d->mods.operation;
        op->run = lane_lop3_predicate;
        return decode_second_destination(d, 1) &&
               decode_predicate_source(d, operand(d, first + 4), 3);
    }
    return true;
}

static bool decode_prmt(struct decoder *d)
{
    static const char *const modes[] = {"", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
    u8 mode = PRMT_INDEX;
    for (u32 i = 1; i < ARRAY_LEN(modes); i++) {
        if (decode_has(d, modes[i]))
            mode = (u8)i;
    }
    use_form(d, selection("prmt"));
    d->op->operation = mode;
    if (mode == PRMT_INDEX)
        d->op->run = d->program->lanes[LANE_prmt_u32];
    return decode_operand_count(d, 4, 4) && decode_destination_exact(d, 0, 4) &&
           decode_source_exact(d, 1, TYPE_B32, 0) && decode_source_exact(d, 2, TYPE_B32, 1) &&
           decode_source_exact(d, 3, TYPE_B32, 2);
}

static bool decode_dot(struct decoder *d)
{
    if (d->mods.type_count != 2)
        return decode_unsupported(d, "");
    use_form(d, selection(d->statement->opcode));
    d->op->type = (u8)d->mods.types[0];
    d->op->stype = (u8)d->mods.types[1];
    return decode_operand_count(d, 4, 4) && decode_destination_exact(d, 0, 4) &&
           decode_source_exact(d, 1, TYPE_B32, 0) && decode_source_exact(d, 2, TYPE_B32, 1) &&
           decode_source_exact(d, 3, TYPE_B32, 2);
}

static bool decode_testp(struct decoder *d)
{
    static const struct {
        const char *word;
        u8 class;
    } classes[] = {{"finite", CLASS_FINITE}, {"infinite", CLASS_INFINITE},
                   {"number", CLASS_NUMBER}, {"notanumber", CLASS_NOTANUMBER},
                   {"normal", CLASS_NORMAL}, {"subnormal", CLASS_SUBNORMAL}};
    bool wide = d->mods.types[0] == TYPE_F64;
    if (d->mods.type_count != 1 || (!wide && d->mods.types[0] != TYPE_F32))
        return decode_unsupported(d, "");
    use_form(d, selection(wide ? "testp_f64" : "testp_f32"));
    for (u32 i = 0; i < ARRAY_LEN(classes); i++) {
        if (decode_is(d, 0, classes[i].word)) {
            d->op->operation = classes[i].class;
            return decode_operand_count(d, 2, 2) && decode_destination_exact(d, 0, 0) &&
                   decode_source_exact(d, 1, d->mods.types[0], 0);
        }
    }
    return decode_unsupported(d, "");
}

/* ---- carry chains ---------------------------------------------------------------- */

static bool decode_carry(struct decoder *d)
{
    struct op *op = d->op;
    enum type type;
    const char *name = d->statement->opcode;
    bool is_mad = strncmp(name, "mad", 3) == 0, is_sub = strncmp(name, "sub", 3) == 0;
    bool extended = strlen(name) == 4 && name[3] == 'c';
    u32 sources = is_mad ? 3 : 2;
    u64 half = d->mods.flags & (MOD_LO | MOD_HI);
    if ((!is_mad && !is_sub && strncmp(name, "add", 3) != 0) || (name[3] && !extended) ||
        (is_mad ? half != MOD_LO && half != MOD_HI : half != 0) ||
        d->mods.flags & ~(MOD_CC | MOD_LO | MOD_HI) || d->mods.round != ROUND_NONE)
        return decode_unsupported(d, "");
    if (!one_type(d, &type))
        return false;
    op->run = lane_carry;
    op->type = (u8)type;
    /* imm: 0 add, 1 sub, 2 mad; +4 takes the carry in; +8 writes it */
    op->imm = is_mad ? 2 : is_sub ? 1 : 0;
    if (extended)
        op->imm |= 4;
    if (d->mods.flags & MOD_CC)
        op->imm |= 8;
    op->src[3] = d->carry;
    if (type_info[type].bytes == 2 ||
        (type_info[type].class != CLASS_SIGNED && type_info[type].class != CLASS_UNSIGNED))
        return decode_unsupported(d, "");
    if (!decode_operand_count(d, sources + 1, sources + 1) ||
        !decode_destination_exact(d, 0, type_info[type].bytes))
        return false;
    for (u32 k = 0; k < sources; k++) {
        if (!decode_source_exact(d, k + 1, type, k))
            return false;
    }
    return true;
}

/* ---- the table of opcodes --------------------------------------------------------- */

static const struct {
    const char *name;
    decode_fn *decode;
    bool own_words; /* has modifiers that are in no common table */
} opcodes[] = {
    {"mov", decode_mov, false},
    {"selp", decode_selp, false},
    {"slct", decode_slct, false},
    {"lop3", decode_lop3, false},
    {"prmt", decode_prmt, true},
    {"dp4a", decode_dot, false},
    {"dp2a", decode_dot, false},
    {"testp", decode_testp, true},
    {"setp", decode_setp, false},
    {"set", decode_set, false},
    {"cvt", decode_cvt, true},
    {"addc", decode_carry, false},
    {"subc", decode_carry, false},
    {"madc", decode_carry, false},
    {"ld", decode_load, false},
    {"ldu", decode_load, false},
    {"st", decode_store, true},
    {"atom", decode_atomic, false},
    {"red", decode_atomic, true},
    {"cvta", decode_cvta, false},
    {"isspacep", decode_isspacep, false},
    {"membar", decode_fence, true},
    {"fence", decode_fence, true},
    {"prefetch", decode_prefetch, true},
    {"prefetchu", decode_prefetch, true},
    {"shfl", decode_shuffle, false},
    {"vote", decode_vote, false},
    {"match", decode_match, false},
    {"redux", decode_redux, false},
    {"activemask", decode_activemask, false},
    {"elect", decode_elect, false},
    {"bra", decode_branch, false},
    {"brx", decode_branch_table, false},
    {"call", decode_call, false},
    {"ret", decode_return, false},
    {"exit", decode_exit, false},
    {"bar", decode_barrier, false},
    {"barrier", decode_barrier, true},
    {"trap", decode_trap, false},
    {"brkpt", decode_trap, false},
    {"nanosleep", decode_nanosleep, false},
    {"mma", decode_mma, true},
    {"wmma", decode_wmma, true},
    {"wgmma", decode_wgmma, true},
    {"setmaxnreg", decode_setmaxnreg, true},
    {"ldmatrix", decode_ldmatrix, true},
    {"stmatrix", decode_ldmatrix, true},
    {"movmatrix", decode_movmatrix, true},
    {"cp", decode_copy, true},
    {"mbarrier", decode_mbarrier, true},
    {"tex", decode_texture, true},
    {"tld4", decode_texture, true},
    {"txq", decode_texture_query, true},
    {"suq", decode_texture_query, true},
    {"suld", decode_surface, true},
    {"sust", decode_surface, true},
    {"griddepcontrol", decode_fence, true},
    {"discard", decode_prefetch, true},
    {"pmevent", decode_prefetch, true},
    {"applypriority", decode_prefetch, true},
    {"tensormap", decode_tensormap, true},
    {"createpolicy", decode_policy, true},
    {"mapa", decode_mapa, false},
    {"getctarank", decode_getctarank, false},
    {"alloca", decode_alloca, false},
    {"stacksave", decode_alloca, false},
    {"stackrestore", decode_alloca, false},
};

const u32 decode_opcode_count = ARRAY_LEN(opcodes);

const char *decode_opcode(u32 index)
{
    return opcodes[index].name;
}

static bool decode_guard(struct decoder *d)
{
    const struct ptx_statement *s = d->statement;
    d->op->guard = s->guard == PTX_NONE ? REF_NONE : decode_touch(d, s->guard, false);
    d->op->guard_negated = s->guard_negated;
    return true;
}

static bool decode_statement(struct decoder *d)
{
    struct op *op = d->op;
    *op = (struct op){.dst = REF_NONE,
                      .dst2 = REF_NONE,
                      .src = {REF_NONE, REF_NONE, REF_NONE, REF_NONE},
                      .fp_mode = FP_ANY,
                      .target = PTX_NONE,
                      .reconverge = PTX_NONE,
                      .round = ROUND_NONE,
                      .compare = COMPARE_NONE,
                      .line = d->statement->line};
    decode_guard(d);
    mods_read(d->statement, &d->mods);
    op->flags = d->mods.flags;
    op->type = (u8)d->mods.types[0];
    bool carry = (d->mods.flags & MOD_CC) != 0;
    for (u32 i = 0; i < ARRAY_LEN(opcodes); i++) {
        if (strcmp(opcodes[i].name, d->statement->opcode) != 0)
            continue;
        if (d->mods.unknown && !opcodes[i].own_words)
            break;
        return opcodes[i].decode(d);
    }
    if (d->statement->opcode[0] == 'v')
        return decode_video(d);
    if (d->mods.unknown)
        return decode_unsupported(d, "");
    if (carry)
        return decode_carry(d);
    const struct form *f = form_find(d->statement->opcode, &d->mods);
    if (!f)
        return decode_unsupported(d, "");
    return decode_form(d, f, d->mods.types[0]);
}

/* %r1.b0 and the like mean something to video instructions only. */
static bool check_selectors(struct decoder *d)
{
    const struct ptx_statement *s = d->statement;
    for (u32 i = 0; i < s->operand_count && s->opcode[0] != 'v'; i++) {
        if (s->operands[i].selector)
            return err_at(d->err, decode_pos(d), "%s takes no part of a register such as .%s",
                          s->opcode, s->operands[i].selector);
    }
    return true;
}

bool function_decode(struct program *p, struct function *f, struct refusals *refusals)
{
    struct err err;
    u32 refused = 0;
    struct decoder d = {.program = p,
                        .function = f,
                        .source = f->source,
                        .carry = ref_make(REF_FRAME, CARRY_OFFSET),
                        .err = &err};
    const struct ptx_function *s = f->source;
    f->op_count = s->statement_count + 1;
    f->ops = ARENA_ARRAY(&p->arena, struct op, f->op_count);
    f->touched_start = ARENA_ARRAY(&p->arena, u32, f->op_count + 1);
    for (u32 i = 0; i < s->statement_count; i++) {
        d.statement = &s->statements[i];
        d.op = &f->ops[i];
        f->touched_start[i] = d.touched_count;
        err = ERR_INIT;
        d.may_negate = false;
        if (check_selectors(&d) && decode_statement(&d) && err.kind == ERR_NONE)
            continue;
        if (err.kind == ERR_NONE)
            decode_unsupported(&d, "");
        refusals_add(refusals, &err);
        refused++;
    }
    if (refused)
        return false;
    f->touched_start[s->statement_count] = f->touched_start[f->op_count] = d.touched_count;
    /* falling off the end of a function is a return */
    f->ops[s->statement_count] = (struct op){.kind = f->is_entry ? OP_EXIT : OP_RETURN,
                                             .guard = REF_NONE,
                                             .dst = REF_NONE,
                                             .dst2 = REF_NONE,
                                             .src = {REF_NONE, REF_NONE, REF_NONE, REF_NONE},
                                             .fp_mode = FP_ANY,
                                             .reconverge = PTX_NONE,
                                             .unit = UNIT_BRANCH};
    return true;
}
