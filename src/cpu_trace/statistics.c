#include "cpu_trace/statistics.h"

#include "base/arena.h"
#include "base/map.h"
#include "cpu_trace/line_use.h"

#include <stdlib.h>
#include <string.h>

#define LINE_SHIFT 6
#define PAGE_SHIFT 12

/* What is known of a pc. */
struct site {
    u64 executed[2], taken[2];
    u32 threads, last_thread; /* that executed it in parallel; counted from 1 */
    u8 length;
    bool is_conditional;
};

/* From behind a branch to the next, both ends included. */
struct block {
    u64 count[2];
    u32 instructions, bytes;
};

/* What a map said of a key lately: most instructions and lines were just met. */
#define MEMO 4096u
struct memo {
    u64 key; /* + 1; 0: none */
    u32 index;
};

struct cpu_measuring {
    struct cpu_statistics s;
    struct memo sites_memo[MEMO], blocks_memo[MEMO], lines_memo[MEMO];
    struct map sites_by_pc, blocks_by_pc, code_lines, data_lines, data_pages;
    struct site *sites;
    u32 site_count, site_room;
    struct block *blocks;
    u32 block_count, block_room;
    struct line_use line_use;
    /* of the thread that is added */
    u32 section;
    u64 block_pc; /* of the block that runs; 0: none */
    u32 block_instructions, block_bytes;
    u64 last_code_line, last_data_line;
};

struct cpu_measuring *cpu_measuring_create(void)
{
    struct cpu_measuring *m = xrealloc(NULL, sizeof *m);
    memset(m, 0, sizeof *m);
    m->s.interval_instructions = 1024;
    return m;
}

void cpu_measuring_discard(struct cpu_measuring *m)
{
    map_fini(&m->sites_by_pc);
    map_fini(&m->blocks_by_pc);
    map_fini(&m->code_lines);
    map_fini(&m->data_lines);
    map_fini(&m->data_pages);
    free(m->sites);
    free(m->blocks);
    free(m);
}

/* The index of a key, which is the next free one when it is new. */
static u32 index_of(struct map *map, u64 key, void *rows, u32 *count, u32 *room, size_t size)
{
    u64 known;
    u8 **list = rows;
    if (map_get(map, key, &known))
        return (u32)known;
    if (*count == *room) {
        *room = *room ? 2 * *room : 1024;
        *list = xrealloc(*list, *room * size);
    }
    memset(*list + *count * size, 0, size);
    map_put(map, key, *count);
    return (*count)++;
}

/* The same, asking the map only where the memo has another key in its place. */
static u32 remembered_index(struct memo *memo, struct map *map, u64 key, void *rows, u32 *count,
                            u32 *room, size_t size)
{
    struct memo *m = &memo[key % MEMO];
    if (m->key != key + 1)
        *m = (struct memo){key + 1, index_of(map, key, rows, count, room, size)};
    return m->index;
}

static bool is_new(struct map *map, u64 key)
{
    u64 known;
    if (map_get(map, key, &known))
        return false;
    map_put(map, key, 0);
    return true;
}

/* ---- one instruction ---- */

static void count_site(struct cpu_measuring *m, const struct cpu_instruction *i)
{
    u32 n = remembered_index(m->sites_memo, &m->sites_by_pc, i->pc, &m->sites, &m->site_count,
                             &m->site_room, sizeof *m->sites);
    struct site *site = &m->sites[n];
    site->executed[m->section]++;
    site->taken[m->section] += i->taken;
    site->length = i->length ? i->length : site->length;
    site->is_conditional = i->branch == CPU_CONDITIONAL;
    if (m->section == CPU_PARALLEL && site->last_thread != m->s.threads) {
        site->last_thread = m->s.threads;
        site->threads++;
    }
}

static void end_block(struct cpu_measuring *m)
{
    if (!m->block_instructions)
        return;
    u32 n = remembered_index(m->blocks_memo, &m->blocks_by_pc, m->block_pc, &m->blocks,
                             &m->block_count, &m->block_room, sizeof *m->blocks);
    struct block *b = &m->blocks[n];
    b->count[m->section]++;
    b->instructions = (u32)max_u64(b->instructions, m->block_instructions);
    b->bytes = (u32)max_u64(b->bytes, m->block_bytes);
    m->s.counts[m->section].blocks++;
    m->block_instructions = m->block_bytes = 0;
}

static u32 touch_lines(struct cpu_measuring *m, u64 address, u32 bytes)
{
    u32 fresh = 0;
    u64 last = (address + (bytes ? bytes - 1 : 0)) >> LINE_SHIFT;
    for (u64 line = address >> LINE_SHIFT; line <= last; line++) {
        if (line == m->last_data_line)
            continue;
        m->last_data_line = line;
        struct memo *known = &m->lines_memo[line % MEMO];
        if (known->key == line + 1)
            continue;
        known->key = line + 1;
        if (is_new(&m->data_lines, line)) {
            fresh++;
            is_new(&m->data_pages, line >> (PAGE_SHIFT - LINE_SHIFT));
        }
    }
    return fresh;
}

