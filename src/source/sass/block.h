/*
 * One block of a traced kernel, decoded: what each warp executed, in arrays.
 */
#ifndef SOURCE_SASS_BLOCK_H
#define SOURCE_SASS_BLOCK_H

#include "source/sass/line.h"
#include "source/sass/program.h"

struct trace_record {
    u32 instruction;   /* number in the program */
    u32 mask;          /* of a bulk copy: how many addresses there are */
    u32 first_address; /* in the block's list */
    u8 payload;        /* enum payload */
};

/* A warp's part of the block's records. */
struct warp_records {
    u32 first, count;
    bool is_recorded;
};

struct trace_block {
    struct trace_record *records;
    u32 record_count, record_room;
    struct address_list addresses;
    struct warp_records *warps;
    u32 warp_count;
};

void trace_block_init(struct trace_block *b, struct arena *arena, u32 warps);
void trace_block_fini(struct trace_block *b);

/* Behind `thread block =`: the block's place in the grid, x fastest. */
bool trace_block_id(struct scan *s, const struct trace_header *h, u64 *id, struct err *err);

/* Replaces what the block held by the lines behind #BEGIN_TB up to #END_TB. The cursor is
 * on the line #BEGIN_TB. */
bool trace_block_read(struct trace_block *b, struct scan *s, const char *text_end,
                      const struct trace_header *h, struct trace_program *program, struct err *err);

/* One address per lane of the mask, from a record that has addresses. */
void trace_record_addresses(const struct trace_block *b, const struct trace_record *r,
                            u64 out[WARP_LANES]);

#endif
