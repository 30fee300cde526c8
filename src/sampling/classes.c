#include "sampling/classes.h"

#include "base/arena.h"

#include <math.h>
#include <stdlib.h>

static double ratio_less_1(double a, double b)
{
    double low = a < b ? a : b, high = a < b ? b : a;
    return high <= 0 ? 0 : low <= 0 ? INFINITY : high / low - 1;
}

static void widen(double *most, double difference, double tolerance)
{
    if (difference / tolerance > *most)
        *most = difference / tolerance;
}

double signature_distance(const struct signature *a, const struct signature *b)
{
    double most = 0;
    widen(&most, ratio_less_1((double)a->warp_instructions, (double)b->warp_instructions),
          CLASS_SIZE);
    /* below the size of a small cache it does not matter */
    widen(&most,
          ratio_less_1((double)a->footprint_sectors + 1024, (double)b->footprint_sectors + 1024),
          CLASS_FOOTPRINT);
    for (u32 d = 0; d < SIGNATURE_DIMENSIONS; d++)
        widen(&most, fabs(a->vector[d] - b->vector[d]), CLASS_VECTOR);
    for (u32 u = 0; u < UNIT_COUNT; u++)
        widen(&most, fabs(a->units[u] - b->units[u]), CLASS_MIX);
    widen(&most, fabs(a->lanes - b->lanes), CLASS_LANES);
    widen(&most, fabs(a->stores - b->stores), CLASS_MIX);
    widen(&most, ratio_less_1(a->sectors + 1, b->sectors + 1), CLASS_SECTORS);
    return most;
}

/* The nearest class, and how far; INFINITY: there is none. */
static u32 nearest_class(const struct launch_classes *c, const struct signature *s,
                         double *distance)
{
    u32 nearest = 0;
    *distance = INFINITY;
    for (u32 i = 0; i < c->count; i++) {
        if (c->classes[i].is_alone)
            continue;
        double d = fmin(signature_distance(&c->classes[i].leader, s), 1e300);
        if (d < *distance) {
            *distance = d;
            nearest = i;
        }
    }
    return nearest;
}

u32 classes_add(struct launch_classes *c, const struct signature *s, bool is_first)
{
    double distance;
    u32 of = nearest_class(c, s, &distance);
    if (is_first || isinf(distance) || (distance > 1 && c->count < MOST_CLASSES)) {
        if (c->count == c->room) {
            c->room = c->room ? 2 * c->room : 4;
            c->classes = xrealloc(c->classes, c->room * sizeof *c->classes);
        }
        of = c->count++;
        c->classes[of] = (struct launch_class){.leader = *s, .is_alone = is_first};
    }
    c->classes[of].population++;
    c->classes[of].size += (double)s->warp_instructions;
    return of;
}

void classes_fini(struct launch_classes *c)
{
    free(c->classes);
    *c = (struct launch_classes){0};
}
