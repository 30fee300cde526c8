/*
 * What the execution of a launch tells of it: how often each instruction was executed, by how many
 * lanes, what its accesses to global memory look like, and how much of memory they touch.
 *
 * One collector per executor, so that SMs on different host threads share nothing. Collectors of
 * one launch are added up into a signature; two launches with close signatures are expected to take
 * equally long (sampling/classes.h).
 */
#ifndef PTX_EXEC_SIGNATURE_H
#define PTX_EXEC_SIGNATURE_H

#include "device/recent_lines.h"
#include "source/warp_instruction.h"

struct program;

#define SIGNATURE_DIMENSIONS 8u
#define FOOTPRINT_REGISTERS 256u

struct signature_collector {
    const struct program *program; /* whose instructions are counted; NULL: none yet */
    u64 **executed;                /* by function and instruction; NULL: the function has not run */
    u32 *sizes;                    /* instructions of each of those */
    u32 function_count;
    u64 lanes;             /* that executed something */
    u64 accesses, sectors; /* warp instructions on global memory; sectors that they named */
    u64 stores;            /* of the accesses: stores and atomics */
    u8 footprint[FOOTPRINT_REGISTERS]; /* HyperLogLog of the sectors (Flajolet et al., 2007) */
    struct recent_lines *recent;       /* gets every access as well; NULL: none */
};

/* A launch. Everything but the first two is a share or a mean, so that launches of different sizes
 * compare. */
struct signature {
    u64 warp_instructions;
    u64 footprint_sectors;               /* different ones, within 7 % */
    double vector[SIGNATURE_DIMENSIONS]; /* instructions by their share, projected */
    double units[UNIT_COUNT];            /* instruction mix */
    double lanes;                        /* of a warp instruction */
    double sectors;                      /* of an access */
    double accesses, stores;             /* of an instruction */
};

/* Forgets what was collected; the program's instructions can be counted. */
void collector_begin(struct signature_collector *c, const struct program *p);
void collector_fini(struct signature_collector *c);
/* All collectors of a launch together; those without a program have seen nothing. */
void signature_sum(struct signature *s, const struct signature_collector *collectors, u32 count);

#endif
