/*
 * Linking by the driver: PTX out of everything that is added, handed back as one image that a
 * module can be loaded from. Machine code cannot be linked.
 */
#ifndef CUDA_CODE_LINK_H
#define CUDA_CODE_LINK_H

#include "cuda/code/jit.h"

struct CUlinkState_st {
    struct cu_object object;
    struct text image; /* header, then each text with its length */
    struct cu_jit jit;
};

CUlinkState cu_link_new(CUcontext context, const struct cu_jit *jit);
void cu_link_delete(CUlinkState link);
CUresult cu_link_add(CUlinkState link, CUjitInputType type, const void *data, size_t bytes,
                     const char *name, struct err *err);
const void *cu_link_image(CUlinkState link, size_t *bytes);

/* Begins an image of ours. */
#define CU_LINK_MAGIC 0x4b4e4c48u
/* The texts of such an image; they stay where they are. */
u32 cu_link_texts(const void *image, struct program_text *texts, u32 room);
u32 cu_link_text_count(const void *image);

#endif
