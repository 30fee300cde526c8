#!/bin/sh
# Some launches are timed, the program's totals are estimated. Prints TAP.
# HEDDLE: the program; HEDDLE_SOURCE: the source tree; SAMPLING_PROGRAM: sampling_program.c.
# shellcheck source=tests/cli/tap.sh
. "$HEDDLE_SOURCE/tests/cli/tap.sh"

# $1: a condition on a, the whole run, and s, what is estimated of it
holds() {
	python3 -c "import json
a = json.load(open('all.json'))
s = json.load(open('some.json'))['sampling']
t = s['totals']
assert $1, s"
}

run 0 run launches --size small --chip volta8 -q -o all.json && run 0 run launches --size small --chip volta8 --sample 5%,first=0 -o some.json &&
	grep -q verified out && grep -q '  sampled  ' out && grep -q 'of 2000 launches timed' out &&
	holds 's["launches"] == 2000 and 100 < s["timed_launches"] < 400'
ok "--sample executes every launch and times some; the answer is right"
holds 'abs(t["cycles"]["estimate"] - list(a["run"]["cycles"].values())[0]) <= 0.01 * t["cycles"]["estimate"]'
ok "the estimate of 2,000 launches is within 1 % of all of them"
holds '[k["name"] for k in s["kernels"]] == ["launches_empty", "launches_count"] and sum(k["launches"] for k in s["kernels"]) == 2000'
ok "each kernel has its own"
cp some.json first.json && run 0 run launches --size small --chip volta8 --sample 5%,first=0 -q -o some.json &&
	python3 -c "import json; assert json.load(open('first.json'))['sampling'] == json.load(open('some.json'))['sampling']"
ok "a second run draws the same launches"

run 0 run vecadd --size tiny --chip volta8 -q -o all.json && run 0 run vecadd --size tiny --chip volta8 --sample auto -o some.json &&
	grep -q 'launches were timed, nothing is estimated' out &&
	holds 's["timed_share"] == 1 and t["cycles"]["half_width"] == 0 and abs(t["cycles"]["estimate"] - list(a["run"]["cycles"].values())[0]) < 2000'
ok "a short program is timed whole"

run 0 run vecadd --size small --sample auto,first=100000 -o some.json && grep -q verified out &&
	holds 's["shortened_launches"] == 3 and s["timed_share"] < 0.2 and 0 < t["cycles"]["half_width"] < 0.05 * t["cycles"]["estimate"]'
ok "of a kernel of many blocks the first waves are timed, the rest is executed"

run 0 run --sample auto,first=0 --chip volta8 -o some.json -- "$SAMPLING_PROGRAM" free && grep -q verified out &&
	cp some.json all.json && holds 's["shortened_launches"] == 1 and s["timed_share"] < 0.9'
ok "a kernel of 5,000 blocks is shortened"
run 0 run --sample auto,first=0 --chip volta8 -o some.json -- "$SAMPLING_PROGRAM" chain && grep -q verified out &&
	holds 's["shortened_launches"] == 0 and s["timed_share"] == 1'
ok "the same kernel is timed whole when each block waits for a flag of the one before"
run 0 run bfs_wl --size tiny --chip volta8 --sample auto,first=0 -q -o some.json && holds 's["shortened_launches"] == 0 and s["timed_share"] == 1'
ok "so is a persistent kernel with worklists"

# SIGTERM, which ends a run as Ctrl-C does, once the program has said that its long launch begins, which takes an hour; $1: what is said then
interrupted() {
	sentence=$1
	shift
	: >out
	"$HEDDLE" run --chip volta8 "$@" -- "$SAMPLING_PROGRAM" late >out 2>err &
	child=$!
	for _ in $(seq 600); do
		grep -q 'the long launch begins' out && break
		sleep 0.2
	done
	sleep 1
	kill -TERM $child
	# its sleep outlives it; what it held open, the reader of these lines would wait for
	(sleep "$(limit 30)" && kill -KILL $child) >/dev/null 2>&1 &
	killer=$!
	wait $child
	code=$?
	kill $killer 2>/dev/null
	[ $code -eq 130 ] && grep -q "$sentence" err
}
rm -f some.json && interrupted 'interrupted after .* cycles; statistics so far: some.json' --sample 2%,first=0 -o some.json &&
	holds 's["launches"] == 60 and s["timed_launches"] < 60'
ok "Ctrl-C ends a launch that is executed without timing, with the estimates so far"
rm -f x.ck* && interrupted 'interrupted after 61 of 70 launches before the checkpoint, which is not written' --functional --save 70:x.ck &&
	! ls x.ck* >files 2>&1
ok "and one before a checkpoint, of which nothing is left"

cat >sweep.yaml <<'YAML'
name: sampled
about: sampled
chips: [volta8]
workloads: [{name: launches, size: small}]
sample: 5%,first=0
YAML
run 0 sweep sweep.yaml --db sweep.db -q && run 0 results --db sweep.db "SELECT cycles FROM runs WHERE cycles > 400000 AND EXISTS
	(SELECT 1 FROM stat_names WHERE name = 'sampling.cycles.half_width') AND NOT EXISTS (SELECT 1 FROM stat_names WHERE name = 'cycles')" --csv &&
	[ "$(wc -l <out)" = 2 ]
ok "a sweep with sample: has estimates as its cycles"
printf 'name: s\nchips: [volta8]\nworkloads: [vecadd]\nsample: 200%%\n' >sweep.yaml
run 2 sweep sweep.yaml --db sweep.db && grep -q 'sweep.yaml:4:9: sample is 200%, expected auto or a share of the launches' err
ok "a share that is none is refused in a sweep file"
printf 'name: s\nchips: [volta8]\nworkloads: [vecadd]\nsample: 2%%\nrecord: true\n' >sweep.yaml
run 2 sweep sweep.yaml --db sweep.db && grep -q 'sample and record are given, expected one of them' err
ok "so is a recording beside it"
for key in 'launches: 3' 'resume: v.ck'; do
	printf 'name: s\nchips: [volta8]\nworkloads: [{name: vecadd, %s}]\nsample: 2%%\n' "$key" >sweep.yaml
	run 2 sweep sweep.yaml --db sweep.db && grep -q "sweep.yaml:3:.*: sample and ${key%:*} are given, expected one of them" err
	ok "or ${key%:*}"
done

run 2 run vecadd --sample 0 && grep -q -- '--sample is 0, expected auto or the share of launches to time' err
ok "a share that is none is refused"
run 2 run vecadd --sample auto --launches 2 && grep -q -- '--sample: --launches is given as well, expected one of them' err
ok "so is a choice of launches beside it"
run 2 run vecadd --sample auto --functional && grep -q -- '--sample has no effect on a program without timing' err
ok "and a run without timing"
run 2 run --trace "$HEDDLE_SOURCE/examples/trace/kernelslist.g" --sample auto && grep -q -- '--sample applies only to GPU programs' err
ok "and a trace, which cannot be executed"
echo "1..$count"
