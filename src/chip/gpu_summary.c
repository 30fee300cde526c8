/* A GPU run on one screen. */
#include "chip/gpu_model.h"

static double share(u64 part, u64 whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

static double per(double value, double count)
{
    return count > 0 ? value / count : 0;
}

void gpu_summary(const struct gpu *g, struct text *out)
{
    struct gpu_totals t;
    gpu_totals(g, &t);
    (void)share;
    text_printf(out, "  %llu warp instructions, IPC %.3f\n",
                (unsigned long long)t.warp_instructions,
                per((double)t.warp_instructions, (double)t.cycles));
}
