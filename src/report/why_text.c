/* The answer of `heddle why` for a person. */
#include "report/why_rules.h"
#include "views/gpu_doubts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LABEL_WIDTH 40
#define NAME_WIDTH 14
#define HELPS 1.03 /* below, nothing is said to help */
#define MOST_HELPERS 3u

static u32 shown_kernels(const struct why *why, u32 most)
{
    return why->kernel_count < most ? why->kernel_count : most;
}

/* ---- the table ---- */

static void gain_cell(const struct why *why, const struct why_row *row, u32 variant,
                      struct text *out)
{
    double gain = why_gain(why, row, why->variants[variant].whatif->id);
    if (isnan(gain))
        text_printf(out, " %*s", NAME_WIDTH, "-");
    else
        text_printf(out, " %*.2f", NAME_WIDTH, gain);
}

static void table_row(const struct why *why, u32 variant, u32 kernels, struct text *out)
{
    const struct why_variant *v = &why->variants[variant];
    char label[96];
    snprintf(label, sizeof label, "%s%s", v->whatif->label, v->settings.is_limited ? " *" : "");
    text_printf(out, "  %-*s", LABEL_WIDTH, label);
    gain_cell(why, &why->all, variant, out);
    for (u32 i = 0; i < kernels; i++)
        gain_cell(why, &why->kernels[i], variant, out);
    text_printf(out, "\n");
}

static void table(const struct why *why, u32 kernels, struct text *out)
{
    bool any_limited = false;
    text_printf(out, "\n%-*s %*s", LABEL_WIDTH + 2, "times as fast with", NAME_WIDTH, "program");
    for (u32 i = 0; i < kernels; i++)
        text_printf(out, " %*.*s", NAME_WIDTH, NAME_WIDTH, why->kernels[i].name);
    text_printf(out, "\n");
    for (u32 i = 1; i < why->variant_count; i++) {
        table_row(why, i, kernels, out);
        any_limited |= why->variants[i].settings.is_limited;
    }
    if (any_limited)
        text_printf(out, "  * only as far as the parameters' ranges and the chip's shape allow\n");
}

/* ---- sentences ---- */

static void cost_sentence(const struct why *why, const struct why_costs *c, struct text *out)
{
    const struct why_words *w = why_words_of(why);
    if (isnan(c->all))
        return;
    if (!w->ladder[1]) {
        text_printf(out, "  - Memory below the %s costs %.2fx (%s).\n", w->private, c->all,
                    w->ladder[2]);
        return;
    }
    text_printf(
        out,
        "  - Memory below L1 costs %.2fx: contention in DRAM %.2f (fixed-dram), on the path "
        "between L1 and DRAM %.2f (infinite), latency without contention %.2f (perfect).\n",
        c->all, c->dram, c->path, c->latency);
}

static void helper(const struct why *why, const struct why_gain_row *g, struct text *out)
{
    const struct whatif *w = why->variants[g->variant].whatif;
    text_printf(out, "%s %.2fx (%s)", w->words, g->gain, w->id);
}

static void help_sentence(const struct why *why, const struct why_verdict *v, struct text *out)
{
    if (!v->gain_count)
        return;
    if (v->gains[0].gain < HELPS) {
        text_printf(out, "  - Nothing that was tried helps; the best is ");
        helper(why, &v->gains[0], out);
        text_printf(out, ".\n");
        return;
    }
    text_printf(out, "  - Helps most: ");
    for (u32 i = 0; i < MOST_HELPERS && i < v->gain_count && v->gains[i].gain >= HELPS; i++) {
        text_printf(out, "%s", i ? ", then " : "");
        helper(why, &v->gains[i], out);
    }
    text_printf(out, "; least: ");
    helper(why, &v->gains[v->gain_count - 1], out);
    text_printf(out, ".\n");
}

static void doubt_sentence(const struct why *why, const struct why_doubt *d, struct text *out)
{
    if (!d->claim)
        return;
    text_printf(
        out,
        "  - The run's own statistics point to %s, but the best of the changes that address it is ",
        d->claim);
    helper(why, &d->measured, out);
    text_printf(out, ".\n");
}

static double sum_of(const struct why *why, const struct why_row *row, const char *field)
{
    double value = why_value(why, row, field);
    return isnan(value) ? 0 : value;
}

