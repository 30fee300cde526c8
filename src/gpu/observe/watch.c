#include "gpu/observe/watch.h"

#include "gpu/gpu.h"

#include <stdio.h>

#define MOST_LANES 128u /* what launch.concurrent allows */

struct watch {
    struct gpu *gpu;
    struct timeline *timeline;
    cycle_t interval, next;
    u64 since_fs;                 /* the last sample */
    u64 (*slots)[SLOT_COUNT];     /* of each SM, then */
    u64 (*tensor)[TENSOR_SHARES]; /* of each SM, likewise */
    u64 dram_bytes;
    track_id *states, *cores; /* of each SM; its tensor cores', made when it multiplies */
    bool *has_cores;
    track_id schedulers, l2, dram, blocks; /* for counters: only their group matters */
    track_id lanes[MOST_LANES];            /* kernels that overlap lie in different ones */
    bool lane_is_made[MOST_LANES], lane_is_used[MOST_LANES];
};

static u64 sum_of(const u64 *values)
{
    u64 sum = 0;
    for (u32 i = 0; i < SLOT_COUNT; i++)
        sum += values[i];
    return sum;
}

/* "issued 12.5 %, data_mem 87.5 %" without what did not occur. */
static void shares_text(const char *const *names, u32 count, const u64 *slots, u64 all, char *out,
                        size_t size)
{
    size_t length = 0;
    for (u32 i = 0; i < count; i++) {
        if (slots[i] && length < size)
            length +=
                (size_t)snprintf(out + length, size - length, "%s%s %.1f %%", length ? ", " : "",
                                 names[i], 100 * (double)slots[i] / (double)all);
    }
}

/* An SM that had no warp at all is not drawn. */
static void draw_state(struct watch *w, u32 index, const u64 *slots, u64 now_fs)
{
    u64 all = sum_of(slots);
    char shares[256];
    u32 most = 0;
    for (u32 i = 1; i < SLOT_COUNT; i++)
        most = slots[i] > slots[most] ? i : most;
    if (slots[SLOT_NO_WARP] == all)
        return;
    shares_text(slot_names, SLOT_COUNT, slots, all, shares, sizeof shares);
    timeline_span_with(w->timeline, w->states[index], slot_names[most], w->since_fs, now_fs,
                       "scheduler cycles", shares);
}

/* What the tensor cores did, by whom products waited for; and what is under way right now. */
static void draw_tensor(struct watch *w, u32 index, u64 now_fs)
{
    const struct sm *sm = &w->gpu->cluster.sms[index];
    u64 grown[TENSOR_SHARES], all = 0;
    char shares[160];
    u32 most = 0;
    for (u32 i = 0; i < TENSOR_SHARES; i++) {
        grown[i] = sm->counts.tensor_cycles[i] - w->tensor[index][i];
        w->tensor[index][i] = sm->counts.tensor_cycles[i];
        all += grown[i];
        most = grown[i] > grown[most] ? i : most;
    }
    if (all && !w->has_cores[index]) {
        w->cores[index] = timeline_track(w->timeline, site_name(&w->gpu->cluster.site, "sm", index),
                                         "tensor cores");
        w->has_cores[index] = true;
    }
    if (!w->has_cores[index])
        return;
    if (all) {
        shares_text(tensor_share_names, TENSOR_SHARES, grown, all, shares, sizeof shares);
        timeline_span_with(w->timeline, w->cores[index], tensor_share_names[most], w->since_fs,
                           now_fs, "cycles of tensor cores", shares);
    }
    u32 waiting[WARP_ROLES] = {0};
    EACH_SLOT(slot, sm->used)
    {
        const struct sm_warp *o = &sm->warps[slot];
        if (o->not_before > sm->now && o->not_before == o->rare->suspended)
            waiting[group_mma_role(&sm->groups[slot])]++;
    }
    for (u32 r = ROLE_PRODUCER; r < WARP_ROLES; r++)
        timeline_level(w->timeline, w->states[index],
                       r == ROLE_PRODUCER ? "producer warps at an mbarrier"
                                          : "consumer warps at an mbarrier",
                       now_fs, waiting[r]);
    timeline_level(w->timeline, w->states[index], "tensor copies in flight (TMA)", now_fs,
                   sm->transfers.used);
}

static void draw_sms(struct watch *w, u64 now_fs)
{
    const struct gpu *g = w->gpu;
    u64 chip[SLOT_COUNT] = {0};
    for (u32 s = 0; s < g->config->sm.count; s++) {
        const u64 *now = g->cluster.sms[s].counts.scheduler_slots;
        u64 grown[SLOT_COUNT];
        for (u32 i = 0; i < SLOT_COUNT; i++) {
            grown[i] = now[i] - w->slots[s][i];
            w->slots[s][i] = now[i];
            chip[i] += grown[i];
        }
        draw_state(w, s, grown, now_fs);
        draw_tensor(w, s, now_fs);
        timeline_level(w->timeline, w->states[s], "L1 MSHRs in use", now_fs,
                       g->cluster.sms[s].l1.cache.mshr.in_use);
    }
    u64 all = sum_of(chip);
    for (u32 i = 0; all && i < SLOT_COUNT; i++)
        timeline_amount(w->timeline, w->schedulers, slot_names[i], w->since_fs,
                        100 * (double)chip[i] / (double)all);
}

