/*
 * Which GPU programs a study's mixes may hold: `accepted: FILE` of a study.
 *
 * A table has a row for each program, size and arguments that were measured alone before any
 * mechanism ran: accepted is `yes` (it behaves as the published program), `type` (as programs of
 * another published type), `load` (it asks as often as a study needs) or `no`, and sha256 is of its
 * sources.
 */
#ifndef CAMPAIGN_ACCEPTED_H
#define CAMPAIGN_ACCEPTED_H

#include "base/arena.h"
#include "base/err.h"

struct mix;
struct study_host;

/* Every bundled GPU program of the mix is a row of the host's table that is accepted. */
bool accepted_check_mix(const struct study_host *host, const struct mix *mix, struct arena *arena,
                        struct err *err);

#endif
