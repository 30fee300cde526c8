#include "run/session_device.h"

#include "dram/config.h"
#include "cuda/core/device.h"

#include <limits.h>
#include <stdio.h>

/* CUDA counts in ints. */
static void set(struct cuda_device_props *p, int attribute, u64 value)
{
    p->attribute[attribute] = (int)min_u64(value, INT_MAX);
}

static struct cuda_device_props describe(const struct gpu_config *c, const char *name)
{
    struct cuda_device_props p = cu_device_h200();
    struct dram_timing t;
    dram_resolve(&c->dram, &t);
    snprintf(p.name, sizeof p.name, "heddle %s", name);
    p.memory_bytes = c->device.memory_bytes;
    p.sockets = c->sockets.count;
    p.register_unit = c->sm.register_unit;
    p.shared_unit = c->sm.shared.unit_bytes;
    p.sub_cores = c->sm.sub_cores ? c->sm.schedulers : 1;
    p.max_registers = c->sm.most_registers;
    set(&p, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, c->device.compute_capability / 10);
    set(&p, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, c->device.compute_capability % 10);
    set(&p, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, (u64)c->sockets.count * c->sm.count);
    set(&p, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, c->sm.clock_hz / 1000);
    set(&p, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, t.config.clock_hz * t.config.data_rate / 2000);
    set(&p, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH,
        (u64)c->sockets.count * t.config.bus_bits * t.config.channels);
    set(&p, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, c->sockets.count * c->l2.size_bytes);
    set(&p, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, (u64)c->sm.warps * 32);
    set(&p, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, c->sm.blocks);
    set(&p, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, c->sm.registers);
    set(&p, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, c->sm.shared.bytes);
    set(&p, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, c->sm.shared.bytes);
    set(&p, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 0);
    return p;
}

void session_describe_device(const struct gpu_config *c, const char *name)
{
    struct cuda_device_props p = describe(c, name);
    cu_device_use(&p);
}

void session_device_text(const struct gpu_config *c, const char *name, struct text *out)
{
    struct cuda_device_props p = describe(c, name);
    text_printf(out, "device %s\nmemory %llu\n", p.name, (unsigned long long)p.memory_bytes);
    text_printf(out, "units %u %u %u %u %llu %u\n", p.register_unit, p.shared_unit, p.sub_cores,
                p.max_registers, (unsigned long long)p.stack_limit_max, p.sockets);
    for (u32 i = 0; i < CUDA_ATTRIBUTES; i++)
        text_printf(out, "%d ", p.attribute[i]);
    text_printf(out, "\nmachine code %u, %u SMs, copies %u ns, %llu B/s\n", c->sm.machine_code,
                c->sm.count, c->launch.copy_latency_ns,
                (unsigned long long)c->launch.copy_bytes_per_second);
}
