/* A thread that leaves a core which goes out of use: cycles worked out by hand. The caches are
 * perfect, the clock is 1 GHz, so a ns is a cycle. */
#include "cpu/bed.h"

#include <elf.h>
#include <unistd.h>

#define FIRST_ISSUE 10u
#define ADD_X7 0x910004e7u
#define PIN 0xd5032c1fu
#define UNPIN 0xd5032c3fu

enum { CODE = 0x400000, MOST_WORDS = 4096 };

struct code {
    u32 words[MOST_WORDS];
    u32 count;
};

static char path[64];

static void add(struct code *c, u32 word, u32 times)
{
    for (; times; times--)
        c->words[c->count++] = word;
}

static void write_program(struct code *c)
{
    static const u32 end[] = {0xd2800000, 0xd2800ba8, 0xd4000001}; /* exit(0) */
    for (u32 i = 0; i < ARRAY_LEN(end); i++)
        add(c, end[i], 1);
    Elf64_Ehdr h = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                    .e_type = ET_EXEC,
                    .e_machine = EM_AARCH64,
                    .e_entry = CODE,
                    .e_phoff = sizeof h,
                    .e_phentsize = sizeof(Elf64_Phdr),
                    .e_phnum = 1};
    Elf64_Phdr s = {.p_type = PT_LOAD,
                    .p_flags = PF_R | PF_X,
                    .p_offset = sizeof h + sizeof s,
                    .p_vaddr = CODE,
                    .p_filesz = c->count * 4ul,
                    .p_memsz = c->count * 4ul};
    snprintf(path, sizeof path, "/dev/shm/test-mover-%d", (int)getpid());
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fwrite(&h, sizeof h, 1, f);
    fwrite(&s, sizeof s, 1, f);
    fwrite(c->words, 4, c->count, f);
    fclose(f);
}

static struct core_mover *mover;
static bool has_left;

static void ended(void *context, struct core *core, cycle_t now)
{
    struct bed *b = context;
    has_left = core == mover->at && mover_has_left(mover, now);
    engine_stop(&b->sim.engine);
}

static const char *little_bits = "core.little.vector_bits=256";

struct run {
    struct mover_counts moves;
    u64 big_cycles, little_cycles;
    u64 little_instructions;
};

/* A big core of 512 bits and a LITTLE one of the same width. */
static struct run run_with(struct code *c, const char *disable, const char *period)
{
    const char *const sets[] = {"core.count=2",
                                "core.clock_hz=1000000000",
                                "core.l1i.perfect=true",
                                "core.l1d.perfect=true",
                                "core.branch.perfect=true",
                                "core.vector.bits=512",
                                "core.little.count=1",
                                little_bits,
                                "core.little.width=4",
                                "core.move.policy=activity",
                                "core.move.activity_below=0",
                                "core.move.stalls_above=100",
                                period,
                                disable,
                                NULL};
    struct bed b;
    struct cpu_stream s;
    struct err err = ERR_INIT;
    char name[96];
    write_program(c);
    snprintf(name, sizeof name, "aarch64:%s", path);
    bed_open(&b, sets);
    mover = &b.cluster->mover;
    for (u32 i = 0; i < 2; i++) {
        bed_core(&b, i)->on_end = ended;
        bed_core(&b, i)->context = &b;
    }
    if (!cpu_stream_open(&s, &(struct cpu_stream_request){.name = name, .vector_bits = 512}, &err))
        bed_fail(&err);
    core_start(bed_core(&b, 0), &s, 0);
    mover->end = 2;
    mover_begin(mover, bed_core(&b, 0), &s, 0);
    do {
        has_left = false;
        assert_int_equal(engine_run(&b.sim.engine), ENGINE_STOPPED);
        if (has_left)
            mover_arrive(mover);
    } while (has_left);
    struct run r = {.moves = mover->counts,
                    .big_cycles = bed_core(&b, 0)->counts.cycles,
                    .little_cycles = bed_core(&b, 1)->counts.cycles,
                    .little_instructions = bed_core(&b, 1)->counts.instructions};
    cpu_stream_close(&s);
    bed_close(&b);
    unlink(path);
    return r;
}

static const char at_300[] = "core.move.disable_big_ns=300",
                  seldom[] = "core.move.period_ns=100000";

