#!/bin/sh
# Every bundled GPU program on a chip: its result is verified and every law holds. Prints TAP.
# HEDDLE: the program; HEDDLE_SOURCE: the source tree; SIZE (default tiny), CHIP (default fermi15).
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
size=${SIZE:-tiny} chip=${CHIP:-fermi15} count=0
for ptx in "$HEDDLE_SOURCE"/workloads/gpu/*/*.ptx; do
	name=$(basename "$ptx" .ptx)
	count=$((count + 1))
	if "$HEDDLE" run "$name" --size "$size" --chip "$chip" >out 2>err && grep -q "^$name: verified" out; then
		echo "ok $count - $name verifies with timing on $chip at size $size"
	else
		echo "not ok $count - $name verifies with timing on $chip at size $size"
		tail -n 5 out err | sed 's/^/# /'
	fi
done
echo "1..$count"
