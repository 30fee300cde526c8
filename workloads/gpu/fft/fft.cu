// Fourier transforms of a batch, one pass over memory per factor of two
//
// Memory: reads two streams half a transform apart, writes with growing strides: coalesced where
// runs are longer than a warp. A pass moves everything once: bound by DRAM bandwidth where the
// batch is larger than the caches. Used by: the study of shared caches (fft, type B); from the
// algorithm (Stockham 1966).
#include "butterfly.h"

extern "C" __global__ void fft(const struct complex *from, struct complex *to,
                               const struct complex *root, u32 n, u32 run, u32 count)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x, start = i / (n / 2) * n;
    if (i < count)
        butterfly(from + start, to + start, root, n, run, i % (n / 2));
}
