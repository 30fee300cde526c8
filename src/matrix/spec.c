/* What people write for a matrix: "m.mtx", "rmat:n=5000,nnz=100000,seed=1". */
#include "matrix/generate.h"

#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#define MOST_KEYS 6
#define MOST_NODES 0x7fffffffu
#define MOST_ELEMENTS 1000000000u

enum { UNIFORM, RMAT, MESH, GRID, STAND_IN, GENERATORS };

const struct matrix_generator_text matrix_generators[] = {
    {"uniform", "n=,nnz=[,seed=]", "distinct places, all as likely"},
    {"rmat", "n=,nnz=[,seed=]",
     "R-MAT, A 0.57, B and C 0.19, without diagonal: few nodes have most edges"},
    {"mesh", "x=,y=,z=[,seed=]",
     "a box of nodes and their 26 neighbours: a band around the diagonal"},
    {"grid", "width=,height=,keep=[,seed=]", "a planar grid, each edge kept with a probability"},
    {"like", "NAME[,divide=][,seed=]",
     "as large as a matrix of the SuiteSparse collection, or so many times smaller"},
    {0},
};

/* What a generator is given; a key that it does not have is an error. */
static const char *const keys[GENERATORS][MOST_KEYS] = {
    [UNIFORM] = {"n", "nnz", "seed"}, [RMAT] = {"n", "nnz", "seed"},
    [MESH] = {"x", "y", "z", "seed"}, [GRID] = {"width", "height", "keep", "seed"},
    [STAND_IN] = {"divide", "seed"},
};

/* Sizes: SuiteSparse collection. The generator is that of the context-management spec, 1.5. */
struct stand_in {
    const char *name;
    int generator;
    u32 n;
    u64 nnz;
    u32 side[3]; /* of a box */
    double keep;
};

static const struct stand_in stand_ins[] = {
    {"filter3D", MESH, 106437, 2707179, {47, 47, 48}, 0},
    {"roadNet-CA", GRID, 1971281, 5533214, {0}, 0.702},
    {"email-Enron", RMAT, 36692, 367662, {0}, 0},
    {"web-Google", RMAT, 916428, 5105039, {0}, 0},
    {"cit-Patents", RMAT, 3774768, 16518948, {0}, 0},
    {"ca-CondMat", RMAT, 23133, 186936, {0}, 0},
    {"p2p-Gnutella31", UNIFORM, 62586, 147892, {0}, 0},
};
const char *const matrix_stand_in_names[] = {"filter3D",       "roadNet-CA",  "email-Enron",
                                             "web-Google",     "cit-Patents", "ca-CondMat",
                                             "p2p-Gnutella31", NULL};

struct values {
    const char *spec;
    int generator;
    double number[MOST_KEYS];
    bool given[MOST_KEYS];
};

static struct src_pos place(const char *spec, const char *at)
{
    return (struct src_pos){spec, 1, (u32)(at - spec) + 1};
}

static bool read_key(struct values *v, const char *at, const char *end, struct err *err)
{
    const char *equals = memchr(at, '=', (size_t)(end - at));
    char name[64];
    u32 key = 0;
    size_t length = (size_t)((equals ? equals : end) - at);
    length = length < sizeof name ? length : sizeof name - 1;
    memcpy(name, at, length);
    name[length] = 0;
    while (key < MOST_KEYS && keys[v->generator][key] && strcmp(keys[v->generator][key], name) != 0)
        key++;
    if (key == MOST_KEYS || !keys[v->generator][key]) {
        u32 count = 0;
        while (count < MOST_KEYS && keys[v->generator][count])
            count++;
        return err_unknown(err, place(v->spec, at), "parameter", name, keys[v->generator], count,
                           "heddle matrix --help");
    }
    char *after;
    errno = 0;
    double number = equals ? strtod(equals + 1, &after) : 0;
    if (!equals || after != end || equals + 1 == end || !isfinite(number) || number < 0)
        return err_at(err, place(v->spec, at), "%s has no number, expected %s=NUMBER", name, name);
    if (v->given[key])
        return err_at(err, place(v->spec, at), "%s is given twice", name);
    v->number[key] = number;
    v->given[key] = true;
    return true;
}

