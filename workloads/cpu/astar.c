/*
 * Stands for astar (473.astar): shortest ways over a map by A*.
 *
 * A grid of terrain with costs and walls; searches from random places to random places nearby, with
 * buckets of open cells. Cells carry the search in which they were last met, so that nothing is
 * cleared. To meet: cache-friendly. Arguments: side of the map, distance of a search.
 */
#include "common.h"

#define MOST_SIDE 1024u
#define BUCKETS 256u
#define ROOM 1024u
#define EXPANSIONS 4000u /* before a search is given up */

static struct cell {
    u32 search, distance;
    u32 x, y;
    u8 cost, is_closed, unused[46]; /* a line, as its records of a way are about */
} cells[MOST_SIDE * MOST_SIDE];
static u32 bucket[BUCKETS][ROOM], filled[BUCKETS], lowest, side;

static void push(u32 estimate, u32 cell)
{
    u32 b = estimate / 8 < BUCKETS ? estimate / 8 : BUCKETS - 1;
    if (filled[b] < ROOM)
        bucket[b][filled[b]++] = cell;
    lowest = b < lowest ? b : lowest;
}

/* False: nothing is open. */
static int pop(u32 *cell)
{
    while (lowest < BUCKETS && !filled[lowest])
        lowest++;
    if (lowest == BUCKETS)
        return 0;
    *cell = bucket[lowest][--filled[lowest]];
    return 1;
}

static u32 far_apart(u32 a, u32 b)
{
    const struct cell *p = &cells[a], *q = &cells[b];
    return (p->x > q->x ? p->x - q->x : q->x - p->x) + (p->y > q->y ? p->y - q->y : q->y - p->y);
}

int main(int argc, char **argv)
{
    side = argument(argc, argv, 1, 600, MOST_SIDE);
    u32 reach = argument(argc, argv, 2, 40, MOST_SIDE);
    for (u32 i = 0; i < side * side; i++) {
        cells[i].cost = (u8)(random_below(5) == 0 ? 0 : 1 + random_below(9));
        cells[i].x = i % side;
        cells[i].y = i / side;
    }
    for (u32 search = 1;; search++) {
        u32 x = reach + random_below(side - 2 * reach), y = reach + random_below(side - 2 * reach);
        u32 from = y * side + x;
        u32 to = (y - reach + random_below(2 * reach)) * side + x - reach + random_below(2 * reach);
        if (!cells[to].cost)
            continue;
        memset(filled, 0, sizeof filled);
        lowest = BUCKETS;
        cells[from].search = search;
        cells[from].distance = 0;
        cells[from].is_closed = 0;
        push(4 * far_apart(from, to), from);
        u32 left = EXPANSIONS;
        for (u32 at; left && pop(&at); left--) {
            if (at == to)
                break;
            if (cells[at].is_closed)
                continue;
            cells[at].is_closed = 1;
            const u32 ways[4] = {at - 1, at + 1, at - side, at + side};
            for (u32 k = 0; k < 4; k++) {
                struct cell *c = ways[k] < side * side ? &cells[ways[k]] : NULL;
                if (!c || !c->cost)
                    continue;
                u32 distance = cells[at].distance + c->cost;
                if (c->search == search && distance >= c->distance)
                    continue;
                c->is_closed = 0;
                c->search = search;
                c->distance = distance;
                push(distance + 4 * far_apart(ways[k], to), ways[k]);
            }
        }
    }
}
