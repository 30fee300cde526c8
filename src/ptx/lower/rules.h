/* The rules of the lowering, each over all nodes of a function. */
#ifndef PTX_LOWER_RULES_H
#define PTX_LOWER_RULES_H

#include "ptx/lower/node.h"

/* facts.c */
void lower_facts(struct lower *l);
bool lower_branch_diverges(const struct lower *l, u32 op);
/* fold.c: counts of single ops, and what disappears into others */
void lower_fold(struct lower *l);
/* unused.c: what nothing needs is dead */
void lower_drop_unused(struct lower *l);
/* expand.c: machine instructions of an op by itself, one letter each; NULL: just one */
const char *lower_expansion(const struct lower *l, const struct node *n);
/* Has it a branch of its own to a subroutine? */
bool lower_has_branch(const struct lower *l, const struct node *n);
/* Memory instructions that an access is made of; 0: one. */
u8 lower_pieces(const struct node *n);
const char *lower_slow_letters(enum lower_slow slow);
/* vector.c: neighbouring loads that become one */
void lower_vectors(struct lower *l);
/* branch.c: guards instead of branches, and what brings lanes together */
void lower_branches(struct lower *l);
/* loop.c: what an unrolled loop does once in several turns */
#define UNROLLED 4u
void lower_loops(struct lower *l);
/* divide.c: divisions by the same value share its reciprocal; before loops share those of others */
void lower_divisions(struct lower *l);
void lower_share_reciprocal(const struct lower *l, struct node *n);
/* registers.c: those of 32 bits that a thread needs at once; after all other rules */
u32 lower_live_registers(struct lower *l);
/* Of 32 bits, those that a register of the text takes; 0: it is folded, a predicate, or the same in
 * all lanes. */
u32 lower_weight(const struct lower *l, u32 reg);
/* After lower_live_registers: the registers of the text that are live before an op, and behind what
 * ends with the op before `end`; one bit each. */
void lower_live_before(const struct lower *l, u32 op, u64 *bits);
void lower_live_behind(const struct lower *l, u32 end, u64 *bits);
static inline u32 lower_live_words(const struct lower *l)
{
    return (l->value_count + 63) / 64;
}
/* All of them, in order. */
void lower_function(struct lower *l, const struct function *f, struct arena *scratch);

#endif
