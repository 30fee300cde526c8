/*
 * The energies, with their sources. docs/mechanisms/energy.md says how each was derived and which
 * of the sources were read for it; what is "assumed" has no source.
 */
#include "power/energy.h"

#include <assert.h>
#include <math.h>

/* clang-format off */
#define NAMES(id, name, ...) #name,
#define WORDS(id, name, words) words,
const char *const energy_component_names[COMPONENTS] = {ENERGY_COMPONENT_LIST(NAMES)};
const char *const energy_component_words[COMPONENTS] = {ENERGY_COMPONENT_LIST(WORDS)};

#define HOROWITZ "Horowitz, ISSCC 2014, 45 nm"
#define KECKLER "Keckler et al., IEEE Micro 2011, 40 nm"
#define LUCAS "Lucas et al., ISPASS 2013, 40 nm (from memory)"
#define JOULE "Arunkumar et al., HPCA 2019, Tesla K40, 28 nm"
#define ANTEPARA "Antepara et al., SC 2025, A100, 7 nm"
#define OCONNOR "O'Connor et al., MICRO 2017"
#define ACCELWATTCH "AccelWattch (MICRO 2021), QV100, 12 nm"
#define GPUWATTCH "GPUWattch (ISCA 2013), GTX 480, 40 nm"

#define LABEL(id, name, unit, meaning) {#name, unit, meaning},
const struct energy_label energy_event_labels[ENERGY_EVENTS] = {ENERGY_EVENT_LIST(LABEL)};
const struct energy_label energy_static_labels[STATIC_PARTS] = {ENERGY_STATIC_LIST(LABEL)};

#define BY_NODE(...) false, {__VA_ARGS__} /* 40, 28, 12, 7 nm */
#define BY_DRAM(...) true, {__VA_ARGS__} /* gddr5, gddr6, ddr3, ddr4, hbm2, hbm3 */

const struct energy_row energy_events[ENERGY_EVENTS] = {
    [ENERGY_ACTIVE_CYCLE] = {COMPONENT_CLOCK, BY_NODE(0, 0, 333, 0), ACCELWATTCH ": 38.6 W of 80 SMs with all lanes active, at 1447 MHz"},
    [ENERGY_FETCH] = {COMPONENT_FRONT, BY_NODE(25, 0, 0, 0), HOROWITZ ": instruction cache of a simple core (from memory)"},
    [ENERGY_ISSUE] = {COMPONENT_FRONT, BY_NODE(39, 0, 0, 0), HOROWITZ ": 70 pJ of an instruction less cache and registers (from memory)"},
    [ENERGY_REGISTER] = {COMPONENT_REGISTERS, BY_NODE(7, 0, 0, 0), KECKLER ": half of 14 pJ for 64 bits from 8 KB"},
    [ENERGY_INTEGER] = {COMPONENT_EXECUTION, BY_NODE(19, 0, 0, 0), LUCAS ": 40 pJ less three register words"},
    [ENERGY_FP32] = {COMPONENT_EXECUTION, BY_NODE(54, 0, 0, 0), LUCAS ": 75 pJ less three register words"},
    [ENERGY_FP64] = {COMPONENT_EXECUTION, BY_NODE(162, 0, 0, 0), "assumed: three times fp32"},
    [ENERGY_FP16] = {COMPONENT_EXECUTION, BY_NODE(54, 0, 0, 0), "assumed: as fp32, two results"},
    [ENERGY_SFU] = {COMPONENT_EXECUTION, BY_NODE(108, 0, 0, 0), "assumed: twice fp32"},
    [ENERGY_TENSOR] = {COMPONENT_EXECUTION, BY_NODE(256, 0, 0, 0), HOROWITZ ": 128 fp16 products (1.1 pJ) and fp32 sums (0.9 pJ)"},
    [ENERGY_SHARED] = {COMPONENT_SHARED, BY_NODE(320, 0, 0, 0), "assumed: sixteen 64-bit reads of 32 KB (" HOROWITZ ": 20 pJ, from memory)"},
    [ENERGY_SHARED_WORD] = {COMPONENT_SHARED, BY_NODE(0, 163, 0, 0), JOULE ": 5.32 pJ/bit x 1024, less the pass, by 32 words"},
    [ENERGY_L1] = {COMPONENT_L1, BY_NODE(360, 0, 0, 0), "assumed: sixteen 64-bit reads of 32 KB and four of 8 KB for the tags (" HOROWITZ ": 20 and 10 pJ, from memory)"},
    [ENERGY_L1_WORD] = {COMPONENT_L1, BY_NODE(0, 179, 0, 48.5), JOULE ": 5.85 pJ/bit x 1024, " ANTEPARA ": 1.59, less the request, by 32 words"},
    [ENERGY_L1_FILL] = {COMPONENT_L1, BY_NODE(0, 2.9, 0, 0.8), "assumed: half of what a bit of an access takes"},
    [ENERGY_CONSTANT] = {COMPONENT_L1, BY_NODE(25, 0, 0, 0), "assumed: as a fetch"},
    [ENERGY_TEXTURE] = {COMPONENT_L1, BY_NODE(0, 5990, 0, 1628), "assumed: as an L1 access"},
    [ENERGY_REQUEST] = {COMPONENT_NETWORK, BY_NODE(1.8, 0, 0, 0), KECKLER ": 240 fJ/bit/mm, half of the bits toggle; 15 mm assumed"},
    [ENERGY_REPLY] = {COMPONENT_NETWORK, BY_NODE(1.8, 0, 0, 0), KECKLER ": 240 fJ/bit/mm, half of the bits toggle; 15 mm assumed"},
    [ENERGY_RING] = {COMPONENT_NETWORK, BY_NODE(0.42, 0, 0, 0), KECKLER ": 240 fJ/bit/mm, half of the bits toggle; 3.5 mm a hop: Dublish 2018, on link latencies"},
    [ENERGY_SHADOW] = {COMPONENT_L1, BY_NODE(20, 0, 0, 0), "assumed: two 64-bit reads of 8 KB (" HOROWITZ ": 10 pJ) for four tags of 26 bits"},
    [ENERGY_L2] = {COMPONENT_L2, BY_NODE(40, 0, 0, 0), "assumed: four 64-bit reads of 8 KB (" HOROWITZ ": 10 pJ)"},
    [ENERGY_L2_DATA] = {COMPONENT_L2, BY_NODE(0, 11.3, 0, 3.5), JOULE ": 15.48 pJ/bit from L2 to L1, " ANTEPARA ": 4.71, less network and L1 fill"},
    [ENERGY_CONTROLLER] = {COMPONENT_CONTROLLER, BY_NODE(0, 5.2, 9.2, 9.2), JOULE ": 30.55 pJ/bit from DRAM to L2 less GDDR5 and L2; " ANTEPARA ": 13.11 less HBM2; 12 nm assumed"},
    [ENERGY_ACTIVATE] = {COMPONENT_DRAM, BY_DRAM(909, 909, 909, 909, 909, 909), OCONNOR ", table 3: 909 pJ for a row of 1 KB of HBM2; others assumed the same"},
    [ENERGY_DRAM] = {COMPONENT_DRAM, BY_DRAM(12.8, 7.5, 40, 20, 2.7, 2.7), OCONNOR ": GDDR5 14.0 and HBM2 3.92 pJ/bit, less 1.21 for activates; GDDR6 Micron; DDR " HOROWITZ ": 1.3 to 2.6 nJ per 64 bits; HBM3 assumed"},
    [ENERGY_LINK] = {COMPONENT_NETWORK, BY_NODE(10, 10, 10, 10), "Milic, PhD thesis 2017, chapter 6: 10 pJ/bit for links and switch"},
    [ENERGY_PROBE] = {COMPONENT_L2, BY_NODE(20, 0, 0, 0), "assumed: two 64-bit reads of 8 KB (" HOROWITZ ": 10 pJ)"},
    [ENERGY_REFRESH] = {COMPONENT_DRAM, BY_DRAM(29088, 29088, 29088, 29088, 29088, 29088), "assumed: as opening 32 KiB of rows"},
};

