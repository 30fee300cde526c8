/* What is divided with a chip: config/scale.h. */
#ifndef MODELS_SCALES_H
#define MODELS_SCALES_H

#include "config/scale.h"

extern const struct scale_row chip_scales[]; /* ends with a NULL path */

#endif
