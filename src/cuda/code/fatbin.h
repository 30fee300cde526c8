/*
 * NVIDIA fat binaries: what nvcc puts into a host program so that the CUDA
 * runtime finds code for the GPU at hand.
 *
 * A container holds entries, each PTX, machine code (an ELF cubin) or LTO code
 * for one architecture, perhaps compressed. heddle runs PTX, and takes register
 * counts from the machine code. Reading checks every size and offset against
 * the container; a broken one gives one sentence with the entry and the byte,
 * never a wild read. Payloads point into the container, which must outlive the
 * struct; strings, tables and decoded images are in the caller's arena.
 */
#ifndef CUDA_CODE_FATBIN_H
#define CUDA_CODE_FATBIN_H

#include "base/err.h"
#include "base/types.h"

struct arena;

/* The numbers of the format; an entry of another kind is kept and can be listed, not decoded. */
enum fatbin_kind {
    FATBIN_PTX = 1,
    FATBIN_ELF = 2,
    FATBIN_LTO = 8,
};

enum fatbin_coding { FATBIN_PLAIN, FATBIN_LZ4, FATBIN_ZSTD };

/* Larger than any real image: a size field above it is garbage. */
#define FATBIN_IMAGE_MAX_BYTES ((u64)1 << 30)

struct fatbin_entry {
    u32 index;
    u64 offset; /* of its header, from the start of the container or scanned file */
    u32 kind;
    u32 arch;                         /* 75, 90, ... */
    char arch_suffix;                 /* 'a' for this architecture only, 'f' for its family, or 0 */
    u64 flags;                        /* as stored */
    u32 version_major, version_minor; /* PTX: of the instruction set, 9.0 */
    const char *identifier;           /* source file; "" unless built with -G or -lineinfo */
    const char *options;              /* for ptxas: "-O1 --maxrregcount=32 "; often "" */
    enum fatbin_coding coding;
    const u8 *payload; /* as stored, inside the container */
    u64 payload_bytes; /* compressed: exact; plain: with padding */
    u64 image_bytes;   /* once decompressed; PTX: with the final zero */
};

struct fatbin {
    const char *name; /* what messages call it; borrowed */
    u64 offset;       /* of the container in a scanned file, else 0 */
    u64 bytes;        /* header and all entries */
    struct fatbin_entry *entries;
    u32 entry_count;
};

#define FATBIN_MAGIC 0xba55ed50u
#define FATBIN_HEADER_BYTES 16

/* bytes: what may be read at data; more than the container's own size is fine. */
bool fatbin_read(struct fatbin *f, const void *data, u64 bytes, const char *name,
                 struct arena *arena, struct err *err);
/* One in a file: f->name and f->offset, where it begins, are set. */
bool fatbin_read_at(struct fatbin *f, const u8 *data, u64 bytes, struct arena *arena,
                    struct err *err);
/* For a pointer in this process, as a registration call passes it: the length is what the
 * container's own header says. */
bool fatbin_read_mapped(struct fatbin *f, const void *data, const char *name, struct arena *arena,
                        struct err *err);

struct fatbin_image {
    const u8 *data; /* a zero follows the last byte: PTX is a C string */
    u64 bytes;      /* PTX: strlen */
};

/* PTX or ELF entries only. The image is a copy and does not need the container any more. */
bool fatbin_decode(const struct fatbin *f, const struct fatbin_entry *e, struct fatbin_image *image,
                   struct arena *arena, struct err *err);

/* The entry of the highest architecture not above arch. Code for "a" and "f" targets counts only
 * for exactly that architecture and is then preferred, because a program built for sm_90a means
 * that code. NULL when there is none. */
const struct fatbin_entry *fatbin_best(const struct fatbin *f, enum fatbin_kind kind, u32 arch);
/* The best PTX, or a sentence that says what is inside and how to build the program instead. */
bool fatbin_choose_ptx(const struct fatbin *f, u32 arch, const struct fatbin_entry **out,
                       struct err *err);
/* "PTX", "ELF", "LTO" or "unknown" */
const char *fatbin_kind_name(u32 kind);

/*
 * What __cudaRegisterFatBinary is given. Version 2 comes from a device link
 * (nvcc -rdc=true): `container` then has the linked machine code only, and the
 * PTX is in the containers of the linked objects.
 */
struct fatbin_wrapper {
    u32 version;
    const void *container;
    const void *const *prelinked; /* version 2 only */
    u32 prelinked_count;
};

/* wrapper: 24 bytes in this process */
bool fatbin_wrapper_read(struct fatbin_wrapper *w, const void *wrapper, const char *name,
                         struct err *err);

/*
 * All containers of an executable, shared library or object file (ELF64), or
 * of a bare .fatbin file.
 */
struct fatbin_found {
    const char *section; /* "" where there are none */
    struct fatbin fatbin;
    const char *problem; /* NULL, or why this container cannot be read; entry_count is then 0 */
};

struct fatbin_scan {
    struct fatbin_found *found; /* by place in the file */
    u32 count;                  /* 0: no GPU code inside */
};

/* False when the file is neither ELF64 nor a container, or its section table is broken; a broken
 * container inside is reported in its row. */
bool fatbin_scan(struct fatbin_scan *s, const void *file, u64 bytes, const char *name,
                 struct arena *arena, struct err *err);
/* Reads the file into the arena first. */
bool fatbin_scan_file(struct fatbin_scan *s, const char *path, struct arena *arena,
                      struct err *err);

#endif
