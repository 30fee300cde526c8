#include "cpu_trace/kernel.h"

#include "base/arena.h"

#include <string.h>

#define SHARE 1000000u

static const char *const pattern_names[] = {"stride", "random", "chase", NULL};

/* clang-format off */
const struct param cpu_kernel_params[] = {
    P_U64(cpu_kernel, length, 1000000, 1, (u64)1 << 50, "instructions", "instructions of each thread", "assumed"),
    P_U32(cpu_kernel, threads, 1, 1, 1024, "threads", "threads of the program", "assumed"),
    P_U32(cpu_kernel, code_bytes, 256, 8, 16u << 20, "bytes", "code size of the loop, which is unrolled to fill it (4 bytes per instruction)", "assumed"),
    P_U32(cpu_kernel, dependence_distance, 0, 0, 15, "results", "distance, in results, to the instruction that wrote a source (1: the last one with a result; 0: no dependences)", "assumed"),
    P_U32(cpu_kernel, alu, 0, 0, SHARE, "", "share of integer instructions", "assumed"),
    P_U32(cpu_kernel, mul, 0, 0, SHARE, "", "share of integer multiplications", "assumed"),
    P_U32(cpu_kernel, div, 0, 0, SHARE, "", "share of integer divisions", "assumed"),
    P_U32(cpu_kernel, fp_add, 0, 0, SHARE, "", "share of floating-point additions", "assumed"),
    P_U32(cpu_kernel, fp_mul, 0, 0, SHARE, "", "share of floating-point multiplications", "assumed"),
    P_U32(cpu_kernel, fp_div, 0, 0, SHARE, "", "share of floating-point divisions", "assumed"),
    P_U32(cpu_kernel, fp_fma, 0, 0, SHARE, "", "share of fused multiply-adds", "assumed"),
    P_U32(cpu_kernel, simd, 0, 0, SHARE, "", "share of vector instructions", "assumed"),
    P_U32(cpu_kernel, load, 0, 0, SHARE, "", "share of loads", "assumed"),
    P_U32(cpu_kernel, store, 0, 0, SHARE, "", "share of stores", "assumed"),
    P_U32(cpu_kernel, branch, 0, 0, SHARE, "", "share of conditional branches", "assumed"),
    P_U32(cpu_kernel, indirect, 0, 0, SHARE, "", "share of indirect jumps", "assumed"),
    P_U32(cpu_kernel, call, 0, 0, SHARE, "", "share of calls; each brings a return", "assumed"),
    P_U32(cpu_kernel, nop, 0, 0, SHARE, "", "share of instructions that do nothing", "assumed"),
    P_DOUBLE(cpu_kernel, taken, 0.5, 0, 1, "", "chance that a conditional branch is taken", "assumed"),
    P_U32(cpu_kernel, branch_period, 0, 0, 1u << 20, "executions", "trip count of the loop that a conditional branch closes: it is taken except every so many executions (0: random, see taken)", "assumed"),
    P_U32(cpu_kernel, indirect_targets, 4, 1, 1024, "targets", "targets of an indirect jump, chosen at random", "assumed"),
    P_CHOICE(cpu_kernel, pattern, CPU_PATTERN_STRIDE, pattern_names, "where loads and stores go", "assumed"),
    P_U64(cpu_kernel, footprint_bytes, 16384, 1, (u64)1 << 38, "bytes", "size of each thread's data", "assumed"),
    P_U64(cpu_kernel, stride_bytes, 64, 1, (u64)1 << 30, "bytes", "distance between strided accesses, and size of an element of the other patterns", "assumed"),
    P_U32(cpu_kernel, access_bytes, 8, 1, 64, "bytes", "size of an access", "assumed"),
    P_BOOL(cpu_kernel, shared, false, "all threads use the same data", "assumed"),
    P_END,
};

