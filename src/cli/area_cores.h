/* `heddle area` of chips of model cpu: their cores, part by part. */
#ifndef CLI_AREA_CORES_H
#define CLI_AREA_CORES_H

#include "config/config.h"

/* Area and nominal power of the cores of a chip beside those of another. */
bool area_print_cores(const struct config *base, const struct config *chip, bool as_json,
                      struct err *err);

#endif
