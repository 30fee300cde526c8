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
# Standard output and error are written to by cli and base/console.c; the plug-in runs inside QEMU, without heddle. What
# counts is code, without its comments and strings, that names them or calls a function that writes to one of them.
# shellcheck disable=SC2016 # awk's, not the shell's
writes_of='
FNR == 1 { in_comment = 0 }
{
	line = $0
	if (in_comment) {
		if (!sub(/^.*\*\//, "", line))
			next
		in_comment = 0
	}
	gsub(/"([^"\\]|\\.)*"/, "", line)
	while (match(line, /\/\*/)) {
		rest = substr(line, RSTART + 2)
		line = substr(line, 1, RSTART - 1)
		if (!(end = index(rest, "*/"))) {
			in_comment = 1
			break
		}
		line = line " " substr(rest, end + 2)
	}
	if (line ~ /(^|[^A-Za-z0-9_])(stdout|stderr)([^A-Za-z0-9_]|$)/ ||
	    line ~ /(^|[^A-Za-z0-9_.>])(v?printf|puts|putchar|perror|v?dprintf)\(/ ||
	    line ~ /(^|[^A-Za-z0-9_.>])write\((1|2|STDOUT_FILENO|STDERR_FILENO)[ ,]/)
		print FILENAME ":" FNR ": " $0
}
'
writes=$(find src -name '*.[ch]' ! -path 'src/cli/*' ! -path src/base/console.c ! -path src/cpu_trace/record/qemu_plugin.c |
	sort | xargs awk "$writes_of")
# ... and this search finds them
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cat >"$tmp/writes.c" <<'END'
printf("1");
fprintf(
    stderr, "3");
x = y ? 0 : write(STDERR_FILENO, text, n); /* 4 */
int n = fwrite(text, 1, n, stdout) /* 5 */ + f(text);
/* a comment */ puts(text);
END
cat >"$tmp/silent.c" <<'END'
/* printf("to stdout"), over
 * lines: puts(text) */
snprintf(text, sizeof text, "printf(stderr)"); /* not to stdout */
text_printf(t, "\"puts(stdout)"), fprintf(file, "x"), w->puts(text), my_puts(text);
write(fd, text, n);
END
found=$(awk "$writes_of" "$tmp/writes.c" "$tmp/silent.c" | sed 's,.*/\([a-z]*\.c:[0-9]*\):.*,\1,' | tr '\n' ' ')
[ "$found" = "writes.c:1 writes.c:3 writes.c:4 writes.c:5 writes.c:6 " ] || writes="$writes
the search for writes found $found"
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
	echo "ok 2 - only cli and base/console.c write to the terminal"
else
	echo "not ok 2 - only cli and base/console.c write to the terminal"
	printf '%s\n' "$writes" | sed 's/^/# /'
fi
if [ -z "$silent" ]; then
	echo "ok 3 - the header of every question has its contract"
else
	echo "not ok 3 - the header of every question has its contract"
	printf '%s\n' "$silent" | sed 's/^/# /'
fi
