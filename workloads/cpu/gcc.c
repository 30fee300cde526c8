/*
 * Stands for gcc (403.gcc): passes of a compiler over linked statements.
 *
 * Statements are linked in an order that is not that of memory; each has a small tree of operands
 * in another pool, and operands name symbols. A pass walks the list, hashes each expression (as
 * value numbering does), looks it up, folds constants, and marks symbols. To meet: cache-friendly,
 * L2 MPKI 42.0. Arguments: statements, symbols, rounds of hashing for each operand.
 */
#include "common.h"

#define MOST (1u << 18)
#define TABLE (1u << 14)

struct operand {
    u32 left, right, symbol, code; /* left 0: a leaf */
    u64 value, unused[5];
};

static struct statement {
    u32 next, tree, uses, pass;
    u64 unused[6];
} statements[MOST];
static struct operand operands[3 * MOST];
static struct symbol {
    u64 uses, value;
} symbols[MOST];
static u32 table[TABLE];

static u32 rounds;

static u64 hash_tree(u32 at)
{
    struct operand *o = &operands[at];
    u64 h = o->code * 0x9e3779b97f4a7c15u;
    for (u32 i = 0; i < rounds; i++)
        h = (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9u;
    if (!o->left) {
        struct symbol *s = &symbols[o->symbol];
        s->uses++;
        return h + s->value;
    }
    return (o->value = h ^ (hash_tree(o->left) + 3 * hash_tree(o->right)));
}

int main(int argc, char **argv)
{
    u32 n = argument(argc, argv, 1, 24000, MOST), m = argument(argc, argv, 2, 60000, MOST);
    rounds = argument(argc, argv, 3, 4, 1000);
    for (u32 i = 0; i < m; i++)
        symbols[i].value = random_u64();
    for (u32 i = 0; i < 3 * n; i++)
        operands[i] = (struct operand){.symbol = random_below(m), .code = random_below(64)};
    /* a random order of the statements, and of the trees */
    static u32 order[MOST];
    for (u32 i = 0; i < n; i++)
        order[i] = i;
    for (u32 i = n - 1; i > 0; i--) {
        u32 k = random_below(i + 1), t = order[i];
        order[i] = order[k];
        order[k] = t;
    }
    for (u32 i = 0; i < n; i++) {
        u32 k = order[i];
        statements[k] = (struct statement){.next = order[(i + 1) % n], .tree = 3 * i};
        operands[3 * i].left = 3 * i + 1;
        operands[3 * i].right = 3 * i + 2;
    }
    for (u32 pass = 1, at = order[0];; pass++) {
        for (u32 i = 0; i < n; i++, at = statements[at].next) {
            u64 h = hash_tree(statements[at].tree);
            u32 *slot = &table[h % TABLE];
            if (*slot == statements[at].tree)
                statements[at].uses++;
            else if (h & 1)
                *slot = statements[at].tree;
            statements[at].pass = pass;
        }
    }
}
