/* What these programs add to those of silicon/programs: whole numbers as input. */
#pragma once
#include "../programs/program.h"

template <typename T> void fill_below(array<T> &a, unsigned limit)
{
    for (T &v : a.host)
        v = (T)(next_random() % limit);
    a.upload();
}

template <typename T> void expect_finite(array<T> &a, const char *what)
{
    expect(cudaDeviceSynchronize(), what);
    a.download();
    double sum = 0;
    for (T v : a.host)
        sum += (double)v;
    if (!(sum - sum == 0))
        check(what, 1, 0);
}
