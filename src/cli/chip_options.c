#include "cli/chip_options.h"

#include "base/arena.h"
#include "base/names.h"
#include "machine/policies.h"
#include "machine/threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Overrides, and what messages call each (NULL: as they are). */
struct sets {
    struct arena *arena;
    const char **all, **origins;
    u32 count, room;
};

static void add_set(struct sets *s, const char *set, const char *origin)
{
    if (s->count + 1 >= s->room) {
        u32 room = 2 * s->room + 16;
        const char **more = ARENA_ARRAY(s->arena, const char *, room);
        const char **origins = ARENA_ARRAY(s->arena, const char *, room);
        if (s->count) {
            memcpy(more, s->all, s->count * sizeof *more);
            memcpy(origins, s->origins, s->count * sizeof *origins);
        }
        *s = (struct sets){s->arena, more, origins, s->count, room};
    }
    s->origins[s->count] = origin;
    s->all[s->count++] = set;
}

/* The questions of parts, such as l1.replacement, that end like this. */
static u32 ending_with(const char *question, const char *names[], u32 most)
{
    u32 count = 0;
    for (const char *const *w = policy_use_words(); *w && count < most; w++) {
        const char *dot = strchr(*w, '.');
        if (dot && strcmp(dot + 1, question) == 0)
            names[count++] = *w;
    }
    return count;
}

static bool unknown_question(const char *asked, struct src_pos at, struct err *err)
{
    const char *const *words = policy_use_words();
    const char *parts[16];
    char list[256];
    u32 count = ending_with(asked, parts, ARRAY_LEN(parts));
    if (count) {
        names_join(list, sizeof list, parts, count);
        return err_at(err, at, "several parts ask the question '%s', expected %s", asked, list);
    }
    while (words[count])
        count++;
    return err_unknown(err, at, "question", asked, words, count, "heddle list policies");
}

/* PARAMETER=VALUE of a policy: its name and value are checked here, where it is known what was
 * typed. */
static bool add_parameter(struct sets *s, const struct policy_use *use, const struct policy_ops *p,
                          const char *word, const char *value, struct src_pos at, struct err *err)
{
    const char *equals = strchr(word, '='), *names[64];
    const struct param *row = p->params;
    u32 count = 0;
    if (!equals || equals == word || !equals[1])
        return err_found(err, at, "a parameter of the policy", *word ? word : "empty",
                         "PARAMETER=VALUE");
    const char *name = arena_printf(s->arena, "%.*s", (int)(equals - word), word);
    while (row && row->type != PARAM_END && strcmp(row->name, name) != 0) {
        if (count < ARRAY_LEN(names))
            names[count++] = row->name;
        row++;
    }
    if (!row)
        return err_at(err, at, "policy %s has no parameters", p->name);
    if (row->type == PARAM_END)
        return err_unknown(err, at, arena_printf(s->arena, "parameter of policy %s", p->name), name,
                           names, count, "heddle list params");
    const char *path =
        arena_printf(s->arena, "%s.%s=", policy_path(use->question, p->name, s->arena), name);
    for (u32 i = 0; i < s->count; i++) {
        if (s->origins[i] && strcmp(s->origins[i], value) == 0 &&
            strncmp(s->all[i], path, strlen(path)) == 0)
            return err_at(err, at, "%s is given twice", name);
    }
    u8 *scratch = arena_alloc(s->arena, p->config_bytes);
    if (!param_set(row, scratch + row->offset, name, equals + 1, at, err))
        return false;
    add_set(s, arena_printf(s->arena, "%s%s", path, equals + 1), value);
    return true;
}

/* warp.scheduler=poise,weights=FILE is short for sm.warp_policy=poise and
 * policy.warp.poise.weights=FILE. */
static bool read_policy(struct sets *s, const char *option, const char *given, bool is_quiet,
                        struct err *err)
{
    const char *value = arena_printf(s->arena, "--%s %s", option, given);
    struct src_pos at = {value, 0, 0};
    char *rest = arena_strdup(s->arena, given), *word = strsep(&rest, ",");
    const char *equals = strchr(word, '=');
    if (!equals || !equals[1])
        return err_at(err, at, "a policy is [PART.]QUESTION=NAME, such as warp.scheduler=gto");
    const char *asked = arena_printf(s->arena, "%.*s", (int)(equals - word), word);
    const struct policy_use *use = policy_use_find(asked);
    if (!use)
        return unknown_question(asked, at, err);
    const struct policy_ops *p = policy_named(
        use->question, equals + 1, arena_printf(s->arena, "policy for %s", use->word), at, err);
    if (!p)
        return false;
    size_t n = strlen(use->path);
    for (u32 i = 0; i < s->count; i++) {
        if (strncmp(s->all[i], use->path, n) == 0 && s->all[i][n] == '=')
            return err_at(err, at, "%s is given twice, first as %s", asked, s->all[i] + n + 1);
    }
    if (use->old && !is_quiet && strcmp(asked, use->old) == 0)
        fprintf(stderr, "hint: --%s %s= is now --%s %s=\n", option, asked, option, use->word);
    add_set(s, arena_printf(s->arena, "%s=%s", use->path, p->name), value);
    while ((word = strsep(&rest, ","))) {
        if (!add_parameter(s, use, p, word, value, at, err))
            return false;
    }
    return true;
}

