/*
 * The modifiers of a PTX opcode (.rn.ftz.f32) as fields.
 *
 * One table gives every word its field; a word that is in no table is refused
 * by name. Which combinations make sense is the business of the forms.
 */
#ifndef PTX_DECODE_MODIFIERS_H
#define PTX_DECODE_MODIFIERS_H

#include "base/err.h"
#include "num/compare.h"
#include "num/float.h"
#include "ptx/parse/module.h"

#define MOD_FLAGS(X)                                                                               \
    X(FTZ, "ftz")                                                                                  \
    X(SAT, "sat")                                                                                  \
    X(LO, "lo")                                                                                    \
    X(HI, "hi")                                                                                    \
    X(WIDE, "wide")                                                                                \
    X(APPROX, "approx")                                                                            \
    X(FULL, "full")                                                                                \
    X(NAN, "NaN")                                                                                  \
    X(XORSIGN, "xorsign")                                                                          \
    X(ABS, "abs")                                                                                  \
    X(RELU, "relu")                                                                                \
    X(SATFINITE, "satfinite")                                                                      \
    X(CC, "cc")                                                                                    \
    X(CLAMP, "clamp")                                                                              \
    X(WRAP, "wrap")                                                                                \
    X(SHIFTAMT, "shiftamt")                                                                        \
    X(OOB, "oob")                                                                                  \
    X(UNI, "uni")                                                                                  \
    X(SYNC, "sync")                                                                                \
    X(ALIGNED, "aligned")                                                                          \
    X(LEFT, "l")                                                                                   \
    X(RIGHT, "r")                                                                                  \
    X(PACK, "pack")                                                                                \
    X(TO, "to")                                                                                    \
    X(VOLATILE, "volatile")                                                                        \
    X(RELAXED, "relaxed")                                                                          \
    X(ACQUIRE, "acquire")                                                                          \
    X(RELEASE, "release")                                                                          \
    X(ACQ_REL, "acq_rel")                                                                          \
    X(SC, "sc")                                                                                    \
    X(WEAK, "weak")                                                                                \
    X(MMIO, "mmio")                                                                                \
    X(NC, "nc")                                                                                    \
    X(NOFTZ, "noftz")                                                                              \
    X(DOWN, "down")                                                                                \
    X(UP, "up")                                                                                    \
    X(BFLY, "bfly")                                                                                \
    X(IDX, "idx")                                                                                  \
    X(ALL, "all")                                                                                  \
    X(ANY, "any")                                                                                  \
    X(BALLOT, "ballot")                                                                            \
    X(RED, "red")                                                                                  \
    X(ARRIVE, "arrive")                                                                            \
    X(WARP, "warp")                                                                                \
    X(UNIFIED, "unified")                                                                          \
    X(CACHE_HINT, "L2::cache_hint")

enum {
#define X(id, word) MOD_BIT_##id,
    MOD_FLAGS(X)
#undef X
        MOD_BIT_COUNT,
};
#define X(id, word) static const u64 MOD_##id __attribute__((unused)) = (u64)1 << MOD_BIT_##id;
MOD_FLAGS(X)
#undef X

/* .and .add .min ...: of set, setp, atom, red, vote, redux, lop3 */
enum operation {
    OPERATION_NONE,
    OPERATION_AND,
    OPERATION_OR,
    OPERATION_XOR,
    OPERATION_ADD,
    OPERATION_MIN,
    OPERATION_MAX,
    OPERATION_INC,
    OPERATION_DEC,
    OPERATION_CAS,
    OPERATION_EXCH,
    OPERATION_POPC,
};

enum { ROUND_NONE = 0xff, COMPARE_NONE = 0xff };

struct mods {
    u64 flags;
    enum type types[4];
    u8 type_count;
    u8 round;         /* enum num_round, or ROUND_NONE */
    bool to_integral; /* .rni and the like */
    u8 compare;       /* enum num_compare, or COMPARE_NONE */
    u8 operation;
    u8 space; /* enum space; SPACE_GENERIC when none is given */
    bool has_space;
    u8 vector;           /* 0, 2, 4, 8 */
    const char *unknown; /* the first word that is in no table */
};

void mods_read(const struct ptx_statement *s, struct mods *mods);

#endif
