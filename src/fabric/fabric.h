/*
 * A fabric: tiles, the second level and the crossbars between them, and the manager that takes them
 * through the phases of a program. Built at a site with a clock of its own; the banks of the second
 * level are its agents in a memory system.
 *
 *   elements -> RL1 banks -> crossbar -> RL2 banks -> memory system
 *
 * Between two phases, when all elements have ended: dirty lines of the first level are written back
 * and acknowledged; where banks of the second level may have copies of the same line (rl2.sharing
 * group), where they change mode, and at the end, those of the second as well; then tiles and banks
 * change mode.
 */
#ifndef FABRIC_FABRIC_H
#define FABRIC_FABRIC_H

#include "fabric/rl2.h"
#include "fabric/tile.h"
#include "net/crossbar.h"

/* What is counted of a phase, as sums over the fabric and its memory. */
struct phase_numbers {
    u64 states[ELEMENT_STATE_COUNT];
    u64 element_cycles, operations, loads, stores, atomics, parts;
    u64 rl1_accesses, rl1_hits, rl1_misses, bank_accesses;
    u64 rl2_accesses, rl2_hits, rl2_misses;
    u64 dram_read_bytes, dram_written_bytes;
};

struct phase_record {
    const char *name;
    u64 number, mode, rl2_mode, items;
    u64 started, ended, cycles;                   /* with the flush behind it */
    u64 work_cycles, flush_cycles, switch_cycles; /* switch: part of the work, at its begin */
    struct phase_numbers numbers;
};

extern const struct stat_def phase_record_stats[]; /* all but its name */

#define FABRIC_MOST_PHASE_NAMES 8u /* of a program; phases may share one */

struct fabric_counts {
    u64 phases, switches, switch_cycles, flush_cycles;
    u64 phase_cycles[FABRIC_MOST_PHASE_NAMES]; /* by name, without changes of mode and flushes */
    u64 memory_bytes[TRAFFIC_PARTS];           /* by time */
    u64 pool_left;                             /* requests that are still somewhere */
};

enum manager_stage {
    MANAGER_STARTS,
    MANAGER_DEALS,
    MANAGER_FLUSHES_TILES,
    MANAGER_FLUSHES_BANKS,
    MANAGER_ENDED
};

struct manager {
    unit_id unit;
    u32 phase, phase_count;
    struct fabric_phase *phases;
    u64 next_item;
    u8 stage; /* enum manager_stage */
    u32 left; /* tiles or banks that have not answered */
    cycle_t began, worked;
    u64 began_fs, worked_fs;
    struct phase_numbers before;
    struct phase_record *records;
    u32 record_count;
    const char *names[FABRIC_MOST_PHASE_NAMES]; /* of phases, each once */
    u32 name_count;
    u32 track; /* of the timeline */
};

struct fabric {
    struct build_site site;
    const struct fabric_config *config;
    domain_id domain;
    struct memory_system *memory;
    const struct fabric_program_ops *ops;
    void *program;
    struct tile *tiles;
    struct rl2_bank *banks;
    struct crossbar request, reply;
    struct network request_network, reply_network;
    struct manager manager;
    struct fabric_counts counts;
};

struct fabric_parts {
    const struct build_site *site;
    domain_id domain;
    const struct fabric_config *config;
    u32 first_agent;
    struct memory_system *memory;
    struct policy_choice rl1, rl2; /* replacement */
};

void fabric_init(struct fabric *f, const struct fabric_parts *p,
                 const struct fabric_program_ops *ops, void *program);
void fabric_clients(struct fabric *f, struct memory_client *out);
void fabric_add_statistics(struct fabric *f);
void fabric_settle(struct fabric *f);
/* Sums up to the last settling. */
void fabric_sum(const struct fabric *f, struct phase_numbers *out);

/* fabric/manager.c */
void manager_init(struct fabric *f);
/* The number of a phase's name. */
u32 manager_name_of(const struct manager *m, const char *name);

#endif
