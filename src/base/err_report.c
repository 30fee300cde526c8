#include "base/console.h"
#include "base/err_report.h"

#include "base/text.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SENTENCE_BYTES 2700 /* all parts of a struct err */

static void put(struct text *t, const char *name, const char *value)
{
    text_printf(t, ",\"%s\":\"", name);
    text_append_json(t, value);
    text_printf(t, "\"");
}

/* One write, so that lines of several processes stay whole. */
static void add_line(const struct err *err, const char *sentence)
{
    const char *path = getenv("HEDDLE_ERRORS");
    int fd = path && *path ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : -1;
    if (fd < 0)
        return;
    struct text t = {0};
    text_printf(&t, "{\"schema\":\"heddle.error/1\",\"process\":%d,\"exit_code\":%d", (int)getpid(),
                (int)err->kind);
    put(&t, "sentence", sentence);
    put(&t, "file", err->file);
    text_printf(&t, ",\"line\":%u,\"column\":%u", err->line, err->column);
    put(&t, "what", err->what);
    put(&t, "found", err->found);
    put(&t, "expected", err->expected);
    put(&t, "nearest", err->nearest);
    text_printf(&t, "}\n");
    if (write(fd, t.data, t.length) < 0) {
        /* the sentence is on stderr */
    }
    close(fd);
    text_fini(&t);
}

void err_report(const struct err *err)
{
    char sentence[SENTENCE_BYTES];
    err_text(err, sentence, sizeof sentence);
    console_say("%s", sentence);
    add_line(err, sentence);
}

void err_report_said(const char *sentence)
{
    struct err err = ERR_INIT;
    add_line(&err, sentence);
}
