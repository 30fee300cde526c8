#include "cli/area_lean.h"

#include "cpu/chip_config.h"
#include "machine/lean_account.h"

#include <jansson.h>
#include <stdio.h>

struct lean {
    struct lean_shape shape;
    struct lean_area mm2;
    struct lean_energy watts;
};

bool area_is_lean(const struct config *chip)
{
    const struct core_config *c = &((const struct cpu_config *)chip->data)->core;
    return c->backend == BACKEND_RATE || sharing_groups(c);
}

static struct lean read_lean(const struct config *chip)
{
    struct lean l = {.shape = lean_shape_of(&((const struct cpu_config *)chip->data)->core)};
    l.mm2 = lean_cost_area(&l.shape);
    l.watts = lean_cost_power(&l.shape);
    return l;
}

/* What changes, or nothing if the base has none. */
static void print_change(double value, double base)
{
    if (base > 0)
        printf(" %+7.1f %%", 100 * (value / base - 1));
    else
        printf(" %9s", value > 0 ? "new" : "");
}

static void print_row(const char *what, double mm2, double base_mm2, double watts,
                      double base_watts)
{
    printf("  %-22s %8.3f %8.3f", what, mm2, base_mm2);
    print_change(mm2, base_mm2);
    printf("  %8.3f %8.3f", watts, base_watts);
    print_change(watts, base_watts);
    putchar('\n');
}

static void print_shape(const char *name, const struct lean_shape *s)
{
    printf("  %s: %u lean cores, I-caches %u x %llu KiB", name, s->cores, s->caches,
           (unsigned long long)s->cache_bytes / 1024);
    if (s->sharers > 1)
        printf(" (%u cores each, %u x %u bytes of bus)", s->sharers, s->buses, s->bus_bytes);
    printf(", %u line buffers per core\n", s->line_buffers);
}

static void print_lean(const char *name, const struct lean *a, const char *base_name,
                       const struct lean *b)
{
    printf("%s against %s, lean cores\n", name, base_name);
    print_shape("chip", &a->shape);
    print_shape("base", &b->shape);
    printf("  %-22s %8s %8s %9s  %8s %8s\n", "", "mm2", "base", "", "W", "base");
    print_row("cores without I-caches", a->mm2.cores, b->mm2.cores, a->watts.cores, b->watts.cores);
    print_row("I-caches", a->mm2.caches, b->mm2.caches, a->watts.caches, b->watts.caches);
    print_row("instruction buses", a->mm2.buses, b->mm2.buses, a->watts.buses, b->watts.buses);
    print_row("buffers beyond four", a->mm2.buffers, b->mm2.buffers, a->watts.buffers,
              b->watts.buffers);
    print_row("together", a->mm2.all, b->mm2.all, a->watts.all, b->watts.all);
    printf(
        "  without wide cores, L2s and what lies below; power with cores and buses always busy\n"
        "  sources: Milic 2017, tables 4.3 (40 nm) and 5.1 (45 nm); a line buffer's area and the "
        "cache's lookup rate are assumed\n");
}

static json_t *lean_json(const struct lean *l)
{
    return json_pack("{s:i,s:i,s:{s:f,s:f,s:f,s:f},s:{s:f,s:f,s:f,s:f},s:f,s:f}", "cores",
                     (int)l->shape.cores, "icaches", (int)l->shape.caches, "parts_mm2", "cores",
                     l->mm2.cores, "icaches", l->mm2.caches, "buses", l->mm2.buses, "buffers",
                     l->mm2.buffers, "parts_w", "cores", l->watts.cores, "icaches", l->watts.caches,
                     "buses", l->watts.buses, "buffers", l->watts.buffers, "mm2", l->mm2.all,
                     "watts", l->watts.all);
}

void area_print_lean(const struct config *base, const struct config *chip, bool as_json)
{
    struct lean a = read_lean(chip), b = read_lean(base);
    if (!as_json) {
        print_lean(chip->name, &a, base->name, &b);
        return;
    }
    json_t *o =
        json_pack("{s:s,s:s,s:s,s:o,s:o}", "schema", "heddle.area/1", "chip", chip->name, "against",
                  base->name, "lean_cores", lean_json(&a), "base_lean_cores", lean_json(&b));
    json_dumpf(o, stdout, JSON_INDENT(1));
    putchar('\n');
    json_decref(o);
}
