/* Executables that cannot be loaded: one sentence each. */
#include "testing.h"

#include "aarch64/program.h"

#include <elf.h>
#include <unistd.h>

/* A file of a header and one segment: of four bytes of code and `bytes` of memory. */
static void expect(u64 address, u64 bytes, u32 type, const char *sentence)
{
    struct {
        Elf64_Ehdr header;
        Elf64_Phdr segment;
        u32 code;
    } file = {.header = {.e_type = ET_EXEC,
                         .e_machine = EM_AARCH64,
                         .e_phoff = sizeof(Elf64_Ehdr),
                         .e_phentsize = sizeof(Elf64_Phdr),
                         .e_phnum = 1},
              .segment = {.p_type = type,
                          .p_flags = PF_X,
                          .p_offset = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr),
                          .p_vaddr = address,
                          .p_filesz = 4,
                          .p_memsz = bytes}};
    memcpy(file.header.e_ident, ELFMAG, SELFMAG);
    file.header.e_ident[EI_CLASS] = ELFCLASS64;
    file.header.e_ident[EI_DATA] = ELFDATA2LSB;
    char path[] = "/tmp/heddle-elf-XXXXXX", text[4096];
    int fd = mkstemp(path);
    assert_int_equal(write(fd, &file, sizeof file), sizeof file);
    close(fd);
    struct err err = ERR_INIT;
    struct a64_program p;
    const struct a64_arguments arguments = {.path = path, .vl = 16};
    bool ok = a64_program_open(&p, &arguments, &err);
    assert_int_equal(ok, !sentence);
    if (ok)
        a64_program_close(&p);
    err_text(&err, text, sizeof text);
    if (sentence && !strstr(text, sentence))
        fail_msg("'%s', expected '%s'", text, sentence);
    unlink(path);
}

/* Each word of code has a decoded operation of 40 bytes, so a header could ask for 40 GB. */
TEST(what_cannot_be_loaded_is_said)
{
    UNUSED_STATE;
    expect(0x10000, 0x1000, PT_LOAD, NULL);
    expect(0x10000, 0x20000000, PT_LOAD,
           "executable segments lie between 0x10000 and 0x20010000, expected at most 256 MiB");
    expect(0x10000, UINT64_MAX - 100, PT_LOAD, "a segment lies at 0x10000");
    expect(0x10000, 2, PT_LOAD, "a segment is cut off");
    expect(0x10000, 0x1000, PT_TLS, "thread-local storage");
    expect(0x10000, 0x1000, PT_NOTE, "no segment is executable");
}

RUN_TESTS(T(what_cannot_be_loaded_is_said))
