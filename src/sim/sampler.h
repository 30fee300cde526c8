/* Samples a series at multiples of its interval; exists only when one is asked for. */
#ifndef SIM_SAMPLER_H
#define SIM_SAMPLER_H

#include "sim/engine.h"
#include "stats/series.h"

/* Add it last, so that it sees what its domain's other units did in the cycle. settle, if not
 * NULL, brings the machine's statistics up to the present first. */
void sampler_add(struct engine *e, domain_id domain, struct series *series,
                 void (*settle)(void *machine), void *machine);

#endif
