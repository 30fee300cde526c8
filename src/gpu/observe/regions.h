/*
 * What each kernel does with each of its regions (device/kernel_regions.h), and which of them the
 * caches are better off without: region-aware caching, RAC (Lee 2013, chapter 7).
 *
 * The table of kernels is one for all SMs. Each SM counts for itself, in rows of a kernel and a
 * region; requests carry their row. A kernel's first cycles are its training: what is counted in
 * them lies in rows of its own, which no SM writes any more when one unit adds them up and
 * decides which regions bypass L1 and which L2. The decision holds from the next cycle to the end
 * of the kernel.
 */
#ifndef GPU_OBSERVE_REGIONS_H
#define GPU_OBSERVE_REGIONS_H

#include "config/param.h"
#include "device/kernel_regions.h"
#include "mem/request.h"
#include "sim/site.h"

enum regions_mode {
    REGIONS_OFF,
    REGIONS_TRAIN,  /* decide, for others to make use of it */
    REGIONS_BYPASS, /* and requests follow the decision: RAC */
};

struct regions_config {
    bool count; /* for statistics, whatever the mode */
    u32 mode;   /* enum regions_mode */
    u32 training_cycles;
    double l1_percent, l2_percent; /* below these hit rates a region bypasses the cache */
    u32 min_accesses;
    double undisciplined_percent;
};

extern const struct param regions_params[];

#define REGION_KERNELS 32u /* that run at once and are told apart; others count for nothing */
#define REGION_ROWS (MOST_REGIONS + 1) /* of a kernel; the last is what lies in no region */
#define REGION_OUTSIDE MOST_REGIONS

/* Accesses are lines of global memory. */
struct region_counts {
    u64 loads, stores, atomics;
    u64 l1_hits;
    u64 l2_answers, l2_hits;  /* requests that came back from below; of those, found in L2 */
    u64 bypass_l1, bypass_l2; /* that were sent past */
};

/* An SM's own. Row 0 is nobody's: NO_REGION. */
struct region_rows {
    struct region_counts at[2][1 + REGION_KERNELS * REGION_ROWS]; /* in training, and after it */
};

/* A kernel that runs. Written by the dispatcher and by the deciding unit only. */
struct kernel_regions {
    u64 start[MOST_REGIONS], bytes[MOST_REGIONS];
    u32 count;
    u32 first_row;
    cycle_t trained_at;       /* CYCLE_NEVER: it is not to be */
    cycle_t decided_at;       /* holds in later cycles; CYCLE_NEVER: not yet */
    u32 bypass_l1, bypass_l2; /* bit per region */
    u8 application;
    bool is_used;
    bool is_followed;        /* the decision: requests carry it */
    struct region_list list; /* as launched */
};

/* What is kept of a kernel that has ended. */
struct region_record {
    struct region_record *next;
    const char *name;
    u64 kernel; /* its number */
    struct region_list list;
    bool was_trained;
    u32 bypass_l1, bypass_l2;
    struct region_counts training[REGION_ROWS], all[REGION_ROWS];
};

/* Statistics: by region id over all kernels. */
struct regions_counts {
    u64 loads[REGION_ROWS], stores[REGION_ROWS], atomics[REGION_ROWS], l1_hits[REGION_ROWS],
        l2_answers[REGION_ROWS], l2_hits[REGION_ROWS], bypass_l1[REGION_ROWS],
        bypass_l2[REGION_ROWS];
    u64 kernels, regions, bytes, untracked, trained, undisciplined, beyond;
    u64 decided_l1, decided_l2;
};

extern const struct stat_def regions_stats[];

struct regions {
    const struct regions_config *config;
    struct sim *sim;
    unit_id unit;
    struct region_rows **rows; /* by SM */
    u32 sm_count;
    struct kernel_regions kernels[REGION_KERNELS];
    u32 seen;                           /* bit per program of which a kernel came */
    u32 unknown[MOST_APPLICATIONS];     /* kernels that run and are in no row */
    struct regions_counts counts, sums; /* the second without accesses of kernels that run */
    struct region_record *first, **last;
    u32 record_count;
    /* A kernel has come, gone or been decided on; may be NULL. */
    void (*changed)(void *context, const struct regions *r);
    void *context;
};

#define MOST_REGION_RECORDS 4096u

/* Off: nothing is built. */
void regions_init(struct regions *r, const struct build_site *site, domain_id core,
                  const struct regions_config *c, u32 sms);
static inline bool regions_are_on(const struct regions *r)
{
    return r->rows != NULL;
}
/* By the dispatcher; NULL: it is not told apart from others, or its regions are unknown. */
struct kernel_regions *regions_begin(struct regions *r, const struct region_list *list,
                                     u8 application, cycle_t now);
void regions_end(struct regions *r, struct kernel_regions *k, u8 application, const char *name,
                 u64 number);
/* Brings the statistics up to the present. */
void regions_settle(struct regions *r);

/* Does too much of what a kernel does lie outside its regions? */
bool regions_are_undisciplined(const struct regions_config *c,
                               const struct region_counts rows[REGION_ROWS]);

/* The rule: a hit rate below the threshold, of enough accesses (Lee 2013, figure 53). */
struct region_bits {
    bool bypass_l1, bypass_l2;
};
struct region_bits region_decide(const struct regions_config *c, u64 accesses, u64 l1_hits,
                                 u64 l2_hits);

static inline u64 region_accesses(const struct region_counts *c)
{
    return c->loads + c->stores + c->atomics;
}

/* Which region, or REGION_OUTSIDE. */
static inline u32 region_of(const struct kernel_regions *k, u64 address)
{
    for (u32 i = 0; i < k->count; i++) {
        if (address - k->start[i] < k->bytes[i])
            return i;
    }
    return REGION_OUTSIDE;
}

/* Flags that requests of a region carry in this cycle. */
static inline u32 region_flags(const struct kernel_regions *k, u32 region, cycle_t now)
{
    if (now <= k->decided_at || !k->is_followed)
        return 0;
    return (k->bypass_l1 >> region & 1 ? REQUEST_BYPASS_L1 | REQUEST_NO_FILL : 0) |
           (k->bypass_l2 >> region & 1 ? REQUEST_BYPASS_L2 : 0);
}

#endif
