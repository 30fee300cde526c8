/*
 * alloca, stacksave, stackrestore.
 *
 * What is allocated lies below the variables of functions in a thread's local memory, in an area
 * of its own that is as large as the stack may be (cudaLimitStackSize). `tops` has its first free
 * byte for each lane; a call keeps it in its frame, and the return takes it from there.
 */
#include "ptx/decode/decode.h"
#include "ptx/exec/warp.h"

#define DEFAULT_ALIGN 8

static void lane_alloca(struct warp *w, const struct op *op, u32 mask)
{
    EACH (lane, mask) {
        u64 size = lane_read(ref_get(w, op->src[0]), lane, op->src_bytes[0]);
        u64 at = (w->tops[lane] + op->imm - 1) & ~(op->imm - 1);
        if (size > w->grid->alloca_bytes || at + size > w->grid->alloca_bytes) {
            warp_fault(w, op, FAULT_STACK, lane,
                       "alloca of %llu bytes, %llu of %u are left (cudaLimitStackSize)",
                       (unsigned long long)size,
                       (unsigned long long)(w->grid->alloca_bytes - w->tops[lane]),
                       w->grid->alloca_bytes);
            return;
        }
        w->tops[lane] = (u32)(at + size);
        lane_write(ref_get(w, op->dst), lane, op->dst_bytes, at);
    }
}

static void lane_stacksave(struct warp *w, const struct op *op, u32 mask)
{
    EACH (lane, mask)
        lane_write(ref_get(w, op->dst), lane, op->dst_bytes, w->tops[lane]);
}

static void lane_stackrestore(struct warp *w, const struct op *op, u32 mask)
{
    EACH (lane, mask) {
        u64 top = lane_read(ref_get(w, op->src[0]), lane, op->src_bytes[0]);
        if (top > w->grid->alloca_bytes) {
            warp_fault(w, op, FAULT_STACK, lane, "stackrestore of %llu, which no stacksave gave",
                       (unsigned long long)top);
            return;
        }
        w->tops[lane] = (u32)top;
    }
}

/* alloca.type d, size{, align}; stacksave.type d; stackrestore.type a */
bool decode_alloca(struct decoder *d)
{
    struct op *op = d->op;
    enum type type = d->mods.types[0];
    const struct ptx_operand *o = d->statement->operands;
    char which = d->statement->opcode[5]; /* alloc-a, stack-s-ave, stack-r-estore */
    if (d->mods.type_count != 1 || (type != TYPE_U32 && type != TYPE_U64))
        return decode_unsupported(d, "");
    d->program->uses_alloca = true;
    u8 bytes = type_info[type].bytes;
    if (which == 's') {
        op->run = lane_stacksave;
        return decode_operand_count(d, 1, 1) && decode_destination_exact(d, 0, bytes);
    }
    if (which == 'r') {
        op->run = lane_stackrestore;
        return decode_operand_count(d, 1, 1) && decode_source_exact(d, 0, type, 0);
    }
    op->run = lane_alloca;
    if (!decode_operand_count(d, 2, 3) || !decode_destination_exact(d, 0, bytes) ||
        !decode_source_exact(d, 1, type, 0))
        return false;
    op->imm = DEFAULT_ALIGN;
    if (d->statement->operand_count == 3) {
        u64 align = o[2].kind == OPERAND_INT ? (u64)o[2].value : 0;
        if (align == 0 || align & (align - 1) || align > UINT32_MAX)
            return err_at(d->err, decode_pos(d), "the alignment of alloca is not a power of two");
        op->imm = align;
    }
    return true;
}
