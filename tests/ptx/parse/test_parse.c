#include "testing.h"

#include "ptx/program.h"
#include "ptx/parse/module.h"

#define HEADER ".version 8.5\n.target sm_90\n.address_size 64\n"
#define BODY(text) HEADER ".entry k(.param .u64 p) {\n" text "\n}\n"
/* With registers of every width; the text is on line 6. */
#define WITH_REGS(text)                                                                            \
    BODY(".reg .pred %p<5>; .reg .b16 %rs<5>; .reg .b32 %r<9>; .reg .b64 %rd<5>; "                 \
         ".reg .b128 %q<3>; .reg .v4 .b32 %v;\n" text)

static struct ptx_module *parse(const char *text)
{
    struct err err = ERR_INIT;
    struct ptx_module *m = ptx_parse("t.ptx", text, strlen(text), &err);
    if (!m)
        fail_msg("%s:%u:%u: %s", err.file, err.line, err.column, err.what);
    return m;
}

/* The message for a text that does not load. */
static void expect_message(const char *text, const char *expected)
{
    struct err err = ERR_INIT;
    char message[1024];
    /* a copy that ends where the text ends: reading on is an error the sanitizer sees */
    size_t length = strlen(text);
    char *copy = malloc(length);
    memcpy(copy, text, length); // NOLINT(bugprone-not-null-terminated-result)
    struct device_memory *memory = memory_create((u64)16 << 20, &err);
    struct program_text source = {"t.ptx", copy, length};
    struct program *p = program_load(&source, 1, memory, &err);
    if (p)
        fail_msg("loads, expected: %s", expected);
    err_text(&err, message, sizeof message);
    assert_string_equal(message, expected);
    assert_int_equal(err.kind, ERR_INPUT);
    assert_int_equal(memory_used(memory), 0);
    memory_destroy(memory);
    free(copy);
}

static void expect_loads(const char *text)
{
    struct err err = ERR_INIT;
    struct device_memory *memory = memory_create((u64)16 << 20, &err);
    struct program_text source = {"t.ptx", text, strlen(text)};
    struct program *p = program_load(&source, 1, memory, &err);
    if (!p)
        fail_msg("%s:%u:%u: %s", err.file, err.line, err.column, err.what);
    program_destroy(p);
    memory_destroy(memory);
}

TEST(the_head_of_a_module_gives_version_and_target)
{
    UNUSED_STATE;
    struct ptx_module *m = parse("// made by hand\n.version 7.5\n.target sm_86, debug\n"
                                 ".address_size 64 /* bits */\n");
    assert_int_equal(m->version, 75);
    assert_int_equal(m->target, 86);
    assert_true(m->has_debug);
    ptx_module_destroy(m);
}

TEST(braces_open_scopes_for_registers)
{
    UNUSED_STATE;
    struct ptx_module *m = parse(BODY(".reg .b32 %r<3>; mov.u32 %r1, 1;\n"
                                      "{ .reg .b64 %r<3>; .reg .b32 t; mov.u64 %r1, 1; }\n"
                                      "{ .reg .b32 t; mov.u32 t, 1; }\n"
                                      "mov.u32 %r1, 2;"));
    const struct ptx_function *f = m->functions[0];
    assert_int_equal(f->statement_count, 4);
    u32 outer = f->statements[0].operands[0].index, inner = f->statements[1].operands[0].index;
    assert_int_equal(f->regs[outer].type, TYPE_B32);
    assert_int_equal(f->regs[inner].type, TYPE_B64);
    assert_int_not_equal(f->statements[2].operands[0].index, outer);
    assert_int_equal(f->statements[3].operands[0].index, outer);
    /* of the ranges only what is used exists, and no `t` of the first block */
    assert_int_equal(f->reg_count, 4);
    ptx_module_destroy(m);
}

/* Inline assembly that is pasted twice brings its labels twice. */
TEST(braces_open_scopes_for_labels)
{
    UNUSED_STATE;
    struct ptx_module *m = parse(BODY(".reg .pred q;\n"
                                      "{ WAIT: @q bra DONE; bra WAIT; DONE: }\n"
                                      "{ WAIT: @q bra DONE; bra WAIT; DONE: }\n"
                                      "bra END; END:"));
    const struct ptx_function *f = m->functions[0];
    static const u32 targets[] = {2, 0, 4, 2, 5};
    assert_int_equal(f->statement_count, 5);
    for (u32 i = 0; i < 5; i++) {
        assert_int_equal(f->statements[i].operands[0].kind, OPERAND_LABEL);
        assert_int_equal(f->statements[i].operands[0].index, targets[i]);
    }
    ptx_module_destroy(m);
}

