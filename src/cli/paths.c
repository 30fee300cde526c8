/*
 * Where chip files, studies and measurements are: beside the program, in the installed share
 * folder, or in the source tree when run from its build folder. For chips
 * $HEDDLE_CHIPS comes first, variants that a study keeps for itself (studies/NAME/chips) last.
 */
#include "base/arena.h"
#include "base/place.h"
#include "cli/command.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_FOLDERS (MOST_PLACES + 1)
#define MOST_STUDIES 64

const char *const *own_chip_folders(void)
{
    static char text[MOST_PLACES][PATH_MAX];
    static const char *folders[MOST_FOLDERS + 1];
    if (folders[0])
        return folders;
    u32 count = 0, found = place_find("chips", text);
    const char *own = getenv("HEDDLE_CHIPS");
    if (own && *own)
        folders[count++] = own;
    for (u32 i = 0; i < found; i++)
        folders[count++] = text[i];
    if (count == 0)
        folders[count++] = "chips";
    return folders;
}

const char *const *chip_folders(void)
{
    static const char *folders[MOST_FOLDERS + MOST_STUDIES + 1];
    static glob_t variants; /* kept: the folders are its strings */
    if (folders[0])
        return folders;
    u32 count = 0;
    for (const char *const *f = own_chip_folders(); *f; f++)
        folders[count++] = *f;
    char pattern[PATH_MAX + 16];
    snprintf(pattern, sizeof pattern, "%s/*/chips", studies_folder());
    if (glob(pattern, GLOB_ONLYDIR, NULL, &variants) == 0) {
        for (size_t i = 0; i < variants.gl_pathc && i < MOST_STUDIES; i++)
            folders[count++] = variants.gl_pathv[i];
    }
    return folders;
}

const char *studies_folder(void)
{
    static char text[MOST_PLACES][PATH_MAX];
    return text[0][0] || place_find("studies", text) ? text[0] : "studies";
}

const char *silicon_folder(void)
{
    static char text[MOST_PLACES][PATH_MAX];
    return text[0][0] || place_find("silicon", text) ? text[0] : "silicon";
}

const char *library_find(const char *name, const char *build_folder, struct arena *arena)
{
    const char *const folders[] = {build_folder, "../lib/heddle", "../lib/x86_64-linux-gnu/heddle"};
    const char *own = getenv("HEDDLE_LIBRARIES");
    char folder[PATH_MAX];
    if (own && *own)
        return arena_printf(arena, "%s/%s", own, name);
    place_own(folder);
    for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
        char path[PATH_MAX], joined[2 * PATH_MAX];
        snprintf(joined, sizeof joined, "%s/%s/%s", folder, folders[i], name);
        if (realpath(joined, path))
            return arena_strdup(arena, path);
    }
    return NULL;
}
