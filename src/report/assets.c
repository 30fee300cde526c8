#include "report/assets.h"

#include "base/arena.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

void asset_append(const char *name, struct text *out)
{
    const struct asset *a = report_assets;
    while (a->name && strcmp(a->name, name) != 0)
        a++;
    assert(a->name && "every file of report/ is in the table");
    uLongf bytes = a->bytes;
    char *plain = xrealloc(NULL, a->bytes + 1);
    int status = uncompress((Bytef *)plain, &bytes, a->packed, a->packed_bytes);
    assert(status == Z_OK && bytes == a->bytes);
    (void)status;
    text_append(out, plain, bytes);
    free(plain);
}
