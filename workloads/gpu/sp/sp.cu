// survey propagation on a random 3-SAT formula
//
// Memory: variables gather surveys from the clauses they are in, clauses gather products from their
// variables: random reads over everything, short and of different lengths. Few blocks, many short
// launches.
// Used by: the study of several sockets (LonestarGPU's sp: about 75 blocks); from the equations.
#include "survey.h"

extern "C" __global__ void sp_variables(struct formula f, const float *surveys, struct quiet *quiet)
{
    u32 v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < f.variables)
        quiet[v] = quiet_of(&f, surveys, v);
}

extern "C" __global__ void sp_clauses(struct formula f, const struct quiet *quiet,
                                      const float *surveys, float *next)
{
    u32 c = blockIdx.x * blockDim.x + threadIdx.x;
    for (u32 k = 0; c < f.clauses && k < LITERALS; k++)
        next[LITERALS * c + k] = survey_of(&f, quiet, surveys, LITERALS * c + k);
}
