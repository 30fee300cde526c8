#!/bin/sh
# Every bundled GPU program as machine instructions: its result is verified and every law holds;
# and a recording of one comes back with the same cycles. Prints TAP.
# HEDDLE: the program; HEDDLE_SOURCE: the source tree; CHIP (default volta80).
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
chip=${CHIP:-volta80} count=0
say() { # RESULT CLAIM
	count=$((count + 1))
	if [ "$1" = 0 ]; then echo "ok $count - $2"; else
		echo "not ok $count - $2"
		tail -n 5 out err | sed 's/^/# /'
	fi
}
for ptx in "$HEDDLE_SOURCE"/workloads/gpu/*/*.ptx; do
	name=$(basename "$ptx" .ptx)
	"$HEDDLE" run "$name" --size tiny --chip "$chip" --set sm.machine_code=lowered -o "$name.json" >out 2>err &&
		grep -q "^$name: verified" out
	say $? "$name verifies as machine instructions on $chip"
done
cycles() { grep -o '"cycles": [0-9]*' "$1" | tr -d '\n'; }
for name in reduce cutcp bfs; do
	"$HEDDLE" run "$name" --size tiny --chip "$chip" --set sm.machine_code=lowered --record "$name.rec" -o a.json >out 2>err &&
		"$HEDDLE" run --replay "$name.rec" --chip "$chip" --set sm.machine_code=lowered -o b.json >>out 2>>err &&
		[ "$(cycles a.json)" = "$(cycles b.json)" ] && [ "$(cycles a.json)" = "$(cycles "$name.json")" ]
	say $? "$name recorded as machine instructions comes back with the same cycles"
done
"$HEDDLE" run reduce --size tiny --chip "$chip" -o a.json >out 2>err &&
	"$HEDDLE" run reduce --size tiny --chip "$chip" --set sm.machine_code=ptx -o b.json >>out 2>>err &&
	[ "$(cycles a.json)" = "$(cycles b.json)" ] && [ "$(cycles a.json)" != "$(cycles reduce.json)" ]
say $? "PTX one by one is the default, and machine instructions are something else"
echo "1..$count"
