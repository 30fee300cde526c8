#include "base/file.h"

#include "base/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fail(const char *path, int why, struct err *err)
{
    return err_at(err, (struct src_pos){path, 0, 0}, "cannot write the file: %s", strerror(why));
}

static char *copy(const char *s)
{
    size_t bytes = strlen(s) + 1;
    return memcpy(xrealloc(NULL, bytes), s, bytes);
}

static void release(struct out_file *f)
{
    free(f->path);
    free(f->place);
    free(f->beside);
    *f = (struct out_file){0};
}

/* Where the bytes go; 0, or the errno that a write would meet. */
static int find_place(struct out_file *f, const char *path)
{
    struct stat s;
    char *real = realpath(path, NULL); /* NULL: there is none yet */
    *f = (struct out_file){.path = copy(path), .place = real ? real : copy(path)};
    bool is_there = stat(f->place, &s) == 0;
    if (!*path)
        return ENOENT;
    if (is_there && S_ISDIR(s.st_mode))
        return EISDIR;
    if (is_there && access(f->place, W_OK) != 0)
        return errno;
    if (is_there && !S_ISREG(s.st_mode))
        return 0;
    struct text t = {0};
    text_printf(&t, "%s.new-%ld", f->place, (long)getpid());
    f->beside = t.data;
    return 0;
}

#define MOST_LEFT_BEHIND 100

/* A name of its own: what a killed process of the same number left behind, and links that lie
 * there, stay as they are. */
static int open_beside(struct out_file *f)
{
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    int fd = open(f->beside, flags, 0666);
    for (u32 i = 1; fd < 0 && errno == EEXIST && i <= MOST_LEFT_BEHIND; i++) {
        struct text t = {0};
        text_printf(&t, "%s.new-%ld-%u", f->place, (long)getpid(), i);
        free(f->beside);
        f->beside = t.data;
        fd = open(f->beside, flags, 0666);
    }
    return fd;
}

/* Programs that we start do not inherit it. */
static FILE *open_place(struct out_file *f)
{
    if (!f->beside)
        return fopen(f->place, "wbe");
    int fd = open_beside(f);
    FILE *out = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (fd >= 0 && !out) {
        int why = errno;
        close(fd);
        unlink(f->beside);
        errno = why;
    }
    return out;
}

bool out_file_open(struct out_file *f, const char *path, struct err *err)
{
    int why = find_place(f, path);
    if (!why && !(f->out = open_place(f)))
        why = errno;
    if (!why)
        return true;
    release(f);
    return fail(path, why, err);
}

void out_file_put(struct out_file *f, const void *data, size_t count)
{
    if (count && fwrite(data, 1, count, f->out) != count && !f->why)
        f->why = errno;
}

bool out_file_check(const struct out_file *f, struct err *err)
{
    return !f->why || fail(f->path, f->why, err);
}

bool out_file_close(struct out_file *f, struct err *err)
{
    if (!f->out)
        return true;
    if (fclose(f->out) != 0 && !f->why)
        f->why = errno;
    f->out = NULL;
    if (!f->why && f->beside && rename(f->beside, f->place) != 0)
        f->why = errno;
    if (f->why && f->beside)
        unlink(f->beside);
    bool ok = out_file_check(f, err);
    release(f);
    return ok;
}

void out_file_flush(struct out_file *f)
{
    if (f->out && fflush(f->out) != 0 && !f->why)
        f->why = errno;
}

void out_file_discard(struct out_file *f)
{
    if (f->out)
        fclose(f->out);
    if (f->beside)
        unlink(f->beside);
    release(f);
}

bool file_write(const char *path, const struct text *text, struct err *err)
{
    struct out_file f;
    if (!out_file_open(&f, path, err))
        return false;
    out_file_put(&f, text->data, text->length);
    return out_file_close(&f, err);
}

bool file_check_writable(const char *path, struct err *err)
{
    struct out_file f;
    bool is_device = find_place(&f, path) == 0 && !f.beside; /* to open one may mean to wait */
    release(&f);
    if (is_device)
        return true;
    if (!out_file_open(&f, path, err))
        return false;
    out_file_discard(&f);
    return true;
}

bool file_starts_with(const char *path, const char *bytes, size_t count)
{
    char start[16];
    FILE *f = count <= sizeof start ? fopen(path, "rbe") : NULL;
    bool same = f && fread(start, 1, count, f) == count && memcmp(start, bytes, count) == 0;
    if (f)
        fclose(f);
    return same;
}

const char *program_find(const char *name, struct arena *arena)
{
    if (strchr(name, '/'))
        return access(name, X_OK) == 0 ? name : NULL;
    for (const char *at = getenv("PATH"); at && *at;) {
        size_t n = strcspn(at, ":");
        const char *full = arena_printf(arena, "%.*s/%s", (int)n, at, name);
        if (access(full, X_OK) == 0)
            return full;
        at += n + (at[n] == ':');
    }
    return NULL;
}

bool folder_make(const char *path, struct err *err)
{
    struct text part = {0};
    bool ok = true;
    for (size_t i = 1; ok && i <= strlen(path); i++) {
        if (path[i] != '/' && path[i])
            continue;
        part.length = 0;
        text_append(&part, path, i);
        struct stat s;
        if (mkdir(part.data, 0777) != 0 && errno != EEXIST)
            ok = err_at(err, (struct src_pos){part.data, 0, 0}, "cannot make the folder: %s",
                        strerror(errno));
        else if (stat(part.data, &s) == 0 && !S_ISDIR(s.st_mode))
            ok = err_at(err, (struct src_pos){part.data, 0, 0},
                        "cannot make the folder: there is a file of that name");
    }
    text_fini(&part);
    return ok;
}

bool folder_make_for(const char *path, struct err *err)
{
    const char *slash = strrchr(path, '/');
    struct text folder = {0};
    if (!slash || slash == path)
        return true;
    text_append(&folder, path, (size_t)(slash - path));
    bool ok = folder_make(folder.data, err);
    text_fini(&folder);
    return ok;
}

bool folder_check_writable(const char *folder, const char *const *names, struct err *err)
{
    bool ok = folder_make(folder, err);
    for (; ok && *names; names++) {
        struct text path = {0};
        text_printf(&path, "%s/%s", folder, *names);
        ok = file_check_writable(path.data, err);
        text_fini(&path);
    }
    return ok;
}
