/* heddle trace suite: builds the stand-ins of workloads/cpu, makes their inputs and records them.
 */
#include "base/units.h"
#include "base/arena.h"
#include "base/file.h"
#include "run/run.h"
#include "cli/trace.h"
#include "cli/sweep_progress.h"
#include "cpu_trace/suite.h"
#include "cpu_trace/record/record.h"
#include "cpu_trace/format/reader.h"
#include "campaign/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Two rounds of the longest policy period that studies use take 34 million cycles. */
#define INSTRUCTIONS 100000000u
#define MOST_WORDS 32u

/* Only this of the environment reaches a program: the same hash for everyone. */
static const char *const guest_environment[] = {"LC_ALL=C", "HOME=/", "PERL_HASH_SEED=0", NULL};

/* Of an OpenMP program, whose threads are asked for. */
#define THREADS_VARIABLE "OMP_NUM_THREADS="
#define HPC_ENVIRONMENT 5u

/* A program with libraries finds them without the table of those that are installed here: its
 * length moves everything that is mapped after it, and its contents are instructions of the loader.
 */
#define ROOT "root"
#define NO_LOADER_CACHE ROOT "/etc/ld.so.cache"

struct recording {
    const struct suite *suite;
    const char *plugin;
    u64 instructions;
    u32 threads; /* of OpenMP programs */
    bool is_quiet;
    u32 done, count; /* programs */
    u32 recorded;    /* of them now, in seconds */
    double seconds;
};

/* ---- tools ---- */

/* Words of a command, ends with NULL. */
static bool split_words(const char *command, const char *words[MOST_WORDS + 1], struct arena *arena,
                        struct err *err)
{
    u32 count = 0;
    char *save = NULL, *text = arena_strdup(arena, command);
    for (char *w = strtok_r(text, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
        if (count == MOST_WORDS)
            return err_at(err, (struct src_pos){0}, "`%s` has more than %u words", command,
                          MOST_WORDS);
        words[count++] = w;
    }
    words[count] = NULL;
    if (!count)
        err_at(err, (struct src_pos){0}, "a command is empty");
    return count > 0;
}

/* Runs a program to its end, with its output and its messages in files (NULL: ours). */
static bool run_tool(const char *const *words, const char *output, const char *messages,
                     struct err *err)
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        int fd = output ? open(output, O_WRONLY | O_CREAT | O_TRUNC, 0666) : 1;
        int said = messages ? open(messages, O_WRONLY | O_CREAT | O_TRUNC, 0666) : 2;
        if (fd < 0 || dup2(fd, 1) < 0 || said < 0 || dup2(said, 2) < 0)
            _exit(126);
        execvp(words[0], (char *const *)(uintptr_t)words);
        _exit(127);
    }
    if (child < 0)
        return err_kind(err, ERR_INTERNAL, "%s could not be started: %s", words[0],
                        strerror(errno));
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (*trace_stop())
        return err_kind(err, ERR_INTERRUPTED, "interrupted; run the same command to continue");
    if (WIFEXITED(status) && WEXITSTATUS(status) == 126)
        return err_at(err, (struct src_pos){output, 0, 0}, "cannot write the file");
    return (WIFEXITED(status) && WEXITSTATUS(status) == 0) ||
           err_at(err, (struct src_pos){0}, "`%s` failed (messages: %s); is the disk full?",
                  words[0], messages ? messages : "above");
}

static bool need_tool(const char *tool, const char *what, const char *package, struct err *err)
{
    struct arena arena = {0};
    bool ok = program_find(tool, &arena) ||
              err_at(err, (struct src_pos){0}, "%s is not installed; it %s (Debian 12: package %s)",
                     tool, what, package);
    arena_fini(&arena);
    return ok;
}

static bool is_newer(const char *path, const char *than)
{
    struct stat a, b;
    return stat(path, &a) == 0 && stat(than, &b) == 0 && a.st_mtime > b.st_mtime;
}

