/* What a chip file says of a fabric: tiles of processing elements, two levels of banks, the
 * crossbars between them, and the program that runs. */
#ifndef FABRIC_CONFIG_H
#define FABRIC_CONFIG_H

#include "config/config.h"
#include "memsys/config.h"

#define FABRIC_MOST_TILES 128u
#define FABRIC_MOST_ELEMENTS 32u /* of a tile: bits of a mask */
#define FABRIC_MOST_OUTSTANDING 64u

/* How the banks of the first level are used. Shared: all are one cache for all elements. Private:
 * half of the elements are off; each pair of those that are on has one bank as cache and one as
 * scratchpad. */
enum fabric_mode { FABRIC_SHARED, FABRIC_PRIVATE, FABRIC_MODES };
extern const char *const fabric_mode_names[]; /* ends with NULL */

struct tile_config {
    u64 clock_hz;
    u32 count, elements, outstanding, scratchpad_bytes;
    u32 items_ahead, assign_cycles;
};

struct rl1_config {
    u32 banks, bank_bytes, ways;
    u32 ports, mshrs;                 /* of the one cache when shared */
    u32 private_ports, private_mshrs; /* of a pair's */
    u32 hit_cycles, scratchpad_cycles;
    const char *replacement;
};

enum rl2_sharing { RL2_ALL, RL2_GROUP };

struct rl2_config {
    u32 banks, bank_bytes, ways, ports, mshrs, hit_cycles;
    const char *replacement;
    u32 sharing; /* enum rl2_sharing: each tile reaches every bank, or its group's alone */
};

struct switch_config {
    u32 switch_cycles; /* to another mode, when the ports are quiet */
    struct crossbar_config request, reply;
};

/* Modes of the phases: the program's own, or one for all. */
enum forced_mode { FORCE_NOTHING, FORCE_SHARED, FORCE_PRIVATE };

struct program_config {
    const char *matrix, *right;
    u32 size, steps;
    u32 force; /* enum forced_mode */
};

struct fabric_config {
    u32 line_bytes;
    struct tile_config tile;
    struct rl1_config rl1;
    struct rl2_config rl2;
    struct switch_config crossbar;
    struct program_config program;
    struct network_config network; /* between the second level and the channels */
    struct l2_config atomics;      /* at each channel; everything but atomics bypasses it */
    struct dram_config dram;
    struct ideal_config ideal;
    const void *policies; /* parameters of all policies; NULL: their defaults */
};

extern const struct param fabric_params[];

bool fabric_check(const struct fabric_config *c, const struct config *config, struct err *err);
/* Of all second-level banks: they are the agents of the memory system. */
u64 fabric_most_requests(const struct fabric_config *c);
struct memory_config fabric_memory(const struct fabric_config *c);

static inline u32 fabric_active(const struct fabric_config *c, enum fabric_mode mode)
{
    return mode == FABRIC_SHARED ? c->tile.elements : c->tile.elements / 2;
}

#endif
