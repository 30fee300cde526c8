#include "testing.h"

#include "base/infix.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

/* A reader that writes down what it is asked to do: "(1+2)" for `1 + 2`. */
struct shape {
    char text[INFIX_BYTES];
};

static char failure[128];

static bool refuse(struct infix *x, const char *what)
{
    snprintf(failure, sizeof failure, "%s at '%s'", what, x->at);
    return false;
}

static bool operand(struct infix *x, void *out)
{
    struct shape *s = out;
    if (!isalnum((unsigned char)*x->at))
        return refuse(x, "expected a letter or digit");
    snprintf(s->text, sizeof s->text, "%c", *x->at++);
    return true;
}

static bool apply(struct infix *x, enum infix_operator op, void *a, const void *b,
                  const char *right)
{
    static const char *const names[] = {
        "|", "&", "!", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "-"};
    struct shape *s = a, old = *s;
    (void)x;
    if (b)
        snprintf(s->text, sizeof s->text, "(%.60s%s%.60s)", old.text, names[op],
                 ((const struct shape *)b)->text);
    else
        snprintf(s->text, sizeof s->text, "%s%.100s", names[op], old.text);
    return *right != '0' ||
           refuse(x, "a right side begins with 0"); /* where it was told to begin */
}

static bool square(struct infix *x, void *a)
{
    struct shape *s = a, old = *s;
    if (!infix_take(x, "^"))
        return true;
    snprintf(s->text, sizeof s->text, "[%.100s]", old.text);
    return true;
}

static const struct infix_reader reader = {.bytes = sizeof(struct shape),
                                           .operand = operand,
                                           .apply = apply,
                                           .suffix = square,
                                           .fail = refuse};

static const char *read(const char *text)
{
    static struct shape s;
    struct infix x = {.reader = &reader, .all = text, .at = text};
    return infix_read_all(&x, &s) ? s.text : failure;
}

TEST(the_strengths_are_those_of_arithmetic_then_comparison_not_and_or)
{
    UNUSED_STATE;
    assert_string_equal(read("1+2*3"), "(1+(2*3))");
    assert_string_equal(read("a or b and c"), "(a|(b&c))");
    assert_string_equal(read("not a < b + 1 and c"), "(!(a<(b+1))&c)");
    assert_string_equal(read("not not a"), "!!a");
    assert_string_equal(read("(a or b) and c"), "((a|b)&c)");
}

TEST(operators_of_one_strength_go_from_left_to_right)
{
    UNUSED_STATE;
    assert_string_equal(read("9-2-3"), "((9-2)-3)");
    assert_string_equal(read("8/2*2"), "((8/2)*2)");
}

TEST(a_sign_binds_tighter_than_any_operator_and_a_suffix_tighter_than_a_sign)
{
    UNUSED_STATE;
    assert_string_equal(read("-a*b"), "(-a*b)");
    assert_string_equal(read("- -a"), "--a");
    assert_string_equal(read("-a^"), "-[a]");
    assert_string_equal(read("(a+b)^"), "[(a+b)]");
}

TEST(comparisons_do_not_chain)
{
    UNUSED_STATE;
    assert_string_equal(read("a<=b"), "(a<=b)");
    assert_string_equal(read("a < b < c"), "expected an operator or the end at '< c'");
    assert_string_equal(read("(a<b)==(c<d)"), "((a<b)==(c<d))");
}

TEST(words_are_whole)
{
    UNUSED_STATE;
    assert_string_equal(read("a or b"), "(a|b)");
    assert_string_equal(read("a orb"), "expected an operator or the end at 'orb'");
}

TEST(mistakes_are_told_where_they_are)
{
    UNUSED_STATE;
    assert_string_equal(read("(a+b"), "expected ')' at ''");
    assert_string_equal(read("a+"), "expected a letter or digit at ''");
    assert_string_equal(read("a b"), "expected an operator or the end at 'b'");
    assert_string_equal(read("1+0"), "a right side begins with 0 at ''");
}

TEST(nesting_ends_at_forty)
{
    UNUSED_STATE;
    char deep[128] = "";
    memset(deep, '(', 39);
    strcat(deep, "a");
    memset(deep + strlen(deep), ')', 39);
    assert_string_equal(read(deep), "a");
    memset(deep, '(', 45);
    assert_non_null(strstr(read(deep), "it is nested too deeply"));
}

RUN_TESTS(T(the_strengths_are_those_of_arithmetic_then_comparison_not_and_or),
          T(operators_of_one_strength_go_from_left_to_right),
          T(a_sign_binds_tighter_than_any_operator_and_a_suffix_tighter_than_a_sign),
          T(comparisons_do_not_chain), T(words_are_whole), T(mistakes_are_told_where_they_are),
          T(nesting_ends_at_forty))
