#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool file_write(const char *path, const struct text *text, struct err *err)
{
    struct text beside = {0};
    text_printf(&beside, "%s.new-%ld", path, (long)getpid());
    FILE *f = fopen(beside.data, "w");
    bool ok = f && (text->length == 0 || fwrite(text->data, 1, text->length, f) == text->length);
    if (f)
        ok = fclose(f) == 0 && ok;
    ok = ok && rename(beside.data, path) == 0;
    int why = errno;
    if (!ok && f)
        unlink(beside.data);
    text_fini(&beside);
    return ok ||
           err_at(err, (struct src_pos){path, 0, 0}, "cannot write the file: %s", strerror(why));
}

bool folder_make(const char *path, struct err *err)
{
    char part[4096];
    for (size_t i = 1; i <= strlen(path) && i < sizeof part; i++) {
        if (path[i] != '/' && path[i])
            continue;
        snprintf(part, sizeof part, "%.*s", (int)i, path);
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            return err_at(err, (struct src_pos){part, 0, 0}, "cannot make the folder: %s",
                          strerror(errno));
    }
    return true;
}
