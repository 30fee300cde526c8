/*
 * Where a part of a machine is built: which simulation, under which name, below which node of the
 * statistics, in which socket. Handed to every _init, so that no part takes itself for the only
 * one.
 */
#ifndef SIM_SITE_H
#define SIM_SITE_H

#include "sim/sim.h"

struct build_site {
    struct sim *sim;
    const char *prefix; /* of the names of units, ports and clocks: "" or "socket1." */
    stat_node node;     /* what the part counts goes below it */
    u32 socket;
};

/* A whole machine of one socket. */
static inline struct build_site site_of(struct sim *sim)
{
    return (struct build_site){.sim = sim, .prefix = "", .node = STAT_ROOT};
}

/* The site's name for one of several: "socket1.l2.bank3". */
static inline const char *site_name(const struct build_site *s, const char *what, u32 index)
{
    return arena_printf(&s->sim->arena, "%s%s%u", s->prefix, what, index);
}

/* And for the only one. */
static inline const char *site_name_of(const struct build_site *s, const char *what)
{
    return *s->prefix ? arena_printf(&s->sim->arena, "%s%s", s->prefix, what) : what;
}

#endif
