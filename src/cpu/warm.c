/*
 * Instructions that leave their traces in a core and take no time: branch predictors, TLBs,
 * private caches and what is below them, in program order.
 */
#include "cpu/core.h"

#define NO_FETCH UINT64_MAX

static void warm_bytes(struct core *c, u64 address, u32 bytes, u64 pc, enum wait_kind kind)
{
    u64 line = c->caches.line_bytes, last = address + (bytes ? bytes - 1 : 0);
    for (u64 at = address; at <= last; at = (at & ~(line - 1)) + line)
        caches_warm(&c->caches, &(struct cache_access){.address = at, .pc = pc, .kind = kind});
}

/* A line that was fetched last is in a line buffer. */
static void warm_fetch(struct core *c, const struct cpu_instruction *i, u64 *fetched)
{
    u64 line = c->caches.line_bytes, last = i->pc + (i->length ? i->length - 1u : 0);
    for (u64 at = i->pc & ~(line - 1); at <= last; at += line) {
        if (at == *fetched)
            continue;
        *fetched = at;
        caches_warm(&c->caches,
                    &(struct cache_access){.address = at, .pc = at, .kind = WAIT_FETCH});
        tlb_translate(&c->itlb, at);
    }
}

static void warm_one(struct core *c, const struct cpu_instruction *i, u64 *fetched)
{
    warm_fetch(c, i, fetched);
    if (i->branch != CPU_NO_BRANCH)
        branch_predict(&c->branch, i);
    for (u32 k = 0; k < i->read_count; k++) {
        tlb_translate(&c->dtlb, i->read[k]);
        warm_bytes(c, i->read[k], i->read_bytes[k], i->pc, WAIT_LOAD);
    }
    for (u32 k = 0; i->vector && k < i->vector->count; k++)
        warm_bytes(c, i->vector->address[k], i->vector->element_bytes, i->pc,
                   i->vector->is_scatter ? WAIT_STORE : WAIT_LOAD);
    for (u32 k = 0; k < i->write_count; k++) {
        warm_bytes(c, i->write[k], i->write_bytes[k], i->pc, WAIT_STORE);
        tlb_translate(&c->dtlb, i->write[k]);
    }
}

u64 core_warm(struct core *c, struct cpu_stream *stream, u8 application, u64 count)
{
    struct branch_counts branches = c->branch.counts; /* nothing of it counts */
    struct tlb_counts itlb = c->itlb.counts, dtlb = c->dtlb.counts;
    const struct cpu_instruction *i;
    u64 done = 0, fetched = NO_FETCH;
    c->caches.application = application;
    for (; done < count && (i = cpu_stream_peek(stream)); cpu_stream_skip(stream), done++)
        warm_one(c, i, &fetched);
    c->branch.counts = branches;
    c->itlb.counts = itlb;
    c->dtlb.counts = dtlb;
    return done;
}
