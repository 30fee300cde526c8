#include "campaign/table.h"
#include "train/trainer.h"

#include <stdio.h>
#include <string.h>

/* ---- tables for people ---- */

static void write_kept(const struct train_subject *s, const struct train_set *set,
                       const char *program, struct text *out)
{
    u32 by_verdict[KERNEL_VERDICTS] = {0}, count = 0;
    for (u32 i = 0; i < set->count; i++) {
        if (strcmp(set->kernels[i].program, program) == 0) {
            by_verdict[set->kernels[i].verdict]++;
            count++;
        }
    }
    text_printf(out, "%-9s %7u", program, count);
    for (u32 v = 0; v < KERNEL_VERDICTS; v++)
        text_printf(out, "  %*u", (int)strlen(kernel_verdict_names[v]), by_verdict[v]);
    struct train_errors e = train_errors(set, program, &(struct weights){.divisor = 1}, s->options);
    if (e.kernels)
        text_printf(out, "  %6.3f  %5.3f", e.at_target, e.at_best);
    text_printf(out, "\n");
}

static void write_programs(const struct train_subject *s, struct text *out)
{
    text_printf(out, "program   kernels");
    for (u32 v = 0; v < KERNEL_VERDICTS; v++)
        text_printf(out, "  %s", kernel_verdict_names[v]);
    text_printf(out, "  target   best\n");
    for (u32 i = 0; i < s->program_count; i++)
        write_kept(s, s->training, s->programs[i], out);
}

static void write_weights_table(const struct train_subject *s, const struct trained *t,
                                struct text *out)
{
    text_printf(out,
                "\nfeature           ln N    s.e.         ln p    s.e.   published: ln N         "
                "ln p\n");
    for (u32 i = 0, c = 0; i < FEATURE_COUNT; i++) {
        if (s->options->without[i]) {
            text_printf(out, "%-11s  left out                                %12.6f %12.6f\n",
                        features[i].name, features[i].alpha, features[i].beta);
            continue;
        }
        text_printf(out, "%-11s %10.6f %7.3f   %10.6f %7.3f       %12.6f %12.6f\n",
                    features[i].name, t->weights.alpha[i], t->n.error[c], t->weights.beta[i],
                    t->p.error[c], features[i].alpha, features[i].beta);
        c++;
    }
    text_printf(out, "of %u kernels, %u of them different\n", t->kernels,
                train_distinct(s->training));
}

static void write_fit(const char *name, const struct regression_fit *f, u32 kernels,
                      struct text *out)
{
    text_printf(out, "%-4s %7u  %8.4f  %13.4f  %9.4f  %8.4f  %10u\n", name, kernels, f->deviance,
                f->null_deviance, regression_pseudo_r2(f), f->pearson, f->iterations);
}

static void write_errors(const char *name, const struct train_errors *e, struct text *out)
{
    if (!e->kernels) {
        text_printf(out, "%-26s %7u\n", name, 0u);
        return;
    }
    text_printf(out, "%-26s %7u  %8.1f  %8.1f  %6.1f  %6.1f  %9.3f  %6.3f  %5.3f\n", name,
                e->kernels, 100 * e->n_of_target, 100 * e->p_of_target, 100 * e->n_of_limit,
                100 * e->p_of_limit, e->at_predicted, e->at_target, e->at_best);
}

/* One tuple for every kernel, the best one of the training programs. A model that does not pass it
 * has learned nothing from features. */
