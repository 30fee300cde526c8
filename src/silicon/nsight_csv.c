#include "silicon/nsight_csv.h"

#include "views/nsight.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NAMES 40u
#define HEAD "\"ID\","

struct row {
    const char **fields;
    u32 count;
};

struct launch {
    const char *process, *id, *kernel, *grid, *block;
    u32 section; /* which of the outputs it is of */
    double values[MOST_NAMES];
};

struct reader {
    const char *path;
    u32 line, section;
    struct row head, units; /* no units: a row for each metric */
    struct launch *launches;
    u32 count, room;
    struct arena arena;
    struct err *err;
};

bool nsight_csv_is(const char *text, size_t length)
{
    for (const char *p = text, *end = text + length; p && p < end;) {
        if ((size_t)(end - p) > strlen(HEAD) && strncmp(p, HEAD, strlen(HEAD)) == 0)
            return true;
        p = memchr(p, '\n', (size_t)(end - p));
        p = p ? p + 1 : NULL;
    }
    return false;
}

/* ---- names ---- */

/* The last name of a mangled one before its template arguments or parameters. */
static const char *plain_mangled(const char *p, struct arena *arena)
{
    const char *last = p;
    size_t length = strlen(p);
    p += *p == 'N';
    while (isdigit((unsigned char)*p)) {
        char *end;
        size_t n = strtoul(p, &end, 10);
        if (strlen(end) < n)
            break;
        last = end;
        length = n;
        p = end + n;
    }
    return arena_printf(arena, "%.*s", (int)length, last);
}

const char *nsight_plain_name(const char *name, struct arena *arena)
{
    if (strncmp(name, "_Z", 2) == 0)
        return plain_mangled(name + 2, arena);
    size_t end = strcspn(name, "<("), start = end;
    while (start > 0 && name[start - 1] != ' ' && name[start - 1] != ':')
        start--;
    return arena_printf(arena, "%.*s", (int)(end - start), name + start);
}

/* ---- rows ---- */

static struct row read_fields(struct reader *r, const char *p, const char *end)
{
    struct row row = {.fields = ARENA_ARRAY(&r->arena, const char *, (size_t)(end - p) / 2 + 2)};
    while (p < end) {
        char *field = arena_alloc(&r->arena, (size_t)(end - p) + 1), *to = field;
        bool quoted = *p == '"';
        for (p += quoted;
             p < end && (quoted ? *p != '"' || (p + 1 < end && p[1] == '"') : *p != ','); p++) {
            p += quoted && *p == '"'; /* doubled */
            *to++ = *p;
        }
        p += quoted && p < end;
        p += p < end && *p == ',';
        *to = '\0';
        row.fields[row.count++] = field;
    }
    return row;
}

static const char *field(const struct reader *r, const struct row *row, const char *column)
{
    for (u32 i = 0; i < r->head.count && i < row->count; i++) {
        if (strcmp(r->head.fields[i], column) == 0)
            return row->fields[i];
    }
    return "";
}

/* "(32, 8, 1)" as 32x8x1; Nsight writes one number for a line of blocks in some releases. */
static const char *extent(struct reader *r, const char *text)
{
    unsigned n[3] = {1, 1, 1};
    int found = sscanf(text, "(%u, %u, %u)", &n[0], &n[1], &n[2]);
    if (found < 1 && sscanf(text, "%u", &n[0]) < 1)
        return text; /* whoever reads the table says so */
    return arena_printf(&r->arena, "%ux%ux%u", n[0], n[1], n[2]);
}

/* In bytes, nanoseconds, cycles. */
static double scale_of(const char *unit)
{
    static const struct {
        const char *start;
        double scale;
    } units[] = {{"Kbyte", 1e3},   {"Mbyte", 1e6}, {"Gbyte", 1e9},  {"usecond", 1e3}, {"us", 1e3},
                 {"msecond", 1e6}, {"ms", 1e6},    {"second", 1e9}, {"s", 1e9}};
    for (size_t i = 0; i < ARRAY_LEN(units); i++) {
        size_t n = strlen(units[i].start);
        if (strncmp(unit, units[i].start, n) == 0 && (unit[n] == '\0' || unit[n] == '/'))
            return units[i].scale;
    }
    return 1;
}

/* "12,356"; NAN: no number. */
static double number(struct reader *r, const char *text, const char *unit)
{
    char *plain = arena_strdup(&r->arena, text), *to = plain, *end;
    for (const char *p = text; *p; p++) {
        if (*p != ',')
            *to++ = *p;
    }
    *to = '\0';
    double v = strtod(plain, &end);
    return end == plain || *end ? NAN : v * scale_of(unit);
}

static void set_value(struct reader *r, struct launch *l, const char *metric, const char *text,
                      const char *unit)
{
    for (u32 i = 0; nsight_names[i].metric; i++) {
        const struct nsight_name *n = &nsight_names[i];
        if (strcmp(n->metric, metric) == 0 || (n->detail && strcmp(n->detail, metric) == 0))
            l->values[i] = number(r, text, unit);
    }
}

