/*
 * Which thread ticks a task of a round: one word for the list of each thread.
 *
 * The word has the number of the round and what is left of the list, from `next` to before `end`.
 * The thread whose list it is takes from the front, others from the back, each with one exchange of
 * the word. A word of an earlier round stands for a whole list, so it need not be written when a
 * round begins.
 *
 * A thread that comes too late for its round takes nothing: in a round that has ended every list
 * was taken to its end, and the number is in its word. That is why no list is empty.
 */
#ifndef SIM_THREADS_WORK_STEALING_H
#define SIM_THREADS_WORK_STEALING_H

#include "base/types.h"

#define CLAIM_BITS 12u
#define MOST_TASKS ((1u << CLAIM_BITS) - 1) /* of a list */

/* The tasks of a list that are left. */
struct claim {
    u32 next, end;
};

static inline u64 claim_word(u64 number, struct claim left)
{
    return number << (2 * CLAIM_BITS) | (u64)left.next << CLAIM_BITS | left.end;
}

/* What is left of a list of so many in a round; none in one that has ended. */
static inline struct claim claim_left(u64 word, u64 number, u32 count)
{
    u64 last = word >> (2 * CLAIM_BITS);
    if (last < number)
        return (struct claim){0, count};
    if (last > number)
        return (struct claim){0, 0};
    return (struct claim){(u32)(word >> CLAIM_BITS) & MOST_TASKS, (u32)word & MOST_TASKS};
}

#endif
