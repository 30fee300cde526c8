/*
 * What the cases of this folder share: a device, PTX written at run time, and a record of answers.
 *
 * The same program records on a GPU and checks on heddle's driver library. A case has a name and
 * bytes; the record keeps a hash of them and the first few, so that a difference can be looked at.
 */
#ifndef HOPPER_BED_H
#define HOPPER_BED_H

#include "../driver.h"

#include <stdint.h>
#include <stdio.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

enum { KEPT_BYTES = 64, PTX_BYTES = 64 << 10 };

struct answer {
    char name[96], status[48];
    u64 hash;
    u32 bytes;
    u8 first[KEPT_BYTES];
};

struct bed {
    struct driver driver;
    CUcontext context;
    const char *only;   /* names start with this; NULL: all */
    const char *exact;  /* this name alone; NULL: all */
    FILE *record, *raw; /* NULL: checking; raw: whole answers, or NULL */
    struct answer *expected;
    u32 expected_count;
    u32 passed, failed, missing;
    char ptx[PTX_BYTES];
    size_t used; /* of ptx */
};

/* Starts a module; then more text. */
void ptx_begin(struct bed *b);
void ptx_add(struct bed *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Loads what was written; NULL: refused, which is the case's answer. */
CUfunction ptx_load(struct bed *b, const char *name, CUmodule *module);
/* Launches one block, or a cluster of them, and waits; false: it failed, which is the answer. */
bool bed_launch(struct bed *b, const char *name, CUfunction f, u32 blocks, u32 cluster, u32 threads,
                u32 shared_bytes, void **params);
void bed_answer(struct bed *b, const char *name, const char *status, const void *bytes, size_t n);
bool bed_wants(const struct bed *b, const char *name);

/* A number that depends on where it is asked for alone. */
u64 noise(u64 seed);

void products_run(struct bed *b); /* wgmma */
void copies_list(void);
void copies_run(struct bed *b); /* cp.async.bulk.tensor, cp.reduce.async.bulk */

#endif
