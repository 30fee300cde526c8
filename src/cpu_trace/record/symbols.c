#include "cpu_trace/record/symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file in memory; nothing in it is believed before it was checked. */
struct image {
    const u8 *data;
    u64 bytes;
};

static const void *at(const struct image *f, u64 offset, u64 bytes)
{
    return offset <= f->bytes && bytes <= f->bytes - offset ? f->data + offset : NULL;
}

/* Where an address of the file lies in it. False: in no loaded part. */
static bool offset_of(const struct image *f, const Elf64_Ehdr *h, u64 address, u64 *offset)
{
    const Elf64_Phdr *p = at(f, h->e_phoff, (u64)h->e_phnum * sizeof *p);
    for (u32 i = 0; p && i < h->e_phnum; i++) {
        if (p[i].p_type == PT_LOAD && address >= p[i].p_vaddr &&
            address - p[i].p_vaddr < p[i].p_filesz) {
            *offset = address - p[i].p_vaddr + p[i].p_offset;
            return true;
        }
    }
    return false;
}

static const char *name_at(const struct image *f, const Elf64_Shdr *names, u64 offset)
{
    const char *all = at(f, names->sh_offset, names->sh_size);
    if (!all || offset >= names->sh_size || !memchr(all + offset, 0, names->sh_size - offset))
        return NULL;
    return all + offset;
}

struct reading {
    const struct image *file;
    const Elf64_Ehdr *head;
    const struct guest_map *map;
    bool (*is_wanted)(const char *name);
    struct arena *arena;
    struct function *out; /* NULL: they are counted */
    u32 count;
};

static void read_symbol(struct reading *r, const Elf64_Sym *s, const Elf64_Shdr *names)
{
    u64 offset;
    const char *name = name_at(r->file, names, s->st_name);
    if (ELF64_ST_TYPE(s->st_info) != STT_FUNC || !s->st_value || !name || !r->is_wanted(name) ||
        !offset_of(r->file, r->head, s->st_value, &offset) || offset < r->map->offset ||
        offset - r->map->offset >= r->map->end - r->map->begin)
        return;
    if (r->out) {
        u64 begin = r->map->begin + offset - r->map->offset;
        r->out[r->count] = (struct function){
            .begin = begin, .end = begin + s->st_size, .name = arena_strdup(r->arena, name)};
    }
    r->count++;
}

static void read_tables(struct reading *r)
{
    const Elf64_Ehdr *h = r->head;
    const Elf64_Shdr *s = at(r->file, h->e_shoff, (u64)h->e_shnum * sizeof *s);
    r->count = 0;
    for (u32 i = 0; s && i < h->e_shnum; i++) {
        if ((s[i].sh_type != SHT_SYMTAB && s[i].sh_type != SHT_DYNSYM) ||
            s[i].sh_link >= h->e_shnum)
            continue;
        const Elf64_Sym *symbols = at(r->file, s[i].sh_offset, s[i].sh_size);
        for (u64 k = 0; symbols && k < s[i].sh_size / sizeof *symbols; k++)
            read_symbol(r, &symbols[k], &s[s[i].sh_link]);
    }
}

u32 symbols_read(const struct guest_map *map, bool (*is_wanted)(const char *name),
                 struct function **functions, struct arena *arena)
{
    struct stat st;
    struct image file = {0};
    int fd = open(map->file, O_RDONLY | O_CLOEXEC);
    struct reading r = {.file = &file, .map = map, .is_wanted = is_wanted, .arena = arena};
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size >= (off_t)sizeof(Elf64_Ehdr)) {
        void *data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (data != MAP_FAILED) {
            file = (struct image){data, (u64)st.st_size};
            r.head = data;
        }
    }
    if (r.head && memcmp(r.head->e_ident, ELFMAG, SELFMAG) == 0) {
        read_tables(&r);
        *functions = r.out = ARENA_ARRAY(arena, struct function, r.count + 1);
        read_tables(&r);
    }
    if (file.data)
        munmap((void *)(uintptr_t)file.data, file.bytes);
    if (fd >= 0)
        close(fd);
    return r.count;
}
