/*
 * Random instructions of every row of the decoder's tables, executed by heddle and by QEMU's user
 * mode: registers, predicates, flags, first-fault register and memory are equal afterwards, at
 * several lengths of vectors.
 *
 * The executable is written here, so no compiler is needed. A case loads all registers, executes
 * two random instructions and stores all registers; HEDDLE_QEMU_CASES says how many cases there
 * are, HEDDLE_QEMU_SEED which.
 */
#include "aarch64/program.h"

#include "testing.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    CODE = 0x400000,
    DATA = 0x10000000,
    BLOCKS = 16,
    BLOCK_BYTES = 16384,
    PREDICATES_AT = 8192,
    GENERAL_AT = 9216,
    SCRATCH = DATA + BLOCKS * BLOCK_BYTES,
    SCRATCH_BYTES = 1 << 20,
    CELL = SCRATCH + SCRATCH_BYTES,
    OUT = CELL + 16,
    STATE_MOST = 9216,
    BASE_REGISTER = 28,
    INDEX_REGISTER = 27,
    WIDE_BASES = 30,
    NARROW_BASES = 29,
    OFFSETS = 31,
};

struct maker {
    u32 *words;
    u32 count, room;
    u64 random;
    u32 *case_at; /* the random instructions of each case */
};

static u64 next(struct maker *m)
{
    m->random += 0x9e3779b97f4a7c15;
    u64 z = m->random;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static void emit(struct maker *m, u32 word)
{
    assert_true(m->count < m->room);
    m->words[m->count++] = word;
}

static void constant(struct maker *m, u32 reg, u32 v)
{
    emit(m, 0xd2800000 | (v & 0xffff) << 5 | reg);
    emit(m, 0xf2a00000 | (v >> 16) << 5 | reg);
}

/* ldr and str of whole registers: kind 0x4000 is a vector. */
static void whole(struct maker *m, u32 what, u32 reg, u32 base, u32 index)
{
    emit(m, what | (index >> 3) << 16 | (index & 7) << 10 | base << 5 | reg);
}

static void load_state(struct maker *m)
{
    u32 block = DATA + (u32)(next(m) % BLOCKS) * BLOCK_BYTES;
    constant(m, 29, block);
    for (u32 i = 0; i < 32; i++)
        whole(m, 0x85804000, i, 29, i);
    constant(m, 30, block + PREDICATES_AT);
    for (u32 i = 0; i < 16; i++)
        whole(m, 0x85800000, i, 30, i);
    emit(m, 0x252c9000); /* setffr */
    constant(m, 30, block + GENERAL_AT);
    emit(m, 0xf9400000 | 29 << 10 | 30 << 5 | 29);
    emit(m, 0xd51b4200 | 29); /* msr nzcv */
    for (u32 i = 0; i < 29; i++)
        emit(m, 0xf9400000 | i << 10 | 30 << 5 | i);
}

static void store_state(struct maker *m)
{
    constant(m, 29, CELL);
    emit(m, 0xf9400000 | 29 << 5 | 29);
    for (u32 i = 0; i < 32; i++)
        whole(m, 0xe5804000, i, 29, i);
    emit(m, 0x04205000 | 29 << 16 | 31 << 5 | 29); /* addvl 31, 1 */
    emit(m, 0x04205000 | 29 << 16 | 1 << 5 | 29);
    for (u32 i = 0; i < 16; i++)
        whole(m, 0xe5800000, i, 29, i);
    emit(m, 0x2519f000); /* rdffr p0 */
    whole(m, 0xe5800000, 0, 29, 16);
    emit(m, 0x04605000 | 29 << 16 | 17 << 5 | 29); /* addpl 17 */
    for (u32 i = 0; i < 29; i++)
        emit(m, 0xf9000000 | i << 10 | 29 << 5 | i);
    emit(m, 0xd53b4200 | 30);
    emit(m, 0xf9000000 | 29 << 10 | 29 << 5 | 30);
    emit(m, 0x91000000 | 240 << 10 | 29 << 5 | 29);
    constant(m, 30, CELL);
    emit(m, 0xf9000000 | 30 << 5 | 29);
}

/* ---- random encodings ------------------------------------------------------------------------ */

static bool is(const struct a64_row *r, const char *name)
{
    return strcmp(r->name, name) == 0;
}

/* What a straight line cannot have, or what QEMU and heddle need not agree on: after its first
 * element QEMU ends a contiguous first-fault load where it likes, as it may. */
static bool is_left_out(const struct a64_row *r)
{
    static const char *const out[] = {"blr",  "br",   "ret",   "hint", "svc",   "brk",
                                      "ldxr", "stxr", "clrex", "bl",   "ldff1", "ldnf1"};
    for (u32 i = 0; i < ARRAY_LEN(out); i++) {
        if (is(r, out[i]))
            return true;
    }
    return (strncmp(r->name, "mrs", 3) == 0 || strncmp(r->name, "msr", 3) == 0) &&
           !strstr(r->name, "nzcv");
}

static u32 put(u32 word, u32 low, u32 v)
{
    return (word & ~(31u << low)) | v << low;
}

static u32 field_of(char letter)
{
    return letter == 'n' ? 5 : letter == 'm' ? 16 : letter == 'a' ? 10 : 0;
}

/* General registers are x0 to x26 or the zero register; bases and offsets are those of load_state.
 */
static u32 choose_registers(struct maker *m, const struct a64_row *r, u32 word)
{
    bool memory = r->class == A64_LOAD || r->class == A64_STORE;
    for (const char *o = r->operands; *o; o += *o != ' ' && o[1] && o[1] != ' ' ? 2 : 1) {
        if (*o == 'X' || *o == 'x' || *o == 'S' || *o == 's') {
            u32 v = (u32)(next(m) % 28);
            v = v == 27 ? (*o | 32) == 'x' ? 31 : 5 : v;
            if (memory && *o == 's')
                v = BASE_REGISTER;
            else if (memory && o[1] == 'm' && *o == 'x')
                v = INDEX_REGISTER;
            word = put(word, field_of(o[1]), v);
        } else if (strstr(r->name, "gather") || strstr(r->name, "scatter")) {
            if (o[0] == 'z' && o[1] == 'm')
                word = put(word, 16, OFFSETS);
            if (o[0] == 'z' && o[1] == 'n')
                word = put(word, 5, r->arg & 1 ? WIDE_BASES : NARROW_BASES);
        }
    }
    return word;
}

/* Forward by two instructions; what is loaded from code is close. */
static u32 choose_target(const struct a64_row *r, u32 word)
{
    if (is(r, "b"))
        return (word & 0xfc000000) | 2;
    if (is(r, "b.cond") || is(r, "cbz") || is(r, "cbnz"))
        return (word & 0xff00001f) | 2 << 5;
    if (is(r, "tbz") || is(r, "tbnz"))
        return (word & 0xfff8001f) | 2 << 5;
    if (is(r, "ldr") && (word >> 24 & 0x3b) == 0x18)
        return (word & 0xff00001f) | 3 << 5;
    return word;
}

static bool make(struct maker *m, const struct a64_pattern *p, u32 *word)
{
    for (u32 i = 0; i < 64; i++) {
        u32 w = (p->value & p->mask) | ((u32)next(m) & ~p->mask);
        w = choose_target(p->row, choose_registers(m, p->row, w));
        struct a64_op op;
        static struct a64_decoder decoder;
        if (!decoder.count)
            a64_decoder_init(&decoder);
        if ((w & p->mask) == p->value && a64_row_allows(p, w) && a64_decode(&decoder, w, &op) &&
            op.row == p->row) {
            *word = w;
            return true;
        }
    }
    return false;
}

static void make_case(struct maker *m, const struct a64_decoder *d, u32 number)
{
    u32 word;
    load_state(m);
    m->case_at[number] = m->count;
    do {
        const struct a64_pattern *p = &d->patterns[(number + (u32)(next(m) % 3)) % d->count];
        if (!is_left_out(p->row) && make(m, p, &word))
            break;
        number++;
    } while (true);
    emit(m, word);
    for (;;) {
        const struct a64_pattern *p = &d->patterns[next(m) % d->count];
        if (is_left_out(p->row) || p->row->class == A64_LOAD || p->row->class == A64_STORE ||
            !make(m, p, &word))
            continue;
        emit(m, word);
        break;
    }
    emit(m, 0xd503201f);
    store_state(m);
}

static void make_end(struct maker *m)
{
    static const u32 starts[2] = {OUT, SCRATCH};
    for (u32 i = 0; i < 2; i++) {
        constant(m, 0, 1);
        constant(m, 1, starts[i]);
        constant(m, 2, CELL);
        emit(m, 0xf9400000 | 2 << 5 | 2);
        emit(m, 0xcb010042); /* sub x2, x2, x1 */
        if (i)
            constant(m, 2, SCRATCH_BYTES);
        constant(m, 8, 64);
        emit(m, 0xd4000001);
    }
    constant(m, 0, 0);
    constant(m, 8, 93);
    emit(m, 0xd4000001);
}

/* ---- inputs --------------------------------------------------------------------------------- */

/* Bits, small numbers, floating point of the three precisions with its special values. */
static u64 value(struct maker *m)
{
    static const u64 special[] = {0,
                                  1,
                                  ~(u64)0,
                                  0x8000000000000000,
                                  0x7fffffffffffffff,
                                  0x7ff0000000000000,
                                  0xfff0000000000000,
                                  0x7ff8000000000001,
                                  0x7ff0000000000001,
                                  0x7f8000007f800001,
                                  0x7fc00001ff800000,
                                  0x3f8000003f800000,
                                  0x0000000180000001,
                                  0x3ff0000000000000,
                                  0x7c00fc007e01fd01,
                                  0x000183ff3c00bc00,
                                  0x7bff0400840078ff};
    u64 v = next(m);
    switch (v >> 60) {
    case 0:
    case 1:
    case 2:
        return special[next(m) % ARRAY_LEN(special)];
    case 3:
    case 4:
        return next(m) & 0xff000000ff;
    case 5:
    case 6:
        return (u64)(i64)(i8)next(m);
    case 7:
    case 8:
    case 9: { /* doubles close to each other */
        double f = (double)(i64)next(m) / 4e17;
        memcpy(&v, &f, 8);
        return v;
    }
    case 10:
    case 11:
    case 12: {
        float f[2] = {(float)(i64)next(m) / 4e17f, (float)(i64)next(m) / 4e18f};
        memcpy(&v, f, 8);
        return v;
    }
    case 13: /* halves close to each other */
        return (next(m) & 0x8fff8fff8fff8fff) | 0x3000300030003000;
    default:
        return next(m);
    }
}

static void fill_block(struct maker *m, u8 *block)
{
    for (u32 i = 0; i < PREDICATES_AT / 8; i++) {
        u64 v = value(m);
        memcpy(block + 8 * i, &v, 8);
    }
    for (u32 i = 0; i < 1024 / 8; i++) {
        u64 kind = next(m) % 4, v = kind == 0 ? ~(u64)0 : kind == 1 ? 0x0101010101010101 : next(m);
        memcpy(block + PREDICATES_AT + 8 * i, &v, 8);
    }
    for (u32 i = 0; i < 30; i++) {
        u64 v = value(m);
        if (i == BASE_REGISTER)
            v = SCRATCH + SCRATCH_BYTES / 2;
        if (i == INDEX_REGISTER)
            v = next(m) % 256;
        memcpy(block + GENERAL_AT + 8 * i, &v, 8);
    }
}

/* Registers 29 to 31 lie where the length puts them, so they are written for each. */
static void fill_addresses(struct maker *m, u8 *block, u32 vl)
{
    for (u32 i = 0; i < vl / 8; i++) {
        u32 narrow[2] = {SCRATCH + SCRATCH_BYTES / 2 + (u32)(next(m) % 2048),
                         SCRATCH + SCRATCH_BYTES / 2 + (u32)(next(m) % 2048)};
        u64 wide = SCRATCH + SCRATCH_BYTES / 2 + next(m) % 2048, offset = next(m) % 1024;
        memcpy(block + NARROW_BASES * vl + 8 * i, narrow, 8);
        memcpy(block + WIDE_BASES * vl + 8 * i, &wide, 8);
        memcpy(block + OFFSETS * vl + 8 * i, &offset, 8);
    }
}

/* ---- the executable -------------------------------------------------------------------------- */

static void write_executable(const char *path, const struct maker *m, const u8 *data, u32 cases)
{
    u64 code = 4096, code_bytes = m->count * 4ul, at = (code + code_bytes + 4095) & ~4095ul;
    u64 bytes = OUT - DATA;
    Elf64_Ehdr h = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                    .e_type = ET_EXEC,
                    .e_machine = EM_AARCH64,
                    .e_version = EV_CURRENT,
                    .e_entry = CODE,
                    .e_phoff = sizeof h,
                    .e_ehsize = sizeof h,
                    .e_phentsize = sizeof(Elf64_Phdr),
                    .e_phnum = 2};
    Elf64_Phdr s[2] = {{.p_type = PT_LOAD,
                        .p_flags = PF_R | PF_X,
                        .p_offset = code,
                        .p_vaddr = CODE,
                        .p_paddr = CODE,
                        .p_filesz = code_bytes,
                        .p_memsz = code_bytes,
                        .p_align = 4096},
                       {.p_type = PT_LOAD,
                        .p_flags = PF_R | PF_W,
                        .p_offset = at,
                        .p_vaddr = DATA,
                        .p_paddr = DATA,
                        .p_filesz = bytes,
                        .p_memsz = bytes + (u64)cases * STATE_MOST,
                        .p_align = 4096}};
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fwrite(&h, sizeof h, 1, f);
    fwrite(s, sizeof s, 1, f);
    fseek(f, (long)code, SEEK_SET);
    fwrite(m->words, 4, m->count, f);
    fseek(f, (long)at, SEEK_SET);
    assert_int_equal(fwrite(data, bytes, 1, f), 1);
    fclose(f);
    chmod(path, 0755);
}

