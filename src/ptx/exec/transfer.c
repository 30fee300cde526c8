#include "ptx/exec/transfer.h"

#include "ptx/exec/cluster.h"
#include "ptx/exec/mbarrier.h"

#include <stdlib.h>

#define LINE_BYTES 128u

void transfer_begin(struct warp *w, bool is_store)
{
    struct transfer_record *r = w->on->transfer;
    if (r)
        r->view = (struct transfer_view){.token = NO_TOKEN, .is_store = is_store};
}

void transfer_box(struct warp *w, u32 bytes)
{
    struct transfer_record *r = w->on->transfer;
    if (!r)
        return;
    r->view.boxes++;
    r->view.bytes += bytes;
}

void transfer_lines(struct warp *w, u64 address, u32 bytes)
{
    struct transfer_record *r = w->on->transfer;
    if (!r || !bytes)
        return;
    u64 first = address / LINE_BYTES * LINE_BYTES, end = address + bytes;
    for (u64 line = first; line < end; line += LINE_BYTES) {
        u32 n = r->view.line_count;
        if (n && r->lines[n - 1] == line)
            continue;
        if (n == r->room) {
            r->room = r->room ? 2 * r->room : 256;
            r->lines = xrealloc(r->lines, r->room * sizeof *r->lines);
        }
        r->lines[r->view.line_count++] = line;
    }
    r->view.lines = r->lines;
}

static bool tell(struct warp *w, const struct op *op, u32 lane, u64 barrier, u32 bytes, u32 ranks)
{
    if (!ranks)
        return mbarrier_complete(w, op, lane, barrier, bytes);
    EACH (rank, ranks) {
        u64 there = (u64)(rank + 1) << CLUSTER_SHIFT | (barrier & CLUSTER_OFFSET);
        if (!mbarrier_complete(w, op, lane, there, bytes))
            return false;
    }
    return true;
}

bool transfer_complete(struct warp *w, const struct op *op, u32 lane, u64 barrier, u32 bytes,
                       u32 ranks)
{
    struct transfer_record *r = w->on->transfer;
    struct completion *all = w->block->completions;
    u32 i = 0;
    while (r && i < BLOCK_COMPLETIONS && all[i].is_used)
        i++;
    if (!r || i == BLOCK_COMPLETIONS) /* more than any queue holds: told at once */
        return tell(w, op, lane, barrier, bytes, ranks);
    all[i] = (struct completion){.op = op,
                                 .barrier = barrier,
                                 .bytes = bytes,
                                 .ranks = ranks,
                                 .next = r->view.token,
                                 .is_used = true};
    r->view.token = i;
    return true;
}

u8 transfer_arrived(void *block, u32 token)
{
    struct block *b = block;
    struct warp *w = &b->warps[0];
    w->on->phase = PHASE_NONE;
    w->on->opened = NULL;
    w->on->begun = 0;
    while (token != NO_TOKEN) {
        struct completion c = b->completions[token];
        b->completions[token].is_used = false;
        token = c.next;
        tell(w, c.op, 0, c.barrier, c.bytes, c.ranks);
    }
    return w->on->phase;
}
