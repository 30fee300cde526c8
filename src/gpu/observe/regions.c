#include "gpu/observe/regions.h"

static const char *const modes[] = {"off", "train", "bypass", NULL};
static const char *const labels[REGION_ROWS] = {"0",  "1",  "2",  "3",  "4",      "5",
                                                "6",  "7",  "8",  "9",  "10",     "11",
                                                "12", "13", "14", "15", "outside"};

/* clang-format off */
#define LEE "Lee 2013, 7.3.2"
const struct param regions_params[] = {
    P_BOOL(regions_config, count, false, "count what a kernel does with each of its buffers (statistics regions; no effect on timing)", "assumed"),
    P_CHOICE(regions_config, mode, REGIONS_OFF, modes, "after training, decide which buffers of a kernel should bypass L1 and L2, and (bypass) let them", LEE ": off in the baseline"),
    P_U32(regions_config, training_cycles, 100000, 1, 1000000000, "core cycles", "time from a kernel's start to the decision", LEE),
    P_DOUBLE(regions_config, l1_percent, 1, 0, 101, "%", "L1 hit rate below which a region bypasses L1 (above 100: always)", "assumed: not published, between 0 and 20"),
    P_DOUBLE(regions_config, l2_percent, 1, 0, 101, "%", "L2 hit rate of L1 misses below which a region bypasses the L2", "assumed: not published, between 0.04 and 2.2 (Lee 2013, figure 52)"),
    P_U32(regions_config, min_accesses, 1000, 0, 1000000000, "lines", "accesses of a region to a cache in training below which nothing is decided for it", "assumed"),
    P_DOUBLE(regions_config, undisciplined_percent, 5, 0, 100, "%", "share of a kernel's accesses outside its regions above which the kernel is undisciplined", "assumed"),
    P_END,
};

const struct stat_def regions_stats[] = {
    S_ARRAY(regions_counts, loads, labels, REGION_ROWS, "lines", "lines touched by loads, by region of the kernel"),
    S_ARRAY(regions_counts, stores, labels, REGION_ROWS, "lines", "lines touched by stores, by region"),
    S_ARRAY(regions_counts, atomics, labels, REGION_ROWS, "lines", "lines touched by atomics, by region"),
    S_ARRAY(regions_counts, l1_hits, labels, REGION_ROWS, "lines", "lines found in the L1, by region"),
    S_ARRAY(regions_counts, l2_answers, labels, REGION_ROWS, "requests", "requests answered from below the L1, by region"),
    S_ARRAY(regions_counts, l2_hits, labels, REGION_ROWS, "requests", "requests that hit in the L2, by region"),
    S_ARRAY(regions_counts, bypass_l1, labels, REGION_ROWS, "lines", "lines that bypassed the L1, by region"),
    S_ARRAY(regions_counts, bypass_l2, labels, REGION_ROWS, "lines", "lines that bypassed the L2, by region"),
    S_COUNT(regions_counts, kernels, "kernels", "kernels with known regions"),
    S_COUNT(regions_counts, regions, "regions", "regions of the kernels with known regions"),
    S_COUNT(regions_counts, bytes, "bytes", "bytes in the regions of the kernels with known regions"),
    S_COUNT(regions_counts, untracked, "kernels", "kernels without known regions, or beyond the limit of concurrent kernels"),
    S_COUNT(regions_counts, trained, "kernels", "kernels that completed their training"),
    S_COUNT(regions_counts, undisciplined, "kernels", "kernels with too many accesses outside their regions"),
    S_COUNT(regions_counts, beyond, "regions", "regions without an id (too many in their kernel); they never bypass a cache"),
    S_COUNT(regions_counts, decided_l1, "regions", "regions that were decided to bypass the L1"),
    S_COUNT(regions_counts, decided_l2, "regions", "regions that were decided to bypass the L2"),
    S_END,
};
/* clang-format on */

/* ---- the decision -------------------------------------------------------------------------- */

