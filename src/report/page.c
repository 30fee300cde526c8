#include "report/page.h"

#include "report/assets.h"

#include <assert.h>
#include <string.h>

void page_append_escaped(const char *s, struct text *out)
{
    for (; *s; s++) {
        switch (*s) {
        case '&':
            text_printf(out, "&amp;");
            break;
        case '<':
            text_printf(out, "&lt;");
            break;
        case '>':
            text_printf(out, "&gt;");
            break;
        case '"':
            text_printf(out, "&quot;");
            break;
        default:
            text_append(out, s, 1);
        }
    }
}

/* In JSON a '<' stands only in strings, where its escape means the same; without it nothing can
 * end the script element or open a comment in it. */
static int append_escaping(const char *bytes, size_t size, void *context)
{
    struct text *out = context;
    for (const char *end = bytes + size; bytes < end;) {
        const char *stop = memchr(bytes, '<', (size_t)(end - bytes));
        size_t plain = (size_t)((stop ? stop : end) - bytes);
        text_append(out, bytes, plain);
        if (stop)
            text_printf(out, "\\u003c");
        bytes += plain + (stop ? 1 : 0);
    }
    return 0;
}

void page_append_json(const json_t *data, struct text *out)
{
    json_dump_callback(data, append_escaping, out, JSON_COMPACT);
}

/* "a, b and c on CHIP" */
static void append_programs(const json_t *programs, const char *chip, struct text *out)
{
    size_t count = json_array_size(programs);
    for (size_t i = 0; i < count; i++) {
        const char *join = i == 0 ? "" : i + 1 < count ? ", " : " and ";
        text_printf(out, "%s%s", join, json_text_at(json_array_get(programs, i), "name"));
    }
    text_printf(out, " on %s", chip);
}

static void append_title(const struct result *runs, u32 count, struct text *out)
{
    const json_t *programs = json_object_get(runs[0].root, "applications");
    if (count == 1 && json_array_size(programs))
        append_programs(programs, result_about(&runs[0], "chip"), out);
    else if (count == 1)
        text_printf(out, "%s on %s", result_about(&runs[0], "workload"),
                    result_about(&runs[0], "chip"));
    else
        text_printf(out, "%u runs compared", count);
}

/* report/page.html has one mark @name@ for each part. */
void page_frame(const struct page *page, struct text *out)
{
    static const char *const marks[] = {"@title@", "@style@", "@data@", "@library@", "@script@"};
    struct text frame = {0};
    asset_append("page.html", &frame);
    const char *at = frame.data;
    for (u32 i = 0; i < ARRAY_LEN(marks); i++) {
        const char *mark = strstr(at, marks[i]);
        assert(mark && "page.html has every mark, in this order");
        text_append(out, at, (size_t)(mark - at));
        at = mark + strlen(marks[i]);
        switch (i) {
        case 0:
            page_append_escaped(page->title, out);
            break;
        case 1:
            asset_append("report.css", out);
            break;
        case 2:
            text_append(out, page->data->data, page->data->length);
            break;
        case 3:
            asset_append("echarts.min.js", out);
            break;
        default:
            for (const char *const *script = page->scripts; *script; script++)
                asset_append(*script, out);
        }
    }
    text_append(out, at, strlen(at));
    text_fini(&frame);
}

void page_make(const struct result *runs, u32 count, const char *title, struct text *out)
{
    static const char *const scripts[] = {
        "base.js",   "export.js",    "frame.js",      "tables.js",      "runs.js",
        "models.js", "bars.js",      "roofline.js",   "gpu_figures.js", "core_energy.js",
        "series.js", "programs.js",  "heat.js",       "reuse.js",       "sockets.js",
        "mesh.js",   "front_end.js", "run_tables.js", "run_page.js",    NULL};
    struct text data = {0}, made = {0};
    json_t *json = page_data(runs, count);
    page_append_json(json, &data);
    json_decref(json);
    append_title(runs, count, &made);
    page_frame(&(struct page){title ? title : made.data, &data, scripts}, out);
    text_fini(&data);
    text_fini(&made);
}
