// prices of options by the formula of Black and Scholes
//
// Memory: three streams read, two written, coalesced, some hundred instructions each; passes go
// over the same arrays. Where these fit into a cache all later passes hit, but enough warps hide
// either way. Full occupancy. Used by: the studies of shared caches (blackscholes, type D) and of
// cache regions (five regions;
// --options 4000000 has 76.3 MiB); from the formula.
#include "formula.h"

extern "C" __global__ void blackscholes(float *call, float *put, const float *stock,
                                        const float *strike, const float *years, float rate,
                                        float volatility, u32 count)
{
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        struct prices p = prices_of(stock[i], strike[i], years[i], rate, volatility);
        call[i] = p.call;
        put[i] = p.put;
    }
}