static struct launch *launch_of(struct reader *r, const struct row *row)
{
    const char *id = field(r, row, "ID"), *process = field(r, row, "Process Name");
    struct launch *last = r->count ? &r->launches[r->count - 1] : NULL;
    if (last && last->section == r->section && strcmp(last->id, id) == 0 &&
        strcmp(last->process, process) == 0)
        return last;
    if (r->count == r->room) {
        r->room = r->room ? 2 * r->room : 64;
        struct launch *more = ARENA_ARRAY(&r->arena, struct launch, r->room);
        if (r->count)
            memcpy(more, r->launches, r->count * sizeof *more);
        r->launches = more;
    }
    struct launch *l = &r->launches[r->count++];
    const char *slash = strrchr(process, '/');
    *l = (struct launch){.process = slash ? slash + 1 : process,
                         .id = id,
                         .kernel = nsight_plain_name(field(r, row, "Kernel Name"), &r->arena),
                         .grid = extent(r, field(r, row, "Grid Size")),
                         .block = extent(r, field(r, row, "Block Size")),
                         .section = r->section};
    for (u32 i = 0; i < MOST_NAMES; i++)
        l->values[i] = NAN;
    return l;
}

static bool read_head(struct reader *r, struct row head)
{
    static const char *const needed[] = {"Process Name", "Kernel Name", "Block Size", "Grid Size"};
    r->head = head;
    r->units = (struct row){0};
    r->section++;
    for (size_t i = 0; i < ARRAY_LEN(needed); i++) {
        u32 k = 0;
        while (k < head.count && strcmp(head.fields[k], needed[i]) != 0)
            k++;
        if (k == head.count)
            return err_at(r->err, (struct src_pos){r->path, r->line, 1},
                          "there is no column '%s', expected what ncu --csv prints", needed[i]);
    }
    return true;
}

static void read_row(struct reader *r, const struct row *row)
{
    if (!*row->fields[0]) { /* below the head of the page "raw" */
        r->units = *row;
        return;
    }
    struct launch *l = launch_of(r, row);
    const char *metric = field(r, row, "Metric Name");
    if (*metric)
        set_value(r, l, metric, field(r, row, "Metric Value"), field(r, row, "Metric Unit"));
    for (u32 i = 0; !*metric && i < row->count && i < r->head.count; i++)
        set_value(r, l, r->head.fields[i], row->fields[i],
                  i < r->units.count ? r->units.fields[i] : "");
}

/* ---- the table ---- */

/* The first row of nsight_names with that column, which several may have. */
static u32 first_of(u32 name)
{
    u32 i = 0;
    while (strcmp(nsight_names[i].column, nsight_names[name].column) != 0)
        i++;
    return i;
}

static double value_of(const struct launch *l, u32 name)
{
    double v = l->values[name];
    for (u32 i = name + 1; isnan(v) && nsight_names[i].metric; i++) {
        if (first_of(i) == name)
            v = l->values[i];
    }
    return v;
}

static void write_table(const struct reader *r, const char *size, struct text *out)
{
    text_printf(out, "workload,size,launch,kernel,grid,block");
    for (u32 i = 0; nsight_names[i].metric; i++) {
        if (first_of(i) == i)
            text_printf(out, ",%s", nsight_names[i].column);
    }
    for (u32 k = 0; k < r->count; k++) {
        const struct launch *l = &r->launches[k];
        u32 before = 0;
        for (u32 i = 0; i < k; i++)
            before += strcmp(r->launches[i].process, l->process) == 0;
        text_printf(out, "\n%s,%s,%u,%s,%s,%s", l->process, size, before, l->kernel, l->grid,
                    l->block);
        for (u32 i = 0; nsight_names[i].metric; i++) {
            double v = value_of(l, i);
            if (first_of(i) == i)
                text_printf(out, isnan(v) ? "," : ",%.10g", v);
        }
    }
    text_printf(out, "\n");
}

bool nsight_csv_convert(const char *path, const char *text, size_t length, const char *size,
                        struct text *out, struct err *err)
{
    struct reader r = {.path = path, .err = err};
    bool ok = true;
    for (const char *p = text, *end = text + length; ok && p < end;) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        stop = stop ? stop : end;
        const char *trimmed = stop > p && stop[-1] == '\r' ? stop - 1 : stop;
        r.line++;
        if (trimmed > p && *p == '"') {
            struct row row = read_fields(&r, p, trimmed);
            if (strcmp(row.fields[0], "ID") == 0)
                ok = read_head(&r, row);
            else if (r.head.count)
                read_row(&r, &row);
        }
        p = stop + 1;
    }
    if (ok)
        write_table(&r, size, out);
    arena_fini(&r.arena);
    return ok;
}
