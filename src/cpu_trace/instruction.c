#include "cpu_trace/instruction.h"

#include <string.h>

const char *const cpu_class_names[CPU_CLASS_COUNT + 1] = {
    [CPU_ALU] = "alu",       [CPU_MUL] = "mul",       [CPU_DIV] = "div",
    [CPU_FP_ADD] = "fp_add", [CPU_FP_MUL] = "fp_mul", [CPU_FP_DIV] = "fp_div",
    [CPU_FP_FMA] = "fp_fma", [CPU_SIMD] = "simd",     [CPU_LOAD] = "load",
    [CPU_STORE] = "store",   [CPU_BRANCH] = "branch", [CPU_NOP] = "nop",
    [CPU_SYSTEM] = "system", [CPU_EVENT] = "event",
};

const char *const cpu_branch_names[CPU_BRANCH_COUNT + 1] = {
    [CPU_NO_BRANCH] = "none", [CPU_CONDITIONAL] = "conditional",
    [CPU_JUMP] = "jump",      [CPU_INDIRECT_JUMP] = "indirect jump",
    [CPU_CALL] = "call",      [CPU_INDIRECT_CALL] = "indirect call",
    [CPU_RETURN] = "return",
};

const char *const cpu_event_names[CPU_EVENT_COUNT + 1] = {
    [CPU_PARALLEL_START] = "parallel start",
    [CPU_PARALLEL_END] = "parallel end",
    [CPU_WAIT] = "wait",
    [CPU_SIGNAL] = "signal",
    [CPU_BARRIER] = "barrier",
};

/* ---- bases ---------------------------------------------------------------------------------- */

static bool begins(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

/* `to` is worked out from `from`; nothing where it does not read and write them. */
static void set_base(struct cpu_instruction *i, u8 from, u8 to)
{
    const u8 *source = memchr(i->sources, from, i->source_count);
    const u8 *destination = memchr(i->destinations, to, i->destination_count);
    if (!source || !destination)
        return;
    i->base_from = (u32)(source - i->sources + 1) & 15;
    i->base_to = (u32)(destination - i->destinations) & 15;
}

/* The register that it both reads and writes: of an indexed access the base, for a load that
 * overwrites its own base has no defined result. */
static void set_common(struct cpu_instruction *i)
{
    for (u32 k = 0; k < i->destination_count && !i->base_from; k++)
        set_base(i, i->destinations[k], i->destinations[k]);
}

void cpu_instruction_find_base(struct cpu_instruction *i, const char *text)
{
    bool is_call = i->branch == CPU_CALL || i->branch == CPU_INDIRECT_CALL;
    bool is_indexed = strstr(text, "]!") || strstr(text, "], ");
    i->base_from = i->base_to = 0;
    if (is_call || i->branch == CPU_RETURN || begins(text, "push") ||
        (begins(text, "pop") && strcmp(text, "pop rsp") != 0))
        set_base(i, CPU_REG_STACK, CPU_REG_STACK);
    else if (begins(text, "leave"))
        set_base(i, CPU_REG_FRAME, CPU_REG_STACK);
    else if (is_indexed && (begins(text, "ld") || begins(text, "st")))
        set_common(i);
    else if (!*text && (i->class == CPU_LOAD || i->class == CPU_STORE))
        set_base(i, CPU_REG_STACK, CPU_REG_STACK);
}
