#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
