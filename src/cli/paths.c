/*
 * Where chip files, studies and measurements are: beside the program, in the installed share
 * folder, or in the source tree when run from its build folder. For chips
 * $HEDDLE_CHIPS comes first.
 */
#include "base/arena.h"
#include "cli/command.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_FOLDERS 4

/* The folder of the program itself; "": it cannot be told. */
static const char *own_folder(void)
{
    static char exe[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(exe, '/');
    if (slash)
        *slash = '\0';
    return exe;
}

/* Folders of that name that exist, into text; returns how many. */
static u32 beside_program(const char *name, char text[][PATH_MAX])
{
    static const char *const beside[] = {"../share/heddle", ".."};
    u32 count = 0;
    for (size_t i = 0; i < ARRAY_LEN(beside); i++) {
        char joined[2 * PATH_MAX];
        snprintf(joined, sizeof joined, "%s/%s/%s", own_folder(), beside[i], name);
        count += realpath(joined, text[count]) != NULL;
    }
    return count;
}

const char *const *chip_folders(void)
{
    static char text[MOST_FOLDERS][PATH_MAX];
    static const char *folders[MOST_FOLDERS + 1];
    if (folders[0])
        return folders;
    u32 count = 0, found = beside_program("chips", text);
    const char *own = getenv("HEDDLE_CHIPS");
    if (own && *own)
        folders[count++] = own;
    for (u32 i = 0; i < found; i++)
        folders[count++] = text[i];
    if (count == 0)
        folders[count++] = "chips";
    return folders;
}

const char *studies_folder(void)
{
    static char text[MOST_FOLDERS][PATH_MAX];
    return text[0][0] || beside_program("studies", text) ? text[0] : "studies";
}

const char *silicon_folder(void)
{
    static char text[MOST_FOLDERS][PATH_MAX];
    return text[0][0] || beside_program("silicon", text) ? text[0] : "silicon";
}

const char *library_find(const char *name, const char *build_folder, struct arena *arena)
{
    const char *const folders[] = {build_folder, "../lib/heddle", "../lib/x86_64-linux-gnu/heddle"};
    const char *own = getenv("HEDDLE_LIBRARIES");
    if (own && *own)
        return arena_printf(arena, "%s/%s", own, name);
    for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
        char path[PATH_MAX], joined[2 * PATH_MAX];
        snprintf(joined, sizeof joined, "%s/%s/%s", own_folder(), folders[i], name);
        if (realpath(joined, path))
            return arena_strdup(arena, path);
    }
    return NULL;
}