struct output {
    u8 *bytes;
    u64 count, room;
};

static void take(void *context, const void *bytes, u64 count)
{
    struct output *o = context;
    assert_true(o->count + count <= o->room);
    memcpy(o->bytes + o->count, bytes, count);
    o->count += count;
}

static void run_here(const char *path, u32 vl, struct output *o)
{
    static struct a64_program p;
    struct err err = ERR_INIT;
    char text[2048];
    struct a64_arguments a = {.path = path, .vl = vl};
    if (!a64_program_open(&p, &a, &err)) {
        err_text(&err, text, sizeof text);
        fail_msg("%s", text);
    }
    p.thread.output = take;
    p.thread.output_context = o;
    a64_run(&p, UINT64_MAX);
    if (!a64_program_check(&p, &err)) {
        err_text(&err, text, sizeof text);
        fail_msg("%s", text);
    }
    a64_program_close(&p);
}

static void run_qemu(const char *path, u32 vl, struct output *o)
{
    char command[512], out[256];
    snprintf(out, sizeof out, "%s.out", path);
    snprintf(command, sizeof command, "qemu-aarch64 -cpu max,sve-default-vector-length=%u %s >%s",
             vl, path, out);
    int status = system(command);
    FILE *f = fopen(out, "rb");
    assert_non_null(f);
    o->count = fread(o->bytes, 1, o->room, f);
    fclose(f);
    unlink(out);
    if (status)
        fail_msg("%s: status %d", command, status);
}

