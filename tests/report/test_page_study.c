/* A study's page as `heddle study` makes it; tests/report/browser_sweep.py looks at it. */
#include "testing.h"

#include "report/page.h"

#include <unistd.h>

static char folder[] = "/tmp/heddle-page-XXXXXX";
static char verdict[64], page[64];

static void write_verdict(const char *text)
{
    FILE *f = fopen(verdict, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static int setup(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(verdict, sizeof verdict, "%s/verdict.json", folder);
    snprintf(page, sizeof page, "%s/study.html", folder);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    unlink(verdict);
    unlink(page);
    return rmdir(folder);
}

TEST(a_verdict_becomes_a_page_that_holds_it)
{
    UNUSED_STATE;
    struct err err = ERR_INIT;
    write_verdict("{\"format\":\"heddle-study-1\",\"name\":\"a&b\",\"checks\":[{\"id\":\"x<y\"}]}");
    assert_true(page_study(verdict, page, &err));
    FILE *f = fopen(page, "r");
    char start[4096] = "";
    assert_non_null(f);
    size_t n = fread(start, 1, sizeof start - 1, f);
    start[n] = '\0';
    fclose(f);
    assert_non_null(strstr(start, "<title>Study a&amp;b</title>"));
}

TEST(what_is_no_verdict_is_refused_and_writes_nothing)
{
    UNUSED_STATE;
    static const struct {
        const char *text, *words;
    } rows[] = {
        {"{", "this is not JSON"},
        {"{}", "heddle-study-1"},
        {"[]", "heddle-study-1"},
        {"{\"format\":\"heddle-study-1\",\"figures\":{}}", "\"figures\" is not a list of objects"},
        {"{\"format\":\"heddle-study-1\",\"tables\":[[]]}", "\"tables\" is not a list of objects"},
    };
    unlink(page);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct err err = ERR_INIT;
        char text[1600];
        write_verdict(rows[i].text);
        assert_false(page_study(verdict, page, &err));
        err_text(&err, text, sizeof text);
        assert_non_null(strstr(text, rows[i].words));
        assert_non_null(strstr(text, verdict));
        assert_int_equal(access(page, F_OK), -1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {T(a_verdict_becomes_a_page_that_holds_it),
                                       T(what_is_no_verdict_is_refused_and_writes_nothing)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
