#include "cli/recordings.h"

#include "base/file.h"
#include "base/map.h"
#include "base/version.h"
#include "run/gpu_player.h"
#include "run/mix.h"
#include "run/session_device.h"
#include "cli/command.h"
#include "cli/workload.h"
#include "source/recording/format.h"
#include "campaign/sha256.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ENDING ".hgr"
#define IN_USE "in-use-"
#define LEFT_SECONDS (7 * 24 * 3600) /* the folder of a run that was killed */

/* ---- the folders --------------------------------------------------------------------------- */

/* As the XDG base directory specification says. */
static const char *cache_folder(struct arena *arena)
{
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (xdg && xdg[0] == '/')
        return arena_printf(arena, "%s/heddle/recordings", xdg);
    return home && *home ? arena_printf(arena, "%s/.cache/heddle/recordings", home) : NULL;
}

static bool open_cache(struct recordings *r, struct arena *arena)
{
    struct err why = ERR_INIT;
    const char *cache = cache_folder(arena);
    if (!cache || !folder_make(cache, &why))
        return false;
    r->lock = open(arena_printf(arena, "%s/lock", cache), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    char *folder = arena_printf(arena, "%s/" IN_USE "XXXXXX", cache);
    if (r->lock < 0 || !mkdtemp(folder))
        return false;
    r->cache = cache;
    r->folder = folder;
    return true;
}

bool recordings_open(struct recordings *r, struct arena *arena, struct err *err)
{
    *r = (struct recordings){.lock = -1};
    if (open_cache(r, arena))
        return true;
    recordings_close(r);
    const char *top = getenv("TMPDIR");
    char *folder = arena_printf(arena, "%s/heddle-mix-XXXXXX", top && *top ? top : "/tmp");
    if (!mkdtemp(folder))
        return err_at(err, (struct src_pos){folder, 0, 0},
                      "cannot make a folder for recordings: %s", strerror(errno));
    r->folder = folder;
    return true;
}

void recordings_close(struct recordings *r)
{
    if (r->lock >= 0)
        close(r->lock);
    r->lock = -1;
}

/* ---- names --------------------------------------------------------------------------------- */

static bool add_file(struct text *t, const char *what, const char *path, struct err *err)
{
    char hex[SHA256_HEX + 1];
    if (!sha256_file(path, hex, err))
        return false;
    text_printf(t, "%s %s\n", what, hex);
    return true;
}

bool recordings_name(struct recordings *r, const struct application *a,
                     const struct gpu_config *chip, const char *chip_name, u64 most_instructions,
                     const char **name, struct arena *arena, struct err *err)
{
    const struct workload *w = workload_find(a->program, arena);
    const char *library = library_find("libcuda.so.1", "src/cuda", arena);
    char hex[SHA256_HEX + 1];
    struct text t = {0};
    struct sha256 h;
    text_printf(&t, "heddle %s recording %u\nprogram %s\nsize %s\nmost %llu\n", HEDDLE_VERSION,
                RECORD_VERSION, a->program, a->size ? a->size : "",
                (unsigned long long)most_instructions);
    for (u32 i = 0; i < a->arg_count; i++)
        text_printf(&t, "argument %zu %s\n", strlen(a->args[i]), a->args[i]);
    session_device_text(chip, chip_name, &t);
    bool ok = w && library && (*r->library || sha256_file(library, r->library, err)) &&
              add_file(&t, "executable", w->program, err) &&
              add_file(&t, "code", arena_printf(arena, "%s.ptx", w->program), err);
    text_printf(&t, "library %s\n", r->library);
    sha256_init(&h);
    sha256_add(&h, t.data, t.length);
    sha256_end(&h, hex);
    *name = arena_printf(arena, "%s-%.32s" ENDING, a->program, hex);
    text_fini(&t);
    return ok;
}

/* ---- one at a time ------------------------------------------------------------------------- */

/* Names share a byte of the file of locks rarely, and then only wait longer. */
static void set_lock(const struct recordings *r, const char *name, short type)
{
    struct flock l = {.l_type = type,
                      .l_whence = SEEK_SET,
                      .l_start = (off_t)(hash_string(name) % 1000000000),
                      .l_len = 1};
    while (fcntl(r->lock, F_SETLKW, &l) != 0 && errno == EINTR)
        ;
}

void recordings_take(struct recordings *r, const char *name)
{
    set_lock(r, name, F_WRLCK);
}

void recordings_done(struct recordings *r, const char *name)
{
    set_lock(r, name, F_UNLCK);
}

/* ---- files --------------------------------------------------------------------------------- */

bool recordings_find(const struct recordings *r, const char *name, const char *file)
{
    struct err damaged = ERR_INIT;
    char kept[PATH_MAX];
    snprintf(kept, sizeof kept, "%s/%s", r->cache, name);
    if (link(kept, file) != 0)
        return false;
    if (gpu_workload_check(file, &damaged)) {
        utimensat(AT_FDCWD, kept, NULL, 0); /* used just now */
        return true;
    }
    unlink(file);
    unlink(kept);
    return false;
}

struct kept {
    char name[256];
    u64 bytes;
    struct timespec used;
};

static int by_use(const void *a, const void *b)
{
    const struct timespec *x = &((const struct kept *)a)->used,
                          *y = &((const struct kept *)b)->used;
    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? -1 : 1;
    return x->tv_nsec < y->tv_nsec ? -1 : x->tv_nsec > y->tv_nsec;
}

/* What a run that was killed left behind. */
static void remove_folder(int cache, const char *name)
{
    int fd = openat(cache, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    for (const struct dirent *e; d && (e = readdir(d));)
        unlinkat(fd, e->d_name, 0); /* but not "." and ".." */
    if (d)
        closedir(d);
    unlinkat(cache, name, AT_REMOVEDIR);
}

static bool ends_with(const char *s, const char *ending)
{
    size_t n = strlen(s), m = strlen(ending);
    return n >= m && strcmp(s + n - m, ending) == 0;
}

/* All recordings; folders that nobody uses any more go. */
static struct kept *list(DIR *d, u32 *count, u64 *bytes)
{
    struct kept *all = NULL;
    struct stat s;
    u32 room = 0;
    *count = 0;
    *bytes = 0;
    for (const struct dirent *e; (e = readdir(d));) {
        if (fstatat(dirfd(d), e->d_name, &s, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (S_ISDIR(s.st_mode) && strncmp(e->d_name, IN_USE, strlen(IN_USE)) == 0 &&
            s.st_mtime + LEFT_SECONDS < time(NULL))
            remove_folder(dirfd(d), e->d_name);
        if (!S_ISREG(s.st_mode) || !ends_with(e->d_name, ENDING))
            continue;
        if (*count == room) {
            room = 2 * room + 16;
            all = xrealloc(all, room * sizeof *all);
        }
        struct kept *k = &all[(*count)++];
        *k = (struct kept){.bytes = (u64)s.st_size, .used = s.st_mtim};
        memcpy(k->name, e->d_name, strlen(e->d_name) + 1);
        *bytes += k->bytes;
    }
    return all;
}

static void keep_within(const char *cache, u64 most)
{
    u32 count;
    u64 bytes;
    DIR *d = opendir(cache);
    if (!d)
        return;
    struct kept *all = list(d, &count, &bytes);
    if (count)
        qsort(all, count, sizeof *all, by_use);
    for (u32 i = 0; i < count && bytes > most; i++) {
        unlinkat(dirfd(d), all[i].name, 0);
        bytes -= all[i].bytes;
    }
    free(all);
    closedir(d);
}

void recordings_keep(const struct recordings *r, const char *name, const char *file)
{
    char kept[PATH_MAX];
    snprintf(kept, sizeof kept, "%s/%s", r->cache, name);
    if (link(file, kept) == 0)
        keep_within(r->cache, RECORDINGS_MOST_BYTES);
}
