/* A sweep from text to plan, on the chips of the source tree. */
#ifndef CAMPAIGN_BED_H
#define CAMPAIGN_BED_H

#include "testing.h"

#include "campaign/plan.h"

struct bed {
    struct arena arena;
    struct sweep_file file;
    struct plan plan;
    struct err err;
    char message[1600];
};

/* The message is "" when the plan was made. */
static inline const char *bed_open(struct bed *bed, const char *text)
{
    static const char *const bundled[] = {"bfs", "matmul"};
    struct study_host host = {
        .chip_folders = testing_chips(), .bundled = bundled, .bundled_count = ARRAY_LEN(bundled)};
    *bed = (struct bed){.err = ERR_INIT};
    if (!sweep_file_read_text(&bed->file, "s.yaml", text, strlen(text), &bed->arena, &bed->err) ||
        !plan_expand(&bed->plan, &bed->file, &host, false, &bed->arena, &bed->err))
        err_text(&bed->err, bed->message, sizeof bed->message);
    return bed->message;
}

static inline void bed_close(struct bed *bed)
{
    arena_fini(&bed->arena);
}

#endif
