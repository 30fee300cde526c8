#include "cuda/code/cubin.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

#define ELF_HEADER_BYTES 64
#define SECTION_HEADER_BYTES 64
#define SYMBOL_BYTES 24

#define SYMBOL_FUNCTION 2      /* low four bits of st_info */
#define SYMBOL_CUDA_ENTRY 0x10 /* in st_other: a kernel, not a device function */

/* Records of .nv.info: {u8 format, u8 attribute, u16 size}, then `size` bytes in the one format
 * that has them. Counts are {u32 symbol, u32 value}. */
#define INFO_HAS_PAYLOAD 4
#define INFO_FRAME 0x11
#define INFO_STACK 0x12
#define INFO_REGISTERS 0x2f

/* From sm_90 on, the first bytes of every block's shared memory belong to the system; the linker
 * counts them in the kernel's section (seen in sm_90, sm_100 and sm_120; not in sm_75 to sm_89),
 * and `ptxas -v` and cudaFuncGetAttributes do not. */
#define RESERVED_SHARED_ARCH 90
#define RESERVED_SHARED_BYTES 1024

static struct src_pos whole_file(const struct elf *e)
{
    return (struct src_pos){.file = e->name};
}

bool elf_is(const void *data, u64 bytes)
{
    return bytes >= 4 && memcmp(data, "\177ELF", 4) == 0;
}

/* The names of sections, or of symbols. ELF ends such a table with a zero, so that a name anywhere
 * inside is terminated. */
static bool check_names(const struct elf *e, const u8 *names, u64 bytes, const char *what,
                        struct err *err)
{
    if (bytes == 0 || names[bytes - 1] != 0)
        return err_at(err, whole_file(e), "the ELF table of %s names is not terminated", what);
    return true;
}

static bool open_section_names(struct elf *e, u32 index, struct err *err)
{
    struct elf_section s;
    const u8 *names;
    if (index >= e->section_count)
        return err_at(err, whole_file(e),
                      "the ELF header puts the section names into section %u of %u", index,
                      e->section_count);
    /* The name of this section itself cannot be looked up yet. */
    e->section_names = "";
    e->section_names_bytes = 0;
    if (!elf_section_at(e, index, &s, err) || !elf_section_bytes(e, &s, &names, err) ||
        !check_names(e, names, s.size, "section", err))
        return false;
    e->section_names = (const char *)names;
    e->section_names_bytes = s.size;
    return true;
}

bool elf_open(struct elf *e, const void *data, u64 bytes, const char *name, struct err *err)
{
    const u8 *p = data;
    *e = (struct elf){.name = name, .data = p, .bytes = bytes};
    if (!elf_is(data, bytes))
        return err_at(err, whole_file(e), "not an ELF file: it does not start with 0x7f 'ELF'");
    if (bytes < ELF_HEADER_BYTES)
        return err_at(err, whole_file(e), "the ELF file ends after %llu bytes, inside its header",
                      (unsigned long long)bytes);
    if (p[4] != 2 || p[5] != 1)
        return err_at(err, whole_file(e),
                      "the ELF file has class %u and byte order %u, expected 64-bit (2) and "
                      "little-endian (1)",
                      p[4], p[5]);
    e->abi_version = p[8];
    e->type = (u16)load_u16(p + 16);
    e->machine = (u16)load_u16(p + 18);
    e->sections_at = load_u64(p + 40);
    e->flags = load_u32(p + 48);
    if (e->sections_at == 0)
        return true;

    u32 header_bytes = load_u16(p + 58), names_index = load_u16(p + 62);
    u64 count = load_u16(p + 60);
    if (header_bytes != SECTION_HEADER_BYTES)
        return err_at(err, whole_file(e), "ELF section headers of %u bytes, expected %u",
                      header_bytes, SECTION_HEADER_BYTES);
    if (e->sections_at > bytes || bytes - e->sections_at < SECTION_HEADER_BYTES)
        return err_at(err, whole_file(e),
                      "the ELF section table at byte %llu lies outside the file of %llu bytes",
                      (unsigned long long)e->sections_at, (unsigned long long)bytes);
    /* Counts that do not fit the header are in the first, otherwise unused, section header. */
    const u8 *first = p + e->sections_at;
    if (count == 0)
        count = load_u64(first + 32);
    if (names_index == 0xffff)
        names_index = load_u32(first + 40);
    if (count > (bytes - e->sections_at) / SECTION_HEADER_BYTES)
        return err_at(err, whole_file(e),
                      "the ELF table of %llu sections at byte %llu runs out of the file of %llu "
                      "bytes",
                      (unsigned long long)count, (unsigned long long)e->sections_at,
                      (unsigned long long)bytes);
    if (count > UINT32_MAX)
        return err_at(err, whole_file(e), "the ELF file claims %llu sections",
                      (unsigned long long)count);
    e->section_count = (u32)count;
    return count == 0 || open_section_names(e, names_index, err);
}

