/*
 * A subcommand of `heddle` as data.
 *
 * The same rows give the parser, `--help`, the man page, docs/reference/commands.md and
 * the shell completions. One file per command, one line in commands.c.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "base/err.h"
#include "base/text.h"

struct cli;

struct option_def {
    char letter; /* 0: long form only */
    const char *name;
    const char *argument; /* NULL: a switch */
    const char *help;
    /* what completion offers: a `heddle list` word, "file", "=" and the words, or NULL */
    const char *completes;
};

struct example {
    const char *line, *about;
};

struct command {
    const char *name;
    const char *arguments; /* after the options, as in the usage line */
    const char *summary;   /* one line */
    const char *description;
    const struct option_def *options; /* ends with a NULL name; may be NULL */
    const struct example *examples;   /* ends with a NULL line; may be NULL */
    const char *const *words;         /* what completion offers as first argument, or NULL */
    const char *completes;            /* besides: as of an option, or "commands" */
    const char *completes_next;       /* for the arguments behind it */
    /* Returns false with err filled; the exit code is err's kind. */
    bool (*run)(struct cli *cli, struct err *err);
};

extern const struct command *const commands[]; /* ends with NULL */
const struct command *command_find(const char *name);

/* One occurrence of an option on the command line. */
struct option_use {
    const struct option_def *def;
    const char *value;
};

/* A parsed command line. */
struct cli {
    const struct command *command;
    struct option_use *options;
    u32 option_count;
    const char *const *arguments; /* ends with NULL */
    u32 argument_count;
    u32 program; /* index of the first argument behind "--", or argument_count */
};

bool cli_parse(struct cli *cli, const struct command *command, int argc, char **argv,
               struct err *err);
void cli_fini(struct cli *cli);

bool cli_has(const struct cli *cli, const char *option);
/* The last value given, or NULL. */
const char *cli_value(const struct cli *cli, const char *option);
/* A whole number; the default when the option is absent. */
bool cli_number(const struct cli *cli, const char *option, u64 lo, u64 hi, u64 initial, u64 *out,
                struct err *err);

/* cli/help.c */
void help_overview(struct text *out);
void help_command(const struct command *c, struct text *out);
void help_man(struct text *out);
void help_markdown(struct text *out);
/* cli/completion.c */
void help_bash(struct text *out);
void help_zsh(struct text *out);

/* Rows of the exit-code table, in the man page and the docs. */
struct exit_code {
    int code;
    const char *meaning;
};
extern const struct exit_code exit_codes[]; /* ends with a NULL meaning */

/* cli/paths.c: folders of chip files, ends with NULL; valid for the process. */
const char *const *chip_folders(void);
/* The same without the variants that studies keep for themselves. */
const char *const *own_chip_folders(void);
const char *studies_folder(void);
const char *silicon_folder(void); /* of measured GPUs, each a folder in it */
struct arena;
/* A library of heddle's own: in $HEDDLE_LIBRARIES, in a folder of the build, or where it is
 * installed. NULL: it is nowhere. */
const char *library_find(const char *name, const char *build_folder, struct arena *arena);

#endif