static bool read_keys(struct values *v, const char *at, struct err *err)
{
    while (*at) {
        const char *end = strchr(at, ',');
        end = end ? end : at + strlen(at);
        if (!read_key(v, at, end, err))
            return false;
        at = *end ? end + 1 : end;
    }
    return true;
}

/* A whole number; `initial` 0: it must be there. */
static bool number(const struct values *v, u32 key, u64 low, u64 high, u64 initial, u64 *out,
                   struct err *err)
{
    const char *name = keys[v->generator][key];
    double n = v->number[key];
    *out = v->given[key] ? (u64)n : initial;
    if (!v->given[key] && !initial)
        return err_at(err, place(v->spec, v->spec), "%s is missing, expected %s:%s", name,
                      matrix_generators[v->generator].name,
                      matrix_generators[v->generator].parameters);
    return (!v->given[key] || (n == floor(n) && n >= (double)low && n <= (double)high)) ||
           err_at(err, place(v->spec, strstr(v->spec, name)),
                  "%s is %g, expected a whole number from %llu to %llu", name, n,
                  (unsigned long long)low, (unsigned long long)high);
}

static bool make_random(struct matrix *m, const struct values *v, struct err *err)
{
    u64 n, nnz, seed;
    if (!number(v, 0, 1, MOST_NODES, 0, &n, err) || !number(v, 1, 0, MOST_ELEMENTS, 0, &nnz, err) ||
        !number(v, 2, 0, UINT32_MAX, 1, &seed, err))
        return false;
    /* places are drawn until one is free: the last ones would take for ever */
    u64 most = n * n / 2 + 1;
    if (nnz > most)
        return err_at(err, place(v->spec, v->spec),
                      "nnz is %llu with n %llu, expected at most half of all places, %llu",
                      (unsigned long long)nnz, (unsigned long long)n, (unsigned long long)most);
    if (v->generator == UNIFORM)
        matrix_uniform(m, (u32)n, nnz, seed);
    else if (n < 16 && nnz > n * (n - 1) / 4)
        return err_at(err, place(v->spec, v->spec), "n is %llu, expected at least 16 nodes",
                      (unsigned long long)n);
    else
        matrix_rmat(m, (u32)n, nnz, seed);
    return true;
}

static bool make_mesh(struct matrix *m, const struct values *v, struct err *err)
{
    u64 side[3], seed;
    for (u32 i = 0; i < 3; i++) {
        if (!number(v, i, 1, 1000, 0, &side[i], err))
            return false;
    }
    if (!number(v, 3, 0, UINT32_MAX, 1, &seed, err))
        return false;
    if (side[0] * side[1] * side[2] > MOST_ELEMENTS / 27)
        return err_at(err, place(v->spec, v->spec), "the box has %llu nodes, expected at most %u",
                      (unsigned long long)(side[0] * side[1] * side[2]), MOST_ELEMENTS / 27);
    matrix_mesh(m, (u32)side[0], (u32)side[1], (u32)side[2], seed);
    return true;
}

static bool make_grid(struct matrix *m, const struct values *v, struct err *err)
{
    u64 width, height, seed;
    if (!number(v, 0, 1, 32768, 0, &width, err) || !number(v, 1, 1, 32768, 0, &height, err) ||
        !number(v, 3, 0, UINT32_MAX, 1, &seed, err))
        return false;
    double keep = v->given[2] ? v->number[2] : 1;
    if (keep > 1 || width * height > MOST_ELEMENTS / 4)
        return err_at(err, place(v->spec, v->spec),
                      "expected keep from 0 to 1 and at most %u nodes", MOST_ELEMENTS / 4);
    matrix_grid(m, (u32)width, (u32)height, keep, seed);
    return true;
}

