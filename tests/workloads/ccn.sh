#!/bin/sh
# Bundled programs on chips with a cooperative caching network: switched off it changes no cycle,
# and on, in every mode, answers are right and every law holds. Prints TAP.
# HEDDLE: the program; HEDDLE_SOURCE: the source tree.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
count=0
say() { # ok or not, and the claim
	count=$((count + 1))
	echo "$1 $count - $2"
}
# the cycles of a verified run; nothing if it was not
cycles() {
	"$HEDDLE" run "$@" --size tiny --stats run.json >out 2>err && grep -q ": verified" out &&
		sed -n 's/^ *[0-9]* kernels, \([0-9]*\) cycles.*/\1/p' out
}
for name in bfs cfd hotspot ss wc; do
	base=$(cycles "$name")
	now=$(cycles "$name" --chip fermi15-ccn -s ccn.mode=none)
	if [ -n "$base" ] && [ "$now" = "$base" ]; then verdict=ok; else verdict="not ok"; fi
	say "$verdict" "a ring that is off changes no cycle of $name"
	for chip in fermi15-ccn fermi15-ccn-rt fermi15-ccn-ideal fermi15-tracker; do
		now=$(cycles "$name" --chip $chip)
		if [ -n "$now" ] && [ "$now" != "$base" ]; then verdict=ok; else verdict="not ok"; fi
		say "$verdict" "$name is verified on $chip, in another number of cycles"
	done
done
echo "1..$count"