static void write_constant(const struct train_subject *s, struct text *out)
{
    struct warp_tuple t = train_constant(s->training, NULL);
    if (!t.n)
        return;
    text_printf(out, "\nsame tuple for every kernel    tuple  training");
    for (u32 i = 0; i < s->program_count; i++)
        text_printf(out, "  %8s", s->programs[i]);
    text_printf(out, "\nthe best of all              %3u,%3u  %8.3f", t.n, t.p,
                train_at_constant(s->training, NULL, t));
    for (u32 i = 0; i < s->program_count; i++)
        text_printf(out, "  %8.3f", train_at_constant(s->training, s->programs[i], t));
    text_printf(out, "\n");
    for (u32 i = 0; s->program_count > 1 && i < s->program_count; i++) {
        struct warp_tuple others = train_constant(s->training, s->programs[i]);
        text_printf(out, "%-10s by the others     %3u,%3u  %8.3f\n", s->programs[i], others.n,
                    others.p, train_at_constant(s->training, s->programs[i], others));
    }
}

/* Each program by weights that were learned from the others. */
static void write_left_out(const struct train_subject *s, struct text *out)
{
    for (u32 i = 0; s->program_count > 1 && i < s->program_count; i++) {
        const char *program = s->programs[i];
        struct err err = ERR_INIT;
        struct trained others;
        char name[64], why[1600];
        snprintf(name, sizeof name, "%s, by the others", program);
        if (train(&others, s->training, program, s->options, &err)) {
            struct train_errors e = train_errors(s->training, program, &others.weights, s->options);
            write_errors(name, &e, out);
        } else {
            err_text(&err, why, sizeof why);
            text_printf(out, "%-26s no fit: %s\n", name, why);
        }
    }
}

const char *train_next_program(const struct train_set *set, u32 *from)
{
    u32 first = *from;
    if (first == set->count)
        return NULL;
    while (*from < set->count && set->kernels[*from].program == set->kernels[first].program)
        ++*from;
    return set->kernels[first].program;
}

static void write_evaluation(const struct train_subject *s, const struct trained *t,
                             struct text *out)
{
    u32 from = 0;
    for (const char *program; (program = train_next_program(s->evaluation, &from));) {
        struct train_errors e = train_errors(s->evaluation, program, &t->weights, s->options);
        char name[64];
        snprintf(name, sizeof name, "%s, unseen", program);
        write_errors(name, &e, out);
    }
    struct train_errors all = train_errors(s->evaluation, NULL, &t->weights, s->options);
    if (s->evaluation->count)
        write_errors("all unseen", &all, out);
}

static void write_error_table(const struct train_subject *s, const struct trained *t,
                              struct text *out)
{
    struct err err = ERR_INIT;
    struct weights published;
    text_printf(out, "\nerrors, %%                  kernels  N/target  p/target     N/W     p/W  "
                     "predicted  target   best\n");
    struct train_errors e = train_errors(s->training, NULL, &t->weights, s->options);
    write_errors("training", &e, out);
    write_left_out(s, out);
    if (weights_read(&published, PUBLISHED_WEIGHTS, &err) &&
        published.divisor == s->options->divisor) {
        e = train_errors(s->training, NULL, &published, s->options);
        write_errors("published weights", &e, out);
    }
    write_evaluation(s, t, out);
}

void train_write_text(const struct train_subject *s, const struct trained *t, struct text *out)
{
    write_programs(s, out);
    write_weights_table(s, t, out);
    text_printf(out, "\nfit  kernels  deviance  null deviance  pseudo R2   Pearson  iterations\n");
    write_fit("ln N", &t->n, t->kernels, out);
    write_fit("ln p", &t->p, t->kernels, out);
    write_error_table(s, t, out);
    write_constant(s, out);
}

/* ---- files ---- */

static void write_tuple(const struct profile *f, struct warp_tuple t, struct text *out)
{
    text_printf(out, ",%u,%u,%.6f", t.n, t.p, profile_speedup(f, t.n, t.p));
}

