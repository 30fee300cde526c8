#include "machine/policies.h"

#include "machine/model.h"

#include <string.h>

static bool is_word(const char *word, const char *text)
{
    return word && policy_name_length(word, text) == strlen(text);
}

static const struct policy_use *find_use(const char *word, bool is_old)
{
    for (const struct model *const *m = models; *m; m++) {
        for (const struct policy_use *const *l = (*m)->policies; l && *l; l++) {
            for (const struct policy_use *u = *l; u->word; u++) {
                if (is_word(is_old ? u->old : u->word, word))
                    return u;
            }
        }
    }
    return NULL;
}

const struct policy_use *policy_use_find(const char *word)
{
    const struct policy_use *u = find_use(word, false);
    return u ? u : find_use(word, true);
}

const struct policy_use *policy_use_of_param(const char *path)
{
    for (const struct model *const *m = models; *m; m++) {
        for (const struct policy_use *const *l = (*m)->policies; l && *l; l++) {
            for (const struct policy_use *u = *l; u->word; u++) {
                if (strcmp(u->path, path) == 0)
                    return u;
            }
        }
    }
    return NULL;
}

#define MOST_WORDS 32u

static u32 add_words(const struct policy_use *u, const char **words, u32 count)
{
    for (; u->word; u++) {
        bool known = false;
        for (u32 i = 0; i < count; i++)
            known |= strcmp(words[i], u->word) == 0;
        if (!known && count + 1 < MOST_WORDS)
            words[count++] = u->word;
    }
    return count;
}

const char *const *policy_use_words(void)
{
    static const char *words[MOST_WORDS];
    u32 count = 0;
    for (const struct model *const *m = models; *m; m++) {
        for (const struct policy_use *const *l = (*m)->policies; l && *l; l++)
            count = add_words(*l, words, count);
    }
    words[count] = NULL;
    return words;
}

bool policy_use_matters(const struct policy_use *uses, const void *config, const char *part)
{
    for (; uses->word; uses++) {
        const char *question = questions[uses->question].name, *at = part;
        size_t n = strlen(question);
        if (strncmp(part, question, n) != 0 || part[n] != '.')
            continue;
        at = part + n + 1;
        n = policy_name_length(policy_use_name(uses, config), at);
        if (n && (at[n] == '.' || !at[n]))
            return true;
    }
    return false;
}

bool policy_uses_check(const struct policy_use *uses, const void *data, const struct config *config,
                       struct err *err)
{
    for (; uses->word; uses++) {
        struct src_pos at = config_pos(config, (const u8 *)data + uses->offset);
        if (!policy_named(uses->question, policy_use_name(uses, data), uses->path, at, err))
            return false;
    }
    return true;
}

bool policy_uses_choose(const struct policy_use *uses, const void *config, const void *parameters,
                        struct arena *arena, struct policy_choice *const *to, struct err *err)
{
    for (const struct policy_use *u = uses; u->word; u++) {
        if (!policy_choose(u->question, policy_use_name(u, config), u->path, parameters, arena,
                           to[u - uses], err))
            return false;
    }
    return true;
}
