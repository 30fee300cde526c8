/* The lane loops for any x86-64. */
#define LANES_TABLE lanes_baseline
#define LANE_MEMORY_TABLE lane_memory_baseline
#include "ptx/exec/lanes_body.h"
#include "ptx/exec/lane_memory_body.h"
