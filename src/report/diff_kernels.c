/* The kernels of two runs, matched by name. */
#include "report/diff.h"

#include <math.h>
#include <string.h>

static struct diff_kernel *kernel_named(struct diff *d, const char *name)
{
    for (u32 i = 0; i < d->kernel_count; i++) {
        if (strcmp(d->kernels[i].name, name) == 0)
            return &d->kernels[i];
    }
    struct diff_kernel *k = &d->kernels[d->kernel_count++];
    *k = (struct diff_kernel){.name = name};
    return k;
}

static void add_kernels(struct diff *d, const struct result *r, bool is_b)
{
    const json_t *list = result_kernels(r);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *row = json_array_get(list, i);
        struct diff_kernel *k = kernel_named(d, json_string_value(json_object_get(row, "name")));
        *(is_b ? &k->launches_b : &k->launches_a) += 1;
        *(is_b ? &k->b : &k->a) += json_number_at(row, "cycles");
    }
}

/* Cycles of a class in all launches of a kernel. */
static double class_cycles(const struct result *r, const struct cycle_stack *stack,
                           const struct capacities *chip, const char *kernel, const char *class)
{
    const json_t *list = result_kernels(r);
    double slots = 0, lanes = capacity_value(chip, stack->lanes);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *row = json_array_get(list, i);
        double v = json_number_at(json_object_get(row, stack->field), class);
        if (!isnan(v) && strcmp(json_string_value(json_object_get(row, "name")), kernel) == 0)
            slots += v;
    }
    return lanes > 0 ? slots / lanes : 0;
}

/* The class that moved most in the direction of the kernel's cycles. */
static void find_reason(const struct diff *d, struct diff_kernel *k)
{
    double direction = k->b < k->a ? -1 : 1, most = 0;
    for (u32 i = 0; i < d->class_count && k->a != k->b; i++) {
        const char *name = d->classes[i].name;
        double a = class_cycles(d->a, d->model->stack, &d->chip_a, k->name, name);
        double b = class_cycles(d->b, d->model->stack, &d->chip_b, k->name, name);
        if ((b - a) * direction > most) {
            most = (b - a) * direction;
            k->why = name;
            k->why_a = a;
            k->why_b = b;
        }
    }
}

void diff_match_kernels(struct diff *d)
{
    size_t most = json_array_size(result_kernels(d->a)) + json_array_size(result_kernels(d->b));
    d->kernels = ARENA_ARRAY(&d->arena, struct diff_kernel, most + 1);
    add_kernels(d, d->a, false);
    add_kernels(d, d->b, true);
    d->same_kernels = true;
    for (u32 i = 0; i < d->kernel_count; i++) {
        struct diff_kernel *k = &d->kernels[i];
        d->same_kernels = d->same_kernels && k->launches_a == k->launches_b;
        if (k->launches_a && k->launches_b)
            find_reason(d, k);
    }
}