/* A kernel's program, static, so that no library's place or version is a part of it. An OpenMP
 * program's source is in a folder of its own, and may need libraries. */
static bool build_kernel(const struct recording *r, const char *kernel,
                         const struct suite_program *p, struct arena *arena, struct err *err)
{
    bool is_hpc = p && p->group == SUITE_HPC;
    const char *program = arena_printf(arena, "%s.new", kernel);
    const char *folder =
        is_hpc ? arena_printf(arena, "%s/hpc", r->suite->folder) : r->suite->folder;
    const char *source = arena_printf(arena, "%s/%s.c", folder, kernel);
    const char *common = arena_printf(arena, "%s/%s.h", folder, is_hpc ? "hpc" : "common");
    const char *library = arena_printf(arena, "%s/%s.h", folder, is_hpc ? "library" : "common");
    const char *words[MOST_WORDS + 16] = {"gcc",      "-O2",     "-std=gnu11", "-Wall", "-static",
                                          "-fno-pie", "-no-pie", "-o",         program, source};
    const char *libraries[MOST_WORDS + 1] = {NULL};
    u32 count = 10;
    /* the linker warns of dlopen in libgomp, which a static program does not call */
    const char *messages = is_hpc ? arena_printf(arena, "%s.messages", kernel) : NULL;
    if (is_newer(kernel, source) && is_newer(kernel, common) && is_newer(kernel, library))
        return true;
    if (is_hpc && p->libraries[0] && !split_words(p->libraries, libraries, arena, err))
        return false;
    for (u32 i = 0; libraries[i]; i++)
        words[count++] = libraries[i];
    words[count++] = "-lm";
    if (is_hpc)
        words[count++] = "-fopenmp";
    if (!need_tool("gcc", "builds the suite's kernels", "gcc and libc6-dev", err) ||
        !run_tool(words, NULL, messages, err))
        return false;
    return rename(program, kernel) == 0 || err_at(err, (struct src_pos){kernel, 0, 0},
                                                  "cannot write the program: %s", strerror(errno));
}

/* `./mcf` of `./mcf 100 200` is there. */
static bool build_first_word(const struct recording *r, const char *word,
                             const struct suite_program *p, struct arena *arena, struct err *err)
{
    return strncmp(word, "./", 2) != 0 || build_kernel(r, word + 2, p, arena, err);
}

/* NAME.input, by a program of ours. */
static bool make_input(const struct recording *r, const struct suite_program *p,
                       struct arena *arena, struct err *err)
{
    const char *words[MOST_WORDS + 1], *file = arena_printf(arena, "%s.input", p->name);
    const char *made = arena_printf(arena, "%s.new", file);
    if (!split_words(p->input, words, arena, err) ||
        !build_first_word(r, words[0], NULL, arena, err))
        return false;
    if (is_newer(file, words[0]))
        return true;
    if (!run_tool(words, made, NULL, err))
        return false;
    return rename(made, file) == 0 ||
           err_at(err, (struct src_pos){file, 0, 0}, "cannot write the file: %s", strerror(errno));
}

/* ---- what a trace is made from ---- */

static bool recipe_of(const struct recording *r, const struct suite_program *p, const char *program,
                      char out[SHA256_HEX + 1], struct arena *arena, struct err *err)
{
    char hash[SHA256_HEX + 1], input[SHA256_HEX + 1] = "";
    if (!sha256_file(program, hash, err) ||
        (p->input[0] && !sha256_file(arena_printf(arena, "%s.input", p->name), input, err)))
        return false;
    const char *text =
        arena_printf(arena, "%u %s %s %s %llu %llu%s", CPU_TRACE_VERSION, p->command, hash, input,
                     (unsigned long long)p->skip,
                     (unsigned long long)(p->group == SUITE_HPC ? r->threads : r->instructions),
                     suite_is_kernel(p) ? "" : " " NO_LOADER_CACHE);
    struct sha256 h;
    sha256_init(&h);
    sha256_add(&h, text, strlen(text));
    sha256_end(&h, out);
    return true;
}

