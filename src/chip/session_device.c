#include "chip/session_device.h"

#include "dram/config.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static void tell(const char *name, u64 value)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    setenv(name, text, 1);
}

/* CUDA counts these in an int. */
static void tell_int(const char *name, u64 value)
{
    tell(name, min_u64(value, INT_MAX));
}

void session_describe_device(const struct gpu_config *c, const char *name)
{
    struct dram_timing t;
    dram_resolve(&c->dram, &t);
    setenv("HEDDLE_CUDA_NAME", name, 1);
    tell("HEDDLE_CUDA_ARCH", c->device.compute_capability);
    tell("HEDDLE_CUDA_MEMORY", c->device.memory_bytes);
    tell("HEDDLE_CUDA_SM_COUNT", c->sm.count);
    tell_int("HEDDLE_CUDA_CLOCK_KHZ", c->sm.clock_hz / 1000);
    tell_int("HEDDLE_CUDA_MEMORY_CLOCK_KHZ", t.config.clock_hz * t.config.data_rate / 2000);
    tell_int("HEDDLE_CUDA_BUS_WIDTH", (u64)t.config.bus_bits * t.config.channels);
    tell_int("HEDDLE_CUDA_L2_BYTES", c->l2.size_bytes);
    tell("HEDDLE_CUDA_SM_THREADS", (u64)c->sm.warps * 32);
    tell("HEDDLE_CUDA_SM_BLOCKS", c->sm.blocks);
    tell("HEDDLE_CUDA_SM_REGISTERS", c->sm.registers);
    tell("HEDDLE_CUDA_SM_SHARED_BYTES", c->sm.shared.bytes);
    tell("HEDDLE_CUDA_BLOCK_SHARED_BYTES", c->sm.shared.bytes);
    tell("HEDDLE_CUDA_THREAD_REGISTERS", c->sm.most_registers);
    tell("HEDDLE_CUDA_REGISTER_UNIT", c->sm.register_unit);
    tell("HEDDLE_CUDA_SHARED_UNIT", c->sm.shared.unit_bytes);
    tell("HEDDLE_CUDA_SUB_CORES", c->sm.sub_cores ? c->sm.schedulers : 1);
    tell("HEDDLE_CUDA_SYSTEM_SHARED_BYTES", 0);
}