const struct cpu_kernel_row cpu_kernel_rows[] = {
    {"chain", "adds, each of which needs the one before it", "alu=1,dependence_distance=1"},
    {"independent", "adds that need nothing", "alu=1"},
    {"chase", "loads, each of whose addresses comes from the one before it", "load=1,pattern=chase,footprint_bytes=16MiB"},
    {"stream", "loads and adds over a large array", "load=1,alu=3,footprint_bytes=64MiB"},
    {"copy", "loads and stores over a large array", "load=1,store=1,alu=2,footprint_bytes=64MiB,dependence_distance=1"},
    {"random", "loads of random places in a large array", "load=1,alu=3,pattern=random,footprint_bytes=64MiB"},
    {"coin", "branches that are taken by chance", "alu=4,branch=1"},
    {"loop", "branches that are taken seven times of eight", "alu=4,branch=1,branch_period=8"},
    {"indirect", "indirect jumps with four targets", "alu=4,indirect=1"},
    {"calls", "calls and returns", "alu=4,call=1"},
    {"code", "a loop larger than most instruction caches", "alu=4,branch=1,taken=0,code_bytes=256KiB"},
    {"fp", "independent floating-point multiply-adds", "fp_fma=1"},
    {"mix", "a bit of everything", "alu=42,mul=1,fp_add=3,fp_mul=3,simd=3,load=25,store=10,branch=10,call=1,dependence_distance=3,taken=0.1,footprint_bytes=256KiB"},
    {0},
};
/* clang-format on */

static bool find_row(const struct cpu_kernel_row **row, const char *name, struct src_pos at,
                     struct err *err)
{
    const char *names[ARRAY_LEN(cpu_kernel_rows)];
    u32 count = 0;
    for (*row = cpu_kernel_rows; (*row)->name; (*row)++) {
        if (strcmp((*row)->name, name) == 0)
            return true;
        names[count++] = (*row)->name;
    }
    return err_unknown(err, at, "CPU kernel", name, names, count, "heddle list cpu-kernels");
}

static bool set_knob(struct cpu_kernel *k, const char *knob, const char *value, struct src_pos at,
                     struct err *err)
{
    const char *names[ARRAY_LEN(cpu_kernel_params)];
    u32 count = 0;
    for (const struct param *p = cpu_kernel_params; p->type != PARAM_END; p++) {
        if (strcmp(p->name, knob) == 0)
            return param_set(p, (u8 *)k + p->offset, knob, value, at, err);
        names[count++] = p->name;
    }
    return err_unknown(err, at, "knob of a CPU kernel", knob, names, count,
                       "heddle list cpu-kernels");
}

/* KNOB=VALUE,KNOB=VALUE; writes into text. */
static bool set_knobs(struct cpu_kernel *k, char *text, struct src_pos at, struct err *err)
{
    bool given[ARRAY_LEN(cpu_kernel_params)] = {false};
    for (char *rest = text, *knob; (knob = strsep(&rest, ","));) {
        char *value = strchr(knob, '=');
        if (!value)
            return err_found(err, at, "a knob", *knob ? knob : "empty", "KNOB=VALUE");
        *value++ = '\0';
        for (u32 i = 0; i < ARRAY_LEN(cpu_kernel_params); i++) {
            const struct param *p = &cpu_kernel_params[i];
            if (p->type == PARAM_END || strcmp(p->name, knob) != 0)
                continue;
            if (given[i])
                return err_at(err, at, "%s is given twice", knob);
            given[i] = true;
        }
        if (!set_knob(k, knob, value, at, err))
            return false;
    }
    return true;
}

static bool check(const struct cpu_kernel *k, struct src_pos at, struct err *err)
{
    if (!(k->alu | k->mul | k->div | k->fp_add | k->fp_mul | k->fp_div | k->fp_fma | k->simd |
          k->load | k->store | k->branch | k->indirect | k->call | k->nop))
        return err_at(err, at, "no kind of instruction has a share above 0");
    if (k->footprint_bytes % k->stride_bytes)
        return err_at(err, at,
                      "footprint_bytes is %llu, expected a multiple of stride_bytes = %llu",
                      (unsigned long long)k->footprint_bytes, (unsigned long long)k->stride_bytes);
    return true;
}

bool cpu_kernel_parse(struct cpu_kernel *k, const char *name, struct err *err)
{
    const struct cpu_kernel_row *row;
    struct src_pos at = {"cpu", 0, 0};
    struct arena arena = {0};
    char *word = arena_strdup(&arena, name), *knobs = strchr(word, ',');
    *k = (struct cpu_kernel){0};
    for (const struct param *p = cpu_kernel_params; p->type != PARAM_END; p++)
        param_set_initial(p, (u8 *)k + p->offset);
    if (knobs)
        *knobs++ = '\0';
    bool ok = find_row(&row, word, at, err) &&
              (!*row->knobs || set_knobs(k, arena_strdup(&arena, row->knobs), at, err)) &&
              (!knobs || set_knobs(k, knobs, at, err)) && check(k, at, err);
    arena_fini(&arena);
    return ok;
}
