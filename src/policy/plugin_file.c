#include "policy/plugin_file.h"

#include "base/types.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OWN_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OWN_MACHINE EM_AARCH64
#else
#define OWN_MACHINE EM_NONE
#endif

struct plugin_file {
    const char *path;
    int fd;
    u64 bytes;
    Elf64_Ehdr head;
};

static bool is_inside(const struct plugin_file *f, u64 offset, u64 bytes)
{
    return offset <= f->bytes && bytes <= f->bytes - offset;
}

static bool breaks_off(const struct plugin_file *f, struct err *err)
{
    return err_at(err, (struct src_pos){f->path, 0, 0},
                  "the plugin is truncated: its headers describe more than the file's %llu bytes",
                  (unsigned long long)f->bytes);
}

static bool is_none(const struct plugin_file *f, const char *what, struct err *err)
{
    return err_at(err, (struct src_pos){f->path, 0, 0},
                  "the plugin is %s, expected a shared object for this machine", what);
}

static bool read_at(const struct plugin_file *f, void *to, size_t bytes, u64 offset)
{
    return is_inside(f, offset, bytes) && pread(f->fd, to, bytes, (off_t)offset) == (ssize_t)bytes;
}

static bool check_head(struct plugin_file *f, struct err *err)
{
    const Elf64_Ehdr *h = &f->head;
    if (f->bytes < SELFMAG ||
        !read_at(f, &f->head, f->bytes < sizeof *h ? SELFMAG : sizeof *h, 0) ||
        memcmp(h->e_ident, ELFMAG, SELFMAG) != 0)
        return is_none(f, "not an ELF file", err);
    if (f->bytes < sizeof *h)
        return breaks_off(f, err);
    if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB ||
        h->e_machine != OWN_MACHINE)
        return is_none(f, "for another machine", err);
    if (h->e_type != ET_DYN)
        return is_none(f, "not a shared object", err);
    if (h->e_phentsize != sizeof(Elf64_Phdr) || !h->e_phnum ||
        (h->e_shnum && h->e_shentsize != sizeof(Elf64_Shdr)))
        return is_none(f, "damaged", err);
    return true;
}

static bool check_segments(const struct plugin_file *f, struct err *err)
{
    for (u32 i = 0; i < f->head.e_phnum; i++) {
        Elf64_Phdr p;
        if (!read_at(f, &p, sizeof p, f->head.e_phoff + (u64)i * sizeof p) ||
            (p.p_type != PT_NULL && !is_inside(f, p.p_offset, p.p_filesz)))
            return breaks_off(f, err);
    }
    return true;
}

/* The loader needs none; their table is usually the last part of a file. */
static bool check_sections(const struct plugin_file *f, struct err *err)
{
    for (u32 i = 0; i < f->head.e_shnum; i++) {
        Elf64_Shdr s;
        if (!read_at(f, &s, sizeof s, f->head.e_shoff + (u64)i * sizeof s) ||
            (s.sh_type != SHT_NULL && s.sh_type != SHT_NOBITS &&
             !is_inside(f, s.sh_offset, s.sh_size)))
            return breaks_off(f, err);
    }
    return true;
}

bool plugin_file_check(const char *path, struct err *err)
{
    struct stat s;
    struct plugin_file f = {.path = path, .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (f.fd < 0)
        return err_at(err, (struct src_pos){path, 0, 0}, "cannot read the plugin: %s",
                      strerror(errno));
    bool ok = fstat(f.fd, &s) == 0 && S_ISREG(s.st_mode);
    if (ok) {
        f.bytes = (u64)s.st_size;
        ok = check_head(&f, err) && check_segments(&f, err) && check_sections(&f, err);
    } else {
        is_none(&f, "not a file", err);
    }
    close(f.fd);
    return ok;
}
