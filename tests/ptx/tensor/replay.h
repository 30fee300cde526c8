/*
 * Runs the matrix kernels of a conformance suite on src/ptx/tensor alone and compares with what a
 * GPU recorded.
 *
 * The kernels are straight lines: loads of registers, masks, one or more matrix instructions,
 * stores. That much PTX is interpreted here; the rest of a kernel (its prologue) is skipped.
 */
#ifndef PTX_TENSOR_REPLAY_H
#define PTX_TENSOR_REPLAY_H

#include "base/err.h"
#include "ptx/tensor/fragment.h"
#include "ptx/tensor/mma.h"
#include "testing.h"

/* The suite's own reader of kernels, inputs and records. Its arena is not ours: a test program that
 * includes this must not use base/arena.h. */
#include "../../conformance/text.h"

#include "../../conformance/compare.c"
#include "../../conformance/forms.c"
#include "../../conformance/kernels.c"
#include "../../conformance/record.c"
#include "../../conformance/suite.c"
#include "../../conformance/text.c"
#include "../../conformance/values.c"

enum { REGISTERS = 128, WORDS_MAX = 24, OPERANDS_MAX = 4, VECTOR_MAX = 8 };

/* One warp of a kernel; 64-bit so that f64 fits, 32-bit registers use the first half of a row. */
struct warp {
    const struct test_case *test;
    u32 number;
    const u8 *in;
    u8 *out;
    u32 r[REGISTERS][32];
    u64 d[REGISTERS][32];
    u64 base[3];      /* %in, %d1, %d2 as offsets into the inputs */
    u64 stride[2][2]; /* %row_a, %row_b; %col_a, %col_b */
    bool failed;
};

/* {%r0, %r1} or {%d0}: the numbers */
static u32 vector_read(const char **at, u32 *numbers)
{
    u32 n = 0;
    const char *end = strchr(*at, '}'), *c = strchr(*at, '{');
    assert_non_null(c);
    assert_non_null(end);
    for (c++; c < end && n < VECTOR_MAX; c += strcspn(c, ",}") + 1) {
        c += strspn(c, " %rd");
        numbers[n++] = (u32)strtoul(c, NULL, 10);
    }
    *at = end + 1;
    return n;
}

static u32 words_split(char *name, const char **words)
{
    u32 n = 0;
    char *rest = NULL;
    for (char *w = strtok_r(name, ".", &rest); w && n < WORDS_MAX; w = strtok_r(NULL, ".", &rest))
        words[n++] = w;
    return n;
}

static void run_mma(struct warp *w, const char **words, u32 count, const char *at)
{
    struct err err = ERR_INIT;
    struct mma_shape s;
    struct src_pos pos = {.file = w->test->name};
    bool wmma = !strcmp(words[0], "wmma");
    u32 skip = wmma ? 2 : 1;
    bool ok = wmma ? wmma_parse(&s, words + skip, count - skip, pos, &err)
                   : mma_parse(&s, words + skip, count - skip, pos, &err);
    if (!ok) {
        print_error("%s: %s\n", w->test->name, err.what);
        w->failed = true;
        return;
    }
    u32 *operand[OPERANDS_MAX][VECTOR_MAX];
    static const enum fragment_kind kinds[] = {FRAGMENT_D, FRAGMENT_A, FRAGMENT_B, FRAGMENT_C};
    for (u32 o = 0; o < OPERANDS_MAX; o++) {
        u32 numbers[VECTOR_MAX], n = vector_read(&at, numbers);
        assert_int_equal(n, mma_registers(&s, kinds[o]));
        for (u32 i = 0; i < n; i++)
            operand[o][i] = s.a == MMA_F64 ? (u32 *)w->d[numbers[i]] : w->r[numbers[i]];
    }
    mma_execute(&s, (const u32 *const *)operand[1], (const u32 *const *)operand[2],
                (const u32 *const *)operand[3], operand[0]);
}

/* `16` or `%row_a` */
static u64 stride_read(const struct warp *w, const char *at)
{
    at += strspn(at, " ,");
    if (*at != '%')
        return strtoul(at, NULL, 10);
    return w->stride[!strncmp(at, "%col", 4)][at[5] == 'b'];
}

static u64 base_read(const struct warp *w, const char *at)
{
    at = strchr(at, '[') + 1;
    return !strncmp(at, "%d1", 3) ? w->base[1] : !strncmp(at, "%d2", 3) ? w->base[2] : 0;
}

static void run_wmma_move(struct warp *w, const char **words, u32 count, const char *at)
{
    bool load = !strcmp(words[1], "load");
    struct err err = ERR_INIT;
    struct fragment f;
    u32 numbers[VECTOR_MAX];
    const char *address = at;
    enum fragment_kind kind = (enum fragment_kind)(words[2][0] - 'a');
    enum mma_layout layout = !strcmp(words[5], "row") ? MMA_ROW : MMA_COL;
    if (!wmma_fragment_parse(&f, kind, words[6], words[count - 1],
                             (struct src_pos){.file = w->test->name}, &err)) {
        print_error("%s: %s\n", w->test->name, err.what);
        w->failed = true;
        return;
    }
    u32 n = vector_read(&at, numbers);
    assert_int_equal(n, f.registers);
    u64 base = base_read(w, address),
        stride = stride_read(w, strchr(address, ']') > at ? strchr(address, ']') + 1 : at);
    for (u32 reg = 0; reg < n; reg++) {
        for (u32 lane = 0; lane < 32; lane++) {
            u32 whole = f.bits < 8 ? 1 : f.parts, bytes = f.bits < 8 ? 4 : f.bits / 8u;
            for (u32 part = 0; part < whole; part++) {
                u64 offset = base + wmma_offset(&f, layout, stride, lane, reg, part) * f.bits / 8;
                u8 *value = f.bits == 64 ? (u8 *)&w->d[numbers[reg]][lane]
                                         : (u8 *)&w->r[numbers[reg]][lane] + part * bytes;
                if (load)
                    memcpy(value, w->in + offset, bytes);
                else
                    memcpy(w->out + offset, value, bytes);
            }
        }
    }
}