static u32 state_bytes(u32 vl)
{
    return 32 * vl + 17 * vl / 8 + 240;
}

static void say_difference(const struct maker *m, u32 vl, const u8 *ours, const u8 *theirs, u64 at,
                           u64 states)
{
    u32 number = (u32)(at / state_bytes(vl)), in = (u32)(at % state_bytes(vl));
    struct a64_decoder *d = malloc(sizeof *d);
    struct a64_op op;
    char where[64] = "memory", names[2][32] = {"?", "?"};
    a64_decoder_init(d);
    if (at >= states)
        fail_msg("VL %u: byte %lu of memory is %02x, QEMU has %02x", vl * 8,
                 (unsigned long)(at - states), ours[at], theirs[at]);
    if (in < 32 * vl)
        snprintf(where, sizeof where, "z%u byte %u", in / vl, in % vl);
    else if (in < 32 * vl + 17 * vl / 8)
        snprintf(where, sizeof where, "p%u byte %u", (in - 32 * vl) / (vl / 8), in % (vl / 8));
    else
        snprintf(where, sizeof where, "x%u", (in - 32 * vl - 17 * vl / 8) / 8);
    const u32 *w = m->words + m->case_at[number];
    for (u32 i = 0; i < 2; i++) {
        if (a64_decode(d, w[i], &op))
            snprintf(names[i], sizeof names[i], "%s", op.row->name);
    }
    free(d);
    print_error("VL %u, case %u (%08x %s; %08x %s): %s is %02x, QEMU has %02x\n", vl * 8, number,
                w[0], names[0], w[1], names[1], where, ours[at], theirs[at]);
}

