#include "base/arena.h"
#include "base/units.h"
#include "cli/command.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_OPTIONS 64

/* Every command has it. */
static const struct option_def help_option = {'h', "help", NULL, "show this help", NULL};

static u32 option_count(const struct command *c)
{
    u32 n = 0;
    while (c->options && c->options[n].name)
        n++;
    return n;
}

static void add_use(struct cli *cli, const struct option_def *def, const char *value)
{
    cli->options = xrealloc(cli->options, (cli->option_count + 1) * sizeof *cli->options);
    cli->options[cli->option_count++] = (struct option_use){def, value};
}

static bool unknown_option(const struct command *c, const char *given, struct err *err)
{
    const char *names[MOST_OPTIONS + 1];
    u32 count = option_count(c);
    struct arena scratch = {0};
    for (u32 i = 0; i < count; i++)
        names[i] = arena_printf(&scratch, "--%s", c->options[i].name);
    names[count++] = "--help";
    const char *where = arena_printf(&scratch, "heddle %s --help", c->name);
    char shown[96];
    snprintf(shown, sizeof shown, "%.*s", (int)strcspn(given, "="), given);
    err_unknown(err, (struct src_pos){0}, "option", shown, names, count, where);
    arena_fini(&scratch);
    return false;
}

bool cli_parse(struct cli *cli, const struct command *command, int argc, char **argv,
               struct err *err)
{
    *cli = (struct cli){.command = command};
    struct option longs[MOST_OPTIONS + 2] = {{0}};
    char shorts[2 * MOST_OPTIONS + 8] = "+:h";
    u32 count = option_count(command);
    size_t used = strlen(shorts);
    for (u32 i = 0; i < count; i++) {
        const struct option_def *o = &command->options[i];
        longs[i] = (struct option){o->name, o->argument ? required_argument : no_argument, NULL,
                                   1000 + (int)i};
        if (o->letter) {
            shorts[used++] = o->letter;
            if (o->argument)
                shorts[used++] = ':';
        }
    }
    longs[count] = (struct option){"help", no_argument, NULL, 'h'};
    optind = 1;
    opterr = 0;
    for (;;) {
        int before = optind;
        int got = getopt_long(argc, argv, shorts, longs, NULL);
        if (got == -1) {
            /* Options may follow arguments; "--" ends them for good. */
            if (optind >= argc || strcmp(argv[optind - 1], "--") == 0)
                break;
            cli->arguments = xrealloc((void *)(uintptr_t)cli->arguments,
                                      (cli->argument_count + 2) * sizeof *cli->arguments);
            ((const char **)(uintptr_t)cli->arguments)[cli->argument_count++] = argv[optind++];
            continue;
        }
        if (got == 'h') {
            add_use(cli, &help_option, NULL);
            continue;
        }
        if (got == ':')
            return err_at(err, (struct src_pos){argv[before], 0, 0},
                          "the option needs a value, see `heddle %s --help`", command->name);
        const struct option_def *def = NULL;
        if (got >= 1000)
            def = &command->options[got - 1000];
        for (u32 i = 0; !def && got != '?' && i < count; i++) {
            if (command->options[i].letter == got)
                def = &command->options[i];
        }
        if (!def)
            return unknown_option(command, argv[before], err);
        if (def->argument && !*optarg)
            return err_at(err, (struct src_pos){0}, "--%s is empty, expected %s", def->name,
                          def->argument);
        add_use(cli, def, def->argument ? optarg : NULL);
    }
    cli->program = cli->argument_count;
    for (; optind < argc; optind++) {
        cli->arguments = xrealloc((void *)(uintptr_t)cli->arguments,
                                  (cli->argument_count + 2) * sizeof *cli->arguments);
        ((const char **)(uintptr_t)cli->arguments)[cli->argument_count++] = argv[optind];
    }
    if (!cli->arguments)
        cli->arguments = xrealloc(NULL, sizeof *cli->arguments);
    ((const char **)(uintptr_t)cli->arguments)[cli->argument_count] = NULL;
    return true;
}

void cli_fini(struct cli *cli)
{
    free(cli->options);
    free((void *)(uintptr_t)cli->arguments);
    *cli = (struct cli){0};
}

bool cli_has(const struct cli *cli, const char *option)
{
    for (u32 i = 0; i < cli->option_count; i++) {
        if (strcmp(cli->options[i].def->name, option) == 0)
            return true;
    }
    return false;
}

const char *cli_value(const struct cli *cli, const char *option)
{
    const char *value = NULL;
    for (u32 i = 0; i < cli->option_count; i++) {
        if (strcmp(cli->options[i].def->name, option) == 0)
            value = cli->options[i].value;
    }
    return value;
}

bool cli_number(const struct cli *cli, const char *option, u64 lo, u64 hi, u64 initial, u64 *out,
                struct err *err)
{
    const char *text = cli_value(cli, option);
    *out = initial;
    if (!text)
        return true;
    char name[64];
    snprintf(name, sizeof name, "--%s", option);
    u64 v;
    if (quantity_u64(text, "", &v) != QUANTITY_OK || v < lo || v > hi)
        return err_found(err, (struct src_pos){0}, name, text, "a whole number from %llu to %llu",
                         (unsigned long long)lo, (unsigned long long)hi);
    *out = v;
    return true;
}
