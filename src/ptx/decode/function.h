/* A decoded program: what program.h promises, as the executor sees it. */
#ifndef PTX_DECODE_FUNCTION_H
#define PTX_DECODE_FUNCTION_H

#include "base/arena.h"
#include "ptx/device_call.h"
#include "ptx/decode/op.h"
#include "ptx/exec/refusals.h"
#include "ptx/exec/slab.h"
#include "ptx/program.h"
#include "ptx/parse/module.h"

#include <stdatomic.h>

struct machine;
struct temporaries;

struct function {
    const char *name, *file;
    const struct ptx_function *source;
    struct ptx_module *module;
    struct op *ops;
    struct instruction *instructions; /* of each op, for the timing model */
    const struct machine *machine;    /* the same as machine code; NULL: not asked for */
    u32 op_count;
    u32 frame_bytes; /* registers of one activation */
    u32 local_bytes; /* local memory of one activation, parameters too */
    u32 stack_bytes; /* what machine code would use of the stack: see function_stack */
    ref_t *reg_refs; /* by register of the source */
    u8 *place_bytes; /* of the register at each 4th byte of the frame; 0: a predicate, none */
    /* registers that op i reads and, with REF_WRITTEN, writes: from touched_start[i] on */
    ref_t *touched;
    u32 *touched_start;
    u32 *first_use, *last_use; /* of each register, as ops; UINT32_MAX: it is not used */
    u64 *live;                 /* before each op, bits of registers; NULL: not computed yet */
    u32 *of_place;             /* by register: which stands for all that share its place */
    u32 live_registers;        /* of 32 bits, at most at once */
    u32 saved_registers;       /* of 32 bits, at most over a call */
    bool *spins;               /* by op: a branch back of a loop that waits for another thread */
    u8 *stretch;               /* by op: how many from there on execute together (exec/stretch.h) */
    const struct temporaries *temporaries; /* exec/temporaries.h; NULL: none */
    u32 *unwritten;                        /* places in the frame that may be read unwritten */
    u32 unwritten_count;
    bool is_entry;
    u32 index;
};

/* Work that has no PTX: vprintf and the like. */
enum builtin {
    BUILTIN_NONE,
    BUILTIN_PRINTF,
    BUILTIN_MALLOC,
    BUILTIN_FREE,
    BUILTIN_ASSERT,
    BUILTIN_RUNTIME, /* a call of the device runtime */
};

/* One argument or result of a call: bytes in the caller's and callee's frames. */
struct transfer {
    bool is_register;
    u32 from, to; /* local offsets, or refs */
    u32 bytes;
};

struct call {
    const struct function *callee; /* NULL: by address, in src[0] */
    enum builtin builtin;
    enum device_call_number runtime; /* which call of the device runtime */
    /* the callee's side is filled in at a call by address */
    struct transfer *arguments, *results;
    u32 argument_count, result_count;
};

/* Where a parameter or result lies in its function: a local offset, or a reference. */
static inline u32 transfer_place(const struct function *f, const struct ptx_symbol *formal)
{
    return formal->space == SPACE_REG ? f->reg_refs[formal->offset] : (u32)formal->offset;
}

struct branch_table {
    u32 *targets;
    u32 count;
};

/* The first thing a kernel does that a GPU lets pass and PTX forbids. */
struct kernel_warning {
    atomic_bool is_found, is_new; /* is_new: the text is there and has not been taken */
    struct err text;
};

struct kernel {
    struct kernel_info info;
    struct function *function;
    struct program *program;
    u32 registers_given; /* by a cubin; 0: info.registers is our own estimate */
    u32 local_bytes;     /* of it and all that it may call, each function once */
    u32 stack_bytes;     /* the same for what machine code would use */
    bool recursive;
    struct kernel_warning warning;
};

struct program {
    struct arena arena;
    struct device_memory *memory;
    struct ptx_module **modules;
    u32 module_count;
    struct function **functions;
    u32 function_count;
    struct kernel *kernels;
    u32 kernel_count;
    struct program_variable *variables;
    u32 variable_count;
    u64 *allocations; /* in device memory */
    u32 allocation_count, allocation_room;
    /* constants as vectors, grown while decoding */
    u8 *constants;
    u32 constant_bytes, constant_room;
    struct map constant_index; /* (bits, width) hash -> offset + 1 */
    /* special values that some instruction reads, and where a warp keeps them */
    u32 special_offset[SPECIAL_COUNT + 2];
    u32 special_bytes;
    bool uses_alloca, uses_transfers;
    lane_fn *const *lanes;
    u64 text_hash;  /* of its PTX */
    u64 code_start; /* addresses of its instructions, and how many there are */
    u32 code_count;
    u32 most_registers;                          /* of any function */
    u32 machine_registers;                       /* of any function or machine; 0: not lowered */
    u32 most_stretch_ops, most_stretch_accesses; /* of any machine's stretch */
    struct slab *spare_slabs, *spare_rough, *spare_begun; /* of grids that have ended */
    u64 function_window; /* addresses of functions: window + index */
};

/* Beyond enum special: where dynamic shared memory starts, in 4 and 8 bytes. */
#define SPECIAL_DYNAMIC_BASE SPECIAL_COUNT
#define SPECIAL_DYNAMIC_BASE_64 (SPECIAL_COUNT + 1)
#define FUNCTION_WINDOW 0x7ee000000000ull
#define FUNCTION_STRIDE 16

/* Of a reference into a frame, whose upper bits are zero. */
#define REF_WRITTEN 0x80000000u

/* A frame starts with where to return to: op index, frame and stack of the
 * caller, the caller's number, and what was allocated then (alloca), each per lane. */
#define FRAME_HEADER_BYTES (5u * 4 * LANES)
/* Then the condition code, and a place for unused results. */
#define CARRY_OFFSET FRAME_HEADER_BYTES
#define SINK_OFFSET (CARRY_OFFSET + 64)
#define SINK_BYTES (16u * LANES)
#define SINK_REF ref_make(REF_FRAME, SINK_OFFSET)
#define REGISTERS_OFFSET (SINK_OFFSET + SINK_BYTES)
#define MOST_FRAME_BYTES (16u << 20)

/* place.c: gives every register a place; then, knowing their uses, lets them share. */
bool function_place(struct program *p, struct function *f, struct err *err);
void function_share_places(struct function *f, struct arena *scratch);
/* decode.c: fills f->ops. */
/* Goes on after a statement that is refused; false if there was one. */
bool function_decode(struct program *p, struct function *f, struct refusals *refusals);
/* control_flow.c: branch targets to reconvergence points */
void function_flow(struct function *f, struct arena *scratch);
/* liveness.c: fills first_use, last_use, live_registers */
void function_liveness(struct program *p, struct function *f, struct arena *scratch);
/* Registers that are live before each op, (registers + 63) / 64 words each; of those that share a
 * place one stands for all (of_place). */
const u64 *function_live(struct program *p, struct function *f);
/* The same in an arena of the caller's, not kept; *by_offset: by place in the frame / 4 the
 * register that stands for it, or PTX_NONE. */
u64 *function_live_in(const struct function *f, struct arena *a, const u32 **by_offset);

#endif
