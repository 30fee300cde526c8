/*
 * Stands for xalancbmk (483.xalancbmk): a tree of nodes transformed by rules.
 *
 * Nodes of a large document, laid out as they were parsed, are visited depth first; each is matched
 * against rules by its name and those above it, and its text is escaped into an output buffer. To
 * meet: compute, L2 MPKI 1.78. Arguments: characters of a text.
 */
#include "common.h"

#define NODES (1u << 19)
#define NAMES 64u
#define RULES 32u
#define OUTPUT 65536u

static struct node {
    u32 child, next, parent, name;
    char text[112];
} nodes[NODES];
static struct rule {
    u32 name, parent, ancestor;
} rules[RULES];
static char output[OUTPUT];
static const char escaped[4] = {'&', 'l', 't', ';'};

int main(int argc, char **argv)
{
    u32 length = argument(argc, argv, 1, 100, 111), written = 0, matched = 0;
    for (u32 i = 1; i < NODES; i++) {
        nodes[i].name = random_below(NAMES);
        nodes[i].parent = i % 9 ? i - i % 9 : i - 9;
        nodes[i].next = i % 9 && i % 9 < 8 ? i + 1 : 0;
        nodes[i].child = i % 9 ? 0 : i + 1;
        memset(nodes[i].text, 'a' + (int)(i % 26), length);
        nodes[i].text[random_below(length)] = '<';
    }
    for (u32 r = 0; r < RULES; r++)
        rules[r] = (struct rule){random_below(NAMES), random_below(NAMES), random_below(NAMES)};
    for (;;) {
        for (u32 top = 9; top + 9 < NODES; top += 9) {
            for (u32 at = nodes[top].child; at; at = nodes[at].next) {
                u32 rule = RULES;
                for (u32 r = 0; r < RULES && rule == RULES; r++) {
                    if (rules[r].name == nodes[at].name &&
                        (rules[r].parent == nodes[top].name || rules[r].ancestor % 8 == 0))
                        rule = r;
                }
                matched += rule < RULES;
                for (u32 c = 0; nodes[at].text[c]; c++) {
                    char x = nodes[at].text[c];
                    if (x == '<' || x == '&') {
                        memcpy(output + written, escaped, sizeof escaped);
                        written += sizeof escaped;
                    } else {
                        output[written++] = x;
                    }
                    written = written < OUTPUT - 8 ? written : 0;
                }
            }
        }
        KEEP(matched);
    }
}
