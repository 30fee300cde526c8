/* The lines behind each one that is used: Smith, ACM Computing Surveys 1982. */
#include "cpu/prefetcher.h"

struct next_line_config {
    u32 lines;
};

/* clang-format off */
static const struct param next_line_params[] = {
    P_U32(next_line_config, lines, 1, 1, MOST_PREFETCHES, "lines", "next lines to prefetch", "Smith 1982"),
    P_END,
};
/* clang-format on */

static void access_line(struct prefetcher *p, const struct prefetch_access *a,
                        struct prefetches *out)
{
    const struct next_line_config *c = p->config;
    for (u32 i = 1; i <= c->lines; i++)
        prefetches_add(out, a->line + (u64)i * a->line_bytes);
}

PREFETCHER(next_line) = {
    .version = POLICY_VERSION,
    .name = "next_line",
    .source = "Smith, ACM Computing Surveys 1982",
    .params = next_line_params,
    .config_bytes = sizeof(struct next_line_config),
    .access = access_line,
};
