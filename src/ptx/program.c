/* Loading: parse, link, place variables in device memory, decode. */
#include "ptx/program.h"

#include "ptx/decode/describe.h"
#include "ptx/decode/function.h"
#include "base/map.h"
#include "ptx/exec/lanes.h"
#include "ptx/exec/stretch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct loader {
    struct program *p;
    struct err *err;
    struct strmap functions; /* with a body: name -> index */
    struct strmap variables; /* name -> index into placed */
    struct ptx_symbol **placed;
    u32 placed_count, placed_room;
    struct refusals refusals;
};

static bool parse_all(struct loader *l, const struct program_text *texts, u32 count)
{
    struct program *p = l->p;
    p->modules = ARENA_ARRAY(&p->arena, struct ptx_module *, count + 1);
    for (u32 i = 0; i < count; i++) {
        struct ptx_module *m = ptx_parse(texts[i].name, texts[i].text, texts[i].length, l->err);
        if (!m)
            return false;
        p->modules[p->module_count++] = m;
    }
    return true;
}

static bool collect_functions(struct loader *l)
{
    struct program *p = l->p;
    u32 most = 0;
    for (u32 i = 0; i < p->module_count; i++)
        most += p->modules[i]->function_count;
    p->functions = ARENA_ARRAY(&p->arena, struct function *, most + 1);
    for (u32 i = 0; i < p->module_count; i++) {
        struct ptx_module *m = p->modules[i];
        for (u32 k = 0; k < m->function_count; k++) {
            const struct ptx_function *s = m->functions[k];
            u32 other;
            if (s->is_extern)
                continue;
            if (strmap_get(&l->functions, s->name, &other)) {
                if (s->is_weak || p->functions[other]->source->is_weak)
                    continue;
                return err_at(l->err, (struct src_pos){m->name, s->line, 1},
                              "function '%s' is given twice", s->name);
            }
            struct function *f = ARENA_NEW(&p->arena, struct function);
            *f = (struct function){.name = s->name,
                                   .file = m->name,
                                   .source = s,
                                   .module = m,
                                   .is_entry = s->is_entry,
                                   .index = p->function_count};
            strmap_put(&l->functions, s->name, p->function_count);
            p->functions[p->function_count++] = f;
            p->kernel_count += s->is_entry;
            if (!function_place(p, f, l->err))
                return false;
        }
    }
    return true;
}

/* Names that only this module can see. */
static bool is_private(const struct ptx_symbol *s)
{
    return !s->is_visible && !s->is_extern && !s->is_weak;
}

static bool place_variable(struct loader *l, struct ptx_module *m, struct ptx_symbol *s)
{
    struct program *p = l->p;
    u64 at = memory_alloc(p->memory, s->bytes ? s->bytes : 1, s->align, "a variable",
                          s->space == SPACE_CONST ? MEMORY_CONSTANT : 0);
    if (!at)
        return err_kind(l->err, ERR_INPUT, "%s: variable '%s' of %llu bytes does not fit", m->name,
                        s->name, (unsigned long long)s->bytes);
    if (p->allocation_count == p->allocation_room) {
        p->allocation_room = p->allocation_room ? p->allocation_room * 2 : 32;
        p->allocations = xrealloc(p->allocations, p->allocation_room * sizeof *p->allocations);
    }
    p->allocations[p->allocation_count++] = at;
    s->offset = at;
    if (s->data)
        memcpy((void *)(uintptr_t)at, s->data, s->data_bytes);
    if (l->placed_count == l->placed_room) {
        l->placed_room = l->placed_room ? l->placed_room * 2 : 32;
        l->placed = xrealloc(l->placed, l->placed_room * sizeof(struct ptx_symbol *));
    }
    if (!is_private(s) || p->module_count == 1)
        strmap_put(&l->variables, s->name, l->placed_count);
    l->placed[l->placed_count++] = s;
    return true;
}

/* The variable that has a name in the whole program, or NULL. */
static const struct ptx_symbol *find_placed(const struct loader *l, const char *name)
{
    u32 index;
    return l->placed && strmap_get(&l->variables, name, &index) ? l->placed[index] : NULL;
}

