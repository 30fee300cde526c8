#include "cuda/code/link.h"

#include "cuda/code/fatbin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct header {
    u32 magic, count;
};

CUlinkState cu_link_new(CUcontext context, const struct cu_jit *jit)
{
    CUlinkState l = cu_object_new(sizeof(*l), CU_KIND_LINK, context);
    struct header h = {.magic = CU_LINK_MAGIC};
    text_append(&l->image, (const char *)&h, sizeof h);
    l->jit = *jit;
    return l;
}

void cu_link_delete(CUlinkState link)
{
    text_fini(&link->image);
    cu_object_delete(link);
}

/* With its length before it, and a zero behind. */
static void text_add(CUlinkState link, const char *text, size_t bytes)
{
    u64 length = strnlen(text, bytes);
    text_append(&link->image, (const char *)&length, sizeof length);
    text_append(&link->image, text, (size_t)length);
    text_append(&link->image, "\0", 1);
    struct header h;
    memcpy(&h, link->image.data, sizeof h);
    h.count++;
    memcpy(link->image.data, &h, sizeof h);
}

static CUresult fatbin_add(CUlinkState link, const struct fatbin *f, struct arena *arena,
                           struct err *err)
{
    const struct fatbin_entry *e;
    struct fatbin_image image;
    if (!fatbin_choose_ptx(f, cu_device_arch(&cu_core()->props), &e, err))
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    if (!fatbin_decode(f, e, &image, arena, err))
        return CUDA_ERROR_INVALID_IMAGE;
    text_add(link, (const char *)image.data, image.bytes);
    return CUDA_SUCCESS;
}

/* A host's object file: of its fat binaries, those with PTX. */
static CUresult object_add(CUlinkState link, const void *data, size_t bytes, const char *name,
                           struct arena *arena, struct err *err)
{
    struct fatbin_scan scan;
    if (!fatbin_scan(&scan, data, bytes, name, arena, err))
        return CUDA_ERROR_INVALID_IMAGE;
    CUresult status = CUDA_SUCCESS;
    u32 taken = 0;
    for (u32 i = 0; i < scan.count; i++) {
        struct err why = ERR_INIT;
        if (scan.found[i].problem || !scan.found[i].fatbin.entry_count)
            continue;
        CUresult one = fatbin_add(link, &scan.found[i].fatbin, arena, &why);
        taken += one == CUDA_SUCCESS;
        if (one != CUDA_SUCCESS && status == CUDA_SUCCESS) {
            status = one;
            *err = why;
        }
    }
    if (taken)
        *err = ERR_INIT;
    return taken ? CUDA_SUCCESS : status;
}

#define AR_MAGIC "!<arch>\n"
#define AR_HEADER 60
#define AR_SIZE_AT 48

/* An archive of object files: the usual format of ar. */
static CUresult library_add(CUlinkState link, const char *data, size_t bytes, const char *name,
                            struct arena *arena, struct err *err)
{
    if (bytes < strlen(AR_MAGIC) || memcmp(data, AR_MAGIC, strlen(AR_MAGIC)) != 0) {
        err_at(err, (struct src_pos){.file = name}, "is not an archive of object files");
        return CUDA_ERROR_INVALID_IMAGE;
    }
    for (size_t at = strlen(AR_MAGIC); at + AR_HEADER <= bytes;) {
        char size[11] = {0};
        memcpy(size, data + at + AR_SIZE_AT, 10);
        size_t length = (size_t)strtoull(size, NULL, 10), start = at + AR_HEADER;
        if (length > bytes - start)
            break;
        if (length > 4 && memcmp(data + start, "\177ELF", 4) == 0) {
            void *aligned = arena_alloc(arena, length); /* members lie at even places */
            memcpy(aligned, data + start, length);
            CU_TRY(object_add(link, aligned, length, name, arena, err));
        }
        at = start + length + (length & 1);
    }
    return CUDA_SUCCESS;
}

CUresult cu_link_add(CUlinkState link, CUjitInputType type, const void *data, size_t bytes,
                     const char *name, struct err *err)
{
    struct arena arena = {0};
    struct fatbin f;
    CUresult status = CUDA_SUCCESS;
    name = name ? name : "input";
    switch (type) {
    case CU_JIT_INPUT_PTX:
        text_add(link, data, bytes);
        break;
    case CU_JIT_INPUT_CUBIN: /* of a compiler that gives PTX for it: libraries/nvrtc.c */
        if (bytes >= 4 && memcmp(data, "\177ELF", 4) != 0 && memmem(data, bytes, ".version", 8)) {
            text_add(link, data, bytes);
            break;
        }
        err_at(err, (struct src_pos){.file = name},
               "is machine code, which cannot be linked: give its PTX");
        status = CUDA_ERROR_NO_BINARY_FOR_GPU;
        break;
    case CU_JIT_INPUT_FATBINARY:
        status = fatbin_read(&f, data, bytes ? bytes : UINT32_MAX, name, &arena, err)
                     ? fatbin_add(link, &f, &arena, err)
                     : CUDA_ERROR_INVALID_IMAGE;
        break;
    case CU_JIT_INPUT_OBJECT:
        status = object_add(link, data, bytes, name, &arena, err);
        break;
    case CU_JIT_INPUT_LIBRARY:
        status = library_add(link, data, bytes, name, &arena, err);
        break;
    default:
        err_at(err, (struct src_pos){.file = name},
               "is machine code or NVVM code, which cannot be linked: give its PTX");
        status = CUDA_ERROR_NO_BINARY_FOR_GPU;
        break;
    }
    arena_fini(&arena);
    return status;
}

const void *cu_link_image(CUlinkState link, size_t *bytes)
{
    *bytes = link->image.length;
    return link->image.data;
}

u32 cu_link_text_count(const void *image)
{
    struct header h;
    memcpy(&h, image, sizeof h);
    return h.count;
}

u32 cu_link_texts(const void *image, struct program_text *texts, u32 room)
{
    const char *at = (const char *)image + sizeof(struct header);
    u32 count = cu_link_text_count(image);
    for (u32 i = 0; i < count && i < room; i++) {
        u64 length;
        memcpy(&length, at, sizeof length);
        texts[i] = (struct program_text){
            .name = "ptx", .text = at + sizeof length, .length = (size_t)length};
        at += sizeof length + length + 1;
    }
    return count;
}
