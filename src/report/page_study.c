/* A page of a study: published beside measured. */
#include "report/page.h"

#include "base/file.h"
#include "base/version.h"

#include <string.h>

#define VERDICT_FILE "a verdict.json that `heddle study` wrote"

/* Each of these is a list of objects where it is there; what they hold may be absent. */
static bool check_lists(const char *file, const json_t *verdict, struct err *err)
{
    static const char *const lists[] = {"checks", "figures", "tables"};
    for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
        const json_t *list = json_object_get(verdict, lists[i]);
        bool good = !list || json_is_array(list);
        for (size_t k = 0; good && k < json_array_size(list); k++)
            good = json_is_object(json_array_get(list, k));
        if (!good)
            return err_at(err, (struct src_pos){file, 0, 0},
                          "\"%s\" is not a list of objects, expected %s", lists[i], VERDICT_FILE);
    }
    return true;
}

static bool check_verdict(const char *file, const json_t *verdict, struct err *err)
{
    const char *format = json_text_at(verdict, "format");
    if (strcmp(format, STUDY_FORMAT) != 0)
        return err_found(err, (struct src_pos){file, 0, 0}, "format", *format ? format : "absent",
                         STUDY_FORMAT);
    return check_lists(file, verdict, err);
}

bool page_study_make(const char *file, const json_t *verdict, const char *title, struct text *out,
                     struct err *err)
{
    static const char *const scripts[] = {"base.js",          "export.js",     "frame.js",
                                          "tables.js",        "figures.js",    "multiples.js",
                                          "study_summary.js", "study_page.js", NULL};
    if (!check_verdict(file, verdict, err))
        return false;
    struct text data = {0}, made = {0};
    const char *name = json_text_at(verdict, "name");
    text_printf(&made, "Study %s", *name ? name : file);
    json_t *o = json_object();
    json_object_set_new(o, "heddle_version", json_string(HEDDLE_VERSION));
    json_object_set_new(o, "file", json_string(file));
    json_object_set_new(o, "study", json_deep_copy(verdict));
    page_append_json(o, &data);
    json_decref(o);
    page_frame(&(struct page){title ? title : made.data, &data, scripts}, out);
    text_fini(&data);
    text_fini(&made);
    return true;
}

bool page_study(const char *verdict_path, const char *out_path, struct err *err)
{
    json_t *verdict = json_read(verdict_path, VERDICT_FILE, err);
    struct text page = {0};
    bool ok = verdict && page_study_make(verdict_path, verdict, NULL, &page, err) &&
              file_write(out_path, &page, err);
    text_fini(&page);
    json_decref(verdict);
    return ok;
}
