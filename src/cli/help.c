/* Help, man page and command reference, all from the command table. */
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
    text_printf(
        out,
        ".SH ENVIRONMENT\n.TP\n.B HEDDLE_CHIPS\nFolder of chip files that is searched "
        "first.\n.TP\n.B HEDDLE_THREADS\nNumber of simulation threads, like --threads; also read "
        "by CUDA programs that load heddle's library themselves.\n.TP\n.B HEDDLE_WORKLOADS\nFolder "
        "of the GPU programs and their PTX, instead of the installed one.\n");
}
