#include "testing.h"

#include "config/config.h"
#include "config/yaml.h"

#include <unistd.h>

enum kind { KIND_SLOW, KIND_FAST };
static const char *const kinds[] = {"slow", "fast", NULL};

struct cache_part {
    u32 size_bytes, ways;
    bool hashed;
};

struct machine {
    u64 clock_hz;
    double voltage_v;
    u32 kind;
    const char *note;
    struct cache_part l1, l2;
};

static bool cache_check(const void *group, const struct config *config, struct err *err)
{
    const struct cache_part *c = group;
    if (c->size_bytes % (128 * c->ways) != 0)
        return err_at(err, config_pos(config, &c->size_bytes),
                      "size_bytes is %u, expected a multiple of line_bytes x ways = %u",
                      c->size_bytes, 128 * c->ways);
    return true;
}

/* clang-format off */
static const struct param cache_params[] = {
    P_U32(cache_part, size_bytes, 16384, 1024, 67108864, "bytes", "capacity", "test"),
    P_U32(cache_part, ways, 4, 1, 64, "lines", "lines per set", "test"),
    P_BOOL(cache_part, hashed, false, "hashed index", "test"),
    P_END,
};
static const struct param machine_params[] = {
    P_U64(machine, clock_hz, 1000000000, 1000000, 10000000000, "Hz", "clock", "test"),
    P_DOUBLE(machine, voltage_v, 1.0, 0.5, 1.5, "V", "supply", "test"),
    P_CHOICE(machine, kind, KIND_SLOW, kinds, "kind", "test"),
    P_STRING(machine, note, "none", "anything", "test"),
    P_GROUP(machine, l1, cache_params, cache_check, "first"),
    P_GROUP(machine, l2, cache_params, cache_check, "second"),
    P_END,
};
/* clang-format on */

static const struct config_schema schema = {
    .model = "machine",
    .meaning = "for tests",
    .params = machine_params,
    .bytes = sizeof(struct machine),
};

/* A machine of several: each instance is a machine without its note. */
struct farm {
    u32 size;
    struct named_instances parts;
};
/* clang-format off */
static const struct param part_params[] = {
    P_U64(machine, clock_hz, 1000000000, 1000000, 10000000000, "Hz", "clock", "test"),
    P_GROUP(machine, l1, cache_params, cache_check, "first"),
    P_END,
};
static const struct param farm_params[] = {
    P_U32(farm, size, 1, 0, 100, "", "of the whole", "test"),
    P_INSTANCES(farm, parts, part_params, struct machine, "machine", NULL, "its parts"),
    P_END,
};
/* clang-format on */
static const struct config_schema farm_schema = {
    .model = "farm",
    .meaning = "for tests of instances",
    .params = farm_params,
    .bytes = sizeof(struct farm),
};
static const struct config_schema *const schemas[] = {&schema, &farm_schema, NULL};
static char folder[] = "/tmp/heddle-test-XXXXXX";

