#!/bin/sh
# Compares include/cuda/ with the toolkit's cuda.h, where one is installed: every enumerator,
# structure size and field offset must have the same number, and every prototype must be
# compatible with the symbol it maps to.
#
#   tests/conformance/check_header.sh [/usr/local/cuda/include]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
ours=$here/../../include/cuda
theirs=${1:-/usr/local/cuda/include}
[ -f "$theirs/cuda.h" ] || { echo "no $theirs/cuda.h, nothing to compare with"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# One probe source, built against each header.
{
    echo '#include <stdio.h>'
    echo '#include "cuda.h"'
    echo '#define N(x) printf("%s %lld%c", #x, (long long)(x), 10);'
    echo 'int main(void) {'
    grep -oE '\bCU[A-Z0-9_a-z]* = -?[0-9]+' "$ours/cuda_values.h" | sed 's/\(.*\) = .*/N(\1)/'
    sed -n 's/^#define \(CU_[A-Z_0-9]*\|CUDA_ARRAY3D[A-Z_]*\) .*/N(\1)/p' "$ours/cuda.h"
    # "typedef struct X { fields } Y;" becomes sizeof(Y) and offsetof(Y, field); nested
    # structures are covered by the size and the offset of the outermost field.
    awk '/^typedef (struct|union) .*\{$/ { inside = 1; depth = 0; n = 0; next }
         inside && /^\}/ { name = $2; sub(";", "", name); print "N(sizeof(" name "))"
                           for (i = 0; i < n; i++) print "N(offsetof(" name ", " field[i] "))"
                           inside = 0; next }
         inside && /\{$/ { depth++; next }
         inside && /^ +\}/ { depth--; if (depth == 0) { f = $2; sub(";", "", f); field[n++] = f }; next }
         inside && depth == 0 { line = $0; sub(/\/\*.*/, "", line); sub(/;.*/, "", line)
                                gsub(/\[[^]]*\]/, "", line); gsub(/\*/, " ", line)
                                sub(/^ +(const |unsigned )*[A-Za-z0-9_]+ +/, "", line)
                                count = split(line, part, /, */)
                                for (i = 1; i <= count; i++) { gsub(/ /, "", part[i]); field[n++] = part[i] } }' \
        "$ours/cuda_types.h"
    echo 'return 0; }'
} > "$work/probe.c"
cc -w -include stddef.h -I"$ours" -o "$work/ours" "$work/probe.c"
cc -w -include stddef.h -I"$theirs" -o "$work/theirs" "$work/probe.c"
"$work/ours" > "$work/ours.txt"
"$work/theirs" > "$work/theirs.txt"
diff -u "$work/theirs.txt" "$work/ours.txt"

# Prototypes: after our mapping, redeclared behind the toolkit's header with all its versioned
# symbols visible. Incompatible types are a compile error.
{
    echo '#define __CUDA_API_VERSION_INTERNAL'
    echo '#include "cuda.h"'
    echo 'typedef CUDA_KERNEL_NODE_PARAMS_v2 kernel_node_v2;'
    echo '#define CUDA_KERNEL_NODE_PARAMS kernel_node_v2'
    cc -E -P -I"$ours" "$ours/cuda.h" | tr '\n' ' ' | sed 's/;/;\n/g' | grep -E '^ *CUresult +cu'
} > "$work/prototypes.c"
cc -Wall -Werror -I"$theirs" -c -o /dev/null "$work/prototypes.c"
echo "$(wc -l < "$work/ours.txt") numbers and $(grep -c 'CUresult  *cu' "$work/prototypes.c") prototypes agree"
