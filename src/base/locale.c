#include "base/locale.h"

#include <locale.h>

static _Thread_local u32 depth;
static _Thread_local locale_t c, outside;

bool locale_enter(void)
{
    if (depth++ == 0) {
        if (!c)
            c = newlocale(LC_ALL_MASK, "C", (locale_t)0); /* a constant of the C library */
        outside = uselocale(c);
    }
    return true;
}

void locale_leave(const bool *entered)
{
    (void)entered;
    if (--depth == 0)
        uselocale(outside);
}
