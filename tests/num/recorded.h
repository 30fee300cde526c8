/*
 * The lane-wise forms of the conformance suite with what a real GPU gave for them, for programs
 * that evaluate one instruction at a time: the PTX text cut into words and operands.
 *
 * Included by one source file of a test program, for it brings the suite's sources along.
 */
#ifndef NUM_RECORDED_H
#define NUM_RECORDED_H

#include <dlfcn.h>
#include <zstd.h>

#include "testing.h"

/* The programs are not linked with zstd; it is asked for when the recording is read. */
static size_t zstd_decompress(void *to, size_t room, const void *from, size_t bytes)
{
    void *library = dlopen("libzstd.so.1", RTLD_NOW);
    size_t (*decompress)(void *, size_t, const void *, size_t) = NULL;
    void *symbol = library ? dlsym(library, "ZSTD_decompress") : NULL;
    memcpy(&decompress, &symbol, sizeof symbol);
    return decompress ? decompress(to, room, from, bytes) : (size_t)-1;
}

static unsigned long long zstd_size(const void *from, size_t bytes)
{
    void *library = dlopen("libzstd.so.1", RTLD_NOW);
    unsigned long long (*size)(const void *, size_t) = NULL;
    void *symbol = library ? dlsym(library, "ZSTD_getFrameContentSize") : NULL;
    memcpy(&size, &symbol, sizeof symbol);
    return size ? size(from, bytes) : ZSTD_CONTENTSIZE_ERROR;
}

#define ZSTD_decompress zstd_decompress
#define ZSTD_getFrameContentSize zstd_size
#define ZSTD_isError(n) ((n) > (size_t)-128)
#define ZSTD_compress(...) ((size_t)-1) /* nothing is written here */
#define ZSTD_compressBound(n) (n)

#include "../conformance/text.c"
#include "../conformance/values.c"
#include "../conformance/compare.c"
#include "../conformance/suite.c"
#include "../conformance/kernels.c"
#include "../conformance/forms.c"
#include "../conformance/record.c"

enum { WORDS_MAX = 12, WORD_BYTES = 16, OPERANDS_MAX = 12 };

/* One instruction with the operands of one lane. */
struct instruction {
    const struct test_case *c;
    char word[WORDS_MAX][WORD_BYTES]; /* setp, lt, f32 */
    u32 words;
    char part[OPERANDS_MAX][WORD_BYTES]; /* per operand: b0, h10, or the text of an immediate */
    bool negated[OPERANDS_MAX];          /* a leading ! */
    u32 operands;
    u64 in[SEGMENTS_MAX], out[SEGMENTS_MAX];
};

static bool has(const struct instruction *i, const char *word)
{
    for (u32 k = 1; k < i->words; k++) {
        if (!strcmp(i->word[k], word))
            return true;
    }
    return false;
}

static bool is(const struct instruction *i, const char *opcode)
{
    return !strcmp(i->word[0], opcode);
}

/* The k-th word from the end; 0 is the last. */
static const char *last(const struct instruction *i, u32 k)
{
    return k < i->words ? i->word[i->words - 1 - k] : "";
}

static u32 cut(const char *text, const char *separators, char to[][WORD_BYTES], u32 room)
{
    u32 n = 0;
    while (*text && n < room) {
        size_t length = strcspn(text, separators);
        if (length)
            snprintf(to[n++], WORD_BYTES, "%.*s", (int)length, text);
        text += length + (text[length] != 0);
    }
    return n;
}

