/*
 * A loaded program: PTX modules linked, placed in device memory and decoded.
 *
 * What a CUDA driver calls a module. Everything in it was checked: an
 * instruction that cannot be executed is refused here, by name and line.
 */
#ifndef PTX_PROGRAM_H
#define PTX_PROGRAM_H

#include "base/err.h"
#include "device/memory.h"
#include "device/types.h"

struct program;
struct kernel;

struct program_text {
    const char *name; /* for messages */
    const char *text;
    size_t length;
};

/* Several texts are linked: extern symbols of one are found in the others. */
struct program *program_load(const struct program_text *texts, u32 count,
                             struct device_memory *memory, struct err *err);
void program_destroy(struct program *p);

struct program_variable {
    const char *name;
    enum space space; /* SPACE_GLOBAL or SPACE_CONST */
    u64 address, bytes;
    bool is_managed;
};

u32 program_variable_count(const struct program *p);
const struct program_variable *program_variable(const struct program *p, u32 index);
const struct program_variable *program_find_variable(const struct program *p, const char *name);

struct kernel_param {
    u32 offset, bytes;
};

struct kernel_info {
    const char *name;
    const struct kernel_param *params;
    u32 param_count, param_bytes;
    u32 shared_bytes; /* static */
    u32 local_bytes;  /* per thread, own variables */
    u32 registers;    /* per thread, 32-bit: live at most, by our own analysis */
    u32 max_threads;  /* from .maxntid, or 1024 */
    u32 required_threads[3];
    u32 cluster[3]; /* .reqnctapercluster; 0: none */
    u32 ptx_version, target;
};

u32 program_kernel_count(const struct program *p);
struct kernel *program_kernel(struct program *p, u32 index);
struct kernel *program_find_kernel(struct program *p, const char *name);
/* By the address that kernels have for it (mov.u64 of its name); NULL: none is there. */
struct kernel *program_kernel_at(struct program *p, u64 address);
const struct kernel_info *kernel_info(const struct kernel *k);
/* Of the text of its whole program: equal for equal PTX. */
u64 kernel_text_hash(const struct kernel *k);
/* It, or a function that it may call, has a loop that waits for another thread: flags, locks, grid
 * barriers. */
bool kernel_may_wait(const struct kernel *k);
/* From a cubin, when the executable has one: replaces our own estimate. */
void kernel_set_registers(struct kernel *k, u32 registers);
/* What a GPU lets pass and PTX forbids, where the kernel does such a thing: once, with the
 * sentence. False: nothing, or it was taken before. */
bool kernel_take_warning(struct kernel *k, struct err *out);

/* What of PTX is executed, from the decoder's own tables, and what is known to be
 * refused: one call per form ("add.f32"), or per family with a note. */
typedef void ptx_visitor(void *context, const char *form, bool supported, const char *note);
void ptx_list(ptx_visitor *visit, void *context);

#endif