/* The features of a kernel that the comparison of its chip with silicon leaves in doubt. */
static void validation_sentence(const struct why *why, const struct why_row *row, struct text *out)
{
    struct doubt_numbers n = {
        .cycles = sum_of(why, row, "cycles"),
        .launches = row->launches,
        .issued = sum_of(why, row, "scheduler_slots.issued"),
        .fetch = sum_of(why, row, "scheduler_slots.fetch"),
        .data_mem = sum_of(why, row, "scheduler_slots.data_mem"),
        .data_alu = sum_of(why, row, "scheduler_slots.data_alu"),
        .structural_mem = sum_of(why, row, "scheduler_slots.structural_mem"),
        .barrier = sum_of(why, row, "scheduler_slots.barrier"),
        .no_warp = sum_of(why, row, "scheduler_slots.no_warp"),
        .all_slots = sum_of(why, row, "scheduler_slots.*"),
        .l2_read_sectors = sum_of(why, row, "l2_read_sectors"),
        .l2_atomic_sectors =
            sum_of(why, row, "l2_atomic_sectors") + sum_of(why, row, "l2_reduction_sectors"),
        .shared_passes = sum_of(why, row, "shared_passes"),
        .dram_bytes = sum_of(why, row, "dram_read_bytes") + sum_of(why, row, "dram_written_bytes"),
    };
    u32 doubts = gpu_doubts(why->chip.data, &n);
    if (!doubts)
        return;
    text_printf(out, "  - Not validated: ");
    gpu_doubts_text(doubts, out);
    text_printf(out, ".\n");
}

static void judgement(const struct why *why, const struct why_row *row, struct text *out)
{
    struct why_verdict v;
    why_judge(why, row, &v);
    text_printf(out, "  Bound by %s", v.bound);
    for (u32 i = 0; i < v.measured_count; i++)
        text_printf(out, "%s%s %.2fx",
                    i ? ", " : " (measured: ", why->variants[v.measured[i].variant].whatif->id,
                    v.measured[i].gain);
    text_printf(out, "%s.\n", v.measured_count ? ")" : "");
    doubt_sentence(why, &v.doubt, out);
    for (u32 i = 0; i < v.cited_count; i++) {
        text_printf(out, "  - ");
        fact_text(v.cited[i], fact_value(v.cited[i], why, row), out);
        text_printf(out, ".\n");
    }
    cost_sentence(why, &v.costs, out);
    help_sentence(why, &v, out);
    if (why_words_of(why) == &why_gpu_words && row != &why->all)
        validation_sentence(why, row, out);
    for (u32 i = 0; i < v.remark_count; i++) {
        text_printf(out, "  - In the program: ");
        fact_text(v.remarks[i].fact, fact_value(v.remarks[i].fact, why, row), out);
        text_printf(out, "; %s.\n", v.remarks[i].advice);
    }
}

/* ---- the whole ---- */

static void headline(const struct why *why, struct text *out)
{
    const struct plan_workload *w = why->variants[0].point->workload;
    text_printf(out, "%s%s%s on %s: %.0f cycles", w->name, *w->size ? " " : "", w->size,
                why->chip.name, why->all.cycles[0]);
    if (why->is_sampled)
        text_printf(out, " (estimate)");
    else if (why_words_of(why) == &why_gpu_words)
        text_printf(out, ", %u launch%s of %u kernel%s", why->all.launches,
                    why->all.launches == 1 ? "" : "es", why->kernel_count,
                    why->kernel_count == 1 ? "" : "s");
    text_printf(out, "\n");
}

static void unfinished(const struct why *why, struct text *out)
{
    for (u32 i = 0; i < why->variant_count; i++) {
        const struct why_variant *v = &why->variants[i];
        if (v->point && !v->is_done)
            text_printf(out, "\n%s has no result: %s\n", v->whatif->id, v->error);
    }
}

/* A gain smaller than the intervals of the two runs is not told from none. */
static void sampling(const struct why *why, struct text *out)
{
    text_printf(out, "\nSampled: %.3g %% of the instructions are timed, the rest is estimated; ",
                100 * why->timed_share);
    if (isnan(why->half_width))
        text_printf(out, "the interval of the cycles is not known.\n");
    else
        text_printf(
            out,
            "the program takes %.4g M cycles +- %.2g %% (95 %% interval). Each run has such "
            "an interval: gains within it may be none.\n",
            why->all.cycles[0] / 1e6, 100 * why->half_width / why->all.cycles[0]);
}

void why_to_text(const struct why *why, u32 most_kernels, struct text *out)
{
    u32 kernels = shown_kernels(why, most_kernels);
    headline(why, out);
    table(why, why->kernel_count > 1 ? kernels : 0, out);
    unfinished(why, out);
    if (why->is_sampled)
        sampling(why, out);
    text_printf(out, "\nThe whole program\n");
    judgement(why, &why->all, out);
    for (u32 i = 0; why->kernel_count > 1 && i < kernels; i++) {
        const struct why_row *k = &why->kernels[i];
        text_printf(out, "\n%s: %.1f %% of the kernels' cycles, %u launch%s\n", k->name,
                    100 * k->cycles[0] / why_value(why, &why->all, "cycles"), k->launches,
                    k->launches == 1 ? "" : "es");
        judgement(why, k, out);
    }
    if (why->kernel_count > kernels)
        text_printf(out, "\n%u more kernel%s (--kernels N shows more, --json all)\n",
                    why->kernel_count - kernels, why->kernel_count - kernels == 1 ? "" : "s");
}
