#include "chip/policies.h"

#include "chip/model.h"

#include <string.h>

const struct policy_use *policy_use_find(const char *word)
{
    for (const struct model *const *m = models; *m; m++) {
        for (const struct policy_use *u = (*m)->policies; u && u->word; u++) {
            if (strcmp(u->word, word) == 0)
                return u;
        }
    }
    return NULL;
}

const char *const *policy_use_words(void)
{
    static const char *words[32];
    u32 count = 0;
    for (const struct model *const *m = models; *m; m++) {
        for (const struct policy_use *u = (*m)->policies; u && u->word; u++) {
            bool known = false;
            for (u32 i = 0; i < count; i++)
                known |= strcmp(words[i], u->word) == 0;
            if (!known && count + 1 < ARRAY_LEN(words))
                words[count++] = u->word;
        }
    }
    words[count] = NULL;
    return words;
}

bool policy_use_matters(const struct policy_use *uses, const void *config, const char *part)
{
    for (; uses->word; uses++) {
        const char *question = questions[uses->question].name, *at = part;
        if (uses->question != QUESTION_WARP) {
            size_t n = strlen(question);
            if (strncmp(part, question, n) != 0 || part[n] != '.')
                continue;
            at = part + n + 1;
        }
        const char *name = policy_use_name(uses, config);
        size_t n = strlen(name);
        if (strncmp(at, name, n) == 0 && (at[n] == '.' || !at[n]))
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
