#include "cli/command.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    void (*write)(struct text *);
} formats[] = {
    {"text", help_overview}, {"man", help_man}, {"markdown", help_markdown},
    {"bash", help_bash},     {"zsh", help_zsh},
};

static bool run_help(struct cli *cli, struct err *err)
{
    struct text t = {0};
    const char *format = cli_value(cli, "format");
    const char *names[ARRAY_LEN(formats)];
    bool ok = true;
    if (cli->argument_count) {
        const struct command *c = command_find(cli->arguments[0]);
        const char *all[32];
        u32 count = 0;
        for (const struct command *const *k = commands; *k && count < ARRAY_LEN(all); k++)
            all[count++] = (*k)->name;
        if (c)
            help_command(c, &t);
        else
            ok = err_unknown(err, (struct src_pos){0}, "command", cli->arguments[0], all, count,
                             "heddle help");
    } else {
        void (*write)(struct text *) = format ? NULL : help_overview;
        for (size_t i = 0; i < ARRAY_LEN(formats); i++) {
            names[i] = formats[i].name;
            if (format && strcmp(format, formats[i].name) == 0)
                write = formats[i].write;
        }
        if (write)
            write(&t);
        else
            ok = err_unknown(err, (struct src_pos){0}, "format", format, names, ARRAY_LEN(formats),
                             NULL);
    }
    if (ok)
        fputs(t.data, stdout);
    text_fini(&t);
    return ok;
}

static const struct option_def options[] = {
    {'f', "format", "FORM", "text, man, markdown, bash or zsh (the last two: completions)",
     "=text man markdown bash zsh"},
    {0},
};

const struct command command_help = {
    .name = "help",
    .arguments = "[COMMAND]",
    .summary = "help on a command",
    .description = "Shows all commands, or one command's options and examples. The man page, the "
                   "command reference and the shell completions come from the same table.",
    .options = options,
    .completes = "commands",
    .run = run_help,
};
