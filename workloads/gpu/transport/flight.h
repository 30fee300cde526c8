/*
 * The life of a particle in a cube of cells with walls that let it out: shared by the kernel and
 * the host. Flights are as long as in the densest cell; a collision elsewhere counts only by chance
 * (Woodcock et al. 1965).
 */
#ifndef TRANSPORT_FLIGHT_H
#define TRANSPORT_FLIGHT_H

#include "elementary.h"
#include "mix.h"

#define MOST_FLIGHTS 64

struct particle {
    float at[3], along[3];
    u32 random; /* the position of the next random number */
};

BOTH void turn(struct particle *p)
{
    float z = fmaf(2.0f, mix_unit(p->random), -1.0f), turns = mix_unit(p->random + 1);
    float across = sqrtf(fmaf(-z, z, 1.0f));
    p->along[0] = across * el_cos_turns(turns);
    p->along[1] = across * el_sin_turns(turns);
    p->along[2] = z;
    p->random += 2;
}

/* In the middle of the cube. */
BOTH struct particle particle_at(u32 number, u32 seed, u32 side)
{
    float middle = 0.5f * (float)side;
    struct particle p = {{middle, middle, middle}, {0, 0, 0}, mix_u32(number + seed) & ~1023u};
    turn(&p);
    return p;
}

/* To the next possible collision; false: it has left the cube. */
BOTH bool fly(struct particle *p, u32 side, u32 *cell)
{
    float length = -el_log(mix_unit(p->random++));
    u32 at = 0;
    for (u32 k = 3; k-- > 0;) {
        p->at[k] = fmaf(length, p->along[k], p->at[k]);
        if (!(p->at[k] >= 0 && p->at[k] < (float)side))
            return false;
        at = at * side + (u32)p->at[k];
    }
    *cell = at;
    return true;
}

#endif
