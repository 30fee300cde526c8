/* Pages and their homes: ties, what a first touch costs, the homes of a run as a file. */
#include "testing.h"

#include "mem/page_placement.h"
#include "sim/site.h"
#include "policy/registry.h"

#include <stdlib.h>
#include <unistd.h>

#define PAGE 4096u

struct home_bed {
    struct sim sim;
    struct home home;
};

static void open_home(struct home_bed *b, const char *policy, const void *config)
{
    static const struct engine_options plain = {0};
    memset(b, 0, sizeof *b);
    engine_init(&b->sim.engine, &b->sim.arena, &plain);
    stats_init(&b->sim.stats, &b->sim.arena);
    struct build_site site = site_of(&b->sim);
    home_init(&b->home, &site, (struct policy_choice){policy_find(QUESTION_HOME, policy), config},
              4, PAGE, 1000, 2000);
}

static void close_home(struct home_bed *b)
{
    arena_fini(&b->sim.arena);
}

TEST(sockets_that_touch_a_page_in_one_cycle_get_it_by_its_number)
{
    UNUSED_STATE;
    struct home_bed b;
    open_home(&b, "first_touch", NULL);
    for (u32 page = 8; page < 12; page++) {
        for (u32 socket = 0; socket < 4; socket++)
            home_give(&b.home, page * PAGE, socket, 100);
        assert_int_equal(home_find(&b.home, page * PAGE, 0), page % 4);
    }
    /* only 0 and 1 ask for page 14: from 2 on, 0 comes first */
    home_give(&b.home, 14 * PAGE, 1, 100);
    home_give(&b.home, 14 * PAGE, 0, 100);
    assert_int_equal(home_find(&b.home, 14 * PAGE, 3), 0);
    for (u32 i = 0; i < 4; i++)
        assert_int_equal(b.home.counts[i].pages, 1 + (i == 0));
    close_home(&b);
}

TEST(a_page_stays_where_it_is_when_the_cycle_is_over)
{
    UNUSED_STATE;
    struct home_bed b;
    open_home(&b, "first_touch", NULL);
    assert_int_equal(home_find(&b.home, 4 * PAGE, 3), HOME_LATER); /* asking gives nothing away */
    assert_int_equal(home_give(&b.home, 4 * PAGE, 3, 100), 3);
    home_given(&b.home);
    assert_int_equal(home_give(&b.home, 4 * PAGE + 100, 0, 101), 3);
    assert_int_equal(home_find(&b.home, 4 * PAGE + 100, 0), 3);
    close_home(&b);
}

TEST(the_socket_that_touches_a_page_waits_for_it_and_others_do_not)
{
    UNUSED_STATE;
    struct home_bed b;
    open_home(&b, "first_touch", NULL);
    home_give(&b.home, 4 * PAGE, 3, 100);
    home_given(&b.home);
    assert_int_equal(home_ready(&b.home, 4 * PAGE + 8, 3), 2100);
    assert_int_equal(home_ready(&b.home, 4 * PAGE + 8, 1), 0);
    assert_int_equal(home_ready(&b.home, 5 * PAGE, 3), 0); /* nobody has touched it */
    assert_int_equal(b.home.busy_until, 2100);
    close_home(&b);
}

/* ---- files ---- */

struct file_config {
    const char *path;
};

static void new_path(char *path)
{
    strcpy(path, "/tmp/heddle-homes-XXXXXX");
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
}

TEST(a_run_has_the_homes_that_another_one_wrote)
{
    UNUSED_STATE;
    char path[32];
    struct err err = ERR_INIT;
    struct home_bed a, b;
    new_path(path);
    open_home(&a, "first_touch", NULL);
    for (u32 page = 0; page < 20; page++)
        home_give(&a.home, page * PAGE, page * 7 % 4, page);
    assert_true(home_write(&a.home, path, &err));
    open_home(&b, "file", &(struct file_config){path});
    assert_true(home_start(&b.home, &b.sim.arena, &err));
    for (u32 page = 0; page < 20; page++) {
        assert_int_equal(home_find(&b.home, page * PAGE, 2), HOME_LATER);
        assert_int_equal(home_give(&b.home, page * PAGE, 2, 50), page * 7 % 4);
        assert_int_equal(home_ready(&b.home, page * PAGE, 2), 2050); /* whoever touches it pays */
    }
    assert_int_equal(home_give(&b.home, 20 * PAGE, 2, 50), 2); /* the file does not have it */
    assert_int_equal(b.home.counts[2].unlisted, 1);
    assert_int_equal(b.home.counts[0].unlisted + b.home.counts[1].unlisted, 0);
    unlink(path);
    close_home(&a);
    close_home(&b);
}

TEST(a_damaged_file_of_homes_is_refused_with_its_line)
{
    UNUSED_STATE;
#define HEAD "heddle homes 1\nsockets 4\npage_bytes 4096\n"
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", ":1:1: the file of homes ends here, expected `heddle homes 1`"},
        {"heddle homes 2\n", ":1:1: found 'heddle homes 2' in a file of homes"},
        {"heddle homes 1\nsockets 2\n", ":2:1: the homes are of a run with sockets.count 2"},
        {"heddle homes 1\nsockets x\n", ":2:1: found 'sockets x' in a file of homes"},
        {"heddle homes 1\nsockets 4\npage_bytes 8192\n", "sockets.page_bytes 8192, expected 4096"},
        {HEAD "pages 2\n1000 1\nend\n", ":6:1: found 'end' in a file of homes, expected a page's"},
        {HEAD "pages 1\n1000 1\n", ":6:1: the file of homes ends here, expected `end`"},
        {HEAD "pages 1\n1000 4\nend\n", ":5:1: found '1000 4'"},
        {HEAD "pages 1\n1001 1\nend\n", ":5:1: found '1001 1'"},
        {HEAD "pages 2\n1000 1\n1000 2\nend\n", ":6:1: found '1000 2'"},
    };
    char path[32], said[1200];
    new_path(path);
    for (u32 i = 0; i < ARRAY_LEN(cases); i++) {
        struct home_bed b;
        struct err err = ERR_INIT;
        FILE *f = fopen(path, "w");
        fputs(cases[i].text, f);
        fclose(f);
        open_home(&b, "file", &(struct file_config){path});
        assert_false(home_start(&b.home, &b.sim.arena, &err));
        assert_int_equal(err.kind, ERR_INPUT);
        err_text(&err, said, sizeof said);
        if (!strstr(said, cases[i].says))
            fail_msg("case %u: %s", i, said);
        close_home(&b);
    }
    unlink(path);
}

RUN_TESTS(T(sockets_that_touch_a_page_in_one_cycle_get_it_by_its_number),
          T(a_page_stays_where_it_is_when_the_cycle_is_over),
          T(the_socket_that_touches_a_page_waits_for_it_and_others_do_not),
          T(a_run_has_the_homes_that_another_one_wrote),
          T(a_damaged_file_of_homes_is_refused_with_its_line))