bool elf_section_at(const struct elf *e, u32 index, struct elf_section *s, struct err *err)
{
    const u8 *h = e->data + e->sections_at + (u64)index * SECTION_HEADER_BYTES;
    u32 name_at = load_u32(h);
    *s = (struct elf_section){
        .name = "",
        .type = load_u32(h + 4),
        .offset = load_u64(h + 24),
        .size = load_u64(h + 32),
        .link = load_u32(h + 40),
    };
    if (e->section_names_bytes == 0)
        return true;
    if (name_at >= e->section_names_bytes)
        return err_at(err, whole_file(e),
                      "the name of ELF section %u is at byte %u of a table of %llu bytes", index,
                      name_at, (unsigned long long)e->section_names_bytes);
    s->name = e->section_names + name_at;
    return true;
}

bool elf_section_bytes(const struct elf *e, const struct elf_section *s, const u8 **bytes,
                       struct err *err)
{
    *bytes = e->data;
    if (s->type == ELF_SECTION_NO_BITS && s->size > 0)
        return err_at(err, whole_file(e), "ELF section '%.80s' has no bytes in the file", s->name);
    if (s->offset > e->bytes || s->size > e->bytes - s->offset)
        return err_at(err, whole_file(e),
                      "ELF section '%.80s' (%llu bytes at byte %llu) runs out of the file of %llu "
                      "bytes",
                      s->name, (unsigned long long)s->size, (unsigned long long)s->offset,
                      (unsigned long long)e->bytes);
    *bytes = e->data + s->offset;
    return true;
}

/* The sections that matter, each NULL or empty when absent. */
struct tables {
    const u8 *symbols;
    u64 symbol_count;
    const char *symbol_names;
    u64 symbol_names_bytes;
    const u8 *info;
    u64 info_bytes;
};

static bool find_symbol_names(const struct elf *e, u32 index, struct tables *t, struct err *err)
{
    struct elf_section s;
    const u8 *names;
    if (index >= e->section_count)
        return err_at(err, whole_file(e),
                      "the cubin's symbol table has its names in section %u of %u", index,
                      e->section_count);
    if (!elf_section_at(e, index, &s, err) || !elf_section_bytes(e, &s, &names, err) ||
        !check_names(e, names, s.size, "symbol", err))
        return false;
    t->symbol_names = (const char *)names;
    t->symbol_names_bytes = s.size;
    return true;
}

static bool find_tables(const struct elf *e, struct tables *t, struct err *err)
{
    *t = (struct tables){0};
    for (u32 i = 1; i < e->section_count; i++) {
        struct elf_section s;
        if (!elf_section_at(e, i, &s, err))
            return false;
        if (s.type == ELF_SECTION_SYMBOLS && !t->symbols) {
            if (!elf_section_bytes(e, &s, &t->symbols, err) ||
                !find_symbol_names(e, s.link, t, err))
                return false;
            t->symbol_count = s.size / SYMBOL_BYTES;
        } else if (strcmp(s.name, ".nv.info") == 0 && !t->info) {
            if (!elf_section_bytes(e, &s, &t->info, err))
                return false;
            t->info_bytes = s.size;
        }
    }
    return true;
}

static bool symbol_is_kernel(const u8 *symbol)
{
    u32 defined_in = load_u16(symbol + 6);
    return (symbol[4] & 0xf) == SYMBOL_FUNCTION && (symbol[5] & SYMBOL_CUDA_ENTRY) != 0 &&
           defined_in != 0;
}

/* One row per kernel, in symbol order; kernel_of[symbol] is 1 + its row, or 0. */
static bool list_kernels(struct cubin *c, const struct elf *e, const struct tables *t,
                         u32 *kernel_of, struct arena *arena, struct err *err)
{
    for (u64 i = 0; i < t->symbol_count; i++) {
        if (symbol_is_kernel(t->symbols + i * SYMBOL_BYTES))
            kernel_of[i] = ++c->kernel_count;
    }
    c->kernels = ARENA_ARRAY(arena, struct cubin_kernel, c->kernel_count + 1);
    /* One copy of the whole table: names may share their tails. */
    char *names = arena_alloc(arena, t->symbol_names_bytes + 1);
    if (t->symbol_names)
        memcpy(names, t->symbol_names, t->symbol_names_bytes);
    for (u64 i = 0; i < t->symbol_count; i++) {
        if (kernel_of[i] == 0)
            continue;
        u32 name_at = load_u32(t->symbols + i * SYMBOL_BYTES);
        if (name_at >= t->symbol_names_bytes)
            return err_at(err, whole_file(e),
                          "the name of cubin symbol %llu is at byte %u of a table of %llu bytes",
                          (unsigned long long)i, name_at,
                          (unsigned long long)t->symbol_names_bytes);
        c->kernels[kernel_of[i] - 1].name = names + name_at;
    }
    return true;
}

