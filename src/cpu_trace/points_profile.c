#include "cpu_trace/points.h"

#include <stdlib.h>
#include <string.h>

const char *const points_measure_names[POINTS_MEASURES] = {"basic blocks", "taken branches",
                                                           "loads", "stores", "lines of data"};

#define LINE_SHIFT 6

void points_profile_init(struct points_profile *p, u64 interval_instructions)
{
    *p = (struct points_profile){.length = interval_instructions};
}

void points_profile_fini(struct points_profile *p)
{
    free(p->intervals);
    free(p->blocks);
    free(p->touched);
    map_fini(&p->seen);
    map_fini(&p->lines);
    *p = (struct points_profile){0};
}

static void *room_for(void *list, u32 count, u32 *room, size_t size)
{
    if (count < *room)
        return list;
    *room = *room ? 2 * *room : 256;
    return xrealloc(list, *room * size);
}

/* Uniform in -1 to 1, from block and direction alone. */
static double direction(u64 pc, u32 dimension)
{
    u64 h = hash_u64(pc * POINTS_DIMENSIONS + dimension + 1);
    return (double)(h >> 11) * 0x1p-52 - 1;
}

static u32 block_of(struct points_profile *p, u64 pc)
{
    u64 known;
    if (map_get(&p->seen, pc, &known))
        return (u32)known;
    p->blocks = room_for(p->blocks, p->block_count, &p->block_room, sizeof *p->blocks);
    struct bbv_block *b = &p->blocks[p->block_count];
    *b = (struct bbv_block){0};
    for (u32 d = 0; d < POINTS_DIMENSIONS; d++)
        b->direction[d] = direction(pc, d);
    map_put(&p->seen, pc, p->block_count);
    return p->block_count++;
}

static void end_interval(struct points_profile *p)
{
    p->intervals = room_for(p->intervals, p->count, &p->room, sizeof *p->intervals);
    struct points_interval *i = &p->intervals[p->count++];
    *i = (struct points_interval){.instructions = p->instructions};
    for (u32 n = 0; n < p->touched_count; n++) {
        struct bbv_block *b = &p->blocks[p->touched[n]];
        double share = (double)b->executed / (double)p->instructions;
        for (u32 d = 0; d < POINTS_DIMENSIONS; d++)
            i->vector[d] += share * b->direction[d];
        b->executed = 0;
    }
    p->measures[POINTS_DATA_LINES] = p->lines.count;
    memcpy(i->measures, p->measures, sizeof i->measures);
    memset(p->measures, 0, sizeof p->measures);
    map_clear(&p->lines);
    p->instructions = 0;
    p->touched_count = 0;
}

void points_profile_add(struct points_profile *p, u64 pc, u32 instructions)
{
    u32 n = block_of(p, pc);
    if (!p->blocks[n].executed) {
        p->touched = room_for(p->touched, p->touched_count, &p->touched_room, sizeof *p->touched);
        p->touched[p->touched_count++] = n;
    }
    p->blocks[n].executed += instructions;
    p->instructions += instructions;
    p->measures[POINTS_BLOCKS]++;
    if (p->instructions >= p->length)
        end_interval(p);
}

void points_profile_end(struct points_profile *p)
{
    if (p->instructions && (p->instructions >= p->length / 2 || !p->count))
        end_interval(p);
}

static void touch(struct points_profile *p, u64 address)
{
    u64 known;
    if (!map_get(&p->lines, address >> LINE_SHIFT, &known))
        map_put(&p->lines, address >> LINE_SHIFT, 0);
}

static void count_accesses(struct points_profile *p, const struct cpu_instruction *i)
{
    p->measures[POINTS_TAKEN] += i->taken;
    p->measures[POINTS_LOADS] += cpu_instruction_loads(i);
    p->measures[POINTS_STORES] += cpu_instruction_stores(i);
    for (u32 k = 0; k < i->read_count; k++)
        touch(p, i->read[k]);
    for (u32 k = 0; k < i->write_count; k++)
        touch(p, i->write[k]);
    for (u32 k = 0; UNLIKELY(i->vector != NULL) && k < i->vector->count; k++)
        touch(p, i->vector->address[k]);
}

bool points_profile_stream(struct points_profile *p, struct cpu_stream *s, struct err *err)
{
    u64 pc = 0;
    u32 instructions = 0;
    for (const struct cpu_instruction *i; (i = cpu_stream_peek(s)); cpu_stream_skip(s)) {
        if (!instructions)
            pc = i->pc;
        instructions++;
        count_accesses(p, i);
        if (i->branch) {
            points_profile_add(p, pc, instructions);
            instructions = 0;
        }
    }
    if (instructions)
        points_profile_add(p, pc, instructions);
    return cpu_stream_check(s, err);
}
