/* What a kernel's error comes from, as far as its counters say. */
#include "report/correlate.h"

#include <math.h>
#include <stdlib.h>

#define MOST_NAMED 2u
#define CLEAR 0.1 /* a difference that is worth naming: a tenth, or 5 points */
#define POINT 0.02
#define FEW 0.05 /* of the cycles: not worth a word */

static const char *const slot_words[SLOT_COUNT] = {
    [SLOT_ISSUED] = "issue instructions",
    [SLOT_FETCH] = "wait for instructions",
    [SLOT_DATA_MEM] = "wait for data from memory",
    [SLOT_DATA_ALU] = "wait for arithmetic results",
    [SLOT_STRUCT_MEM] = "find the load/store unit busy",
    [SLOT_STRUCT_ALU] = "find execution units busy",
    [SLOT_BARRIER] = "wait at barriers",
    [SLOT_THROTTLED] = "are kept back by the warp policy",
    [SLOT_NO_WARP] = "have no warp",
};

/* ---- order ---- */

struct far {
    double off;
    u32 kernel;
};

static int furthest_first(const void *a, const void *b)
{
    const struct far *x = a, *y = b;
    if (x->off > y->off || x->off < y->off)
        return x->off > y->off ? -1 : 1;
    return (x->kernel > y->kernel) - (x->kernel < y->kernel);
}

const u32 *correlate_order(const struct correlate *c, const struct correlate_result *r)
{
    struct far *all = ARENA_ARRAY(c->arena, struct far, r->kernel_count + 1);
    u32 *order = ARENA_ARRAY(c->arena, u32, r->kernel_count + 1);
    for (u32 i = 0; i < r->kernel_count; i++)
        all[i] = (struct far){r->kernels[i].absolute[0], i};
    qsort(all, r->kernel_count, sizeof *all, furthest_first);
    for (u32 i = 0; i < r->kernel_count; i++)
        order[i] = all[i].kernel;
    return order;
}

/* ---- causes ---- */

/* How much longer a difference makes a kernel, roughly, as a logarithm: only an order among
 * counters rests on it. */
static double weight(const struct counter *c, double silicon, double simulated)
{
    if (isnan(counter_error(c, silicon, simulated)))
        return 0;
    if (c->kind == COUNTER_PERCENT)
        return -c->helps * POINT * (simulated - silicon);
    return -c->helps * log(fmax(simulated, fmax(c->floor, 1)) / fmax(silicon, fmax(c->floor, 1)));
}

static void name_difference(const struct counter *c, double silicon, double simulated,
                            struct text *out)
{
    double factor = simulated / silicon;
    text_printf(out, "%s ", c->words);
    if (c->kind == COUNTER_PERCENT)
        text_printf(out, "%.0f %% where silicon has %.0f %%", simulated, silicon);
    else if (!(silicon > 0) || factor > 100)
        text_printf(out, "%.3g where silicon has %.3g", simulated, silicon);
    else
        text_printf(out, "%.2f times silicon's", factor);
}

static void name_causes(const struct correlate_kernel *k, double direction, struct text *out)
{
    u64 named = 0;
    u32 count = 0;
    for (; count < MOST_NAMED; count++) {
        u32 best = UINT32_MAX;
        double most = CLEAR;
        for (u32 i = 1; i < counter_count(); i++) {
            double w =
                direction * weight(&correlate_counters[i], k->on_silicon[i], k->simulated[i]);
            if (!(named >> i & 1) && w > most) {
                best = i;
                most = w;
            }
        }
        if (best == UINT32_MAX)
            break;
        named |= (u64)1 << best;
        text_printf(out, "%s", count ? "; " : "explained by: ");
        name_difference(&correlate_counters[best], k->on_silicon[best], k->simulated[best], out);
    }
    if (!count)
        text_printf(out, "no counter differs in that direction: latencies or rates of the chip");
}

/* The class with the most cycles, but for those that are taken; SLOT_COUNT: none has any. */
static u32 largest_slot(const struct correlate_kernel *k, u32 taken)
{
    u32 best = SLOT_COUNT;
    for (u32 i = 0; i < SLOT_COUNT; i++) {
        if (!(taken >> i & 1) && k->slots[i] > 0 &&
            (best == SLOT_COUNT || k->slots[i] > k->slots[best]))
            best = i;
    }
    return best;
}

/* Of small grids most schedulers never see a warp: what matters is what the others do. */
static void name_slots(const struct correlate_kernel *k, struct text *out)
{
    double all = 0, live;
    for (u32 i = 0; i < SLOT_COUNT; i++)
        all += k->slots[i];
    live = all - k->slots[SLOT_NO_WARP];
    if (!(live > 0))
        return;
    if (k->slots[SLOT_NO_WARP] > all / 4)
        text_printf(out, "%.0f %% of scheduler cycles %s, of the others ",
                    100 * k->slots[SLOT_NO_WARP] / all, slot_words[SLOT_NO_WARP]);
    else
        text_printf(out, "of scheduler cycles with a warp ");
    u32 first = largest_slot(k, 1u << SLOT_NO_WARP);
    u32 second = largest_slot(k, 1u << SLOT_NO_WARP | 1u << first);
    text_printf(out, "%.0f %% %s", 100 * k->slots[first] / live, slot_words[first]);
    if (second != SLOT_COUNT && k->slots[second] > FEW * live)
        text_printf(out, ", %.0f %% %s", 100 * k->slots[second] / live, slot_words[second]);
    text_printf(out, "; ");
}

/* Of warps, where the simulator's stack is of schedulers: the order is what can be compared. */
static void name_stalls(const struct silicon_stall_row *row, struct text *out)
{
    u32 best = 0;
    double all = 0;
    for (u32 i = 0; stall_reasons[i].column; i++) {
        all += row->cycles[i];
        if (row->cycles[i] > row->cycles[best])
            best = i;
    }
    if (all > 0)
        text_printf(out, "on silicon waiting warps wait %.0f %% %s; ",
                    100 * row->cycles[best] / all, stall_reasons[best].words);
}

void correlate_diagnose(const struct correlate_kernel *k, struct text *out)
{
    u32 busy = counter_find("busy_cycles");
    double direction = k->simulated[0] >= k->on_silicon[0] ? 1 : -1;
    name_slots(k, out);
    if (k->stalls)
        name_stalls(k->stalls, out);
    if (k->absolute[0] > 10 && k->absolute[busy] < k->absolute[0] / 2)
        text_printf(out, "without the launch itself the error is %.1f %%", k->absolute[busy]);
    else
        name_causes(k, direction, out);
    if (*k->bound_by)
        text_printf(out, " (bound by %s)", k->bound_by);
}