static void instruction_parse(struct instruction *i, const struct test_case *c)
{
    *i = (struct instruction){.c = c};
    char opcode[128], operands[256], list[OPERANDS_MAX][WORD_BYTES] = {{0}};
    snprintf(opcode, sizeof opcode, "%.*s", (int)strcspn(c->name, "/"), c->name);
    i->words = cut(opcode, ".", i->word, WORDS_MAX);
    char start[160];
    snprintf(start, sizeof start, "\n    %s ", opcode);
    const char *line = NULL; /* the last such line: loads and stores around it are other opcodes */
    for (const char *at = c->ptx; (at = strstr(at, start)); at++)
        line = at;
    if (!line) {
        fail_msg("%s is not in its own kernel", opcode);
        return;
    }
    line += strlen(start);
    snprintf(operands, sizeof operands, "%.*s", (int)strcspn(line, ";"), line);
    i->operands = cut(operands, ", |{}", list, OPERANDS_MAX);
    for (u32 k = 0; k < i->operands; k++) {
        i->negated[k] = list[k][0] == '!';
        const char *dot = strchr(list[k], '.');
        if (strchr(list[k], '%'))
            snprintf(i->part[k], WORD_BYTES, "%s", dot ? dot + 1 : "");
        else
            memcpy(i->part[k], list[k], WORD_BYTES);
    }
}

static u64 segment_get(const struct segment *s, const u8 *from, u32 at)
{
    u64 value = 0;
    memcpy(&value, from + s->offset + at * s->type->bytes, s->type->bytes);
    return value;
}

/* Computes the outputs of one lane; false when the instruction is not one of the program's. */
typedef bool evaluate(struct instruction *i);

struct replay {
    struct suite suite;
    struct record record;
    u32 cases, lanes, wrong_cases, inexact_cases;
};

static void replay_init(struct replay *r)
{
    const char *source = getenv("HEDDLE_SOURCE");
    char path[512], why[256];
    *r = (struct replay){0};
    snprintf(path, sizeof path, "%s/tests/conformance", source ? source : ".");
    if (!suite_load(&r->suite, path))
        fail_msg("%s", r->suite.error);
    snprintf(path, sizeof path, "%s/tests/conformance/h200.zst", source ? source : ".");
    if (!record_read(&r->record, path, why, sizeof why))
        fail_msg("%s", why);
}

static void replay_fini(struct replay *r)
{
    suite_fini(&r->suite);
    record_fini(&r->record);
}

/* Runs every recorded lane of one case; prints the first that disagrees. */
static void replay_case(struct replay *r, const struct test_case *c, evaluate *f)
{
    const struct record_entry *e = record_find(&r->record, c->name);
    if (!c->cross || !e || e->status != RECORD_RESULT)
        return;
    struct instruction i;
    instruction_parse(&i, c);
    u8 *inputs = calloc(1, c->in_bytes + c->image_bytes + 1);
    assert_non_null(inputs);
    assert_int_equal(case_fill(c, inputs), e->input_hash);
    u32 wrong = 0, inexact = 0, v = 0;
    for (; v < VECTORS; v++) {
        for (u32 k = 0; k < c->ins; k++)
            i.in[k] = segment_get(&c->in[k], inputs, v);
        memset(i.out, 0, sizeof i.out);
        if (!f(&i))
            break;
        for (u32 k = 0; k < c->outs; k++) {
            const u8 *want = e->data + c->out[k].offset + v * c->out[k].type->bytes;
            const u8 *have = (const u8 *)&i.out[k];
            bool same = !memcmp(want, have, c->out[k].type->bytes);
            inexact += !same;
            if (same || value_agrees(&c->tolerance, c->out[k].type, want, have))
                continue;
            if (wrong++ == 0) {
                u64 expected = segment_get(&c->out[k], e->data, v);
                print_message("# %s: operands", c->name);
                for (u32 n = 0; n < c->ins; n++)
                    print_message(" 0x%llx", (unsigned long long)i.in[n]);
                print_message(", result %u is 0x%llx, expected 0x%llx\n", k,
                              (unsigned long long)i.out[k], (unsigned long long)expected);
            }
        }
    }
    if (getenv("REPLAY_INEXACT") && inexact)
        print_message("# %s: %u of %u not bit-equal, %u wrong\n", c->name, inexact, v, wrong);
    r->cases += v > 0;
    r->lanes += v;
    r->wrong_cases += wrong > 0;
    r->inexact_cases += inexact > 0;
    free(inputs);
}

static void replay_all(struct replay *r, evaluate *f)
{
    for (u32 n = 0; n < r->suite.count; n++)
        replay_case(r, r->suite.cases[n], f);
}

#endif