struct region_bits region_decide(const struct regions_config *c, u64 accesses, u64 l1_hits,
                                 u64 l2_hits)
{
    struct region_bits bits = {false, false};
    u64 missed = accesses - l1_hits;
    if (accesses >= c->min_accesses)
        bits.bypass_l1 = 100.0 * (double)l1_hits < c->l1_percent * (double)accesses;
    if (missed >= c->min_accesses) /* the first touches of a line hit nowhere: few say nothing */
        bits.bypass_l2 = 100.0 * (double)l2_hits < c->l2_percent * (double)missed;
    return bits;
}

static void add(struct region_counts *sum, const struct region_counts *part)
{
    u64 *to = (u64 *)(void *)sum;
    const u64 *from = (const u64 *)(const void *)part;
    for (u32 i = 0; i < sizeof *sum / sizeof(u64); i++) /* all are u64 */
        to[i] += from[i];
}

/* Of all SMs, in training (0) or after it (1). */
static void sum_rows(const struct regions *r, const struct kernel_regions *k, u32 phase,
                     struct region_counts out[REGION_ROWS])
{
    for (u32 s = 0; s < r->sm_count; s++) {
        for (u32 i = 0; i < REGION_ROWS; i++)
            add(&out[i], &r->rows[s]->at[phase][k->first_row + i]);
    }
}

static void tell(const struct regions *r)
{
    if (r->changed)
        r->changed(r->context, r);
}

static void decide(struct regions *r, struct kernel_regions *k, cycle_t now)
{
    struct region_counts sums[REGION_ROWS] = {0};
    sum_rows(r, k, 0, sums);
    for (u32 i = 0; i < k->count; i++) {
        struct region_bits bits =
            region_decide(r->config, region_accesses(&sums[i]), sums[i].l1_hits, sums[i].l2_hits);
        k->bypass_l1 |= (u32)bits.bypass_l1 << i;
        k->bypass_l2 |= (u32)bits.bypass_l2 << i;
        r->sums.decided_l1 += bits.bypass_l1;
        r->sums.decided_l2 += bits.bypass_l2;
    }
    r->sums.trained++;
    k->decided_at = now;
}

static cycle_t regions_tick(void *self, cycle_t now)
{
    struct regions *r = self;
    cycle_t next = CYCLE_NEVER;
    bool has_decided = false;
    for (u32 i = 0; i < REGION_KERNELS; i++) {
        struct kernel_regions *k = &r->kernels[i];
        if (!k->is_used || k->decided_at != CYCLE_NEVER || k->trained_at == CYCLE_NEVER)
            continue;
        if (k->trained_at > now) {
            next = min_u64(next, k->trained_at);
            continue;
        }
        decide(r, k, now);
        has_decided = true;
    }
    if (has_decided)
        tell(r);
    return next;
}

/* ---- kernels ------------------------------------------------------------------------------- */

struct kernel_regions *regions_begin(struct regions *r, const struct region_list *list,
                                     u8 application, cycle_t now)
{
    u32 i = 0;
    r->seen |= 1u << application;
    while (i < REGION_KERNELS && r->kernels[i].is_used)
        i++;
    if (!list || i == REGION_KERNELS) {
        r->sums.untracked++;
        r->unknown[application]++;
        tell(r);
        return NULL;
    }
    struct kernel_regions *k = &r->kernels[i];
    *k = (struct kernel_regions){.count = list->count,
                                 .first_row = 1 + i * REGION_ROWS,
                                 .trained_at = CYCLE_NEVER,
                                 .decided_at = CYCLE_NEVER,
                                 .application = application,
                                 .is_used = true,
                                 .is_followed = r->config->mode == REGIONS_BYPASS,
                                 .list = *list};
    for (u32 n = 0; n < list->count; n++) {
        k->start[n] = list->at[n].start;
        k->bytes[n] = list->at[n].bytes;
        r->sums.bytes += list->at[n].bytes;
    }
    r->sums.regions += list->count;
    if (r->config->mode >= REGIONS_TRAIN)
        k->trained_at = now + r->config->training_cycles;
    for (u32 s = 0; s < r->sm_count; s++) {
        for (u32 row = k->first_row; row < k->first_row + REGION_ROWS; row++)
            r->rows[s]->at[0][row] = r->rows[s]->at[1][row] = (struct region_counts){0};
    }
    r->sums.kernels++;
    r->sums.beyond += list->beyond;
    engine_wake(&r->sim->engine, r->unit);
    tell(r);
    return k;
}

