/* 32-bit integer divisions that share what their divisor needs: its reciprocal, I2F to F2I. */
#include "ptx/lower/rules.h"

#include <string.h>

static bool is_division(const struct node *n)
{
    return (n->code == LOWER_DIV || n->code == LOWER_REM) && lower_is_whole(n) && n->bytes == 4 &&
           !n->dead;
}

void lower_share_reciprocal(const struct lower *l, struct node *n)
{
    n->inverted = true;
    n->count = (u8)strlen(lower_expansion(l, n));
}

static bool writes(const struct node *n, u32 reg)
{
    for (u32 k = 0; k < n->write_count; k++) {
        if (n->writes[k] == reg)
            return true;
    }
    return false;
}

/* Is there an earlier division by the same value in the basic block, which all lanes execute? */
static bool has_reciprocal(const struct lower *l, u32 i)
{
    const struct node *n = &l->nodes[i];
    u32 divisor = lower_register(lower_operand(n, 2));
    u32 first = i < LOWER_MOST_APART ? 0 : i - LOWER_MOST_APART;
    for (u32 k = i; divisor != PTX_NONE && k-- > first;) {
        const struct node *before = &l->nodes[k];
        if (l->graph.block_of[k] != l->graph.block_of[i] || writes(before, divisor))
            return false;
        if (is_division(before) && before->class == n->class && before->s->guard == PTX_NONE &&
            lower_register(lower_operand(before, 2)) == divisor)
            return true;
    }
    return false;
}

void lower_divisions(struct lower *l)
{
    for (u32 i = 0; i < l->count; i++) {
        if (is_division(&l->nodes[i]) && has_reciprocal(l, i))
            lower_share_reciprocal(l, &l->nodes[i]);
    }
}