static void compare_at(struct maker *m, u8 *data, u32 cases, u32 vl)
{
    char path[] = "/tmp/heddle-sve-XXXXXX";
    int fd = mkstemp(path);
    u64 states = (u64)cases * state_bytes(vl), room = states + SCRATCH_BYTES + 4096;
    struct output ours = {malloc(room), 0, room}, theirs = {malloc(room), 0, room};
    assert_true(fd >= 0);
    close(fd);
    for (u32 i = 0; i < BLOCKS; i++)
        fill_addresses(m, data + i * BLOCK_BYTES, vl);
    write_executable(path, m, data, cases);
    run_here(path, vl, &ours);
    run_qemu(path, vl, &theirs);
    unlink(path);
    assert_int_equal(ours.count, states + SCRATCH_BYTES);
    assert_int_equal(theirs.count, ours.count);
    u32 differences = 0;
    for (u64 i = 0; i < ours.count && differences < 20; i++) {
        if (ours.bytes[i] == theirs.bytes[i])
            continue;
        say_difference(m, vl, ours.bytes, theirs.bytes, i, states);
        differences++;
        i = i < states ? (i / state_bytes(vl) + 1) * state_bytes(vl) - 1 : i; /* one of a case */
    }
    if (differences)
        fail_msg("%u cases or more differ", differences);
    free(ours.bytes);
    free(theirs.bytes);
}

