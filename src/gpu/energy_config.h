/*
 * What a chip file can say about energy: a technology, and single values instead of the
 * technology's. The values themselves, their sources and the sums are in power/energy.h.
 *
 * Every event has a row here; its parameter is NAME_pj. Every part with static power has one
 * too; its parameter is NAME_static_w. Negative: as the technology (or the DRAM preset) says.
 */
#ifndef GPU_ENERGY_CONFIG_H
#define GPU_ENERGY_CONFIG_H

#include "config/param.h"

/* X(ENUMERATOR, parameter, what is counted, meaning) */
#define ENERGY_EVENT_LIST(X)                                                                       \
    X(ACTIVE_CYCLE, active_cycle, "SM cycles", "clocks and control of an SM that has warps")       \
    X(FETCH, fetch, "accesses", "a look into the instruction cache")                               \
    X(ISSUE, issue, "warp instructions", "decoding, choosing and issuing")                         \
    X(REGISTER, register, "words", "32 bits of one thread, read or written")                       \
    X(INTEGER, integer, "thread instructions", "integer, memory and control, without registers")   \
    X(FP32, fp32, "thread instructions", "single precision, without registers")                    \
    X(FP64, fp64, "thread instructions", "double precision, without registers")                    \
    X(FP16, fp16, "thread instructions", "half precision, without registers")                      \
    X(SFU, sfu, "thread instructions", "reciprocals, roots, sines, without registers")             \
    X(TENSOR, tensor, "thread instructions", "a 32nd of a 16x16x16 product, without registers")    \
    X(SHARED, shared, "passes", "through the banks of shared memory")                              \
    X(SHARED_WORD, shared_word, "thread accesses", "between shared memory and the registers")      \
    X(L1, l1, "requests", "tags and a line of L1")                                                 \
    X(L1_WORD, l1_word, "thread accesses", "between L1 and the registers")                         \
    X(L1_FILL, l1_fill, "bits", "written into L1 by a fill")                                       \
    X(CONSTANT, constant, "accesses", "a look into the constant cache")                            \
    X(TEXTURE, texture, "accesses", "a look into the texture cache")                               \
    X(REQUEST, request, "bits", "of flits from the SMs to the L2")                                 \
    X(REPLY, reply, "bits", "of flits from the L2 to the SMs")                                     \
    X(RING, ring, "bits", "over one hop of the ring between L1s")                                  \
    X(SHADOW, shadow, "lookups", "in the shadow tags of another SM's L1")                          \
    X(L2, l2, "accesses", "tags and control of the L2")                                            \
    X(L2_DATA, l2_data, "bits", "between the L2 and the networks or DRAM")                         \
    X(CONTROLLER, controller, "bits", "through memory controllers and pins")                       \
    X(ACTIVATE, activate, "KiB of rows", "opened in DRAM")                                         \
    X(DRAM, dram, "bits", "read from or written to open rows")                                     \
    X(REFRESH, refresh, "commands", "refreshes of all banks of a channel")                         \
    X(PROBE, probe, "requests", "that ask a cache's tags whether to go past it")                   \
    X(LINK, link, "bits", "over the links between two sockets")

#define ENERGY_STATIC_LIST(X)                                                                      \
    X(SM, sm, "SMs", "an SM, with or without warps")                                               \
    X(L2, l2, "MiB", "the L2")                                                                     \
    X(NETWORK, network, "lines", "the crossbars, for each SM and each L2 bank")                    \
    X(DRAM, dram, "channels", "DRAM chips that do nothing")                                        \
    X(CHIP, chip, "chips", "all else: board, host interface, clocks")

#define ENERGY_ENUMERATOR(id, name, unit, meaning) ENERGY_##id,
enum energy_event { ENERGY_EVENT_LIST(ENERGY_ENUMERATOR) ENERGY_EVENTS };
#undef ENERGY_ENUMERATOR
#define ENERGY_ENUMERATOR(id, name, unit, meaning) STATIC_##id,
enum energy_static { ENERGY_STATIC_LIST(ENERGY_ENUMERATOR) STATIC_PARTS };
#undef ENERGY_ENUMERATOR

enum energy_technology { TECHNOLOGY_40NM, TECHNOLOGY_28NM, TECHNOLOGY_12NM, TECHNOLOGY_7NM };
#define TECHNOLOGIES 4u
extern const char *const energy_technologies[]; /* ends with NULL */

struct energy_config {
    u32 technology;
    double register_words; /* of a thread instruction: nobody counts them */
    double pj[ENERGY_EVENTS];
    double watts[STATIC_PARTS];
};

extern const struct param energy_params[];
param_check energy_check;

#endif
