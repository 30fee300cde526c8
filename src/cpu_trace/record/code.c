#include "cpu_trace/record/code.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

bool guest_code_init(struct guest_code *c, enum cpu_machine machine, const char *program,
                     struct err *err)
{
    *c = (struct guest_code){.program = program};
    return decoder_open(&c->decoder, machine, err);
}

void guest_code_fini(struct guest_code *c)
{
    decoder_close(&c->decoder);
    map_fini(&c->by_pc);
    free(c->blocks);
    arena_fini(&c->arena);
}

/* Room for index n of an array. */
static void *reach(void *array, u32 *room, u32 n, size_t size)
{
    if (n < *room)
        return array;
    u32 more = *room ? *room : 1024;
    while (more <= n)
        more *= 2;
    u8 *a = xrealloc(array, more * size);
    memset(a + *room * size, 0, (more - *room) * size);
    *room = more;
    return a;
}

/* The plugin is ours: what it says is not doubted, but never read past its end. */
struct reading {
    const u8 *at, *end;
};

static void get(struct reading *r, void *to, size_t bytes)
{
    assert((size_t)(r->end - r->at) >= bytes);
    memcpy(to, r->at, bytes);
    r->at += bytes;
}

static const struct code_instruction *find(const struct guest_code *c, u64 pc)
{
    u64 known;
    return map_get(&c->by_pc, pc, &known) ? (const struct code_instruction *)(uintptr_t)known
                                          : NULL;
}

static const struct code_instruction *instruction_at(struct guest_code *c, u64 pc, const u8 *bytes,
                                                     u32 length)
{
    const struct code_instruction *known = find(c, pc);
    if (known && known->fixed.length == length && memcmp(known->bytes, bytes, length) == 0)
        return known;
    struct decoded d;
    enum omp_entry entry = OMP_OTHER;
    struct code_instruction *i = ARENA_NEW(&c->arena, struct code_instruction);
    decoder_decode(&c->decoder, pc, bytes, length, &d);
    *i = (struct code_instruction){.fixed = d.fixed,
                                   .repeats = d.repeats,
                                   .accesses = d.accesses,
                                   .is_atomic = d.is_atomic,
                                   .text = arena_strdup(&c->arena, d.text)};
    i->is_runtime = c->omp.is_anywhere && omp_find(&c->omp, pc, &entry);
    i->entry = (u8)entry;
    memcpy(i->bytes, bytes, length);
    map_put(&c->by_pc, pc, (uintptr_t)i);
    return i;
}

#define MOST_LENGTH 15u /* of an instruction */

static void take_block(struct guest_code *c, struct reading *r)
{
    u32 number;
    u16 count;
    get(r, &number, 4);
    get(r, &count, 2);
    struct code_block *b =
        arena_alloc(&c->arena, sizeof *b + count * sizeof(const struct code_instruction *));
    c->blocks = reach(c->blocks, &c->block_room, number, sizeof *c->blocks);
    c->blocks[number] = b;
    c->block_count = (u32)max_u64(c->block_count, number + 1);
    for (b->count = 0; b->count < count; b->count++) {
        u64 pc;
        u8 length, bytes[MOST_LENGTH + 1] = {0};
        get(r, &pc, 8);
        get(r, &length, 1);
        assert(length <= MOST_LENGTH);
        get(r, bytes, length);
        b->members[b->count] = instruction_at(c, pc, bytes, length);
    }
}

static void take_map(struct guest_code *c, struct reading *r)
{
    struct guest_map map;
    u16 length;
    char name[PATH_MAX];
    get(r, &map.begin, 8);
    get(r, &map.end, 8);
    get(r, &map.offset, 8);
    get(r, &length, 2);
    get(r, name, length);
    name[length < sizeof name ? length : sizeof name - 1] = '\0';
    map.file = name;
    char *real = realpath(c->program, NULL);
    omp_add_map(&c->omp, &map, real && strcmp(real, name) == 0, &c->arena);
    free(real);
}

void guest_code_define(struct guest_code *c, const struct chunk *definitions)
{
    struct reading r = {definitions->bytes, definitions->bytes + definitions->used};
    while (r.at < r.end) {
        u8 kind;
        get(&r, &kind, 1);
        if (kind == DEFINE_BLOCK)
            take_block(c, &r);
        else
            take_map(c, &r);
    }
}

const char *guest_code_text(const struct guest_code *c, u64 pc)
{
    const struct code_instruction *i = find(c, pc);
    return i ? i->text : NULL;
}
