#include "base/map.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

u64 hash_bytes(u64 hash, const void *data, size_t count)
{
    const u8 *at = data;
    u64 word = 0;
    hash = hash_u64(hash + count);
    for (; count >= sizeof word; count -= sizeof word, at += sizeof word) {
        memcpy(&word, at, sizeof word);
        hash = (hash ^ hash_u64(word)) * 0x9e3779b97f4a7c15ull;
    }
    word = 0;
    if (count)
        memcpy(&word, at, count);
    return hash_u64(hash ^ hash_u64(word));
}

u64 hash_string(const char *s)
{
    u64 h = 0xcbf29ce484222325ull;
    for (; *s; s++)
        h = (h ^ (u8)*s) * 0x100000001b3ull;
    return h;
}

static u32 home(const struct map *m, u64 key)
{
    return (u32)hash_u64(key) & m->mask;
}

static u32 find(const struct map *m, u64 key)
{
    u32 i = home(m, key);
    while (m->used[i] && m->slots[i].key != key)
        i = (i + 1) & m->mask;
    return i;
}

static void resize(struct map *m, u32 slots)
{
    struct map old = *m;
    m->slots = xrealloc(NULL, slots * sizeof *m->slots);
    m->used = xrealloc(NULL, slots);
    memset(m->used, 0, slots);
    m->mask = slots - 1;
    for (u32 i = 0; old.slots && i <= old.mask; i++) {
        if (old.used[i]) {
            u32 at = find(m, old.slots[i].key);
            m->slots[at] = old.slots[i];
            m->used[at] = 1;
        }
    }
    free(old.slots);
    free(old.used);
}

/* Slots that hold count entries at three quarters full. */
static u32 slots_for(u32 count)
{
    u32 slots = 16;
    while (slots / 4 * 3 < count)
        slots *= 2;
    return slots;
}

void map_init_fixed(struct map *m, struct arena *arena, u32 count)
{
    u32 slots = slots_for(count);
    *m = (struct map){.slots = ARENA_ARRAY(arena, struct map_slot, slots),
                      .used = ARENA_ARRAY(arena, u8, slots),
                      .mask = slots - 1};
}

void map_reserve(struct map *m, u32 count)
{
    u32 slots = slots_for(count);
    if (!m->slots || slots > m->mask + 1)
        resize(m, slots);
}

void map_put(struct map *m, u64 key, u64 value)
{
    if (!m->slots || m->count + 1 > (m->mask + 1) / 4 * 3)
        map_reserve(m, m->slots ? (m->mask + 1) : 1);
    u32 i = find(m, key);
    if (!m->used[i]) {
        m->used[i] = 1;
        m->count++;
    }
    m->slots[i] = (struct map_slot){key, value};
}

bool map_get(const struct map *m, u64 key, u64 *value)
{
    if (!m->slots)
        return false;
    u32 i = find(m, key);
    if (!m->used[i])
        return false;
    if (value)
        *value = m->slots[i].value;
    return true;
}

bool map_remove(struct map *m, u64 key)
{
    if (!m->slots)
        return false;
    u32 hole = find(m, key);
    if (!m->used[hole])
        return false;
    /* Pull back every later entry of the cluster that may move into the hole. */
    for (u32 i = (hole + 1) & m->mask; m->used[i]; i = (i + 1) & m->mask) {
        u32 distance = (i - home(m, m->slots[i].key)) & m->mask;
        if (distance >= ((i - hole) & m->mask)) {
            m->slots[hole] = m->slots[i];
            hole = i;
        }
    }
    m->used[hole] = 0;
    m->count--;
    return true;
}

void map_clear(struct map *m)
{
    if (m->used)
        memset(m->used, 0, m->mask + 1);
    m->count = 0;
}

void map_fini(struct map *m)
{
    free(m->slots);
    free(m->used);
    *m = (struct map){0};
}

static u32 str_find(const struct strmap *m, const char *key, u32 hash)
{
    u32 i = hash & m->mask;
    while (m->slots[i].key && (m->slots[i].hash != hash || strcmp(m->slots[i].key, key) != 0))
        i = (i + 1) & m->mask;
    return i;
}

static void str_grow(struct strmap *m)
{
    struct strmap old = *m;
    u32 slots = old.slots ? (old.mask + 1) * 2 : 16;
    m->slots = xrealloc(NULL, slots * sizeof *m->slots);
    memset(m->slots, 0, slots * sizeof *m->slots);
    m->mask = slots - 1;
    for (u32 i = 0; old.slots && i <= old.mask; i++) {
        if (old.slots[i].key)
            m->slots[str_find(m, old.slots[i].key, old.slots[i].hash)] = old.slots[i];
    }
    free(old.slots);
}

void strmap_put(struct strmap *m, const char *key, u32 value)
{
    if (!m->slots || m->count + 1 > (m->mask + 1) / 4 * 3)
        str_grow(m);
    u32 hash = (u32)hash_u64(hash_string(key));
    u32 i = str_find(m, key, hash);
    if (!m->slots[i].key)
        m->count++;
    m->slots[i] = (struct strmap_slot){key, hash, value};
}

bool strmap_get(const struct strmap *m, const char *key, u32 *value)
{
    if (!m->slots)
        return false;
    u32 i = str_find(m, key, (u32)hash_u64(hash_string(key)));
    if (!m->slots[i].key)
        return false;
    if (value)
        *value = m->slots[i].value;
    return true;
}

void strmap_fini(struct strmap *m)
{
    free(m->slots);
    *m = (struct strmap){0};
}
