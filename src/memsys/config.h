/*
 * The memory system in a chip file: two networks, the shared cache, DRAM, or an ideal memory in
 * their place.
 */
#ifndef MEMSYS_CONFIG_H
#define MEMSYS_CONFIG_H

#include "dram/config.h"
#include "l2/bank.h"
#include "net/crossbar.h"
#include "mem/agent.h"
#include "net/fixed.h"
#include "net/mesh/mesh.h"

enum network_kind { NETWORK_CROSSBAR, NETWORK_FIXED, NETWORK_MESH };

struct network_config {
    u32 kind; /* enum network_kind */
    struct crossbar_config request, reply;
    struct fixed_config fixed;
    struct mesh_config mesh;
    const char *placement, *policy; /* of a mesh */
    u32 output_entries;
};

extern const struct param network_params[];

enum memory_model { MEMORY_REAL, MEMORY_INFINITE, MEMORY_FIXED };

struct ideal_config {
    u32 model; /* enum memory_model */
    u32 fixed_cycles, hit_cycles, miss_cycles;
};

extern const struct param ideal_params[];

/* The parts of a chip's configuration that are its memory system; where they lie in the chip's own
 * structure is the chip's business. */
struct memory_config {
    u32 line_bytes;
    u64 core_hz;            /* of the agents: some cycles are counted in their clock */
    const char *cache_name; /* of the shared cache, in the chip's file and statistics: "l2" */
    const struct network_config *network;
    const struct l2_config *l2;
    const struct dram_config *dram;
    const struct ideal_config *ideal;
};

/* Checks that no single row can express; positions come from the fields themselves. `agents`: how
 * many there are. */
bool memory_check(const struct memory_config *m, u32 agents, const struct config *config,
                  struct err *err);
/* A mesh and what is placed on it; `agents` by kind: all of the machine. */
bool memory_check_mesh(const struct memory_config *m, const u32 *agents,
                       const struct config *config, struct err *err);
/* Of any cache: a whole number of sets, and an index that they can have. */
bool cache_check_sets(const struct config *config, const void *field, const char *what, u64 bytes,
                      u64 unit, struct err *err);
bool cache_check_index(const struct config *config, const u32 *field, u64 sets, struct err *err);

#endif
