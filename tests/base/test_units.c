#include "testing.h"

#include "base/log.h"
#include "base/text.h"
#include "base/units.h"

TEST(units_convert_exactly_or_say_why_not)
{
    UNUSED_STATE;
    static const struct {
        const char *text, *unit;
        enum quantity_status status;
        u64 value;
    } rows[] = {
        {"16KiB", "bytes", QUANTITY_OK, 16384},
        {"16384", "bytes", QUANTITY_OK, 16384},
        {"16 KiB", "bytes", QUANTITY_OK, 16384},
        {"2.25MiB", "bytes", QUANTITY_OK, 2359296},
        {"1.4GHz", "Hz", QUANTITY_OK, 1400000000},
        {"924MHz", "kHz", QUANTITY_OK, 924000},
        {"20ns", "ps", QUANTITY_OK, 20000},
        {"0x40", "lines", QUANTITY_OK, 64},
        {"1_000_000", "cycles", QUANTITY_OK, 1000000},
        {"3cycles", "cycles", QUANTITY_OK, 3},
        {"1e3", "cycles", QUANTITY_OK, 1000},
        {"0", "bytes", QUANTITY_OK, 0},
        {"18446744073709551615", "cycles", QUANTITY_OK, UINT64_MAX},
        {"18446744073709551616", "cycles", QUANTITY_TOO_LARGE, 0},
        {"1152921504606846976", "cycles", QUANTITY_OK, (u64)1 << 60},
        {"1e41", "cycles", QUANTITY_TOO_LARGE, 0},
        {"0xffffffffffffffff", "cycles", QUANTITY_OK, UINT64_MAX},
        {"0x1ffffffffffffffff", "cycles", QUANTITY_TOO_LARGE, 0},
        {"99999999GiB", "bytes", QUANTITY_OK, 99999999ull << 30},
        {"99999999999GiB", "bytes", QUANTITY_TOO_LARGE, 0},
        {"1e30", "cycles", QUANTITY_TOO_LARGE, 0},
        {"0.3B", "bytes", QUANTITY_NOT_WHOLE, 0},
        {"1.5", "cycles", QUANTITY_NOT_WHOLE, 0},
        {"1ns", "s", QUANTITY_NOT_WHOLE, 0},
        {"16KB", "bytes", QUANTITY_UNKNOWN_UNIT, 0},
        {"16k", "bytes", QUANTITY_UNKNOWN_UNIT, 0},
        {"3ns", "bytes", QUANTITY_WRONG_DIMENSION, 0},
        {"3ns", "cycles", QUANTITY_WRONG_DIMENSION, 0},
        {"four", "cycles", QUANTITY_NOT_A_NUMBER, 0},
        {"", "cycles", QUANTITY_NOT_A_NUMBER, 0},
        {"-3", "cycles", QUANTITY_NOT_A_NUMBER, 0},
        {"1.2.3", "cycles", QUANTITY_NOT_A_NUMBER, 0},
        {"0x", "cycles", QUANTITY_NOT_A_NUMBER, 0},
        {".", "cycles", QUANTITY_NOT_A_NUMBER, 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        u64 got = 0;
        enum quantity_status st = quantity_u64(rows[i].text, rows[i].unit, &got);
        if (st != rows[i].status || (st == QUANTITY_OK && got != rows[i].value))
            fail_msg("'%s' as %s: status %d, value %llu", rows[i].text, rows[i].unit, (int)st,
                     (unsigned long long)got);
    }
}

TEST(units_read_fractions_correctly_rounded)
{
    UNUSED_STATE;
    double v;
    assert_int_equal(quantity_double("0.1", "", &v), QUANTITY_OK);
    assert_true(v == 0.1);
    assert_int_equal(quantity_double("-2.5", "", &v), QUANTITY_OK);
    assert_true(v == -2.5);
    assert_int_equal(quantity_double("1.1V", "mV", &v), QUANTITY_OK);
    assert_true(v == 1100);
    assert_int_equal(quantity_double("1.1A", "mV", &v), QUANTITY_UNKNOWN_UNIT);
}

TEST(units_print_what_reads_back_to_the_same_value)
{
    UNUSED_STATE;
    static const struct {
        u64 value;
        const char *unit, *text;
    } rows[] = {
        {16384, "bytes", "16KiB"},
        {1000, "bytes", "1000B"},
        {0, "bytes", "0B"},
        {1400000000, "Hz", "1.4GHz"},
        {924000000, "Hz", "924MHz"},
        {700000000, "Hz", "700MHz"},
        {1, "Hz", "1Hz"},
        {28, "cycles", "28"},
        {2359296, "bytes", "2304KiB"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char text[64];
        u64 back;
        quantity_text(rows[i].value, rows[i].unit, text, sizeof text);
        assert_string_equal(text, rows[i].text);
        assert_int_equal(quantity_u64(text, rows[i].unit, &back), QUANTITY_OK);
        assert_true(back == rows[i].value);
    }
}

TEST(text_grows_and_escapes_json)
{
    UNUSED_STATE;
    struct text t = {0};
    for (int i = 0; i < 1000; i++)
        text_printf(&t, "%d,", i % 10);
    assert_int_equal(t.length, 2000);
    t.length = 0;
    text_append_json(&t, "a\"b\\c\n");
    assert_string_equal(t.data, "a\\\"b\\\\c\\u000a");
    text_fini(&t);
}

static void remember(void *context, const char *line)
{
    snprintf(context, 64, "%s", line);
}

TEST(a_warning_goes_to_the_sink_and_without_a_log_nowhere)
{
    UNUSED_STATE;
    char last[64] = "";
    struct log log = {remember, last};
    log_warning(&log, "yes %d", 2);
    assert_string_equal(last, "yes 2");
    log_warning(NULL, "nobody hears");
    assert_string_equal(last, "yes 2");
}

RUN_TESTS(T(units_convert_exactly_or_say_why_not), T(units_read_fractions_correctly_rounded),
          T(units_print_what_reads_back_to_the_same_value), T(text_grows_and_escapes_json),
          T(a_warning_goes_to_the_sink_and_without_a_log_nowhere))
