#!/bin/sh
# A folder includes only itself and the folders before it (ARCHITECTURE.md). Prints TAP.
cd "$HEDDLE_SOURCE" || exit 1
order="base config stats sim num matrix device source ptx aarch64 cpu_trace cuda mem cache l2 dram net ccn memsys dvfs gpu cpu fabric policy front_end power views machine sampling run models campaign study silicon why train report cli"
bad=$(grep -rnE '^#include "' src --include='*.c' --include='*.h' | awk -v order="$order" '
BEGIN {
	n = split(order, o, " ")
	for (i = 1; i <= n; i++)
		rank[o[i]] = i
	# neighbours that do not include each other
	pair["config stats"] = pair["stats config"] = 1
}
{
	split($0, part, ":")
	split(part[1], path, "/")
	from = path[2]
	to = part[3]
	sub(/^#include "/, "", to)
	sub(/".*/, "", to)
	sub(/\/.*/, "", to)
	if (!(from in rank))
		print part[1] ": folder " from " is not in the order"
	else if (!(to in rank) || rank[to] > rank[from] || (from " " to) in pair)
		print part[1] ":" part[2] ": " from " includes " to
}')
# standard output and error outside cli: base/console.c; a program's own output; the plug-in in QEMU
writes=$(grep -rnE '\b(f?printf|vf?printf|f?puts|fputc|putchar|fwrite|perror)\(([^;]*\b(stderr|stdout)\b|"|fmt)' src --include='*.c' |
	grep -vE '^src/(cli/|base/console\.c|cpu_trace/aarch64_stream\.c|cuda/graph/graph_dot\.c|cpu_trace/record/qemu_plugin\.c)' | grep -vE 'v?snprintf|fprintf\(f,|fputs\("[^"]*", f\)')
# the header of each question says who calls what when, and what must hold
headers=$(sed -n 's/^QUESTION(.*"\([a-z0-9_/]*\.h\)".*/\1/p' src/policy/questions.def)
silent=$(for header in $headers; do grep -q '^ \* Contract: ' "src/$header" || echo "$header"; done)
[ "$(echo "$headers" | wc -l)" -ge 11 ] || silent="src/policy/questions.def: fewer than 11 questions with a header"
echo "1..3"
if [ -z "$bad" ]; then
	echo "ok 1 - includes point one way"
else
	echo "not ok 1 - includes point one way"
	printf '%s\n' "$bad" | sed 's/^/# /'
fi
if [ -z "$writes" ]; then
	echo "ok 2 - the library writes to the terminal in base/console.c alone"
else
	echo "not ok 2 - the library writes to the terminal in base/console.c alone"
	printf '%s\n' "$writes" | sed 's/^/# /'
fi
if [ -z "$silent" ]; then
	echo "ok 3 - the header of every question has its contract"
else
	echo "not ok 3 - the header of every question has its contract"
	printf '%s\n' "$silent" | sed 's/^/# /'
fi
