#include "ptx/exec/stretch.h"

#include "ptx/decode/decode.h"
#include "ptx/decode/function.h"
#include "ptx/exec/describe.h"
#include "ptx/exec/reconvergence.h"
#include "ptx/exec/signature_step.h"
#include "ptx/exec/step.h"
#include "ptx/exec/temporaries.h"

#define MOST_OPS 32u /* bits of stretch.differs */
#define LEAST_OPS 3u /* fewer are executed one by one */

/* ---- where they are ------------------------------------------------------------------------- */

/* Does nobody but the thread itself see when it executes? */
static bool is_quiet(const struct function *f, u32 i)
{
    const struct op *op = &f->ops[i];
    const struct instruction *x = &f->instructions[i];
    bool kind = x->kind == WINST_ARITHMETIC || x->kind == WINST_LOAD || x->kind == WINST_STORE;
    return kind && op->kind == OP_LANES && op->run != lane_special && !op->observes &&
           x->cache_operator != CACHE_VOLATILE;
}

/* Paths may meet there: one that comes to it may have to wait. */
static bool *find_meetings(const struct function *f, struct arena *scratch)
{
    bool *meets = ARENA_ARRAY(scratch, bool, f->op_count + 1);
    for (u32 i = 0; i < f->op_count; i++) {
        const struct op *op = &f->ops[i];
        if (op->kind != OP_LANES)
            meets[i + 1] = true;
        if ((op->kind == OP_BRANCH || op->kind == OP_BRANCH_TABLE) && op->reconverge < f->op_count)
            meets[op->reconverge] = true;
    }
    return meets;
}

void function_find_stretches(struct program *p, struct function *f, struct arena *scratch)
{
    const bool *meets = find_meetings(f, scratch);
    f->stretch = ARENA_ARRAY(&p->arena, u8, f->op_count + 1);
    for (u32 i = f->op_count; i-- > 0;) {
        u32 behind = meets[i + 1] ? 0 : f->stretch[i + 1];
        f->stretch[i] = (u8)(is_quiet(f, i) ? min_u64(behind + 1, MOST_OPS) : 0);
    }
    function_find_temporaries(p, f, MOST_OPS, scratch);
}

/* ---- the record --------------------------------------------------------------------------------
 *
 * Of each op whose lanes are not the path's: their mask. Of each access: a struct kept_access, and
 * what of the lanes' addresses does not follow from it. Accesses to one array by one index have the
 * same differences: the second refers to those of the first.
 */

enum address_form {
    FORM_PATTERN, /* a row, or one place: nothing more */
    FORM_8,       /* what each differs by from the first, in 8 or 16 bits */
    FORM_16,
    FORM_64,  /* all addresses */
    FORM_ANY, /* the same, and a struct kept_spaces before them */
};

struct kept_access {
    u64 first;
    u32 spread; /* as in struct winst */
    u8 pattern, form;
    u16 lanes; /* where in the record the differences are */
};

/* The newest differences of a stretch. */
#define KEPT_LISTS 4u
struct kept_lists {
    u16 at[KEPT_LISTS];
    u8 form[KEPT_LISTS]; /* FORM_PATTERN: none */
    u32 next;
    u32 saved; /* bytes that repeated ones would have taken */
};

/* Lanes of each memory, where the instruction alone does not say. */
struct kept_spaces {
    u32 in_global, in_shared, in_local, in_const, in_cluster, spare;
};

#define MOST_OP_BYTES                                                                              \
    (sizeof(u64) + sizeof(struct kept_access) + sizeof(struct kept_spaces) + LANES * sizeof(u64))
_Static_assert(MOST_OP_BYTES <= STRETCH_RECORD_BYTES, "an op needs room");

static void *extend(struct stretch *s, u32 bytes)
{
    u8 *at = s->record + s->written;
    s->written = (u16)(s->written + bytes);
    return at;
}

static const void *take(struct stretch *s, u32 bytes)
{
    const u8 *at = s->record + s->read;
    s->read = (u16)(s->read + bytes);
    return at;
}

static u64 difference(const u64 *at, u32 mask, u64 first)
{
    u64 all = 0;
    if (LIKELY(mask == ALL_LANES)) {
        for (u32 i = 0; i < LANES; i++)
            all |= at[i] ^ first;
        return all;
    }
    EACH (i, mask)
        all |= at[i] ^ first;
    return all;
}

