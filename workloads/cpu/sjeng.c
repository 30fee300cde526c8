/*
 * Stands for sjeng (458.sjeng): a game-tree search with a transposition table.
 *
 * Alpha-beta search of a connection game on a board of 6 x 6 held as two words of bits, with moves
 * in a fixed order, an evaluation by masks, and a table of 64 MB that is asked at nodes with enough
 * depth below them. To meet: compute, L2 MPKI 0.4. Arguments: depth of a search, least depth that
 * asks the table.
 */
#include "common.h"

#define ENTRIES (4u << 20)
#define LINES 54u
#define SIDE 6u
#define FULL (1ull << SIDE * SIDE)

static struct entry {
    u64 key;
    int score;
    u32 depth;
} table[ENTRIES];
static u64 lines[LINES];
static u32 line_count, least;

static u64 hash(u64 mine, u64 theirs)
{
    u64 h = mine * 0x9e3779b97f4a7c15u ^ theirs * 0xc2b2ae3d27d4eb4fu;
    return h ^ (h >> 31);
}

/* Bits 0 to 5 are the lowest row; a line that only one side is in is worth its stones. */
static int evaluate(u64 mine, u64 theirs)
{
    int score = 0;
    for (u32 i = 0; i < line_count; i++) {
        u64 a = mine & lines[i], b = theirs & lines[i];
        if (a && !b)
            score += a & (a - 1) ? 5 : 1;
        else if (b && !a)
            score -= b & (b - 1) ? 5 : 1;
    }
    return score;
}

static int has_won(u64 stones)
{
    for (u32 i = 0; i < line_count; i++) {
        if ((stones & lines[i]) == lines[i])
            return 1;
    }
    return 0;
}

static int search(u64 mine, u64 theirs, u32 depth, int alpha, int beta)
{
    static const u32 order[SIDE] = {3, 2, 4, 1, 5, 0};
    struct entry *e = NULL;
    if (has_won(theirs))
        return -1000 - (int)depth;
    if (!depth)
        return evaluate(mine, theirs);
    if (depth >= least) {
        u64 h = hash(mine, theirs);
        e = &table[h % ENTRIES];
        if (e->key == h && e->depth >= depth)
            return e->score;
        e->key = h;
    }
    int best = -100000;
    for (u32 k = 0; k < SIDE && alpha < beta; k++) {
        u64 bit = 1ull << order[k];
        while (bit < FULL && ((mine | theirs) & bit))
            bit <<= SIDE;
        if (bit >= FULL)
            continue;
        int score = -search(theirs, mine | bit, depth - 1, -beta, -alpha);
        best = score > best ? score : best;
        alpha = best > alpha ? best : alpha;
    }
    if (e) {
        e->score = best;
        e->depth = depth;
    }
    return best;
}

int main(int argc, char **argv)
{
    static const int dx[4] = {1, 0, 1, 1}, dy[4] = {0, 1, 1, -1};
    u32 depth = argument(argc, argv, 1, 7, 20);
    least = argument(argc, argv, 2, 2, 20);
    for (int y = 0; y < 6; y++) {
        for (int x = 0; x < 6; x++) {
            for (u32 d = 0; d < 4; d++) {
                int ex = x + 3 * dx[d], ey = y + 3 * dy[d];
                if (ex > 5 || ey < 0 || ey > 5)
                    continue;
                for (int k = 0; k < 4; k++)
                    lines[line_count] |= 1ull << ((y + k * dy[d]) * 6 + x + k * dx[d]);
                line_count++;
            }
        }
    }
    memset(table, 1, sizeof table);
    for (;;) {
        u64 mine = 0, theirs = 0;
        for (u32 i = 0; i < 12; i++) {
            u64 bit = 1ull << random_below(SIDE);
            while ((mine | theirs) & bit)
                bit <<= SIDE;
            if (bit < FULL)
                *(i & 1 ? &mine : &theirs) |= bit;
        }
        KEEP(search(mine, theirs, depth, -10000, 10000));
    }
}
