#!/bin/sh
# Which launches are timed, in which state, and what becomes of accesses that no array holds. Prints TAP.
# HEDDLE: the program; HEDDLE_SOURCE: the source tree.
# shellcheck source=tests/cli/tap.sh
. "$HEDDLE_SOURCE/tests/cli/tap.sh"

# $1: a condition on r, the kernels of all.json (every launch) and k, those of some.json
holds() {
	python3 -c "import json
r, k = (json.load(open(f))['kernels'] for f in ('all.json', 'some.json'))
assert $1, [(x['launch'], x['name'], x['cycles']) for x in k]"
}

run 0 run vecadd --size tiny --chip volta8 -q -o all.json && run 0 run vecadd --size tiny --chip volta8 --launches 1 -q -o some.json &&
	holds 'len(k) == 1 and k[0] == r[0]'
ok "--launches 1 times the first launch, as in a run of all"
run 0 run vecadd --size tiny --chip volta8 --launches 2-2 -o some.json && grep -qi verified out &&
	holds '[(x["launch"], x["number"], x["name"]) for x in k] == [(2, 0, r[2]["name"])]'
ok "a launch of a list keeps its number, and the program's answer is right"
run 0 run vecadd --size tiny --chip volta8 --launches 2-2 --record r.rec -q -o some.json && run 0 run --replay r.rec --chip volta8 -q -o some.json &&
	holds 'len(k) == 1 and k[0]["name"] == r[2]["name"]'
ok "--record has what is timed"

run 0 run reduce --size tiny --chip h200 --set l2.context_bytes=0 -q -o all.json && run 0 run reduce --size tiny --chip h200 --set l2.context_bytes=0 --caches cold -q -o some.json &&
	holds 'all(a["dram_read_bytes"] < 4000 for a in r) and all(b["dram_read_bytes"] >= 200000 for b in k if b["blocks"] > 1)'
ok "--caches cold empties them before every launch: all is read from DRAM again"
run 0 run --trace "$HEDDLE_SOURCE/examples/trace/kernelslist.g" --chip volta8 --caches cold -q -o some.json
ok "so does a trace"

run 0 run matmul --size tiny --chip h200 -q -o some.json && python3 - <<'PY'
import json
k = json.load(open("some.json"))["kernels"][0]
n = k["nsight"]
assert len(k["grid"]) == 3 and k["grid"][0] * k["grid"][1] * k["grid"][2] == k["blocks"] == n["launch__grid_size"]
assert k["block"][0] * k["block"][1] * k["block"][2] == k["threads_per_block"]
assert n["sm__cycles_elapsed.max"] == k["cycles"] and n["lts__t_sectors_srcunit_tex_op_write.sum"] == k["l2_write_sectors"] > 0
assert 0 < k["occupancy"] <= k["occupancy_limit"] <= 100
PY
ok "a kernel has its grid, its occupancy, and Nsight's names"

run 2 run vecadd --launches 3-1 && grep -q -- '--launches is 3-1, expected how many of the first, or a list' err
ok "a list that is none is refused"
run 2 run vecadd --caches hot && grep -q -- '--caches is hot, expected warm or cold' err
ok "an unknown state of caches is refused"
run 2 run vecadd --bounds none && grep -q -- '--bounds is none, expected strict, warn or off' err
ok "an unknown way with bounds is refused"
run 2 run --trace "$HEDDLE_SOURCE/examples/trace/kernelslist.g" --launches 2 && grep -q -- '--launches applies only to GPU programs' err
ok "--launches is for programs"
echo "1..$count"