static void add_up(struct regions_counts *c, const struct region_counts rows[REGION_ROWS])
{
    for (u32 i = 0; i < REGION_ROWS; i++) {
        c->loads[i] += rows[i].loads;
        c->stores[i] += rows[i].stores;
        c->atomics[i] += rows[i].atomics;
        c->l1_hits[i] += rows[i].l1_hits;
        c->l2_answers[i] += rows[i].l2_answers;
        c->l2_hits[i] += rows[i].l2_hits;
        c->bypass_l1[i] += rows[i].bypass_l1;
        c->bypass_l2[i] += rows[i].bypass_l2;
    }
}

bool regions_are_undisciplined(const struct regions_config *c,
                               const struct region_counts rows[REGION_ROWS])
{
    u64 all = 0;
    for (u32 i = 0; i < REGION_ROWS; i++)
        all += region_accesses(&rows[i]);
    return 100.0 * (double)region_accesses(&rows[REGION_OUTSIDE]) >
           c->undisciplined_percent * (double)all;
}

void regions_end(struct regions *r, struct kernel_regions *k, u8 application, const char *name,
                 u64 number)
{
    if (!k) {
        r->unknown[application]--;
        tell(r);
        return;
    }
    struct region_counts training[REGION_ROWS] = {0}, all[REGION_ROWS] = {0};
    sum_rows(r, k, 0, training);
    sum_rows(r, k, 1, all);
    for (u32 i = 0; i < REGION_ROWS; i++)
        add(&all[i], &training[i]);
    add_up(&r->sums, all);
    r->sums.undisciplined += regions_are_undisciplined(r->config, all);
    k->is_used = false;
    tell(r);
    if (r->record_count == MOST_REGION_RECORDS)
        return;
    struct region_record *record = ARENA_NEW(&r->sim->arena, struct region_record);
    *record = (struct region_record){.name = name,
                                     .kernel = number,
                                     .list = k->list,
                                     .was_trained = k->decided_at != CYCLE_NEVER,
                                     .bypass_l1 = k->bypass_l1,
                                     .bypass_l2 = k->bypass_l2};
    for (u32 i = 0; i < REGION_ROWS; i++) {
        record->training[i] = training[i];
        record->all[i] = all[i];
    }
    *r->last = record;
    r->last = &record->next;
    r->record_count++;
}

/* ---- statistics ------------------------------------------------------------------------------ */

void regions_settle(struct regions *r)
{
    if (!regions_are_on(r))
        return;
    r->counts = r->sums;
    for (u32 i = 0; i < REGION_KERNELS; i++) {
        struct region_counts rows[REGION_ROWS] = {0};
        if (!r->kernels[i].is_used)
            continue;
        sum_rows(r, &r->kernels[i], 0, rows);
        sum_rows(r, &r->kernels[i], 1, rows);
        add_up(&r->counts, rows);
    }
}

void regions_init(struct regions *r, const struct build_site *site, domain_id core,
                  const struct regions_config *c, u32 sms)
{
    struct sim *sim = site->sim;
    *r = (struct regions){.config = c, .sim = sim, .sm_count = sms};
    r->last = &r->first;
    if (c->mode == REGIONS_OFF && !c->count)
        return;
    r->rows = ARENA_ARRAY(&sim->arena, struct region_rows *, sms);
    for (u32 i = 0; i < sms; i++)
        r->rows[i] = ARENA_NEW(&sim->arena, struct region_rows);
    r->unit = engine_add_unit(&sim->engine, core, site_name_of(site, "regions"), regions_tick, r);
    engine_set_background(&sim->engine, r->unit); /* a kernel may end before its training */
    stats_add(&sim->stats, site->node, "regions", STAT_NO_INDEX, regions_stats, &r->counts);
}
