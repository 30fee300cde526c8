#include "cache/tags.h"

#include "base/map.h"

#include <assert.h>

const char *const set_index_names[] = {"linear", "fermi", "folded", "xor", NULL};

void replacement_init(struct replacement *r, struct arena *arena, struct policy_choice choice,
                      u32 sets, u32 ways, u64 seed)
{
    *r = (struct replacement){.ops = (const struct replacement_ops *)choice.ops,
                              .config = choice.config,
                              .sets = sets,
                              .ways = ways,
                              .banks = 1,
                              .seed = seed};
    if (r->ops->state_bytes)
        r->state = arena_alloc(arena, r->ops->state_bytes);
    if (r->ops->table_bytes)
        r->table = arena_alloc(arena, r->ops->table_bytes(sets, ways));
    if (r->ops->init)
        r->ops->init(r);
}

void tags_init(struct tags *t, struct arena *arena, u32 sets, u32 ways, u32 line_bytes,
               enum set_index index, struct policy_choice replacement, u64 seed)
{
    assert(sets > 0 && ways > 0 && ways <= 64);
    *t = (struct tags){
        .inverted = ARENA_ARRAY(arena, u64, (size_t)sets * ways),
        .lines = ARENA_ARRAY(arena, struct line, (size_t)sets * ways),
        .in_set = ARENA_ARRAY(arena, struct set_ways, sets),
        .sets = sets,
        .ways = ways,
        .usable = ways,
        .line_shift = (u32)__builtin_ctz(line_bytes),
        .index = (u8)index,
    };
    if (ways > TAGS_MOST_SCANNED) {
        t->mark_stride = (ways + 7) / 8 * 8;
        t->marks = arena_alloc_aligned(arena, (size_t)sets * t->mark_stride, 64);
    }
    replacement_init(&t->replacement, arena, replacement, sets, ways, seed);
}

static u64 bit(u64 x, u32 i)
{
    return x >> i & 1;
}

/* addr[11:7] XOR {addr[19], addr[17], addr[15], addr[14], addr[13]}; with 64 sets addr[12]
 * goes in front. Both are counted from the line, so that other line sizes work. */
static u32 fermi_set(u64 line, u32 sets)
{
    u64 upper = bit(line, 12) << 4 | bit(line, 10) << 3 | bit(line, 8) << 2 | bit(line, 7) << 1 |
                bit(line, 6);
    u64 set = (line & 31) ^ upper;
    return (u32)(sets == 64 ? set | bit(line, 5) << 5 : set);
}

static u32 xor_set(u64 line, u32 sets)
{
    u32 bits = (u32)__builtin_ctz(sets);
    u64 set = 0;
    for (; bits && line; line >>= bits)
        set ^= line;
    return (u32)(set & (sets - 1));
}

u32 tags_set_hashed(const struct tags *t, u64 line)
{
    switch ((enum set_index)t->index) {
    case SET_FERMI:
        return fermi_set(line, t->sets);
    case SET_FOLDED:
        line ^= hash_u64(line / t->sets); /* every higher bit moves every lower one */
        break;
    case SET_XOR:
        return xor_set(line, t->sets);
    case SET_LINEAR:
        break;
    }
    return (u32)(t->sets & (t->sets - 1) ? line % t->sets : line & (t->sets - 1));
}

u32 tags_victim(struct tags *t, u32 set, u64 ways, u64 kept, const struct request *access)
{
    const struct set_ways *in = &t->in_set[set];
    u64 usable = ways & ~(u64)0 >> (64 - t->usable), empty = usable & ~in->there;
    if (empty)
        return (u32)__builtin_ctzll(empty);
    u64 candidates = usable & in->valid & ~kept;
    return candidates ? t->replacement.ops->victim(&t->replacement, set, candidates, access)
                      : NO_WAY;
}

static void write_way(struct tags *t, u32 set, u32 way, u64 address, enum line_state state)
{
    t->inverted[(size_t)set * t->ways + way] = ~address;
    if (t->marks)
        t->marks[(size_t)set * t->mark_stride + way] = tags_mark(address);
    *tags_line(t, set, way) = (struct line){0};
    t->in_set[set].there |= (u64)1 << way;
    tags_set_state(t, set, way, state);
}

void tags_place(struct tags *t, u32 set, u32 way, const struct request *access,
                enum line_state state)
{
    write_way(t, set, way, access->line, state);
    if (LIKELY(t->replacement.ops->fill))
        t->replacement.ops->fill(&t->replacement, set, way, access);
}

/* The policy is not told: for it the way is what it was, empty or the victim. */
void tags_place_next(struct tags *t, u32 set, u32 way, u64 address)
{
    write_way(t, set, way, address, LINE_VALID);
}

void tags_use_ways(struct tags *t, u32 ways)
{
    t->usable = ways < 1 ? 1 : ways < t->ways ? ways : t->ways;
    for (u32 set = 0; set < t->sets; set++) {
        for (u32 way = t->usable; way < t->ways; way++)
            tags_invalidate(t, set, way);
    }
}

void tags_invalidate(struct tags *t, u32 set, u32 way)
{
    t->inverted[(size_t)set * t->ways + way] = ~NO_LINE;
    *tags_line(t, set, way) = (struct line){0};
    t->in_set[set].there &= ~((u64)1 << way);
    t->in_set[set].valid &= ~((u64)1 << way);
}