/* One that would be lost, or hide another. The rest is checked against the chip's table. */
static bool check_set(const struct sets *s, u32 first, const char *set, struct err *err)
{
    size_t name = strcspn(set, "=");
    struct src_pos at = {arena_printf(s->arena, "--set '%s'", set), 0, 0};
    if (!set[name] || !name)
        return err_at(err, at, "an override is PARAM=VALUE, such as sm.l1.mshrs=64");
    if (strchr(set, '\n'))
        return err_at(err, at, "an override is one line");
    for (u32 i = first; i < s->count; i++) {
        if (strncmp(s->all[i], set, name + 1) == 0)
            return err_at(err, at, "%.*s is given twice, first as %s", (int)name, set,
                          s->all[i] + name + 1);
    }
    return true;
}

bool chip_sets_of(const struct cli *cli, struct arena *arena, struct config_request *request,
                  struct err *err)
{
    struct sets s = {.arena = arena};
    if (cli_has(cli, "regions"))
        add_set(&s, "regions.count=true", "--regions");
    if (cli_has(cli, "matrix"))
        add_set(&s, arena_printf(arena, "program.matrix=%s", cli_value(cli, "matrix")), "--matrix");
    if (cli_has(cli, "caches"))
        add_set(&s, arena_printf(arena, "launch.caches=%s", cli_value(cli, "caches")), NULL);
    for (u32 i = 0; i < cli->option_count; i++) {
        if (strcmp(cli->options[i].def->name, "policy") == 0 &&
            !read_policy(&s, "policy", cli->options[i].value, cli_has(cli, "quiet"), err))
            return false;
    }
    u32 first = s.count;
    for (u32 i = 0; i < cli->option_count; i++) {
        const char *set = cli->options[i].value;
        if (strcmp(cli->options[i].def->name, "set") != 0)
            continue;
        if (!check_set(&s, first, set, err))
            return false;
        add_set(&s, set, NULL);
    }
    add_set(&s, NULL, NULL);
    request->sets = s.all;
    request->set_origins = s.origins;
    request->set_count = s.count - 1;
    return true;
}

bool chip_policy_sets(const char *option, const char *given, struct arena *arena,
                      const char *const **sets, u32 *count, struct err *err)
{
    struct sets s = {.arena = arena};
    if (!read_policy(&s, option, given, false, err))
        return false;
    *sets = s.all;
    *count = s.count;
    return true;
}

bool chip_sets(const struct cli *cli, struct arena *arena, const char ***sets, u32 *count,
               struct err *err)
{
    struct config_request request = {0};
    bool ok = chip_sets_of(cli, arena, &request, err);
    *sets = (const char **)(uintptr_t)request.sets;
    *count = request.set_count;
    return ok;
}

bool chip_plugins(const struct cli *cli, struct err *err)
{
    struct arena arena = {0};
    bool ok = true;
    for (u32 i = 0; ok && i < cli->option_count; i++) {
        const char *path = cli->options[i].value, *old = getenv("HEDDLE_PLUGIN");
        if (strcmp(cli->options[i].def->name, "plugin") != 0)
            continue;
        ok = policy_load_plugin(path, err);
        char *real = realpath(path, NULL);
        const char *known = real ? real : path;
        setenv("HEDDLE_PLUGIN", old && *old ? arena_printf(&arena, "%s:%s", old, known) : known, 1);
        free(real);
    }
    arena_fini(&arena);
    return ok;
}

bool chip_threads(const struct cli *cli, struct err *err)
{
    u64 n;
    if (!cli_number(cli, "threads", 0, UINT32_MAX, 0, &n, err))
        return false;
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)n);
    if (cli_has(cli, "threads"))
        setenv(THREADS_VARIABLE, text, 1);
    return true;
}