TEST(an_inner_block_may_branch_to_a_label_further_out)
{
    UNUSED_STATE;
    struct ptx_module *m = parse(BODY("TOP: { { bra TOP; bra END; } } END: ret;"));
    const struct ptx_function *f = m->functions[0];
    assert_int_equal(f->statements[0].operands[0].index, 0);
    assert_int_equal(f->statements[1].operands[0].index, 2);
    ptx_module_destroy(m);
}

TEST(several_statements_may_stand_on_one_line_and_one_on_several)
{
    UNUSED_STATE;
    struct ptx_module *m = parse(BODY(".reg .b32 a, b; mov.u32 a, 1; mov.u32\n b\n,\n2\n;;"));
    assert_int_equal(m->functions[0]->statement_count, 2);
    assert_int_equal(m->functions[0]->statements[1].line, 5);
    ptx_module_destroy(m);
}

TEST(addresses_have_a_base_and_a_signed_offset)
{
    UNUSED_STATE;
    struct ptx_module *m = parse(BODY(".reg .b64 %rd1; .reg .b32 %r1; .shared .b32 s[8];\n"
                                      "ld.global.u32 %r1, [%rd1];\n"
                                      "ld.global.u32 %r1, [%rd1+4];\n"
                                      "ld.global.u32 %r1, [%rd1+-4];\n"
                                      "ld.global.u32 %r1, [%rd1-8];\n"
                                      "ld.shared.u32 %r1, [s+12];\n"
                                      "ld.shared.u32 %r1, [16];"));
    static const i64 offsets[] = {0, 4, -4, -8, 12, 16};
    const struct ptx_function *f = m->functions[0];
    for (u32 i = 0; i < 6; i++) {
        const struct ptx_operand *o = &f->statements[i].operands[1];
        assert_int_equal(o->kind, OPERAND_ADDRESS);
        assert_int_equal(o->base, i < 4 ? OPERAND_REG : i == 4 ? OPERAND_SYMBOL : OPERAND_NONE);
        assert_int_equal(o->value, offsets[i]);
    }
    ptx_module_destroy(m);
}

TEST(two_results_are_two_operands)
{
    UNUSED_STATE;
    struct ptx_module *m = parse(BODY(".reg .b32 %r<3>; .reg .pred %p1;\n"
                                      "shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, -1;"));
    const struct ptx_statement *s = &m->functions[0]->statements[0];
    assert_int_equal(s->operand_count, 6);
    assert_int_equal(s->operands[5].value, -1);
    assert_string_equal(s->opcode, "shfl");
    assert_string_equal(s->modifiers[0], "sync");
    assert_string_equal(s->modifiers[2], "b32");
    ptx_module_destroy(m);
}

TEST(numbers_come_in_all_their_spellings)
{
    UNUSED_STATE;
    struct ptx_module *m =
        parse(BODY(".reg .b64 d; mov.u64 d, 0x1F; mov.u64 d, 017; mov.u64 d, 0b101;\n"
                   "mov.u64 d, 42U; mov.u64 d, -3; mov.u64 d, ~0;\n"
                   "mov.f64 d, 0f3F800000; mov.f64 d, 0d4000000000000000; mov.f64 d, 2.5e1;\n"
                   "mov.f64 d, -0f3F800000;"));
    static const i64 whole[] = {31, 15, 5, 42, -3, -1};
    static const double real[] = {1, 2, 25, -1};
    const struct ptx_statement *s = m->functions[0]->statements;
    for (u32 i = 0; i < 6; i++)
        assert_int_equal(s[i].operands[1].value, whole[i]);
    for (u32 i = 0; i < 4; i++) {
        double d;
        memcpy(&d, &s[6 + i].operands[1].value, sizeof d);
        assert_true(d == real[i]);
    }
    ptx_module_destroy(m);
}

static const struct ptx_symbol *variable(const struct ptx_module *m, const char *name)
{
    u32 index;
    assert_true(strmap_get(&m->symbol_names, name, &index));
    return m->symbols[index];
}

