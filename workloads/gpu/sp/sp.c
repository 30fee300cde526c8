/*
 * Host of sp: survey propagation (see sp.cu for its memory behaviour and use).
 *
 * All surveys of a round come from those of the round before, by the same operations in the same
 * order: they are compared exactly after the last round.
 */
#include "host.h"
#include "random.h"
#include "survey.h"

static const struct host_choice choices[] = {
    {"variables", "of the formula, with 4.2 clauses each", .sizes = {600, 20000, 1000000}},
    {"rounds", "of two kernels", .sizes = {3, 5, 20}},
    {"threads", "of a block", .sizes = {256, 256, 256}, .most = 1024},
    {0},
};

int main(int argc, char **argv)
{
    struct host h;
    host_init(&h, "sp", choices, argc, argv);
    u32 threads = host_measure(&h, "threads");
    u32 variables = host_measure(&h, "variables"), clauses = variables / 10 * 42;
    u32 edges = clauses * LITERALS, rounds = host_measure(&h, "rounds"), sum = 0;
    if (variables < 10)
        host_fail(&h, "--variables is %u, expected at least 10", variables);
    struct random r = random_stream(h.seed, "literals");
    u32 *literals = HOST_ARRAY(&h, u32, edges), *first = HOST_ARRAY(&h, u32, variables + 1);
    u32 *of = HOST_ARRAY(&h, u32, edges);
    for (u32 e = 0; e < edges; e++) {
        u32 v = random_below(r, 2 * e, variables);
        literals[e] = v | (random_u64(r, 2 * e + 1) & 1 ? NEGATED : 0);
        first[v]++;
    }
    for (u32 v = 0; v < variables; v++)
        first[v] = sum += first[v];
    first[variables] = sum;
    for (u32 e = edges; e-- > 0;)
        of[--first[literals[e] & ~NEGATED]] = e;
    struct formula f = {literals, first, of, variables, clauses},
                   device = {(const u32 *)host_upload(&h, literals, edges * sizeof(u32)),
                             (const u32 *)host_upload(&h, first, (variables + 1) * sizeof(u32)),
                             (const u32 *)host_upload(&h, of, edges * sizeof(u32)), variables,
                             clauses};

    float *surveys[2] = {host_random_f32(&h, "surveys", edges, 0, 0.9f),
                         HOST_ARRAY(&h, float, edges)};
    struct quiet *quiet = HOST_ARRAY(&h, struct quiet, variables);
    CUdeviceptr device_surveys[2] = {host_upload(&h, surveys[0], edges * sizeof(float)),
                                     host_device_alloc(&h, edges * sizeof(float))};
    CUdeviceptr device_quiet = host_device_alloc(&h, variables * sizeof *quiet);
    for (u32 i = 0; i < rounds; i++) {
        u32 from = i % 2, to = 1 - from;
        host_launch(&h, host_kernel(&h, "sp_variables"), DIM1(blocks_for(variables, threads)),
                    DIM1(threads), 0, ARGS(&device, &device_surveys[from], &device_quiet));
        host_launch(&h, host_kernel(&h, "sp_clauses"), DIM1(blocks_for(clauses, threads)),
                    DIM1(threads), 0,
                    ARGS(&device, &device_quiet, &device_surveys[from], &device_surveys[to]));
        for (u32 v = 0; v < variables; v++)
            quiet[v] = quiet_of(&f, surveys[from], v);
        for (u32 e = 0; e < edges; e++)
            surveys[to][e] = survey_of(&f, quiet, surveys[from], e);
    }
    host_check_f32(&h, "surveys", device_surveys[rounds % 2], surveys[rounds % 2], edges);
    return host_finish(&h);
}