static bool read_info(struct cubin *c, const struct elf *e, const struct tables *t,
                      const u32 *kernel_of, struct err *err)
{
    for (u64 at = 0; at < t->info_bytes;) {
        const u8 *record = t->info + at;
        u64 left = t->info_bytes - at;
        u64 size = left >= 4 && record[0] == INFO_HAS_PAYLOAD ? load_u16(record + 2) : 0;
        if (left < 4 + size)
            return err_at(err, whole_file(e),
                          "the record at byte %llu of .nv.info runs out of its %llu bytes",
                          (unsigned long long)at, (unsigned long long)t->info_bytes);
        at += 4 + size;
        if (size != 8)
            continue;
        u32 symbol = load_u32(record + 4), value = load_u32(record + 8);
        bool counts =
            record[1] == INFO_REGISTERS || record[1] == INFO_FRAME || record[1] == INFO_STACK;
        if (!counts)
            continue;
        if (symbol >= t->symbol_count)
            return err_at(err, whole_file(e),
                          "the record at byte %llu of .nv.info is about symbol %u of %llu",
                          (unsigned long long)(at - 12), symbol,
                          (unsigned long long)t->symbol_count);
        if (kernel_of[symbol] == 0)
            continue; /* a device function */
        struct cubin_kernel *k = &c->kernels[kernel_of[symbol] - 1];
        if (record[1] == INFO_REGISTERS)
            k->registers = value;
        else if (record[1] == INFO_FRAME)
            k->frame_bytes = value;
        else
            k->stack_bytes = value;
    }
    return true;
}

static int by_name(const void *a, const void *b)
{
    const struct cubin_kernel *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static struct cubin_kernel *find(const struct cubin *c, const char *name)
{
    if (c->kernel_count == 0)
        return NULL;
    struct cubin_kernel key = {.name = name};
    return bsearch(&key, c->kernels, c->kernel_count, sizeof key, by_name);
}

static bool read_shared(struct cubin *c, const struct elf *e, struct err *err)
{
    static const char prefix[] = ".nv.shared.";
    for (u32 i = 1; i < e->section_count; i++) {
        struct elf_section s;
        if (!elf_section_at(e, i, &s, err))
            return false;
        if (strncmp(s.name, prefix, sizeof prefix - 1) != 0)
            continue;
        struct cubin_kernel *k = find(c, s.name + sizeof prefix - 1);
        if (!k)
            continue; /* of a device function, or the reserved part itself */
        u64 size = s.size;
        if (!c->is_relocatable && c->arch >= RESERVED_SHARED_ARCH && size >= RESERVED_SHARED_BYTES)
            size -= RESERVED_SHARED_BYTES;
        if (size > UINT32_MAX)
            return err_at(err, whole_file(e), "cubin section '%.80s' claims %llu bytes", s.name,
                          (unsigned long long)size);
        k->shared_bytes = (u32)size;
    }
    return true;
}

/* CUDA 13 writes version 8 of the format and moved the number; 11 and 12 wrote version 7. */
static u32 arch_of(const struct elf *e)
{
    return e->abi_version >= 8 ? e->flags >> 8 & 0xff : e->flags & 0xff;
}

bool cubin_read(struct cubin *c, const void *data, u64 bytes, const char *name, struct arena *arena,
                struct err *err)
{
    *c = (struct cubin){0};
    struct elf e;
    struct tables t;
    if (!elf_open(&e, data, bytes, name, err))
        return false;
    if (e.machine != ELF_MACHINE_CUDA)
        return err_at(err, whole_file(&e), "not a cubin: ELF machine %u, expected %u (CUDA)",
                      e.machine, ELF_MACHINE_CUDA);
    if (!find_tables(&e, &t, err))
        return false;
    c->arch = arch_of(&e);
    c->is_relocatable = e.type == ELF_TYPE_RELOCATABLE;

    u32 *kernel_of = xrealloc(NULL, (t.symbol_count + 1) * sizeof *kernel_of);
    memset(kernel_of, 0, (t.symbol_count + 1) * sizeof *kernel_of);
    bool ok =
        list_kernels(c, &e, &t, kernel_of, arena, err) && read_info(c, &e, &t, kernel_of, err);
    free(kernel_of);
    if (ok) {
        qsort(c->kernels, c->kernel_count, sizeof *c->kernels, by_name);
        ok = read_shared(c, &e, err);
    }
    if (!ok)
        *c = (struct cubin){0};
    return ok;
}

const struct cubin_kernel *cubin_find(const struct cubin *c, const char *name)
{
    return find(c, name);
}
