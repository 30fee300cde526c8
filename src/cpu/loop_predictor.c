#include "cpu/loop_predictor.h"

#define TAG_BITS 14u
#define MOST_ROUNDS ((1u << 14) - 1)
#define SURE 3u
#define MOST_AGE 255u

void loop_predictor_init(struct loop_predictor *l, struct arena *arena, u32 entries)
{
    *l = (struct loop_predictor){.sets = entries / LOOP_WAYS};
    if (entries)
        l->entries = ARENA_ARRAY(arena, struct loop_entry, entries);
}

static struct loop_entry *set_of(const struct loop_predictor *l, u64 pc)
{
    return &l->entries[pc % l->sets * LOOP_WAYS];
}

static u16 tag_of(const struct loop_predictor *l, u64 pc)
{
    return (u16)(pc / l->sets & ((1u << TAG_BITS) - 1));
}

bool loop_predictor_predict(struct loop_predictor *l, u64 pc, bool *taken)
{
    l->found = NULL;
    if (!l->entries)
        return false;
    struct loop_entry *set = set_of(l, pc);
    for (u32 way = 0; way < LOOP_WAYS; way++) {
        if (set[way].is_valid && set[way].tag == tag_of(l, pc))
            l->found = &set[way];
    }
    const struct loop_entry *e = l->found;
    if (!e || e->confidence < SURE)
        return false;
    *taken = e->round == e->rounds ? !e->direction : e->direction;
    return true;
}

/* The first way that is empty or has lost its age; otherwise all of the set lose some. */
static void allocate(struct loop_predictor *l, u64 pc, bool taken)
{
    struct loop_entry *set = set_of(l, pc);
    for (u32 way = 0; way < LOOP_WAYS; way++) {
        if (set[way].is_valid && set[way].age)
            continue;
        /* the other predictor was wrong where the loop ended */
        set[way] = (struct loop_entry){
            .tag = tag_of(l, pc), .direction = !taken, .age = MOST_AGE, .is_valid = true};
        return;
    }
    for (u32 way = 0; way < LOOP_WAYS; way++)
        set[way].age--;
}

static void loop_ended(struct loop_entry *e)
{
    if (e->round == e->rounds) {
        e->confidence = e->confidence < SURE ? (u8)(e->confidence + 1) : e->confidence;
        e->age = MOST_AGE;
    } else {
        e->rounds = e->round;
        e->confidence = 0;
    }
    e->round = 0;
}

void loop_predictor_train(struct loop_predictor *l, u64 pc, bool taken, bool base_was_wrong)
{
    struct loop_entry *e = l->found;
    if (!l->entries)
        return;
    if (!e) {
        if (base_was_wrong)
            allocate(l, pc, taken);
        return;
    }
    if (taken != e->direction && !e->round && !e->confidence) {
        e->direction = taken; /* twice in a row: this is the way that goes on */
        e->round = 1;
    } else if (taken != e->direction) {
        loop_ended(e);
    } else if (e->round < MOST_ROUNDS) {
        e->round++;
    } else {
        e->is_valid = false; /* too long to be counted */
    }
}
