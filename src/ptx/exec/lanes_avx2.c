/* The lane loops for processors with AVX2 and FMA; the build gives this file their flags. */
#define LANES_TABLE lanes_avx2
#include "ptx/exec/lanes_body.h"
