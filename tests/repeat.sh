#!/bin/sh
# Runs that must not depend on anything but their inputs. Every line of stdin is a chip and what to run on it, as
# `heddle run` takes it; each is run, run again, and run with every unit ticked every cycle: what the program prints
# and the whole result file but `host` must be the same three times. Prints TAP.
# HEDDLE: the program; LIMIT: seconds for one run on an idle machine (60).
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
count=0 failed=0

# once NAME ARGS...: one run, its output in NAME.out and its result in NAME.json
once() {
	name=$folder/$1
	shift
	timeout $((${LIMIT:-60} * ${HEDDLE_TEST_SLOWDOWN:-4})) "$HEDDLE" run -q -o "$name.json" "$@" >"$name.out" 2>"$folder/err" </dev/null && return
	echo "exit code $?: heddle run -q $*" >>"$folder/err"
	return 1
}

# same A B: what B has that A has not, or otherwise, on stdout
same() {
	cmp "$folder/$1.out" "$folder/$2.out" && python3 - "$folder/$1.json" "$folder/$2.json" <<'END'
import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:])
del a['host'], b['host']

def first(path, x, y):
    if x == y:
        return None
    keys = x.keys() | y.keys() if isinstance(x, dict) and isinstance(y, dict) else ()
    if isinstance(x, list) and isinstance(y, list) and len(x) == len(y):
        keys, x, y = range(len(x)), dict(enumerate(x)), dict(enumerate(y))
    for k in sorted(keys):
        if x.get(k) != y.get(k):
            return first(f'{path}.{k}', x.get(k), y.get(k))
    return f'{path[1:]} is {x} and {y}'

different = first('', a, b)
if different:
    sys.exit(different)
END
}

while read -r chip program; do
	count=$((count + 1))
	# shellcheck disable=SC2086 # words of a command line
	if once first --chip "$chip" $program && once again --chip "$chip" $program &&
		once every --chip "$chip" --no-skip $program &&
		same first again >"$folder/err" 2>&1 && same first every >"$folder/err" 2>&1; then
		echo "ok $count - $chip ${program##*/}: the same again and without skipping"
	else
		failed=$((failed + 1))
		echo "not ok $count - $chip ${program##*/}: the same again and without skipping"
		tail -n 5 "$folder/err" | sed 's/^/# /'
	fi
done
echo "1..$count"
[ "$failed" -eq 0 ]