/* Differences that have been written behind the record become a part of it, unless it has them. */
static void keep_list(struct stretch *s, struct kept_access *to, u32 bytes,
                      struct kept_lists *lists)
{
    for (u32 k = 0; k < KEPT_LISTS; k++) {
        if (lists->form[k] == to->form &&
            memcmp(s->record + lists->at[k], s->record + s->written, bytes) == 0) {
            to->lanes = lists->at[k];
            lists->saved += bytes;
            return;
        }
    }
    u32 k = lists->next++ % KEPT_LISTS;
    to->lanes = lists->at[k] = s->written;
    lists->form[k] = to->form;
    extend(s, bytes);
}

static void keep_lanes(const struct executor *e, struct stretch *s, struct kept_access *to,
                       u32 mask, struct kept_lists *lists)
{
    u64 differs = to->spread ? to->spread : difference(e->address, mask, to->first);
    if (differs >= 0x10000) {
        to->form = FORM_64;
        memcpy(extend(s, 8 * LANES), e->address, 8 * LANES);
        return;
    }
    u32 bytes = differs < 0x100 ? 1 : 2;
    to->form = bytes == 1 ? FORM_8 : FORM_16;
    e->memory->narrow(s->record + s->written, bytes, e->address, to->first);
    keep_list(s, to, bytes * LANES, lists);
}

/* Lanes that all mean global memory are kept as if the instruction said so; the stretch is cut
 * where it would be with all that is known of them. */
static void keep_global(const struct executor *e, struct stretch *s, struct kept_access *to,
                        u32 mask, struct kept_lists *lists)
{
    u32 written = s->written, saved = lists->saved;
    keep_lanes(e, s, to, mask, lists);
    u32 taken = s->written - written + lists->saved - saved;
    lists->saved += (u32)sizeof(struct kept_spaces) + 8 * LANES - taken;
}

/* Lanes may mean several memories, or addresses are to be seen otherwise than they are. */
static __attribute__((noinline)) void keep_described(struct warp *w, struct stretch *s,
                                                     struct kept_access *to,
                                                     const struct instruction *i, u32 mask,
                                                     struct kept_lists *lists)
{
    struct winst x = {.instruction = i, .mask = mask};
    describe_access(w, &x);
    if (i->space == SPACE_GENERIC && x.in_global == mask && x.pattern == ACCESS_ANY) {
        keep_global(w->on, s, to, mask, lists);
        return;
    }
    struct kept_spaces *in = extend(s, sizeof *in);
    *in = (struct kept_spaces){x.in_global, x.in_shared, x.in_local, x.in_const, x.in_cluster, 0};
    to->form = FORM_ANY;
    to->pattern = x.pattern;
    to->spread = (u32)min_u64(x.spread, UINT32_MAX); /* no memory's lines are so large */
    memcpy(extend(s, 8 * LANES), x.address, 8 * LANES);
}

static void keep_access(struct warp *w, struct stretch *s, const struct instruction *i, u32 mask,
                        struct kept_lists *lists)
{
    const struct executor *e = w->on;
    bool is_known = e->pattern_bytes == i->bytes;
    u64 spread = is_known ? e->spread : 0;
    struct kept_access *to = extend(s, sizeof *to);
    to->first = e->address[__builtin_ctz(mask)];
    to->spread = (u32)spread;
    to->pattern = is_known ? e->pattern : ACCESS_ANY;
    to->form = FORM_PATTERN;
    if (UNLIKELY(i->space == SPACE_GENERIC || w->in_cluster || spread > UINT32_MAX))
        keep_described(w, s, to, i, mask, lists);
    else if (to->pattern == ACCESS_ANY && i->space == SPACE_PARAM)
        keep_described(w, s, to, i, mask, lists);
    else if (to->pattern == ACCESS_ANY)
        keep_lanes(e, s, to, mask, lists);
    else if (i->space == SPACE_PARAM)
        to->first += PARAM_WINDOW;
}

/* Those of an access are behind it, or before it where others have the same. */
static const void *lanes_of_access(struct stretch *s, const struct kept_access *from, u32 bytes)
{
    s->read = (u16)(s->read + (from->lanes == s->read ? bytes : 0));
    return s->record + from->lanes;
}

static void tell_access(struct stretch *s, struct winst *out)
{
    const struct kept_access *from = take(s, sizeof *from);
    const struct executor *e = s->on;
    u64 *at = e->address;
    out->address = at;
    out->pattern = from->pattern;
    out->spread = from->spread;
    if (UNLIKELY(from->form == FORM_ANY)) {
        const struct kept_spaces *in = take(s, sizeof *in);
        out->in_global = in->in_global;
        out->in_shared = in->in_shared;
        out->in_local = in->in_local;
        out->in_const = in->in_const;
        out->in_cluster = in->in_cluster;
    } else {
        describe_space(out);
    }
    switch ((enum address_form)from->form) {
    case FORM_PATTERN:
        e->memory->row(at, from->first, from->pattern == ACCESS_ROW ? out->instruction->bytes : 0);
        break;
    case FORM_8:
        e->memory->widen(at, lanes_of_access(s, from, LANES), 1, from->first);
        break;
    case FORM_16:
        e->memory->widen(at, lanes_of_access(s, from, 2 * LANES), 2, from->first);
        break;
    case FORM_64:
    case FORM_ANY:
        memcpy(at, take(s, 8 * LANES), 8 * LANES);
        break;
    }
}

