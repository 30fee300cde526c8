#include "dram/bed.h"

static double peak_gb(const struct dram_config *c)
{
    struct dram_timing t;
    dram_resolve(c, &t);
    return dram_peak_bytes_per_second(&t) / 1e9;
}

TEST(the_default_is_the_memory_of_a_gtx_480)
{
    UNUSED_STATE;
    struct dram_config c = bed_config(DRAM_GDDR5);
    struct dram_timing t;
    dram_resolve(&c, &t);
    const struct dram_config *r = &t.config;
    assert_int_equal(r->clock_hz, 924000000);
    const u32 got[] = {r->channels, r->bus_bits, r->banks, r->bank_groups, r->queue_entries,
                       r->ccd,      r->rrd,      r->rcd,   r->ras,         r->rp,
                       r->rc,       r->cl,       r->wl,    r->cdlr,        r->wr,
                       r->ccdl,     r->rtpl,     r->refi,  r->faw,         r->pipe_cycles};
    const u32 want[] = {6, 64, 16, 4, 16, 2, 6, 12, 28, 12, 40, 12, 4, 5, 12, 3, 2, 0, 0, 100};
    assert_memory_equal(got, want, sizeof want);
    assert_int_equal(t.burst_bytes, 64);
    assert_int_equal(t.burst_clocks, 2);
    assert_int_equal(r->rtw, 12); /* CL 12 + 2 + 2 - WL 4 */
    assert_int_equal(t.write_to_read, 11);
    assert_int_equal(t.write_to_precharge, 18);
}

TEST(peak_bandwidth_is_what_the_pins_move)
{
    UNUSED_STATE;
    static const struct {
        enum dram_preset preset;
        double gb;
    } rows[] = {
        {DRAM_GDDR5, 177.4}, /* 384 bits x 3.696 Gb/s */
        {DRAM_GDDR6, 336.0}, /* 192 bits x 14 Gb/s: RTX 2060 */
        {DRAM_DDR3, 25.6},   /* two channels of DDR3-1600 */
        {DRAM_DDR4, 51.2},   /* two channels of DDR4-3200 */
        {DRAM_HBM2, 870.4},  /* 4096 bits x 1.7 Gb/s: V100 */
        {DRAM_HBM3, 4915.2}, /* 6144 bits x 6.4 Gb/s: six stacks */
    };
    assert_int_equal(ARRAY_LEN(rows), DRAM_PRESETS);
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        struct dram_config c = bed_config(rows[i].preset);
        assert_true(peak_gb(&c) > rows[i].gb - 0.05 && peak_gb(&c) < rows[i].gb + 0.05);
    }
    struct dram_config c = bed_config(DRAM_GDDR5);
    c.bus_bits = 256;
    assert_true(peak_gb(&c) > 709.6 && peak_gb(&c) < 709.7);
}

TEST(a_field_that_is_set_overrides_the_preset_and_no_other)
{
    UNUSED_STATE;
    struct dram_config c = bed_config(DRAM_DDR4);
    struct dram_timing before, after;
    dram_resolve(&c, &before);
    c.rcd = 99;
    dram_resolve(&c, &after);
    assert_int_equal(after.config.rcd, 99);
    before.config.rcd = 99;
    /* what is behind the last field is nobody's */
    assert_memory_equal(&before, &after,
                        offsetof(struct dram_timing, write_done) + sizeof before.write_done);
}

TEST(every_preset_sets_every_number)
{
    UNUSED_STATE;
    for (u32 preset = 0; preset < DRAM_PRESETS; preset++) {
        struct dram_config c = bed_config(preset);
        struct dram_timing t;
        dram_resolve(&c, &t);
        for (const struct param *p = dram_params; p->type != PARAM_END; p++) {
            bool may_be_none =
                !strcmp(p->name, "faw") || !strcmp(p->name, "refi") || !strcmp(p->name, "rfc");
            u32 value;
            memcpy(&value, (const char *)&t.config + p->offset, sizeof value);
            if (p->type == PARAM_U32 && value == 0 && !(may_be_none && preset == DRAM_GDDR5))
                fail_msg("preset %u has no %s", preset, p->name);
        }
        struct config none = {0};
        struct err err = ERR_INIT;
        assert_true(dram_check(&c, &none, &err));
    }
}