static u32 number_from(const char *name, u32 otherwise)
{
    const char *v = getenv(name);
    return v ? (u32)strtoul(v, NULL, 10) : otherwise;
}

TEST(random_instructions_leave_what_they_leave_under_qemu_at_every_length)
{
    UNUSED_STATE;
    static const u32 lengths[] = {16, 32, 48, 64, 128, 256};
    if (system("qemu-aarch64 --version >/dev/null 2>&1"))
        skip();
    u32 cases = number_from("HEDDLE_QEMU_CASES", 1000);
    struct a64_decoder *d = malloc(sizeof *d);
    a64_decoder_init(d);
    struct maker m = {.room = cases * 256 + 4096, .random = number_from("HEDDLE_QEMU_SEED", 1)};
    m.words = malloc(m.room * sizeof *m.words);
    m.case_at = malloc(cases * sizeof *m.case_at);
    for (u32 i = 0; i < cases; i++)
        make_case(&m, d, i);
    make_end(&m);
    u8 *data = calloc(1, OUT - DATA);
    for (u32 i = 0; i < BLOCKS; i++)
        fill_block(&m, data + i * BLOCK_BYTES);
    for (u32 i = SCRATCH - DATA; i < CELL - DATA; i += 8) {
        u64 v = value(&m);
        memcpy(data + i, &v, 8);
    }
    memcpy(data + CELL - DATA, &(u64){OUT}, 8);
    for (u32 i = 0; i < ARRAY_LEN(lengths); i++)
        compare_at(&m, data, cases, lengths[i]);
    free(data);
    free(m.words);
    free(m.case_at);
    free(d);
}

RUN_TESTS(T(random_instructions_leave_what_they_leave_under_qemu_at_every_length))
