#include "study/study_own.h"

#include "base/text.h"
#include "machine/policies.h"
#include "study/study_reader.h"

#include <ctype.h>
#include <string.h>

/* ---- formulas ---- */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool is_statistic(char c)
{
    return is_word(c) || (c && strchr(".[]*", c));
}

/* What a policy keeps and is told is its own: another has no such numbers. */
static bool is_of_that_chip_alone(const struct study_renaming *r, const char *statistic)
{
    const char *const heads[] = {"param.", "plan.policy", "storage.", "area.", r->stats};
    for (size_t i = 0; i < ARRAY_LEN(heads); i++) {
        if (heads[i] && strncmp(statistic, heads[i], strlen(heads[i])) == 0)
            return true;
    }
    return false;
}

static const char *twin_of(const struct study_renaming *r, const char *word, size_t length)
{
    for (u32 i = 0; i < r->count; i++) {
        if (strlen(r->from[i]) == length && strncmp(r->from[i], word, length) == 0)
            return r->to[i];
    }
    return NULL;
}

const char *study_formula_about(const struct study_renaming *r, const char *formula,
                                struct arena *arena)
{
    struct text out = {0};
    bool speaks = false, is_alone = false;
    for (const char *at = formula; *at;) {
        size_t n = 0;
        while (is_word(at[n]))
            n++;
        if (!n) {
            text_printf(&out, "%c", *at++);
            continue;
        }
        bool is_run = at[n] == ':';
        bool is_set = is_run && strlen(r->set) == n && strncmp(r->set, at, n) == 0;
        const char *twin = is_set ? r->own_set : is_run ? NULL : twin_of(r, at, n);
        speaks = speaks || twin;
        text_printf(&out, "%.*s", (int)(twin ? strlen(twin) : n), twin ? twin : at);
        at += n;
        is_alone = is_alone || (is_set && is_of_that_chip_alone(r, at + 1));
        while (is_run && (*at == ':' || is_statistic(*at)))
            text_printf(&out, "%c", *at++);
    }
    const char *made = speaks && !is_alone ? arena_strdup(arena, out.data) : NULL;
    text_fini(&out);
    return made;
}

/* ---- runs ---- */

struct adder {
    struct study *study;
    const struct study_own *own;
    struct study_renaming names;
    const char **from, **to; /* of names, to be added to */
    struct arena *arena;
    struct err *err;
};

static const char *value_of(const struct study_run *run, const char *param)
{
    for (u32 i = 0; i < run->file.set_count; i++) {
        if (strcmp(run->file.set[i].name.text, param) == 0)
            return run->file.set[i].values[0].text;
    }
    return NULL;
}

static const struct study_run *find_set(const struct adder *a)
{
    const struct study *s = a->study;
    const char **names = ARENA_ARRAY(a->arena, const char *, s->run_count + 1);
    const char *like = a->own->like;
    struct src_pos at = {a->own->asked, 0, 0};
    for (u32 i = 0; i < s->run_count; i++) {
        const struct study_run *run = &s->runs[i];
        names[i] = run->name;
        if (like ? strcmp(like, run->name) == 0
                 : !run->is_left_out && !run->file.axis_count && value_of(run, a->own->param))
            return run;
    }
    if (like)
        err_unknown(a->err, (struct src_pos){"--like", 0, 0}, "set of runs", like, names,
                    s->run_count, NULL);
    else
        err_at(a->err, at,
               "no set of runs of study %s chooses %s, expected --like SET: the set to repeat with "
               "the policy",
               s->name, a->own->param);
    return NULL;
}

/* Names of sets are words of formulas. */
static const char *set_name(const struct adder *a)
{
    char *name = arena_strdup(a->arena, a->own->policy);
    for (char *c = name; *c; c++)
        *c = is_word(*c) ? *c : '_';
    for (u32 i = 0; i < a->study->run_count; i++) {
        if (strcmp(a->study->runs[i].name, name) == 0)
            return arena_printf(a->arena, "%s_own", name);
    }
    return name;
}