static u32 touch_data(struct cpu_measuring *m, const struct cpu_instruction *i)
{
    u32 fresh = 0;
    for (u32 k = 0; k < i->read_count; k++)
        fresh += touch_lines(m, i->read[k], i->read_bytes[k]);
    for (u32 k = 0; k < i->write_count; k++)
        fresh += touch_lines(m, i->write[k], i->write_bytes[k]);
    for (u32 k = 0; UNLIKELY(i->vector != NULL) && k < i->vector->count; k++)
        fresh += touch_lines(m, i->vector->address[k], i->vector->element_bytes);
    return fresh;
}

/* Twice as long, half as many. */
static void halve_intervals(struct cpu_statistics *s)
{
    for (u32 i = 0; i < CPU_INTERVALS / 2; i++) {
        struct cpu_interval *a = &s->intervals[2 * i], *b = a + 1;
        s->intervals[i] = (struct cpu_interval){
            .instructions = a->instructions + b->instructions,
            .branches = a->branches + b->branches,
            .taken = a->taken + b->taken,
            .loads = a->loads + b->loads,
            .stores = a->stores + b->stores,
            .new_code_lines = a->new_code_lines + b->new_code_lines,
            .new_data_lines = a->new_data_lines + b->new_data_lines,
        };
    }
    s->interval_count = CPU_INTERVALS / 2;
    s->interval_instructions *= 2;
}

static void count_interval(struct cpu_measuring *m, const struct cpu_instruction *i, u32 new_code,
                           u32 new_data)
{
    struct cpu_statistics *s = &m->s;
    if (s->threads > 1)
        return;
    struct cpu_interval *now = s->interval_count ? &s->intervals[s->interval_count - 1] : NULL;
    if (!now || now->instructions == s->interval_instructions) {
        if (s->interval_count == CPU_INTERVALS)
            halve_intervals(s);
        now = &s->intervals[s->interval_count++];
        *now = (struct cpu_interval){0};
    }
    now->instructions++;
    now->branches += i->branch != CPU_NO_BRANCH;
    now->taken += i->taken;
    now->loads += cpu_instruction_loads(i);
    now->stores += cpu_instruction_stores(i);
    now->new_code_lines += new_code;
    now->new_data_lines += new_data;
}

static void count(struct cpu_measuring *m, const struct cpu_instruction *i)
{
    struct cpu_counts *c = &m->s.counts[m->section];
    u64 code_line = i->pc >> LINE_SHIFT;
    u32 new_code = 0;
    c->instructions++;
    c->classes[i->class]++;
    c->branches[i->branch]++;
    c->bytes += i->length;
    c->loads += cpu_instruction_loads(i);
    c->stores += cpu_instruction_stores(i);
    if (i->taken) {
        c->taken++;
        c->taken_backward += i->target < i->pc;
        c->conditional_taken += i->branch == CPU_CONDITIONAL;
    }
    count_site(m, i);
    if (!m->block_instructions)
        m->block_pc = i->pc;
    m->block_instructions++;
    m->block_bytes += i->length;
    if (i->branch)
        end_block(m);
    if (code_line != m->last_code_line) {
        m->last_code_line = code_line;
        new_code = is_new(&m->code_lines, code_line);
    }
    line_use_fetch(&m->line_use, i->pc, i->length, m->section);
    count_interval(m, i, new_code, touch_data(m, i));
}

static void change_section(struct cpu_measuring *m, u8 event)
{
    m->s.events[event]++;
    if (event != CPU_PARALLEL_START && event != CPU_PARALLEL_END)
        return;
    end_block(m);
    m->section = event == CPU_PARALLEL_START ? CPU_PARALLEL : CPU_SERIAL;
}

bool cpu_measuring_add(struct cpu_measuring *m, struct cpu_stream *s, u64 most, struct err *err)
{
    m->s.threads++;
    m->section = CPU_SERIAL;
    m->last_code_line = m->last_data_line = UINT64_MAX;
    for (const struct cpu_instruction *i; most && (i = cpu_stream_peek(s)); cpu_stream_skip(s)) {
        if (i->class == CPU_EVENT) {
            change_section(m, i->event);
            continue;
        }
        count(m, i);
        most--;
    }
    end_block(m);
    line_use_flush(&m->line_use);
    if (m->s.threads == 1) {
        u64 serial = m->s.counts[CPU_SERIAL].instructions;
        u64 all = serial + m->s.counts[CPU_PARALLEL].instructions;
        m->s.serial_share = all ? (double)serial / (double)all : 0;
        m->s.first_serial = serial;
    }
    return cpu_stream_check(s, err);
}

/* ---- the end ---- */