static bool place_variables(struct loader *l)
{
    struct program *p = l->p;
    for (u32 i = 0; i < p->module_count; i++) {
        struct ptx_module *m = p->modules[i];
        for (u32 k = 0; k < m->symbol_count; k++) {
            struct ptx_symbol *s = m->symbols[k];
            if ((s->space != SPACE_GLOBAL && s->space != SPACE_CONST) || s->is_extern)
                continue;
            const struct ptx_symbol *other = is_private(s) ? NULL : find_placed(l, s->name);
            if (other) {
                if (!s->is_weak && !other->is_weak)
                    return err_at(l->err, (struct src_pos){m->name, s->line, 1},
                                  "variable '%s' is given twice", s->name);
                s->offset = other->offset;
                s->fixup_count = 0; /* the other has its own */
                continue;
            }
            if (!place_variable(l, m, s))
                return false;
        }
    }
    /* extern declarations find their definitions */
    for (u32 i = 0; i < p->module_count; i++) {
        struct ptx_module *m = p->modules[i];
        for (u32 k = 0; k < m->symbol_count; k++) {
            struct ptx_symbol *s = m->symbols[k];
            if (!s->is_extern || (s->space != SPACE_GLOBAL && s->space != SPACE_CONST))
                continue;
            const struct ptx_symbol *given = find_placed(l, s->name);
            if (!given)
                return err_at(l->err, (struct src_pos){m->name, s->line, 1},
                              "extern variable '%s' is defined nowhere", s->name);
            s->offset = given->offset;
        }
    }
    return true;
}

/* Addresses inside initialisers. */
static bool apply_fixups(struct loader *l)
{
    struct program *p = l->p;
    for (u32 i = 0; i < p->module_count; i++) {
        struct ptx_module *m = p->modules[i];
        for (u32 k = 0; k < m->symbol_count; k++) {
            struct ptx_symbol *s = m->symbols[k];
            for (u32 n = 0; n < s->fixup_count; n++) {
                const struct ptx_fixup *x = &s->fixups[n];
                u32 index;
                u64 value;
                if (strmap_get(&m->symbol_names, x->name, &index) &&
                    (m->symbols[index]->space == SPACE_GLOBAL ||
                     m->symbols[index]->space == SPACE_CONST))
                    value = m->symbols[index]->offset;
                else if (strmap_get(&l->functions, x->name, &index))
                    value = FUNCTION_WINDOW + (u64)index * FUNCTION_STRIDE;
                else
                    return err_at(
                        l->err, (struct src_pos){m->name, x->line, 1},
                        "an initialiser names '%s', which is not a global variable or function",
                        x->name);
                value += (u64)x->addend;
                memcpy((u8 *)(uintptr_t)s->offset + x->offset, &value, x->bytes);
            }
        }
    }
    return true;
}

/* Shared variables of the module scope come first, each at one place; those of a
 * kernel's own scope follow. */
#define MOST_SHARED_BYTES (16u << 20) /* far more than any chip has */

static bool place_one(struct loader *l, const struct ptx_module *m, struct ptx_symbol *s, u32 *at)
{
    u64 start = ((u64)*at + s->align - 1) & ~(u64)(s->align - 1);
    if (start + s->bytes > MOST_SHARED_BYTES)
        return err_at(l->err, (struct src_pos){m->name, s->line, 1},
                      "shared variable '%s' of %llu bytes does not fit", s->name,
                      (unsigned long long)s->bytes);
    s->offset = start;
    *at = (u32)(start + s->bytes);
    return true;
}

static bool is_placed_shared(const struct ptx_module *m, const struct ptx_symbol *s, bool *global)
{
    u32 index;
    *global = strmap_get(&m->symbol_names, s->name, &index) && m->symbols[index] == s;
    return s->space == SPACE_SHARED && !s->is_dynamic_shared;
}

