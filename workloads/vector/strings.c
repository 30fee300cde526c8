// strlen, strchr, strcmp, strcpy and strstr with first-fault loads: what=NAME bytes=N calls=N
#include "runtime.h"

#define ALIGNMENTS 4 /* of 16 bytes each: where in a line a string begins */
#define MOST 65536

static char texts[ALIGNMENTS][MOST + 128] __attribute__((aligned(256)));
static char other[MOST + 512] __attribute__((aligned(256)));

/* ---- scalar references ---- */

static word length_of(const char *s)
{
    word n = 0;
    while (s[n])
        n++;
    return n;
}

static const char *find_scalar(const char *s, char c)
{
    for (; *s != c; s++) {
        if (!*s)
            return 0;
    }
    return s;
}

static int compare_scalar(const char *a, const char *b)
{
    for (; *a && *a == *b; a++, b++)
        ;
    return (unsigned char)*a - (unsigned char)*b;
}

static const char *search_scalar(const char *s, const char *what)
{
    for (; *s; s++) {
        word n = 0;
        while (what[n] && s[n] == what[n])
            n++;
        if (!what[n])
            return s;
    }
    return 0;
}

/* ---- scalable vectors ----
 * As the published SVE versions: the first-fault register stays true until a load meets the end of
 * what is mapped; only then is what was loaded less than a vector. */

static svbool_t begin_loads(void)
{
    svsetffr();
    return svptrue_b8();
}

/* What was loaded; *n is how much of it there is. After a fault the register is set again. */
static inline svbool_t loaded_of(svbool_t all, word *n)
{
    svbool_t loaded = svrdffr();
    *n = svcntb();
    if (__builtin_expect(!svptest_last(all, loaded), 0)) {
        *n = svcntp_b8(all, loaded);
        svsetffr();
    }
    return loaded;
}

static word vector_strlen(const char *s)
{
    word n = 0, count;
    PIN();
    for (svbool_t all = begin_loads();; n += count) {
        svuint8_t v = svldff1_u8(all, (const uint8_t *)s + n);
        svbool_t loaded = loaded_of(all, &count);
        svbool_t zero = svcmpeq_n_u8(loaded, v, 0);
        if (svptest_any(loaded, zero)) {
            n += svcntp_b8(loaded, svbrkb_b_z(loaded, zero));
            UNPIN();
            return n;
        }
    }
}

static const char *vector_strchr(const char *s, char c)
{
    word count;
    PIN();
    for (svbool_t all = begin_loads();; s += count) {
        svuint8_t v = svldff1_u8(all, (const uint8_t *)s);
        svbool_t loaded = loaded_of(all, &count);
        svbool_t is = svcmpeq_n_u8(loaded, v, (uint8_t)c);
        svbool_t zero = svcmpeq_n_u8(loaded, v, 0);
        svbool_t either = svorr_b_z(loaded, is, zero);
        if (svptest_any(loaded, either)) {
            s += svcntp_b8(loaded, svbrkb_b_z(loaded, either));
            UNPIN();
            return *s == c ? s : 0;
        }
    }
}

static int vector_strcmp(const char *a, const char *b)
{
    word n = 0, count;
    PIN();
    for (svbool_t all = begin_loads();; n += count) {
        svuint8_t x = svldff1_u8(all, (const uint8_t *)a + n);
        svuint8_t y = svldff1_u8(all, (const uint8_t *)b + n);
        svbool_t loaded = loaded_of(all, &count);
        svbool_t ends = svcmpeq_n_u8(loaded, x, 0);
        svbool_t differs = svcmpne_u8(loaded, x, y);
        svbool_t either = svorr_b_z(loaded, ends, differs);
        if (svptest_any(loaded, either)) {
            n += svcntp_b8(loaded, svbrkb_b_z(loaded, either));
            UNPIN();
            return (unsigned char)a[n] - (unsigned char)b[n];
        }
    }
}

static void vector_strcpy(char *to, const char *from)
{
    word n = 0, count;
    PIN();
    for (svbool_t all = begin_loads();; n += count) {
        svuint8_t v = svldff1_u8(all, (const uint8_t *)from + n);
        svbool_t loaded = loaded_of(all, &count);
        svbool_t zero = svcmpeq_n_u8(loaded, v, 0);
        svst1_u8(svbrka_b_z(loaded, zero), (uint8_t *)to + n, v);
        if (svptest_any(loaded, zero)) {
            UNPIN();
            return;
        }
    }
}

/* Candidates are places of the first letter; each is compared with the rest. */
static const char *vector_strstr(const char *s, const char *what)
{
    word rest = length_of(what);
    for (;;) {
        s = vector_strchr(s, what[0]);
        if (!s)
            return 0;
        word n = 1;
        while (n < rest && s[n] == what[n])
            n++;
        if (n == rest)
            return s;
        s++;
    }
}

/* ---- runs ---- */

static char *text_at(word place)
{
    return texts[place % ALIGNMENTS] + 16 * (place % ALIGNMENTS);
}

/* Letters a to p; z only at the end. */
static void make_texts(word bytes)
{
    word state = 1;
    for (word k = 0; k < ALIGNMENTS; k++) {
        word *to = (word *)text_at(k);
        for (word i = 0; i < bytes / 8 + 1; i++)
            to[i] =
                0x6161616161616161u + (random_next(&state) * 0x100000001u & 0x0f0f0f0f0f0f0f0fu);
        char *text = text_at(k);
        text[bytes] = 0;
        if (bytes > 1) {
            text[bytes - 2] = 'x';
            text[bytes - 1] = 'z';
        }
    }
}

static word call(const char *what, const char *s, word bytes, int is_scalar)
{
    if (same_text(what, "strlen"))
        return is_scalar ? length_of(s) : vector_strlen(s);
    if (same_text(what, "strchr"))
        return (word)(is_scalar ? find_scalar(s, 'z') : vector_strchr(s, 'z')) - (word)s;
    if (same_text(what, "strstr"))
        return (word)(is_scalar ? search_scalar(s, "xz") : vector_strstr(s, "xz")) - (word)s;
    if (same_text(what, "strcpy")) {
        if (!is_scalar)
            vector_strcpy(other, s);
        for (word i = 0; is_scalar && i <= bytes; i++)
            other[i] = s[i];
        return other[bytes];
    }
    check(same_text(what, "strcmp"), "an unknown routine");
    return (word)(is_scalar ? compare_scalar(s, s) : vector_strcmp(s, s));
}

int run(void)
{
    const char *what = argument("what", "strlen");
    word bytes = argument_number("bytes", 32768), calls = argument_number("calls", 16);
    word first = argument_number("align", 0), step = argument_number("aligns", ALIGNMENTS);
    int is_scalar = same_text(argument("kernel", "vector"), "scalar");
    int checks = argument_number("check", 1) != 0;
    check(bytes < MOST, "more bytes than 65535");
    make_texts(bytes);
    for (word i = 0; i < calls; i++) {
        const char *s = text_at(first + i % (step ? step : 1)); /* every alignment as often */
        word r = call(what, s, bytes, is_scalar);
        if (checks)
            check(r == call(what, s, bytes, 1), what);
    }
    if (checks && same_text(what, "strcpy") && bytes)
        check(compare_scalar(other, text_at(0)) != 1 && length_of(other) == bytes, what);
    return 0;
}
