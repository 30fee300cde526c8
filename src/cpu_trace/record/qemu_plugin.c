/*
 * The plugin that QEMU loads when heddle records a program: says which blocks of code a guest's
 * threads execute and which addresses they access, in the memory of channel.h.
 *
 * It does as little as can be: decoding, folding and packing are heddle's work, in another
 * process and so on another core. A block is said when it begins; the accesses behind it say how
 * far it came.
 */
#include "cpu_trace/record/channel.h"
#include "cpu_trace/record/qemu_api.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

QEMU_EXPORT int qemu_plugin_version = QEMU_API_VERSION;
QEMU_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc,
                                    char **argv);

#define MOST_MAPS 1024

/* A plugin has no place for its state but here. */
static struct channel *channel;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct chunk *definitions;
static uint32_t block_count, thread_count, chunk_count;
static bool is_orphan; /* the child of a fork, of which nobody wants to hear */
static atomic_bool is_recording;
static struct {
    uint64_t begin, end;
} maps[MOST_MAPS];
static uint32_t map_count;

/* By QEMU's number of the virtual CPU, which is used again when a thread has ended. */
static struct thread {
    struct chunk *chunk; /* NULL: it is not recorded, or has said nothing yet */
    uint32_t number;
    bool is_wanted;
} threads[2 * CHANNEL_THREADS];

/* ---- chunks ---- */

/* Under the lock. Waits while heddle is too far behind. */
static struct chunk *take_chunk(uint32_t state, uint32_t thread)
{
    uint32_t n = 0;
    while (queue_length(&channel->full) >= CHANNEL_QUEUED && !is_orphan)
        queue_wait_below(&channel->full, CHANNEL_QUEUED);
    if (!queue_take(&channel->empty, &n)) {
        if (chunk_count == CHANNEL_CHUNKS)
            return NULL;
        n = chunk_count++;
    }
    struct chunk *c = &channel->chunk[n];
    c->thread = thread;
    c->used = 0;
    c->state = state;
    return c;
}

/* Under the lock. */
static void hand_over(struct chunk *c)
{
    queue_put(&channel->full, (uint32_t)(c - channel->chunk));
}

static void hand_over_definitions(void)
{
    if (definitions && definitions->used) {
        hand_over(definitions);
        definitions = NULL;
    }
}

/* Room for another word; NULL: none is wanted. */
static struct chunk *next_chunk(struct thread *t)
{
    if (!t->is_wanted)
        return NULL;
    if (is_orphan && t->chunk) {
        t->chunk->used = 0;
        return t->chunk;
    }
    pthread_mutex_lock(&lock);
    if (t->chunk) {
        hand_over_definitions();
        hand_over(t->chunk);
    }
    t->chunk = take_chunk(CHUNK_RUN, t->number);
    t->is_wanted = t->chunk != NULL;
    pthread_mutex_unlock(&lock);
    return t->chunk;
}

static inline void put_word(unsigned int vcpu, uint64_t word)
{
    struct thread *t = &threads[vcpu];
    struct chunk *c = t->chunk;
    if (__builtin_expect(!c || c->used == CHUNK_WORDS, 0) && !(c = next_chunk(t)))
        return;
    c->words[c->used] = word;
    c->used++;
}

/* ---- definitions ---- */

/* Under the lock: room for so many bytes. */
static uint8_t *define(size_t bytes)
{
    if (definitions && definitions->used + bytes > CHUNK_DATA)
        hand_over_definitions();
    if (!definitions)
        definitions = take_chunk(CHUNK_DEFINITIONS, 0);
    if (!definitions || bytes > CHUNK_DATA)
        return NULL;
    uint8_t *at = definitions->bytes + definitions->used;
    definitions->used += (uint32_t)bytes;
    return at;
}

static uint8_t *put(uint8_t *at, const void *data, size_t bytes)
{
    memcpy(at, data, bytes);
    return at + bytes;
}

static void define_map(uint64_t begin, uint64_t end, uint64_t offset, const char *name)
{
    uint16_t length = (uint16_t)strlen(name);
    uint8_t *at = define(1 + 3 * 8 + 2 + (size_t)length);
    if (!at)
        return;
    *at++ = DEFINE_MAP;
    at = put(at, &begin, 8);
    at = put(at, &end, 8);
    at = put(at, &offset, 8);
    at = put(at, &length, 2);
    put(at, name, length);
}

