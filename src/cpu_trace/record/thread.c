#include "cpu_trace/record/thread.h"

#include <assert.h>
#include <string.h>

struct run {
    struct guest_thread *t;
    const struct guest_code *code;
    guest_sink *sink;
    void *context;
};

static const struct code_instruction *member(const struct run *r, u32 position)
{
    return r->t->block->members[position];
}

/* ---- accesses ---- */

/* Joins a piece to an access it touches, below or above. */
static bool join(u64 *addresses, u32 *bytes, u32 count, u64 address, u32 size)
{
    for (u32 k = count; k-- > 0;) {
        if (addresses[k] + bytes[k] == address) {
            bytes[k] += size;
            return true;
        }
        if (address + size == addresses[k]) {
            addresses[k] = address;
            bytes[k] += size;
            return true;
        }
    }
    return false;
}

static void add_access(struct guest_thread *t, struct cpu_instruction *i, bool is_store,
                       u64 address, u32 size)
{
    u64 *addresses = is_store ? i->write : i->read;
    u32 *bytes = is_store ? i->write_bytes : i->read_bytes;
    u8 *count = is_store ? &i->write_count : &i->read_count;
    if (join(addresses, bytes, *count, address, size))
        return;
    if (*count == (is_store ? CPU_MOST_WRITES : CPU_MOST_READS)) {
        t->lost_accesses++;
        return;
    }
    addresses[*count] = address;
    bytes[(*count)++] = size;
}

static void add_all(struct guest_thread *t, struct cpu_instruction *to,
                    const struct cpu_instruction *from)
{
    for (u32 k = 0; k < from->read_count; k++)
        add_access(t, to, false, from->read[k], from->read_bytes[k]);
    for (u32 k = 0; k < from->write_count; k++)
        add_access(t, to, true, from->write[k], from->write_bytes[k]);
}

/* ---- instructions ---- */

/* What was taken for a load or store and did another thing, as a masked one of nothing. */
static void settle_class(struct cpu_instruction *i)
{
    if (i->class == CPU_LOAD && !i->read_count)
        i->class = i->write_count ? CPU_STORE : CPU_ALU;
    if (i->class == CPU_STORE && !i->write_count)
        i->class = i->read_count ? CPU_LOAD : CPU_ALU;
}

/* Where the last one went is where the next one is. */
static bool say_last(struct run *r, u64 next_pc)
{
    struct guest_thread *t = r->t;
    struct cpu_instruction *i = t->last;
    if (i->branch != CPU_NO_BRANCH) {
        u64 behind = i->pc + i->length;
        i->taken = i->branch != CPU_CONDITIONAL || next_pc != behind || i->target == behind;
        if (i->branch != CPU_CONDITIONAL && i->branch != CPU_JUMP && i->branch != CPU_CALL)
            i->target = next_pc;
    }
    if (i->class == CPU_LOAD || i->class == CPU_STORE)
        settle_class(i);
    return r->sink(r->context, t->number, i, t->last_code);
}

/* The instruction at hand is done. */
static bool end_instruction(struct run *r)
{
    struct guest_thread *t = r->t;
    t->is_open = false;
    t->position++;
    if (t->last_code) {
        if (t->now_code->repeats && t->last->pc == t->now->pc) {
            add_all(t, t->last, t->now);
            return true;
        }
        if (!say_last(r, t->now->pc))
            return false;
    }
    struct cpu_instruction *free = t->last;
    t->last = t->now;
    t->last_code = t->now_code;
    t->now = free;
    return true;
}

static void begin_instruction(struct run *r)
{
    struct guest_thread *t = r->t;
    t->now_code = member(r, t->position);
    *t->now = t->now_code->fixed;
    t->now->thread = (u16)t->number;
    t->is_open = true;
}

/* All before a position are done. */
static bool advance(struct run *r, u32 position)
{
    struct guest_thread *t = r->t;
    while (t->position < position) {
        if (!t->is_open)
            begin_instruction(r);
        if (!end_instruction(r))
            return false;
    }
    return true;
}

/* Can the instruction have gone there? */
static bool leads_to(const struct cpu_instruction *i, u64 pc)
{
    switch (i->branch) {
    case CPU_NO_BRANCH:
        return pc == i->pc + i->length || i->class == CPU_SYSTEM;
    case CPU_CONDITIONAL:
        return pc == i->target || pc == i->pc + i->length;
    case CPU_JUMP:
    case CPU_CALL:
        return pc == i->target;
    default:
        return true;
    }
}

/* How many instructions of the block were executed when the next one begins at a pc. A fault ends
 * a block before its end: at the first instruction that should have accessed memory and did not,
 * if the end of the block does not lead to where the thread goes on. */
static u32 block_end(struct run *r, u64 next_pc)
{
    const struct guest_thread *t = r->t;
    const struct code_instruction *last = member(r, t->block->count - 1);
    if (last->repeats || leads_to(&last->fixed, next_pc))
        return t->block->count;
    for (u32 k = t->position + t->is_open; k < t->block->count; k++) {
        if (member(r, k)->accesses)
            return k;
    }
    return t->block->count;
}

static bool begin_block(struct run *r, u64 word)
{
    struct guest_thread *t = r->t;
    u32 number = (u32)word;
    assert(number < r->code->block_count);
    const struct code_block *next = r->code->blocks[number];
    if (t->block && !advance(r, block_end(r, next->members[0]->fixed.pc)))
        return false;
    t->block = next;
    t->position = 0;
    t->is_open = false;
    return true;
}

static bool access_memory(struct run *r, u64 word)
{
    struct guest_thread *t = r->t;
    u32 index = (u32)(word >> WORD_INDEX_AT & WORD_INDEX_MASK);
    if (!t->block || index >= t->block->count || index < t->position)
        return true; /* of a block that began before the recording */
    if (!advance(r, index))
        return false;
    if (!t->is_open)
        begin_instruction(r);
    u64 address = word & (((u64)1 << WORD_ADDRESS_BITS) - 1);
    add_access(t, t->now, word & WORD_STORE, address,
               1u << (word >> WORD_SIZE_AT & WORD_SIZE_MASK));
    return true;
}

bool guest_thread_run(struct guest_thread *t, const struct guest_code *code,
                      const struct chunk *chunk, guest_sink *sink, void *context)
{
    struct run r = {t, code, sink, context};
    if (!t->now) {
        t->now = &t->instructions[0];
        t->last = &t->instructions[1];
    }
    for (u32 i = 0; i < chunk->used; i++) {
        u64 word = chunk->words[i];
        if (!(word & WORD_BLOCK ? begin_block(&r, word) : access_memory(&r, word)))
            return false;
    }
    return true;
}

bool guest_thread_end(struct guest_thread *t, const struct guest_code *code, guest_sink *sink,
                      void *context)
{
    struct run r = {t, code, sink, context};
    if (t->has_ended)
        return true;
    t->has_ended = true;
    if (t->block && !advance(&r, t->block->count))
        return false;
    return !t->last_code || say_last(&r, t->last->pc + t->last->length);
}
