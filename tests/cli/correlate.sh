#!/bin/sh
# A chip beside measurements: tables made from the simulator's own runs, so that what must come out is known.
# Prints TAP. HEDDLE: the program; HEDDLE_SOURCE: the source tree.
# shellcheck source=tests/cli/tap.sh
. "$HEDDLE_SOURCE/tests/cli/tap.sh"
HEDDLE_CHIPS=$HEDDLE_SOURCE/chips
export HEDDLE_CHIPS

# A GPU that takes 1,000 cycles more for every launch than the chip, and executes the same.
run 0 run vecadd --size tiny --chip ampere -q -o vecadd.json && run 0 run stream --size tiny --chip ampere -q -o stream.json
ok "the programs run"
mkdir toy
python3 - <<'END'
import json
with open("toy/kernels-tiny.csv", "w") as f:
    f.write("workload,size,launch,kernel,grid,block,cycles,warp_insts,registers\n")
    for name in "stream", "vecadd":
        for k in json.load(open(name + ".json"))["kernels"]:
            f.write(f"{name},tiny,{k['number']},{k['name']},{k['blocks']}x1x1,{k['threads_per_block']}x1x1,"
                    f"{k['cycles'] + 1000},{k['warp_instructions']},{k['registers'] + 1}\n")
END

correlate="correlate toy --size tiny --chip ampere --least-cycles 0 -j2"
# shellcheck disable=SC2086 # words
run 0 $correlate
ok "a folder of one's own is compared"
python3 - <<'END' >out2 2>err
import csv, json
rows = list(csv.DictReader(open("heddle-out/correlate/toy/launches.csv")))
runs = {n: json.load(open(n + ".json"))["kernels"] for n in ("stream", "vecadd")}
seen = 0
for r in rows:
    k = runs[r["program"]][int(r["launch"])]
    assert r["kernel"] == k["name"] and r["half"] == {"stream": "test", "vecadd": "tune"}[r["program"]]
    if r["counter"] == "cycles":
        assert float(r["simulated"]) == k["cycles"] and float(r["silicon"]) == k["cycles"] + 1000
        assert abs(float(r["error"]) + 100000 / (k["cycles"] + 1000)) < 1e-6, r
        seen += 1
    if r["counter"] == "warp_instructions":
        assert float(r["error"]) == 0
    if r["counter"] == "registers":
        assert abs(float(r["error"]) + 100 / (k["registers"] + 1)) < 1e-6, r
    if r["counter"] == "l1_hit":
        assert r["silicon"] == "" and r["error"] == ""  # not measured
assert seen == 6
j = json.load(open("heddle-out/correlate/toy/correlation.json"))
assert j["format"] == "heddle-correlate-1"
errors = [100000 / (k["cycles"] + 1000) for k in runs["stream"]]
assert abs(j["scores"]["test"]["cycles"]["absolute"] - sum(errors) / 3) < 1e-6
assert j["scores"]["test"]["cycles"]["kernels"] == 3 and j["scores"]["both"]["cycles"]["launches"] == 6
assert j["scores"]["test"]["warp_instructions"]["pearson"] > 0.999999
END
ok "each launch and counter has simulated, silicon and error, and means follow from them"
grep -q '^stream  *test  *3  *3 ' out && grep -q '^  missed  mean absolute error of cycles' out && grep -q '^  open  *mean absolute error of the L1 hit rate' out
ok "the summary has programs, halves and goals"
grep -q '<title>ampere beside silicon</title>' heddle-out/correlate/toy/page.html
ok "there is a page"
# shellcheck disable=SC2086
run 0 $correlate --csv && cmp -s out heddle-out/correlate/toy/launches.csv && ! grep -q 'on ampere' err
ok "--csv prints the rows; what is in the database is not run again"
# shellcheck disable=SC2086
run 0 $correlate --kernels && grep -q '^vecadd  *vector_copy  *tune  *1 ' out && ! grep -q '^stream  *test' out
ok "--kernels has a line for each kernel"
# shellcheck disable=SC2086
run 0 $correlate --programs stream -q && [ ! -s out ] && ! grep -q vecadd heddle-out/correlate/toy/launches.csv
ok "--programs chooses, -q is quiet"
# shellcheck disable=SC2086
run 0 $correlate --fit launch.cycles=0,1000,2000 && grep -q '^ *[0-9.]* %  3 kernels  launch.cycles=1000  <- chosen$' out &&
	grep -q '^the results below use --set launch.cycles=1000$' out && grep -q '^  met     mean absolute error of cycles' out
