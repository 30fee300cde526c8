#include "run/session_request.h"

#include "machine/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

bool session_is_wanted(void)
{
    return variable("HEDDLE_CHIP") != NULL;
}

/* The words of a list, NULL behind the last. */
static const char **split(struct arena *arena, const char *list, const char *separators, u32 *count)
{
    char *copy = arena_strdup(arena, list ? list : ""), *save;
    const char **words = ARENA_ARRAY(arena, const char *, strlen(copy) / 2 + 2);
    *count = 0;
    for (char *word = strtok_r(copy, separators, &save); word;
         word = strtok_r(NULL, separators, &save))
        words[(*count)++] = word;
    return words;
}

static bool number(const char *name, const char *option, u64 initial, u64 *out, struct err *err)
{
    const char *text = variable(name);
    char *end;
    *out = initial;
    if (!text)
        return true;
    *out = strtoull(text, &end, 10);
    return *end == '\0' || err_found(err, (struct src_pos){0}, option, text,
                                     "a whole number (it came in %s)", name);
}

/* What a child of the program writes lies beside what the program itself writes: x.json becomes
 * x.1234.json. */
static const char *beside(struct arena *arena, const char *path)
{
    if (!path)
        return NULL;
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    if (!dot || (slash && dot < slash))
        dot = path + strlen(path);
    return arena_printf(arena, "%.*s.%d%s", (int)(dot - path), path, (int)getpid(), dot);
}

/* Whatever this process starts is a child of it. */
static void own_children(void)
{
    char pid[16];
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    setenv("HEDDLE_OWNER", pid, 1);
}

void session_request_fork(struct session_request *r, struct arena *arena)
{
    r->is_child = true;
    r->stats = beside(arena, r->stats);
    r->record = beside(arena, r->record);
    r->run.timeline = beside(arena, r->run.timeline);
    own_children();
}

/* What else chooses launches, or needs all of them to be timed, does not go with it. */
static bool read_sampling(struct session_request *r, const char *launches, struct err *err)
{
    const char *other = launches               ? "--launches"
                        : r->record            ? "--record"
                        : r->run.warm.launches ? "--warm"
                        : r->resume            ? "--resume"
                                               : NULL;
    if (other)
        return err_at(err, (struct src_pos){"--sample", 0, 0},
                      "%s is given as well, expected one of them", other);
    if (!sample_read(&r->sampling, r->sample, err))
        return false;
    r->sampling.seed = r->run.seed;
    return true;
}

bool session_request_read(struct session_request *r, struct arena *arena, struct err *err)
{
    const char *chips = variable("HEDDLE_CHIPS"), *owner = variable("HEDDLE_OWNER");
    u32 folder_count, set_count;
    const char **folders = split(arena, chips ? chips : "chips", ":", &folder_count);
    const char **sets = split(arena, variable("HEDDLE_SET"), "\n", &set_count);
    *r = (struct session_request){
        .run = {.chip = {.chip = variable("HEDDLE_CHIP"),
                         .folders = folders,
                         .sets = sets,
                         .set_count = set_count,
                         .schemas = model_schemas},
                .is_cuda = true,
                .workload = variable("HEDDLE_WORKLOAD") ? variable("HEDDLE_WORKLOAD") : "program",
                .on = variable("HEDDLE_ON"),
                .engine = {.no_skip = variable("HEDDLE_NO_SKIP") != NULL},
                .timeline = variable("HEDDLE_TIMELINE")},
        .stats = variable("HEDDLE_STATS"),
        .record = variable("HEDDLE_RECORD"),
        .quiet = variable("HEDDLE_QUIET") != NULL,
        .is_untimed = variable("HEDDLE_UNTIMED") != NULL,
    };
    struct run_request *run = &r->run;
    run->series = split(arena, variable("HEDDLE_SERIES"), ",", &run->series_count);
    if (owner && strtol(owner, NULL, 10) != getpid())
        session_request_fork(r, arena);
    own_children();
    r->save = variable("HEDDLE_SAVE");
    r->resume = variable("HEDDLE_RESUME");
    if (r->is_untimed && !r->record && !r->save && !r->resume)
        return err_at(
            err, (struct src_pos){"environment", 0, 0},
            "HEDDLE_UNTIMED is set, expected HEDDLE_RECORD, HEDDLE_SAVE or HEDDLE_RESUME as well");
    if (!number("HEDDLE_SAVE_LAUNCH", "--save", 0, &r->save_launch, err))
        return false;
    const char *warm = variable("HEDDLE_WARM");
    if (warm && !warm_parse(&run->warm, warm, (struct src_pos){"--warm", 0, 0}, err))
        return false;
    const char *launches = variable("HEDDLE_LAUNCHES");
    if (launches && !launches_read(&r->launches, launches, arena, err))
        return false;
    r->sample = variable("HEDDLE_SAMPLE");
    if (!number("HEDDLE_SEED", "--seed", 1, &run->seed, err) ||
        (r->sample && !read_sampling(r, launches, err)))
        return false;
    return number("HEDDLE_INTERVAL", "--interval", 10000, &run->interval, err) &&
           number("HEDDLE_MAX_CYCLES", "--max-cycles", 0, &run->engine.max_cycles, err) &&
           number("HEDDLE_WATCHDOG", "--watchdog", 10000000, &run->engine.watchdog_cycles, err) &&
           number("HEDDLE_MAX_INSTRUCTIONS", "--max-instructions", 0, &r->max_instructions, err);
}