static void put(const char *name, const char *text)
{
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static bool load(struct config *c, const char *chip, const char *const *sets, u32 count,
                 char *message)
{
    const char *folders[] = {".", NULL};
    struct config_request request = {
        .chip = chip, .folders = folders, .schemas = schemas, .sets = sets, .set_count = count};
    struct err err = ERR_INIT;
    bool ok = config_load(c, &request, &err);
    err_text(&err, message, 1600);
    return ok;
}

TEST(a_chip_inherits_overrides_and_remembers_origins)
{
    UNUSED_STATE;
    put("old.yaml", "model: machine\nabout: the old one\nclock_hz: 700MHz\nl1:\n  ways: 8\n");
    put("new.yaml", "base: old\nl1:\n  size_bytes: 32KiB\n  hashed: true\nkind: fast\n"
                    "voltage_v: 900mV\nnote: 'a: b'\n");
    static const char *const sets[] = {"l2.ways=16", "clock_hz=1.4GHz", "l2.ways=2"};
    struct config c;
    char message[1600];
    assert_true(load(&c, "new", sets, 3, message));
    const struct machine *m = c.data;
    assert_true(m->clock_hz == 1400000000);
    assert_true(m->voltage_v == 0.9);
    assert_int_equal(m->kind, KIND_FAST);
    assert_string_equal(m->note, "a: b");
    assert_int_equal(m->l1.size_bytes, 32768);
    assert_int_equal(m->l1.ways, 8);
    assert_true(m->l1.hashed);
    assert_int_equal(m->l2.ways, 2);
    assert_int_equal(m->l2.size_bytes, 16384);
    assert_string_equal(c.name, "new");
    assert_string_equal(c.about, "");
    assert_string_equal(config_find(&c, "l1.ways")->origin.file, "./old.yaml");
    assert_int_equal(config_find(&c, "l1.ways")->origin.line, 5);
    assert_int_equal(config_find(&c, "l1.size_bytes")->origin.line, 3);
    assert_int_equal(config_find(&c, "l1.size_bytes")->origin.column, 15);
    assert_string_equal(config_find(&c, "l2.ways")->origin.file, "--set l2.ways=2");
    assert_null(config_find(&c, "l2.size_bytes")->origin.file);
    assert_null(config_find(&c, "l3.size_bytes"));
    config_fini(&c);
}

TEST(a_chip_has_as_many_instances_as_its_files_name)
{
    UNUSED_STATE;
    put("small.yaml", "model: machine\nclock_hz: 700MHz\nnote: not for parts\nl1:\n  ways: 8\n");
    put("farm.yaml", "model: farm\nparts:\n  left: {l1: {ways: 2}}\n"
                     "  right:\n    base: small\n    l1: {size_bytes: 32KiB}\n");
    put("farm3.yaml", "base: farm\nparts:\n  right: {clock_hz: 2GHz}\n  third: {}\n");
    static const char *const sets[] = {"parts.third.l1.ways=16", "size=3"};
    struct config c;
    char message[1600];
    assert_true(load(&c, "farm3", sets, 2, message));
    const struct farm *f = c.data;
    const struct machine *m = f->parts.items;
    assert_int_equal(f->size, 3);
    assert_int_equal(f->parts.count, 3);
    assert_string_equal(f->parts.names[0], "left");
    assert_string_equal(f->parts.names[2], "third");
    assert_int_equal(m[0].l1.ways, 2);
    assert_true(m[0].clock_hz == 1000000000);
    assert_int_equal(m[1].l1.ways, 8);
    assert_int_equal(m[1].l1.size_bytes, 32768);
    assert_true(m[1].clock_hz == 2000000000);
    assert_int_equal(m[2].l1.ways, 16);
    assert_int_equal(c.value_count, 1 + 3 * 4);
    assert_string_equal(config_find(&c, "parts.right.l1.ways")->origin.file, "./small.yaml");
    assert_int_equal(config_find(&c, "parts.right.l1.ways")->origin.line, 5);
    assert_string_equal(config_find(&c, "parts.right.clock_hz")->origin.file, "./farm3.yaml");
    assert_ptr_equal(config_find(&c, "l1.ways"), config_find(&c, "parts.left.l1.ways"));
    assert_null(config_find(&c, "l2.ways"));
    config_fini(&c);
}

TEST(what_is_wrong_with_an_instance_is_said_with_its_place)
{
    UNUSED_STATE;
    static const struct {
        const char *text, *set, *message;
    } cases[] = {
        {"parts: [a, b]\n", NULL,
         "./f.yaml:2:8: parts is a list, expected a mapping of names, such as {left: {}, right: "
         "{}}"},
        {"parts: {1a: {}}\n", NULL,
         "./f.yaml:2:9: parts is 1a, expected a name of letters, digits, '_' and '-' that begins "
         "with a letter"},
        {"parts: {a: 5}\n", NULL,
         "./f.yaml:2:12: parts.a is a value, expected a mapping of "
         "parameters"},
        {"parts: {a: {l1: {wais: 5}}}\n", NULL,
         "./f.yaml:2:18: unknown 'parts.a.l1' parameter 'wais', expected size_bytes, ways or "
         "hashed "
         "(nearest: ways)"},
        {"parts: {a: {l1: {ways: 3}}}\n", NULL,
         "f: size_bytes is 16384, expected a multiple of line_bytes x ways = 384"},
        {"parts: {a: {base: f}}\n", NULL,
         "./f.yaml:2:19: 'f' is a chip of model farm, parts.a expects one of model machine"},
        {"parts: {left: {}}\n", "parts.lef.l1.ways=4",
         "--set parts.lef.l1.ways=4: unknown parts 'lef', expected left (nearest: left)"},
        {"parts: {left: {}}\n", "parts.left=4",
         "--set parts.left=4: 'parts.left' is a group, expected one of its parameters"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char text[200], message[1600];
        struct config c;
        snprintf(text, sizeof text, "model: farm\n%s", cases[i].text);
        put("f.yaml", text);
        assert_false(load(&c, "f", &cases[i].set, cases[i].set != NULL, message));
        assert_string_equal(message, cases[i].message);
    }
}

TEST(a_check_names_the_line_that_gave_the_value)
{
    UNUSED_STATE;
    put("odd.yaml", "model: machine\nl2:\n  ways: 4\n  size_bytes: 16000\n");
    struct config c;
    char message[1600];
    assert_false(load(&c, "odd", NULL, 0, message));
    assert_string_equal(message, "./odd.yaml:4:15: size_bytes is 16000, expected a multiple of "
                                 "line_bytes x ways = 512");
    static const char *const sets[] = {"l2.size_bytes=16KiB", "l1.ways=3"};
    assert_false(load(&c, "odd", sets, 2, message));
    assert_string_equal(message, "odd: size_bytes is 16384, expected a multiple of line_bytes x "
                                 "ways = 384");
}

TEST(a_circle_of_bases_is_refused)
{
    UNUSED_STATE;
    put("x.yaml", "base: y\n");
    put("y.yaml", "base: z\n");
    put("z.yaml", "base: x\n");
    struct config c;
    char message[1600];
    assert_false(load(&c, "x", NULL, 0, message));
    assert_string_equal(message,
                        "./z.yaml:1:7: base 'x' leads back to ./x.yaml: the chain is a circle");
}

TEST(a_derived_chip_cannot_change_the_model)
{
    UNUSED_STATE;
    put("m.yaml", "model: machine\n");
    put("n.yaml", "base: m\nmodel: other\n");
    struct config c;
    char message[1600];
    assert_false(load(&c, "n", NULL, 0, message));
    assert_string_equal(message,
                        "./n.yaml:2:8: model is other, expected machine, the model of its base");
}

TEST(choices_booleans_and_numbers_refuse_what_they_do_not_know)
{
    UNUSED_STATE;
    static const struct {
        const char *set, *message;
    } rows[] = {
        {"kind=fats",
         "--set kind=fats: unknown kind 'fats', expected slow or fast (nearest: fast)"},
        {"l1.hashed=yes", "--set l1.hashed=yes: l1.hashed is 'yes', expected true or false"},
        {"voltage_v=2", "--set voltage_v=2: voltage_v is 2, expected 0.5 to 1.5"},
        {"voltage_v=nan", "--set voltage_v=nan: voltage_v is 'nan', expected a number, 0.5 to 1.5"},
        {"l1.size_bytes=16KB",
         "--set l1.size_bytes=16KB: l1.size_bytes is '16KB', expected a number in bytes, B, KiB, "
         "MiB, GiB or TiB"},
    };
    put("m.yaml", "model: machine\n");
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct config c;
        char message[1600];
        assert_false(load(&c, "m", &rows[i].set, 1, message));
        assert_string_equal(message, rows[i].message);
    }
}

TEST(a_folder_lists_its_chips_sorted)
{
    UNUSED_STATE;
    assert_int_equal(system("rm -f *.yaml; mkdir -p more"), 0);
    put("b.yaml", "");
    put("a.yaml", "");
    put("more/b.yaml", "");
    put("more/c.yaml", "");
    put("more/.hidden.yaml", "");
    const char *folders[] = {".", "more", "missing", NULL}, **names;
    struct arena arena = {0};
    assert_int_equal(config_list(folders, &arena, &names), 3);
    assert_string_equal(names[0], "a");
    assert_string_equal(names[1], "b");
    assert_string_equal(names[2], "c");
    arena_fini(&arena);
}

TEST(a_number_is_written_with_the_fewest_digits_that_read_back)
{
    UNUSED_STATE;
    static const struct param volts =
        P_DOUBLE(machine, voltage_v, 1.0, 0.5, 1.5, "V", "supply", "test");
    static const struct {
        double value;
        const char *text;
    } numbers[] = {{7.03, "7.03"},
                   {0.1, "0.1"},
                   {1.0 / 3, "0.3333333333333333"},
                   {0.1 + 0.2, "0.30000000000000004"}};
    for (u32 i = 0; i < ARRAY_LEN(numbers); i++) {
        char text[64];
        param_value_text(&volts, &numbers[i].value, text, sizeof text);
        assert_string_equal(text, numbers[i].text);
    }
}

TEST(a_missing_file_says_so)
{
    UNUSED_STATE;
    struct config c;
    char message[1600];
    assert_false(load(&c, "./nowhere.yaml", NULL, 0, message));
    assert_string_equal(message, "./nowhere.yaml: cannot open the file: No such file or directory");
    assert_false(load(&c, "./", NULL, 0, message));
    assert_string_equal(message, "./: cannot read the file: Is a directory");
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
    const struct CMUnitTest tests[] = {
        T(a_chip_inherits_overrides_and_remembers_origins),
        T(a_chip_has_as_many_instances_as_its_files_name),
        T(what_is_wrong_with_an_instance_is_said_with_its_place),
        T(a_check_names_the_line_that_gave_the_value),
        T(a_circle_of_bases_is_refused),
        T(a_derived_chip_cannot_change_the_model),
        T(choices_booleans_and_numbers_refuse_what_they_do_not_know),
        T(a_folder_lists_its_chips_sorted),
        T(a_number_is_written_with_the_fewest_digits_that_read_back),
        T(a_missing_file_says_so),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
