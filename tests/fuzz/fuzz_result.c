/*
 * Any bytes as a result file: either it is read, compared and drawn into a page,
 * or there is one message; never a crash, a leak or a hang.
 */
#include "report/diff.h"
#include "report/page.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    struct result r;
    struct err err = ERR_INIT;
    if (!result_parse(&r, "fuzz.json", (const char *)data, size, &err)) {
        if (err.kind != ERR_INPUT || !err.what[0])
            abort();
        return 0;
    }
    struct diff diff;
    struct text out = {0};
    diff_make(&diff, &r, &r);
    diff_to_text(&diff, true, &out);
    json_decref(diff_to_json(&diff));
    diff_fini(&diff);
    json_t *page = page_data(&r, 1);
    page_append_json(page, &out);
    json_decref(page);
    text_fini(&out);
    result_fini(&r);
    return 0;
}
