/*
 * The additional state of a core with scalable vectors: physical vector registers, and counters of
 * vector instructions. A core without them (core.vector.bits 0) has none of it.
 */
#ifndef CPU_VECTOR_H
#define CPU_VECTOR_H

#include "cpu/config.h"
#include "cpu_trace/instruction.h"
#include "stats/def.h"

struct vector_counts {
    u64 instructions;        /* retired */
    u64 lanes, active_lanes; /* of those that access memory */
    u64 loads, load_words, misalignment_stalls;
    u64 stores, store_words, store_stalls;
    u64 elements, merged_elements; /* of gathers and scatters */
    u64 register_stalls;
};

extern const struct stat_def vector_stats[];

struct core_vector {
    const struct vector_config *config;
    u32 bus_bytes;
    u32 registers_in_flight;
    struct vector_counts counts;
};

/* Registers that are there beyond those that hold the state of the architecture. */
static inline bool vector_has_registers(struct core_vector *v, const struct cpu_instruction *i)
{
    if (!v->config->registers || !v->registers_in_flight ||
        v->registers_in_flight + i->vector->registers <= v->config->registers - 32)
        return true;
    v->counts.register_stalls++;
    return false;
}

void vector_dispatch(struct core_vector *v, const struct cpu_instruction *i);
void vector_retire(struct core_vector *v, const struct cpu_instruction *i);

#endif
