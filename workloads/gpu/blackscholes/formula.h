/* The price of a European option (Black and Scholes 1973): shared by the kernel and the host. */
#ifndef BLACKSCHOLES_FORMULA_H
#define BLACKSCHOLES_FORMULA_H

#include "elementary.h"

struct prices {
    float call, put;
};

/* The normal distribution by the polynomial 26.2.17 of Abramowitz and Stegun. */
BOTH float normal(float d)
{
    float size = d < 0 ? -d : d, k = 1 / fmaf(0.2316419f, size, 1.0f);
    float sum = fmaf(fmaf(1.330274429f, k, -1.821255978f), k, 1.781477937f);
    sum = fmaf(fmaf(sum, k, -0.356563782f), k, 0.31938153f) * k;
    float tail = 0.39894228f * el_exp(-0.5f * d * d) * sum;
    return d < 0 ? tail : 1 - tail;
}

BOTH struct prices prices_of(float stock, float strike, float years, float rate, float volatility)
{
    float root = sqrtf(years), spread = volatility * root;
    float d1 =
        fmaf(fmaf(0.5f * volatility, volatility, rate), years, el_log(stock / strike)) / spread;
    float d2 = d1 - spread, discounted = strike * el_exp(-rate * years);
    float n1 = normal(d1), n2 = normal(d2);
    struct prices p = {fmaf(stock, n1, -(discounted * n2)),
                       fmaf(discounted, 1 - n2, -(stock * (1 - n1)))};
    return p;
}

#endif
