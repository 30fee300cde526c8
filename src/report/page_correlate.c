/* A page of a comparison with silicon. */
#include "report/correlate.h"
#include "report/page.h"

/* Of a launch the page draws only the cycles: all counters are in the CSV. */
static json_t *launches_of(const json_t *data)
{
    json_t *all = json_array(), *l;
    size_t i;
    json_array_foreach(json_object_get(data, "launches"), i, l)
    {
        if (!json_is_true(json_object_get(l, "counts")))
            continue;
        json_t *row = json_array();
        json_array_append(row, json_object_get(l, "program"));
        json_array_append(row, json_object_get(l, "kernel"));
        json_array_append(row, json_object_get(l, "launch"));
        json_array_append(row, json_object_get(json_object_get(l, "silicon"), "cycles"));
        json_array_append(row, json_object_get(json_object_get(l, "simulated"), "cycles"));
        json_array_append_new(all, row);
    }
    return all;
}

void page_correlate_make(const json_t *data, struct text *out)
{
    static const char *const scripts[] = {"base.js",   "export.js",         "frame.js",
                                          "tables.js", "correlate_page.js", NULL};
    struct text json = {0}, title = {0};
    json_t *shown = json_copy((json_t *)(uintptr_t)data);
    json_object_set_new(shown, "launches", launches_of(data));
    page_append_json(shown, &json);
    json_decref(shown);
    text_printf(&title, "%s beside silicon", json_text_at(data, "chip"));
    page_frame(&(struct page){title.data, &json, scripts}, out);
    text_fini(&json);
    text_fini(&title);
}
