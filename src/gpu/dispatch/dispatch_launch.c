/* The dispatcher as the host sees it: grids that it is given, and those that have ended. */
#include "gpu/dispatch/dispatch.h"

#include <assert.h>
#include <string.h>

static u32 round_up(u32 value, u32 unit)
{
    return (value + unit - 1) / unit * unit;
}

/* What a warp takes of an SM's registers. A sub-core has its share of them: what is left there
 * serves no other sub-core's warp. One warp at least fits. */
static u32 warp_registers(const struct sm_config *c, const struct grid_source *g)
{
    u32 registers = round_up(g->registers_per_thread * 32, c->register_unit);
    u32 share = c->registers / c->schedulers;
    return c->sub_cores && registers ? share / (share / registers) : registers;
}

/* As a compiler for the chip would have it: with fewer registers it would spill. */
static struct grid_source fitted(const struct dispatcher *d, const struct grid_source *source)
{
    struct grid_source s = *source;
    s.registers_per_thread = (u32)min_u64(s.registers_per_thread, d->config->sm.most_registers);
    s.registers_per_thread = (u32)max_u64(s.registers_per_thread, d->config->sm.least_registers);
    return s;
}

bool dispatcher_fits(const struct dispatcher *d, const struct grid_source *source, struct err *err)
{
    struct grid_source s = fitted(d, source);
    if (!sm_blocks_that_fit(&d->config->sm, &s))
        return err_at(err, (struct src_pos){0},
                      "kernel %s: a block of %u threads with %u registers each and %u bytes of "
                      "shared memory does not fit on an SM",
                      s.name, s.threads_per_block, s.registers_per_thread,
                      s.shared_bytes_per_block);
    u32 wide = d->config->launch.gpc_sms ? d->config->launch.gpc_sms : d->config->sm.count;
    u32 held = (u32)min_u64((u64)wide * sm_blocks_that_fit(&d->config->sm, &s), UINT32_MAX);
    if (s.cluster_blocks > MOST_CLUSTER || s.cluster_blocks > held)
        return err_at(err, (struct src_pos){0},
                      "kernel %s: a cluster of %u blocks, expected at most the %u that fit on the "
                      "SMs of a GPC (launch.gpc_sms)",
                      s.name, s.cluster_blocks, held < MOST_CLUSTER ? held : MOST_CLUSTER);
    if (s.cooperative && d->victims && !d->victim_wait)
        return err_at(err, (struct src_pos){0},
                      "kernel %s: a cooperative launch under block policy %s, whose stopped blocks "
                      "might never continue: context.victim_wait_us is 0, expected at least 1",
                      s.name, d->policy.ops->name);
    return true;
}

bool dispatcher_launch(struct dispatcher *d, const struct grid_source *whole, u64 ticket,
                       struct err *err)
{
    const struct sm_config *c = &d->config->sm;
    struct grid_source own = fitted(d, whole);
    const struct grid_source *source = &own;
    if (!dispatcher_fits(d, source, err))
        return false;
    if (!d->free_count)
        return err_at(err, (struct src_pos){0}, "kernel %s: more than %u grids wait", source->name,
                      MOST_GRIDS);
    struct grid_run *run = &d->table[d->free_runs[--d->free_count]];
    *run = (struct grid_run){
        .source = *source,
        .ticket = ticket,
        .launch = ++d->launches,
        .launched = engine_cycle(d->engine, d->domain),
        .waits = true,
        .registers_per_block = warp_registers(c, source) * source->warps_per_block,
        .shared_per_block = (u32)sm_shared_per_block(c, source),
    };
    d->grids[d->grid_count++] = run;
    if (source->is_shared)
        engine_keep_serial(d->engine, true);
    engine_wake(d->engine, d->unit);
    return true;
}

bool dispatcher_take_ended(struct dispatcher *d, struct grid_run *out)
{
    for (u32 i = 0; i < d->grid_count; i++) {
        if (!d->grids[i]->is_done)
            continue;
        *out = *d->grids[i];
        if (out->source.is_shared)
            engine_keep_serial(d->engine, false);
        d->free_runs[d->free_count++] = (u32)(d->grids[i] - d->table);
        memmove(&d->grids[i], &d->grids[i + 1], (--d->grid_count - i) * sizeof *d->grids);
        return true;
    }
    return false;
}

void dispatcher_place(struct dispatcher *d, u8 application, struct sm_range range)
{
    assert(application < MOST_APPLICATIONS && range.first < range.end &&
           range.end <= d->config->sm.count);
    d->ranges[application] = range;
}

void dispatcher_cut(struct dispatcher *d)
{
    d->is_cutting = true;
    engine_wake(d->engine, d->unit);
}

bool dispatcher_is_idle(const struct dispatcher *d)
{
    for (u32 i = 0; i < d->grid_count; i++) {
        if (!d->grids[i]->is_done)
            return false;
    }
    return true;
}