/* Which files the guest's code comes from: told anew when a block lies in none of those known. */
static void define_maps(uint64_t pc, uint64_t base)
{
    char line[PATH_MAX + 256], name[PATH_MAX];
    for (uint32_t i = 0; i < map_count; i++) {
        if (pc >= maps[i].begin && pc < maps[i].end)
            return;
    }
    FILE *f = fopen("/proc/self/maps", "re");
    for (map_count = 0; f && map_count < MOST_MAPS && fgets(line, sizeof line, f);) {
        unsigned long begin, end, offset;
        if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %4095s", &begin, &end, &offset, name) != 4 ||
            name[0] != '/' || end <= base)
            continue;
        maps[map_count].begin = begin - base;
        maps[map_count++].end = end - base;
        define_map(begin - base, end - base, offset, name);
    }
    if (f)
        fclose(f);
    /* code that comes from no file is not looked for again */
    if (map_count < MOST_MAPS) {
        maps[map_count].begin = pc & ~(uint64_t)4095;
        maps[map_count].end = (pc | 4095) + 1;
        map_count++;
    }
}

static uint32_t define_block(const struct qemu_plugin_tb *tb, size_t count)
{
    size_t bytes = 1 + 4 + 2;
    for (size_t i = 0; i < count; i++)
        bytes += 8 + 1 + qemu_plugin_insn_size(qemu_plugin_tb_get_insn(tb, i));
    pthread_mutex_lock(&lock);
    struct qemu_plugin_insn *first = qemu_plugin_tb_get_insn(tb, 0);
    uint64_t pc = qemu_plugin_insn_vaddr(first), host = (uintptr_t)qemu_plugin_insn_haddr(first);
    define_maps(pc, host - pc);
    uint32_t number = block_count++;
    uint8_t *at = define(bytes);
    if (at) {
        uint16_t n = (uint16_t)count;
        *at++ = DEFINE_BLOCK;
        at = put(at, &number, 4);
        at = put(at, &n, 2);
        for (size_t i = 0; i < count; i++) {
            const struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
            uint64_t vaddr = qemu_plugin_insn_vaddr(insn);
            uint8_t size = (uint8_t)qemu_plugin_insn_size(insn);
            at = put(at, &vaddr, 8);
            at = put(at, &size, 1);
            at = put(at, qemu_plugin_insn_data(insn), size);
        }
    }
    pthread_mutex_unlock(&lock);
    return number;
}

/* ---- the guest runs ---- */

static void block_begins(unsigned int vcpu, void *number)
{
    put_word(vcpu, WORD_BLOCK | (uintptr_t)number);
}

static void accesses(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *index)
{
    uint64_t word = address & (((uint64_t)1 << WORD_ADDRESS_BITS) - 1);
    word |= qemu_plugin_mem_is_store(info) ? WORD_STORE : 0;
    word |= (uint64_t)(qemu_plugin_mem_size_shift(info) & WORD_SIZE_MASK) << WORD_SIZE_AT;
    word |= (uint64_t)(uintptr_t)index << WORD_INDEX_AT;
    put_word(vcpu, word);
}

static void block_is_translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    size_t count = qemu_plugin_tb_n_insns(tb);
    (void)id;
    if (is_orphan || !count)
        return;
    uint32_t number = define_block(tb, count);
    qemu_plugin_register_vcpu_tb_exec_cb(tb, block_begins, QEMU_NO_REGS, (void *)(uintptr_t)number);
    for (size_t i = 0; channel->with_accesses && i < count && i <= WORD_INDEX_MASK; i++)
        qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, i), accesses, QEMU_NO_REGS,
                                         QEMU_READ_WRITE, (void *)(uintptr_t)i);
}

/* ---- before the window ---- */

static qemu_plugin_id_t own_id;
static void register_all(qemu_plugin_id_t id);

static void start_recording(qemu_plugin_id_t id)
{
    register_all(id);
}

static void block_is_skipped(unsigned int vcpu, void *count)
{
    (void)vcpu;
    uint64_t n = (uintptr_t)count;
    uint64_t sum = atomic_fetch_add_explicit(&channel->skipped, n, memory_order_relaxed) + n;
    if (sum >= channel->skip && !atomic_exchange(&is_recording, true))
        qemu_plugin_reset(own_id, start_recording);
}

