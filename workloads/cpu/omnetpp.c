/*
 * Stands for omnetpp (471.omnetpp): discrete events of a network of queues.
 *
 * A binary heap holds the events by time; the earliest is taken, its message is queued at a module,
 * which serves one and sends it on to a neighbour with a delay drawn by chance. To meet:
 * cache-friendly. Arguments: messages, modules, rounds of work for each event.
 */
#include "common.h"

#define MOST (1u << 18)

static struct event {
    u64 time;
    u32 message, sequence;
} heap[MOST + 1];
static struct message {
    u32 next, module, hops, kind;
    u64 created, data[5];
} messages[MOST];
static struct module {
    u32 first, last, length, neighbours[5];
    u64 served, busy, statistics[2];
} modules[MOST];
static u32 count;

static int is_before(const struct event *a, const struct event *b)
{
    return a->time < b->time || (a->time == b->time && a->sequence < b->sequence);
}

static void push(struct event e)
{
    u32 i = ++count;
    for (; i > 1 && is_before(&e, &heap[i / 2]); i /= 2)
        heap[i] = heap[i / 2];
    heap[i] = e;
}

static struct event pop(void)
{
    struct event top = heap[1], last = heap[count--];
    u32 i = 1;
    for (u32 child; (child = 2 * i) <= count; i = child) {
        child += child < count && is_before(&heap[child + 1], &heap[child]);
        if (!is_before(&heap[child], &last))
            break;
        heap[i] = heap[child];
    }
    heap[i] = last;
    return top;
}

int main(int argc, char **argv)
{
    u32 n = argument(argc, argv, 1, 30000, MOST), m = argument(argc, argv, 2, 20000, MOST);
    u32 work = argument(argc, argv, 3, 10, 1000), sequence = 0;
    for (u32 i = 0; i < m; i++) {
        for (u32 k = 0; k < 5; k++)
            modules[i].neighbours[k] = random_below(m);
    }
    for (u32 i = 0; i < n; i++) {
        messages[i].module = random_below(m);
        push((struct event){random_below(100000), i, sequence++});
    }
    for (;;) {
        struct event e = pop();
        struct message *g = &messages[e.message];
        struct module *d = &modules[g->module];
        u64 sum = g->data[0];
        for (u32 w = 0; w < work; w++)
            sum = sum * 31 + (sum >> 5);
        g->data[0] = sum;
        g->hops++;
        d->served++;
        d->busy += e.time - g->created;
        d->statistics[g->hops & 1] += sum & 7;
        g->created = e.time;
        g->module = d->neighbours[random_u64() % 5];
        push((struct event){e.time + 1 + random_below(100000), e.message, sequence++});
    }
}
