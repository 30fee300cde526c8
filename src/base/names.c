#include "base/names.h"

#include <stdio.h>
#include <string.h>

#define LONGEST 64

static u32 min3(u32 a, u32 b, u32 c)
{
    u32 m = a < b ? a : b;
    return m < c ? m : c;
}

/* Optimal string alignment distance; names longer than LONGEST are cut. */
static u32 edit_distance(const char *a, const char *b)
{
    size_t la = strnlen(a, LONGEST), lb = strnlen(b, LONGEST);
    u32 before[LONGEST + 1], last[LONGEST + 1], row[LONGEST + 1];
    memset(before, 0, sizeof before);
    for (size_t j = 0; j <= lb; j++)
        last[j] = (u32)j;
    for (size_t i = 1; i <= la; i++) {
        row[0] = (u32)i;
        for (size_t j = 1; j <= lb; j++) {
            u32 differs = a[i - 1] != b[j - 1];
            row[j] = min3(last[j] + 1, row[j - 1] + 1, last[j - 1] + differs);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < row[j])
                row[j] = before[j - 2] + 1;
        }
        memcpy(before, last, sizeof before);
        memcpy(last, row, sizeof last);
    }
    return last[lb];
}

const char *names_nearest(const char *found, const char *const *names, size_t count)
{
    size_t length = strnlen(found, LONGEST);
    u32 limit = length < 3 ? 1 : (u32)((length + 1) / 3);
    const char *best = NULL;
    for (size_t i = 0; i < count; i++) {
        u32 d = edit_distance(found, names[i]);
        if (d <= limit && d < strnlen(names[i], LONGEST)) {
            limit = d - (d > 0);
            best = names[i];
            if (d == 0)
                break;
        }
    }
    return best;
}

void names_join(char *out, size_t size, const char *const *names, size_t count)
{
    size_t used = 0;
    if (size)
        out[0] = '\0';
    for (size_t i = 0; i < count && used < size; i++) {
        const char *between = i == 0 ? "" : i + 1 == count ? " or " : ", ";
        int n = snprintf(out + used, size - used, "%s%s", between, names[i]);
        used += n > 0 ? (size_t)n : 0;
    }
}
