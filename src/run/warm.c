#include "run/warm.h"

#include "base/units.h"
#include "config/yaml.h"
#include "mem/agent.h"

#include <stdio.h>
#include <string.h>

static const char *const words[] = {"how", "instructions", "launches"};
static const char *const ways[] = {"detailed", "functional"};

static bool set(struct warm *w, const char *word, const char *value, struct src_pos at,
                struct src_pos value_at, struct err *err)
{
    if (strcmp(word, words[0]) == 0) {
        w->is_functional = strcmp(value, ways[1]) == 0;
        return w->is_functional || strcmp(value, ways[0]) == 0 ||
               err_unknown(err, value_at, "way to warm", value, ways, ARRAY_LEN(ways), NULL);
    }
    u64 *to = strcmp(word, words[1]) == 0   ? &w->instructions
              : strcmp(word, words[2]) == 0 ? &w->launches
                                            : NULL;
    if (!to)
        return err_unknown(err, at, "part of warm", word, words, ARRAY_LEN(words), NULL);
    return (quantity_u64(value, "", to) == QUANTITY_OK && *to <= UINT64_MAX / 4) ||
           err_found(err, value_at, word, value, "a whole number from 0 on");
}

bool warm_parse(struct warm *w, const char *text, struct src_pos at, struct err *err)
{
    char copy[256], *rest = copy;
    *w = (struct warm){0};
    if (strlen(text) >= sizeof copy)
        return err_found(err, at, "warm", text, "instructions=N,launches=N");
    memcpy(copy, text, strlen(text) + 1);
    for (char *word; (word = strsep(&rest, ","));) {
        char *value = strchr(word, '=');
        if (!value)
            return err_found(err, at, "warm", text, "instructions=N,launches=N");
        *value++ = '\0';
        if (!set(w, word, value, at, at, err))
            return false;
    }
    return true;
}

bool warm_read(struct warm *w, const struct yaml_node *n, struct err *err)
{
    *w = (struct warm){0};
    if (n->kind != YAML_MAP || !n->child_count)
        return err_found(err, n->at, "warm",
                         n->kind == YAML_MAP ? "empty" : yaml_kind_name(n->kind),
                         "a mapping such as {instructions: 1000000, launches: 1}");
    for (u32 i = 0; i < n->child_count; i++) {
        const struct yaml_node *c = &n->children[i];
        if (c->kind != YAML_SCALAR)
            return err_found(err, c->at, c->key, yaml_kind_name(c->kind), "a single value");
        if (!set(w, c->key, c->text, c->key_at, c->at, err))
            return false;
    }
    return true;
}

void warm_text(const struct warm *w, char *out, size_t size)
{
    int n = 0;
    *out = '\0';
    if (w->instructions)
        n = snprintf(out, size, "instructions=%llu", (unsigned long long)w->instructions);
    if (w->launches)
        n += snprintf(out + n, size - (size_t)n, "%slaunches=%llu", n ? "," : "",
                      (unsigned long long)w->launches);
    if (w->is_functional && n)
        snprintf(out + n, size - (size_t)n, ",how=functional");
}

bool warm_is_asked(const struct warm *w)
{
    return w->instructions || w->launches;
}

u64 warm_of(const struct warm *w, u8 agents)
{
    return agents == AGENT_CPU ? w->instructions : w->launches;
}
