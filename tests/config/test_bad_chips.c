/* Every kind of bad chip file: the exact message, the exit code, and nothing else happens. */
#include "testing.h"

#include "machine/model.h"

#include "config/bad_chips.h"

#include <sys/wait.h>
#include <unistd.h>

extern const struct model model_tandem;

static char folder[] = "/tmp/heddle-test-XXXXXX";

static void write_file(const char *path, const char *data, size_t length)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, length, f), length);
    fclose(f);
}

/* FILE in an expected message stands for the file that the row wrote. */
static void expand(const char *message, const char *path, char *out, size_t size)
{
    size_t used = 0;
    for (const char *s = message; *s && used + 1 < size;) {
        if (strncmp(s, "FILE", 4) == 0) {
            used += (size_t)snprintf(out + used, size - used, "%s", path);
            s += 4;
        } else {
            out[used++] = *s++;
        }
    }
    out[used < size ? used : size - 1] = '\0';
}

TEST(every_bad_chip_gets_its_sentence)
{
    UNUSED_STATE;
    static const struct config_schema *const schemas[] = {&model_tandem.schema, NULL};
    const char *folders[] = {"chips-of-the-test", NULL};
    assert_int_equal(system("mkdir -p chips-of-the-test"), 0);
    write_file("chips-of-the-test/tandem.yaml", "model: tandem\n", 14);
    for (size_t i = 0; i < ARRAY_LEN(bad_chips); i++) {
        const struct bad_chip *b = &bad_chips[i];
        char path[96], want[1600], got[1600];
        snprintf(path, sizeof path, "./%s.yaml", b->claim);
        write_file(path, b->file, b->length);
        struct config_request request = {.chip = path,
                                         .folders = folders,
                                         .schemas = schemas,
                                         .sets = &b->set,
                                         .set_count = b->set != NULL};
        struct config config;
        struct err err = ERR_INIT;
        if (config_load(&config, &request, &err))
            fail_msg("%s: was accepted", b->claim);
        expand(b->message, path, want, sizeof want);
        err_text(&err, got, sizeof got);
        if (strcmp(got, want) != 0)
            fail_msg("%s:\n  got  %s\n  want %s", b->claim, got, want);
        assert_int_equal(err.kind, ERR_INPUT);
    }
}

TEST(every_bad_chip_exits_with_2_and_prints_one_line)
{
    UNUSED_STATE;
    for (size_t i = 0; i < ARRAY_LEN(bad_chips); i++) {
        const struct bad_chip *b = &bad_chips[i];
        char line[1024], out[2048];
        int n =
            snprintf(line, sizeof line, "'%s' chip check ./%s.yaml", getenv("HEDDLE"), b->claim);
        if (b->set)
            n += snprintf(line + n, sizeof line - (size_t)n, " --set '%s'", b->set);
        snprintf(line + n, sizeof line - (size_t)n, " 2>&1");
        FILE *p = popen(line, "r");
        assert_non_null(p);
        size_t got = fread(out, 1, sizeof out - 1, p);
        out[got] = '\0';
        int status = pclose(p);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 2)
            fail_msg("%s: exit status %d: %s", b->claim, WEXITSTATUS(status), out);
        assert_true(got > 0 && strchr(out, '\n') == out + got - 1);
    }
}

static int enter(void **state)
{
    (void)state;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : 1;
}

static int leave(void **state)
{
    (void)state;
    char line[128];
    snprintf(line, sizeof line, "cd / && rm -rf '%s'", folder);
    return system(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {T(every_bad_chip_gets_its_sentence),
                                       T(every_bad_chip_exits_with_2_and_prints_one_line)};
    return cmocka_run_group_tests(tests, enter, leave);
}
