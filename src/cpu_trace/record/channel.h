/*
 * Memory that a recording heddle and the plugin in QEMU share.
 *
 * The guest may close every descriptor and fork at any time, so the two speak through memory
 * alone. Each thread of the guest fills a chunk; full chunks go to heddle in a queue, and come back
 * in another. Both queues have one end in each process. What blocks of code consist of is told in
 * chunks of definitions, always before the first chunk that uses them. `used` of a chunk is kept
 * up to date, so that chunks which were being filled when the guest ended can be read too.
 *
 * This file is compiled into both and knows neither.
 */
#ifndef CPU_TRACE_RECORD_CHANNEL_H
#define CPU_TRACE_RECORD_CHANNEL_H

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define CHANNEL_THREADS 4096u
#define CHANNEL_QUEUED 64u /* chunks that wait for heddle */
#define CHANNEL_CHUNKS (CHANNEL_THREADS + CHANNEL_QUEUED + 1u)
#define CHUNK_BYTES (64u << 10)
#define CHUNK_DATA (CHUNK_BYTES - 16u)
#define CHUNK_WORDS (CHUNK_DATA / 8)

enum chunk_state {
    CHUNK_FREE,
    CHUNK_RUN,         /* words, below, of one thread */
    CHUNK_DEFINITIONS, /* bytes, below */
};

struct chunk {
    uint32_t state;
    uint32_t thread;
    uint32_t used; /* words or bytes */
    uint32_t unused;
    union {
        uint64_t words[CHUNK_WORDS];
        uint8_t bytes[CHUNK_DATA];
    };
};

/*
 * Words of a run: a block that begins, or an access of the block that runs: address, whether it is
 * a store, the logarithm of its bytes, and which of the block's instructions made it.
 */
#define WORD_BLOCK ((uint64_t)1 << 63)
#define WORD_ADDRESS_BITS 48
#define WORD_STORE ((uint64_t)1 << 48)
#define WORD_SIZE_AT 49
#define WORD_SIZE_MASK 7u
#define WORD_INDEX_AT 52
#define WORD_INDEX_MASK 0x7ffu

/* Definitions: a byte that says which, then
 * block: u32 number, u16 instructions, of each u64 pc, u8 length, its bytes;
 * map: u64 begin, u64 end, u64 offset in the file, u16 length and bytes of its name. */
enum definition {
    DEFINE_BLOCK = 1,
    DEFINE_MAP = 2,
};

struct queue {
    _Atomic uint32_t put, taken; /* counts of all time */
    uint32_t chunks[CHANNEL_CHUNKS];
};

struct channel {
    /* set by heddle before QEMU starts */
    uint32_t version;
    uint64_t skip;      /* instructions of all threads before the recording starts */
    bool with_accesses; /* else blocks alone */
    bool all_threads;
    uint8_t threads[CHANNEL_THREADS]; /* else those that are recorded */
    /* set by the plugin */
    _Atomic uint32_t attached;
    _Atomic uint64_t skipped;
    _Atomic uint32_t too_many; /* threads: those above CHANNEL_THREADS were not recorded */
    _Atomic uint32_t execs;    /* under way: calls that replace the program by another */
    struct queue full, empty;
    struct chunk chunk[CHANNEL_CHUNKS];
};

#define CHANNEL_VERSION 2u

static inline void queue_put(struct queue *q, uint32_t chunk)
{
    uint32_t n = atomic_load_explicit(&q->put, memory_order_relaxed);
    q->chunks[n % CHANNEL_CHUNKS] = chunk;
    atomic_store_explicit(&q->put, n + 1, memory_order_release);
    syscall(SYS_futex, &q->put, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static inline bool queue_take(struct queue *q, uint32_t *chunk)
{
    uint32_t n = atomic_load_explicit(&q->taken, memory_order_relaxed);
    if (n == atomic_load_explicit(&q->put, memory_order_acquire))
        return false;
    *chunk = q->chunks[n % CHANNEL_CHUNKS];
    atomic_store_explicit(&q->taken, n + 1, memory_order_release);
    syscall(SYS_futex, &q->taken, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    return true;
}

static inline uint32_t queue_length(struct queue *q)
{
    return atomic_load_explicit(&q->put, memory_order_acquire) -
           atomic_load_explicit(&q->taken, memory_order_acquire);
}

/* While there are so many in it, or for a while. */
static inline void queue_wait_below(struct queue *q, uint32_t most)
{
    uint32_t taken = atomic_load(&q->taken), put = atomic_load(&q->put);
    struct timespec t = {0, 20000000};
    if (put - taken >= most)
        syscall(SYS_futex, &q->taken, FUTEX_WAIT, taken, &t, NULL, 0);
}

/* Until something is put, or for a while. */
static inline void queue_wait(struct queue *q)
{
    uint32_t taken = atomic_load(&q->taken), put = atomic_load(&q->put);
    struct timespec t = {0, 20000000};
    if (taken == put)
        syscall(SYS_futex, &q->put, FUTEX_WAIT, put, &t, NULL, 0);
}

#endif
