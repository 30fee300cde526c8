#include "cuda/code/jit.h"

#include <stdio.h>
#include <string.h>

static void *value_of(const struct cu_jit *jit, CUjit_option option, u32 *index)
{
    for (u32 i = 0; i < jit->count; i++) {
        if (jit->options[i] != option)
            continue;
        if (index)
            *index = i;
        return jit->values[i];
    }
    return NULL;
}

/* A log that is short is cut; its size becomes what was written. False: there is none. */
static bool log_write(const struct cu_jit *jit, CUjit_option buffer, CUjit_option size,
                      const char *text)
{
    u32 size_at = 0;
    char *log = value_of(jit, buffer, NULL);
    size_t bytes = (size_t)(uintptr_t)value_of(jit, size, &size_at);
    if (!log || !bytes)
        return false;
    snprintf(log, bytes, "%s", text);
    jit->values[size_at] = (void *)(uintptr_t)strlen(log);
    return true;
}

/* Sizes are both given and returned in one place: kept until the end of the call. */
void cu_jit_begin(const struct cu_jit *jit)
{
    char *info = value_of(jit, CU_JIT_INFO_LOG_BUFFER, NULL);
    char *error = value_of(jit, CU_JIT_ERROR_LOG_BUFFER, NULL);
    if (info && value_of(jit, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, NULL))
        *info = '\0';
    if (error && value_of(jit, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, NULL))
        *error = '\0';
}

void cu_jit_failed(const struct cu_jit *jit, const struct err *err)
{
    char sentence[2048];
    err_text(err, sentence, sizeof(sentence));
    log_write(jit, CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, "");
    if (!log_write(jit, CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, sentence))
        cu_complain(err);
}

void cu_jit_done(const struct cu_jit *jit, CUmodule module)
{
    struct text t = {0};
    u32 at = 0;
    bool verbose = value_of(jit, CU_JIT_LOG_VERBOSE, NULL);
    text_append(&t, "", 0);
    for (u32 i = 0; module && verbose && i < module->function_count; i++) {
        const struct kernel_info *k = cu_function_info(module->functions[i]);
        text_printf(&t, "info    : kernel %s uses %u registers, %u bytes of shared memory\n",
                    k->name, cu_function_registers(module->functions[i]), k->shared_bytes);
    }
    log_write(jit, CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, t.data);
    log_write(jit, CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, "");
    text_fini(&t);
    value_of(jit, CU_JIT_WALL_TIME, &at);
    if (at < jit->count && jit->options[at] == CU_JIT_WALL_TIME) {
        float milliseconds = 0; /* nothing is compiled */
        memcpy(&jit->values[at], &milliseconds, sizeof milliseconds);
    }
}
