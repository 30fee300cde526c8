#!/bin/sh
# A mesh under synthetic traffic, on the command line. Prints TAP.
# HEDDLE: the program; HEDDLE_SOURCE: the source tree.
# shellcheck source=tests/cli/tap.sh
. "$HEDDLE_SOURCE/tests/cli/tap.sh"

quick="--set traffic.warmup_cycles=1000 --set traffic.window_cycles=4000"
# shellcheck disable=SC2086
run 0 run --chip mesh4x4 uniform $quick -o skip.json && grep -q "latency  2[34].*routers" out &&
	grep -q '"mesh.router.flits"' skip.json
ok "a mesh says what its packets took, and its result what every router did"
# shellcheck disable=SC2086
run 0 run --chip mesh4x4 uniform $quick --no-skip -q -o every.json &&
	grep -v 'seconds\|ticks' skip.json >a && grep -v 'seconds\|ticks' every.json >b && cmp -s a b
ok "cycles that are skipped change nothing in the result"
# shellcheck disable=SC2086
run 0 run --chip mesh4x4 uniform $quick --seed 2 -q -o other.json && ! cmp -s skip.json other.json
ok "another seed is another run"
# shellcheck disable=SC2086
run 0 run --chip mesh4x4 uniform $quick --set traffic.load=0.95 --set traffic.drain_cycles=100 && grep -q "saturated:" out
ok "a mesh that cannot carry the load says so"
run 3 run --chip mesh4x4 uniform --set mesh.routing=adaptive --set mesh.vcs=1 --set mesh.vc_flits=2 --set mesh.escape_cycles=1000000 \
	--set traffic.load=0.9 --watchdog 3000 && grep -q "channels wait for each other: router .* VC 0 (packet .* -> router" err
ok "a routing that may not escape locks up, and the circle is named"
run 2 run --chip mesh4x4 unifrom && grep -q "nearest: uniform" err
ok "an unknown pattern is refused with the nearest one"
run 2 run --chip mesh4x4 transpose --set mesh.width=5 && grep -q "transpose runs on a mesh of 5 x 4, expected a square" err
ok "transpose wants a square"
run 2 run --chip mesh4x4 hot-spot --set traffic.hotspot_node=16 && grep -q "hotspot_node is 16, expected one of the 16 nodes" err
ok "a hot spot is a node of the mesh"
run 2 run --chip mesh4x4 memory --set traffic.placement=CCCC/LLLL/..GG && grep -q "placement has 3 rows, expected height = 4" err
ok "a placement fills the mesh"
run 2 run --chip mesh4x4 memory --set traffic.placement=CCCC/CCCC/GGGG/GGGG && grep -q "placement has no L, expected a bank" err
ok "a placement without banks is refused"
run 2 run --chip mesh4x4 uniform --set mesh.routing=adaptive --set mesh.vc_flits=1 &&
	grep -q "vc_flits is 1 with routing adaptive, expected at least 2" err
ok "a channel shallower than its routing needs is refused"
echo "1..$count"
