#!/bin/sh
# `heddle why` and `heddle area` as a person runs them. Prints TAP.
# HEDDLE: the program; HEDDLE_SOURCE: the source tree.
# shellcheck source=tests/cli/tap.sh
. "$HEDDLE_SOURCE/tests/cli/tap.sh"
HEDDLE_CHIPS=$HEDDLE_SOURCE/chips
export HEDDLE_CHIPS

# gain LABEL: the program's gain in the table
gain() {
	awk -v label="$1" 'index($0, label) { sub(/.*  /, ""); print $1; exit }' out
}

# between LOW VALUE HIGH
between() {
	awk -v low="$1" -v value="$2" -v high="$3" 'BEGIN { exit !(value != "" && value >= low && value <= high) }'
}

cat >memory.yaml <<'END'
kernels:
  - {name: copy, blocks: 90, threads_per_block: 256, instructions: 128, mix: {load: 4, fp32: 1}, access: {random: 1, footprint_bytes: 524288}}
END
cat >compute.yaml <<'END'
kernels:
  - {name: sums, blocks: 60, threads_per_block: 256, instructions: 4096, mix: {fp32: 3, integer: 1}}
END

run 0 why memory.yaml -q --quick --set sm.count=4 && grep -q 'Bound by the path between L1 and L2' out &&
	between 1.5 "$(gain P_inf)" 20 && between 0.9 "$(gain P_DRAM)" 1.3 && grep -q '(scheduler_slots.structural_mem)' out
ok "of a kernel of loads that the L2 holds, the path between L1 and L2 is named"

run 0 why compute.yaml -q --set sm.count=4 && grep -q 'Bound by arithmetic' out &&
	between 0.99 "$(gain P_DRAM)" 1.01 && between 0.99 "$(gain P_inf)" 1.01 && between 0.99 "$(gain PerfX)" 1.01 &&
	grep -q 'Helps most: twice the execution units' out
ok "of a kernel without memory, arithmetic is named, and no memory helps"

run 0 why compute.yaml --set sm.count=4 --json -q && cp out first && run 0 why compute.yaml --set sm.count=4 --json &&
	cmp -s first out && ! grep -q ' done ' err && grep -q '"schema": "heddle.why/1"' out
ok "a second time nothing is run, and the answer is the same"

run 0 results "SELECT count(*) AS n FROM runs WHERE status = 'done' AND workload = 'compute.yaml'" --csv && grep -qx 19 out
ok "each what-if is a run of the database"

run 0 why memory.yaml --quick --json -q --chip volta8 --set sm.count=2 --set l2.mshrs=50 && grep -q '"ideal.model": "infinite"' out &&
	! grep -q '"l1-x4"' out
ok "quick is the ladder alone"

run 0 why memory.yaml --json -q --chip volta8 --set sm.count=2 --set l2.mshrs=50 && grep -q '"l2.mshrs": "200"' out
ok "four times is four times the value that --set gave"

run 0 why vecadd --size tiny --quick -q --set sm.count=4 && cp out replayed &&
	run 0 results "SELECT mode || count(*) AS n FROM runs WHERE workload = 'vecadd' GROUP BY mode ORDER BY mode" --csv &&
	[ "$(sed 1d out | tr '\n' ' ')" = "record1 replay3 " ]
ok "a program is executed once and replayed"

run 0 why vecadd --size tiny --quick -q --execute --set sm.count=4 && cmp -s out replayed
ok "executing it every time gives the same answer"

run 2 why && grep -q 'one workload is expected' err && run 2 why nosuch && grep -q "unknown workload 'nosuch'" err &&
	run 2 why memory.yaml --chip tandem && grep -q 'expected one of model gpu' err &&
	run 2 why memory.yaml --set l2.nope=1 && grep -q "unknown" err && run 2 why memory.yaml --size tiny
ok "bad input gets a sentence and exit code 2"

run 1 why memory.yaml -q --quick --chip fermi15 --timeout 0.001 && grep -q 'has no result: took longer than' err
ok "a run that cannot be had is said so, with exit code 1"

run 0 area fermi15-ce-16-48 && grep -q '95232 B = 93.0 KiB, 6.82 mm2' out && grep -q '94.0 KiB .* 6.90 mm2.* 0.98 % of the die' out &&
	run 0 area fermi15-ce-16-68 && grep -q '+20 B of flits, 3.62 mm2' out && grep -q '1.50 % of the die' out
ok "area prints the storage of the difference and the published rows beside it"

run 0 area volta80 --against volta80 --set l2.access_entries=128 --json && grep -q '"storage_bytes": 524288' out &&
	grep -q '"published": null' out && run 0 area --constants && grep -q 'ccn: all .* 9.20 .* 1.30' out &&
	run 2 area tandem && run 2 area fermi15 --constant die=3
ok "area of one change on another chip, as JSON; its constants; bad input"

run 0 why vecadd -q --quick --chip fermi15 --sample auto,first=20000 && grep -q "(estimate)" out &&
	grep -q "Sampled: .* % of the instructions are timed.* M cycles +- .* (95 % interval)" out && between 1.0 "$(gain P_inf)" 20
ok "a long program is sampled in every run, and the answer says with what interval"
run 2 why vecadd --sample 200% && grep -q "200%" err
ok "a share that cannot be is refused before anything runs"
echo "1..$count"
