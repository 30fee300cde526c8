// one training step of a neural network's first layer: forward sums and weight update
//
// Memory: 17 weights per input (a bias and 16 hidden units), so the rows that blocks of 16 x 16
// read are never aligned: 64 bytes out of one line or two, all of it used by the same or the next
// block. Each weight is read once forward and read and written once backward with its last change;
// no reuse beyond the line. The forward sums go through shared memory as a tree with a barrier per
// level. Bound by instruction throughput and the load/store unit.
// Used by: the cooperative-caching study (Rodinia's backprop, 65536 inputs; here from the
// algorithm), also those of region-based power, NUMA GPUs and context switches. Small is the
// published size.
#include "device.h"

#define TILE 16 // inputs per block
#define HIDDEN 16
#define PITCH (HIDDEN + 1)

// Row i + 1 of `weights` belongs to input i, row 0 to the bias; column 0 is unused. Each block
// leaves in partial[block][unit] what its TILE inputs add to every hidden unit.
extern "C" __global__ void __launch_bounds__(TILE *HIDDEN)
    backprop_forward(const float *input, const float *weights, float *partial)
{
    __shared__ float node[TILE], term[TILE][HIDDEN];
    u32 unit = threadIdx.x, mine = threadIdx.y, i = blockIdx.x * TILE + mine + 1;
    if (unit == 0)
        node[mine] = input[i];
    __syncthreads();
    term[mine][unit] = weights[i * PITCH + unit + 1];
    __syncthreads();
    term[mine][unit] = term[mine][unit] * node[mine];
    __syncthreads();
    for (u32 apart = 1; apart < TILE; apart *= 2) {
        if (mine % (2 * apart) == 0)
            term[mine][unit] += term[mine + apart][unit];
        __syncthreads();
    }
    if (unit == 0)
        partial[blockIdx.x * HIDDEN + mine] = term[0][mine];
}

// Every weight moves against its unit's error, and once more a part of its last change; in double,
// as the constants of the published program make it.
extern "C" __global__ void __launch_bounds__(TILE *HIDDEN)
    backprop_adjust(const float *input, const float *delta, float *weights, float *change,
                    double rate, double momentum)
{
    u32 unit = threadIdx.x, i = blockIdx.x * TILE + threadIdx.y + 1;
    u32 at = i * PITCH + unit + 1;
    double move = rate * delta[unit + 1] * input[i] + momentum * change[at];
    weights[at] = (float)(weights[at] + move);
    change[at] = (float)move;
}
