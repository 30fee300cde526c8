/*
 * Host of blackscholes: prices of options (see blackscholes.cu for its memory behaviour and use).
 *
 * The CPU does the same operations in the same order, also for exponential and logarithm: every
 * price is compared exactly.
 */
#include "formula.h"
#include "host.h"

static const struct host_choice choices[] = {
    {"options", "to price", .sizes = {4000, 150000, 4000000}},
    {"passes", "over all options", .sizes = {2, 4, 64}},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "blackscholes", choices, argc, argv);
    u32 count = host_measure(&h, "options"), blocks = host_pick(&h, 16, 240, 480);
    float *stock = host_random_f32(&h, "stock", count, 5, 30);
    float *strike = host_random_f32(&h, "strike", count, 1, 100);
    float *years = host_random_f32(&h, "years", count, 0.25f, 10), rate = 0.02f, volatility = 0.3f;
    float *call = HOST_ARRAY(&h, float, count), *put = HOST_ARRAY(&h, float, count);
    size_t bytes = count * sizeof(float);
    CUdeviceptr device_call = host_device_alloc(&h, bytes),
                device_put = host_device_alloc(&h, bytes);
    CUdeviceptr device_stock = host_upload(&h, stock, bytes);
    CUdeviceptr device_strike = host_upload(&h, strike, bytes);
    CUdeviceptr device_years = host_upload(&h, years, bytes);
    for (u32 i = 0, passes = host_measure(&h, "passes"); i < passes; i++)
        host_launch(&h, host_kernel(&h, "blackscholes"), DIM1(blocks), DIM1(128), 0,
                    ARGS(&device_call, &device_put, &device_stock, &device_strike, &device_years,
                         &rate, &volatility, &count));
    for (u32 i = 0; i < count; i++) {
        struct prices p = prices_of(stock[i], strike[i], years[i], rate, volatility);
        call[i] = p.call;
        put[i] = p.put;
    }
    host_check_f32(&h, "call", device_call, call, count);
    host_check_f32(&h, "put", device_put, put, count);
    return host_finish(&h);
}
