/*
 * Stands for hmmer (456.hmmer): the Viterbi algorithm for a profile of a protein family.
 *
 * Scores of match, insert and delete states along a profile, row by row of a sequence; sequences
 * come one after the other from a large set. To meet: compute. Arguments: states of the profile.
 */
#include "common.h"

#define MOST 1024u
#define LETTERS 20u
#define SEQUENCES (32u << 20)

static int match[2][MOST + 1], insert[2][MOST + 1], erase[2][MOST + 1];
static int emit[LETTERS][MOST + 1], enter[MOST + 1], stay[MOST + 1], leave[MOST + 1];
static u8 sequence[SEQUENCES];

static inline int most(int a, int b)
{
    return a > b ? a : b;
}

int main(int argc, char **argv)
{
    u32 states = argument(argc, argv, 1, 200, MOST);
    for (u32 i = 0; i <= states; i++) {
        enter[i] = -(int)random_below(50);
        stay[i] = -(int)random_below(300);
        leave[i] = -(int)random_below(200);
        for (u32 l = 0; l < LETTERS; l++)
            emit[l][i] = (int)random_below(400) - 250;
    }
    for (u32 i = 0; i < SEQUENCES; i++)
        sequence[i] = (u8)((i * 2654435761u >> 13) % LETTERS);
    int best = 0;
    for (u32 at = 0;; at = (at + 1) % SEQUENCES) {
        u32 now = at & 1, before = !now;
        const int *score = emit[sequence[at]];
        for (u32 k = 1; k <= states; k++) {
            int m = most(match[before][k - 1] + enter[k], insert[before][k - 1] + leave[k]);
            m = most(m, erase[before][k - 1] + leave[k]) + score[k];
            match[now][k] = m = most(m, -1000000);
            insert[now][k] = most(match[before][k] + leave[k], insert[before][k] + stay[k]);
            erase[now][k] = most(match[now][k - 1] + leave[k], erase[now][k - 1] + stay[k]);
            best = most(best, m);
        }
        if (at % 300 == 0)
            best = 0;
        KEEP(best);
    }
}
