#include "cuda/libraries/behind.h"

#include "base/console.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *opened;
static bool was_sought;

/* The drop-in itself, perhaps by another name, is not what is sought. */
static bool is_this_library(const char *path)
{
    Dl_info self;
    struct stat a, b;
    return !dladdr((const void *)(uintptr_t)behind_call, &self) || stat(self.dli_fname, &a) != 0 ||
           stat(path, &b) != 0 || (a.st_dev == b.st_dev && a.st_ino == b.st_ino);
}

static bool open_in(const char *folder, const char *file)
{
    char path[PATH_MAX];
    if (!folder || snprintf(path, sizeof path, "%s/%s", folder, file) >= (int)sizeof path)
        return false;
    if (is_this_library(path))
        return false;
    opened = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return opened != NULL;
}

/* Where the loader looks for libraries of the program: LD_LIBRARY_PATH, its own list, the system's
 * folders. */
static bool open_on_search_path(const char *file)
{
    void *program = dlopen(NULL, RTLD_NOW);
    Dl_serinfo size, *list = NULL;
    bool ok = false;
    if (program && dlinfo(program, RTLD_DI_SERINFOSIZE, &size) == 0)
        list = malloc(size.dls_size);
    if (list) {
        dlinfo(program, RTLD_DI_SERINFOSIZE, list);
        if (dlinfo(program, RTLD_DI_SERINFO, list) == 0) {
            for (u32 i = 0; i < list->dls_cnt && !ok; i++)
                ok = open_in(list->dls_serpath[i].dls_name, file);
        }
    }
    free(list);
    if (program)
        dlclose(program);
    return ok;
}

/* What ldconfig knows: "\tlibnvrtc.so.13 (libc6,x86-64) => /usr/lib/libnvrtc.so.13". */
static bool open_by_cache(const char *file)
{
    char line[PATH_MAX + 256];
    bool ok = false;
    FILE *list = popen("/sbin/ldconfig -p 2>/dev/null", "r");
    while (list && fgets(line, sizeof line, list)) {
        char *name = line + strspn(line, " \t"), *path = strstr(line, "=> ");
        size_t n = strlen(file);
        if (ok || !path || strncmp(name, file, n) != 0 || name[n] != ' ')
            continue; /* to the end: a pipe that is closed early is a signal for its writer */
        path += 3;
        path[strcspn(path, "\n")] = '\0';
        if (is_this_library(path))
            continue;
        opened = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        ok = opened != NULL;
    }
    if (list)
        pclose(list);
    return ok;
}

static bool open_in_toolkit(const char *file)
{
    static const char *const variables[] = {"CUDA_HOME", "CUDA_PATH"};
    for (u32 i = 0; i < ARRAY_LEN(variables); i++) {
        char folder[PATH_MAX];
        const char *home = getenv(variables[i]);
        snprintf(folder, sizeof folder, "%s/lib64", home ? home : "");
        if (home && open_in(folder, file))
            return true;
    }
    return open_in("/usr/local/cuda/lib64", file);
}

static void *library(const char *file)
{
    pthread_mutex_lock(&lock);
    if (!was_sought) {
        was_sought = true;
        if (!open_on_search_path(file) && !open_by_cache(file) && !open_in_toolkit(file))
            console_say("the program needs NVIDIA's %s, which was not found: add its folder to "
                        "LD_LIBRARY_PATH",
                        file);
    }
    pthread_mutex_unlock(&lock);
    return opened;
}

void *behind_call(const char *file, const char *name)
{
    void *handle = library(file);
    return handle ? dlsym(handle, name) : NULL;
}
