/* Fat binaries in executables, shared libraries, object files and bare .fatbin files. */
#include "cuda/code/fatbin.h"

#include "base/arena.h"
#include "cuda/code/cubin.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONTAINER_STEP 8 /* their alignment in a section */

/* A file of so many broken containers is garbage; each costs a look at all that follows it. */
#define PROBLEMS_MAX 64

/* One run over a stretch of the file. Broken containers count only where there must be
 * containers: elsewhere the magic number may be anything, such as a constant in code. */
struct scanner {
    struct fatbin_scan *scan;
    u32 capacity, problems;
    const u8 *file;
    const char *name;
    struct arena *arena;
};

static void add_found(struct scanner *s, struct fatbin_found found)
{
    struct fatbin_scan *scan = s->scan;
    if (scan->count == s->capacity) {
        u32 capacity = s->capacity ? s->capacity * 2 : 8;
        struct fatbin_found *more = ARENA_ARRAY(s->arena, struct fatbin_found, capacity);
        if (scan->count)
            memcpy(more, scan->found, scan->count * sizeof *more);
        scan->found = more;
        s->capacity = capacity;
    }
    scan->found[scan->count++] = found;
}

static bool scan_range(struct scanner *s, u64 from, u64 to, const char *section, bool keep_problems,
                       struct err *err)
{
    for (u64 at = from; at < to && to - at >= FATBIN_HEADER_BYTES;) {
        if (load_u32(s->file + at) != FATBIN_MAGIC) {
            at += CONTAINER_STEP;
            continue;
        }
        struct fatbin_found found = {
            .section = section,
            .fatbin = {.name = s->name, .offset = at},
        };
        struct err problem = ERR_INIT;
        if (fatbin_read_at(&found.fatbin, s->file + at, to - at, s->arena, &problem)) {
            add_found(s, found);
            at += (found.fatbin.bytes + CONTAINER_STEP - 1) / CONTAINER_STEP * CONTAINER_STEP;
            continue;
        }
        at += CONTAINER_STEP;
        if (++s->problems > PROBLEMS_MAX)
            return err_at(err, (struct src_pos){.file = s->name},
                          "more than %u broken fat binaries, the last at byte %llu", PROBLEMS_MAX,
                          (unsigned long long)found.fatbin.offset);
        if (keep_problems) {
            found.problem = arena_printf(s->arena, "%s", problem.what);
            add_found(s, found);
        }
    }
    return true;
}

static bool holds_containers(const struct elf_section *s)
{
    return s->type != ELF_SECTION_NO_BITS &&
           (strcmp(s->name, ".nv_fatbin") == 0 || strcmp(s->name, "__nv_relfatbin") == 0);
}

static bool scan_elf(struct scanner *s, u64 bytes, struct err *err)
{
    struct elf e;
    if (!elf_open(&e, s->file, bytes, s->name, err))
        return false;
    /* A stripped section table leaves only the search through everything. */
    if (e.section_count == 0)
        return scan_range(s, 0, bytes, "", false, err);
    for (u32 i = 1; i < e.section_count; i++) {
        struct elf_section section;
        const u8 *data;
        if (!elf_section_at(&e, i, &section, err))
            return false;
        if (!holds_containers(&section))
            continue;
        if (!elf_section_bytes(&e, &section, &data, err))
            return false;
        const char *name = arena_strdup(s->arena, section.name);
        if (!scan_range(s, section.offset, section.offset + section.size, name, true, err))
            return false;
    }
    return true;
}

static int by_offset(const void *a, const void *b)
{
    const struct fatbin_found *x = a, *y = b;
    return x->fatbin.offset < y->fatbin.offset ? -1 : x->fatbin.offset > y->fatbin.offset;
}

bool fatbin_scan(struct fatbin_scan *scan, const void *file, u64 bytes, const char *name,
                 struct arena *arena, struct err *err)
{
    *scan = (struct fatbin_scan){0};
    struct scanner s = {.scan = scan, .file = file, .name = name, .arena = arena};
    bool ok;
    if (elf_is(file, bytes))
        ok = scan_elf(&s, bytes, err);
    else if (bytes >= 4 && load_u32(file) == FATBIN_MAGIC)
        ok = scan_range(&s, 0, bytes, "", true, err);
    else
        ok = err_at(err, (struct src_pos){.file = name},
                    "neither a program (an ELF file) nor a fat binary");
    if (!ok)
        *scan = (struct fatbin_scan){0};
    else if (scan->count)
        qsort(scan->found, scan->count, sizeof *scan->found, by_offset);
    return ok;
}

bool fatbin_scan_file(struct fatbin_scan *scan, const char *path, struct arena *arena,
                      struct err *err)
{
    struct src_pos at = {.file = path};
    *scan = (struct fatbin_scan){0};
    FILE *f = fopen(path, "rbe");
    if (!f)
        return err_at(err, at, "cannot be opened: %s", strerror(errno));
    long size = fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    if (size < 0 || size == LONG_MAX || fseek(f, 0, SEEK_SET) != 0) {
        fclose(f);
        return err_at(err, at, "cannot be read, expected a file");
    }
    u8 *data = arena_alloc(arena, (size_t)size + 1);
    size_t got = fread(data, 1, (size_t)size, f);
    bool failed = ferror(f) != 0;
    fclose(f);
    if (failed)
        return err_at(err, at, "cannot be read: %s", strerror(errno));
    return fatbin_scan(scan, data, got, path, arena, err);
}
