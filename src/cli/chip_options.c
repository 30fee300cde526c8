#include "cli/chip_options.h"

#include "base/arena.h"
#include "chip/policies.h"
#include "chip/threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A list of strings that ends with NULL. */
struct sets {
    struct arena *arena;
    const char **all;
    u32 count, room;
};

static void add_set(struct sets *s, const char *set)
{
    if (s->count + 1 >= s->room) {
        const char **more = ARENA_ARRAY(s->arena, const char *, 2 * s->room + 16);
        if (s->count)
            memcpy(more, s->all, s->count * sizeof *more);
        s->room = 2 * s->room + 16;
        s->all = more;
    }
    s->all[s->count++] = set;
}

/* warp=poise,weights=FILE is short for sm.warp_policy=poise and policy.poise.weights=FILE. */
static bool read_policy(struct sets *s, const char *value, struct err *err)
{
    struct src_pos at = {arena_printf(s->arena, "--policy %s", value), 0, 0};
    char *save, *word = strtok_r(arena_strdup(s->arena, value), ",", &save);
    const char *equals = word ? strchr(word, '=') : NULL;
    if (!equals || !equals[1])
        return err_at(err, at, "a policy is QUESTION=NAME, such as warp=gto");
    const char *asked = arena_printf(s->arena, "%.*s", (int)(equals - word), word);
    const struct policy_use *use = policy_use_find(asked);
    if (!use) {
        const char *const *words = policy_use_words();
        u32 count = 0;
        while (words[count])
            count++;
        return err_unknown(err, at, "question", asked, words, count, "heddle list policies");
    }
    const char *path = policy_path(use->question, equals + 1, s->arena);
    size_t n = strlen(use->path);
    for (u32 i = 0; i < s->count; i++) {
        if (strncmp(s->all[i], use->path, n) == 0 && s->all[i][n] == '=')
            return err_at(err, at, "%s is given twice, first as %s", asked, s->all[i] + n + 1);
    }
    add_set(s, arena_printf(s->arena, "%s=%s", use->path, equals + 1));
    while ((word = strtok_r(NULL, ",", &save)))
        add_set(s, arena_printf(s->arena, "%s.%s", path, word));
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

bool chip_sets(const struct cli *cli, struct arena *arena, const char ***sets, u32 *count,
               struct err *err)
{
    struct sets s = {.arena = arena};
    if (cli_has(cli, "regions"))
        add_set(&s, "regions.count=true");
    if (cli_has(cli, "caches"))
        add_set(&s, arena_printf(arena, "launch.caches=%s", cli_value(cli, "caches")));
    for (u32 i = 0; i < cli->option_count; i++) {
        if (strcmp(cli->options[i].def->name, "policy") == 0 &&
            !read_policy(&s, cli->options[i].value, err))
            return false;
    }
    u32 first = s.count;
    for (u32 i = 0; i < cli->option_count; i++) {
        const char *set = cli->options[i].value;
        if (strcmp(cli->options[i].def->name, "set") != 0)
            continue;
        if (!check_set(&s, first, set, err))
            return false;
        add_set(&s, set);
    }
    add_set(&s, NULL);
    *sets = s.all;
    *count = s.count - 1;
    return true;
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
