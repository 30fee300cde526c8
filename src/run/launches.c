#include "run/launches.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool refuse(const char *text, struct err *err)
{
    return err_found(err, (struct src_pos){0}, "--launches", text,
                     "how many of the first, or a list of numbers and ranges such as 0,4,7-9");
}

static bool number(const char **at, u64 *out)
{
    char *end;
    if (!isdigit((unsigned char)**at))
        return false;
    *out = strtoull(*at, &end, 10);
    *at = end;
    return true;
}

bool launches_read(struct launches *l, const char *text, struct arena *arena, struct err *err)
{
    *l = (struct launches){.ranges = ARENA_ARRAY(arena, struct launch_range, strlen(text) / 2 + 1)};
    const char *at = text;
    for (;;) {
        struct launch_range *r = &l->ranges[l->count++];
        if (!number(&at, &r->first))
            return refuse(text, err);
        r->last = r->first;
        if (*at == '-' && (at++, !number(&at, &r->last) || r->last < r->first))
            return refuse(text, err);
        if (*at == '\0')
            break;
        if (*at++ != ',')
            return refuse(text, err);
    }
    if (l->count == 1 && !strchr(text, '-')) { /* so many of the first */
        if (l->ranges[0].first == 0)
            return refuse(text, err);
        l->ranges[0] = (struct launch_range){0, l->ranges[0].first - 1};
    }
    return true;
}

bool launches_has(const struct launches *l, u64 number)
{
    for (u32 i = 0; i < l->count; i++) {
        if (number >= l->ranges[i].first && number <= l->ranges[i].last)
            return true;
    }
    return !l->ranges;
}
