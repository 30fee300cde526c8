#include "config/yaml.h"

#include "base/map.h"

#include <errno.h>
#include <libfyaml.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A configuration of megabytes is a mistaken file name. */
#define LARGEST_FILE (4u << 20)
#define DEEPEST 32

struct reader {
    struct arena *arena;
    const char *file;
    struct fy_parser *parser;
    struct fy_event *event; /* the one being looked at */
    struct err *err;
};

const char *yaml_kind_name(enum yaml_kind kind)
{
    static const char *const names[] = {"a value", "a mapping", "a list"};
    return names[kind];
}

static struct src_pos event_pos(const struct reader *r)
{
    const struct fy_mark *mark = r->event ? fy_event_start_mark(r->event) : NULL;
    if (!mark)
        return (struct src_pos){r->file, 1, 1};
    return (struct src_pos){r->file, (u32)mark->line + 1, (u32)mark->column + 1};
}

/* False at the end of the stream and on an error of the library's. */
static bool next_event(struct reader *r)
{
    if (r->event)
        fy_parser_event_free(r->parser, r->event);
    r->event = fy_parser_parse(r->parser);
    return r->event != NULL;
}

static bool check_plain(struct reader *r, const struct fy_token *tag)
{
    if (tag)
        return err_at(r->err, event_pos(r), "a tag is used, expected a plain value");
    return true;
}

static bool read_scalar(struct reader *r, struct yaml_node *to)
{
    struct fy_token *token = r->event->scalar.value;
    if (!check_plain(r, r->event->scalar.tag))
        return false;
    size_t length = 0;
    const char *s = token ? fy_token_get_text(token, &length) : NULL;
    for (size_t i = 0; s && i < length; i++) {
        if ((u8)s[i] < 0x20)
            return err_at(r->err, to->at, "the value holds a control character, expected text");
    }
    char *copy = arena_alloc_aligned(r->arena, length + 1, 1);
    if (s)
        memcpy(copy, s, length);
    to->kind = YAML_SCALAR;
    to->text = copy;
    enum fy_scalar_style style = token ? fy_token_scalar_style(token) : FYSS_PLAIN;
    to->quoted = style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED;
    return true;
}

static bool check_duplicates(struct reader *r, const struct yaml_node *map)
{
    struct strmap seen = {0};
    bool ok = true;
    for (u32 i = 0; i < map->child_count && ok; i++) {
        const struct yaml_node *n = &map->children[i];
        u32 first;
        if (strmap_get(&seen, n->key, &first))
            ok = err_at(r->err, n->key_at, "'%s' is given twice, first on line %u", n->key,
                        map->children[first].key_at.line);
        strmap_put(&seen, n->key, i);
    }
    strmap_fini(&seen);
    return ok;
}

static bool read_node(struct reader *r, struct yaml_node *to, u32 depth);

static bool read_key(struct reader *r, struct yaml_node *to)
{
    struct yaml_node key = {.at = event_pos(r)};
    to->key_at = key.at;
    if (r->event->type != FYET_SCALAR)
        return err_at(r->err, key.at, "a mapping key is not a name, expected a plain word");
    if (!read_scalar(r, &key))
        return false;
    to->key = key.text;
    return true;
}

/* The items between a start event and its end event. */
static bool read_children(struct reader *r, struct yaml_node *to, enum fy_event_type end, u32 depth)
{
    struct yaml_node *items = NULL;
    u32 count = 0, room = 0;
    bool ok = true;
    while (ok && (ok = next_event(r)) && r->event->type != end) {
        if (count == room) {
            room = room ? room * 2 : 8;
            items = xrealloc(items, room * sizeof *items);
        }
        struct yaml_node *item = &items[count++];
        *item = (struct yaml_node){.text = ""};
        if (to->kind == YAML_MAP)
            ok = read_key(r, item) && next_event(r);
        ok = ok && read_node(r, item, depth + 1);
        if (ok && item->kind == YAML_SCALAR && !item->text[0] && !item->quoted && item->key)
            item->at = item->key_at; /* an empty value has no place of its own */
    }
    if (ok) {
        to->children = ARENA_ARRAY(r->arena, struct yaml_node, count);
        if (count)
            memcpy(to->children, items, count * sizeof *items);
        to->child_count = count;
        ok = to->kind != YAML_MAP || check_duplicates(r, to);
    }
    free(items);
    return ok;
}

/* The node whose first event is the current one; ends on its last event. */
static bool read_node(struct reader *r, struct yaml_node *to, u32 depth)
{
    to->at = event_pos(r);
    to->text = "";
    if (depth > DEEPEST)
        return err_at(r->err, to->at, "nesting is deeper than %u levels", DEEPEST);
    switch (r->event->type) {
    case FYET_SCALAR:
        return read_scalar(r, to);
    case FYET_MAPPING_START:
        to->kind = YAML_MAP;
        return check_plain(r, r->event->mapping_start.tag) &&
               read_children(r, to, FYET_MAPPING_END, depth);
    case FYET_SEQUENCE_START:
        to->kind = YAML_LIST;
        return check_plain(r, r->event->sequence_start.tag) &&
               read_children(r, to, FYET_SEQUENCE_END, depth);
    case FYET_ALIAS:
        return err_at(r->err, to->at, "an alias is used, expected the value itself");
    default:
        return err_at(r->err, to->at, "this is not valid YAML");
    }
}

