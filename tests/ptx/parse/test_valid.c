/* What is valid PTX loads, or is said not to be supported; it is never called wrong. */
#include "testing.h"

#include "ptx/program.h"

#include <stdio.h>
#include <string.h>

#define VALID                                                                                      \
    ".address_size 64\n.shared .align 16 .b8 s[1024];\n.visible .entry k(.param .u64 p0) {\n"      \
    ".reg .pred %%p<9>; .reg .b8 %%b<4>; .reg .b16 %%h<9>; .reg .b32 %%r<20>;\n"                   \
    ".reg .b64 %%rd<9>; .reg .b128 %%q<4>;\n"

static const struct {
    const char *target, *statement;
} valid[] = {
#include "ptx/parse/valid.def"
};

static bool load(const char *target, const char *statement, char *message, size_t room)
{
    struct err err = ERR_INIT;
    char text[2048];
    snprintf(text, sizeof text, ".version 9.0\n.target sm_%s\n" VALID "%s\n}\n", target, statement);
    struct device_memory *memory = memory_create((u64)16 << 20, &err);
    struct program_text source = {"t.ptx", text, strlen(text)};
    struct program *p = program_load(&source, 1, memory, &err);
    err_text(&err, message, room);
    program_destroy(p);
    memory_destroy(memory);
    return p != NULL;
}

TEST(valid_ptx_loads_or_is_said_not_to_be_supported)
{
    UNUSED_STATE;
    char message[2048];
    u32 wrong = 0;
    for (u32 i = 0; i < ARRAY_LEN(valid); i++) {
        if (load(valid[i].target, valid[i].statement, message, sizeof message) ||
            strstr(message, "is not supported"))
            continue;
        printf("%s\n    %s\n", valid[i].statement, message);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

/* A row is a form, "add.f32", or several: "min, max of three f32". */
struct wanted {
    const char *opcode;
    bool is_there;
};

static void look(void *context, const char *form, bool supported, const char *note)
{
    struct wanted *w = context;
    size_t n = strlen(w->opcode);
    assert_true(supported || *note);
    for (const char *at = strstr(form, w->opcode); at && !w->is_there;
         at = strstr(at + 1, w->opcode))
        w->is_there = (at == form || at[-1] == ' ') && (!at[n] || strchr(".,* ", at[n]));
}

TEST(every_opcode_is_in_the_list_as_executed_or_refused)
{
    UNUSED_STATE;
    for (u32 i = 0; i < ARRAY_LEN(valid); i++) {
        char opcode[32];
        snprintf(opcode, sizeof opcode, "%.*s", (int)strcspn(valid[i].statement, ". ;"),
                 valid[i].statement);
        struct wanted w = {opcode, false};
        ptx_list(look, &w);
        if (!w.is_there)
            fail_msg("%s is not in the list", opcode);
    }
}

/* 25 of them: the first 20 with their places, five only counted. */
TEST(of_many_refusals_twenty_are_named)
{
    UNUSED_STATE;
    char statements[1024] = "", message[2048];
    for (u32 i = 0; i < 25; i++)
        snprintf(statements + strlen(statements), sizeof statements - strlen(statements),
                 "wgmma.form%u;\n", i);
    assert_false(load("90", statements, message, sizeof message));
    assert_non_null(
        strstr(message, "t.ptx:8:1: wgmma.form0 is not supported; 9:1: wgmma.form1 is"));
    assert_non_null(strstr(message, "; 27:1: wgmma.form19 is not supported; and 5 more"));
}

RUN_TESTS(T(of_many_refusals_twenty_are_named),
          T(every_opcode_is_in_the_list_as_executed_or_refused),
          T(valid_ptx_loads_or_is_said_not_to_be_supported))
