#!/bin/sh
# Policies of a cache that CPU cores and SMs share. Prints TAP. HEDDLE: the program; HEDDLE_SOURCE: the source tree.
# shellcheck source=tests/cli/tap.sh
. "$HEDDLE_SOURCE/tests/cli/tap.sh"

cat >mix.yaml <<'YAML'
applications:
  - {workload: matmul, size: tiny}
  - {cpu: "cpu:random,footprint_bytes=2MiB,load=1,alu=6,length=40000", name: cpu}
YAML
run 0 run --mix mix.yaml --chip apu46 -q -o plain.json && run 0 run --mix mix.yaml --chip apu46 --policy llc.partition=shared -q -o shared.json &&
	python3 -c 'import json; a, b = (json.load(open(f)) for f in ("plain.json", "shared.json")); assert a["totals"] == b["totals"]'
ok "a cache that nobody divides is the plain one"
for ways in split,among=kinds ucp,interval=5000 pipp,interval=5000 tc,interval=5000 tap_ucp,interval=5000 tap_rrip,interval=5000,streams=true; do
	run 0 run --mix mix.yaml --chip apu46 --policy llc.partition=$ways -q -o once.json && run 0 run --mix mix.yaml --chip apu46 --policy llc.partition=$ways --no-skip -q -o again.json &&
		python3 -c 'import json; a, b = (json.load(open(f)) for f in ("once.json", "again.json")); assert a["totals"] == b["totals"] and a["totals"]["plan.decisions"] > 0'
	ok "llc_ways=$ways runs, the same with every unit ticked"
done
python3 -c 'import json; t = json.load(open("again.json"))["totals"]; assert t["plan.policy.bits"] == 160 and t["plan.policy.periods"] > 3, t'
ok "core sampling of six SMs and four tiles takes 160 bits"
cat >pair.yaml <<'YAML'
applications: [{workload: matmul, size: tiny, sms: 0-5}, {workload: bfs, size: tiny, sms: 6-11}]
YAML
run 2 run --mix pair.yaml --chip green12 --policy l2.partition=tap_ucp && grep -q 'tap_ucp has 2 programs on SMs, expected one' err
ok "SMs of two programs cannot be compared, and that is told"
run 2 run --mix mix.yaml --chip apu46 --policy llc.partition=tap_ucp,threshold=5 && grep -q "unknown parameter of policy tap_ucp 'threshold', expected a name from .heddle list params. (nearest: xs_threshold)" err
ok "an unknown parameter is refused"
run 2 run --mix mix.yaml --chip apu46 --policy llc.partition=tc,cage_ways=32 && grep -q 'cage_ways is 32 of 32 ways, expected fewer than all' err
ok "a cage of all ways is refused"
# With an eighth of the cache. Each warp sweeps data of its own; all of it misses in the L1s. Two warps on an SM wait for their
# loads, 48 hide them: a program of type C and one of type D (spec 6.4.1, 6.5.5).
sweep() {
	cat >"$1.yaml" <<-YAML
		kernels: [{name: sweep, blocks: $2, threads_per_block: $3, registers_per_thread: 16, instructions: $4, dependence_distance: 2,
		           mix: {fp32: 39, load: 1}, access: {private_reuse: 1, footprint_bytes: $5}}]
	YAML
	cat >"$1-cpu.yaml" <<-YAML
		applications: [{synthetic: $1.yaml}, {cpu: "cpu:random,footprint_bytes=600KiB,load=1,alu=6,length=400000", name: cpu}]
	YAML
	cat >"$1-stream.yaml" <<-YAML
		applications: [{synthetic: $1.yaml}, {cpu: "cpu:stream,load=1,alu=6,footprint_bytes=64MiB,length=400000", name: cpu}]
	YAML
}
sweep few 6 64 40000 24KiB
sweep common 6 64 40000 400KiB
sed -i 's/private_reuse/random/' common.yaml
sweep many 36 256 4000 4KiB
# mixed RESULT MIX POLICY
mixed() {
	run 0 run --mix "$2.yaml" --chip apu46 --set llc.size_bytes=1MiB -q -o "$1.json" ${3:+--policy llc.partition=$3,interval=20000}
}
mixed few few-cpu tap_ucp && mixed many many-cpu tap_ucp &&
	python3 - 2>err <<-'PY'
		import json
		few, many = (json.load(open(f + ".json"))["totals"] for f in ("few", "many"))
		assert few["plan.policy.useful"] > 4 * few["plan.policy.useless"], few["plan.policy.useful"]
		assert many["plan.policy.useless"] > 4 * many["plan.policy.useful"], many["plan.policy.useful"]
		assert few["plan.policy.masked"] == few["plan.policy.useless"] and many["plan.policy.masked"] == many["plan.policy.useless"]
	PY
ok "a GPU program with few warps needs the cache, with many it does not, and the mask follows"
mixed blind common-cpu tap_ucp && mixed probe common-cpu tap_ucp,bypass=probe,rotate=true &&
	python3 - 2>err <<-'PY'
		import json
		blind, probe = (json.load(open(f + ".json"))["totals"] for f in ("blind", "probe"))
		assert blind["plan.policy.useful"] > 4 * blind["plan.policy.useless"], blind["plan.policy.useful"]
		assert probe["plan.policy.useless"] > 2 * probe["plan.policy.useful"], probe["plan.policy.useful"]
	PY
ok "where SMs share data the one that bypasses the cache must not be served by it: probing hides what it loses"
mixed lru many-cpu "" && mixed ucp many-cpu tap_ucp && mixed rrip many-cpu tap_rrip &&
	python3 - 2>err <<-'PY'
		import json
		lru, ucp, rrip = ([a["ipc"] for a in json.load(open(f + ".json"))["applications"]] for f in ("lru", "ucp", "rrip"))
		assert all(tap[1] > 1.1 * lru[1] and abs(tap[0] / lru[0] - 1) < 0.05 for tap in (ucp, rrip)), (lru, ucp, rrip)
	PY
ok "beside a GPU program that does not need the cache TAP makes a CPU program faster, at no cost to the GPU"
# Sampled SMs rotate and probe: here each SM has one block, and the program would wait for the SM that is always without help.
mixed lru few-stream "" && mixed tap few-stream tap_ucp,bypass=probe,rotate=true && mixed streams few-stream tap_ucp,streams=true,bypass=probe,rotate=true &&
	python3 - 2>err <<-'PY'
		import json
		lru, tap, streams = ([a["ipc"] for a in json.load(open(f + ".json"))["applications"]] for f in ("lru", "tap", "streams"))
		both = lambda a: (a[0] / lru[0] * a[1] / lru[1]) ** 0.5
		assert both(tap) < 0.95 and abs(both(streams) - 1) < 0.03, (both(tap), both(streams))
	PY
ok "beside a CPU program that streams TAP is slower than LRU, TAP-S is not"
echo "1..$count"
