/*
 * What the occupancy model needs to know of a kernel, read from a cubin: the
 * machine code that nvcc puts next to the PTX.
 *
 * A cubin is an ELF file of machine 190. Register and stack counts are records
 * of its section .nv.info, static shared memory is the size of the section
 * .nv.shared.KERNEL. Nothing is executed from it. The bytes are borrowed for
 * the call only; names and tables are copied into the arena. Every offset is
 * checked: a broken file gives an error, never a wild read.
 */
#ifndef CUDA_CODE_CUBIN_H
#define CUDA_CODE_CUBIN_H

#include "base/err.h"
#include "base/types.h"

struct arena;

/* A stack of this depth could not be computed by the linker (recursion, calls through pointers). */
#define CUBIN_STACK_UNKNOWN UINT32_MAX

struct cubin_kernel {
    const char *name; /* as in the PTX: mangled */
    u32 registers;    /* per thread; 0 when the file does not say */
    u32 frame_bytes;  /* local memory of the kernel's own frame, per thread */
    u32 stack_bytes;  /* with everything it calls, or CUBIN_STACK_UNKNOWN */
    u32 shared_bytes; /* static, without what the system reserves */
};

struct cubin {
    u32 arch;            /* 75, 90, ... */
    bool is_relocatable; /* before the device link: counts may grow by what the kernels call */
    struct cubin_kernel *kernels; /* sorted by name */
    u32 kernel_count;
};

/* name: what messages call the file */
bool cubin_read(struct cubin *c, const void *data, u64 bytes, const char *name, struct arena *arena,
                struct err *err);
/* NULL when the cubin has no such kernel. */
const struct cubin_kernel *cubin_find(const struct cubin *c, const char *name);

/*
 * The section table of a little-endian ELF64 file in memory, as a cubin and a
 * host executable both have it.
 */
struct elf {
    const char *name;
    const u8 *data;
    u64 bytes;
    u16 type, machine;
    u8 abi_version;
    u32 flags;
    u64 sections_at; /* of the section headers */
    u32 section_count;
    const char *section_names;
    u64 section_names_bytes;
};

struct elf_section {
    const char *name; /* inside the file, terminated */
    u32 type, link;
    u64 offset, size; /* not checked: a section may have no bytes in the file */
};

#define ELF_TYPE_RELOCATABLE 1
#define ELF_MACHINE_CUDA 190
#define ELF_SECTION_SYMBOLS 2
#define ELF_SECTION_NO_BITS 8

bool elf_is(const void *data, u64 bytes); /* it says so in its first four bytes */
/* data must outlive e. A file without sections opens, with section_count 0. */
bool elf_open(struct elf *e, const void *data, u64 bytes, const char *name, struct err *err);
bool elf_section_at(const struct elf *e, u32 index, struct elf_section *s, struct err *err);
/* Checks that all bytes of the section lie in the file. */
bool elf_section_bytes(const struct elf *e, const struct elf_section *s, const u8 **bytes,
                       struct err *err);

/* Little-endian numbers at any address. */
static inline u32 load_u16(const u8 *p)
{
    return (u32)p[0] | (u32)p[1] << 8;
}

static inline u32 load_u32(const u8 *p)
{
    return load_u16(p) | load_u16(p + 2) << 16;
}

static inline u64 load_u64(const u8 *p)
{
    return load_u32(p) | (u64)load_u32(p + 4) << 32;
}

#endif