TEST(initialisers_fill_rows_and_leave_the_rest_zero)
{
    UNUSED_STATE;
    struct ptx_module *m = parse(HEADER ".global .align 8 .b8 a[8] = {1, 2, 255};\n"
                                        ".const .f32 f = 0f3F800000;\n"
                                        ".const .b32 w = 0f40000000;\n"
                                        ".global .f64 g[] = {0d3FF0000000000000, 2};\n"
                                        ".global .s16 n[2][3] = {{-1}, {4, 5}};\n");
    static const u8 a[] = {1, 2, 255};
    const struct ptx_symbol *s = variable(m, "a");
    assert_int_equal(s->bytes, 8);
    assert_int_equal(s->align, 8);
    assert_int_equal(s->data_bytes, 3);
    assert_memory_equal(s->data, a, 3);
    assert_memory_equal(variable(m, "f")->data, ((const u8[]){0, 0, 0x80, 0x3f}), 4);
    assert_memory_equal(variable(m, "w")->data, ((const u8[]){0, 0, 0, 0x40}), 4);
    s = variable(m, "g");
    assert_int_equal(s->bytes, 16);
    assert_memory_equal(s->data, ((const double[]){1, 2}), 16);
    s = variable(m, "n");
    assert_int_equal(s->bytes, 12);
    assert_int_equal(s->data_bytes, 12);
    assert_memory_equal(s->data, ((const i16[]){-1, 0, 0, 4, 5, 0}), 12);
    ptx_module_destroy(m);
}

TEST(initialisers_may_hold_addresses)
{
    UNUSED_STATE;
    struct ptx_module *m = parse(HEADER ".func f() { ret; }\n"
                                        ".global .u32 x;\n"
                                        ".global .u64 t[3] = {f, generic(x)+4, 8589934593};\n");
    const struct ptx_symbol *s = variable(m, "t");
    assert_int_equal(s->fixup_count, 2);
    assert_string_equal(s->fixups[0].name, "f");
    assert_int_equal(s->fixups[1].offset, 8);
    assert_int_equal(s->fixups[1].addend, 4);
    assert_true(s->fixups[1].generic);
    ptx_module_destroy(m);
}

TEST(debug_sections_and_line_numbers_are_skipped)
{
    UNUSED_STATE;
    struct ptx_module *m = parse(HEADER ".file 1 \"a.cu\"\n"
                                        ".entry k() {\n.loc 1 3 0\n"
                                        ".loc 1 4 0, function_name $L, inlined_at 1 3 0\n"
                                        "tmp: ret;\n}\n"
                                        ".section .debug_str {\n$L:\n.b8 97,0\n}\n"
                                        ".section .debug_loc { .b32 tmp }\n");
    assert_int_equal(m->functions[0]->statement_count, 1);
    ptx_module_destroy(m);
}

TEST(a_function_may_be_declared_before_it_is_given)
{
    UNUSED_STATE;
    struct ptx_module *m = parse(HEADER ".func (.param .b32 r) f(.param .b32 a);\n"
                                        ".func (.param .b32 r) f(.param .b32 a) { ret; }\n"
                                        ".entry k() .maxntid 64, 2 .minnctapersm 3 { ret; }\n");
    assert_int_equal(m->function_count, 2);
    const struct ptx_function *k = ptx_find_function(m, "k");
    assert_int_equal(k->max_threads[0], 64);
    assert_int_equal(k->max_threads[1], 2);
    assert_int_equal(k->max_threads[2], 1);
    assert_int_equal(k->min_blocks, 3);
    ptx_module_destroy(m);
}

TEST(parameters_lie_at_their_alignment)
{
    UNUSED_STATE;
    struct ptx_module *m =
        parse(HEADER ".entry k(.param .u8 a, .param .u32 b, .param .align 16"
                     " .b8 c[20], .param .u64 .ptr .global .align 4 d) { ret; }\n");
    static const u32 offsets[] = {0, 4, 16, 40};
    const struct ptx_function *k = m->functions[0];
    for (u32 i = 0; i < 4; i++)
        assert_int_equal(k->params[i].offset, offsets[i]);
    assert_int_equal(k->param_bytes, 48);
    ptx_module_destroy(m);
}