static void block_is_counted(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    qemu_plugin_register_vcpu_tb_exec_cb(tb, block_is_skipped, QEMU_NO_REGS,
                                         (void *)(uintptr_t)qemu_plugin_tb_n_insns(tb));
}

/* ---- threads ---- */

static void thread_begins(qemu_plugin_id_t id, unsigned int vcpu)
{
    (void)id;
    if (vcpu >= sizeof threads / sizeof threads[0])
        abort(); /* QEMU has long run out of memory */
    pthread_mutex_lock(&lock);
    uint32_t number = thread_count++;
    bool fits = number < CHANNEL_THREADS;
    if (!fits)
        atomic_store(&channel->too_many, 1);
    threads[vcpu] = (struct thread){
        .number = number, .is_wanted = fits && (channel->all_threads || channel->threads[number])};
    pthread_mutex_unlock(&lock);
}

static void thread_ends(qemu_plugin_id_t id, unsigned int vcpu)
{
    (void)id;
    struct thread *t = &threads[vcpu];
    pthread_mutex_lock(&lock);
    if (t->chunk && !is_orphan) {
        hand_over_definitions();
        hand_over(t->chunk);
    }
    *t = (struct thread){0};
    pthread_mutex_unlock(&lock);
}

/* A child has its own copy of everything but the channel: it goes on with memory of its own, in
 * which what it says is lost. */
static void begin_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void end_fork_in_parent(void)
{
    pthread_mutex_unlock(&lock);
}

static void end_fork_in_child(void)
{
    is_orphan = true;
    mmap(channel, sizeof *channel, PROT_READ | PROT_WRITE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    pthread_mutex_unlock(&lock);
}

/* ---- another program takes the process ---- */

/* execve and execveat return only when they fail: the new program runs without QEMU. */
static int64_t exec_numbers[2];

static bool is_exec(int64_t number)
{
    return number == exec_numbers[0] || number == exec_numbers[1];
}

static void call_begins(qemu_plugin_id_t id, unsigned int vcpu, int64_t number, uint64_t a1,
                        uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6,
                        uint64_t a7, uint64_t a8)
{
    (void)id, (void)vcpu, (void)a1, (void)a2, (void)a3, (void)a4, (void)a5, (void)a6, (void)a7;
    (void)a8;
    if (is_exec(number))
        atomic_fetch_add(&channel->execs, 1);
}

static void call_ends(qemu_plugin_id_t id, unsigned int vcpu, int64_t number, int64_t result)
{
    (void)id, (void)vcpu, (void)result;
    if (is_exec(number))
        atomic_fetch_sub(&channel->execs, 1);
}

static void learn_numbers(const struct qemu_info *info)
{
    bool is_arm = strcmp(info->target_name, "aarch64") == 0;
    exec_numbers[0] = is_arm ? 221 : 59;  /* execve */
    exec_numbers[1] = is_arm ? 281 : 322; /* execveat */
}

/* ---- start ---- */

static void register_all(qemu_plugin_id_t id)
{
    qemu_plugin_register_vcpu_init_cb(id, thread_begins);
    qemu_plugin_register_vcpu_exit_cb(id, thread_ends);
    qemu_plugin_register_vcpu_syscall_cb(id, call_begins);
    qemu_plugin_register_vcpu_syscall_ret_cb(id, call_ends);
    qemu_plugin_register_vcpu_tb_trans_cb(id, atomic_load(&is_recording) ? block_is_translated
                                                                         : block_is_counted);
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv)
{
    int fd = -1;
    learn_numbers(info);
    for (int i = 0; i < argc; i++)
        sscanf(argv[i], "channel=%d", &fd);
    channel = mmap(NULL, sizeof *channel, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (channel == MAP_FAILED || channel->version != CHANNEL_VERSION) {
        fprintf(stderr, "heddle's plugin: it is started by `heddle trace`, with its own channel\n");
        return 1;
    }
    close(fd);
    own_id = id;
    atomic_store(&is_recording, channel->skip == 0);
    pthread_atfork(begin_fork, end_fork_in_parent, end_fork_in_child);
    register_all(id);
    atomic_store(&channel->attached, 1);
    return 0;
}
