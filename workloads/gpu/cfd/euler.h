/*
 * The Euler equations of one face, for the kernels and for the CPU: one text, so that both do the
 * same operations in the same order (neither compiler fuses them).
 *
 * Rusanov's flux (local Lax-Friedrichs): the mean of both sides' fluxes through the face, less the
 * difference of the states times the fastest wave.
 */
#ifndef CFD_EULER_H
#define CFD_EULER_H

#ifdef WORKLOADS_DEVICE_H /* the kernels include it first */
#define EULER_CALL static __device__ __attribute__((always_inline))
#else
#include <math.h>
#define EULER_CALL static inline
#endif

#define GAMMA 1.4f
#define VARIABLES 5 /* density, momentum in x, y and z, energy: all per volume */
#define FACES 4
#define WALL -1 /* instead of a neighbour */
#define FAR -2  /* the undisturbed flow */

struct flow {
    float of[VARIABLES];
};

/* What the conserved variables say about the gas. */
struct gas {
    float velocity[3], pressure, wave; /* wave: the fastest, speed + sound */
};

EULER_CALL struct gas gas_of(const struct flow *u)
{
    struct gas g;
    float square = 0;
    for (int k = 0; k < 3; k++) {
        g.velocity[k] = u->of[1 + k] / u->of[0];
        square = square + g.velocity[k] * g.velocity[k];
    }
    g.pressure = (GAMMA - 1) * (u->of[4] - 0.5f * u->of[0] * square);
    g.wave = sqrtf(square) + sqrtf(GAMMA * g.pressure / u->of[0]);
    return g;
}

/* Adds to `sum` half of what the flow u carries through a face against its outward normal. */
EULER_CALL void add_half_flux(struct flow *sum, const struct flow *u, const struct gas *g,
                              const float *normal)
{
    float through = g->velocity[0] * normal[0] + g->velocity[1] * normal[1];
    through = through + g->velocity[2] * normal[2];
    sum->of[0] = sum->of[0] - 0.5f * (u->of[0] * through);
    for (int k = 0; k < 3; k++)
        sum->of[1 + k] = sum->of[1 + k] - 0.5f * (u->of[1 + k] * through + g->pressure * normal[k]);
    sum->of[4] = sum->of[4] - 0.5f * ((u->of[4] + g->pressure) * through);
}

/* A face between two flows. */
EULER_CALL void add_face(struct flow *sum, const struct flow *mine, const struct gas *my_gas,
                         const struct flow *other, const float *normal)
{
    struct gas g = gas_of(other);
    float length = normal[0] * normal[0] + normal[1] * normal[1];
    length = sqrtf(length + normal[2] * normal[2]);
    float damping = 0.25f * length * (my_gas->wave + g.wave);
    for (int v = 0; v < VARIABLES; v++)
        sum->of[v] = sum->of[v] + damping * (other->of[v] - mine->of[v]);
    add_half_flux(sum, mine, my_gas, normal);
    add_half_flux(sum, other, &g, normal);
}

/* Nothing goes through a wall: only the pressure acts. */
EULER_CALL void add_wall(struct flow *sum, const struct gas *my_gas, const float *normal)
{
    for (int k = 0; k < 3; k++)
        sum->of[1 + k] = sum->of[1 + k] - my_gas->pressure * normal[k];
}

/* How far an element may advance per unit of flux: the time step over the volume. */
EULER_CALL float step_over_volume(const struct flow *u, float volume)
{
    struct gas g = gas_of(u);
    return 0.5f / (sqrtf(volume) * g.wave);
}

#endif