static void draw_memory(struct watch *w, u64 now_fs)
{
    const struct gpu *g = w->gpu;
    char name[32];
    u64 bytes = 0;
    for (u32 i = 0; g->memory->banks && i < g->memory->bank_count; i++) {
        snprintf(name, sizeof name, "bank %u access queue", i);
        timeline_level(w->timeline, w->l2, name, now_fs,
                       g->memory->banks[i].counts.occupancy.level);
    }
    for (u32 i = 0; g->memory->channels && i < g->memory->channel_count; i++) {
        const struct dram_counts *c = &g->memory->channels[i].counts;
        snprintf(name, sizeof name, "channel %u queue", i);
        timeline_level(w->timeline, w->dram, name, now_fs, c->queue.level);
        bytes += c->bytes_read + c->bytes_written;
    }
    if (g->memory->channels)
        timeline_amount(w->timeline, w->dram, "GB/s", w->since_fs,
                        (double)(bytes - w->dram_bytes) * 1e6 / (double)(now_fs - w->since_fs));
    w->dram_bytes = bytes;
}

static void watch_sample(struct watch *w)
{
    u64 now_fs = w->gpu->sim->engine.now_fs;
    if (now_fs == w->since_fs)
        return;
    draw_sms(w, now_fs);
    draw_memory(w, now_fs);
    w->since_fs = now_fs;
}

/* Ticked every cycle when skipping is off: it keeps its own date. */
static cycle_t watch_tick(void *self, cycle_t now)
{
    struct watch *w = self;
    if (now >= w->next) {
        gpu_settle(w->gpu);
        watch_sample(w);
        w->next = now + w->interval;
    }
    return w->next;
}

struct watch *watch_add(struct gpu *g, track_id kernels, cycle_t interval)
{
    struct sim *sim = g->sim;
    struct arena *a = &sim->arena;
    if (!sim->timeline)
        return NULL;
    struct watch *w = ARENA_NEW(a, struct watch);
    u32 count = g->config->sm.count;
    w->gpu = g;
    w->timeline = sim->timeline;
    w->interval = w->next = interval;
    w->lanes[0] = kernels;
    w->lane_is_made[0] = true;
    w->slots = arena_alloc(a, count * sizeof *w->slots);
    w->tensor = arena_alloc(a, count * sizeof *w->tensor);
    w->states = ARENA_ARRAY(a, track_id, count);
    w->cores = ARENA_ARRAY(a, track_id, count);
    w->has_cores = ARENA_ARRAY(a, bool, count);
    for (u32 i = 0; i < count; i++)
        w->states[i] = timeline_track(w->timeline, site_name(&g->cluster.site, "sm", i), "state");
    w->schedulers = timeline_track(
        w->timeline, site_name_of(&g->cluster.site, "scheduler cycles, %"), "all SMs");
    if (g->cluster.sms[0].uses)
        w->blocks =
            timeline_track(w->timeline, site_name_of(&g->cluster.site, "use of blocks"), "shares");
    w->l2 = timeline_track(w->timeline, "L2", "queues");
    w->dram = timeline_track(w->timeline, "DRAM", "queues");
    engine_set_background(&sim->engine,
                          engine_add_unit(&sim->engine, g->cluster.core, "watch", watch_tick, w));
    return w;
}

void watch_kernel_starts(struct watch *w, struct grid_run *run)
{
    if (!w)
        return;
    watch_sample(w);
    u32 lane = 0;
    while (w->lane_is_used[lane] && lane + 1 < MOST_LANES)
        lane++;
    if (!w->lane_is_made[lane])
        w->lanes[lane] = timeline_track(w->timeline, site_name_of(&w->gpu->cluster.site, "kernels"),
                                        arena_printf(&w->gpu->sim->arena, "kernels %u", lane));
    w->lane_is_made[lane] = w->lane_is_used[lane] = true;
    run->lane = lane;
}

void watch_kernel_ends(struct watch *w, const struct grid_run *run)
{
    if (!w)
        return;
    watch_sample(w);
    w->lane_is_used[run->lane] = false;
    timeline_span(w->timeline, w->lanes[run->lane], run->source.name, run->started_fs,
                  w->gpu->sim->engine.now_fs);
}

void watch_block(struct watch *w, const struct block_view *v, const struct use_counts *c)
{
    static const char *const names[USE_METRICS] = {"mem", "fpu"};
    char name[120];
    for (u32 m = 0; m < USE_METRICS; m++) {
        snprintf(name, sizeof name, "%u.%llu %.64s block %llu %s", v->grid->application,
                 (unsigned long long)v->grid->queue, v->grid->name, (unsigned long long)v->block,
                 names[m]);
        timeline_amount(w->timeline, w->blocks, name, w->gpu->sim->engine.now_fs,
                        use_share(c, (enum block_metric)m));
    }
}
