/*
 * The cases of the suite. A case is one kernel, one launch, named inputs and typed outputs; it
 * comes either from a line of forms/ (one lane-wise instruction) or from a block of kernels/.
 *
 * Everything is owned by the suite's arena.
 */
#ifndef CONFORM_SUITE_H
#define CONFORM_SUITE_H

#include "text.h"
#include "values.h"

enum { VECTORS = 512, FORM_BLOCK = 128, SEGMENTS_MAX = 8 };

/* A texture or surface passed as the kernel's third argument. */
struct image {
    u32 dimensions; /* 0: none */
    u32 extent[3];
    const struct value_type *element;
    u32 channels;
    char filter[8], address[8]; /* point, linear; wrap, clamp, mirror, border */
    bool normalized, as_integer, surface;
};

struct test_case {
    const char *name;    /* unique, as written in the recorded file */
    const char *entry;   /* of the kernel in its module */
    const char *ptx;     /* without the module header */
    const char *origin;  /* file:line */
    u32 target;          /* 90 for sm_90 */
    const char *version; /* of the PTX ISA */
    bool own_module;
    bool cross; /* inputs pair edge values */
    bool cooperative;
    u32 grid[3], block[3], shared_bytes;
    struct segment in[SEGMENTS_MAX], out[SEGMENTS_MAX];
    u32 ins, outs, in_bytes, out_bytes;
    struct tolerance tolerance;
    struct image image;
    u32 image_bytes;
};

struct suite {
    struct arena arena;
    struct test_case **cases;
    u32 count, room;
    char error[512]; /* set when a loader returns false */
};

bool suite_load(struct suite *s, const char *folder); /* forms and kernels under folder */
void suite_fini(struct suite *s);

/* For the loaders. suite_add gives a zeroed case with the defaults of a single warp. */
bool forms_load(struct suite *s, const char *path);
bool kernels_load(struct suite *s, const char *path);
struct test_case *suite_add(struct suite *s, const char *name);
bool suite_fail(struct suite *s, const char *path, u32 line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool segment_append(struct segment *list, u32 *count, u32 *bytes, struct segment next);

/* Cases first .. first + count - 1 as one module. */
void module_write(struct text *t, struct test_case *const *cases, u32 count);
u32 module_extent(const struct suite *s, u32 first); /* how many cases share first's module */

/* The case's input buffer, in_bytes + image_bytes long; returns its hash. */
u64 case_fill(const struct test_case *c, u8 *inputs);

#endif
