#include "base/arena.h"
#include "base/map.h"
#include "cpu_trace/champsim_format.h"
#include "base/packed.h"

#include <stdlib.h>
#include <string.h>

#define BATCH 256u
#define LEARNT 65536u /* what is remembered of so many pcs */
#define MOST_LENGTH 15u

/* What later records told of an instruction. */
struct learnt {
    u64 pc, target;
    u8 length;
};

struct reader {
    struct arena arena;
    struct packed_input *in;
    const struct champsim_layout *layout;
    const char *path;
    u64 records; /* read so far */
    bool has_next, has_ended;
    struct cpu_instruction next;
    struct learnt learnt[LEARNT];
    struct cpu_instruction batch[BATCH];
    u8 raw[BATCH * CHAMPSIM_MOST_BYTES];
    u32 raw_count, raw_at; /* records in raw */
};

static struct src_pos here(const struct reader *r)
{
    return (struct src_pos){r->path, 0, 0};
}

/* ---- a record ---- */

static u64 get_u64(const u8 *at)
{
    u64 v = 0;
    for (u32 i = 0; i < 8; i++)
        v |= (u64)at[i] << 8 * i;
    return v;
}

static bool has(const u8 *list, u32 count, u8 reg)
{
    return memchr(list, reg, count) != NULL;
}

/* As ChampSim tells branches apart, its newer rules. */
static u8 branch_of(const u8 *record, const struct champsim_layout *l)
{
    const u8 *src = record + l->sources, *dst = record + l->destinations;
    bool writes_ip = has(dst, l->destination_count, CPU_REG_IP);
    bool writes_sp = has(dst, l->destination_count, CPU_REG_STACK);
    bool reads_sp = has(src, l->source_count, CPU_REG_STACK);
    bool reads_ip = has(src, l->source_count, CPU_REG_IP);
    bool reads_flags = has(src, l->source_count, CPU_REG_FLAGS), reads_other = false;
    for (u32 i = 0; i < l->source_count; i++)
        reads_other |= src[i] != CPU_REG_NONE && src[i] != CPU_REG_STACK &&
                       src[i] != CPU_REG_FLAGS && src[i] != CPU_REG_IP;
    if (!writes_ip)
        return CPU_NO_BRANCH;
    if (!reads_sp && !reads_flags && !reads_other)
        return CPU_JUMP;
    if (!reads_sp && !reads_ip && !reads_flags)
        return CPU_INDIRECT_JUMP;
    if (!reads_sp && reads_ip && !writes_sp)
        return CPU_CONDITIONAL;
    if (reads_sp && reads_ip && writes_sp && !reads_flags)
        return reads_other ? CPU_INDIRECT_CALL : CPU_CALL;
    return reads_sp && !reads_ip && writes_sp ? CPU_RETURN : CPU_INDIRECT_JUMP;
}

static u8 add_registers(u8 *to, u32 room, const u8 *from, u32 count)
{
    u8 n = 0;
    for (u32 i = 0; i < count; i++) {
        if (from[i] != CPU_REG_NONE && from[i] != CPU_REG_IP && n < room && !has(to, n, from[i]))
            to[n++] = from[i];
    }
    return n;
}

static u8 add_addresses(u64 *to, u32 room, const u8 *from, u32 count)
{
    u8 n = 0;
    for (u32 i = 0; i < count; i++) {
        u64 address = get_u64(from + 8 * (size_t)i);
        if (address && n < room)
            to[n++] = address;
    }
    return n;
}

static bool decode(struct reader *r, const u8 *record, struct cpu_instruction *i, struct err *err)
{
    const struct champsim_layout *l = r->layout;
    u8 is_branch = record[l->is_branch], taken = record[l->taken];
    if (is_branch > 1 || taken > 1)
        return err_at(err, here(r),
                      "record %llu says %u for is_branch and %u for branch_taken, expected 0 or 1: "
                      "this is not a ChampSim trace%s",
                      (unsigned long long)r->records, is_branch, taken,
                      l->bytes == 64 ? ", or one of CloudSuite (cloudsuite:FILE)" : "");
    *i = (struct cpu_instruction){.pc = get_u64(record)};
    i->source_count =
        add_registers(i->sources, CPU_MOST_SOURCES, record + l->sources, l->source_count);
    i->destination_count = add_registers(i->destinations, CPU_MOST_DESTINATIONS,
                                         record + l->destinations, l->destination_count);
    i->read_count = add_addresses(i->read, CPU_MOST_READS, record + l->reads, l->read_count);
    i->write_count = add_addresses(i->write, CPU_MOST_WRITES, record + l->writes, l->write_count);
    i->branch = branch_of(record, l);
    if (is_branch && !i->branch)
        i->branch = CPU_CONDITIONAL; /* ChampSim does not know what it is either */
    i->taken = i->branch == CPU_CONDITIONAL ? taken : i->branch != CPU_NO_BRANCH;
    i->class = i->branch        ? CPU_BRANCH
               : i->write_count ? CPU_STORE
               : i->read_count  ? CPU_LOAD
                                : CPU_ALU;
    if (i->class == CPU_STORE && i->read_count)
        i->class = CPU_ALU;
    cpu_instruction_find_base(i, "");
    r->records++;
    return true;
}

