/*
 * A JSON value as text, as jansson writes it with an indent of one space, to the byte; a result of
 * a large chip has tens of thousands of numbers, which take a fifth of the time this way.
 */
#ifndef STATS_JSON_TEXT_H
#define STATS_JSON_TEXT_H

#include "base/text.h"

#include <jansson.h>

void json_text_append(struct text *out, const json_t *value);
/* The same of an object, whose value of one key is this text instead. */
void json_text_append_with(struct text *out, const json_t *object, const char *key,
                           const struct text *value);

/* Parts of a text that is never a tree: an object's next key at a depth, and its end. */
void json_text_key(struct text *out, u32 depth, bool is_first, const char *key);
void json_text_end(struct text *out, u32 depth, bool is_empty);
void json_text_integer(struct text *out, json_int_t value);
void json_text_value(struct text *out, u32 depth, const json_t *value);

#endif
