#include "base/arena.h"
#include "cpu_trace/champsim_format.h"
#include "base/packed.h"

#include <stdlib.h>
#include <string.h>

#define BATCH 1024u
#define RECORD 64u

struct champsim_writer {
    struct packed_output *out;
    u32 count;
    u8 records[BATCH * RECORD];
};

struct champsim_writer *champsim_create(const char *path, struct err *err)
{
    struct champsim_writer *w = xrealloc(NULL, sizeof *w);
    w->count = 0;
    w->out = packed_create(path, err);
    if (w->out)
        return w;
    free(w);
    return NULL;
}

static void add(u8 *list, u32 room, u8 reg)
{
    for (u32 i = 0; i < room && list[i] != reg; i++) {
        if (list[i] == CPU_REG_NONE) {
            list[i] = reg;
            return;
        }
    }
}

/* By which registers ChampSim tells kinds of branches apart. */
static const struct {
    bool reads_stack, reads_ip, reads_flags, reads_other, writes_stack;
} branch_rows[CPU_BRANCH_COUNT] = {
    [CPU_CONDITIONAL] = {.reads_ip = true},
    [CPU_JUMP] = {.reads_ip = true},
    [CPU_INDIRECT_JUMP] = {.reads_other = true},
    [CPU_CALL] = {.reads_stack = true, .reads_ip = true, .writes_stack = true},
    [CPU_INDIRECT_CALL] = {true, true, false, true, true},
    [CPU_RETURN] = {.reads_stack = true, .writes_stack = true},
};

/* Is it one of those that tell kinds apart? */
static bool is_special(u8 reg)
{
    return reg == CPU_REG_STACK || reg == CPU_REG_FLAGS || reg == CPU_REG_IP;
}

static void put_branch(u8 *sources, u8 *destinations, const struct cpu_instruction *i)
{
    u8 kind = i->branch;
    if (branch_rows[kind].reads_stack)
        add(sources, 4, CPU_REG_STACK);
    if (branch_rows[kind].reads_ip)
        add(sources, 4, CPU_REG_IP);
    bool keeps_others = branch_rows[kind].reads_other || kind == CPU_CONDITIONAL, has_any = false;
    for (u32 k = 0; k < i->source_count; k++) {
        u8 reg = i->sources[k];
        if (!keeps_others ||
            (is_special(reg) && !(kind == CPU_CONDITIONAL && reg == CPU_REG_FLAGS)))
            continue;
        add(sources, 4, reg);
        has_any = true;
    }
    /* one that jumps through memory relative to the pc reads no other register */
    if (!has_any && branch_rows[kind].reads_other)
        add(sources, 4, CPU_REG_CONTROL);
    if (!has_any && kind == CPU_CONDITIONAL)
        add(sources, 4, CPU_REG_FLAGS);
    add(destinations, 2, CPU_REG_IP);
    if (branch_rows[kind].writes_stack)
        add(destinations, 2, CPU_REG_STACK);
}

static void put_u64(u8 *at, u64 v)
{
    for (u32 i = 0; i < 8; i++)
        at[i] = (u8)(v >> 8 * i);
}

static void flush(struct champsim_writer *w)
{
    packed_write(w->out, w->records, w->count * (size_t)RECORD);
    w->count = 0;
}

static u8 *put_record(struct champsim_writer *w, const struct cpu_instruction *i)
{
    const struct champsim_layout *l = &champsim_layouts[CHAMPSIM_STANDARD];
    if (w->count == BATCH)
        flush(w);
    u8 *record = w->records + w->count++ * (size_t)RECORD;
    memset(record, 0, RECORD);
    put_u64(record, i->pc);
    record[l->is_branch] = i->branch != CPU_NO_BRANCH;
    record[l->taken] = i->branch && i->taken;
    if (i->branch) {
        put_branch(record + l->sources, record + l->destinations, i);
    } else {
        for (u32 k = 0; k < i->source_count; k++)
            add(record + l->sources, l->source_count, i->sources[k]);
        for (u32 k = 0; k < i->destination_count; k++)
            add(record + l->destinations, l->destination_count, i->destinations[k]);
    }
    return record;
}

/* As many records as its addresses need: a gather or scatter has more than fit one. */
static void put_elements(struct champsim_writer *w, const struct cpu_instruction *i)
{
    const struct champsim_layout *l = &champsim_layouts[CHAMPSIM_STANDARD];
    const struct cpu_vector *v = i->vector;
    u32 at = v->is_scatter ? l->writes : l->reads;
    u32 most = v->is_scatter ? l->write_count : l->read_count;
    for (u32 k = 0; k < v->count;) {
        u8 *record = put_record(w, i);
        for (u32 n = 0; n < most && k < v->count; n++, k++)
            put_u64(record + at + 8 * (size_t)n, v->address[k]);
    }
}

void champsim_put(struct champsim_writer *w, const struct cpu_instruction *i)
{
    const struct champsim_layout *l = &champsim_layouts[CHAMPSIM_STANDARD];
    if (i->class == CPU_EVENT)
        return;
    if (UNLIKELY(i->vector && i->vector->count)) {
        put_elements(w, i);
        return;
    }
    u8 *record = put_record(w, i);
    for (u32 k = 0; k < i->write_count && k < l->write_count; k++)
        put_u64(record + l->writes + 8 * (size_t)k, i->write[k]);
    for (u32 k = 0; k < i->read_count && k < l->read_count; k++)
        put_u64(record + l->reads + 8 * (size_t)k, i->read[k]);
}

bool champsim_finish(struct champsim_writer *w, struct err *err)
{
    flush(w);
    bool ok = packed_finish(w->out, err);
    free(w);
    return ok;
}

void champsim_discard(struct champsim_writer *w)
{
    packed_discard(w->out);
    free(w);
}
