/* The lane loops for any x86-64. */
#define LANES_TABLE lanes_baseline
#include "isa/exec/lanes_body.h"
