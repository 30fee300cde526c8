/*
 * A JSON value as text, as jansson writes it with an indent of one space, to the byte; a result of
 * a large chip has tens of thousands of numbers, which take a fifth of the time this way.
 */
#ifndef STATS_JSON_TEXT_H
#define STATS_JSON_TEXT_H

#include "base/text.h"

#include <jansson.h>

void json_text_append(struct text *out, const json_t *value);

#endif
