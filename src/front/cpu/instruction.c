#include "front/cpu/instruction.h"

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
