/* Shell completions from the command table. Names come from `heddle list WHAT --names`, so that
 * they are those of the program that is completed, its chips and its plugins. */
#include "cli/command.h"

#include <string.h>

static bool is_list_of_words(const char *completes)
{
    return completes[0] == '=';
}

/* "run report diff ..." */
static void command_names(struct text *out)
{
    for (const struct command *const *c = commands; *c; c++)
        text_printf(out, "%s%s", c == commands ? "" : " ", (*c)->name);
}

/* What the first argument may be, as kinds with a word each. */
static void first_kinds(struct text *out, const struct command *c)
{
    if (c->words) {
        text_printf(out, " '=");
        for (const char *const *w = c->words; *w; w++)
            text_printf(out, "%s%s", w == c->words ? "" : " ", *w);
        text_printf(out, "'");
    }
    if (c->completes && strcmp(c->completes, "commands") == 0) {
        text_printf(out, " '=");
        command_names(out);
        text_printf(out, "'");
    } else if (c->completes) {
        text_printf(out, " '%s'", c->completes);
    }
}

/* ---- bash ------------------------------------------------------------------------------------ */

/* Bash breaks words at '=', and replaces only what stands behind the last one. */
static const char bash_head[] =
    "# bash completion for heddle\n"
    "_heddle_offer() {\n"
    "  local kind names suffix=\n"
    "  for kind; do\n"
    "    case $kind in\n"
    "    =*) names=${kind#=} ;;\n"
    "    file) names=\n"
    "      compopt -o filenames 2>/dev/null\n"
    "      mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- \"$cur\") ;;\n"
    "    *) names=$(\"${COMP_WORDS[0]}\" list \"$kind\" --names 2>/dev/null) ;;\n"
    "    esac\n"
    "    [[ $kind != params ]] || { suffix==; compopt -o nospace 2>/dev/null; }\n"
    "    mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -S \"$suffix\" -W \"$names\" -- "
    "\"$cur\")\n"
    "  done\n"
    "}\n"
    "_heddle() {\n"
    "  local cur prev word words=() seen=0 skip= options= takes= first=() next=()\n"
    "  for word in \"${COMP_WORDS[@]:0:COMP_CWORD+1}\"; do\n"
    "    if [[ ${#words[@]} -gt 1 && ( $word == =* || ${words[-1]} == *= ) ]]; then\n"
    "      words[-1]+=$word\n"
    "    else\n"
    "      words+=(\"$word\")\n"
    "    fi\n"
    "  done\n"
    "  cur=${words[-1]} prev=${words[-2]} COMPREPLY=()\n"
    "  if [[ $cur == --*=* ]]; then prev=${cur%%=*} cur=${cur#*=}; fi\n";

static const char bash_tail[] =
    "  esac\n"
    "  if [[ ${#words[@]} -eq 2 ]]; then\n"
    "    _heddle_offer \"$commands\"\n"
    "    return\n"
    "  fi\n"
    "  for word in \"${words[@]:2:${#words[@]}-3}\"; do\n"
    "    if [[ $skip ]]; then skip=\n"
    "    elif [[ $word == -- ]]; then _heddle_offer file; return\n"
    "    elif [[ \" $takes \" == *\" $word \"* ]]; then skip=1\n"
    "    elif [[ $word != -* ]]; then seen=$((seen + 1)); fi\n"
    "  done\n"
    "  if [[ \" $takes \" == *\" $prev \"* ]]; then _heddle_offer \"${value[@]}\"\n"
    "  elif [[ $cur == -* ]]; then _heddle_offer \"=$options\"\n"
    "  elif [[ $seen -eq 0 ]]; then _heddle_offer \"${first[@]}\"\n"
    "  else _heddle_offer \"${next[@]}\"; fi\n"
    "  [[ $cur != *=* || $COMP_WORDBREAKS != *=* ]] || "
    "COMPREPLY=(\"${COMPREPLY[@]#\"${cur%=*}=\"}\")\n"
    "}\n"
    "complete -F _heddle heddle\n";

static void bash_command(struct text *out, const struct command *c)
{
    text_printf(out, "  %s)\n    options='--help", c->name);
    for (const struct option_def *o = c->options; o && o->name; o++)
        text_printf(out, " --%s", o->name);
    text_printf(out, "'\n    takes='");
    for (const struct option_def *o = c->options; o && o->name; o++) {
        if (o->argument)
            text_printf(out, "--%s ", o->name);
        if (o->argument && o->letter)
            text_printf(out, "-%c ", o->letter);
    }
    text_printf(out, "'\n    first=(");
    first_kinds(out, c);
    text_printf(out, " )\n");
    if (c->completes_next)
        text_printf(out, "    next=('%s')\n", c->completes_next);
    text_printf(out, "    case $prev in\n");
    for (const struct option_def *o = c->options; o && o->name; o++) {
        if (!o->completes)
            continue;
        text_printf(out, "    --%s", o->name);
        if (o->letter)
            text_printf(out, "|-%c", o->letter);
        text_printf(out, ") value=('%s') ;;\n", o->completes);
    }
    text_printf(out, "    esac\n    ;;\n");
}

void help_bash(struct text *out)
{
    text_printf(out, "%s  local value=() commands='=", bash_head);
    command_names(out);
    text_printf(out, "'\n  case ${words[1]} in\n");
    for (const struct command *const *c = commands; *c; c++)
        bash_command(out, *c);
    text_printf(out, "%s", bash_tail);
}

/* ---- zsh ------------------------------------------------------------------------------------- */

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
    else if (is_list_of_words(completes))
        text_printf(out, ":(%s)", completes + 1);
    else if (strcmp(completes, "params") == 0)
        text_printf(out, ":{compadd -S = -- $(heddle list params --names 2>/dev/null)}");
    else
        text_printf(out, ":($(heddle list %s --names 2>/dev/null))", completes);
}

static void zsh_first(struct text *out, const struct command *c)
{
    if (!c->words && !c->completes)
        return;
    text_printf(out, " \\\n      '1:what");
    if (!c->words && strcmp(c->completes, "commands") != 0) {
        zsh_action(out, c->completes);
    } else {
        text_printf(out, ":(");
        for (const char *const *w = c->words; w && *w; w++)
            text_printf(out, "%s ", *w);
        if (c->completes && strcmp(c->completes, "commands") == 0)
            command_names(out);
        else if (c->completes)
            text_printf(out, "$(heddle list %s --names 2>/dev/null)", c->completes);
        text_printf(out, ")");
    }
    text_printf(out, "'");
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
        zsh_first(out, *c);
        if ((*c)->completes_next) {
            text_printf(out, " \\\n      '*:what");
            zsh_action(out, (*c)->completes_next);
            text_printf(out, "'");
        }
        text_printf(out, "\n    ;;\n");
    }
    text_printf(out, "  esac\n}\n_heddle \"$@\"\n");
}
