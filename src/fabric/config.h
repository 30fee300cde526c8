/* What a chip file says of a fabric: tiles of processing elements, two levels of banks, the
 * crossbars between them, and the program that runs. */
#ifndef FABRIC_CONFIG_H
#define FABRIC_CONFIG_H

#include "config/config.h"
#include "memsys/config.h"

#define FABRIC_MOST_TILES 128u
#define FABRIC_MOST_ELEMENTS 32u /* of a tile: bits of a mask */
#define FABRIC_MOST_OUTSTANDING 64u

/* What the crossbar between elements and the first level does, and so how its banks are used.
 * Shared: all are one cache for all elements. Private: it passes through; half of the elements are
 * off, and each pair of those that are on has one bank as cache and one as scratchpad. Map: the
 * phase gives each element a bank as cache, perhaps one as scratchpad, or turns it off. Bypass:
 * elements reach the second level past all banks. */
enum fabric_mode { FABRIC_SHARED, FABRIC_PRIVATE, FABRIC_MAP, FABRIC_BYPASS, FABRIC_MODES };
extern const char *const fabric_mode_names[]; /* ends with NULL */

/* Of an element, in a map. */
#define FABRIC_NO_BANK 255u
struct fabric_place {
    u8 cache, scratchpad; /* banks of its tile; scratchpad: or FABRIC_NO_BANK */
    bool is_on;
};

/* How banks of the second level are used. Scratchpad: by explicit addresses; bypass: not. With
 * either, what tiles ask of memory goes past them. */
enum rl2_mode { RL2_CACHE, RL2_SCRATCHPAD, RL2_BYPASS, RL2_MODES };
extern const char *const rl2_mode_names[]; /* ends with NULL */

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
    u32 banks, bank_bytes, ways, ports, mshrs, hit_cycles, scratchpad_cycles;
    const char *replacement;
    u32 sharing; /* enum rl2_sharing: each tile reaches every bank, or its group's alone */
};

struct switch_config {
    u32 switch_cycles; /* to another mode, when the ports are quiet */
    struct crossbar_config request, reply;
};

/* Modes of the phases: the program's own, or one for all. */
enum forced_mode { FORCE_NOTHING, FORCE_SHARED, FORCE_PRIVATE, FORCE_BYPASS };

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

#endif