TEST(forms_that_compilers_emit_load)
{
    UNUSED_STATE;
    expect_loads(WITH_REGS("ld.global.u8 %rs1, [%rd1]; ld.global.s16 %rd2, [%rd1];\n"
                           "st.global.u8 [%rd1], %r1; st.global.v2.u8 [%rd1], {%rs1, 5};\n"
                           "cvt.s64.s8 %rd1, %rd1; mov.b64 %rd1, p; ld.param.u64 %rd2, [%rd1];\n"
                           "mov.b64 {%r1, %r2}, %rd1; mov.b64 %rd1, {%r1, %r2};\n"
                           "mov.b32 %r1, {%rs1, %rs2}; mov.b64 {%r1, _}, %rd1;\n"
                           "ld.global.v4.u32 %v, [%rd1]; st.global.v4.u32 [%rd1], %v;\n"
                           "mov.u32 %r1, %v.z; mov.v4.u32 %v, %tid;\n"
                           "atom.global.add.u32 _, [%rd1], 1;\n"
                           "match.all.sync.b32 %r1|%p1, %r2, -1;\n"
                           "setp.eq.and.u32 %p1|%p2, %r1, WARP_SZ, !%p3;\n"
                           "ld.global.b128 %q1, [%rd1]; st.global.b128 [%rd1], %q1;\n"
                           "bra END; END:"));
    expect_loads(HEADER ".entry k() {}\n");
    expect_loads(HEADER ".extern .shared .align 16 .b8 s[];\n"
                        ".entry k() { .reg .b32 %r1; mov.u32 %r1, s; st.shared.u8 [s+1], 0; }\n");
}

/* Everything below is refused, in a sentence. */
static const struct {
    const char *text, *message;
} bad[] = {
#include "ptx/parse/bad.def"
};

TEST(bad_texts_are_refused_with_place_and_reason)
{
    UNUSED_STATE;
    for (u32 i = 0; i < ARRAY_LEN(bad); i++)
        expect_message(bad[i].text, bad[i].message);
}

TEST(braces_inside_braces_end_somewhere)
{
    UNUSED_STATE;
    char text[8192] = HEADER ".entry k() { mov.u32 ";
    size_t n = strlen(text);
    memset(text + n, '{', 4000);
    expect_message(text, "t.ptx:4:26: found '{', expected fewer braces inside each other");
    n = strlen(HEADER ".entry k() ");
    memset(text + n, '{', 4000);
    expect_message(text, "t.ptx:4:78: found '{', expected fewer nested braces");
}

TEST(a_text_may_end_anywhere)
{
    UNUSED_STATE;
    static const char text[] = HEADER ".global .u64 t[2] = {1, generic(t)+4};\n"
                                      ".section .debug_x { .b8 1 }\n"
                                      ".entry k(.param .u64 p) {\n"
                                      ".reg .b32 %r<4>; .reg .pred %p1; /* c */\n"
                                      "@!%p1 bra L; shfl.sync.up.b32 %r1|%p1, %r2, 0x1, 0, -1;\n"
                                      "L: add.f32 %r1, %r2, 0f3F800000; }\n";
    for (size_t n = 0; n < sizeof text; n++) {
        struct err err = ERR_INIT;
        char *copy = malloc(n + 1);
        memcpy(copy, text, n);
        struct ptx_module *m = ptx_parse("t.ptx", copy, n, &err);
        assert_true(m ? err.kind == ERR_NONE : err.kind == ERR_INPUT && err.what[0]);
        ptx_module_destroy(m);
        free(copy);
    }
}

RUN_TESTS(T(the_head_of_a_module_gives_version_and_target), T(braces_open_scopes_for_registers),
          T(braces_open_scopes_for_labels), T(an_inner_block_may_branch_to_a_label_further_out),
          T(several_statements_may_stand_on_one_line_and_one_on_several),
          T(addresses_have_a_base_and_a_signed_offset), T(two_results_are_two_operands),
          T(numbers_come_in_all_their_spellings), T(initialisers_fill_rows_and_leave_the_rest_zero),
          T(initialisers_may_hold_addresses), T(debug_sections_and_line_numbers_are_skipped),
          T(a_function_may_be_declared_before_it_is_given), T(parameters_lie_at_their_alignment),
          T(forms_that_compilers_emit_load), T(bad_texts_are_refused_with_place_and_reason),
          T(braces_inside_braces_end_somewhere), T(a_text_may_end_anywhere))
