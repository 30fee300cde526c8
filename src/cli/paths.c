/*
 * Where chip files are: $HEDDLE_CHIPS first, then beside the program: the
 * installed share folder, or the source tree when run from its build folder.
 */
#include "base/arena.h"
#include "cli/command.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_FOLDERS 4

const char *const *chip_folders(void)
{
    static char text[MOST_FOLDERS][PATH_MAX];
    static const char *folders[MOST_FOLDERS + 1];
    static const char *const beside[] = {"../share/heddle/chips", "../chips"};
    if (folders[0])
        return folders;
    u32 count = 0;
    const char *own = getenv("HEDDLE_CHIPS");
    if (own && *own)
        folders[count++] = own;
    char exe[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(exe, '/');
    if (slash)
        *slash = '\0';
    for (size_t i = 0; slash && i < ARRAY_LEN(beside); i++) {
        char joined[2 * PATH_MAX];
        strcpy(joined, exe);
        strcat(strcat(joined, "/"), beside[i]);
        if (realpath(joined, text[count])) {
            folders[count] = text[count];
            count++;
        }
    }
    if (count == 0)
        folders[count++] = "chips";
    return folders;
}
