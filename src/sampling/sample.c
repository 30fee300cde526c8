#include "sampling/sample.h"

#include "base/arena.h"
#include "base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ATTEMPTS 8u /* launches timed in the hope of one of a class that was not */
#define LEAST_DEGREES 2.0

/* "auto", "2%" or "0.02". */
static bool read_share(struct sample_options *o, const char *text, size_t length)
{
    char *end;
    if (length == 4 && strncmp(text, "auto", 4) == 0)
        return true;
    o->share = strtod(text, &end);
    if (end != text && *end == '%') {
        o->share /= 100;
        end++;
    }
    return end == text + length && length && o->share >= 0.0001 && o->share <= 1;
}

bool sample_read(struct sample_options *o, const char *text, struct err *err)
{
    *o = (struct sample_options){
        .share = SAMPLE_SHARE, .first = SAMPLE_FIRST, .precision = SAMPLE_PRECISION, .seed = 1};
    const char *end = strchr(text, ','), *first = end;
    if (!end)
        end = text + strlen(text);
    bool ok = read_share(o, text, (size_t)(end - text)) &&
              (!first || (strncmp(first, ",first=", 7) == 0 &&
                          quantity_u64(first + 7, "", &o->first) == QUANTITY_OK));
    return ok || err_found(err, (struct src_pos){0}, "--sample", text,
                           "auto or the share of launches to time, from 0.01%% to 100%%, and "
                           "perhaps ,first=N: instructions that are timed before");
}

void sample_init(struct sample *s, const struct sample_options *o, u32 value_count)
{
    *s = (struct sample){.options = *o, .value_count = value_count};
    rng_init(&s->follow, o->seed, "sampling.follow");
}

void sample_fini(struct sample *s)
{
    for (u32 i = 0; i < s->group_count; i++) {
        free((char *)(uintptr_t)s->groups[i].kernel);
        classes_fini(&s->groups[i].classes);
    }
    for (u32 i = 0; i < s->launch_count; i++) {
        free(s->launches[i].values);
        free(s->launches[i].variances);
    }
    free(s->groups);
    free(s->launches);
    map_fini(&s->by_identity);
    *s = (struct sample){0};
}

/* ---- groups ---- */

/* Numbers of blocks within a factor of the square root of 2 are one. */
static u64 identity_of(const struct launch_shape *shape)
{
    double blocks = 1;
    u64 h = 0;
    for (const char *c = shape->kernel; *c; c++)
        h = hash_u64(h ^ (u8)*c);
    for (u32 i = 0; i < 3; i++) {
        blocks *= shape->grid[i];
        h = hash_u64(h ^ shape->block[i]);
    }
    h = hash_u64(h ^ shape->shared_bytes);
    return hash_u64(h ^ (u64)lround(2 * log2(blocks > 1 ? blocks : 1)));
}

static u32 group_of(struct sample *s, const struct launch_shape *shape)
{
    u64 identity = identity_of(shape), known;
    if (map_get(&s->by_identity, identity, &known))
        return (u32)known;
    if (s->group_count == s->group_room) {
        s->group_room = s->group_room ? 2 * s->group_room : 16;
        s->groups = xrealloc(s->groups, s->group_room * sizeof *s->groups);
    }
    struct sample_group *g = &s->groups[s->group_count];
    size_t length = strlen(shape->kernel) + 1;
    char *name = xrealloc(NULL, length);
    memcpy(name, shape->kernel, length);
    *g = (struct sample_group){.kernel = name, .identity = identity};
    design_init(&g->design, (u32)(1 / s->options.share + 0.5), s->options.seed, identity);
    map_put(&s->by_identity, identity, s->group_count);
    return s->group_count++;
}

/* A class of the group was met and never timed. */
static bool has_unseen(const struct sample_group *g)
{
    for (u32 i = 0; i < g->classes.count; i++) {
        const struct launch_class *c = &g->classes.classes[i];
        if (!c->sampled && c->attempts < MOST_ATTEMPTS)
            return true;
    }
    return false;
}

static void count_attempt(struct sample_group *g)
{
    for (u32 i = 0; i < g->classes.count; i++)
        g->classes.classes[i].attempts += !g->classes.classes[i].sampled;
}

