#include "cli/area_cores.h"

#include "cpu/chip_config.h"
#include "policy/written.h"
#include "power/core_cost.h"

#include <jansson.h>
#include <stdio.h>

/* One of a chip's cores, or all of them together. */
struct cores {
    struct core_cost first, other; /* core 0, and each of the others */
    double mm2[CORE_PARTS], watts[CORE_PARTS];
    u32 count;
};

static u64 bits_of(struct policy_choice p, u32 loop_entries)
{
    const struct branch_predictor_ops *ops = (const struct branch_predictor_ops *)p.ops;
    return ops->storage_bits(p.config) + (u64)loop_entries * LOOP_ENTRY_BITS;
}

static bool read_cores(const struct config *chip, struct cores *out, struct arena *arena,
                       struct err *err)
{
    const struct cpu_config *c = chip->data;
    struct core_config first = c->core;
    struct policy_choice p, own;
    if (!policy_choose(QUESTION_BRANCH, c->core.branch.predictor, "core.branch.predictor",
                       c->policies, arena, &p, err))
        return false;
    own = p;
    if (c->core.first.enabled) {
        first.branch = c->core.first.branch;
        first.l1i = c->core.first.l1i;
        if (!policy_written(QUESTION_BRANCH, first.branch.predictor, "core.first.branch.predictor",
                            (struct src_pos){0}, arena, &own, err))
            return false;
    }
    out->count = c->core.count;
    out->first = core_cost_of(&first, bits_of(own, first.branch.loop_entries));
    out->other = core_cost_of(&c->core, bits_of(p, c->core.branch.loop_entries));
    for (u32 i = 0; i < CORE_PARTS; i++) {
        out->mm2[i] = out->first.mm2[i] + (out->count - 1) * out->other.mm2[i];
        out->watts[i] = out->first.watts[i] + (out->count - 1) * out->other.watts[i];
    }
    return true;
}

static void print_row(const char *what, const double *mm2, const double *watts,
                      const double *base_mm2, const double *base_watts)
{
    printf("  %-22s %8.3f %8.3f %+7.1f %%  %8.3f %8.3f %+7.1f %%\n", what, *mm2, *base_mm2,
           100 * (*mm2 / *base_mm2 - 1), *watts, *base_watts, 100 * (*watts / *base_watts - 1));
}

static void print_cores(const char *name, const struct cores *a, const char *base_name,
                        const struct cores *b)
{
    printf("%s, %u cores, against %s, %u cores\n  %-22s %8s %8s %9s  %8s %8s %9s\n", name, a->count,
           base_name, b->count, "one core (the last)", "mm2", "base", "", "W", "base", "");
    for (u32 i = 0; i < CORE_PARTS; i++)
        print_row(core_part_names[i], &a->other.mm2[i], &a->other.watts[i], &b->other.mm2[i],
                  &b->other.watts[i]);
    for (u32 with_l2 = 0; with_l2 < 2; with_l2++) {
        double sums[4] = {
            core_cost_sum(a->other.mm2, with_l2), core_cost_sum(a->other.watts, with_l2),
            core_cost_sum(b->other.mm2, with_l2), core_cost_sum(b->other.watts, with_l2)};
        print_row(with_l2 ? "core and L2" : "core", &sums[0], &sums[1], &sums[2], &sums[3]);
    }
    for (u32 with_l2 = 0; with_l2 < 2; with_l2++) {
        double sums[4] = {core_cost_sum(a->mm2, with_l2), core_cost_sum(a->watts, with_l2),
                          core_cost_sum(b->mm2, with_l2), core_cost_sum(b->watts, with_l2)};
        print_row(with_l2 ? "all cores and L2s" : "all cores", &sums[0], &sums[1], &sums[2],
                  &sums[3]);
    }
    printf("  sizes and sources\n");
    for (const struct core_cost_row *r = core_cost_rows; r->what; r++)
        printf("    %-38s %6.4g mm2 %6.4g W  %s\n", r->what, r->mm2, r->watts, r->source);
}

static json_t *parts_json(const struct cores *c)
{
    json_t *o = json_object(), *parts = json_object();
    for (u32 i = 0; i < CORE_PARTS; i++)
        json_object_set_new(parts, core_part_names[i],
                            json_pack("{s:f,s:f,s:f,s:f}", "core_mm2", c->other.mm2[i], "core_w",
                                      c->other.watts[i], "all_mm2", c->mm2[i], "all_w",
                                      c->watts[i]));
    json_object_set_new(o, "cores", json_integer(c->count));
    json_object_set_new(o, "parts", parts);
    json_object_set_new(o, "mm2", json_real(core_cost_sum(c->mm2, false)));
    json_object_set_new(o, "mm2_with_l2", json_real(core_cost_sum(c->mm2, true)));
    json_object_set_new(o, "watts", json_real(core_cost_sum(c->watts, false)));
    json_object_set_new(o, "watts_with_l2", json_real(core_cost_sum(c->watts, true)));
    return o;
}

bool area_print_cores(const struct config *base, const struct config *chip, bool as_json,
                      struct err *err)
{
    struct arena arena = {0};
    struct cores a, b;
    bool ok = read_cores(chip, &a, &arena, err) && read_cores(base, &b, &arena, err);
    if (ok && as_json) {
        json_t *o = json_object();
        json_object_set_new(o, "schema", json_string("heddle.area/1"));
        json_object_set_new(o, "chip", json_string(chip->name));
        json_object_set_new(o, "against", json_string(base->name));
        json_object_set_new(o, "cores", parts_json(&a));
        json_object_set_new(o, "base_cores", parts_json(&b));
        json_dumpf(o, stdout, JSON_INDENT(1));
        putchar('\n');
        json_decref(o);
    } else if (ok) {
        print_cores(chip->name, &a, base->name, &b);
    }
    arena_fini(&arena);
    return ok;
}
