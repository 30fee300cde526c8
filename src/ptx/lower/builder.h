/* What builds the machine of a function: code.c, stretch.c, schedule.c and unroll.c. */
#ifndef PTX_LOWER_BUILDER_H
#define PTX_LOWER_BUILDER_H

#include "ptx/lower/rules.h"
#include "ptx/program.h"

struct builder {
    struct program *p;
    struct lower *l;
    u32 *same;   /* by register: the one that it is a copy of, or itself */
    u16 *number; /* for the scoreboard; 0: none yet */
    u32 numbers;
    u8 *weight;   /* by number: registers of 32 bits that it takes */
    u32 live;     /* of these, as many as are needed at once, in program order or as issued */
    u32 limit;    /* how many the order keeps to */
    u16 trips;    /* the number of what an unrolled loop is entered with; 0: none yet */
    u16 acquired; /* that the op before has loaded and acquired: all that follows waits; 0: none */
    struct instruction *code;
    u32 count;
    const struct node **stepped; /* by register: what moves it evenly in the loop at hand */
};

/* Numbers for the scoreboard over several turns of a loop. */
struct turns {
    struct builder *b;
    u16 *now;                  /* by number in the text: its number at this place */
    u32 *set_by, *set_last_by; /* `who` + 1; 0: none */
};

/* code.c */
struct instruction builder_simple(char letter);
struct instruction *builder_add(struct builder *b, struct instruction i);
void builder_add_op(struct builder *b, u32 op);
/* Of a register of the text, its number for the scoreboard. */
u16 builder_number(struct builder *b, u32 reg);
void builder_join_copies(struct builder *b);
/* stretch.c */
void builder_find_stretches(struct builder *b, const u32 *first, struct machine *m);
/* unroll.c: notes all instructions first; `who` tells apart the ops of all turns. A copy has
 * number unroll_copy in code. */
struct turns unroll_start(struct builder *b);
void unroll_note(struct turns *t, u32 instruction, u32 who);
u32 unroll_copy(struct turns *t, u32 instruction, u32 who, bool partly);

#endif