static void write_kernel(const struct train_subject *s, const struct trained *t,
                         const struct train_kernel *k, const char *role, struct text *out)
{
    const struct profile *f = &k->profile;
    text_printf(out, "%s,%s,", role, k->program);
    csv_append(out, k->name);
    text_printf(out, ",%llu,%u,\"%s\"", (unsigned long long)k->number, f->limit,
                kernel_verdict_names[k->verdict]);
    if (k->verdict != KERNEL_NOT_EVERYWHERE) {
        text_printf(out, ",%llu", (unsigned long long)profile_cycles(f, f->limit, f->limit));
        write_tuple(f, k->best, out);
        write_tuple(f, k->target, out);
        if (t)
            write_tuple(f, train_predict(&t->weights, k, s->options), out);
        else
            text_printf(out, ",,,");
        for (u32 i = 0; i < FEATURE_COUNT; i++)
            text_printf(out, ",%.9g", k->x[i]);
    }
    text_printf(out, "\n");
}

void train_write_kernels(const struct train_subject *s, const struct trained *t, struct text *out)
{
    text_printf(out, "role,program,kernel,launch,W,verdict,cycles,best_n,best_p,best_speedup,"
                     "target_n,target_p,target_speedup,predicted_n,predicted_p,predicted_speedup");
    for (u32 i = 0; i < FEATURE_COUNT; i++)
        text_printf(out, ",%s", features[i].name);
    text_printf(out, "\n");
    for (u32 i = 0; i < s->training->count; i++)
        write_kernel(s, t, &s->training->kernels[i], "training", out);
    for (u32 i = 0; i < s->evaluation->count; i++)
        write_kernel(s, t, &s->evaluation->kernels[i], "evaluation", out);
}

void train_write_weights(const struct train_subject *s, const struct trained *t, struct text *out)
{
    struct text source = {0};
    text_printf(&source, "heddle train poise: %u kernels of", t->kernels);
    for (u32 i = 0; i < s->program_count; i++) {
        text_printf(&source, "%s %s", i ? "," : "", s->programs[i]);
        for (u32 k = 0; k < s->input_count; k++) {
            const struct sweep_workload *w = &s->inputs[k];
            for (u32 a = 0; strcmp(w->name.text, s->programs[i]) == 0 && a < w->arg_count; a++)
                text_printf(&source, " %s", w->args[a]);
        }
    }
    text_printf(&source, " on %s, size %s, grid %s", s->chip, s->size, s->grid);
    weights_write(&t->weights, source.data, out);
    text_fini(&source);
}

static void write_error_row(const struct train_subject *s, const struct train_set *set,
                            const struct weights *w, const char *program, const char *role,
                            struct text *out)
{
    struct train_errors e = train_errors(set, program, w, s->options);
    u32 kernels = 0;
    for (u32 i = 0; i < set->count; i++)
        kernels += strcmp(set->kernels[i].program, program) == 0;
    text_printf(out, "%s,%s,%u,%u,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f\n", program, role, kernels,
                e.kernels, e.n_of_target, e.p_of_target, e.n_of_limit, e.p_of_limit, e.at_predicted,
                e.at_target, e.at_best);
}

void train_write_errors(const struct train_subject *s, const struct trained *t, struct text *out)
{
    const struct train_set *const sets[] = {s->training, s->evaluation};
    static const char *const roles[] = {"training", "unseen"};
    text_printf(out, "program,role,kernels,kept,n_of_target,p_of_target,n_of_limit,p_of_limit,"
                     "at_predicted,at_target,at_best\n");
    for (u32 i = 0; i < ARRAY_LEN(sets); i++) {
        u32 from = 0;
        for (const char *program; (program = train_next_program(sets[i], &from));)
            write_error_row(s, sets[i], &t->weights, program, roles[i], out);
    }
}

void train_write_tuples(const struct train_set *set, const char *program, const char *source,
                        struct text *out)
{
    text_printf(out, "# %s\nkernels:\n", source);
    for (u32 i = 0; i < set->count; i++) {
        const struct train_kernel *k = &set->kernels[i];
        if (strcmp(k->program, program) != 0 || k->verdict == KERNEL_NOT_EVERYWHERE)
            continue;
        text_printf(out, "  \"%s#%llu\": {n: %u, p: %u}\n", k->name, (unsigned long long)k->number,
                    k->best.n, k->best.p);
    }
}
