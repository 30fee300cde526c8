#!/bin/sh
# Policies of a cache that CPU cores and SMs share. Prints TAP. HEDDLE: the program; HEDDLE_SOURCE: the source tree.
# shellcheck source=tests/cli/tap.sh
. "$HEDDLE_SOURCE/tests/cli/tap.sh"

cat >mix.yaml <<'YAML'
applications:
  - {workload: matmul, size: tiny}
  - {cpu: "cpu:random,footprint_bytes=2MiB,load=1,alu=6,length=40000", name: cpu}
YAML
run 0 run --mix mix.yaml --chip apu46 -q -o plain.json && run 0 run --mix mix.yaml --chip apu46 --policy llc_ways=shared -q -o shared.json &&
	python3 -c 'import json; a, b = (json.load(open(f)) for f in ("plain.json", "shared.json")); assert a["totals"] == b["totals"]'
ok "a cache that nobody divides is the plain one"
for ways in split,among=kinds ucp,interval=5000 pipp,interval=5000 tc,interval=5000 tap_ucp,interval=5000 tap_rrip,interval=5000,streams=true; do
	run 0 run --mix mix.yaml --chip apu46 --policy llc_ways=$ways -q -o once.json && run 0 run --mix mix.yaml --chip apu46 --policy llc_ways=$ways --no-skip -q -o again.json &&
		python3 -c 'import json; a, b = (json.load(open(f)) for f in ("once.json", "again.json")); assert a["totals"] == b["totals"] and a["totals"]["plan.decisions"] > 0'
	ok "llc_ways=$ways runs, the same with every unit ticked"
done
python3 -c 'import json; t = json.load(open("again.json"))["totals"]; assert t["plan.policy.bits"] == 160 and t["plan.policy.periods"] > 3, t'
ok "core sampling of six SMs and four tiles takes 160 bits"
cat >pair.yaml <<'YAML'
applications: [{workload: matmul, size: tiny, sms: 0-5}, {workload: bfs, size: tiny, sms: 6-11}]
YAML
run 2 run --mix pair.yaml --chip green12 --policy ways=tap_ucp && grep -q 'tap_ucp has 2 programs on SMs, expected one' err
ok "SMs of two programs cannot be compared, and that is told"
run 2 run --mix mix.yaml --chip apu46 --policy llc_ways=tap_ucp,threshold=5 && grep -q "unknown 'policy.llc.tap_ucp' parameter 'threshold'" err
ok "an unknown parameter is refused"
run 2 run --mix mix.yaml --chip apu46 --policy llc_ways=tc,cage_ways=32 && grep -q 'cage_ways is 32 of 32 ways, expected fewer than all' err
ok "a cage of all ways is refused"
echo "1..$count"