bool sample_wants(struct sample *s, const struct launch_shape *shape)
{
    s->group = group_of(s, shape);
    struct sample_group *g = &s->groups[s->group];
    s->is_drawn = design_draws(&g->design);
    if (s->is_drawn)
        return true;
    bool follows = has_unseen(g) && rng_below(&s->follow, 2);
    if (follows)
        count_attempt(g);
    if (follows || s->timed_instructions < (double)s->options.first) {
        design_adds(&g->design);
        return true;
    }
    return false;
}

/* ---- launches ---- */

/* What the group's launches take, roughly. */
static double predicted(const struct sample_group *g)
{
    return g->timed_size > 0 ? g->timed_value / g->timed_size * g->size : 0;
}

/* The mean cycles of an instruction are known well enough: of a group with a small share of the
 * program less well will do, so that the program's error is within the precision. */
static bool is_steady(struct sample *s, const struct sample_group *g)
{
    s->predicted = 0;
    for (u32 i = 0; i < s->group_count; i++)
        s->predicted += predicted(&s->groups[i]);
    double degrees = 0, variance = 0;
    for (u32 i = 0; i < g->classes.count; i++) {
        const struct launch_class *c = &g->classes.classes[i];
        double k = (double)c->sampled, mean = k > 0 ? c->ratio / k : 0;
        if (k < 2 || mean <= 0)
            continue;
        degrees += k - 1;
        variance += fmax(c->ratio_squares - k * mean * mean, 0) / (mean * mean);
    }
    if (degrees < LEAST_DEGREES || g->weights <= 0)
        return false;
    double share = predicted(g) / fmax(s->predicted, 1);
    double half = student_t(degrees) * sqrt(variance / degrees * g->weight_squares) / g->weights;
    return half * sqrt(share) <= s->options.precision;
}

static void weigh(struct sample_group *g, double weight)
{
    g->weights += weight;
    g->weight_squares += weight * weight;
}

static double *copy_of(const double *values, u32 count)
{
    return values ? memcpy(xrealloc(NULL, count * sizeof *values), values, count * sizeof *values)
                  : NULL;
}

static void add_launch(struct sample *s, u32 class, const struct signature *signature,
                       const struct sample_measure *m)
{
    struct sample_group *g = &s->groups[s->group];
    struct launch_class *c = &g->classes.classes[class];
    double size = (double)signature->warp_instructions, ratio = m->values[0] / fmax(size, 1);
    if (s->launch_count == s->launch_room) {
        s->launch_room = s->launch_room ? 2 * s->launch_room : 64;
        s->launches = xrealloc(s->launches, s->launch_room * sizeof *s->launches);
    }
    s->launches[s->launch_count++] =
        (struct sampled_launch){.group = s->group,
                                .class = class,
                                .number = s->seen,
                                .weight = 1,
                                .size = size,
                                .timed = m->timed_instructions,
                                .values = copy_of(m->values, s->value_count),
                                .variances = copy_of(m->variances, s->value_count)};
    if (s->is_drawn)
        g->open = s->launch_count;
    c->sampled++;
    c->ratio += ratio;
    c->ratio_squares += ratio * ratio;
    g->timed_size += size;
    g->timed_value += m->values[0];
    s->timed_instructions += m->timed_instructions;
    if (!s->is_drawn && !c->is_alone)
        weigh(g, 1);
}

void sample_ended(struct sample *s, const struct signature *signature,
                  const struct sample_measure *measured)
{
    struct sample_group *g = &s->groups[s->group];
    u32 class = classes_add(&g->classes, signature, g->launches < DESIGN_TRANSIENT);
    g->launches++;
    g->size += (double)signature->warp_instructions;
    s->instructions += (double)signature->warp_instructions;
    if (measured)
        add_launch(s, class, signature, measured);
    s->seen++;
    u32 stands_for = design_stands_for(&g->design);
    if (!stands_for)
        return;
    if (g->open) /* else the drawn launch failed */
        s->launches[g->open - 1].weight = stands_for;
    if (g->open && g->launches > DESIGN_TRANSIENT)
        weigh(g, stands_for);
    g->open = 0;
    design_next(&g->design, is_steady(s, g));
}
