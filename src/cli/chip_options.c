#include "cli/chip_options.h"

#include "base/arena.h"
#include "policy/registry.h"

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

/* What --policy QUESTION=NAME stands for; only warp policies have parameters. */
static const struct {
    const char *question, *parameter;
} questions[] = {{"warp", "sm.warp_policy"}, {"l1", "sm.l1.replacement"}, {"l2", "l2.replacement"}};

/* warp=poise,weights=FILE is short for sm.warp_policy=poise and policy.poise.weights=FILE. */
static bool read_policy(struct sets *s, const char *value, struct err *err)
{
    const char *names[ARRAY_LEN(questions)];
    struct src_pos at = {arena_printf(s->arena, "--policy %s", value), 0, 0};
    char *save, *word = strtok_r(arena_strdup(s->arena, value), ",", &save);
    const char *equals = word ? strchr(word, '=') : NULL;
    u32 q = 0;
    if (!equals || !equals[1])
        return err_at(err, at, "a policy is QUESTION=NAME, such as warp=gto");
    const char *question = arena_printf(s->arena, "%.*s", (int)(equals - word), word);
    for (u32 i = 0; i < ARRAY_LEN(questions); i++)
        names[i] = questions[i].question;
    while (q < ARRAY_LEN(questions) && strcmp(names[q], question) != 0)
        q++;
    if (q == ARRAY_LEN(questions))
        return err_unknown(err, at, "question", question, names, ARRAY_LEN(questions),
                           "heddle list policies");
    add_set(s, arena_printf(s->arena, "%s=%s", questions[q].parameter, equals + 1));
    while ((word = strtok_r(NULL, ",", &save)))
        add_set(s, arena_printf(s->arena, "policy.%s.%s", equals + 1, word));
    return true;
}

bool chip_sets(const struct cli *cli, struct arena *arena, const char ***sets, u32 *count,
               struct err *err)
{
    struct sets s = {.arena = arena};
    for (u32 i = 0; i < cli->option_count; i++) {
        if (strcmp(cli->options[i].def->name, "policy") == 0 &&
            !read_policy(&s, cli->options[i].value, err))
            return false;
    }
    for (u32 i = 0; i < cli->option_count; i++) {
        if (strcmp(cli->options[i].def->name, "set") == 0)
            add_set(&s, cli->options[i].value);
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
