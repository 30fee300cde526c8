#!/bin/sh
# Training as a person runs it, on profiles of three values. Prints TAP.
# HEDDLE: the program; HEDDLE_SOURCE: the source tree.
# shellcheck source=tests/cli/tap.sh
. "$HEDDLE_SOURCE/tests/cli/tap.sh"
HEDDLE_CHIPS=$HEDDLE_SOURCE/chips
export HEDDLE_CHIPS

# train CODE ARGS...: trains on small inputs, checks the exit code; output in ./out, messages in ./err
train() {
	want=$1
	shift
	"$HEDDLE" train poise --from r.db --size tiny --grid 1,4,24 --min-cycles 1000 --min-gain 0 -j2 "$@" >out 2>err
	got=$?
	[ $got -eq "$want" ] || echo "exit code $got, expected $want" >>err
	[ $got -eq "$want" ]
}

train 2 --no-run --programs pvr && grep -q "the results database does not exist" err
ok "without a database there is nothing to learn from"
train 0 --dry-run --programs pvr,ccl && grep -q "^13 runs, 13 to run" out && [ ! -e r.db ]
ok "a dry run counts six tuples of each program and one recording, and makes nothing"
train 0 --dry-run --programs pvr,ccl --windows && grep -q "^15 runs, 15 to run" out
ok "and one more of each program with --windows"
train 2 --programs syrk && grep -q "1 kernels cannot determine 8 weights" err
ok "one kernel is too few to learn from"
train 2 --no-run --programs pvr && grep -q "r.db: 6 of the 6 runs of pvr have no result" err
ok "runs that are missing are counted"
train 0 --programs pvr -o w.yaml --kernels k.csv && grep -q "^training  *[1-9][0-9]* " out && grep -q "^ln p " out
ok "weights are learned and printed with their fit"
train 2 --no-run --programs pvr --windows && grep -q "the run of pvr that samples windows has no result" err
ok "features of windows need that run"
train 0 --programs pvr >/dev/null
grep -q "^syrk, unseen  *1 " out && grep -q "^all unseen  *1 " out
ok "a program whose profile is there is predicted without being learned from"
[ "$(grep -c '^training,pvr,' k.csv)" -eq 120 ] && [ "$(grep -c '^evaluation,syrk,' k.csv)" -eq 1 ] &&
	[ "$(wc -l <k.csv)" -eq 122 ] && [ "$(sed 's/"[^"]*"//g; s/[^,]//g' k.csv | sort -u | wc -l)" -eq 1 ]
ok "every kernel has its line, in the set that it belongs to"
train 2 --no-run --programs pvr --evaluate syrk,atax && grep -q "6 of the 6 runs of atax have no result" err &&
	train 0 --programs pvr --evaluate atax && grep -q "^atax, unseen  *2 " out && ! grep -q "^syrk" out
ok "programs to judge by are run when they are asked for"
train 0 --no-run --programs pvr -o w.yaml
cp out first && cp w.yaml first.yaml
train 0 --programs pvr -o w.yaml && ! grep -q 'done' err && cmp -s out first && cmp -s w.yaml first.yaml
ok "the second time nothing is run and the same is learned"
train 0 --no-run --programs pvr --without x5,work_gain -o fewer.yaml && grep -q "^gain  *left out" out &&
	! grep -q "gain:" fewer.yaml
ok "features that are left out have no weights"
"$HEDDLE" run syrk --chip kepler8 --size tiny --policy "warp.scheduler=poise,weights=w.yaml" -o poise.json >out 2>err &&
	grep -q '"w.yaml"' poise.json
ok "the policy reads the file"

printf 'workloads: [{name: pvr, size: tiny, args: [--lines, 500]}, {name: syrk, args: [--rows, 40]}]\n' >inputs.yaml
train 0 --dry-run --programs pvr --inputs inputs.yaml && grep -q "^7 runs, 7 to run" out
ok "another input is another run"
train 0 --no-run --programs pvr --tuples tuples --errors e.csv && grep -q '^  "[a-z_]*#0": {n: [0-9]*, p: [0-9]*}$' tuples/pvr.yaml &&
	[ "$(grep -c '#' tuples/pvr.yaml)" -eq 121 ] && [ "$(grep -c '^syrk,unseen,1,1,' e.csv)" -eq 1 ]
ok "the best tuple of every kernel and the errors of every program are written, to a folder that need not be there"
train 0 --programs pvr --evaluate syrk --evaluate-grid 1,24 --tuples tuples && grep -q "of the grid 1,4,24 on" tuples/pvr.yaml &&
	grep -q "of the grid 1,24 on" tuples/syrk.yaml
ok "the file of tuples names the grid that they are the best of"
"$HEDDLE" run syrk --chip kepler8 --size tiny --policy "warp.scheduler=static_best,file=tuples/syrk.yaml" -o best.json >out 2>err &&
	python3 -c 'import json,sys; s = json.load(open("best.json"))["totals"]; sys.exit(str(s).count("unlisted") != 1)'
ok "static_best reads them"

# refused MESSAGE OPTIONS...
refused() {
	message=$1
	shift
	train 2 --no-run "$@" && grep -qF -e "$message" err
	ok "$* is refused"
}
refused "--grid is 3,4," --grid 3,4
echo "chips: fermi15" >none.yaml
refused "\`workloads:\` is missing" --inputs none.yaml
refused "unknown size 'huge'" --size huge
refused "unknown program 'nope'" --programs nope
refused "pvr twice" --programs pvr,pvr
refused "unknown program 'nope'" --evaluate nope
refused "'pvr' is in both the training and the evaluation set" --programs pvr --evaluate pvr
refused "unknown feature 'x9'" --without x9
refused "unknown rule of --score 'loud'" --score loud
refused "--min-gain is -1," --min-gain -1
refused "--dispersion is 0," --dispersion 0
refused "unknown chip 'keple8'" --chip keple8
refused "parameter" --chip tandem
"$HEDDLE" train pose >out 2>err
[ $? -eq 2 ] && grep -q "unknown policy to train 'pose'.*poise" err
ok "only poise learns"
echo "not a database" >r.db
train 2 --no-run --programs pvr && grep -q "^heddle: r.db: the results database: file is not a database" err
ok "a file that is no database is refused"
echo "1..$count"
