#!/bin/sh
# Front ends over traces, and the OpenMP programs of the suite: tables, and what is refused. Prints TAP.
# HEDDLE: the program; HEDDLE_SOURCE: the source tree.
# shellcheck source=tests/cli/tap.sh
. "$HEDDLE_SOURCE/tests/cli/tap.sh"
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME

run 0 front-end cpu:loop,length=50000 -o t.csv && grep -q 'tage_big  *15.09 KiB' out && [ "$(grep -c '^"cpu:loop,length=50000",' t.csv)" -eq 105 ] &&
	[ "$(awk -F, '$4 == "total" && $5 == 50000' t.csv | wc -l)" -eq 35 ]
ok "35 structures have a row for each section"
run 0 run cpu:loop,length=50000 --chip front-ends -o r.json && [ "$(grep -c '"predictors\.' r.json)" -ge 9 ]
ok "a chip of front ends runs as any other"
python3 - <<'PY'
import csv, json
rows = {(r["structure"], r["section"]): r["mpki"] for r in csv.DictReader(open("t.csv"))}
totals = json.load(open("r.json"))["totals"]
assert len(rows) == 105
for (structure, section), mpki in rows.items():
    kept = totals[structure + (".mpki" if section == "total" else f".{section}_mpki")]
    # 50,000 serial instructions: the rate of parallel ones is none, not zero
    assert (mpki, kept) == ("", None) if section == "parallel" else abs(float(mpki) - kept) < 1e-6, (structure, section, mpki, kept)
    if section == "total":
        assert abs(kept - totals[structure + ".misses"]["total"] / 50) < 1e-9
PY
ok "its result has each structure's MPKI, none for a section without instructions"
run 0 front-end cpu:loop,length=50000 && grep -q '^  b256x1  *3.00 KiB *[0-9.]* * - *[0-9.]*$' out && ! grep -q ' 0.0 %' out
ok "nor does the table say 0 of it"
printf 'model: front-end\nicaches: {a: {size_bytes: 16KiB, ways: 4}}\n' >one.yaml
run 0 front-end cpu:loop,length=50000 --chip ./one.yaml && ! grep -q BTB out
ok "a chip file of one's own has what it names"

refused() { # TEXT CHIP-LINE...
	text=$1
	shift
	printf '%s\n' "model: front-end" "$@" >bad.yaml
	run 2 front-end cpu:loop,length=1000 --chip ./bad.yaml && grep -q "$text" err
}
refused 'ways is 0' 'icaches: {a: {ways: 0}}' && refused 'a multiple of ways' 'btbs: {a: {entries: 100, ways: 8}}' &&
	refused 'power of two' 'icaches: {a: {size_bytes: 24KiB, ways: 4}}' && refused 'power of two' 'icaches: {a: {line_bytes: 48}}' &&
	refused 'no front end' 'threads: all'
ok "sizes that do not exist are refused with a sentence"
refused "unknown predictor 'gshar'" 'predictors: {a: {predictor: gshar}}' && refused 'history_bits' 'predictors: {a: {predictor: "gshare,history=3"}}' &&
	refused 'multiple of 4' 'predictors: {a: {loop_entries: 6}}'
ok "predictors and parameters that do not exist are refused with the nearest one"
run 2 front-end cpu:loop,length=1000 --set needs_parallel=true && grep -q 'no parallel region' err
ok "a trace without parallel regions is refused where they are needed"
run 2 front-end cpu:loop --chip cpu4 && grep -q 'expected front-end' err && run 2 front-end && grep -q 'no program is given' err
ok "a chip of another model, or no program, is refused"

cut -d, -f5 "$HEDDLE_SOURCE/workloads/cpu/hpc.csv" | sed -n 's/^\.\/\([^ ]*\).*/\1/p' >kernels
[ "$(wc -l <kernels)" -eq 29 ]
ok "there are 29 OpenMP programs"
while read -r k; do
	gcc -O2 -std=gnu11 -Wall -Wextra -Werror -fopenmp -fsyntax-only "$HEDDLE_SOURCE/workloads/cpu/hpc/$k.c" || echo "$k"
done <kernels >out 2>err
[ ! -s out ] && [ ! -s err ]
ok "every one compiles without a warning"
run 0 trace suite --list --group hpc && [ "$(grep -cv '^program' out)" -eq 29 ] && run 2 trace suite --group hp && grep -q 'nearest: hpc' err
ok "the list of the group has them"
run 2 run suite:CG.9 --chip cmp8 && grep -q 'trace suite --group hpc CG --threads 9' err
ok "a trace that is not there is asked for by the command that makes it"
run 0 area cmp8-tailored && grep -q '^  core  *2\.114  *2\.486' out && run 2 area cmp8-tailored --against fermi15 && grep -q 'of one model' err
ok "area compares cores part by part, and no core with an SM"
shared="--set core.sharing.cores_per_cache=8 --set core.sharing.buses=2 --set core.l1i.size_bytes=16KiB"
# shellcheck disable=SC2086
run 0 area acmp9 $shared && grep -q '^  together  *17\.668  *19\.920  *-11\.3 %' out && grep -q '^  I-caches  *0\.140  *2\.480' out &&
	grep -q '^  instruction buses  *0\.088  *0\.000  *new' out && grep -q 'I-caches 1 x 16 KiB (8 cores each, 2 x 32 bytes of bus)' out &&
	run 0 area acmp9 $shared --json && grep -q '"mm2": 17.66' out &&
	run 0 area acmp9 --against cmp8 && grep -q '^  together  *19\.920  *19\.9' out &&
	run 2 area acmp9 $shared --set core.cost=true && grep -q 'expected false where cores share' err
ok "area of lean cores that share an I-cache has one cache and its buses: 17.67 mm2, 11.3 % less"
for name in acmp front-end; do
	kept=$HEDDLE_SOURCE/studies/$name/results
	run 0 study $name --no-run -q --keep "$kept/runs.csv" --db none.db -o judged && cmp judged/checks.csv "$kept/checks.csv" &&
		run 2 study $name -n --db none.db && grep -q 'has not been recorded here' err
	ok "the kept results of $name are judged without its recordings, as in checks.csv"
done
echo "1..$count"
