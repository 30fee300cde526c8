/* Branches, calls, returns and ends. */
#include "isa/exec/decode.h"
#include "isa/exec/warp.h"

#include <string.h>

bool decode_branch(struct decoder *d)
{
    d->op->kind = OP_BRANCH;
    d->op->unit = UNIT_BRANCH;
    if (!decode_operand_count(d, 1, 1))
        return false;
    const struct ptx_operand *o = &d->statement->operands[0];
    if (o->kind != OPERAND_LABEL)
        return err_at(d->err, decode_pos(d), "bra goes to no label of this function");
    d->op->target = o->index;
    return true;
}

bool decode_branch_table(struct decoder *d)
{
    struct op *op = d->op;
    op->kind = OP_BRANCH_TABLE;
    op->unit = UNIT_BRANCH;
    if (!decode_operand_count(d, 2, 2) || !decode_source_exact(d, 0, TYPE_B32, 0))
        return false;
    const struct ptx_operand *o = &d->statement->operands[1];
    if (o->kind != OPERAND_TABLE)
        return err_at(d->err, decode_pos(d), "brx.idx names no list of targets");
    const struct ptx_table *t = &d->source->tables[o->index];
    struct branch_table *table = ARENA_NEW(&d->program->arena, struct branch_table);
    table->count = t->count;
    table->targets = ARENA_ARRAY(&d->program->arena, u32, t->count + 1);
    for (u32 i = 0; i < t->count; i++) {
        if (t->entries[i].kind != OPERAND_LABEL)
            return err_at(d->err, decode_pos(d), "a target of brx.idx is no label");
        table->targets[i] = t->entries[i].index;
    }
    op->extra = table;
    return true;
}

static enum builtin find_builtin(const char *name)
{
    static const struct {
        const char *name;
        enum builtin builtin;
    } builtins[] = {{"vprintf", BUILTIN_PRINTF},
                    {"malloc", BUILTIN_MALLOC},
                    {"free", BUILTIN_FREE},
                    {"__assertfail", BUILTIN_ASSERT}};
    for (u32 i = 0; i < ARRAY_LEN(builtins); i++) {
        if (strcmp(builtins[i].name, name) == 0)
            return builtins[i].builtin;
    }
    return BUILTIN_NONE;
}

/* The caller's side of an argument: a .param variable or a register. */
static bool caller_side(struct decoder *d, const struct ptx_operand *o, struct transfer *t,
                        bool is_argument)
{
    u8 bytes;
    if (o->kind == OPERAND_SYMBOL) {
        const struct ptx_symbol *s = d->function->module->symbols[o->index];
        *(is_argument ? &t->from : &t->to) = (u32)s->offset;
        t->bytes = (u32)s->bytes;
        return true;
    }
    t->is_register = true;
    ref_t ref = REF_NONE;
    if (is_argument ? !decode_source(d, o, TYPE_B32, &ref, &bytes)
                    : !decode_destination(d, o, &ref, &bytes))
        return false;
    *(is_argument ? &t->from : &t->to) = ref;
    t->bytes = bytes;
    return true;
}

static bool transfers(struct decoder *d, const struct ptx_operand *list, u32 count,
                      const struct ptx_symbol *formals, u32 formal_count,
                      const struct function *callee, bool is_argument, struct transfer **out)
{
    if (callee && count != formal_count)
        return err_at(d->err, decode_pos(d), "the call passes %u values, expected %u", count,
                      formal_count);
    *out = ARENA_ARRAY(&d->program->arena, struct transfer, count + 1);
    for (u32 i = 0; i < count; i++) {
        struct transfer *t = &(*out)[i];
        if (!caller_side(d, &list[i], t, is_argument))
            return false;
        if (!formals)
            continue;
        const struct ptx_symbol *s = &formals[i];
        if (t->is_register != (s->space == SPACE_REG))
            return decode_unsupported(d, "a mix of registers and parameters");
        u32 there = (u32)s->offset;
        if (s->space == SPACE_REG)
            there = callee->reg_refs ? callee->reg_refs[s->offset] : 0;
        *(is_argument ? &t->to : &t->from) = there;
    }
    return true;
}

bool decode_call(struct decoder *d)
{
    struct op *op = d->op;
    const struct ptx_operand *o = d->statement->operands;
    u32 n = d->statement->operand_count, at = 0;
    struct call *c = ARENA_NEW(&d->program->arena, struct call);
    op->kind = OP_CALL;
    op->unit = UNIT_BRANCH;
    op->extra = c;
    const struct ptx_operand *results = NULL, *arguments = NULL;
    if (at < n && o[at].kind == OPERAND_LIST)
        results = decode_elements(d, &o[at++], &c->result_count);
    if (at == n)
        return decode_unsupported(d, "");
    const struct ptx_operand *target = &o[at++];
    if (at < n && o[at].kind == OPERAND_LIST)
        arguments = decode_elements(d, &o[at++], &c->argument_count);
    const struct ptx_symbol *formals = NULL, *formal_results = NULL;
    u32 formal_count = 0, formal_result_count = 0;
    if (target->kind == OPERAND_FUNCTION) {
        for (u32 i = 0; i < d->program->function_count; i++) {
            if (strcmp(d->program->functions[i]->name, target->name) == 0)
                c->callee = d->program->functions[i];
        }
        c->builtin = c->callee ? BUILTIN_NONE : find_builtin(target->name);
        if (!c->callee && c->builtin == BUILTIN_NONE)
            return err_at(d->err, decode_pos(d), "function '%s' has no body in this program",
                          target->name);
    } else {
        u8 bytes;
        if (!decode_source(d, target, TYPE_B64, &op->src[0], &bytes))
            return false;
        op->src_bytes[0] = bytes;
    }
    if (c->callee) {
        formals = c->callee->source->params;
        formal_count = c->callee->source->param_count;
        formal_results = c->callee->source->returns;
        formal_result_count = c->callee->source->return_count;
    }
    return transfers(d, arguments, c->argument_count, formals, formal_count, c->callee, true,
                     &c->arguments) &&
           transfers(d, results, c->result_count, formal_results, formal_result_count, c->callee,
                     false, &c->results);
}

bool decode_return(struct decoder *d)
{
    d->op->kind = d->function->is_entry ? OP_EXIT : OP_RETURN;
    d->op->unit = UNIT_BRANCH;
    return true;
}

bool decode_exit(struct decoder *d)
{
    d->op->kind = OP_EXIT;
    d->op->unit = UNIT_BRANCH;
    return true;
}

bool decode_trap(struct decoder *d)
{
    d->op->kind = OP_TRAP;
    d->op->unit = UNIT_BRANCH;
    return true;
}

bool decode_nanosleep(struct decoder *d)
{
    d->op->kind = OP_YIELD;
    d->op->unit = UNIT_BRANCH;
    return true;
}
