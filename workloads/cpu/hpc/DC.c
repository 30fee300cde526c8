/*
 * Stands for DC of NPB: a data cube. Tuples of attributes are grouped by every subset of them in
 * tables of their own, and a measure is summed in each group.
 * Arguments: tuples, attributes.
 */
#include "hpc.h"

#define TUPLES 100000u
#define ATTRIBUTES 8u
#define SLOTS 4096u

static u8 tuple[TUPLES][ATTRIBUTES];
static u32 measure[TUPLES];
static struct slot {
    u32 key, count;
    u64 sum, squares;
    u32 least, most;
} table[1u << ATTRIBUTES][SLOTS];

/* Open addressing; the attributes of a view are the digits of a key. */
static struct slot *find(struct slot *t, u32 key)
{
    u32 at = key * 2654435761u >> 20;
    while (t[at].count && t[at].key != key)
        at = (at + 1) % SLOTS;
    return &t[at];
}

static void group(u32 view, u32 tuples, u32 attributes)
{
    u32 weight[ATTRIBUTES], next = 1; /* of an attribute in the key; 0: not in this view */
    for (u32 a = 0; a < attributes; a++) {
        weight[a] = next * (view >> a & 1);
        next *= view >> a & 1 ? 3 : 1;
    }
    for (u32 i = 0; i < tuples; i++) {
        u32 key = 0, m = measure[i];
#pragma GCC unroll 2
        for (u32 a = 0; a < attributes; a++)
            key += weight[a] * tuple[i][a];
        struct slot *s = find(table[view], key);
        s->key = key;
        s->least = s->count && s->least < m ? s->least : m;
        s->most = s->most > m ? s->most : m;
        s->count++;
        s->sum += m;
        s->squares += (u64)m * m;
    }
}

int main(int argc, char **argv)
{
    u32 tuples = argument(argc, argv, 1, 5000, TUPLES);
    u32 attributes = argument(argc, argv, 2, 6, 7), views = 1u << attributes, wrong = 0;
    u64 total = 0;
#pragma omp parallel for reduction(+ : total)
    for (u32 i = 0; i < tuples; i++) {
        for (u32 a = 0; a < attributes; a++)
            tuple[i][a] = (u8)(3 * unit_at((u64)i * ATTRIBUTES + a));
        measure[i] = (u32)(1000 * unit_at(~(u64)i));
        total += measure[i];
    }
#pragma omp parallel for schedule(static, 1)
    for (u32 v = 0; v < views; v++)
        group(v, tuples, attributes);
#pragma omp parallel for reduction(+ : wrong)
    for (u32 v = 0; v < views; v++) {
        u64 sum = 0;
        for (u32 s = 0; s < SLOTS; s++)
            sum += table[v][s].sum;
        wrong += sum != total;
    }
    return answer(wrong, 0, 0);
}