/* ---- executing and issuing ---------------------------------------------------------------------
 */

/* One op as warp_step executes it, but for what all have in common. */
static inline u32 execute(struct warp *w, const struct op *op, u32 lanes)
{
    struct executor *e = w->on;
    u32 mask = path_guarded(w, op, lanes);
    if (UNLIKELY(op->fp_mode != e->fp_mode && op->fp_mode != FP_ANY))
        executor_set_fp(e, op->fp_mode);
    if (LIKELY(mask))
        op->run(w, op, mask);
    return mask;
}

static inline u32 lanes_of(u32 mask)
{
    return LIKELY(mask == ALL_LANES) ? LANES : (u32)__builtin_popcount(mask);
}

/* Told one by one, while the path is at each; the signature's collector learns of it there. */
static __attribute__((noinline)) u32 execute_watched(struct warp *w, const struct op *op)
{
    u32 mask = warp_step(w, op);
    w->paths[w->current].pc--;
    w->on->warp_instructions--;
    w->on->thread_instructions -= lanes_of(mask);
    return mask;
}

bool stretch_execute(struct stretch *s)
{
    struct warp *w = s->warp;
    struct path *p = &w->paths[w->current];
    const struct function *f = p->function;
    u32 count = f->stretch[p->pc], lanes = p->mask;
    if (count < LEAST_OPS)
        return false;
    struct executor *e = s->on;
    const struct op *op = &f->ops[p->pc];
    const struct instruction *i = s->next = &f->instructions[p->pc];
    _Alignas(64)
        u8 area[TEMPORARY_BYTES]; /* what of it is used stays in the host's nearest cache */
    bool is_apart = temporaries_may_begin(f, p->pc) && !e->is_observed && !e->keeps_registers;
    if (LIKELY(is_apart))
        w->base[REF_TEMPORARY] = area;
    s->mask = lanes;
    s->differs = s->read = s->written = 0;
    e->fp_mode = FP_UNKNOWN;
    w->waits = false;
    struct signature_collector *c = e->watch ? NULL : e->signature;
    u64 threads = e->thread_instructions;
    struct kept_lists lists = {0};
    u32 n = 0;
    /* where it is cut does not depend on what is saved: programs that race would see it */
    while (n < count && s->written + lists.saved + MOST_OP_BYTES <= STRETCH_RECORD_BYTES) {
        e->pattern = ACCESS_ANY;
        e->spread = 0;
        u32 mask = UNLIKELY(e->watch != NULL) ? execute_watched(w, op) : execute(w, op, lanes);
        e->thread_instructions += lanes_of(mask);
        p->pc++;
        if (UNLIKELY(e->fault != FAULT_NONE))
            break;
        if (UNLIKELY(mask != lanes)) {
            s->differs |= 1u << n;
            *(u64 *)extend(s, sizeof(u64)) = mask;
        }
        if (i->unit == UNIT_MEMORY && mask) {
            if (UNLIKELY(c != NULL))
                collector_access(c, w, op, i->kind, mask);
            keep_access(w, s, i, mask, &lists);
        }
        i++;
        op++;
        n++;
    }
    s->left = (u8)n;
    e->warp_instructions += n;
    if (UNLIKELY(c != NULL))
        collector_count(c, f, (u32)(op - f->ops) - n, n, e->thread_instructions - threads);
    if (LIKELY(is_apart)) {
        w->base[REF_TEMPORARY] = w->base[REF_FRAME];
        if (UNLIKELY(!temporaries_may_begin(f, p->pc)))
            temporaries_keep(f, p->pc, w->base[REF_FRAME], area, lanes);
    }
    if (e->fp_mode != FP_UNKNOWN && e->fp_mode != 0)
        executor_set_fp(e, 0);
    return true;
}

void stretch_step(struct stretch *s, struct winst *out)
{
    *out = (struct winst){.instruction = s->next, .mask = s->mask};
    if (UNLIKELY(s->differs & 1))
        out->mask = (u32) * (const u64 *)take(s, sizeof(u64));
    if (s->next->unit == UNIT_MEMORY && out->mask)
        tell_access(s, out);
    s->differs >>= 1;
    s->next++;
    s->left--;
}