TEST(spacings_are_at_least_what_the_bus_needs)
{
    UNUSED_STATE;
    struct dram_config c = bed_config(DRAM_GDDR5);
    c.burst_length = 32; /* 8 clocks */
    c.rtw = 1;
    struct dram_timing t;
    dram_resolve(&c, &t);
    assert_int_equal(t.config.ccd, 8);
    assert_int_equal(t.config.ccdl, 8);
    assert_int_equal(t.config.rtw, 12 + 8 - 4);
    c.wl = 100; /* written data comes so late that reads are long over */
    dram_resolve(&c, &t);
    assert_int_equal(t.config.rtw, 8);
}

TEST(the_pipe_is_as_long_in_either_clock)
{
    UNUSED_STATE;
    struct dram_config c = bed_config(DRAM_GDDR5);
    struct dram_timing t;
    dram_resolve(&c, &t);
    assert_int_equal(dram_pipe_clocks(&t, 1400000000), 66); /* 100 x 924 / 1400 */
    assert_int_equal(dram_pipe_clocks(&t, 924000000), 100);
}

TEST(sizes_that_cannot_be_are_told_with_what_was_expected)
{
    UNUSED_STATE;
    static const struct {
        u32 banks, bank_groups, low_bank_bits, row_bytes, bus_bits, refi;
        const char *message;
    } rows[] = {
        {12, 4, 1, 0, 0, 0, "banks is 12, expected a power of two"},
        {0, 3, 1, 0, 0, 0, "bank_groups is 3, expected a divisor of banks = 16"},
        {2, 1, 2, 0, 0, 0, "low_bank_bits is 2, expected no more bits than 2 banks have"},
        {0, 0, 1, 3000, 0, 0, "row_bytes is 3000, expected a power of two of at least 256"},
        {0, 0, 1, 0, 12, 0, "bus_bits is 12, expected a multiple of 8"},
        /* 0 + RC 40 + write to precharge 18 + 16 banks */
        {0, 0, 1, 0, 0, 147,
         "refi is 147, expected at least twice the 74 clocks that a refresh may take"},
        {0, 0, 1, 0, 0, 148, ""},
    };
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        struct dram_config c = bed_config(DRAM_GDDR5);
        c.banks = rows[i].banks;
        c.bank_groups = rows[i].bank_groups;
        c.low_bank_bits = rows[i].low_bank_bits;
        c.row_bytes = rows[i].row_bytes;
        c.bus_bits = rows[i].bus_bits;
        c.refi = rows[i].refi;
        struct config none = {0};
        struct err err = ERR_INIT;
        char text[1600] = "";
        bool ok = dram_check(&c, &none, &err);
        assert_int_equal(ok, rows[i].message[0] == '\0');
        if (!ok)
            err_text(&err, text, sizeof text);
        if (!strstr(text, rows[i].message))
            fail_msg("row %u: %s", i, text);
    }
}

/* Fermi: 256 B chunks go round two banks, then along the row, then to the next two banks. */
TEST(an_address_splits_into_bank_and_row_as_on_a_gtx_480)
{
    UNUSED_STATE;
    struct dram_config c = bed_config(DRAM_GDDR5);
    struct dram_timing t;
    dram_resolve(&c, &t);
    struct dram_layout l = dram_layout(&t, 256);
    static const struct {
        u64 byte, row;
        u32 bank;
    } rows[] = {
        {0, 0, 0},    {255, 0, 0},        {256, 0, 1},    {512, 0, 0},   {8191, 0, 1},
        {8192, 0, 2}, {8192 + 256, 0, 3}, {65535, 0, 15}, {65536, 1, 0}, {65536 * 7 + 256, 7, 1},
    };
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        assert_int_equal(dram_locate(&l, rows[i].byte).bank, rows[i].bank);
        assert_int_equal(dram_locate(&l, rows[i].byte).row, rows[i].row);
    }
    /* with hashing, row 7 swaps bank 1 for 1 XOR 7 */
    l.hash_banks = true;
    assert_int_equal(dram_locate(&l, 65536 * 7 + 256).bank, 6);
    /* an interleave of more than a row: the row is the chunk */
    l = dram_layout(&t, 16384);
    assert_int_equal(dram_locate(&l, 4095).bank, 0);
    assert_int_equal(dram_locate(&l, 4096).bank, 1);
    assert_int_equal(dram_locate(&l, 8192).bank, 2);
}

RUN_TESTS(T(the_default_is_the_memory_of_a_gtx_480), T(peak_bandwidth_is_what_the_pins_move),
          T(a_field_that_is_set_overrides_the_preset_and_no_other),
          T(every_preset_sets_every_number), T(spacings_are_at_least_what_the_bus_needs),
          T(the_pipe_is_as_long_in_either_clock),
          T(sizes_that_cannot_be_are_told_with_what_was_expected),
          T(an_address_splits_into_bank_and_row_as_on_a_gtx_480))
