#include "testing.h"

#include "base/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Each test works in a folder of its own. */
static int enter(void **state)
{
    char folder[] = "/tmp/heddle-file-XXXXXX";
    *state = strdup(mkdtemp(folder));
    return *state ? chdir(*state) : -1;
}

static int leave(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", (char *)*state);
    free(*state);
    return chdir("/") != 0 || system(command) != 0;
}

static u32 files_here(void)
{
    u32 count = 0;
    DIR *d = opendir(".");
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));)
        count += e->d_name[0] != '.';
    closedir(d);
    return count;
}

static void expect_text(const char *path, const char *expected)
{
    char got[64] = "";
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_int_equal(fread(got, 1, sizeof got - 1, f), strlen(expected));
    fclose(f);
    assert_string_equal(got, expected);
}

static struct text text_of(const char *s)
{
    struct text t = {0};
    text_printf(&t, "%s", s);
    return t;
}

static void expect_refused(const char *path, const char *what)
{
    struct err err = ERR_INIT, before = ERR_INIT;
    struct text t = text_of("new");
    assert_false(file_write(path, &t, &err));
    assert_int_equal(err.kind, ERR_INPUT);
    assert_string_equal(err.file, path);
    assert_string_equal(err.what, what);
    assert_false(file_check_writable(path, &before));
    assert_string_equal(before.what, what);
    text_fini(&t);
}

TEST(a_file_replaces_the_old_one_and_nothing_else_is_left)
{
    UNUSED_STATE;
    struct err err = ERR_INIT;
    struct text a = text_of("old"), b = text_of("newer");
    assert_true(file_write("x", &a, &err));
    assert_true(file_check_writable("x", &err));
    expect_text("x", "old");
    assert_true(file_write("x", &b, &err));
    expect_text("x", "newer");
    assert_int_equal(files_here(), 1);
    text_fini(&a);
    text_fini(&b);
}

TEST(a_check_leaves_nothing_behind)
{
    UNUSED_STATE;
    struct err err = ERR_INIT;
    assert_true(file_check_writable("x", &err));
    assert_int_equal(files_here(), 0);
}

TEST(a_folder_that_is_not_there_and_a_path_below_a_file_are_refused_with_the_reason)
{
    UNUSED_STATE;
    struct err err = ERR_INIT;
    struct text t = text_of("old");
    assert_true(file_write("plain", &t, &err));
    expect_refused("nowhere/x", "cannot write the file: No such file or directory");
    expect_refused("plain/x", "cannot write the file: Not a directory");
    assert_int_equal(mkdir("folder", 0777), 0);
    expect_refused("folder", "cannot write the file: Is a directory");
    expect_text("plain", "old");
    text_fini(&t);
}

TEST(a_full_device_is_told_and_stays_a_device)
{
    UNUSED_STATE;
    struct err err = ERR_INIT;
    struct stat s;
    struct text t = text_of("some");
    assert_true(file_check_writable("/dev/full", &err));
    assert_false(file_write("/dev/full", &t, &err));
    assert_string_equal(err.what, "cannot write the file: No space left on device");
    assert_int_equal(stat("/dev/full", &s), 0);
    assert_true(S_ISCHR(s.st_mode));
    text_fini(&t);
}

TEST(a_link_stays_a_link)
{
    UNUSED_STATE;
    struct err err = ERR_INIT;
    struct stat s;
    struct text a = text_of("old"), b = text_of("new");
    assert_true(file_write("x", &a, &err));
    assert_int_equal(symlink("x", "link"), 0);
    assert_true(file_write("link", &b, &err));
    assert_int_equal(lstat("link", &s), 0);
    assert_true(S_ISLNK(s.st_mode));
    expect_text("x", "new");
    text_fini(&a);
    text_fini(&b);
}

TEST(the_first_failed_write_is_the_one_that_is_told)
{
    UNUSED_STATE;
    struct err err = ERR_INIT, later = ERR_INIT;
    struct out_file f;
    static const char much[100000];
    assert_true(out_file_open(&f, "/dev/full", &err));
    out_file_put(&f, much, sizeof much);
    assert_false(out_file_check(&f, &err));
    assert_string_equal(err.what, "cannot write the file: No space left on device");
    assert_false(out_file_close(&f, &later));
    assert_string_equal(later.file, "/dev/full");
}

TEST(what_is_discarded_leaves_the_old_file)
{
    UNUSED_STATE;
    struct err err = ERR_INIT;
    struct text t = text_of("old");
    struct out_file f;
    assert_true(file_write("x", &t, &err));
    assert_true(out_file_open(&f, "x", &err));
    out_file_put(&f, "half", 4);
    out_file_discard(&f);
    expect_text("x", "old");
    assert_int_equal(files_here(), 1);
    text_fini(&t);
}

TEST(what_lies_under_a_temporary_name_is_left_alone)
{
    UNUSED_STATE;
    struct err err = ERR_INIT;
    struct text old = text_of("old"), t = text_of("new");
    char beside[64], again[64];
    snprintf(beside, sizeof beside, "x.new-%ld", (long)getpid());
    snprintf(again, sizeof again, "x.new-%ld-1", (long)getpid());
    assert_true(file_write("precious", &old, &err));
    assert_int_equal(symlink("precious", beside), 0);
    assert_int_equal(symlink("nowhere", again), 0);
    assert_true(file_write("x", &t, &err));
    expect_text("x", "new");
    expect_text("precious", "old");
    assert_int_equal(files_here(), 4);
    text_fini(&old);
    text_fini(&t);
}

TEST(a_program_that_is_started_does_not_inherit_the_file)
{
    UNUSED_STATE;
    struct err err = ERR_INIT;
    static const char *const paths[] = {"x", "/dev/null"};
    for (u32 i = 0; i < ARRAY_LEN(paths); i++) {
        struct out_file f;
        assert_true(out_file_open(&f, paths[i], &err));
        assert_int_equal(fcntl(fileno(f.out), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
        out_file_discard(&f);
    }
    assert_int_equal(files_here(), 0);
}

TEST(folders_are_made_on_the_way_and_a_file_in_the_way_is_told)
{
    UNUSED_STATE;
    struct err err = ERR_INIT;
    struct text t = text_of("x");
    assert_true(folder_make("a/b/c", &err));
    assert_true(folder_make("a/b/c", &err));
    assert_true(file_write("a/b/c/plain", &t, &err));
    assert_false(folder_make("a/b/c/plain/d", &err));
    assert_string_equal(err.file, "a/b/c/plain");
    assert_string_equal(err.what, "cannot make the folder: there is a file of that name");
    text_fini(&t);
}

#define IN_FOLDER(claim) cmocka_unit_test_setup_teardown(claim, enter, leave)

RUN_TESTS(IN_FOLDER(a_file_replaces_the_old_one_and_nothing_else_is_left),
          IN_FOLDER(a_check_leaves_nothing_behind),
          IN_FOLDER(a_folder_that_is_not_there_and_a_path_below_a_file_are_refused_with_the_reason),
          IN_FOLDER(a_full_device_is_told_and_stays_a_device), IN_FOLDER(a_link_stays_a_link),
          IN_FOLDER(the_first_failed_write_is_the_one_that_is_told),
          IN_FOLDER(what_is_discarded_leaves_the_old_file),
          IN_FOLDER(what_lies_under_a_temporary_name_is_left_alone),
          IN_FOLDER(a_program_that_is_started_does_not_inherit_the_file),
          IN_FOLDER(folders_are_made_on_the_way_and_a_file_in_the_way_is_told))