/* Is this a parameter of the policy that gives way? policy.QUESTION.NAME.PARAMETER */
static bool is_of_policy(const char *param, const char *policy)
{
    const char *dot = strncmp(param, "policy.", 7) == 0 ? strchr(param + 7, '.') : NULL;
    size_t n = policy ? strlen(policy) : 0;
    return dot && n && strncmp(dot + 1, policy, n) == 0 && dot[1 + n] == '.';
}

static void add_setting(struct adder *a, struct sweep_file *f, const char *name, const char *value)
{
    struct src_pos at = {a->own->asked, 0, 0};
    struct sweep_text *values = ARENA_ARRAY(a->arena, struct sweep_text, 1);
    values[0] = (struct sweep_text){value, at};
    f->set[f->set_count++] = (struct sweep_param){{name, at}, values, 1};
}

static void exchange_policy(struct adder *a, const struct study_run *like, struct sweep_file *f)
{
    const struct study_own *own = a->own;
    const char *old = value_of(like, own->param);
    f->set =
        ARENA_ARRAY(a->arena, struct sweep_param, like->file.set_count + own->setting_count + 1);
    f->set_count = 0;
    for (u32 i = 0; i < like->file.set_count; i++) {
        const char *name = like->file.set[i].name.text;
        if (strcmp(name, own->param) != 0 && !is_of_policy(name, old))
            f->set[f->set_count++] = like->file.set[i];
    }
    add_setting(a, f, own->param, own->policy);
    for (u32 i = 0; i < own->setting_count; i++) {
        const char *equals = strchr(own->settings[i], '=');
        add_setting(
            a, f,
            arena_printf(a->arena, "%.*s", (int)(equals - own->settings[i]), own->settings[i]),
            equals + 1);
    }
}

static bool add_run(struct adder *a, const struct study_run *like)
{
    struct study *s = a->study;
    struct study_run *runs = ARENA_ARRAY(a->arena, struct study_run, s->run_count + 1);
    struct study_run *run = &runs[s->run_count];
    struct src_pos at = {a->own->asked, 0, 0};
    if (like->is_left_out)
        return err_at(a->err, at, "set %s is not run by the quick variant, expected one that is",
                      like->name);
    *run = (struct study_run){.name = set_name(a), .file = like->file};
    run->file.name = run->name;
    exchange_policy(a, like, &run->file);
    if (!plan_expand(&run->plan, &run->file, s->host, false, a->arena, a->err) ||
        !study_place_points(s, run, at, a->arena, a->err))
        return false;
    a->names.set = like->name;
    a->names.own_set = run->name;
    memcpy(runs, s->runs, s->run_count * sizeof *runs);
    s->runs = runs;
    s->run_count++;
    study_merge_plans(s, a->arena);
    return true;
}

/* ---- what is shown of them ---- */

/* "one_ucp" of set ucp is one_mine; a name that does not have the set's is longer then. */
static const char *twin_name(const struct adder *a, const char *name)
{
    const char *set = a->names.set;
    size_t n = strlen(set);
    for (const char *at = strstr(name, set); at; at = strstr(at + 1, set)) {
        bool begins = at == name || at[-1] == '_', ends = !at[n] || at[n] == '_';
        if (begins && ends)
            return arena_printf(a->arena, "%.*s%s%s", (int)(at - name), name, a->names.own_set,
                                at + n);
    }
    return arena_printf(a->arena, "%s_%s", name, a->names.own_set);
}

static void add_name(struct adder *a, const char *from, const char *to)
{
    a->from[a->names.count] = from;
    a->to[a->names.count++] = to;
}

