#include "policy/warp/goodness.h"

#include <math.h>

static struct goodness_times times(double memory, double busy)
{
    return (struct goodness_times){memory, busy, memory > busy ? memory - busy : 0};
}

struct goodness_times goodness_before(const struct goodness_inputs *g)
{
    double memory = g->latency_o * ceil(g->n * (1 - g->h_o) / g->mshrs); /* (1) */
    double busy = g->n * g->h_o * g->work * g->pipe_cycles;              /* (2) */
    return times(memory, busy);                                          /* (3) */
}

struct goodness_times goodness_after(const struct goodness_inputs *g)
{
    double others = g->n - g->p, misses = (1 - g->h_np) * others + (1 - g->h_p) * g->p;
    double memory = g->latency * ceil(misses / g->mshrs);                        /* (4) */
    double busy = (g->p * g->h_p + others * g->h_np) * g->work * g->pipe_cycles; /* (5) */
    return times(memory, busy);                                                  /* (6) */
}

struct goodness_parts goodness_parts(const struct goodness_inputs *g)
{
    double others = g->n - g->p, before = (1 - g->h_o) * g->latency_o;
    return (struct goodness_parts){
        .busy_p = g->p * (g->h_p - g->h_o) * g->work * g->pipe_cycles,
        .busy_np = others * (g->h_np - g->h_o) * g->work * g->pipe_cycles,
        .memory_p = g->p * ((1 - g->h_p) * g->latency - before) / g->mshrs,
        .memory_np = others * ((1 - g->h_np) * g->latency - before) / g->mshrs};
}

double goodness(const struct goodness_inputs *g)
{
    struct goodness_parts t = goodness_parts(g);
    return (t.busy_p + t.busy_np) / (t.memory_np + t.memory_p);
}

double goodness_p_np(const struct goodness_inputs *g)
{
    double cost = (1 - g->h_np) * g->latency - (1 - g->h_o) * g->latency_o;
    return g->pipe_cycles * g->mshrs * (g->p / (g->n - g->p)) *
           (g->work * (g->h_p - g->h_o) / cost);
}
