#include "ptx/exec/signature.h"

#include "base/map.h"
#include "ptx/exec/signature_step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void collector_fini(struct signature_collector *c)
{
    for (u32 i = 0; i < c->function_count; i++)
        free(c->executed[i]);
    free(c->executed);
    free(c->sizes);
    c->executed = NULL;
    c->sizes = NULL;
    c->function_count = 0;
    c->program = NULL;
}

void collector_begin(struct signature_collector *c, const struct program *p)
{
    if (c->program != p || c->function_count != p->function_count) {
        collector_fini(c);
        c->program = p;
        c->function_count = p->function_count;
        c->executed = xrealloc(NULL, (p->function_count + 1) * sizeof *c->executed);
        c->sizes = xrealloc(NULL, (p->function_count + 1) * sizeof *c->sizes);
        memset(c->executed, 0, p->function_count * sizeof *c->executed);
    }
    for (u32 i = 0; i < c->function_count; i++) {
        if (c->executed[i] && c->sizes[i] != p->functions[i]->op_count) {
            free(c->executed[i]); /* another program at the same address */
            c->executed[i] = NULL;
        }
        if (c->executed[i])
            memset(c->executed[i], 0, p->functions[i]->op_count * sizeof **c->executed);
    }
    memset(c->footprint, 0, sizeof c->footprint);
    c->lanes = c->accesses = c->sectors = c->stores = 0;
}

u64 *collector_function(struct signature_collector *c, const struct function *f)
{
    size_t bytes = f->op_count * sizeof(u64);
    u64 *counts = c->executed[f->index] = xrealloc(NULL, bytes);
    memset(counts, 0, bytes);
    c->sizes[f->index] = f->op_count;
    return counts;
}

/* ---- global memory ---- */

static void note_sector(struct signature_collector *c, u64 sector, u32 sm, bool is_store)
{
    u64 h = hash_u64(sector);
    u8 rank = (u8)(__builtin_clzll(h | 0xff) + 1);
    u8 *most = &c->footprint[h & 0xff];
    if (rank > *most)
        *most = rank;
    c->sectors++;
    if (c->recent)
        recent_add(c->recent, sector, sm, is_store);
}

static bool is_elsewhere(u64 address)
{
    return address - SHARED_WINDOW < WINDOW_BYTES || address - LOCAL_WINDOW < WINDOW_BYTES ||
           address - PARAM_WINDOW < WINDOW_BYTES;
}

/* Neighbouring lanes of one sector count once. */
static void note_lanes(struct signature_collector *c, const struct warp *w, const struct op *op,
                       u32 bytes, u32 mask, bool is_store)
{
    u64 last = UINT64_MAX;
    EACH (i, mask) {
        u64 a = w->on->address[i];
        if (op->space == SPACE_GENERIC && is_elsewhere(a))
            continue;
        u64 sector = a / RECENT_SECTOR_BYTES, end = (a + bytes - 1) / RECENT_SECTOR_BYTES;
        if (sector == last && end == last)
            continue;
        for (; sector <= end; sector++) {
            if (sector != last)
                note_sector(c, sector, w->block->sm, is_store);
        }
        last = end;
    }
}

/* All lanes side by side, or at one place: what note_lanes finds, without a look at each. */
static void note_row(struct signature_collector *c, const struct warp *w, u64 bytes, bool is_store)
{
    u64 first = w->on->address[0], end = (first + bytes - 1) / RECENT_SECTOR_BYTES;
    for (u64 sector = first / RECENT_SECTOR_BYTES; sector <= end; sector++)
        note_sector(c, sector, w->block->sm, is_store);
}

void collector_access(struct signature_collector *c, const struct warp *w, const struct op *op,
                      u8 kind, u32 mask)
{
    const struct executor *e = w->on;
    u32 bytes = op->access_bytes * (op->list_count ? op->list_count : 1u);
    bool is_store = kind != WINST_LOAD;
    if ((op->space != SPACE_GLOBAL && op->space != SPACE_GENERIC) ||
        (kind != WINST_LOAD && kind != WINST_STORE && kind != WINST_ATOMIC))
        return;
    c->accesses++;
    c->stores += is_store;
    if (e->pattern == ACCESS_ANY || e->pattern_bytes != bytes || mask != ALL_LANES ||
        op->space == SPACE_GENERIC)
        note_lanes(c, w, op, bytes, mask, is_store);
    else
        note_row(c, w, e->pattern == ACCESS_ROW ? LANES * bytes : bytes, is_store);
}

/* ---- a launch ---- */

/* Different sectors, from the registers; few are counted by those that are empty. */
static double footprint_of(const u8 registers[FOOTPRINT_REGISTERS])
{
    const double m = FOOTPRINT_REGISTERS, alpha = 0.7213 / (1 + 1.079 / m);
    double sum = 0;
    u32 empty = 0;
    for (u32 i = 0; i < FOOTPRINT_REGISTERS; i++) {
        sum += ldexp(1, -registers[i]);
        empty += registers[i] == 0;
    }
    double estimate = alpha * m * m / sum;
    return estimate <= 2.5 * m && empty ? m * log(m / empty) : estimate;
}

/* A byte of the hash is one direction's component, -1 to 1. */
static void add_instruction(struct signature *s, u32 function, u32 op, u8 unit, double executed)
{
    u64 h = hash_u64((u64)function << 32 | (op + 1));
    for (u32 d = 0; d < SIGNATURE_DIMENSIONS; d++)
        s->vector[d] += executed * ((double)(h >> 8 * d & 0xff) / 127.5 - 1);
    s->units[unit] += executed;
    s->warp_instructions += (u64)executed;
}

static void add_function(struct signature *s, const struct signature_collector *collectors,
                         u32 count, const struct function *f)
{
    for (u32 op = 0; op < f->op_count; op++) {
        u64 executed = 0;
        for (u32 i = 0; i < count; i++) {
            const struct signature_collector *c = &collectors[i];
            executed += c->program && c->executed[f->index] ? c->executed[f->index][op] : 0;
        }
        if (executed)
            add_instruction(s, f->index, op, f->instructions[op].unit, (double)executed);
    }
}

void signature_sum(struct signature *s, const struct signature_collector *collectors, u32 count)
{
    u8 footprint[FOOTPRINT_REGISTERS] = {0};
    double lanes = 0, accesses = 0, sectors = 0, stores = 0;
    const struct program *program = NULL;
    *s = (struct signature){0};
    for (u32 i = 0; i < count; i++) {
        const struct signature_collector *c = &collectors[i];
        if (!c->program)
            continue;
        program = c->program;
        lanes += (double)c->lanes;
        accesses += (double)c->accesses;
        sectors += (double)c->sectors;
        stores += (double)c->stores;
        for (u32 k = 0; k < FOOTPRINT_REGISTERS; k++)
            footprint[k] = c->footprint[k] > footprint[k] ? c->footprint[k] : footprint[k];
    }
    for (u32 f = 0; program && f < program->function_count; f++)
        add_function(s, collectors, count, program->functions[f]);
    double all = s->warp_instructions ? (double)s->warp_instructions : 1;
    for (u32 d = 0; d < SIGNATURE_DIMENSIONS; d++)
        s->vector[d] /= all;
    for (u32 u = 0; u < UNIT_COUNT; u++)
        s->units[u] /= all;
    s->lanes = lanes / all;
    s->accesses = accesses / all;
    s->stores = stores / all;
    s->sectors = accesses > 0 ? sectors / accesses : 0;
    s->footprint_sectors = (u64)footprint_of(footprint);
}