/* Values may speak of values that stand below them: until none is new. */
static void add_values(struct adder *a)
{
    struct study *s = a->study;
    u32 old = s->value_count;
    struct study_value *values = ARENA_ARRAY(a->arena, struct study_value, 2 * (size_t)old + 1);
    bool *has = ARENA_ARRAY(a->arena, bool, old + 1), more = true;
    while (more) {
        more = false;
        for (u32 i = 0; i < old; i++) {
            const struct study_value *v = &s->values[i];
            if (has[i] || !study_formula_about(&a->names, v->formula.text, a->arena))
                continue;
            has[i] = more = true;
            add_name(a, v->name, twin_name(a, v->name));
        }
    }
    if (old)
        memcpy(values, s->values, old * sizeof *values);
    for (u32 i = 0; i < old; i++) {
        struct study_value *v = &values[i], *twin = &values[s->value_count];
        if (!has[i])
            continue;
        *twin = *v;
        twin->name = twin_of(&a->names, v->name, strlen(v->name));
        twin->about = arena_printf(a->arena, "%s, with %s in place of %s", v->about,
                                   a->names.own_set, a->names.set);
        twin->formula.text = study_formula_about(&a->names, v->formula.text, a->arena);
        s->value_count++;
    }
    s->values = values;
}

static void add_checks(struct adder *a)
{
    struct study *s = a->study;
    u32 old = s->check_count;
    struct study_check *checks = ARENA_ARRAY(a->arena, struct study_check, 2 * (size_t)old + 1);
    if (old)
        memcpy(checks, s->checks, old * sizeof *checks);
    for (u32 i = 0; i < old; i++) {
        const struct study_check *c = &checks[i];
        const char *formula = study_formula_about(&a->names, c->formula.text, a->arena);
        const char *show =
            c->show.text ? study_formula_about(&a->names, c->show.text, a->arena) : NULL;
        if (!formula)
            continue;
        struct study_check *twin = &checks[s->check_count++];
        *twin = *c;
        twin->id = arena_printf(a->arena, "%s@%s", c->id, a->names.own_set);
        twin->what = arena_printf(a->arena, "%s, with %s in place of %s", c->what, a->names.own_set,
                                  a->names.set);
        twin->formula.text = formula;
        twin->show.text = show ? show : c->show.text;
        twin->shown = "your own policy, beside the published one";
        twin->note = NULL;
        twin->is_headline = false;
    }
    s->checks = checks;
}

/* Behind each value that a figure or table has, its twin. */
static void add_columns(struct adder *a, struct sweep_text **values, u32 *count)
{
    struct sweep_text *all = ARENA_ARRAY(a->arena, struct sweep_text, 2 * (size_t)*count + 1);
    u32 n = 0;
    for (u32 i = 0; i < *count; i++) {
        const struct sweep_text *v = &(*values)[i];
        const char *twin = twin_of(&a->names, v->text, strlen(v->text));
        all[n++] = *v;
        if (twin)
            all[n++] = (struct sweep_text){twin, v->at};
    }
    *values = all;
    *count = n;
}

bool study_add_own(struct study *s, const struct study_own *own, struct arena *arena,
                   struct err *err)
{
    const struct policy_use *use = policy_use_of_param(own->param);
    struct adder a = {.study = s, .own = own, .arena = arena, .err = err};
    a.names.stats = use ? use->stats : NULL;
    a.names.from = a.from = ARENA_ARRAY(arena, const char *, s->value_count + 1);
    a.names.to = a.to = ARENA_ARRAY(arena, const char *, s->value_count + 1);
    const struct study_run *like = find_set(&a);
    if (!like || !add_run(&a, like))
        return false;
    add_values(&a);
    add_checks(&a);
    for (u32 i = 0; i < s->figure_count; i++)
        add_columns(&a, &s->figures[i].values, &s->figures[i].value_count);
    for (u32 i = 0; i < s->table_count; i++)
        add_columns(&a, &s->tables[i].values, &s->tables[i].value_count);
    return true;
}
