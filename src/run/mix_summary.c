/* The programs of a mix, a row each. */
#include "machine/machine.h"
#include "run/run.h"

#include <string.h>

static void row(const struct application *a, const struct application_result *r, const char *cache,
                struct text *out)
{
    const struct application_counts *c = &r->counts;
    bool is_cpu = a->kind->agents == AGENT_CPU;
    u64 instructions = is_cpu ? c->instructions : c->warp_instructions;
    const char *agents = agent_words(a->kind->agents);
    text_printf(out, "    %-16.16s ", a->name);
    if (a->end - a->first == 1) /* "core 0" */
        text_printf(out, "%.*s %u: ", (int)strlen(agents) - 1, agents, a->first);
    else
        text_printf(out, "%s %u-%u: ", agents, a->first, a->end - 1);
    if (r->has_ended)
        text_printf(out, "%llu cycles (%.3f ms), IPC %.2f", (unsigned long long)r->cycles,
                    (double)r->fs / 1e12, application_ipc(a, r));
    else
        text_printf(out, "did not complete a run");
    if (r->has_ended && r->has_alone)
        text_printf(out, " (alone %.2f: slowdown %.2f)", r->alone_ipc, application_slowdown(a, r));
    text_printf(out, ", %.3f M %sinstructions", (double)instructions / 1e6, is_cpu ? "" : "warp ");
    if (!is_cpu)
        text_printf(out, ", %llu kernel%s", (unsigned long long)r->kernels,
                    r->kernels == 1 ? "" : "s");
    if (c->l2_accesses)
        text_printf(out, ", %s hits %.1f %%", cache,
                    100 * (double)c->l2_hits / (double)c->l2_accesses);
    if (r->has_ended)
        text_printf(out, "; %llu complete run%s", (unsigned long long)r->complete_runs,
                    r->complete_runs == 1 ? "" : "s");
    text_printf(out, "\n");
}

void run_applications_summary(const struct run *run, struct text *out)
{
    if (!run->mix)
        return;
    const struct machine *m = run->machine;
    const char *cache = strcmp(m->memories[0].config.cache_name, "l2") == 0 ? "L2" : "LLC";
    text_printf(out, "  applications, each in its %s\n",
                run->window.has_begun ? "window" : "first run");
    for (u32 i = 0; i < run->mix->count; i++)
        row(&run->mix->applications[i], &run->applications[i], cache, out);
}
