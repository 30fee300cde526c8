/* The lane loops for any x86-64. */
#define LANES_TABLE lanes_baseline
#include "ptx/exec/lanes_body.h"
