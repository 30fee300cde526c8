/* Any bytes as a file of Poise weights: it is read and predicts a legal tuple, or there is one
 * message. */
#include "policy/warp/features.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    static const struct feature_sample most = {.2, .1, 800, 10}, least = {.6, .55, 300, 10};
    struct err err = ERR_INIT;
    struct weights w;
    if (!weights_read_text(&w, "input", (const char *)data, size, &err)) {
        if (err.kind != ERR_INPUT || !err.what[0])
            abort();
        return 0;
    }
    double x[FEATURE_COUNT];
    feature_vector(&most, &least, w.divisor, x);
    struct prediction p = weights_predict(&w, x, 10, 24, 16);
    if (p.p < 1 || p.p > p.n || p.n > 16)
        abort();
    return 0;
}
