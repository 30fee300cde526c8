#!/bin/sh
# Regions on the command line: what a person sees, pairs of programs, and what is refused. Prints TAP.
# HEDDLE: the program; HEDDLE_SOURCE: the source tree.
# shellcheck source=tests/cli/tap.sh
. "$HEDDLE_SOURCE/tests/cli/tap.sh"

run 0 run stream --size tiny --chip green12 --regions -o counted.json && grep -q '^  regions of stream_copy, 1 launch$' out &&
	grep -qE '^    0 +200004  read +50\.0 %' out && grep -qE '^    1 +200004  write +50\.0 %' out
ok "--regions shows a row for each buffer of each kernel"
run 0 run stream --size tiny --chip green12 -q -o plain.json && python3 - <<'PY'
import json
a, b = (json.load(open(f)) for f in ("counted.json", "plain.json"))
assert all(a["totals"][k] == v for k, v in b["totals"].items())
kernel = next(k for k in a["regions"] if k["name"] == "stream_copy")
assert [r["use"] for r in kernel["regions"]] == ["read", "write"] and not kernel["undisciplined"]
PY
ok "counting changes no statistic, and the result has the regions"
run 0 run stream --size tiny --functional --record s.rec --chip green12 -q && run 0 run --replay s.rec --chip green12 --regions &&
	grep -q '^  regions of stream_copy, 1 launch$' out
ok "a replay knows the regions of its recording"
run 0 run --trace "$HEDDLE_SOURCE/examples/trace/kernelslist.g" --chip green12 --regions && grep -q 'kernels are not known$' out
ok "a trace has none, and that is told"

cat >pair.yaml <<'YAML'
applications: [{workload: matmul, size: tiny, sms: 0-5}, {workload: bfs, size: tiny, sms: 6-11}]
YAML
for ways in split ucp gpar racr; do
	run 0 run --mix pair.yaml --chip green12 --set regions.mode=bypass --set regions.training_cycles=2000 --policy l2.partition=$ways -q -o pair.json &&
		run 0 run --mix pair.yaml --chip green12 --set regions.mode=bypass --set regions.training_cycles=2000 --policy l2.partition=$ways --no-skip -q -o again.json &&
		python3 -c 'import json; a, b = (json.load(open(f)) for f in ("pair.json", "again.json")); assert a["totals"] == b["totals"]'
	ok "a pair of programs runs with ways=$ways, the same with every unit ticked"
done

run 2 run stream --size tiny --chip green12 --policy l2.partition=racr && grep -q 'l2.policy is racr, which needs the regions of kernels, expected regions.mode train or bypass' err
ok "resizing by regions that nobody counts is refused"
run 2 run stream --size tiny --chip green12 --set regions.l1_percent=150 && grep -q 'regions.l1_percent is 150, expected 0 to 101' err
ok "a threshold that is no percentage is refused"
run 2 run stream --size tiny --chip green12 --set regions.l2_percent=-1 && grep -q 'regions.l2_percent' err
ok "and so is one below 0"
run 2 run stream --size tiny --chip green12 --policy l2.partition=rac && grep -q "nearest: racr" err
ok "an unknown policy is refused with the nearest one"
run 2 run --mix pair.yaml --chip green12 --set l2.ways=1 --policy l2.partition=ucp && grep -q 'ucp has 2 programs for 1 ways, expected a way for each' err
ok "more programs than ways are refused"
run 2 run stream --size tiny --chip h200 --set regions.mode=bypass && grep -q 'regions.mode is bypass with l2.far_cycles' err
ok "an L2 in halves lets nothing past, and says so"
echo "1..$count"
