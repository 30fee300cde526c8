#include "gpu/preempt/array_table.h"

void array_table_init(struct array_table *t, struct arena *arena, u32 entries)
{
    *t = (struct array_table){.entries = ARENA_ARRAY(arena, struct array_entry, entries + 1),
                              .room = entries};
}

static void remove_entry(struct array_table *t, u32 index)
{
    t->entries[index] = t->entries[--t->count];
}

static u64 difference(const struct array_run *r)
{
    return r->address - ((u64)r->first << r->shift);
}

/* One run goes on where the other ends, in shared memory and in the array. */
static bool is_same_array(const struct array_run *a, const struct array_run *b)
{
    return a->is_copy == b->is_copy &&
           (!a->is_copy || (a->shift == b->shift && difference(a) == difference(b)));
}

static struct array_run join(const struct array_run *a, const struct array_run *b)
{
    struct array_run all = a->first <= b->first ? *a : *b;
    u32 end = a->first + a->words > b->first + b->words ? a->first + a->words : b->first + b->words;
    all.words = end - all.first;
    all.is_copy = is_same_array(a, b) && a->is_copy;
    return all;
}

/* Joined with all that it touches: of another array a run is none any more. */
void array_table_store(struct array_table *t, u32 block, struct array_run run)
{
    if (t->overflowed >> block & 1)
        return;
    for (u32 i = 0; i < t->count;) {
        const struct array_run *old = &t->entries[i].run;
        bool overlaps = run.first < old->first + old->words && old->first < run.first + run.words;
        bool meets = run.first == old->first + old->words || old->first == run.first + run.words;
        if (t->entries[i].block != block || !(overlaps || (meets && is_same_array(&run, old)))) {
            i++;
            continue;
        }
        run = join(&run, old);
        remove_entry(t, i);
        i = 0; /* it has grown, and may touch more */
    }
    if (t->count == t->room) {
        t->overflows++;
        array_table_lose(t, block);
        return;
    }
    t->entries[t->count++] = (struct array_entry){run, (u8)block};
    t->most = t->count > t->most ? t->count : t->most;
}

static void remove_all(struct array_table *t, u32 block)
{
    for (u32 i = 0; i < t->count;) {
        if (t->entries[i].block == block)
            remove_entry(t, i);
        else
            i++;
    }
}

void array_table_lose(struct array_table *t, u32 block)
{
    remove_all(t, block);
    t->overflowed |= (u64)1 << block;
}

void array_table_overwrite(struct array_table *t, u64 address, u32 bytes)
{
    for (u32 i = 0; i < t->count; i++) {
        struct array_run *r = &t->entries[i].run;
        if (r->is_copy && address < r->address + array_span(r) && r->address < address + bytes)
            r->is_copy = false;
    }
}

void array_table_doubt(struct array_table *t, u64 blocks)
{
    for (u32 i = 0; i < t->count; i++)
        t->entries[i].run.is_copy &= !(blocks >> t->entries[i].block & 1);
}

void array_table_forget(struct array_table *t, u32 block)
{
    remove_all(t, block);
    t->overflowed &= ~((u64)1 << block);
}

void array_table_take(struct array_table *t, u32 block, struct array_list *list)
{
    list->count = 0;
    list->overflowed = t->overflowed >> block & 1;
    for (u32 i = 0; i < t->count; i++) {
        if (t->entries[i].block == block)
            list->runs[list->count++] = t->entries[i].run;
    }
    array_table_forget(t, block);
}

void array_table_put(struct array_table *t, u32 block, const struct array_list *list)
{
    array_table_forget(t, block);
    for (u32 i = 0; i < list->count; i++)
        array_table_store(t, block, list->runs[i]);
    if (list->overflowed)
        array_table_lose(t, block);
}