static bool place_shared(struct loader *l, u32 *module_end)
{
    struct program *p = l->p;
    u32 at = 0;
    bool global;
    for (u32 i = 0; i < p->module_count; i++) {
        struct ptx_module *m = p->modules[i];
        for (u32 k = 0; k < m->symbol_count; k++) {
            struct ptx_symbol *s = m->symbols[k];
            if (is_placed_shared(m, s, &global) && global && !place_one(l, m, s, &at))
                return false;
        }
    }
    *module_end = at;
    /* function scope: all functions share what follows, since a kernel may call any */
    for (u32 i = 0; i < p->module_count; i++) {
        struct ptx_module *m = p->modules[i];
        for (u32 f = 0; f < m->function_count; f++)
            m->functions[f]->shared_bytes = *module_end;
        for (u32 k = 0; k < m->symbol_count; k++) {
            struct ptx_symbol *s = m->symbols[k];
            if (is_placed_shared(m, s, &global) && !global && s->owner &&
                !place_one(l, m, s, &s->owner->shared_bytes))
                return false;
        }
    }
    return true;
}

/* ---- what a kernel needs ---------------------------------------------------------- */

static bool uses_module_shared(const struct function *f)
{
    for (u32 i = 0; i < f->source->statement_count; i++) {
        const struct ptx_statement *s = &f->source->statements[i];
        for (u32 k = 0; k < s->operand_count; k++) {
            const struct ptx_operand *o = &s->operands[k];
            bool symbol = o->kind == OPERAND_SYMBOL ||
                          (o->kind == OPERAND_ADDRESS && o->base == OPERAND_SYMBOL);
            if (!symbol || o->index == PTX_NONE)
                continue;
            const struct ptx_symbol *x = f->module->symbols[o->index];
            if (x->space == SPACE_SHARED && !x->is_dynamic_shared && !x->owner)
                return true;
        }
    }
    return false;
}

/* What a function and all it may call need of a thread and of a block. */
struct needs {
    u32 local, stack, shared;
    bool recursive, indirect, module_shared;
    enum { NEEDS_UNKNOWN, NEEDS_ON_THE_WAY, NEEDS_KNOWN } state;
};

#define MOST_STACK (1u << 30)
#define RETURN_ADDRESS_BYTES 8u

/*
 * What one activation takes of a thread's stack. ptxas's frames are not in PTX: counted are local
 * variables and, in a function that calls others, the return address and the registers that are
 * live over a call. ptxas saves some more, so this is rather less than a GPU uses.
 */
static u32 function_stack(const struct function *f)
{
    u32 saved = 0;
    for (u32 i = 0; i < f->op_count && !f->is_entry; i++) {
        if (f->ops[i].kind == OP_CALL)
            saved = RETURN_ADDRESS_BYTES + 4 * f->saved_registers;
    }
    return (f->source->variable_bytes + saved + 7) & ~7u;
}

static u32 add_stack(u32 own, u32 others)
{
    return own + others < MOST_STACK ? own + others : MOST_STACK;
}

/* Depth-first over direct calls, each function once; one met on its own way is recursive. */
static void find_needs(const struct program *p, const struct function *f, struct needs *all)
{
    struct needs *n = &all[f->index];
    u32 deepest_local = 0, deepest_stack = 0;
    n->state = NEEDS_ON_THE_WAY;
    n->shared = f->source->shared_bytes;
    n->module_shared = uses_module_shared(f);
    for (u32 i = 0; i < f->op_count; i++) {
        if (f->ops[i].kind != OP_CALL)
            continue;
        const struct call *c = f->ops[i].extra;
        n->indirect |= !c->callee && c->builtin == BUILTIN_NONE;
        if (!c->callee)
            continue;
        struct needs *other = &all[c->callee->index];
        if (other->state == NEEDS_UNKNOWN)
            find_needs(p, c->callee, all);
        n->recursive |= other->recursive || other->state == NEEDS_ON_THE_WAY;
        n->indirect |= other->indirect;
        n->module_shared |= other->module_shared;
        n->shared = other->shared > n->shared ? other->shared : n->shared;
        deepest_local = other->local > deepest_local ? other->local : deepest_local;
        deepest_stack = other->stack > deepest_stack ? other->stack : deepest_stack;
    }
    n->local = add_stack(f->local_bytes, deepest_local);
    n->stack = add_stack(f->stack_bytes, deepest_stack);
    n->state = NEEDS_KNOWN;
}

