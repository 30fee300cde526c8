// matrix completion by stochastic gradient descent: factors of users and items from ratings
//
// Memory: a block of 16 threads has a range of users, and in each launch another range of items: a
// thread loads and stores one of 16 factors of a rating's user and item, which no other block
// touches then. Products go to shared memory for their sum. Short kernels, mostly dot products; how
// many ratings a block has depends on how popular its users and items are.
// Used by: the study of block scheduling (LonestarGPU's sgd: 900 blocks of 16, 68 bytes of shared
// memory). Ranges in diagonals (Gemulla et al.: KDD 2011), from the algorithm.
//
// As many registers as published:
// .maxnreg sgd_step 26
#include "device.h"

#define RANK 16

struct rating {
    u32 user, item;
    float value;
};

// The ratings of tile (user range, item range) begin at first[tile].
extern "C" __global__ void __launch_bounds__(RANK)
    sgd_step(const struct rating *ratings, const u32 *first, float *users, float *items, u32 round,
             float rate, float decay)
{
    // The last is the error. Volatile: clang 14 moves the load of what only one thread stores over
    // the barrier.
    __shared__ volatile float products[RANK + 1];
    u32 f = threadIdx.x, tile = blockIdx.x * gridDim.x + (blockIdx.x + round) % gridDim.x;
    for (u32 i = first[tile]; i < first[tile + 1]; i++) {
        struct rating r = ratings[i];
        float *p = &users[r.user * RANK + f], *q = &items[r.item * RANK + f];
        float of_user = *p, of_item = *q;
        products[f] = of_user * of_item;
        __syncthreads();
        if (f == 0) {
            float sum = products[0];
            for (u32 k = 1; k < RANK; k++)
                sum += products[k];
            products[RANK] = r.value - sum;
        }
        __syncthreads();
        float error = products[RANK];
        *p = fmaf(rate, fmaf(error, of_item, -(decay * of_user)), of_user);
        *q = fmaf(rate, fmaf(error, of_user, -(decay * of_item)), of_item);
    }
}
