/* Help, man page, command reference and shell completions, all from the command table. */
#include "base/version.h"
#include "cli/command.h"

#include <stdio.h>
#include <string.h>

static const char tagline[] = "a cycle-level simulator of throughput chips";

/* "-s, --set P=V" */
static void option_form(const struct option_def *o, char *out, size_t size)
{
    char letter[8] = "    ";
    if (o->letter)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    snprintf(out, size, "%s--%s%s%s", letter, o->name, o->argument ? " " : "",
             o->argument ? o->argument : "");
}

/* Text broken at blanks, each line behind `indent` spaces. */
static void wrap(struct text *out, const char *s, int indent, int width)
{
    int column = 0;
    while (*s) {
        size_t word = strcspn(s, " \n");
        if (column && column + 1 + (int)word > width - indent) {
            text_printf(out, "\n");
            column = 0;
        }
        text_printf(out, "%*s%.*s", column ? 1 : indent, "", (int)word, s);
        column += (int)word + (column ? 1 : 0);
        s += word;
        if (*s == '\n') {
            text_printf(out, "\n");
            column = 0;
        }
        if (*s)
            s++;
    }
    text_printf(out, "\n");
}

void help_overview(struct text *out)
{
    text_printf(out, "heddle %s: %s\n\nusage: heddle COMMAND [options]\n\n", HEDDLE_VERSION,
                tagline);
    for (const struct command *const *c = commands; *c; c++)
        text_printf(out, "  %-9s %s\n", (*c)->name, (*c)->summary);
    text_printf(out, "\n`heddle COMMAND --help` shows a command's options and examples.\n"
                     "Exit codes:");
    for (const struct exit_code *x = exit_codes; x->meaning; x++)
        text_printf(out, "%s %d %s", x->code ? ";" : "", x->code, x->meaning);
    text_printf(out, ".\n");
}

void help_command(const struct command *c, struct text *out)
{
    text_printf(out, "usage: heddle %s%s%s%s\n\n", c->name, c->options ? " [options]" : "",
                *c->arguments ? " " : "", c->arguments);
    wrap(out, c->description, 0, 80);
    if (c->options) {
        text_printf(out, "\noptions:\n");
        for (const struct option_def *o = c->options; o->name; o++) {
            char form[64];
            option_form(o, form, sizeof form);
            text_printf(out, "  %-26s %s\n", form, o->help);
        }
        text_printf(out, "  %-26s %s\n", "-h, --help", "show this help");
    }
    if (c->examples) {
        text_printf(out, "\nexamples:\n");
        for (const struct example *x = c->examples; x->line; x++)
            text_printf(out, "  %-52s %s\n", x->line, x->about);
    }
}

void help_markdown(struct text *out)
{
    text_printf(out, "# Commands\n\nWritten by `heddle help --format markdown`.\n");
    for (const struct command *const *c = commands; *c; c++) {
        text_printf(out, "\n## heddle %s\n\n%s.\n\n```\n", (*c)->name, (*c)->summary);
        help_command(*c, out);
        text_printf(out, "```\n");
    }
    text_printf(out, "\n## Exit codes\n\n| code | meaning |\n|---|---|\n");
    for (const struct exit_code *x = exit_codes; x->meaning; x++)
        text_printf(out, "| %d | %s |\n", x->code, x->meaning);
}

/* roff: a leading dot or quote and every backslash and dash need care. */
static void roff(struct text *out, const char *s)
{
    for (; *s; s++) {
        if (*s == '\\')
            text_printf(out, "\\e");
        else if (*s == '-')
            text_printf(out, "\\-");
        else if ((*s == '.' || *s == '\'') &&
                 (out->length == 0 || out->data[out->length - 1] == '\n'))
            text_printf(out, "\\&%c", *s);
        else
            text_append(out, s, 1);
    }
}

static void roff_line(struct text *out, const char *macro, const char *s)
{
    text_printf(out, "%s", macro);
    roff(out, s);
    text_printf(out, "\n");
}

static void man_command(struct text *out, const struct command *c)
{
    text_printf(out, ".SS heddle %s", c->name);
    if (c->options)
        text_printf(out, " [options]");
    if (*c->arguments) {
        text_printf(out, " ");
        roff(out, c->arguments);
    }
    text_printf(out, "\n");
    roff_line(out, "", c->description);
    for (const struct option_def *o = c->options; o && o->name; o++) {
        char form[64];
        option_form(o, form, sizeof form);
        text_printf(out, ".TP\n.B ");
        roff_line(out, "", form + strspn(form, " "));
        roff_line(out, "", o->help);
    }
    for (const struct example *x = c->examples; x && x->line; x++) {
        text_printf(out, ".PP\n.EX\n");
        roff_line(out, "", x->line);
        text_printf(out, ".EE\n");
        roff_line(out, "", x->about);
    }
}

