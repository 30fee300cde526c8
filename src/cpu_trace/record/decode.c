#include "cpu_trace/record/decode.h"

#include <stdio.h>
#include <string.h>

const char *const cpu_machine_names[MACHINE_COUNT] = {"x86_64", "aarch64"};

static const struct machine_row {
    cs_arch arch;
    cs_mode mode;
    u8 (*number)(const char *name);
    void (*decode)(struct decoder *d, const cs_insn *insn, struct decoded *out);
} rows[MACHINE_COUNT] = {
    [MACHINE_X86_64] = {CS_ARCH_X86, CS_MODE_64, decode_x86_register, decode_x86},
    [MACHINE_AARCH64] = {CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, decode_arm_register, decode_arm},
};

bool decoder_open(struct decoder *d, enum cpu_machine machine, struct err *err)
{
    *d = (struct decoder){.machine = machine};
    if (cs_open(rows[machine].arch, rows[machine].mode, &d->library) != CS_ERR_OK)
        return err_kind(err, ERR_INTERNAL, "the Capstone library could not be started for %s",
                        cpu_machine_names[machine]);
    cs_option(d->library, CS_OPT_DETAIL, CS_OPT_ON);
    d->scratch = cs_malloc(d->library);
    for (u32 i = 1; i < ARRAY_LEN(d->registers); i++) {
        const char *name = cs_reg_name(d->library, i);
        d->registers[i] = name ? rows[machine].number(name) : CPU_REG_NONE;
    }
    return true;
}

void decoder_close(struct decoder *d)
{
    if (d->scratch)
        cs_free(d->scratch, 1);
    if (d->library)
        cs_close(&d->library);
    *d = (struct decoder){0};
}

static void add(u8 *list, u8 *count, u32 most, u8 reg)
{
    if (reg == CPU_REG_NONE || *count == most || memchr(list, reg, *count))
        return;
    list[(*count)++] = reg;
}

void decode_add_source(struct cpu_instruction *i, u8 reg)
{
    add(i->sources, &i->source_count, CPU_MOST_SOURCES, reg);
}

void decode_add_destination(struct cpu_instruction *i, u8 reg)
{
    add(i->destinations, &i->destination_count, CPU_MOST_DESTINATIONS, reg);
}

u8 decode_class(const struct decode_row *r, const char *mnemonic)
{
    for (; r->word; r++) {
        if (strncmp(mnemonic, r->word, strlen(r->word)) == 0)
            return r->class;
    }
    return CPU_CLASS_COUNT;
}

void decode_add_registers(struct decoder *d, const cs_insn *insn, struct cpu_instruction *f)
{
    cs_regs read, written;
    u8 reads, writes;
    if (cs_regs_access(d->library, insn, read, &reads, written, &writes) != CS_ERR_OK)
        return;
    for (u32 i = 0; i < reads; i++)
        decode_add_source(f, read[i] < ARRAY_LEN(d->registers) ? d->registers[read[i]] : 0);
    for (u32 i = 0; i < writes; i++)
        decode_add_destination(f,
                               written[i] < ARRAY_LEN(d->registers) ? d->registers[written[i]] : 0);
}

void decoder_decode(struct decoder *d, u64 pc, const u8 *bytes, u32 length, struct decoded *out)
{
    const u8 *at = bytes;
    size_t left = length;
    uint64_t address = pc;
    *out = (struct decoded){.fixed = {.pc = pc, .length = (u8)length, .class = CPU_SYSTEM},
                            .text = "?"};
    if (!cs_disasm_iter(d->library, &at, &left, &address, d->scratch))
        return;
    const cs_insn *insn = d->scratch;
    snprintf(out->text, sizeof out->text, "%s%s%s", insn->mnemonic, *insn->op_str ? " " : "",
             insn->op_str);
    rows[d->machine].decode(d, insn, out);
}