static bool hash_trace(const char *path, char out[SHA256_HEX + 1], struct err *err)
{
    struct cpu_trace t = {.file.file = -1};
    u64 begin, end;
    bool ok = cpu_trace_open(&t, path, err);
    if (ok) {
        container_extent(&t.file, &begin, &end);
        ok = sha256_file_part(path, begin, end, out, err);
    }
    cpu_trace_close(&t);
    return ok;
}

/* ---- recording ---- */

/* What an OpenMP program sees: so many threads, which sleep while they wait. */
static const char *const *hpc_environment(u32 threads, const char **to, struct arena *arena)
{
    u32 count = 0;
    to[count++] = "LC_ALL=C";
    to[count++] = "OMP_WAIT_POLICY=passive";
    to[count++] = "OMP_DYNAMIC=false";
    to[count++] = arena_printf(arena, THREADS_VARIABLE "%u", threads);
    to[count] = NULL;
    return to;
}

/* An OpenMP program is recorded whole, and checks its own answer. */
static bool check_hpc(const struct suite_program *p, const struct cpu_record_result *result,
                      struct err *err)
{
    return (result->whole && result->exit_status == 0) ||
           err_kind(err, ERR_VERIFY, "%s ended with status %d: its answer is wrong", p->name,
                    result->exit_status);
}

static bool record_words(const struct recording *r, const struct suite_program *p,
                         const char *const *words, const char *program, const char *path,
                         u64 *instructions, struct err *err)
{
    char hash[SHA256_HEX + 1];
    bool is_hpc = p->group == SUITE_HPC;
    struct arena arena = {0};
    const char *environment[HPC_ENVIRONMENT];
    struct cpu_record_result result;
    struct cpu_record_request q = {
        .guest = {.arguments = words,
                  .plugin = r->plugin,
                  .skip = p->skip,
                  .environment =
                      is_hpc ? hpc_environment(r->threads, environment, &arena) : guest_environment,
                  .root = suite_is_kernel(p) ? NULL : ROOT,
                  .is_silent = true,
                  .stop = trace_stop()},
        .path = path,
        .sha256 = hash,
        .length = is_hpc ? 0 : r->instructions,
    };
    bool ok = sha256_file(program, hash, err) && cpu_record(&q, &result, err);
    arena_fini(&arena);
    if (!ok)
        return false;
    *instructions = result.instructions;
    if (is_hpc)
        return check_hpc(p, &result, err);
    return !result.whole ||
           err_at(err, (struct src_pos){0},
                  "%s ended after %llu instructions of its window, expected %llu: its input is too "
                  "small",
                  p->name, (unsigned long long)result.instructions,
                  (unsigned long long)r->instructions);
}

/* With another number of threads than the usual it is another trace. */
const char *suite_trace_name(const struct suite_program *p, u32 threads, struct arena *arena)
{
    return p->group == SUITE_HPC ? suite_with_threads(p->name, threads, arena) : p->name;
}

static void say_done(const struct recording *r, const char *name, const struct suite_trace *t,
                     bool is_new)
{
    char left[32];
    struct stat s;
    if (r->is_quiet)
        return;
    printf("%-11s %.12s  %llu M instructions, %.1f MB%s; %u of %u", name, t->contents,
           (unsigned long long)t->instructions / 1000000,
           stat(t->path, &s) == 0 ? (double)s.st_size / 1e6 : 0, is_new ? "" : ", there already",
           r->done, r->count);
    if (r->recorded && r->done < r->count) {
        duration_text(r->seconds / r->recorded * (r->count - r->done), left, sizeof left);
        printf(", about %s left", left);
    }
    printf("\n");
    fflush(stdout);
}

