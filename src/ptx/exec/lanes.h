/* The lane loops, compiled for several instruction sets; one is chosen when a program is loaded. */
#ifndef PTX_EXEC_LANES_H
#define PTX_EXEC_LANES_H

#include "ptx/decode/op.h"

enum lane_id {
    LANE_NONE,
#define L1(name, ...) LANE_##name,
#define L2(name, ...) LANE_##name,
#define L3(name, ...) LANE_##name,
#define F1(name, ...) LANE_##name, LANE_##name##_sat,
#define F2(name, ...) LANE_##name, LANE_##name##_sat,
#define F3(name, ...) LANE_##name, LANE_##name##_sat,
#define D1(name, ...) LANE_##name,
#define D2(name, ...) LANE_##name,
#define D3(name, ...) LANE_##name,
#define C2(name, ...) LANE_##name,
#define M1(name, ...) LANE_##name,
#include "ptx/exec/lanes.def"
#undef L1
#undef L2
#undef L3
#undef F1
#undef F2
#undef F3
#undef D1
#undef D2
#undef D3
#undef C2
#undef M1
    LANE_COUNT,
};

lane_fn *const *lanes_select(void);
extern lane_fn *const lanes_baseline[LANE_COUNT];
extern lane_fn *const lanes_avx2[LANE_COUNT];

/* Any scalar_fn over the lanes of a mask. */
lane_fn lanes_scalar;

#endif
