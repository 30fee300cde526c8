/* What a chip file of model `cpu` can say: cores, the cache and network that they share, DRAM. */
#ifndef CPU_CHIP_CONFIG_H
#define CPU_CHIP_CONFIG_H

#include "cpu/config.h"
#include "memsys/config.h"
#include "memsys/ideal.h"

struct cpu_config {
    u32 scale; /* that it has been divided by */
    u32 line_bytes;
    struct core_config core;
    struct network_config network;
    struct l2_config llc;
    struct dram_config dram;
    struct ideal_config ideal;
    const void *policies; /* parameters of all policies; NULL: their defaults */
};

#endif
