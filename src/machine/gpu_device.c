#include "machine/gpu_device.h"

#include "base/map.h"

#include <assert.h>
#include <string.h>

bool gpu_device_init(struct gpu_device *d, struct machine *m, const char *on)
{
    *d = (struct gpu_device){.sockets = *on ? NULL : m->sockets};
    if (d->sockets)
        d->kernels = ARENA_ARRAY(&m->sim->arena, struct gpu_device_kernel, GPU_DEVICE_MOST_KERNELS);
    if (d->sockets && d->sockets->config->blocks == SPLIT_ADAPTIVE)
        d->shares = ARENA_ARRAY(&m->sim->arena, struct gpu_device_shares, GPU_DEVICE_MOST_SHARES);
    for (u32 i = 0; d->sockets && i < m->cluster_count; i++)
        d->gpus[d->count++] = cluster_gpu(&m->clusters[i]);
    if (!d->sockets)
        d->gpus[d->count++] = machine_gpu(m, on);
    for (u32 i = 0; d->gpus[0] && i < d->count; i++)
        d->gpus[i]->cluster.dispatcher.stop_at_each = true;
    return d->gpus[0] != NULL;
}

static struct dispatcher *dispatcher_of(const struct gpu_device *d, u32 socket)
{
    return &d->gpus[socket]->cluster.dispatcher;
}

/* ---- launches ---- */

/* ---- shares that adapt ---- */

/* Those of a kernel; NULL: the table is full, and it is divided equally. */
static struct gpu_device_shares *shares_of(struct gpu_device *d, const struct grid_source *s)
{
    u64 kernel = hash_u64(s->blocks);
    for (const char *c = s->name; *c; c++)
        kernel = hash_u64(kernel ^ (u8)*c);
    kernel |= 1;
    for (u32 i = 0; i < GPU_DEVICE_MOST_SHARES; i++) {
        struct gpu_device_shares *e = &d->shares[(kernel + i) % GPU_DEVICE_MOST_SHARES];
        if (!e->kernel) {
            e->kernel = kernel;
            for (u32 k = 0; k < d->count; k++)
                e->share[k] = 1.0 / d->count;
        }
        if (e->kernel == kernel)
            return e;
    }
    return NULL;
}

/* w <- w ((1 - a) + a T' / T), so that the sum is 1; T': mean of the times. */
static void adapt(struct gpu_device *d, const struct gpu_device_kernel *k)
{
    struct gpu_device_shares *s = shares_of(d, &k->source);
    double a = d->sockets->config->adaptation, mean = 0, sum = 0;
    for (u32 i = 0; i < d->count; i++) {
        if (!s || !k->took[i])
            return; /* fewer blocks than sockets */
        mean += (double)k->took[i] / d->count;
    }
    for (u32 i = 0; i < d->count; i++) {
        s->share[i] *= 1 - a + a * mean / (double)k->took[i];
        sum += s->share[i];
    }
    for (u32 i = 0; i < d->count; i++)
        s->share[i] /= sum;
}

/* Where the range of a socket begins: at the sum of the shares before it, with a block at least for
 * each socket. */
static u64 first_block(struct gpu_device *d, const struct grid_source *whole, u32 socket)
{
    const struct gpu_device_shares *s = shares_of(d, whole);
    double before = 0;
    for (u32 i = 0; i < socket; i++)
        before += s ? s->share[i] : 1.0 / d->count;
    u64 first = (u64)((double)whole->blocks * before + 0.5), left = d->count - socket;
    if (whole->blocks < d->count)
        return min_u64(socket, whole->blocks);
    return min_u64(max_u64(first, socket), whole->blocks - left);
}

/* The blocks of a socket. */
static struct grid_source part_of(struct gpu_device *d, const struct grid_source *whole, u32 socket)
{
    struct grid_source part = *whole;
    u64 share = whole->blocks / d->count, more = whole->blocks % d->count;
    part.blocks = share + (socket < more);
    if (d->sockets->config->blocks == SPLIT_INTERLEAVED) {
        part.first_block = socket;
        part.block_step = d->count;
    } else if (d->shares) {
        part.first_block = first_block(d, whole, socket);
        u64 end = socket + 1 < d->count ? first_block(d, whole, socket + 1) : whole->blocks;
        part.blocks = end - part.first_block;
    } else {
        part.first_block = socket * share + min_u64(socket, more);
    }
    return part;
}

static bool launch_parts(struct gpu_device *d, struct gpu_device_kernel *k, struct err *err)
{
    k->waits = false;
    sockets_reset(d->sockets, !d->running++);
    for (u32 i = 0; i < d->count; i++) {
        struct grid_source part = part_of(d, &k->source, i);
        if (!part.blocks && (i || k->source.blocks))
            continue;
        if (!dispatcher_launch(dispatcher_of(d, i), &part, k->ticket, err))
            return false;
        k->left++;
    }
    return true;
}

