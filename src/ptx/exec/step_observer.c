#include "ptx/exec/step_observer.h"

#include "ptx/decode/decode.h"
#include "source/step_watch.h"

/* Stores and atomics of other kinds than these move what no register of one lane shows. */
static enum step_kind kind_of(const struct op *op, const struct instruction *i)
{
    const struct call *call = op->kind == OP_CALL ? op->extra : NULL;
    if (op->run == lane_load)
        return STEP_LOAD;
    if (op->run == lane_store)
        return STEP_STORE;
    if (op->run == lane_atomic)
        return STEP_ATOMIC;
    if (i->kind == WINST_FENCE || (call && call->builtin != BUILTIN_NONE))
        return STEP_FENCE;
    bool writes = i->kind == WINST_STORE || i->kind == WINST_ATOMIC || i->kind == WINST_ASYNC_COPY;
    return writes ? STEP_UNTOLD : STEP_OTHER;
}

static struct step_register register_at(const struct step_place *at, ref_t ref)
{
    u32 offset = ref & REF_OFFSET;
    return (struct step_register){.name = at->frame + offset,
                                  .bytes = at->function->place_bytes[offset / 4],
                                  .lanes = at->registers + offset};
}

static void list_written(const struct step_place *at, u32 op, struct step_view *v)
{
    const struct function *f = at->function;
    for (u32 k = f->touched_start[op]; k < f->touched_start[op + 1]; k++) {
        if (f->touched[k] & REF_WRITTEN && v->written_count < STEP_REGISTERS)
            v->written[v->written_count++] = register_at(at, f->touched[k] & ~REF_WRITTEN);
    }
}

/* Whole registers, and whole words of memory. */
static void list_moved(const struct step_place *at, const struct op *op, struct step_view *v)
{
    if (op->access_bytes % 4 || op->dst_bytes != op->access_bytes ||
        op->list_count > STEP_REGISTERS)
        return;
    for (u32 k = 0; k < op->list_count; k++) {
        struct step_register r = {.name = UINT32_MAX, .bytes = op->access_bytes};
        if (op->list[k] >> 30 == REF_FRAME || op->list[k] >> 30 == REF_TEMPORARY)
            r = register_at(at, op->list[k]);
        if (r.bytes != op->access_bytes && r.name != UINT32_MAX)
            return;
        v->moved[k] = r;
    }
    v->moved_count = op->list_count;
}

/* Which lanes go to global and to shared memory. */
static void split_lanes(const struct warp *w, u8 space, struct step_view *v, u64 *address)
{
    EACH (i, v->mask) {
        u64 a = address[i] = w->on->address[i];
        bool is_window = a - SHARED_WINDOW < WINDOW_BYTES, in_shared = space == SPACE_SHARED;
        bool elsewhere = a - LOCAL_WINDOW < WINDOW_BYTES || a - PARAM_WINDOW < WINDOW_BYTES;
        if (space == SPACE_GENERIC && is_window) {
            address[i] = a - SHARED_WINDOW;
            in_shared = true;
        }
        v->in_shared |= (u32)in_shared << i;
        v->in_global |=
            (u32)(!in_shared && (space == SPACE_GLOBAL || (space == SPACE_GENERIC && !elsewhere)))
            << i;
    }
}

void watch_step(struct warp *w, const struct op *op, u32 mask, const struct step_place *at)
{
    const struct function *f = at->function;
    u32 index = (u32)(op - f->ops);
    const struct instruction *i = &f->instructions[index];
    u64 address[LANES];
    struct step_view v = {.block = w->block,
                          .warp = w->index,
                          .kind = kind_of(op, i),
                          .mask = mask,
                          .address = address,
                          .bytes = op->access_bytes * (op->list_count ? op->list_count : 1u),
                          .is_strong = i->cache_operator == CACHE_VOLATILE,
                          .is_put_off = w->on->put_off || op->kind != OP_LANES};
    if (!mask)
        return;
    list_written(at, index, &v);
    if (v.kind == STEP_LOAD || v.kind == STEP_STORE || v.kind == STEP_ATOMIC)
        split_lanes(w, op->space, &v, address);
    if (v.kind == STEP_LOAD || v.kind == STEP_STORE)
        list_moved(at, op, &v);
    w->on->watch->stepped(w->on->watch, &v);
}