static void describe_kernel(struct program *p, struct kernel *k, struct function *f,
                            u32 module_shared)
{
    const struct ptx_function *s = f->source;
    struct arena scratch = {0};
    struct needs *all = ARENA_ARRAY(&scratch, struct needs, p->function_count + 1);
    find_needs(p, f, all);
    struct needs n = all[f->index];
    struct kernel_param *params = ARENA_ARRAY(&p->arena, struct kernel_param, s->param_count + 1);
    for (u32 i = 0; i < s->param_count; i++)
        params[i] = (struct kernel_param){(u32)s->params[i].offset, (u32)s->params[i].bytes};
    u32 threads = s->max_threads[0] ? s->max_threads[0] * s->max_threads[1] * s->max_threads[2]
                  : s->required_threads[0]
                      ? s->required_threads[0] * s->required_threads[1] * s->required_threads[2]
                      : 1024;
    u32 registers = f->live_registers + 8; /* addresses and temporaries of ptxas */
    registers = registers < 16 ? 16 : registers > 255 ? 255 : registers;
    registers = registers < ptx_most_registers(s) ? registers : ptx_most_registers(s);
    bool own_shared = n.shared > module_shared;
    *k = (struct kernel){
        .info = {.name = s->name,
                 .params = params,
                 .param_count = s->param_count,
                 .param_bytes = s->param_bytes,
                 .shared_bytes = own_shared || n.module_shared ? n.shared : 0,
                 .local_bytes = f->local_bytes,
                 .registers = registers,
                 .max_threads = threads,
                 .required_threads = {s->required_threads[0], s->required_threads[1],
                                      s->required_threads[2]},
                 .cluster = {s->cluster[0], s->cluster[1], s->cluster[2]},
                 .ptx_version = f->module->version,
                 .target = f->module->target},
        .function = f,
        .program = p,
        .local_bytes = n.local,
        .stack_bytes = n.stack,
        .recursive = n.recursive,
    };
    arena_fini(&scratch);
}

/* A first decoding tells which registers are used where; then those that can share places,
 * and the decoding that stays starts afresh. */
static bool share_places(struct loader *l)
{
    struct program *p = l->p;
    for (u32 i = 0; i < p->function_count; i++) {
        struct function *f = p->functions[i];
        f->spins = ARENA_ARRAY(&p->arena, bool, f->source->statement_count + 1);
    }
    struct arena kept = p->arena;
    p->arena = (struct arena){0};
    for (u32 i = 0; i < p->function_count; i++) {
        struct arena scratch = {0};
        struct function *f = p->functions[i];
        if (function_decode(p, f, &l->refusals)) {
            function_flow(f, &scratch);
            function_liveness(p, f, &scratch);
            for (u32 k = 0; k < f->op_count; k++) /* seen while registers are still apart */
                f->spins[k] = f->ops[k].may_spin;
        }
        arena_fini(&scratch);
    }
    bool ok = refusals_none(&l->refusals, l->err);
    for (u32 i = 0; ok && i < p->function_count; i++) {
        struct arena scratch = {0};
        function_share_places(p->functions[i], &scratch);
        arena_fini(&scratch);
    }
    arena_fini(&p->arena);
    p->arena = kept;
    p->constants = NULL;
    p->constant_bytes = p->constant_room = 0;
    map_clear(&p->constant_index);
    return ok;
}

static bool decode_all(struct loader *l, u32 module_shared)
{
    struct program *p = l->p;
    u64 ops = 0;
    for (u32 i = 0; i < p->function_count; i++)
        ops += p->functions[i]->source->statement_count + 1u;
    p->code_start = memory_place_code(p->memory, INSTRUCTION_BYTES * ops);
    if (!share_places(l))
        return false;
    for (u32 i = 0; i < p->function_count; i++) {
        struct arena scratch = {0};
        struct function *f = p->functions[i];
        bool ok = function_decode(p, f, &l->refusals);
        if (ok) {
            function_flow(f, &scratch);
            function_describe(p, f, &scratch);
            for (u32 k = 0; k < f->op_count; k++)
                f->ops[k].may_spin = f->spins[k];
            function_find_stretches(p, f, &scratch);
            f->stack_bytes = function_stack(f);
        }
        arena_fini(&scratch);
        if (!ok)
            return refusals_none(&l->refusals, l->err);
    }
    p->kernels = ARENA_ARRAY(&p->arena, struct kernel, p->kernel_count + 1);
    u32 n = 0;
    for (u32 i = 0; i < p->function_count; i++) {
        if (p->functions[i]->is_entry)
            describe_kernel(p, &p->kernels[n++], p->functions[i], module_shared);
    }
    return true;
}