/* N and nnz are divided, so that the mean degree stays. */
static void make_like(struct matrix *m, const struct stand_in *s, u64 divide, u64 seed)
{
    u32 n = (u32)(s->n / divide) + 16;
    u64 nnz = s->nnz / divide;
    if (s->generator == MESH) {
        u32 side[3];
        double by = cbrt((double)divide);
        for (u32 i = 0; i < 3; i++)
            side[i] = (u32)lround(s->side[i] / by) > 1 ? (u32)lround(s->side[i] / by) : 2;
        matrix_mesh(m, side[0], side[1], side[2], seed);
    } else if (s->generator == GRID) {
        u32 side = (u32)lround(sqrt((double)n));
        matrix_grid(m, side, side, s->keep, seed);
    } else if (s->generator == RMAT) {
        matrix_rmat(m, n, nnz, seed);
    } else {
        matrix_uniform(m, n, nnz, seed);
    }
}

static bool open_like(struct matrix *m, struct values *v, const char *at, struct err *err)
{
    char name[64];
    const char *comma = strchr(at, ',');
    size_t length = comma ? (size_t)(comma - at) : strlen(at);
    length = length < sizeof name ? length : sizeof name - 1;
    memcpy(name, at, length);
    name[length] = 0;
    u64 divide, seed;
    for (size_t i = 0; i < ARRAY_LEN(stand_ins); i++) {
        if (strcmp(stand_ins[i].name, name) != 0)
            continue;
        if ((comma && !read_keys(v, comma + 1, err)) || !number(v, 0, 1, 1024, 1, &divide, err) ||
            !number(v, 1, 0, UINT32_MAX, 1, &seed, err))
            return false;
        make_like(m, &stand_ins[i], divide, seed);
        return true;
    }
    return err_unknown(err, place(v->spec, at), "matrix", name, matrix_stand_in_names,
                       ARRAY_LEN(stand_ins), NULL);
}

/* A generator that does not exist; there is no file of that name either. */
static bool refuse_generator(const char *spec, size_t length, struct err *err)
{
    const char *names[GENERATORS];
    char name[64];
    length = length < sizeof name ? length : sizeof name - 1;
    memcpy(name, spec, length);
    name[length] = 0;
    for (int i = 0; i < GENERATORS; i++)
        names[i] = matrix_generators[i].name;
    return err_unknown(err, place(spec, spec), "generator", name, names, GENERATORS, NULL);
}

static bool refuse_bare(const char *name, int generator, struct err *err)
{
    return err_at(err, (struct src_pos){0}, "%s needs parameters, expected %s:%s", name, name,
                  matrix_generators[generator].parameters);
}

bool matrix_open(struct matrix *m, const char *spec, const struct market_options *options,
                 struct err *err)
{
    struct values v = {.spec = spec};
    const char *colon = strchr(spec, ':');
    *m = (struct matrix){0};
    for (int i = 0; colon && i < GENERATORS; i++) {
        size_t length = (size_t)(colon - spec);
        if (strlen(matrix_generators[i].name) != length ||
            strncmp(spec, matrix_generators[i].name, length) != 0)
            continue;
        v.generator = i;
        if (i == STAND_IN)
            return open_like(m, &v, colon + 1, err);
        if (!read_keys(&v, colon + 1, err))
            return false;
        return i == MESH   ? make_mesh(m, &v, err)
               : i == GRID ? make_grid(m, &v, err)
                           : make_random(m, &v, err);
    }
    if (access(spec, F_OK) == 0)
        return matrix_read(m, spec, options, err);
    size_t length = strspn(spec, "abcdefghijklmnopqrstuvwxyz");
    if (length && spec[length] == ':')
        return refuse_generator(spec, length, err);
    for (int i = 0; i < GENERATORS; i++) {
        if (strcmp(spec, matrix_generators[i].name) == 0)
            return refuse_bare(spec, i, err);
    }
    return matrix_read(m, spec, options, err);
}