/* Counts are u64s behind each other. */
static void add_counts(struct cpu_counts *to, const struct cpu_counts *from)
{
    u64 *a = (u64 *)(void *)to;
    const u64 *b = (const u64 *)(const void *)from;
    for (size_t i = 0; i < sizeof *to / sizeof *a; i++)
        a[i] += b[i];
}

static void sum_bias(struct cpu_measuring *m)
{
    for (u32 n = 0; n < m->site_count; n++) {
        const struct site *site = &m->sites[n];
        for (u32 k = 0; k < CPU_TOTAL && site->is_conditional; k++) {
            if (!site->executed[k])
                continue;
            u64 bin = site->taken[k] * CPU_BIAS_BINS / site->executed[k];
            m->s.counts[k].bias[min_u64(bin, CPU_BIAS_BINS - 1)] += site->executed[k];
        }
    }
}

struct weight {
    u64 executed; /* instructions */
    u32 bytes;
};

static int by_weight(const void *a, const void *b)
{
    const struct weight *x = a, *y = b;
    if (x->executed != y->executed)
        return x->executed < y->executed ? 1 : -1;
    return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

static u64 block_count(const struct block *b, u32 section)
{
    return section == CPU_TOTAL ? b->count[0] + b->count[1] : b->count[section];
}

/* A point wherever the part has grown enough, and at the end. */
static void draw_curve(struct cpu_statistics *s, const struct weight *w, u32 count, u64 all)
{
    u64 bytes = 0, executed = 0;
    double due = 0;
    for (u32 n = 0; n < count && w[n].executed; n++) {
        bytes += w[n].bytes;
        executed += w[n].executed;
        double part = (double)executed / (double)all;
        bool is_last = n + 1 == count || !w[n + 1].executed;
        if (part < due && !is_last)
            continue;
        s->curve[s->curve_points++] = (struct cpu_curve_point){bytes, part};
        due = part + 1. / (CPU_CURVE_POINTS - 1);
    }
}

static void sum_footprints(struct cpu_measuring *m)
{
    struct weight *w = xrealloc(NULL, (m->block_count + 1) * sizeof *w);
    for (u32 k = 0; k < CPU_SECTIONS; k++) {
        struct cpu_counts *c = &m->s.counts[k];
        u64 all = 0, sum = 0;
        for (u32 n = 0; n < m->block_count; n++) {
            const struct block *b = &m->blocks[n];
            w[n] = (struct weight){block_count(b, k) * b->instructions, b->bytes};
            all += w[n].executed;
        }
        qsort(w, m->block_count, sizeof *w, by_weight);
        c->static_bytes = c->hot_bytes = 0;
        for (u32 n = 0; n < m->block_count && w[n].executed; n++) {
            c->static_bytes += w[n].bytes;
            if (sum * 100 < all * 99)
                c->hot_bytes += w[n].bytes;
            sum += w[n].executed;
        }
        if (k == CPU_TOTAL && all)
            draw_curve(&m->s, w, m->block_count, all);
    }
    free(w);
}

static void sum_sharing(struct cpu_measuring *m)
{
    u64 shared = 0, all = 0, shared_bytes = 0, all_bytes = 0;
    for (u32 n = 0; n < m->site_count; n++) {
        const struct site *site = &m->sites[n];
        if (!site->executed[CPU_PARALLEL])
            continue;
        bool is_shared = site->threads == m->s.threads;
        all += site->executed[CPU_PARALLEL];
        all_bytes += site->length;
        shared += is_shared ? site->executed[CPU_PARALLEL] : 0;
        shared_bytes += is_shared ? site->length : 0;
    }
    m->s.shared_instructions = all ? (double)shared / (double)all : 0;
    m->s.shared_bytes = all_bytes ? (double)shared_bytes / (double)all_bytes : 0;
}

double cpu_serial_share_with(const struct cpu_statistics *s, u32 threads)
{
    double serial = (double)s->first_serial, parallel = (double)s->all_parallel / threads;
    return serial + parallel > 0 ? serial / (serial + parallel) : 0;
}

void cpu_measuring_finish(struct cpu_measuring *m, struct cpu_statistics *out)
{
    sum_bias(m);
    m->s.all_parallel = m->s.counts[CPU_PARALLEL].instructions;
    add_counts(&m->s.counts[CPU_TOTAL], &m->s.counts[CPU_SERIAL]);
    add_counts(&m->s.counts[CPU_TOTAL], &m->s.counts[CPU_PARALLEL]);
    sum_footprints(m);
    sum_sharing(m);
    m->s.different = m->site_count;
    m->s.code_lines = m->code_lines.count;
    m->s.data_lines = m->data_lines.count;
    m->s.data_pages = m->data_pages.count;
    for (u32 k = 0; k < CPU_SECTIONS; k++)
        m->s.line_use[k] = line_use_mean(&m->line_use, k);
    *out = m->s;
    cpu_measuring_discard(m);
}
