/*
 * Writes text for programs that read some: words of a random vocabulary, the frequent ones shorter.
 * Arguments: bytes, words of the vocabulary.
 */
#include "common.h"

#define MOST_WORDS 100000u

static char words[MOST_WORDS][16];

int main(int argc, char **argv)
{
    u32 bytes = argument(argc, argv, 1, 1000000, 1u << 30);
    u32 count = argument(argc, argv, 2, 5000, MOST_WORDS);
    for (u32 i = 0; i < count; i++) {
        u32 length = 2 + random_below(i < count / 20 ? 4 : 10);
        for (u32 k = 0; k < length; k++)
            words[i][k] = (char)('a' + random_below(26));
    }
    for (u32 done = 0, column = 0; done < bytes;) {
        double r = random_unit();
        const char *w = words[(u32)(r * r * r * count)];
        done += (u32)printf("%s%c", w, column > 60 ? '\n' : ' ');
        column = column > 60 ? 0 : column + (u32)strlen(w) + 1;
    }
    return 0;
}
