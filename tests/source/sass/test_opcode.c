#include "testing.h"

#include "source/sass/opcode.h"

static struct slice word(const char *text)
{
    return (struct slice){text, strlen(text)};
}

static u32 bytes_of(const char *mnemonic)
{
    return opcode_bytes(opcode_find(word(mnemonic)), word(mnemonic));
}

static u32 span(const char *mnemonic, i32 operand, u32 sources)
{
    return opcode_registers(opcode_find(word(mnemonic)), word(mnemonic), operand, sources);
}

TEST(the_table_is_in_order_and_finds_each_of_its_rows)
{
    UNUSED_STATE;
    u32 count;
    const struct opcode *table = opcode_table(&count);
    for (u32 i = 0; i < count; i++) {
        assert_true(i == 0 || strcmp(table[i - 1].name, table[i].name) < 0);
        assert_ptr_equal(opcode_find(word(table[i].name)), &table[i]);
    }
}

TEST(modifiers_do_not_matter_for_what_an_opcode_is)
{
    UNUSED_STATE;
    static const struct {
        const char *mnemonic;
        u8 kind, unit, cost, space;
    } wanted[] = {
        {"FFMA", WINST_ARITHMETIC, UNIT_FP32, COST_MULTIPLY_ADD, SPACE_GENERIC},
        {"IMAD.MOV.U32", WINST_ARITHMETIC, UNIT_INT, COST_MULTIPLY_ADD, SPACE_GENERIC},
        {"IADD3.X", WINST_ARITHMETIC, UNIT_INT, COST_SIMPLE, SPACE_GENERIC},
        {"MUFU.RCP64H", WINST_ARITHMETIC, UNIT_SFU, COST_SIMPLE, SPACE_GENERIC},
        {"DFMA", WINST_ARITHMETIC, UNIT_FP64, COST_MULTIPLY_ADD, SPACE_GENERIC},
        {"HFMA2.MMA", WINST_ARITHMETIC, UNIT_FP16, COST_MULTIPLY_ADD, SPACE_GENERIC},
        {"HMMA.16816.F32", WINST_ARITHMETIC, UNIT_TENSOR, COST_MULTIPLY_ADD, SPACE_GENERIC},
        {"FMNMX", WINST_ARITHMETIC, UNIT_FP32, COST_SELECT, SPACE_GENERIC},
        {"LDG.E.128.CONSTANT.SYS", WINST_LOAD, UNIT_MEMORY, COST_SIMPLE, SPACE_GLOBAL},
        {"LD.E", WINST_LOAD, UNIT_MEMORY, COST_SIMPLE, SPACE_GENERIC},
        {"STS.U8", WINST_STORE, UNIT_MEMORY, COST_SIMPLE, SPACE_SHARED},
        {"LDL.64", WINST_LOAD, UNIT_MEMORY, COST_SIMPLE, SPACE_LOCAL},
        {"ATOMG.E.ADD.STRONG.GPU", WINST_ATOMIC, UNIT_MEMORY, COST_SIMPLE, SPACE_GLOBAL},
        {"RED.E.ADD.F32.FTZ.RN", WINST_ATOMIC, UNIT_MEMORY, COST_SIMPLE, SPACE_GLOBAL},
        {"LDGSTS.E.BYPASS.128", WINST_ASYNC_COPY, UNIT_MEMORY, COST_SIMPLE, SPACE_GLOBAL},
        {"LDGDEPBAR", WINST_ASYNC_COMMIT, UNIT_MEMORY, COST_SIMPLE, SPACE_GENERIC},
        {"DEPBAR.LE", WINST_ASYNC_WAIT, UNIT_MEMORY, COST_SIMPLE, SPACE_GENERIC},
        {"MEMBAR.SC.GPU", WINST_FENCE, UNIT_MEMORY, COST_SIMPLE, SPACE_GENERIC},
        {"BAR.SYNC.DEFER_BLOCKING", WINST_BARRIER, UNIT_BRANCH, COST_SIMPLE, SPACE_GENERIC},
        {"BRA.U", WINST_CONTROL, UNIT_BRANCH, COST_SIMPLE, SPACE_GENERIC},
        {"BSSY", WINST_ARITHMETIC, UNIT_BRANCH, COST_SIMPLE, SPACE_GENERIC},
        {"EXIT", WINST_EXIT, UNIT_BRANCH, COST_SIMPLE, SPACE_GENERIC},
        {"UIADD3", WINST_ARITHMETIC, UNIT_INT, COST_SIMPLE, SPACE_GENERIC},
        {"UTMALDG.3D", WINST_TRANSFER, UNIT_MEMORY, COST_SIMPLE, SPACE_GLOBAL},
        {"UBLKCP.S.G", WINST_TRANSFER, UNIT_MEMORY, COST_SIMPLE, SPACE_GLOBAL},
        {"HGMMA.64x128x16.F32", WINST_GROUP_MMA, UNIT_TENSOR, COST_MULTIPLY_ADD, SPACE_GENERIC},
        {"WARPGROUP.ARRIVE", WINST_GROUP_COMMIT, UNIT_TENSOR, COST_SIMPLE, SPACE_GENERIC},
        {"SYNCS.PHASECHK.TRANS64.TRYWAIT", WINST_ATOMIC, UNIT_MEMORY, COST_SIMPLE, SPACE_SHARED},
    };
    for (size_t i = 0; i < ARRAY_LEN(wanted); i++) {
        const struct opcode *op = opcode_find(word(wanted[i].mnemonic));
        assert_non_null(op);
        assert_int_equal(op->kind, wanted[i].kind);
        assert_int_equal(op->unit, wanted[i].unit);
        assert_int_equal(op->cost, wanted[i].cost);
        assert_int_equal(op->space, wanted[i].space);
    }
    assert_null(opcode_find(word("FROBNICATE.E")));
    assert_null(opcode_find(word("")));
    assert_null(opcode_find(word("LDGX")));
}

