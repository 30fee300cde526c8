/*
 * Stands for gobmk (445.gobmk): reading and pattern matching of a Go program.
 *
 * Stones are played on a board of 19 x 19; for each move, groups nearby are flooded for their
 * liberties, patterns of 3 x 3 are looked up around it, and a table of positions read before, 32
 * MB, is asked. To meet: compute, L2 MPKI 0.96. Arguments: candidates between two questions of the
 * table.
 */
#include "common.h"

#define SIDE 21u
#define POINTS (SIDE * SIDE)
#define READ (4u << 20)

static u8 board[POINTS], pattern_value[1u << 16];
static u32 mark[POINTS], stack[POINTS], marking;
static u64 read_positions[READ], zobrist[3][POINTS];

/* Liberties of the group at a point; up to `enough`. */
static u32 liberties(u32 at, u32 enough)
{
    static const int around[4] = {1, -1, (int)SIDE, -(int)SIDE};
    u32 depth = 0, found = 0;
    u8 colour = board[at];
    marking++;
    stack[depth++] = at;
    mark[at] = marking;
    while (depth && found < enough) {
        u32 p = stack[--depth];
        for (u32 k = 0; k < 4; k++) {
            u32 q = (u32)((int)p + around[k]);
            if (mark[q] == marking)
                continue;
            mark[q] = marking;
            if (board[q] == 0)
                found++;
            else if (board[q] == colour)
                stack[depth++] = q;
        }
    }
    return found;
}

static u32 pattern(u32 at)
{
    static const int near[8] = {-22, -21, -20, -1, 1, 20, 21, 22};
    u32 code = 0;
    for (u32 k = 0; k < 8; k++)
        code = code << 2 | board[(u32)((int)at + near[k])];
    return pattern_value[code & 0xffff];
}

int main(int argc, char **argv)
{
    u32 every = argument(argc, argv, 1, 1, 1000000), moves = 0, asked = 0;
    u64 hash = 0;
    for (u32 i = 0; i < POINTS; i++) {
        u32 x = i % SIDE, y = i / SIDE;
        board[i] = x == 0 || y == 0 || x == SIDE - 1 || y == SIDE - 1 ? 3 : 0;
        zobrist[1][i] = random_u64();
        zobrist[2][i] = random_u64();
    }
    for (u32 i = 0; i < 1u << 16; i++)
        pattern_value[i] = (u8)random_below(100);
    for (u8 colour = 1;; colour = (u8)(3 - colour)) {
        u32 best = 0, chosen = 0;
        for (u32 tries = 0; tries < 12; tries++) {
            u32 at = (1 + random_below(19)) * SIDE + 1 + random_below(19), value;
            if (board[at])
                continue;
            value = pattern(at);
            if (++asked % every == 0) {
                u64 next = (hash ^ zobrist[colour][at]) * 0x9e3779b97f4a7c15u;
                u64 *seen = &read_positions[(next >> 32) % READ];
                value += *seen == next;
                if (next % 16 == 0)
                    *seen = next;
            }
            board[at] = colour;
            value += 10 * liberties(at, 6);
            for (int k = -1; k <= 1; k += 2) {
                u32 q = (u32)((int)at + k);
                if (board[q] == 3 - colour && liberties(q, 3) < 2)
                    value += 50;
            }
            board[at] = 0;
            if (value > best) {
                best = value;
                chosen = at;
            }
        }
        if (!chosen || ++moves % 250 == 0) {
            for (u32 i = 0; i < POINTS; i++)
                board[i] = board[i] == 3 ? 3 : 0;
            hash = moves;
            continue;
        }
        board[chosen] = colour;
        hash ^= zobrist[colour][chosen];
    }
}