/* ld.global.b32 %r3, [%src+128] and the like, 4 or 8 bytes a lane */
static void run_lane_move(struct warp *w, const char *line, bool load)
{
    u32 bytes = strstr(line, "f64") ? 8 : 4;
    const char *plus = strchr(line, '+');
    u64 offset = strtoul(plus + 1, NULL, 10);
    const char *name = load ? strchr(line, '%') : strchr(line, ',') + 2;
    u32 number = (u32)strtoul(name + 2, NULL, 10);
    for (u32 lane = 0; lane < 32; lane++) {
        u64 at = offset + (u64)bytes * (w->number * 32 + lane);
        void *value = name[1] == 'd' ? (void *)&w->d[number][lane] : (void *)&w->r[number][lane];
        if (load)
            memcpy(value, w->in + at, bytes);
        else
            memcpy(w->out + at, value, bytes);
    }
}

static u64 masked(const char *op, u64 value, u64 mask)
{
    return op[0] == 'a' ? value & mask : value | mask;
}

static void run_line(struct warp *w, const char *line)
{
    char name[128];
    const char *words[WORDS_MAX];
    u32 number, other;
    u64 value;
    char op[8], to;
    line += strspn(line, " ");
    size_t length = strcspn(line, " ;\n");
    if (!strncmp(line, "ld.global.", 10) && strchr(line, '+') && !strstr(line, ".v4"))
        run_lane_move(w, line, true);
    else if (!strncmp(line, "st.global.", 10) && !strstr(line, ".v4"))
        run_lane_move(w, line, false);
    else if (sscanf(line, "%3[a-z].b32 %%r%u, %%r%u, 0x%lx;", op, &number, &other, &value) == 4) {
        for (u32 lane = 0; lane < 32; lane++)
            w->r[number][lane] = (u32)masked(op, w->r[other][lane], value);
    } else if (sscanf(line, "%3[a-z].b64 %%d%u, %%d%u, 0x%lx;", op, &number, &other, &value) == 4) {
        for (u32 lane = 0; lane < 32; lane++)
            w->d[number][lane] = masked(op, w->d[other][lane], value);
    } else if (sscanf(line, "add.u64 %%d%u, %%in, %lu", &number, &value) == 2 && number < 3)
        w->base[number] = value;
    else if (sscanf(line, "mov.u32 %%row_%c, %lu", &to, &value) == 2)
        w->stride[0][to == 'b'] = value;
    else if (sscanf(line, "mov.u32 %%col_%c, %lu", &to, &value) == 2)
        w->stride[1][to == 'b'] = value;
    else if (strstr(line, "mma.") && length < sizeof name) {
        memcpy(name, line, length);
        name[length] = 0;
        u32 count = words_split(name, words);
        if (!strcmp(words[0], "wmma") && strcmp(words[1], "mma"))
            run_wmma_move(w, words, count, line + length);
        else
            run_mma(w, words, count, line + length);
    }
}

/* Returns how many bytes differ from the record, or -1 when the kernel was not understood. */
static i64 case_replay(const struct test_case *c, const struct record_entry *recorded)
{
    u8 *in = calloc(1, c->in_bytes + 64), *out = calloc(1, c->out_bytes);
    struct warp *w = calloc(1, sizeof *w);
    assert_true(in && out && w);
    assert_int_equal(case_fill(c, in), recorded->input_hash);
    assert_int_equal(c->out_bytes, recorded->bytes);
    bool failed = false;
    for (u32 number = 0; number < c->grid[0]; number++) {
        *w = (struct warp){.test = c, .number = number, .in = in, .out = out};
        for (const char *line = c->ptx; *line; line += strcspn(line, "\n") + 1) {
            char text[512];
            size_t length = strcspn(line, "\n");
            assert_true(length < sizeof text);
            memcpy(text, line, length);
            text[length] = 0;
            run_line(w, text);
            if (!line[length])
                break;
        }
        failed = failed || w->failed;
    }
    i64 differ = failed ? -1 : 0;
    for (u32 i = 0; !failed && i < c->out_bytes; i++)
        differ += out[i] != recorded->data[i];
    free(w);
    free(out);
    free(in);
    return differ;
}

typedef i64 replay_fn(const struct test_case *c, const struct record_entry *recorded);

/* Replays every case of a .kern file whose name matches, and returns how many ran; the test fails
 * when one differs. */
static u32 suite_replay(const char *kernels, const char *results, const char *only,
                        replay_fn *replay_case)
{
    struct suite suite = {0};
    struct record record = {0};
    char why[512];
    u32 ran = 0, wrong = 0;
    if (!kernels_load(&suite, kernels))
        fail_msg("%s", suite.error);
    if (!record_read(&record, results, why, sizeof why))
        fail_msg("%s", why);
    for (u32 i = 0; i < suite.count; i++) {
        const struct test_case *c = suite.cases[i];
        const struct record_entry *e = record_find(&record, c->name);
        if (!glob_match(only, c->name))
            continue;
        assert_non_null(e);
        assert_int_equal(e->status, RECORD_RESULT);
        i64 differ = replay_case(c, e);
        if (differ)
            print_error("%s: %ld of %u bytes differ\n", c->name, (long)differ, e->bytes);
        wrong += differ != 0;
        ran++;
    }
    suite_fini(&suite);
    record_fini(&record);
    assert_int_equal(wrong, 0);
    return ran;
}

#endif