/* A kernel before it in its stream is under way. */
static bool stream_is_busy(const struct gpu_device *d, const struct grid_source *s, u32 before)
{
    for (u32 i = 0; i < before; i++) {
        const struct grid_source *other = &d->kernels[i].source;
        if (other->stream == s->stream && other->application == s->application)
            return true;
    }
    return false;
}

static bool launch_whole(struct gpu_device *d, const struct grid_source *source, u64 ticket,
                         struct err *err)
{
    if (d->kernel_count == GPU_DEVICE_MOST_KERNELS)
        return err_at(err, (struct src_pos){0}, "kernel %s: more than %u kernels wait",
                      source->name, GPU_DEVICE_MOST_KERNELS);
    struct gpu_device_kernel *k = &d->kernels[d->kernel_count];
    *k = (struct gpu_device_kernel){.source = *source, .ticket = ticket, .waits = true};
    if (!dispatcher_fits(dispatcher_of(d, 0), source, err))
        return false;
    if (!stream_is_busy(d, source, d->kernel_count) && !launch_parts(d, k, err))
        return false;
    d->kernel_count++;
    return true;
}

bool gpu_device_launch(struct gpu_device *d, const struct grid_source *source, u64 ticket,
                       struct err *err)
{
    if (d->count > 1)
        return launch_whole(d, source, ticket, err);
    gpu_load_code(d->gpus[0], source);
    return dispatcher_launch(dispatcher_of(d, 0), source, ticket, err);
}

static void remove_kernel(struct gpu_device *d, u32 index)
{
    struct err err = ERR_INIT;
    memmove(&d->kernels[index], &d->kernels[index + 1],
            (--d->kernel_count - index) * sizeof *d->kernels);
    for (u32 i = 0; i < d->kernel_count; i++) {
        struct gpu_device_kernel *k = &d->kernels[i];
        if (!k->waits || stream_is_busy(d, &k->source, i))
            continue;
        bool ok = launch_parts(d, k, &err);
        assert(ok); /* it was found to fit */
        (void)ok;
    }
}

/* True: that was the last one of its kernel, and nothing is to be flushed. */
static bool part_ended(struct gpu_device *d, u32 socket, struct grid_run *part)
{
    u32 i = 0;
    while (d->kernels[i].ticket != part->ticket)
        i++;
    struct gpu_device_kernel *k = &d->kernels[i];
    k->ended = max_u64(k->ended, part->ended);
    k->took[socket] = part->ended - part->started + 1;
    if (--k->left)
        return false;
    if (d->shares)
        adapt(d, k);
    d->running--;
    part->ended = k->ended;
    if (sockets_flush(d->sockets, k->flush)) {
        k->flushes = true;
        k->last = *part;
        return false;
    }
    remove_kernel(d, i);
    return true;
}

static bool take_flushed(struct gpu_device *d, struct grid_run *out)
{
    for (u32 i = 0; i < d->kernel_count; i++) {
        struct gpu_device_kernel *k = &d->kernels[i];
        if (!k->flushes || !sockets_flushed(d->sockets, k->flush))
            continue;
        *out = k->last;
        out->ended = engine_cycle(d->sockets->engine, d->sockets->clock);
        remove_kernel(d, i);
        return true;
    }
    return false;
}

bool gpu_device_take_ended(struct gpu_device *d, struct grid_run *out)
{
    if (d->count == 1)
        return dispatcher_take_ended(dispatcher_of(d, 0), out);
    for (u32 i = 0; i < d->count; i++) {
        while (dispatcher_take_ended(dispatcher_of(d, i), out)) {
            if (part_ended(d, i, out))
                return true;
        }
    }
    return take_flushed(d, out);
}

/* ---- all of them ---- */

void gpu_device_place(struct gpu_device *d, u8 application, struct sm_range range)
{
    for (u32 i = 0; i < d->count; i++)
        dispatcher_place(dispatcher_of(d, i), application, range);
}

/* Kernels that wait for others of their stream are given up. */
void gpu_device_cut(struct gpu_device *d)
{
    u32 kept = 0;
    for (u32 i = 0; i < d->kernel_count; i++) {
        if (!d->kernels[i].waits)
            d->kernels[kept++] = d->kernels[i];
    }
    d->kernel_count = kept;
    for (u32 i = 0; i < d->count; i++) {
        if (!dispatcher_is_idle(dispatcher_of(d, i)))
            dispatcher_cut(dispatcher_of(d, i));
    }
}

bool gpu_device_is_idle(const struct gpu_device *d)
{
    if (d->kernel_count)
        return false;
    for (u32 i = 0; i < d->count; i++) {
        if (!dispatcher_is_idle(dispatcher_of(d, i)))
            return false;
    }
    return true;
}

const struct sm *gpu_device_faulted(const struct gpu_device *d)
{
    for (u32 i = 0; i < d->count; i++) {
        const struct sm *sm = gpu_faulted(d->gpus[i]);
        if (sm)
            return sm;
    }
    return NULL;
}

/* With several sockets a copy touches no page: it comes from the system's memory. */
void gpu_device_copied(struct gpu_device *d, u64 to, u64 bytes)
{
    if (d->count == 1)
        gpu_copied(d->gpus[0], to, bytes);
}
