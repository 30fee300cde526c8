/* Words of the plugin become instructions: joined accesses, folded steps, outcomes, faults. */
#include "testing.h"

#include "cpu_trace/record/thread.h"

static struct guest_code code;
static struct guest_thread thread;
static struct cpu_instruction said[64];
static u32 count;
static struct chunk chunk;

/* Block 0 at 0x100: load, add, jne to 0x100. Block 1 at 0x10a: rep stosb. Block 2 at 0x10c: ret.
 * Block 3 at 0x200: nop. */
static struct code_instruction instructions[] = {
    {.fixed = {.pc = 0x100, .length = 4, .class = CPU_LOAD}, .accesses = true},
    {.fixed = {.pc = 0x104, .length = 4, .class = CPU_ALU}},
    {.fixed = {.pc = 0x108,
               .length = 2,
               .class = CPU_BRANCH,
               .branch = CPU_CONDITIONAL,
               .target = 0x100}},
    {.fixed = {.pc = 0x10a, .length = 2, .class = CPU_STORE}, .repeats = true},
    {.fixed = {.pc = 0x10c, .length = 1, .class = CPU_BRANCH, .branch = CPU_RETURN},
     .accesses = true},
    {.fixed = {.pc = 0x200, .length = 1, .class = CPU_NOP}},
};

static struct code_block *block(u32 first, u32 members)
{
    struct code_block *b = malloc(sizeof *b + members * sizeof b->members[0]);
    b->count = members;
    for (u32 i = 0; i < members; i++)
        b->members[i] = &instructions[first + i];
    return b;
}

static bool say(void *context, u32 number, const struct cpu_instruction *i,
                const struct code_instruction *from)
{
    (void)context;
    (void)from;
    assert_int_equal(number, 5);
    assert_true(count < ARRAY_LEN(said));
    said[count++] = *i;
    return true;
}

static void begin(void)
{
    static struct code_block *blocks[4];
    if (!blocks[0]) {
        blocks[0] = block(0, 3);
        blocks[1] = block(3, 1);
        blocks[2] = block(4, 1);
        blocks[3] = block(5, 1);
    }
    code = (struct guest_code){.blocks = blocks, .block_count = 4};
    thread = (struct guest_thread){.number = 5};
    count = 0;
    chunk.used = 0;
}

static void put(u64 word)
{
    chunk.words[chunk.used++] = word;
}

static void runs(u32 number)
{
    put(WORD_BLOCK | number);
}

static void accesses(u32 index, bool is_store, u32 shift, u64 address)
{
    put(address | (is_store ? WORD_STORE : 0) | (u64)shift << WORD_SIZE_AT |
        (u64)index << WORD_INDEX_AT);
}

static void finish(void)
{
    assert_true(guest_thread_run(&thread, &code, &chunk, say, NULL));
    assert_true(guest_thread_end(&thread, &code, say, NULL));
}

TEST(a_branch_is_taken_when_the_next_block_is_its_target)
{
    UNUSED_STATE;
    begin();
    for (u32 i = 0; i < 2; i++) {
        runs(0);
        accesses(0, false, 3, 0x5000);
    }
    runs(2);
    accesses(0, false, 3, 0x7000);
    runs(3);
    finish();
    assert_int_equal(count, 8);
    assert_int_equal(said[0].read[0], 0x5000);
    assert_int_equal(said[0].read_bytes[0], 8);
    assert_true(said[2].taken);
    /* 0x10c is neither the target nor behind it, as if a block had been left out */
    assert_int_equal(said[5].pc, 0x108);
    assert_true(said[6].branch == CPU_RETURN && said[6].taken && said[6].target == 0x200);
}

TEST(pieces_of_an_access_are_joined)
{
    UNUSED_STATE;
    begin();
    runs(0);
    for (u32 i = 0; i < 4; i++)
        accesses(0, false, 3, 0x5000 + 8 * i);
    runs(0);
    accesses(0, false, 3, 0x6000);
    accesses(0, false, 3, 0x6100);
    finish();
    assert_int_equal(said[0].read_count, 1);
    assert_int_equal(said[0].read_bytes[0], 32);
    assert_int_equal(said[3].read_count, 2);
}

TEST(more_accesses_than_there_is_room_for_are_counted)
{
    UNUSED_STATE;
    begin();
    runs(0);
    for (u32 i = 0; i < 6; i++)
        accesses(0, false, 3, 0x5000 + 64 * i);
    finish();
    assert_int_equal(said[0].read_count, CPU_MOST_READS);
    assert_int_equal(thread.lost_accesses, 2);
}

TEST(steps_of_a_string_instruction_are_one)
{
    UNUSED_STATE;
    begin();
    for (u32 i = 0; i < 100; i++) {
        runs(1);
        accesses(0, true, 0, 0x9000 - i); /* downwards */
    }
    runs(1); /* the step that finds the count at 0 */
    runs(2);
    accesses(0, false, 3, 0x7000);
    runs(3);
    finish();
    assert_int_equal(count, 3);
    assert_int_equal(said[0].write_count, 1);
    assert_int_equal(said[0].write_bytes[0], 100);
    assert_int_equal(said[0].write[0], 0x9000 - 99);
}

TEST(a_fault_ends_a_block_at_the_access_that_is_missing)
{
    UNUSED_STATE;
    begin();
    runs(0); /* its load faults: the handler at 0x200 comes next */
    runs(3);
    finish();
    assert_int_equal(count, 1);
    assert_int_equal(said[0].pc, 0x200);
}

TEST(a_load_of_nothing_is_no_load)
{
    UNUSED_STATE;
    begin();
    runs(0); /* goes on where it should, so it was executed */
    runs(0);
    accesses(0, false, 3, 0x5000);
    finish();
    assert_int_equal(count, 6);
    assert_int_equal(said[0].class, CPU_ALU);
    assert_int_equal(said[3].class, CPU_LOAD);
}

RUN_TESTS(T(a_branch_is_taken_when_the_next_block_is_its_target), T(pieces_of_an_access_are_joined),
          T(more_accesses_than_there_is_room_for_are_counted),
          T(steps_of_a_string_instruction_are_one),
          T(a_fault_ends_a_block_at_the_access_that_is_missing), T(a_load_of_nothing_is_no_load))