/* The trace gets the name of its hash; one that it replaces goes. */
static bool keep_trace(const struct recording *r, const char *name, const char *made,
                       struct suite_trace *t, struct arena *arena, struct err *err)
{
    struct suite_trace old;
    char hash[SHA256_HEX + 1];
    bool had = suite_trace_read(r->suite, name, &old, arena);
    if (!hash_trace(made, hash, err))
        return false;
    t->contents = arena_strdup(arena, hash);
    t->path = arena_printf(arena, "%s/%s-%.16s.hct", r->suite->cache, name, hash);
    if (rename(made, t->path) != 0)
        return err_at(err, (struct src_pos){t->path, 0, 0}, "cannot write the trace: %s",
                      strerror(errno));
    if (had && strcmp(old.path, t->path) != 0)
        unlink(old.path);
    return suite_trace_write(r->suite, name, t, arena, err);
}

static bool record_program(struct recording *r, const struct suite_program *p, struct arena *arena,
                           struct err *err)
{
    const char *words[MOST_WORDS + 1];
    char recipe[SHA256_HEX + 1];
    struct suite_trace t;
    double start = host_now();
    if (!split_words(p->command, words, arena, err) ||
        !build_first_word(r, words[0], p, arena, err) ||
        (p->input[0] && !make_input(r, p, arena, err)))
        return false;
    if (!suite_is_kernel(p) &&
        !need_tool(words[0], arena_printf(arena, "stands for %s", p->name), p->package, err))
        return false;
    const char *program = program_find(words[0], arena);
    if (!recipe_of(r, p, program, recipe, arena, err))
        return false;
    const char *name = suite_trace_name(p, r->threads, arena);
    bool is_new = !suite_trace_read(r->suite, name, &t, arena) || strcmp(t.recipe, recipe) != 0;
    if (is_new) {
        const char *made = arena_printf(arena, "%s.hct", name);
        t = (struct suite_trace){.recipe = recipe};
        if (!record_words(r, p, words, program, made, &t.instructions, err) ||
            !keep_trace(r, name, made, &t, arena, err))
            return false;
        r->recorded++;
        r->seconds += host_now() - start;
    }
    r->done++;
    say_done(r, name, &t, is_new);
    return true;
}

/* ---- the command ---- */

static const char *const group_names[] = {[SUITE_SPEC] = "spec", [SUITE_HPC] = "hpc", NULL};

static bool chosen_group(const struct cli *cli, enum suite_group *out, struct err *err)
{
    const char *name = cli_value(cli, "group");
    for (u32 g = SUITE_SPEC; g <= SUITE_HPC; g++) {
        *out = (enum suite_group)g;
        if (strcmp(name ? name : group_names[SUITE_SPEC], group_names[g]) == 0)
            return true;
    }
    return err_unknown(err, (struct src_pos){"--group", 0, 0}, "group", name, group_names, 2, NULL);
}

static void list_programs(const struct suite *s, enum suite_group group, struct arena *arena)
{
    printf("%-16s %-15s %-20s %-12s %s\n", "program", "class", "stand-in", "trace", "in a mix");
    for (u32 i = 0; i < s->count; i++) {
        const struct suite_program *p = &s->programs[i];
        if (p->group != group)
            continue;
        struct suite_trace t = {.contents = "-"};
        struct err refused = ERR_INIT;
        bool has = suite_trace_read(s, p->name, &t, arena);
        bool ok = has && suite_check_accepted(arena_printf(arena, SUITE_PREFIX "%s", p->name),
                                              (struct src_pos){0}, arena, &refused);
        printf("%-16s %-15s %-20s %-12.12s %s\n", p->name, p->class, p->stand_in, t.contents,
               ok    ? "accepted"
               : has ? "not accepted"
                     : "");
    }
}

