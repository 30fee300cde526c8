#!/bin/sh
# CUDA programs that choose a locale with decimal commas: PTX is read, results are written as ever. Prints TAP.
# HEDDLE: the program; HEDDLE_SOURCE: the source tree; LOCALE_PROGRAM: the CUDA program.
# shellcheck source=tests/cli/tap.sh
. "$HEDDLE_SOURCE/tests/cli/tap.sh"

# Two functions decide where the program's locale counts; a second way would be forgotten somewhere.
! grep -rnE '\b(setlocale|uselocale|newlocale)\(' "$HEDDLE_SOURCE/src" | grep -v '/src/base/locale\.c:' >out
ok "nobody but base/locale.c chooses a locale"
! grep -rnE '\b(atof|sscanf[^;]*%[0-9l]*[fge]|localeconv)\(' "$HEDDLE_SOURCE/src" >out
ok "nobody reads numbers with atof or scanf"
if ! localedef -i de_DE -f UTF-8 "$folder/de_DE.UTF-8" >out 2>err; then
	ok "a German locale can be made # SKIP localedef or its sources are not installed" </dev/null
	echo "1..$count"
	exit 0
fi

# german FILE WHEN: runs the program on a chip, statistics to FILE
german() {
	LOCPATH=$folder LC_ALL=de_DE.UTF-8 "$HEDDLE" run -q --chip fermi15 --seed 1 -o "$1" -- "$LOCALE_PROGRAM" "$2" >out 2>err
}
LC_ALL=C "$HEDDLE" run -q --chip fermi15 --seed 1 -o c.csv -- "$LOCALE_PROGRAM" >out 2>err
[ "$(cat out)" = "0.5
host function 2.5
program 0.5" ]
ok "without a locale all numbers have points"
for when in before after; do
	german $when.csv $when && grep -q '^host function 2,5$' out && grep -q '^program 0,5$' out && grep -q '^0.5$' out
	ok "chosen $when: the program and its host function print commas, the kernel a point"
	cmp c.csv $when.csv >>err 2>&1 && ! grep -qE '^[^"]*[0-9],[0-9]+,[0-9]' $when.csv
	ok "chosen $when: the statistics are the same to the byte"
done
german before.json before && python3 -c 'import json; json.load(open("before.json"))' 2>>err
ok "the result is JSON"
LOCPATH=$folder LC_ALL=de_DE.UTF-8 "$HEDDLE" run --chip fermi15 -- "$LOCALE_PROGRAM" >out 2>err
grep -q 'IPC  *[0-9]\.[0-9]' out && ! grep -E '[0-9],[0-9]' out | grep -vE '^(host function|program) '
ok "the summary has points"
LOCPATH=$folder LC_ALL=de_DE.UTF-8 "$HEDDLE" run --functional -- "$LOCALE_PROGRAM" >out 2>err
grep -q '^program 0,5$' out && grep -qE 'kernels, [0-9]+\.[0-9]+ M warp' err
ok "so has that of a run without timing"
echo "1..$count"
