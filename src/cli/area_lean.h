/* `heddle area` of chips of model cpu with back ends by rate or shared I-caches: their lean cores
 * with I-caches, instruction buses and line buffers (power/lean_cost.h). */
#ifndef CLI_AREA_LEAN_H
#define CLI_AREA_LEAN_H

#include "config/config.h"

/* Whether a chip of model cpu is one of these. */
bool area_is_lean(const struct config *chip);
/* Area and power of the lean cores of a chip beside those of another. */
void area_print_lean(const struct config *base, const struct config *chip, bool as_json);

#endif
