#!/bin/sh
# tools/slowdown: limits of tests grow with the load of the machine. Prints TAP.
# HEDDLE_SOURCE: the source tree.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
count=0
expect() { # LOAD CORES WANT CLAIM
	count=$((count + 1))
	echo "$1 0.00 0.00 1/100 1" >"$folder/load"
	got=$("$HEDDLE_SOURCE/tools/slowdown" "$folder/load" "$2")
	[ "$got" = "$3" ] && echo "ok $count - $4" || echo "not ok $count - $4: $got, expected $3"
}
expect 0.00 2 2 "an idle machine has twice the time"
expect 2.00 2 4 "one with a process on each core four times"
expect 15.10 2 18 "eight on each core eighteen times, rounded up" # 2 x (1 + 7.55) = 17.1
expect 9000 2 60 "none has more than sixty times"
count=$((count + 1))
[ "$("$HEDDLE_SOURCE/tools/slowdown" "$folder/none" 2)" = 4 ] && echo "ok $count - without a load four times" || echo "not ok $count - without a load four times"
echo "1..$count"
