#include "ptx/exec/describe.h"

#include "ptx/decode/function.h"
#include "ptx/exec/cluster.h"

/* Lanes that mean another block's shared memory; the address is one there. */
static void split_cluster(struct warp *w, struct winst *out)
{
    EACH (i, out->in_shared) {
        u64 a = w->on->address[i];
        if (cluster_rank_of(w->block, a) != w->block->rank)
            out->in_cluster |= 1u << i;
        w->on->address[i] = a & CLUSTER_OFFSET;
    }
}

/* Which memory every lane of a generic access means. */
static void split_spaces(struct warp *w, struct winst *out)
{
    EACH (i, out->mask) {
        u64 a = w->on->address[i];
        u32 bit = 1u << i;
        if (a - SHARED_WINDOW < WINDOW_BYTES) {
            out->in_shared |= bit;
            w->on->address[i] = a - SHARED_WINDOW;
            if (UNLIKELY(w->in_cluster))
                split_cluster(w, out);
        } else if (a - LOCAL_WINDOW < WINDOW_BYTES) {
            out->in_local |= bit;
            w->on->address[i] = a - LOCAL_WINDOW;
        } else if (a - PARAM_WINDOW < WINDOW_BYTES) {
            out->in_const |= bit;
        } else {
            out->in_global |= bit;
        }
    }
}

void describe_space(struct winst *out)
{
    switch ((enum space)out->instruction->space) {
    case SPACE_SHARED:
        out->in_shared = out->mask;
        break;
    case SPACE_LOCAL:
        out->in_local = out->mask;
        break;
    case SPACE_PARAM: /* the constant bank that holds a kernel's arguments */
    case SPACE_CONST:
        out->in_const = out->mask;
        break;
    default:
        out->in_global = out->mask;
    }
}

void describe_access(struct warp *w, struct winst *out)
{
    u8 space = out->instruction->space;
    out->address = w->on->address;
    if (w->on->pattern_bytes == out->instruction->bytes) {
        out->pattern = w->on->pattern;
        out->spread = w->on->spread;
    }
    if (space == SPACE_GENERIC) {
        split_spaces(w, out);
        return;
    }
    describe_space(out);
    if (space == SPACE_PARAM) {
        for (u32 i = 0; i < LANES; i++)
            w->on->address[i] += PARAM_WINDOW;
    } else if (space == SPACE_SHARED && UNLIKELY(w->in_cluster)) {
        split_cluster(w, out);
    }
}