/* A chain of n additions ends in cycle FIRST_ISSUE + n, and takes one cycle more than that. */
TEST(a_core_that_goes_out_of_use_waits_until_its_thread_is_not_pinned)
{
    UNUSED_STATE;
    struct code c = {0};
    add(&c, PIN, 1);
    add(&c, ADD_X7, 1000);
    add(&c, UNPIN, 1);
    add(&c, ADD_X7, 500);
    struct run r = run_with(&c, at_300, seldom);
    assert_int_equal(r.moves.to_little, 1);
    assert_int_equal(r.moves.to_big, 0);
    assert_int_equal(r.moves.pinned_moves, 0);
    assert_int_equal(r.big_cycles, FIRST_ISSUE + 1000 + 1);
    assert_int_equal(r.moves.longest_wait_cycles, FIRST_ISSUE + 1000 - 300);
    assert_int_equal(r.moves.drain_cycles, FIRST_ISSUE + 1000 - 300);
    /* 31 registers in 4 lines, to an L2 of 8 cycles and back */
    assert_int_equal(r.moves.transfer_bytes, 31 * 8);
    assert_int_equal(r.moves.transfer_cycles, 2 * (8 + 4));
    assert_int_equal(r.little_instructions, 500 + 3);
    assert_int_equal(r.little_cycles, 2 * (8 + 4) + FIRST_ISSUE + 500 + 1);
}

/* With what it has fetched: whole batches of the stream. */
TEST(a_thread_that_is_not_pinned_leaves_with_what_is_in_its_core)
{
    UNUSED_STATE;
    struct code c = {0};
    add(&c, ADD_X7, 1500);
    struct run r = run_with(&c, at_300, seldom);
    u64 done = 1500 + 3 - r.little_instructions;
    assert_int_equal(r.moves.to_little, 1);
    assert_int_equal(done % 64, 0);
    assert_int_equal(r.big_cycles, FIRST_ISSUE + done + 1);
    assert_int_equal(r.moves.longest_wait_cycles, FIRST_ISSUE + done - 300);
    assert_int_equal(r.little_cycles, 2 * (8 + 4) + FIRST_ISSUE + (1500 - done) + 1);
}

TEST(a_thread_that_is_pinned_to_its_end_is_never_forced_to_move)
{
    UNUSED_STATE;
    struct code c = {0};
    add(&c, PIN, 1);
    add(&c, ADD_X7, 1500);
    struct run r = run_with(&c, at_300, seldom);
    assert_int_equal(r.moves.to_little, 0);
    assert_int_equal(r.little_instructions, 0);
    assert_int_equal(r.big_cycles, FIRST_ISSUE + 1500 + 1);
}

/* Its 512 bits do not fit 256: with as long vectors the pinned thread would go at once. */
TEST(a_pinned_thread_leaves_for_a_core_whose_vectors_are_as_long)
{
    UNUSED_STATE;
    struct code c = {0};
    add(&c, PIN, 1);
    add(&c, ADD_X7, 1500);
    little_bits = "core.little.vector_bits=512";
    struct run r = run_with(&c, at_300, seldom);
    little_bits = "core.little.vector_bits=256";
    assert_int_equal(r.moves.to_little, 1);
    assert_int_equal(r.moves.pinned_moves, 1);
    /* 32 vectors of 64 bytes and 16 predicates of 8: 2,424 bytes in 38 lines */
    assert_int_equal(r.moves.transfer_bytes, 31 * 8 + 32 * 64 + 16 * 8);
    assert_int_equal(r.moves.transfer_cycles, 2 * (8 + 38));
}

/* The first period begins in cycle 1; a program without accesses of vectors wishes to be on a
 * LITTLE core. */
TEST(a_wish_is_looked_at_when_a_period_ends_and_not_before)
{
    UNUSED_STATE;
    struct code c = {0};
    add(&c, PIN, 1);
    add(&c, ADD_X7, 1000);
    add(&c, UNPIN, 1);
    add(&c, ADD_X7, 500);
    struct run r = run_with(&c, "core.move.disable_big_ns=0", "core.move.period_ns=130");
    assert_int_equal(r.moves.to_little, 1);
    assert_int_equal(r.moves.longest_wait_cycles, FIRST_ISSUE + 1000 - 131);
}

RUN_TESTS(T(a_core_that_goes_out_of_use_waits_until_its_thread_is_not_pinned),
          T(a_thread_that_is_not_pinned_leaves_with_what_is_in_its_core),
          T(a_thread_that_is_pinned_to_its_end_is_never_forced_to_move),
          T(a_pinned_thread_leaves_for_a_core_whose_vectors_are_as_long),
          T(a_wish_is_looked_at_when_a_period_ends_and_not_before))