const struct energy_row energy_statics[STATIC_PARTS] = {
    [STATIC_SM] = {0, BY_NODE(1.59, 0, 0.283, 0), GPUWATTCH " and " ACCELWATTCH ": idle_core_power of their configurations"},
    [STATIC_L2] = {0, BY_NODE(1, 0, 0, 0), "assumed"},
    [STATIC_NETWORK] = {0, BY_NODE(0.05, 0, 0, 0), "assumed"},
    [STATIC_DRAM] = {0, BY_DRAM(0.7, 0.35, 0.7, 0.7, 0.25, 0.25), "assumed: 0.35 W for a GDDR5 chip"},
    [STATIC_CHIP] = {0, BY_NODE(32.3, 0, 20, 15), ACCELWATTCH ": constant_power 32.3 W, " ANTEPARA ": 54 W, less the other parts of those chips; 40 nm assumed"},
};
/* clang-format on */

static const double node_nm[TECHNOLOGIES] = {40, 28, 12, 7};

/* From 28 to 7 nm a bit from L1 falls 3.7 times, one from L2 3.3 times (Arunkumar, Antepara):
 * node^0.9, which also serves where only one technology is published. */
#define NODE_EXPONENT 0.9

/* A power law of the node through two published values, or through one with the exponent. */
static double between(const double *published, u32 a, u32 b, u32 at)
{
    double exponent = NODE_EXPONENT;
    if (a != b)
        exponent = log(published[a] / published[b]) / log(node_nm[a] / node_nm[b]);
    return published[a] * pow(node_nm[at] / node_nm[a], exponent);
}

double energy_row_value(const struct energy_row *row, enum energy_technology technology,
                        enum dram_preset dram)
{
    const double *p = row->published;
    if (row->by_dram)
        return p[dram];
    if (p[technology] > 0)
        return p[technology];
    u32 none = TECHNOLOGIES, older = none, newer = none;
    for (u32 i = 0; i < technology; i++)
        older = p[i] > 0 ? i : older;
    for (u32 i = TECHNOLOGIES; i-- > technology;)
        newer = p[i] > 0 ? i : newer;
    if (older == none)
        older = newer;
    if (newer == none)
        newer = older;
    assert(older < none && newer < none); /* every row has a published value */
    return between(p, older, newer, technology);
}