static bool read_stream(struct reader *r, struct yaml_node *root)
{
    *root = (struct yaml_node){.kind = YAML_MAP, .at = {r->file, 1, 1}, .text = ""};
    u32 documents = 0;
    while (next_event(r)) {
        switch (r->event->type) {
        case FYET_DOCUMENT_START:
            if (documents++)
                return err_at(r->err, event_pos(r),
                              "a second document begins, expected one per file");
            break;
        case FYET_STREAM_END:
            return true;
        case FYET_STREAM_START:
        case FYET_DOCUMENT_END:
            break;
        default:
            if (!read_node(r, root, 0))
                return false;
        }
    }
    return false;
}

/* The library's first complaint, as one of ours. */
static void take_error(struct reader *r, struct fy_diag *diag)
{
    void *it = NULL;
    struct fy_diag_error *e = fy_diag_errors_iterate(diag, &it);
    struct src_pos at = {r->file, 1, 1};
    if (e && e->line > 0)
        at = (struct src_pos){r->file, (u32)e->line, e->column > 0 ? (u32)e->column : 1};
    err_at(r->err, at, "this is not valid YAML: %s", e && e->msg ? e->msg : "it is truncated");
}

/* What the library must not see: it never returns from some cut-off directives,
 * and a configuration has no use for them. */
static bool check_bytes(struct reader *r, const char *text, size_t length)
{
    u32 line = 1;
    for (size_t i = 0; i < length; i++) {
        struct src_pos at = {r->file, line, 1};
        if (text[i] == 0)
            return err_at(r->err, (struct src_pos){r->file, 0, 0},
                          "the file holds a NUL byte, expected text");
        if (text[i] == '%' && (i == 0 || text[i - 1] == '\n' || text[i - 1] == '\r'))
            return err_at(r->err, at, "YAML directives are not supported");
        line += text[i] == '\n';
    }
    return true;
}

struct yaml_node *yaml_read_text(struct arena *arena, const char *name, const char *text,
                                 size_t length, struct err *err)
{
    struct reader r = {.arena = arena, .file = arena_strdup(arena, name), .err = err};
    if (!check_bytes(&r, text, length))
        return NULL;
    struct fy_diag_cfg diag_cfg;
    fy_diag_cfg_default(&diag_cfg);
    diag_cfg.fp = NULL;
    diag_cfg.level = FYET_ERROR;
    diag_cfg.colorize = false;
    struct fy_diag *diag = fy_diag_create(&diag_cfg);
    fy_diag_set_collect_errors(diag, true);
    struct fy_parse_cfg cfg = {
        .flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_JSON_NONE,
        .diag = diag,
    };
    struct yaml_node *root = ARENA_NEW(arena, struct yaml_node);
    r.parser = fy_parser_create(&cfg);
    if (!r.parser || fy_parser_set_string(r.parser, text, length) != 0) {
        err_kind(err, ERR_INTERNAL, "the YAML library could not be started");
        root = NULL;
    } else if (!read_stream(&r, root)) {
        if (err->kind == ERR_NONE)
            take_error(&r, diag);
        root = NULL;
    }
    if (r.event)
        fy_parser_event_free(r.parser, r.event);
    fy_parser_destroy(r.parser);
    fy_diag_destroy(diag);
    return root;
}

static char *read_whole(struct arena *arena, const char *path, size_t *length, struct err *err)
{
    struct src_pos at = {path, 0, 0};
    FILE *f = fopen(path, "rbe");
    if (!f) {
        err_at(err, at, "cannot open the file: %s", strerror(errno));
        return NULL;
    }
    char *data = NULL;
    size_t used = 0, room = 0;
    for (;;) {
        if (used == room) {
            room = room ? room * 2 : 4096;
            data = xrealloc(data, room);
        }
        size_t n = fread(data + used, 1, room - used, f);
        used += n;
        if (n == 0 || used > LARGEST_FILE)
            break;
    }
    bool bad = ferror(f);
    int reason = errno;
    fclose(f);
    char *kept = NULL;
    if (bad)
        err_at(err, at, "cannot read the file: %s", strerror(reason));
    else if (used > LARGEST_FILE)
        err_at(err, at, "the file is larger than 4 MiB, expected a configuration");
    else
        kept = memcpy(arena_alloc_aligned(arena, used + 1, 1), data, used);
    free(data);
    *length = used;
    return kept;
}

struct yaml_node *yaml_read_file(struct arena *arena, const char *path, struct err *err)
{
    size_t length;
    char *text = read_whole(arena, path, &length, err);
    return text ? yaml_read_text(arena, path, text, length, err) : NULL;
}

const struct yaml_node *yaml_child(const struct yaml_node *map, const char *key)
{
    for (u32 i = 0; map->kind == YAML_MAP && i < map->child_count; i++) {
        if (strcmp(map->children[i].key, key) == 0)
            return &map->children[i];
    }
    return NULL;
}