static bool read_record(struct reader *r, struct cpu_instruction *i, bool *is_end, struct err *err)
{
    size_t bytes = r->layout->bytes, count = 0;
    *is_end = false;
    if (r->raw_at == r->raw_count) {
        if (!packed_read(r->in, r->raw, BATCH * bytes, &count, err))
            return false;
        r->raw_at = 0;
        r->raw_count = (u32)(count / bytes);
        if (count % bytes)
            return err_at(err, here(r), "the trace ends within record %llu of %zu bytes",
                          (unsigned long long)(r->records + r->raw_count), bytes);
        *is_end = count == 0;
        if (*is_end)
            return true;
    }
    return decode(r, r->raw + r->raw_at++ * bytes, i, err);
}

/* ---- what follows from the next record ---- */

static void learn(struct reader *r, struct cpu_instruction *i, u64 next_pc)
{
    struct learnt *k = &r->learnt[hash_u64(i->pc) % LEARNT];
    if (k->pc != i->pc)
        *k = (struct learnt){.pc = i->pc};
    if (next_pc && i->taken)
        k->target = next_pc;
    else if (next_pc > i->pc && next_pc - i->pc <= MOST_LENGTH)
        k->length = (u8)(next_pc - i->pc);
    i->length = k->length;
    bool is_direct = i->branch == CPU_CONDITIONAL || i->branch == CPU_JUMP || i->branch == CPU_CALL;
    if (i->branch)
        i->target = i->taken ? next_pc : is_direct ? k->target : 0;
}

static bool refill(struct cpu_stream *s)
{
    struct reader *r = s->self;
    u32 count = 0;
    bool is_end = false;
    if (!r->has_next && !r->has_ended) {
        if (s->err.kind || !read_record(r, &r->next, &is_end, &s->err))
            return false;
        r->has_next = !is_end;
    }
    while (count < BATCH && r->has_next) {
        struct cpu_instruction *i = &r->batch[count++];
        *i = r->next;
        if (!read_record(r, &r->next, &is_end, &s->err)) {
            r->has_ended = true;
            r->has_next = false;
            return false;
        }
        r->has_next = !is_end;
        learn(r, i, is_end ? 0 : r->next.pc);
    }
    r->has_ended = !r->has_next;
    s->at = r->batch;
    s->end = r->batch + count;
    return count > 0;
}

static bool restart(struct cpu_stream *s)
{
    struct reader *r = s->self;
    r->has_next = r->has_ended = false;
    r->records = r->raw_count = r->raw_at = 0;
    memset(r->learnt, 0, sizeof r->learnt);
    return packed_rewind(r->in, &s->err);
}

static void close_reader(struct cpu_stream *s)
{
    struct reader *r = s->self;
    packed_close(r->in);
    arena_fini(&r->arena);
    free(r);
}

static const struct cpu_stream_ops reader_ops = {
    .refill = refill, .restart = restart, .close = close_reader};

bool champsim_stream(struct cpu_stream *s, const char *path, enum champsim_kind kind,
                     struct err *err)
{
    struct reader *r = xrealloc(NULL, sizeof *r);
    memset(r, 0, sizeof *r);
    *s = (struct cpu_stream){.ops = &reader_ops, .self = r, .thread_count = 1};
    r->layout = &champsim_layouts[kind];
    r->path = arena_strdup(&r->arena, path);
    r->in = packed_open(path, err);
    if (!r->in) {
        cpu_stream_close(s);
        return false;
    }
    u64 bytes = packed_length(r->in);
    s->length = bytes == UINT64_MAX ? CPU_LENGTH_UNKNOWN : bytes / r->layout->bytes;
    s->description = arena_printf(&r->arena, "ChampSim trace %s", path);
    return true;
}