TEST(access_sizes_come_from_the_first_modifier_that_is_one)
{
    UNUSED_STATE;
    assert_int_equal(bytes_of("LDG.E"), 4);
    assert_int_equal(bytes_of("LDG.E.64.SYS"), 8);
    assert_int_equal(bytes_of("LDG.E.LTC128B.128.CONSTANT"), 16);
    assert_int_equal(bytes_of("LDG.E.LTC128B"), 4);
    assert_int_equal(bytes_of("LDG.E.U8"), 1);
    assert_int_equal(bytes_of("LDG.E.S8"), 1);
    assert_int_equal(bytes_of("LDS.S16"), 2);
    assert_int_equal(bytes_of("LDS.U.128"), 16);
    assert_int_equal(bytes_of("LDSM.16.M88.4"), 16);
    assert_int_equal(bytes_of("ATOMG.E.CAS.64.STRONG.GPU"), 8);
    assert_int_equal(bytes_of("RED.E.ADD.F64.RN.STRONG.GPU"), 8);
}

TEST(cache_operators_come_from_strength_and_hints)
{
    UNUSED_STATE;
    assert_int_equal(opcode_cache_operator(word("LDG.E.SYS")), CACHE_ALL);
    assert_int_equal(opcode_cache_operator(word("LDG.E.CONSTANT")), CACHE_ALL);
    assert_int_equal(opcode_cache_operator(word("LDG.E.STRONG.CTA")), CACHE_ALL);
    assert_int_equal(opcode_cache_operator(word("LDG.E.STRONG.GPU")), CACHE_GLOBAL);
    assert_int_equal(opcode_cache_operator(word("LDG.E.STRONG.SYS")), CACHE_VOLATILE);
    assert_int_equal(opcode_cache_operator(word("LD.E.CV")), CACHE_VOLATILE);
    assert_int_equal(opcode_cache_operator(word("LDGSTS.E.BYPASS.128")), CACHE_GLOBAL);
    assert_int_equal(opcode_cache_operator(word("LDG.E.EF.64")), CACHE_STREAM);
}

TEST(wide_operands_span_registers)
{
    UNUSED_STATE;
    assert_int_equal(span("LDG.E.64", -1, 1), 2);
    assert_int_equal(span("LDG.E.128", -1, 1), 4);
    assert_int_equal(span("LDG.E.128", 0, 1), 2); /* a 64-bit address */
    assert_int_equal(span("LDS.128", 0, 1), 1);
    assert_int_equal(span("STG.E.128", 1, 2), 4);
    assert_int_equal(span("LDG.E.U8", -1, 1), 1);
    assert_int_equal(span("LDSM.16.M88.4", -1, 1), 4);
    assert_int_equal(span("LDSM.16.MT88.2", -1, 1), 2);
    assert_int_equal(span("DFMA", -1, 3), 2);
    assert_int_equal(span("DFMA", 2, 3), 2);
    assert_int_equal(span("DSETP.GT.AND", -1, 2), 1);
    assert_int_equal(span("IMAD.WIDE.U32", -1, 3), 2);
    assert_int_equal(span("IMAD.WIDE.U32", 2, 3), 2);
    assert_int_equal(span("IMAD.WIDE.U32", 0, 3), 1);
    assert_int_equal(span("IMAD", -1, 3), 1);
    assert_int_equal(span("F2F.F64.F32", -1, 1), 2);
    assert_int_equal(span("F2F.F64.F32", 0, 1), 1);
    assert_int_equal(span("F2I.F64.TRUNC", 0, 1), 2);
    assert_int_equal(span("F2I.F64.TRUNC", -1, 1), 1);
    assert_int_equal(span("I2F.F64", -1, 1), 2);
    assert_int_equal(span("I2F.S64", 0, 1), 2);
    assert_int_equal(span("F2F.F32.F64", 0, 1), 2);
    assert_int_equal(span("CS2R", -1, 0), 2);
    assert_int_equal(span("CS2R.32", -1, 0), 1);
    assert_int_equal(span("HMMA.16816.F32", -1, 3), 4);
    assert_int_equal(span("HMMA.16816.F16", -1, 3), 2);
    assert_int_equal(span("HMMA.1688.F32", 0, 3), 2);
    assert_int_equal(span("HMMA.1688.F32.TF32", 0, 3), 4);
    assert_int_equal(span("IMMA.16816.S8.S8", 1, 3), 1);
    assert_int_equal(span("IMMA.16832.S8.S8", 1, 3), 2);
}

RUN_TESTS(T(the_table_is_in_order_and_finds_each_of_its_rows),
          T(modifiers_do_not_matter_for_what_an_opcode_is),
          T(access_sizes_come_from_the_first_modifier_that_is_one),
          T(cache_operators_come_from_strength_and_hints), T(wide_operands_span_registers))
