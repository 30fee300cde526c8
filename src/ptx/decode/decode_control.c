/* Branches, calls, returns and ends. */
#include "ptx/decode/decode.h"
#include "ptx/exec/warp.h"

#include <string.h>

bool decode_branch(struct decoder *d)
{
    d->op->kind = OP_BRANCH;
    d->op->unit = UNIT_BRANCH;
    if (!decode_operand_count(d, 1, 1))
        return false;
    const struct ptx_operand *o = &d->statement->operands[0];
    if (o->kind != OPERAND_LABEL)
        return err_at(d->err, decode_pos(d), "bra targets no label of this function");
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
            return err_at(d->err, decode_pos(d), "a target of brx.idx is not a label");
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
static bool caller_side(struct decoder *d, const struct ptx_operand *o, enum type type,
                        struct transfer *t, bool is_argument)
{
    u8 bytes;
    ref_t ref;
    if (o->kind == OPERAND_SYMBOL) {
        const struct ptx_symbol *s = d->function->module->symbols[o->index];
        if (s->space != SPACE_PARAM || decode_is_kernel_param(d, s))
            return err_at(d->err, decode_pos(d), "'%s' is not a parameter of a call", s->name);
        *(is_argument ? &t->from : &t->to) = (u32)s->offset;
        t->bytes = (u32)s->bytes;
        return true;
    }
    t->is_register = true;
    if (is_argument ? !decode_source(d, o, type, &ref, &bytes)
                    : !decode_destination(d, o, &ref, &bytes))
        return false;
    if (o->kind == OPERAND_SINK)
        bytes = type_info[type].bytes;
    if (bytes == 0)
        return decode_unsupported(d, "a predicate");
    *(is_argument ? &t->from : &t->to) = ref;
    t->bytes = bytes;
    return true;
}

static bool transfers(struct decoder *d, const struct ptx_operand *list, u32 count,
                      const struct function *callee, bool is_argument, struct transfer **out)
{
    const char *what = is_argument ? "argument" : "result";
    const struct ptx_symbol *formals = NULL;
    if (callee) {
        const struct ptx_function *s = callee->source;
        u32 expected = is_argument ? s->param_count : s->return_count;
        formals = is_argument ? s->params : s->returns;
        if (count != expected)
            return err_at(d->err, decode_pos(d), "the call of %s has %u %ss, expected %u",
                          callee->name, count, what, expected);
    }
    *out = ARENA_ARRAY(&d->program->arena, struct transfer, count + 1);
    for (u32 i = 0; list && i < count; i++) {
        struct transfer *t = &(*out)[i];
        if (!caller_side(d, &list[i], formals ? formals[i].type : TYPE_B32, t, is_argument))
            return false;
        if (!formals)
            continue;
        if (t->is_register != (formals[i].space == SPACE_REG))
            return decode_unsupported(d, "a mix of registers and parameters");
        if (t->bytes != formals[i].bytes)
            return err_at(d->err, decode_pos(d),
                          "%s %u of the call of %s has %u bytes, expected %llu", what, i + 1,
                          callee->name, t->bytes, (unsigned long long)formals[i].bytes);
        *(is_argument ? &t->to : &t->from) = transfer_place(callee, &formals[i]);
    }
    return true;
}

static bool find_callee(struct decoder *d, const char *name, struct call *c)
{
    for (u32 i = 0; i < d->program->function_count; i++) {
        if (strcmp(d->program->functions[i]->name, name) == 0)
            c->callee = d->program->functions[i];
    }
    if (c->callee && c->callee->is_entry)
        return err_at(d->err, decode_pos(d), "'%s' is a kernel and cannot be called", name);
    c->builtin = c->callee ? BUILTIN_NONE : find_builtin(name);
    if (c->callee || c->builtin != BUILTIN_NONE)
        return true;
    c->runtime = device_call_find(name);
    if (c->runtime != DEVICE_CALL_COUNT) {
        c->builtin = BUILTIN_RUNTIME;
        return true;
    }
    if (strncmp(name, "__cudaCDP2", 10) == 0)
        return err_at(d->err, decode_pos(d), "%s of the device runtime is not supported", name);
    return err_at(d->err, decode_pos(d), "function '%s' has no body in this program", name);
}

static bool check_builtin(struct decoder *d, const struct call *c)
{
    static const u8 arguments[] = {
        [BUILTIN_PRINTF] = 2, [BUILTIN_MALLOC] = 1, [BUILTIN_FREE] = 1, [BUILTIN_ASSERT] = 5};
    if (c->builtin == BUILTIN_NONE)
        return true;
    u32 expected =
        c->builtin == BUILTIN_RUNTIME ? device_call_arguments(c->runtime) : arguments[c->builtin];
    return (c->argument_count == expected && c->result_count <= 1) ||
           err_at(d->err, decode_pos(d), "the call has %u arguments, expected %u",
                  c->argument_count, expected);
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
    if (at < n && o[at].kind == OPERAND_TABLE) /* a prototype: the callee is checked when called */
        at++;
    if (at != n)
        return decode_unsupported(d, "such a list of operands");
    if (target->kind == OPERAND_FUNCTION) {
        if (!find_callee(d, target->name, c))
            return false;
    } else {
        if (!decode_source(d, target, TYPE_B64, &op->src[0], &op->src_bytes[0]))
            return false;
        if (op->src_bytes[0] != 8)
            return err_at(d->err, decode_pos(d), "call has a target of %u bits, expected 64",
                          8u * op->src_bytes[0]);
    }
    return check_builtin(d, c) &&
           transfers(d, arguments, c->argument_count, c->callee, true, &c->arguments) &&
           transfers(d, results, c->result_count, c->callee, false, &c->results);
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
    return decode_operand_count(d, 1, 1) && decode_source_exact(d, 0, TYPE_B32, 0);
}
