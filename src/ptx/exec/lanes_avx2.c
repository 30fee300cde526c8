/* The lane loops for processors with AVX2 and FMA; the build gives this file their flags. */
#define LANES_TABLE lanes_avx2
#define LANE_MEMORY_TABLE lane_memory_avx2
#include "ptx/exec/lanes_body.h"
#include "ptx/exec/lane_memory_body.h"
