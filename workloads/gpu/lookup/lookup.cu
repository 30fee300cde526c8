// lookups of neutron cross sections at random energies in a large table
//
// Memory: random reads of one table that all threads share: bisections, the first steps of which
// hit, the last of which are lines of their own, then a few neighbouring words. Materials have few
// or many nuclides: divergence. Bound by latency and by how much of the table fits into L2. Used
// by: the study of several sockets (RSBench: no place for the table is near everybody); from the
// algorithm (Tramm et al.: PHYSOR 2014).
#include "cross.h"

extern "C" __global__ void lookup(struct library l, u32 seed, struct sums *out, u32 count)
{
    u32 n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n < count)
        out[n] = cross_sections(&l, seed, n);
}
