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
run 3 run --chip mesh4x4 uniform --set network.mesh.routing=adaptive --set network.mesh.vcs=1 --set network.mesh.vc_flits=2 --set network.mesh.escape_cycles=1000000 \
	--set traffic.load=0.9 --watchdog 3000 && grep -q "channels wait for each other: router .* VC 0 (packet .* -> router" err
ok "a routing that may not escape locks up, and the circle is named"
run 2 run --chip mesh4x4 unifrom && grep -q "nearest: uniform" err
ok "an unknown pattern is refused with the nearest one"
run 2 run --chip mesh4x4 transpose --set network.mesh.width=5 && grep -q "transpose runs on a mesh of 5 x 4, expected a square" err
ok "transpose wants a square"
run 2 run --chip mesh4x4 hot-spot --set traffic.hotspot_node=16 && grep -q "hotspot_node is 16, expected one of the 16 nodes" err
ok "a hot spot is a node of the mesh"
run 2 run --chip mesh4x4 memory --set traffic.placement=CCCC/LLLL/..GG && grep -q "placement has 3 rows, expected height = 4" err
ok "a placement fills the mesh"
run 2 run --chip mesh4x4 memory --set traffic.placement=CCCC/CCCC/GGGG/GGGG && grep -q "placement has no L, expected a bank" err
ok "a placement without banks is refused"
run 2 run --chip mesh4x4 uniform --set network.mesh.routing=adaptive --set network.mesh.vc_flits=1 &&
	grep -q "vc_flits is 1 with routing adaptive, expected at least 2" err
ok "a channel shallower than its routing needs is refused"
# shellcheck disable=SC2086
run 0 run --chip mesh4x4 memory $quick --policy noc=fvcp,warmup_cycles=500,training_cycles=500 -q -o fvcp.json && grep -q '"mesh.noc.policy.trainings": 3' fvcp.json
ok "a policy of the mesh and its parameters can be chosen"
# one round: the decision is the split with the largest of the gains that the result has, none if it has 1,000,000
# shellcheck disable=SC2086
run 0 run --chip mesh4x4 memory $quick --set traffic.gpu_load=0.5 --policy noc=fvcp,warmup_cycles=500,training_cycles=500 -q -o round.json &&
	awk '/"mesh.noc.policy.rounds": 1/ { rounds = 1 } /"mesh.noc.policy.main_(none|1|2)": 1/ { split(substr($1, 23), a, "\""); decided = a[1] }
		/"mesh.noc.policy.gain_ppm"/ { inside = 1 } inside && /"(none|1|2)": [0-9]/ { gsub(/[",:]/, " "); if ($2 > most) { most = $2; best = $1 } } /}/ { inside = 0 }
		END { exit !(rounds && most > 0 && best == decided) }' round.json
ok "F-VCP decides for the largest of the gains that it logs"
run 2 run --chip mesh4x4 memory --policy noc=split,cpu_vcs=4 && grep -q "cpu_vcs is 4 of 4 channels, expected at most 3: the GPU needs one" err
ok "a split that leaves a type no channel is refused"
run 2 run --chip mesh4x4 memory --policy noc=splt && grep -q "nearest: split" err
ok "an unknown policy is refused with the nearest one"
run 2 run cpu:mix,length=100 --policy noc=split && grep -q "network.policy is split, expected shared, or network.kind mesh" err
ok "a chip without a mesh has no policy for one"
run 2 run cpu:mix,length=100 --set network.kind=mesh --set network.mesh.width=2 --set network.placement=CC/LL/LL/MM && grep -q "placement has 2 times C, expected 4: one for each CPU core" err
ok "a placement that misses a core is refused"
run 2 run cpu:mix,length=100 --set network.kind=mesh --set network.mesh.width=4 --set network.placement=CCCC/LLLL/CMMM/.... && grep -q "placement has 5 times C, expected 4: one for each CPU core" err
ok "a placement that has a core twice is refused"
run 2 run cpu:mix,length=100 --set network.kind=mesh --set network.placement=CCCC/LLLL/MMM./.... && grep -q "placement has 3 times M, expected a divisor of the 4 DRAM channels" err
ok "controllers share the channels evenly"
run 0 run cpu:mix,length=20000 --set network.kind=mesh --set network.placement=CCCC/LLLL/MM../.... -q -o cpu.json && grep -q '"mesh.split.cpu.queue_ns": [0-9]' cpu.json
ok "CPU cores run on a mesh, and their requests' time is split"
run 2 run cpu:mix,length=100 --chip apu46-mesh --set network.placement=CCCC/LLLL/MMGG/GGG. && grep -q "placement has 5 times G, expected 6: one for each SM" err
ok "every SM has a node"
echo "1..$count"