static void list_variables(struct loader *l)
{
    struct program *p = l->p;
    p->variables = ARENA_ARRAY(&p->arena, struct program_variable, l->placed_count + 1);
    for (u32 i = 0; i < l->placed_count; i++) {
        const struct ptx_symbol *s = l->placed[i];
        p->variables[p->variable_count++] =
            (struct program_variable){s->name, s->space, s->offset, s->bytes, s->is_managed};
    }
}

struct program *program_load(const struct program_text *texts, u32 count,
                             struct device_memory *memory, struct err *err)
{
    struct program *p = xrealloc(NULL, sizeof *p);
    *p = (struct program){.memory = memory, .lanes = lanes_select()};
    for (u32 i = 0; i < count; i++)
        p->text_hash = hash_bytes(p->text_hash, texts[i].text, texts[i].length);
    struct loader l = {.p = p, .err = err};
    u32 module_shared = 0;
    bool ok = parse_all(&l, texts, count) && collect_functions(&l) && place_variables(&l) &&
              apply_fixups(&l);
    ok = ok && place_shared(&l, &module_shared) && decode_all(&l, module_shared);
    if (ok)
        list_variables(&l);
    strmap_fini(&l.functions);
    strmap_fini(&l.variables);
    free(l.placed);
    if (ok)
        return p;
    program_destroy(p);
    return NULL;
}

void program_destroy(struct program *p)
{
    if (!p)
        return;
    for (u32 i = 0; i < p->allocation_count; i++)
        memory_free(p->memory, p->allocations[i]);
    free(p->allocations);
    for (u32 i = 0; i < p->module_count; i++)
        ptx_module_destroy(p->modules[i]);
    map_fini(&p->constant_index);
    slab_free(&p->spare_slabs);
    slab_free(&p->spare_rough);
    slab_free(&p->spare_begun);
    arena_fini(&p->arena);
    free(p);
}

u32 program_variable_count(const struct program *p)
{
    return p->variable_count;
}

const struct program_variable *program_variable(const struct program *p, u32 index)
{
    return &p->variables[index];
}

const struct program_variable *program_find_variable(const struct program *p, const char *name)
{
    for (u32 i = 0; i < p->variable_count; i++) {
        if (strcmp(p->variables[i].name, name) == 0)
            return &p->variables[i];
    }
    return NULL;
}

u32 program_kernel_count(const struct program *p)
{
    return p->kernel_count;
}

struct kernel *program_kernel(struct program *p, u32 index)
{
    return &p->kernels[index];
}

struct kernel *program_find_kernel(struct program *p, const char *name)
{
    for (u32 i = 0; i < p->kernel_count; i++) {
        if (strcmp(p->kernels[i].info.name, name) == 0)
            return &p->kernels[i];
    }
    return NULL;
}

struct kernel *program_kernel_at(struct program *p, u64 address)
{
    u64 index = (address - FUNCTION_WINDOW) / FUNCTION_STRIDE;
    for (u32 i = 0; i < p->kernel_count && address % FUNCTION_STRIDE == 0; i++) {
        if (p->kernels[i].function->index == index)
            return &p->kernels[i];
    }
    return NULL;
}

static bool function_may_wait(const struct function *f)
{
    for (u32 i = 0; i < f->op_count; i++) {
        if (f->ops[i].may_spin)
            return true;
    }
    return false;
}

bool kernel_may_wait(const struct kernel *k)
{
    for (u32 i = 0; i < k->program->function_count; i++) {
        const struct function *f = k->program->functions[i];
        if ((f == k->function || !f->is_entry) && function_may_wait(f))
            return true;
    }
    return false;
}

u64 kernel_text_hash(const struct kernel *k)
{
    return k->program->text_hash;
}

const struct kernel_info *kernel_info(const struct kernel *k)
{
    return &k->info;
}

void kernel_set_registers(struct kernel *k, u32 registers)
{
    k->info.registers = k->registers_given = registers;
}

bool kernel_take_warning(struct kernel *k, struct err *out)
{
    if (!atomic_exchange(&k->warning.is_new, false))
        return false;
    *out = k->warning.text;
    return true;
}
