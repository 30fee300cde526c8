/*
 * Algorithms of Thrust, which stand on CUB: large templates, look-back scans
 * that spin between blocks, radix sort, allocation pools.
 *
 * Proves that library code nobody here wrote runs and gives the right answer.
 */
#define TEST "thrust"
#include "check.h"

#include <algorithm>
#include <thrust/device_vector.h>
#include <thrust/inner_product.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

int main(void)
{
    const int count = 20000;
    std::vector<int> host(count);
    for (int i = 0; i < count; i++)
        host[i] = (int)(mix(i) % 5000) - 2500;
    thrust::device_vector<int> device(host.begin(), host.end());
    long long sum = thrust::reduce(device.begin(), device.end(), 0LL), expected_sum = 0;
    for (int x : host)
        expected_sum += x;
    expect_equal("sum", 0, sum, expected_sum);

    thrust::device_vector<long long> running(count);
    thrust::inclusive_scan(device.begin(), device.end(), running.begin(),
                           thrust::plus<long long>());
    std::vector<long long> got_running(count);
    thrust::copy(running.begin(), running.end(), got_running.begin());
    long long so_far = 0;
    for (int i = 0; i < count; i++)
        expect_equal("running", i, got_running[i], so_far += host[i]);

    thrust::sort(device.begin(), device.end());
    std::sort(host.begin(), host.end());
    std::vector<int> got(count);
    thrust::copy(device.begin(), device.end(), got.begin());
    for (int i = 0; i < count; i++)
        expect_equal("sorted", i, got[i], host[i]);

    device.erase(thrust::unique(device.begin(), device.end()), device.end());
    host.erase(std::unique(host.begin(), host.end()), host.end());
    expect_equal("distinct", 0, device.size(), host.size());
    return pass();
}
