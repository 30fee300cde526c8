// breadth-first search in one launch, every block with a worklist of its own
//
// Memory: gathers of neighbours, atomics on distances and on the lists of other blocks; blocks that
// have nothing to do read their list's ends and a counter over and over. No arithmetic but on whole
// numbers. Nodes wait for no level: a distance may fall several times, so how much work there is
// depends on timing, the result does not.
// Used by: the study of block scheduling (LonestarGPU's data-driven search: 240 blocks of 128, no
// shared memory, one launch; here from the algorithm). --nodes 5000 to 80000 with 100,000 edges are
// its five densities.
//
// As many registers as published:
// .maxnreg bfs_wl 32
#include "relax_device.h"

struct steps {
    __device__ u32 along(u32 distance, u32) const
    {
        return distance + 1;
    }
};

extern "C" __global__ void __launch_bounds__(128)
    bfs_wl(const u32 *first, const u32 *to, u32 *distance, struct relax_lists lists)
{
    relax_run(first, to, distance, steps(), &lists);
}
