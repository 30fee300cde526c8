/*
 * A GPU: a cluster of SMs on a memory system, which may be others' as well, and what is kept of the
 * kernels that ran. Everything comes from sim->arena.
 *
 * With an ideal memory (limit studies) the part below L1 is replaced: nothing
 * for a fixed latency, one unit with the L2's tags for an infinite bandwidth.
 */
#ifndef GPU_GPU_H
#define GPU_GPU_H

#include "base/map.h"
#include "gpu/cluster.h"
#include "gpu/observe/block_phases.h"
#include "gpu/observe/watch.h"

/* What is kept of a kernel that has ended. */
struct kernel_record {
    const char *name;
    u64 number, launch, application, blocks, threads_per_block, registers, shared_bytes,
        blocks_per_sm;
    u32 grid[3], block[3]; /* 0 0 0: nobody knows */
    cycle_t launched, started, ended;
    struct gpu_counters numbers; /* of the chip, from its start to its end */
    struct use_counts use;       /* of its blocks, where somebody asks */
    double correlation;          /* with the launch before, see block_phases.h */
};

extern const struct stat_def kernel_record_stats[]; /* all but its name and numbers */

struct gpu {
    const struct gpu_config *config;
    struct sim *sim;
    struct gpu_cluster cluster;
    struct memory_system *memory;
    struct kernel_record *records; /* the first so many; grown outside the cycle loop */
    u32 record_count, record_room;
    u64 kernels, kernels_dropped;
    u32 kernels_running;
    struct snapshot_plan plan;            /* of struct gpu_counters */
    struct gpu_counters busy, busy_since; /* while a kernel ran; when the first of those now did */
    struct gpu_counters warm;             /* busy, before what is measured */
    track_id kernel_track;                /* the first lane of the timeline's */
    struct watch *watch;                  /* NULL: no timeline */
    struct block_phases *phases;          /* NULL: nobody asks */
    const struct energy_meter *meter;     /* power/energy.h: of the whole machine */
    struct policy_choice warp_policy;
    struct map loaded; /* start of code that has been launched */
    u64 pool_left;     /* requests that are still somewhere, for the law that none are */
};

/* All that can be under way at once on a chip: gpu_check refuses more than GPU_MOST_REQUESTS. The
 * lanes are in the numbers already (gpu_with_lanes). */
#define GPU_MOST_REQUESTS ((u32)1 << 27)
u64 gpu_most_requests(const struct gpu_config *c, const struct dram_timing *dram);

/* The SMs, before the memory system is connected to its clients; the core clock has been added. */
struct gpu *gpu_build(const struct build_site *site, domain_id core, const struct gpu_config *c,
                      u32 first_agent, struct memory_system *memory,
                      const struct cluster_policies *p);
/* All else, once it is connected; false: the warp policy cannot run as configured. */
bool gpu_connect(struct gpu *g, struct err *err);
/* Its numbers can be taken once all statistics are there; false: some are not. */
bool gpu_finish(struct gpu *g, struct err *err);
/* A copy or fill has written device memory: with l2.keeps_copies its lines are in L2 now. */
void gpu_copied(struct gpu *g, u64 to, u64 bytes);
/* A kernel is about to be launched: if its code was not launched before, it was just loaded
 * (l2.keeps_code). */
void gpu_load_code(struct gpu *g, const struct grid_source *kernel);
/* Blocks of it were executed without timing: its code is in the instruction caches of so many SMs.
 */
void gpu_warm_code(struct gpu *g, const struct grid_source *kernel, u32 sms);
/* Brings all statistics up to the present. */
void gpu_settle(struct gpu *g);
/* All so far, to the last settling. */
void gpu_counters(const struct gpu *g, struct gpu_counters *n);
/* Of the times in which at least one kernel ran, to the last settling; each counts once. */
void gpu_busy_numbers(const struct gpu *g, struct gpu_counters *n);
/* What is measured begins: kernels that have ended are forgotten. */
void gpu_begin_window(struct gpu *g);
/* No kernel runs any more, or counts: the busy numbers become those of the window. */
void gpu_end_window(struct gpu *g);
/* The SM in which a step failed; NULL: none did. */
const struct sm *gpu_faulted(const struct gpu *g);
/* Its clock; where frequencies change, the mean over the run so far. */
double gpu_mean_hz(const struct gpu *g);
/* Bytes per second that the data pins move at most. */
double gpu_peak_dram(const struct gpu *g);

#endif
