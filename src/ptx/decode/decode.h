/* What the decoder's parts share: operands as references, messages, the op being made. */
#ifndef PTX_DECODE_DECODE_H
#define PTX_DECODE_DECODE_H

#include "ptx/decode/forms.h"
#include "ptx/decode/function.h"

struct decoder {
    struct program *program;
    struct function *function;
    const struct ptx_function *source;
    const struct ptx_statement *statement;
    struct mods mods;
    struct op *op;
    ref_t carry; /* the condition code, a predicate of the frame */
    u32 touched_count, touched_room;
    bool may_negate; /* the operand being read may have a minus or an exclamation mark */
    struct err *err;
};

typedef bool decode_fn(struct decoder *d);

/* Notes that the instruction reads or writes a register. */
ref_t decode_touch(struct decoder *d, u32 reg, bool is_written);
struct src_pos decode_pos(const struct decoder *d);
/* "OPCODE.MODS is not supported"; returns false. */
bool decode_unsupported(struct decoder *d, const char *why);
bool decode_operand_count(struct decoder *d, u32 least, u32 most);
/* The same, and one more with .L2::cache_hint: a policy, which is read and has no effect. */
bool decode_hinted_count(struct decoder *d, u32 least, u32 most);
/* A parameter of the kernel being decoded; others lie in local memory. */
bool decode_is_kernel_param(const struct decoder *d, const struct ptx_symbol *s);

/* MXCSR for the rounding and flushing of the modifiers: see FP_FLUSH. */
u8 decode_fp_mode(const struct decoder *d);

/* Sources of a given width; 0: a predicate. Immediates become constants. */
bool decode_source(struct decoder *d, const struct ptx_operand *o, enum type type, ref_t *ref,
                   u8 *bytes);
bool decode_source_exact(struct decoder *d, u32 operand, enum type type, u32 k);
bool decode_destination(struct decoder *d, const struct ptx_operand *o, ref_t *ref, u8 *bytes);
bool decode_destination_exact(struct decoder *d, u32 operand, u8 bytes);
bool decode_second_destination(struct decoder *d, u32 operand); /* d|p: a predicate, into dst2 */
bool decode_predicate_source(struct decoder *d, const struct ptx_operand *o, u32 k);
/* 1 to 8 bytes */
ref_t decode_constant(struct decoder *d, u64 bits, u8 bytes);
ref_t decode_special(struct decoder *d, u32 special);
/* [base + offset] into src[0], imm, address_64; space symbols resolved. */
bool decode_address(struct decoder *d, const struct ptx_operand *o);
/* After decode_address: the space that is meant, in op->space and in_frame. */
bool decode_space(struct decoder *d, const struct ptx_operand *o);
/* {a, b} or a: the registers as a list; bytes: their width, 0 if all are sinks. */
bool decode_list(struct decoder *d, const struct ptx_operand *o, enum type type, bool is_source,
                 u8 *bytes);
const struct ptx_operand *decode_elements(const struct decoder *d, const struct ptx_operand *o,
                                          u32 *count);
bool decode_is(const struct decoder *d, u32 modifier, const char *word);
bool decode_has(const struct decoder *d, const char *word);

extern lane_fn lane_selp, lane_pack, lane_unpack, lane_special, lane_local_address, lane_carry;
extern lane_fn lane_set, lane_setp_scalar, lane_pair_compare;
extern lane_fn lane_load, lane_store, lane_atomic, lane_atomic_vector, lane_nothing, lane_isspacep;
extern lane_fn lane_prefetch;
extern lane_fn lane_lop3_predicate, lane_move_list;
extern lane_fn lane_shuffle, lane_vote, lane_match, lane_redux, lane_activemask, lane_elect;

/* decode_compare.c, decode_convert.c, decode_memory.c, decode_warp.c, decode_control.c */
decode_fn decode_setp, decode_set, decode_cvt;
decode_fn decode_load, decode_store, decode_atomic, decode_cvta, decode_isspacep, decode_fence,
    decode_prefetch, decode_policy;
decode_fn decode_shuffle, decode_vote, decode_match, decode_redux, decode_activemask, decode_elect;
decode_fn decode_branch, decode_branch_table, decode_call, decode_return, decode_exit,
    decode_barrier, decode_trap, decode_nanosleep;
/* tensor_ops.c, async.c, mbarrier.c, texture_ops.c, decode_video.c */
decode_fn decode_mma, decode_wmma, decode_ldmatrix, decode_movmatrix;
decode_fn decode_copy, decode_mbarrier;
/* async_store.c */
decode_fn decode_store_async, decode_reduce_async;
/* warpgroup.c */
decode_fn decode_wgmma, decode_setmaxnreg;
decode_fn decode_texture, decode_texture_query, decode_surface;
decode_fn decode_video;
/* tensor_map_ops.c */
decode_fn decode_tensormap;
/* cluster.c, alloca.c */
decode_fn decode_cluster_barrier, decode_mapa, decode_getctarank, decode_alloca;

/* Opcodes with a decoder of their own, by number. */
extern const u32 decode_opcode_count;
const char *decode_opcode(u32 index);

#endif