bool suite_threads(const struct cli *cli, u32 *threads, struct err *err)
{
    u64 n;
    if (!cli_number(cli, "threads", 1, 64, SUITE_HPC_THREADS, &n, err))
        return false;
    *threads = (u32)n;
    return true;
}

const struct suite_program **suite_chosen(const struct cli *cli, const struct suite *s, u32 *count,
                                          struct arena *arena, struct err *err)
{
    const struct suite_program **chosen =
        ARENA_ARRAY(arena, const struct suite_program *, s->count + cli->argument_count);
    enum suite_group group;
    *count = 0;
    if (!chosen_group(cli, &group, err))
        return NULL;
    bool is_all = cli_has(cli, "all") || (cli_has(cli, "group") && cli->argument_count < 2);
    for (u32 i = 0; is_all && i < s->count; i++) {
        if (s->programs[i].group == group)
            chosen[(*count)++] = &s->programs[i];
    }
    for (u32 i = 1; !is_all && i < cli->argument_count; i++) {
        if (!(chosen[(*count)++] = suite_find(s, cli->arguments[i], err)))
            return NULL;
    }
    if (*count)
        return chosen;
    err_at(
        err, (struct src_pos){0},
        "no program is given, expected names, --all or --list, such as `heddle trace suite mcf`");
    return NULL;
}

static bool link_source(const char *folder)
{
    char target[PATH_MAX];
    ssize_t n = readlink("source", target, sizeof target - 1);
    target[n > 0 ? n : 0] = '\0';
    if (strcmp(target, folder) == 0)
        return true;
    unlink("source");
    return symlink(folder, "source") == 0;
}

/* An empty file in its place. */
static bool hide_loader_cache(void)
{
    int fd = open(NO_LOADER_CACHE, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    return fd >= 0 && close(fd) == 0;
}

/* Everything that is run has its files in one folder, `source` for those of ours, and no path of
 * this machine in its arguments. */
static bool go_to_work(const struct suite *s, struct arena *arena, struct err *err)
{
    const char *work = arena_printf(arena, "%s/work", s->cache);
    if (!folder_make(work, err))
        return false;
    if (chdir(work) == 0 && link_source(s->folder) && folder_make(ROOT "/etc", err) &&
        hide_loader_cache())
        return true;
    return err_at(err, (struct src_pos){work, 0, 0}, "cannot use the folder: %s", strerror(errno));
}

static bool record_all(const struct cli *cli, const struct suite *s, struct arena *arena,
                       struct err *err)
{
    struct recording r = {.suite = s, .is_quiet = cli_has(cli, "quiet")};
    const struct suite_program **chosen = suite_chosen(cli, s, &r.count, arena, err);
    const char *plugin = chosen ? trace_plugin(arena, err) : NULL;
    if (!plugin ||
        !need_tool("qemu-x86_64", "runs a program while it is recorded", "qemu-user", err))
        return false;
    r.plugin = realpath(plugin, NULL);
    bool ok =
        suite_threads(cli, &r.threads, err) &&
        cli_number(cli, "instructions", 1000, (u64)1 << 40, INSTRUCTIONS, &r.instructions, err) &&
        go_to_work(s, arena, err);
    for (u32 i = 0; ok && i < r.count; i++) {
        struct arena one = {0};
        ok = record_program(&r, chosen[i], &one, err);
        arena_fini(&one);
    }
    free((char *)(uintptr_t)r.plugin);
    return ok;
}

bool trace_suite(struct cli *cli, struct err *err)
{
    struct arena arena = {0};
    struct suite s;
    enum suite_group group;
    bool ok = suite_read(&s, &arena, err) && chosen_group(cli, &group, err);
    if (ok && cli_has(cli, "list"))
        list_programs(&s, group, &arena);
    else if (ok && cli_has(cli, "accept"))
        ok = trace_accept(cli, &s, err);
    else
        ok = ok && record_all(cli, &s, &arena, err);
    arena_fini(&arena);
    return ok;
}