void help_man(struct text *out)
{
    text_printf(out, ".TH HEDDLE 1 \"\" \"heddle %s\" \"User commands\"\n", HEDDLE_VERSION);
    text_printf(out, ".SH NAME\nheddle \\- ");
    roff_line(out, "", tagline);
    text_printf(out, ".SH SYNOPSIS\n.B heddle\nCOMMAND [options] [arguments]\n.SH COMMANDS\n");
    for (const struct command *const *c = commands; *c; c++)
        man_command(out, *c);
    text_printf(out, ".SH EXIT STATUS\n");
    for (const struct exit_code *x = exit_codes; x->meaning; x++) {
        text_printf(out, ".TP\n.B %d\n", x->code);
        roff_line(out, "", x->meaning);
    }
    text_printf(out, ".SH ENVIRONMENT\n.TP\n.B HEDDLE_CHIPS\nA folder of chip files that is "
                     "looked in first.\n.TP\n.B HEDDLE_WORKLOADS\nThe folder of GPU programs and "
                     "their PTX, instead of the one that came with heddle.\n");
}

static void bash_words(struct text *out, const char *completes)
{
    if (strcmp(completes, "file") == 0)
        text_printf(out, "COMPREPLY=($(compgen -f -- \"$cur\"))");
    else
        text_printf(out,
                    "COMPREPLY=($(compgen -W \"$(heddle list %s --names 2>/dev/null)\" -- "
                    "\"$cur\"))",
                    completes);
}

void help_bash(struct text *out)
{
    text_printf(out, "# bash completion for heddle\n_heddle() {\n"
                     "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
                     "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    COMPREPLY=($(compgen -W \"");
    for (const struct command *const *c = commands; *c; c++)
        text_printf(out, "%s%s", c == commands ? "" : " ", (*c)->name);
    text_printf(out, "\" -- \"$cur\"))\n    return\n  fi\n  case ${COMP_WORDS[1]} in\n");
    for (const struct command *const *c = commands; *c; c++) {
        text_printf(out, "  %s)\n    case $prev in\n", (*c)->name);
        for (const struct option_def *o = (*c)->options; o && o->name; o++) {
            if (!o->argument)
                continue;
            text_printf(out, "    --%s", o->name);
            if (o->letter)
                text_printf(out, "|-%c", o->letter);
            text_printf(out, ") ");
            if (o->completes)
                bash_words(out, o->completes);
            else
                text_printf(out, "COMPREPLY=()");
            text_printf(out, "; return ;;\n");
        }
        text_printf(out, "    esac\n    if [[ $cur == -* ]]; then\n"
                         "      COMPREPLY=($(compgen -W \"--help");
        for (const struct option_def *o = (*c)->options; o && o->name; o++)
            text_printf(out, " --%s", o->name);
        text_printf(out, "\" -- \"$cur\"))\n      return\n    fi\n");
        if ((*c)->words) {
            text_printf(out, "    COMPREPLY=($(compgen -W \"");
            for (const char *const *w = (*c)->words; *w; w++)
                text_printf(out, "%s%s", w == (*c)->words ? "" : " ", *w);
            text_printf(out, "\" -- \"$cur\"))\n");
        } else if ((*c)->completes) {
            text_printf(out, "    ");
            bash_words(out, (*c)->completes);
            text_printf(out, "\n");
        }
        text_printf(out, "    ;;\n");
    }
    text_printf(out, "  esac\n}\ncomplete -F _heddle heddle\n");
}

/* zsh's brackets and colons have a meaning of their own inside a specification. */
static void zsh_help(struct text *out, const char *s)
{
    for (; *s; s++) {
        if (strchr("[]:\\", *s))
            text_printf(out, "\\");
        if (*s == '\'')
            text_printf(out, "'\\''");
        else
            text_append(out, s, 1);
    }
}

static void zsh_action(struct text *out, const char *completes)
{
    if (!completes)
        text_printf(out, ": ");
    else if (strcmp(completes, "file") == 0)
        text_printf(out, ":_files");
    else
        text_printf(out, ":($(heddle list %s --names 2>/dev/null))", completes);
}

void help_zsh(struct text *out)
{
    text_printf(out, "#compdef heddle\n_heddle() {\n  if (( CURRENT == 2 )); then\n"
                     "    local -a commands=(\n");
    for (const struct command *const *c = commands; *c; c++) {
        text_printf(out, "      '%s:", (*c)->name);
        zsh_help(out, (*c)->summary);
        text_printf(out, "'\n");
    }
    text_printf(out, "    )\n    _describe command commands\n    return\n  fi\n"
                     "  local name=$words[2]\n  shift words\n  (( CURRENT-- ))\n"
                     "  case $name in\n");
    for (const struct command *const *c = commands; *c; c++) {
        text_printf(out, "  %s)\n    _arguments '--help[show this help]'", (*c)->name);
        for (const struct option_def *o = (*c)->options; o && o->name; o++) {
            text_printf(out, " \\\n      '*--%s%s[", o->name, o->argument ? "=" : "");
            zsh_help(out, o->help);
            text_printf(out, "]");
            if (o->argument) {
                text_printf(out, ":%s", o->argument);
                zsh_action(out, o->completes);
            }
            text_printf(out, "'");
        }
        if ((*c)->words) {
            text_printf(out, " \\\n      '1:what:(");
            for (const char *const *w = (*c)->words; *w; w++)
                text_printf(out, "%s%s", w == (*c)->words ? "" : " ", *w);
            text_printf(out, ")'");
        } else if ((*c)->completes) {
            text_printf(out, " \\\n      '1:%s", (*c)->completes);
            zsh_action(out, (*c)->completes);
            text_printf(out, "'");
        }
        text_printf(out, "\n    ;;\n");
    }
    text_printf(out, "  esac\n}\n_heddle \"$@\"\n");
}
