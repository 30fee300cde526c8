/* heddle: finds the command, runs it, prints its failure, returns its exit code. */
#include "base/err_report.h"
#include "base/version.h"
#include "cli/command.h"
#include "policy/registry.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static int finish(struct err *err)
{
    if (err->kind == ERR_NONE)
        return 0;
    err_report(err);
    return (int)err->kind;
}

static void print(void (*write)(struct text *))
{
    struct text t = {0};
    write(&t);
    fputs(t.data, stdout);
    text_fini(&t);
}

static bool unknown_command(const char *name, struct err *err)
{
    const char *names[32];
    u32 count = 0;
    for (const struct command *const *c = commands; *c && count < ARRAY_LEN(names); c++)
        names[count++] = (*c)->name;
    return err_unknown(err, (struct src_pos){0}, "command", name, names, count, "heddle help");
}

/* A descriptor that is closed would be given to the next file that is opened, and what is printed
 * would go into it. Writing to these fails instead. */
static void fill_descriptors(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_RDONLY : O_WRONLY) < 0)
            return;
    }
}

/* What was printed has arrived. */
static void check_output(struct err *err)
{
    bool bad = ferror(stdout) != 0;
    if (bad) { /* why, is lost: what cannot be written now says it again */
        clearerr(stdout);
        putchar('\n');
    }
    errno = 0;
    bad |= fflush(stdout) != 0;
    if (bad && err->kind == ERR_NONE)
        err_at(err, (struct src_pos){"standard output", 0, 0}, "cannot write: %s",
               strerror(errno ? errno : EIO));
}

int main(int argc, char **argv)
{
    struct err err = ERR_INIT;
    fill_descriptors();
    signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is a failed write, also in programs */
    const char *name = argc > 1 ? argv[1] : "help";
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        name = "version";
    const struct command *command = command_find(name);
    if (!command) {
        unknown_command(name, &err);
        return finish(&err);
    }
    if (!policy_load_plugins(&err))
        return finish(&err);
    struct cli cli;
    int skip = argc > 1 ? 1 : 0;
    if (cli_parse(&cli, command, argc - skip, argv + skip, &err)) {
        if (cli_has(&cli, "help") && command != command_find("help")) {
            struct text t = {0};
            help_command(command, &t);
            fputs(t.data, stdout);
            text_fini(&t);
        } else if (cli_has(&cli, "help")) {
            print(help_overview);
        } else {
            command->run(&cli, &err);
        }
    }
    cli_fini(&cli);
    check_output(&err);
    return finish(&err);
}
