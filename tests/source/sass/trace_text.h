/* Small traces for tests, written as Accel-Sim's tools write them. */
#ifndef SOURCE_SASS_TRACE_TEXT_H
#define SOURCE_SASS_TRACE_TEXT_H

#include "source/sass/kernel.h"

#define HEADER_DIMS(version, grid, block)                                                          \
    "-kernel name = _Z6vecaddPfS_\n"                                                               \
    "-kernel id = 1\n"                                                                             \
    "-grid dim = (" grid ")\n"                                                                     \
    "-block dim = (" block ")\n"                                                                   \
    "-shmem = 2048\n"                                                                              \
    "-nregs = 40\n"                                                                                \
    "-binary version = 80\n"                                                                       \
    "-cuda stream id = 7\n"                                                                        \
    "-shmem base_addr = 0x00007f0675000000\n"                                                      \
    "-local mem base_addr = 0x00007f0677000000\n"                                                  \
    "-nvbit version = 1.5.5\n"                                                                     \
    "-accelsim tracer version = " version "\n"                                                     \
    "\n"                                                                                           \
    "#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width\n"          \
    "\n"
#define HEADER(version) HEADER_DIMS(version, "2,1,1", "64,1,1")
/* One block of one warp, or of two. */
#define ONE_HEADER(version) HEADER_DIMS(version, "1,1,1", "32,1,1")
#define TWO_HEADER(version) HEADER_DIMS(version, "1,1,1", "64,1,1")
#define BEGIN(x) "#BEGIN_TB\n\nthread block = " x ",0,0\n\n"
#define WARP(n, count) "warp = " n "\ninsts = " count "\n"
#define END "\n#END_TB\n\n"

static inline struct trace_kernel *open_text(const char *text, struct err *err)
{
    return trace_kernel_open_text("k.traceg", text, strlen(text), NULL, err);
}

/* The message with its place. */
static inline const char *message_of(const struct err *err)
{
    static char text[2048];
    err_text(err, text, sizeof text);
    return text;
}

#endif
