/* Static executables: segments into memory, symbols for messages. */
#include "aarch64/program.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CODE_BYTES ((u64)256 << 20) /* each word has a decoded operation */

static struct src_pos place(const struct a64_program *p)
{
    return (struct src_pos){p->path, 0, 0};
}

static bool in_file(const struct a64_program *p, u64 at, u64 bytes)
{
    return at <= p->file_bytes && bytes <= p->file_bytes - at;
}

static bool check_header(const struct a64_program *p, const Elf64_Ehdr *h, struct err *err)
{
    if (p->file_bytes < sizeof *h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0)
        return err_at(err, place(p), "no ELF file, expected a static executable for AArch64");
    if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB ||
        h->e_machine != EM_AARCH64)
        return err_at(err, place(p),
                      "an executable for another machine (%u), expected AArch64 (%u), 64 bits, "
                      "little-endian",
                      h->e_machine, EM_AARCH64);
    if (h->e_type != ET_EXEC)
        return err_at(err, place(p),
                      "a %s, expected an executable at fixed addresses: link with -static -no-pie",
                      h->e_type == ET_DYN   ? "position-independent file"
                      : h->e_type == ET_REL ? "file that has not been linked"
                                            : "core dump");
    if (h->e_phentsize != sizeof(Elf64_Phdr) ||
        !in_file(p, h->e_phoff, (u64)h->e_phnum * sizeof(Elf64_Phdr)))
        return err_at(err, place(p), "the table of segments is cut off");
    return true;
}

static bool load_segment(struct a64_program *p, const Elf64_Phdr *s, struct err *err)
{
    u32 permission =
        (s->p_flags & PF_W ? A64_WRITABLE : 0u) | (s->p_flags & PF_X ? A64_EXECUTABLE : 0u);
    if ((s->p_filesz && !in_file(p, s->p_offset, s->p_filesz)) || s->p_filesz > s->p_memsz)
        return err_at(err, place(p), "a segment is cut off");
    if (s->p_vaddr < A64_PAGE || s->p_vaddr + s->p_memsz > A64_STACK_TOP - 2 * A64_STACK_BYTES ||
        !a64_memory_map(&p->memory, s->p_vaddr, s->p_memsz, permission))
        return err_at(err, place(p), "a segment lies at 0x%llx, expected addresses below 0x%llx",
                      (unsigned long long)s->p_vaddr,
                      (unsigned long long)(A64_STACK_TOP - 2 * A64_STACK_BYTES));
    memcpy(p->memory.bytes + s->p_vaddr, p->file + s->p_offset, s->p_filesz);
    u64 end = (s->p_vaddr + s->p_memsz + A64_PAGE - 1) & ~(A64_PAGE - 1);
    p->process.brk_start = max_u64(p->process.brk_start, end);
    if (s->p_flags & PF_X) {
        p->code_start =
            p->code_end ? min_u64(p->code_start, s->p_vaddr & ~(u64)3) : s->p_vaddr & ~(u64)3;
        p->code_end = max_u64(p->code_end, s->p_vaddr + s->p_memsz);
    }
    return true;
}

static int by_address(const void *a, const void *b)
{
    const struct a64_symbol *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

static void add_symbols(struct a64_program *p, const Elf64_Shdr *table, const Elf64_Shdr *names)
{
    u64 count = table->sh_size / sizeof(Elf64_Sym);
    if (!in_file(p, table->sh_offset, table->sh_size) ||
        !in_file(p, names->sh_offset, names->sh_size) || !names->sh_size ||
        p->file[names->sh_offset + names->sh_size - 1])
        return;
    p->symbols = calloc(count + 1, sizeof *p->symbols);
    for (u64 i = 0; p->symbols && i < count; i++) {
        Elf64_Sym s;
        memcpy(&s, p->file + table->sh_offset + i * sizeof s, sizeof s);
        u32 type = ELF64_ST_TYPE(s.st_info);
        const char *name = (const char *)p->file + names->sh_offset + s.st_name;
        if (s.st_name >= names->sh_size || !*name || *name == '$' ||
            (type != STT_FUNC && type != STT_NOTYPE))
            continue;
        p->symbols[p->symbol_count++] = (struct a64_symbol){s.st_value, s.st_size, name};
    }
    if (p->symbols)
        qsort(p->symbols, p->symbol_count, sizeof *p->symbols, by_address);
}

/* Without them messages have addresses only. */
static void read_symbols(struct a64_program *p, const Elf64_Ehdr *h)
{
    if (h->e_shentsize != sizeof(Elf64_Shdr) ||
        !in_file(p, h->e_shoff, (u64)h->e_shnum * sizeof(Elf64_Shdr)))
        return;
    for (u32 i = 0; i < h->e_shnum; i++) {
        Elf64_Shdr table, names;
        memcpy(&table, p->file + h->e_shoff + i * sizeof table, sizeof table);
        if (table.sh_type != SHT_SYMTAB || table.sh_link >= h->e_shnum)
            continue;
        memcpy(&names, p->file + h->e_shoff + table.sh_link * sizeof names, sizeof names);
        add_symbols(p, &table, &names);
        return;
    }
}

static bool load_segments(struct a64_program *p, const Elf64_Ehdr *h, struct err *err)
{
    for (u32 i = 0; i < h->e_phnum; i++) {
        Elf64_Phdr s;
        memcpy(&s, p->file + h->e_phoff + i * sizeof s, sizeof s);
        if (s.p_type == PT_INTERP || s.p_type == PT_DYNAMIC)
            return err_at(
                err, place(p),
                "a dynamically linked executable, expected a static one: link with -static");
        if (s.p_type == PT_TLS)
            return err_at(err, place(p),
                          "the program has thread-local storage, which is not supported");
        if (s.p_type == PT_LOAD && s.p_memsz && !load_segment(p, &s, err))
            return false;
    }
    if (p->code_end - p->code_start > MOST_CODE_BYTES)
        return err_at(err, place(p),
                      "executable segments lie between 0x%llx and 0x%llx, expected at most 256 MiB",
                      (unsigned long long)p->code_start, (unsigned long long)p->code_end);
    return p->code_end || err_at(err, place(p), "no segment is executable");
}

static bool read_file(struct a64_program *p, struct err *err)
{
    FILE *f = fopen(p->path, "rb");
    long bytes = f && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    if (bytes >= 0 && fseek(f, 0, SEEK_SET) == 0 && (p->file = malloc((size_t)bytes + 1)))
        p->file_bytes = fread(p->file, 1, (size_t)bytes, f);
    int why = errno;
    if (f)
        fclose(f);
    if (p->file && p->file_bytes == (u64)bytes)
        return true;
    return err_at(err, place(p), "cannot be read: %s", strerror(why));
}

bool a64_load(struct a64_program *p, struct err *err)
{
    Elf64_Ehdr h = {0};
    if (!p->file && !read_file(p, err))
        return false;
    memcpy(&h, p->file, min_u64(sizeof h, p->file_bytes));
    if (!check_header(p, &h, err) || !load_segments(p, &h, err))
        return false;
    p->process.brk = p->process.brk_start;
    p->entry = h.e_entry;
    if (p->code)
        return true;
    read_symbols(p, &h);
    p->code = calloc(a64_code_words(p) + A64_TRAMPOLINE_WORDS, sizeof *p->code);
    return p->code || err_kind(err, ERR_INTERNAL, "there is no memory for the code of %s", p->path);
}
