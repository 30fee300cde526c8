#include "ptx/lower/rules.h"

#define LANE_OPS                                                                                   \
    7u /* S2R, shifts, LOP3, IMAD, LEA: once for all wmma.load of a leading dimension */

/* A kernel starts by loading its stack pointer, and the descriptor of global memory if it
 * has any use for one. */
static void count_entry(struct lower *l)
{
    if (!l->f->is_entry || !l->count)
        return;
    bool matrices = false; /* where a lane's elements are in a matrix in memory */
    for (u32 i = 0; i < l->count; i++)
        matrices |= l->nodes[i].code == LOWER_WMMA && l->f->instructions[i].unit == UNIT_MEMORY;
    l->nodes[0].entry = (u8)(matrices ? 1 + LANE_OPS : 1);
    for (u32 i = 0; i < l->count; i++) {
        bool access = l->f->ops[i].unit == UNIT_MEMORY;
        u8 space = l->f->ops[i].space;
        if (access && (space == SPACE_GLOBAL || space == SPACE_GENERIC)) {
            l->nodes[0].entry++;
            return;
        }
    }
}

void lower_function(struct lower *l, const struct function *f, struct arena *scratch)
{
    lower_analyse(l, f, scratch);
    lower_facts(l);
    lower_fold(l);
    lower_vectors(l);
    lower_branches(l);
    lower_divisions(l);
    lower_loops(l);
    count_entry(l);
}