ok "--fit finds the value on one half, and the other half is judged with it"
grep -q 'stream tiny on ampere' err && [ "$(grep -c 'stream tiny on ampere' err)" -eq 1 ]
ok "the half that is judged was run with the chosen value alone"
# shellcheck disable=SC2086
run 2 $correlate --db unmade.db --fit launch.cycles=1,none && grep -q "launch.cycles is 'none', expected a number" err && [ ! -e unmade.db ]
ok "a value that is none is told before the first run"
# shellcheck disable=SC2086
run 2 $correlate --fit launch.cycle=1,2 && grep -q "unknown parameter of chip ampere 'launch.cycle'" err
ok "an unknown parameter is refused"
run 1 correlate toy --size tiny --chip ampere --no-run --db empty.db && grep -q '2 of 2 programs have no result; stream: not run' err
ok "without a run there is nothing to compare"

# with EDIT TEXT: the table changed by sed; TEXT is what the message must say
with() {
	rm -rf bad && cp -r toy bad
	sed -i "$1" bad/kernels-tiny.csv
	run 2 correlate bad --size tiny --chip ampere --least-cycles 0 && grep -qF -- "$2" err
	ok "refused: $2"
}
with '1s/cycles/cycels/' "bad/kernels-tiny.csv:1:1: there is no column 'cycles' (nearest: cycels)"
with '1s/warp_insts/warp_inst/' "bad/kernels-tiny.csv:1:1: unknown column 'warp_inst'"
with 's/^stream/streem/' "bad/kernels-tiny.csv:2:1: unknown workload 'streem'"
with '4s/,[0-9]*x1x1,/,7x1x1,/' "bad/kernels-tiny.csv:4: launch 2 of stream has a grid of 7x1x1, the simulated one"
with '4s/stream_copy/stream_move/' "bad/kernels-tiny.csv:4: launch 2 of stream is kernel stream_move, the simulated one is stream_copy"
with '4s/tiny/small/' "bad/kernels-tiny.csv:4:1: size is small, expected tiny"
run 2 correlate nosuch && grep -q "kernels-small.csv is neither in nosuch" err
ok "a folder without measurements is refused"
run 2 correlate && grep -q 'one folder of measurements (such as h200) or one CSV file of Nsight Compute is expected, 0 are given' err
ok "a folder must be named"

# What Nsight Compute exports: two launches of a program, the first ten percent longer than simulated.
program=$(dirname "$HEDDLE")/workloads/vecadd
run 0 run --chip ampere -q -o result.json -- "$program" --size tiny && python3 - <<'PY'
import json
kernels = json.load(open("result.json"))["kernels"]
with open("ncu.csv", "w") as f:
    f.write('==PROF== Connected\n"ID","Process Name","Kernel Name","Block Size","Grid Size","Metric Name","Metric Unit","Metric Value"\n')
    for i, k in enumerate(kernels[:2]):
        shape = '"(%d, %d, %d)","(%d, %d, %d)"' % (*k["block"], *k["grid"])
        f.write('"%d","vecadd","%s(float *)",%s,"sm__cycles_elapsed.max","cycle","%s"\n' %
                (i, k["name"], shape, format(round(k["cycles"] / (0.9 if i == 0 else 1)), ",")))
PY
run 0 correlate ncu.csv --chip ampere --least-cycles 0 --kernels --db ncu.db -- "$program" --size tiny && grep -qE '^vecadd +vector_copy .* 10\.0 +-10\.0' out &&
	grep -qE '^vecadd +vector_add .* 0\.0 +[+-]0\.0' out
ok "what Nsight Compute exported is compared with the program behind --"
run 2 correlate ncu.csv --chip ampere --executables "$(dirname "$program")" --launches 1 --least-cycles 0 --no-run --db ncu2.db -- x && grep -q 'not both' err
ok "a folder of programs and a program are refused"
run 2 correlate ncu.csv && grep -q -- 'a file of measurements needs --chip as well' err
ok "a file names no chip"
echo "1..$count"
