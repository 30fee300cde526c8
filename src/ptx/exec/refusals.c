#include "ptx/exec/refusals.h"

#include <stdio.h>
#include <string.h>

void refusals_add(struct refusals *r, const struct err *e)
{
    for (u32 i = 0; i < r->count; i++) {
        if (strcmp(r->kept[i].what, e->what) == 0 && strcmp(r->kept[i].file, e->file) == 0) {
            r->times[i]++;
            return;
        }
    }
    if (r->count == MOST_REFUSALS) {
        r->others++;
        return;
    }
    r->times[r->count] = 1;
    r->kept[r->count++] = *e;
}

bool refusals_none(const struct refusals *r, struct err *err)
{
    if (r->count == 0 || err->kind != ERR_NONE)
        return r->count == 0;
    const struct err *first = &r->kept[0];
    *err = *first;
    size_t used = strlen(err->what), room = sizeof err->what;
    u32 left = r->others;
    for (u32 i = 0; i < r->count; i++) {
        const struct err *e = &r->kept[i];
        bool elsewhere = strcmp(e->file, first->file) != 0;
        char place[300] = "", times[32] = "", one[sizeof e->what + sizeof place + sizeof times];
        if (i)
            snprintf(place, sizeof place, "; %s%s%u:%u: ", elsewhere ? e->file : "",
                     elsewhere ? ":" : "", e->line, e->column);
        if (r->times[i] > 1)
            snprintf(times, sizeof times, " (%u times)", r->times[i]);
        snprintf(one, sizeof one, "%s%s%s", place, i ? e->what : "", times);
        if (used + strlen(one) + 32 < room) /* or it is among those that are only counted */
            used += (size_t)snprintf(err->what + used, room - used, "%s", one);
        else
            left += r->times[i];
    }
    if (left)
        snprintf(err->what + used, room - used, "; and %u more", left);
    return false;
}
