/*
 * What is not there because nothing needs it: results that are never read, and values that a loop
 * only passes on to itself.
 *
 * ptxas drops the latter after it has made subroutines of exact divisions and roots, whose branches
 * it then keeps: in silicon/h200/micro.csv, group full, and in sizes of its code.
 */
#include "ptx/lower/rules.h"

#include <string.h>

static bool is_pure(const struct node *n)
{
    return n->write_count && n->code != LOWER_ATOM && n->code != LOWER_OTHER &&
           (n->code != LOWER_LD || n->mods.space == SPACE_PARAM);
}

/* What nobody reads, or only what is dead does. */
static void drop_unread(struct lower *l)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 i = l->count; i-- > 0;) {
            struct node *n = &l->nodes[i];
            bool used = n->dead || !is_pure(n);
            for (u32 w = 0; w < n->write_count && !used; w++) {
                EACH_USE(user, l, n->writes[w])
                used |= !l->nodes[user].dead;
            }
            if (!used)
                n->dead = changed = true;
        }
    }
}

static bool has(const u64 *bits, u32 reg)
{
    return bits[reg / 64] >> (reg % 64) & 1;
}

/* Is it needed, if these registers are behind it? Then so is what it reads. */
static bool step_back(const struct lower *l, const struct node *n, u64 *needed)
{
    bool stays = !is_pure(n) || (n->class == CLASS_FLOAT && lower_has_branch(l, n));
    for (u32 w = 0; w < n->write_count && !stays; w++)
        stays = has(needed, n->writes[w]);
    if (n->dead || !stays)
        return false;
    bool always = !n->s || n->s->guard == PTX_NONE;
    for (u32 w = 0; w < n->write_count && always; w++)
        needed[n->writes[w] / 64] &= ~((u64)1 << (n->writes[w] % 64));
    for (u32 k = 0; k < n->read_count; k++)
        needed[n->reads[k] / 64] |= (u64)1 << (n->reads[k] % 64);
    return true;
}

/* What is needed grows from what has an effect, through loops until nothing is added. */
static void find_needed(const struct lower *l, bool *is_needed)
{
    const struct graph *g = &l->graph;
    u32 words = lower_live_words(l);
    u64 *in = ARENA_ARRAY(l->scratch, u64, (size_t)words * (g->count + 1) + 1);
    u64 *needed = ARENA_ARRAY(l->scratch, u64, words + 1);
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 b = g->count; b-- > 0;) {
            memset(needed, 0, words * sizeof *needed);
            for (u32 e = g->successor_start[b]; e < g->successor_start[b + 1]; e++) {
                for (u32 k = 0; k < words; k++)
                    needed[k] |= in[(size_t)words * g->successors[e] + k];
            }
            for (u32 i = g->first[b + 1]; i-- > g->first[b];)
                is_needed[i] |= step_back(l, &l->nodes[i], needed);
            u64 *mine = in + (size_t)words * b;
            if (memcmp(mine, needed, words * sizeof *needed) != 0) {
                memcpy(mine, needed, words * sizeof *needed);
                changed = true;
            }
        }
    }
}

void lower_drop_unused(struct lower *l)
{
    bool *is_needed = ARENA_ARRAY(l->scratch, bool, l->count + 1);
    drop_unread(l);
    find_needed(l, is_needed);
    for (u32 i = 0; i < l->count; i++) {
        struct node *n = &l->nodes[i];
        if (!is_needed[i]) {
            n->dead = true;
            n->count = 0;
        }
    }
}
