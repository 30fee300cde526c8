#!/bin/sh
# Several programs in one run: the example, what holds for any mix, and what is refused. Prints TAP.
# HEDDLE: the program; HEDDLE_SOURCE: the source tree.
# shellcheck source=tests/cli/tap.sh
. "$HEDDLE_SOURCE/tests/cli/tap.sh"
mkdir tmp
TMPDIR=$PWD/tmp
export TMPDIR

# compare A B: all of two results but host, and what only a mix has
cat >compare.py <<'PY'
import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:3])
for r in a, b:
    for k in ("host", "config", "applications"):
        r.pop(k, None)
    r["run"].pop("workload")
    for k in r["kernels"]:
        k.pop("application", None)
    for k in ("definitions", "totals", "units"):
        for name in [n for n in r[k] if n.startswith("application")]:
            del r[k][name]
for k in a:
    if a[k] != b.get(k):
        sys.exit(f"{k} differs")
PY
# of FILE APPLICATION KEY: a number of a result
cat >of.py <<'PY'
import json, sys
a = json.load(open(sys.argv[1]))["applications"]
print(next(x for x in a if x["name"] == sys.argv[2])[sys.argv[3]])
PY
of() { python3 of.py "$@"; }
compare() { python3 compare.py "$@" >out 2>err; }

example=$HEDDLE_SOURCE/examples/mix.yaml
run 0 run --mix "$example" -o example.json && grep -q '^ *matmul  *SMs 0-6: .* cycles .* IPC ' out &&
	grep -q '^ *bfs  *SMs 7-14: .* 16 kernels' out && [ "$(of example.json bfs verified)" = True ]
ok "the example runs two programs, verifies both answers, and prints a row for each"
[ "$(of example.json matmul complete_runs)" -gt 1 ] && [ "$(of example.json bfs complete_runs)" -eq 1 ]
ok "the shorter program runs again until the longer one has ended"
run 0 run matmul --size tiny -q -o alone.csv && grep -q "^sm.warp_instructions,$(of example.json matmul warp_instructions)," alone.csv &&
	run 0 run bfs --size tiny -q -o alone.csv && grep -q "^sm.warp_instructions,$(of example.json bfs warp_instructions)," alone.csv
ok "a first run has the instructions that the program has alone"
[ -z "$(ls tmp)" ]
ok "recordings do not stay"
recordings=$XDG_CACHE_HOME/heddle/recordings
kept() { (cd "$recordings" && echo *.hgr); }
files=$(kept)
[ "$(kept | wc -w)" -eq 2 ] && [ -z "$(find "$recordings" -name 'in-use-*')" ] &&
	run 0 run --mix "$example" -p warp=lrr --set l2.replacement=drrip -q -o other.json && [ "$files" = "$(kept)" ]
ok "but in the cache, where runs with other policies find those of bundled programs"
echo 'applications: [{workload: vecadd, size: tiny}]' >vecadd.yaml
run 0 run --mix vecadd.yaml -q && cp "$recordings"/vecadd-*.hgr vecadd.rec && cp "$recordings"/matmul-*.hgr matmul.rec &&
	cp vecadd.rec "$recordings/$(cd "$recordings" && echo matmul-*.hgr)" && run 0 run --mix "$example" -q -o swapped.json &&
	[ "$(of swapped.json matmul warp_instructions)" -lt "$(of example.json matmul warp_instructions)" ]
ok "what the cache has is played and not recorded again"
head -c 100 matmul.rec >"$recordings/$(cd "$recordings" && echo matmul-*.hgr)"
run 0 run --mix "$example" -q -o mended.json && compare example.json mended.json && cmp "$recordings"/matmul-*.hgr matmul.rec
ok "a damaged recording is made again"
run 0 run --mix vecadd.yaml --set sm.count=4 -q && [ "$(kept | wc -w)" -eq 4 ]
ok "another GPU has recordings of its own"
sed 's/}]/, args: [--seed, 2]}]/' vecadd.yaml >arguments.yaml && run 0 run --mix arguments.yaml --set sm.count=4 -q && [ "$(kept | wc -w)" -eq 5 ] &&
	run 0 run --mix arguments.yaml --set sm.count=4 -q && [ "$(kept | wc -w)" -eq 5 ]
ok "so have other arguments"
rm -r "$recordings"
(for i in 1 2 3; do "$HEDDLE" run --mix "$example" -q -o "at-once$i.json" & done; wait) 2>err
compare example.json at-once1.json && compare example.json at-once2.json && compare example.json at-once3.json && [ "$files" = "$(kept)" ]
ok "runs that begin at the same time share what they record"
touch file
XDG_CACHE_HOME=$PWD/file run 0 run --mix "$example" -q -o nowhere.json && compare example.json nowhere.json && [ -z "$(ls tmp)" ]
ok "without a cache folder a run keeps its recordings for itself"

run 0 run --mix "$example" -q -o again.json && compare example.json again.json &&
	run 0 run --mix "$example" --no-skip -q -o again.json && compare example.json again.json
ok "a mix run twice, and with every unit ticked, gives the same results"
cat >share.yaml <<'YAML'
applications: [{workload: matmul, size: tiny}, {workload: bfs, size: tiny}, {workload: vecadd, size: tiny, sms: 4-7}]
YAML
run 0 run --mix share.yaml -q -o share.json && run 0 run --mix share.yaml --no-skip -q -o again.json && compare share.json again.json
ok "so does one whose programs share SMs"

echo 'applications: [{workload: bfs, size: tiny}]' >one.yaml
run 0 run bfs --size tiny --functional --record bfs.rec -q && run 0 run --replay bfs.rec -q -o replay.json &&
	run 0 run --mix one.yaml -q -o one.json && compare replay.json one.json
ok "a mix of one program is the replay of that program"
run 0 run bfs --size tiny --record timed.rec -q && run 0 run --replay timed.rec -q -o timed.json && compare replay.json timed.json
ok "a recording made without timing is replayed as one made with timing"

# alone NAME SMS: cycles of a program on a chip with so many SMs and the same ideal memory
alone() {
	echo "applications: [{workload: $1, size: tiny}]" >alone.yaml
	run 0 run --mix alone.yaml --set ideal.model=fixed --set ideal.fixed_cycles=100 --set sm.count="$2" -q -o alone.json && of alone.json "$1" cycles
}
run 0 run --mix "$example" --set ideal.model=fixed --set ideal.fixed_cycles=100 -q -o split.json &&
	[ "$(of split.json matmul cycles)" -eq "$(alone matmul 7)" ] && [ "$(of split.json bfs cycles)" -eq "$(alone bfs 8)" ]
ok "on SMs of their own, with an ideal memory, programs do not feel each other"

cat >files.yaml <<YAML
applications:
  - {replay: bfs.rec}
  - {trace: $HEDDLE_SOURCE/examples/trace/kernelslist.g}
  - {synthetic: kernels.yaml, name: made}
YAML
echo 'kernels: [{name: k, blocks: 30, mix: {fp32: 1}}]' >kernels.yaml
run 0 run --mix files.yaml -q -o files.json && [ "$(of files.json kernelslist warp_instructions)" -eq 236 ] &&
	[ "$(of files.json made complete_runs)" -ge 1 ]
ok "recordings, traces and synthetic kernels run beside each other"

run 0 run --mix "$example" --max-cycles 20000 -q -o cut.json && [ "$(of cut.json matmul ended)" = True ] && [ "$(of cut.json bfs ended)" = False ]
ok "at a cycle limit the result says who has not ended"

cat >warm.yaml <<'YAML'
warm: {launches: 4}
alone: true
applications: [{workload: matmul, size: tiny, sms: 0-6, warm: 1}, {workload: bfs, size: tiny, sms: 7-14}]
YAML
run 0 run --mix warm.yaml -o warm.json && grep -q 'applications, each in its window' out && grep -q 'of warm-up' out &&
	[ "$(of warm.json bfs kernels)" -eq 12 ] && [ "$(of warm.json bfs warm_launches)" -eq 4 ] && [ "$(of warm.json matmul complete_runs)" -ge 2 ] &&
	[ "$(of warm.json matmul warp_instructions)" -eq "$(of example.json matmul warp_instructions)" ] && python3 - <<'PY'
import json
cold, warm = (json.load(open(f)) for f in ("example.json", "warm.json"))
w = warm["run"]["warm"]
assert 0 < w["cycles"]["core"] and len(warm["kernels"]) < len(cold["kernels"])
assert warm["totals"]["sm.warp_instructions"] < cold["totals"]["sm.warp_instructions"]
a = warm["applications"][1]
assert abs(a["slowdown"] - a["ipc"] / a["alone_ipc"]) < 1e-12
PY
ok "programs run for a while before they count, and statistics are of what comes after"
run 0 run --mix "$example" --warm launches=1 -q -o warm.json && [ "$(of warm.json bfs kernels)" -eq 15 ] &&
	run 0 run bfs --size tiny --warm launches=4 -q -o warm.json && run 0 run --replay bfs.rec --warm launches=4 -q -o again.json && python3 - <<'PY'
import json
warm, again, cold = (json.load(open(f)) for f in ("warm.json", "again.json", "replay.json"))
assert len(warm["kernels"]) == len(again["kernels"]) == 12
for k in ("sm.warp_instructions", "l2.accesses"):
    assert warm["totals"][k] == again["totals"][k] < cold["totals"][k], k
c = warm["run"]["cycles"]["core"] + warm["run"]["warm"]["cycles"]["core"]
assert c == cold["run"]["cycles"]["core"], (c, cold["run"]["cycles"])
PY
ok "so does one program, whether it runs or is replayed; warm part and window are the whole run"
run 2 run bfs --size tiny --warm instructions=4 && grep -qF 'bfs is a GPU program, expected launches=N to warm it' err &&
	run 2 run bfs --size tiny --warm launches=40 -q && grep -qF '40 launches are warm-up, but only 16 ended, expected more' err &&
	run 2 run --mix "$example" --warm instructions=4 && grep -qF -- '--warm applies to no program of this run, expected launches=N' err
ok "a warm part that no program has, or that is all of one, is refused"

# refused CODE WORDS...: that exit code, the words in the last line, nothing written
refused() {
	code=$1
	shift
	run "$code" run --mix bad.yaml -o bad.json --max-instructions 10000 && tail -n1 err | grep -qF "$*" && [ ! -e bad.json ] && [ -z "$(ls tmp)" ]
}
echo 'applications: [{workload: bfs, size: tiny, sms: 0-15}]' >bad.yaml
refused 2 "bad.yaml:1:49: application bfs runs on SMs 0 to 15, but chip fermi15 has 15"
ok "more SMs than the chip has are refused"
echo 'applications: [{workload: matmull}]' >bad.yaml
refused 2 "bad.yaml:1:27: unknown workload 'matmull', expected a name from \`heddle list workloads\` (nearest: matmul)"
ok "an unknown program is refused"
printf 'applications:\n  - {workload: vecadd, size: tiny}\n  - {workload: bfs, size: tiny}\n' >bad.yaml
refused 2 "bad.yaml:3:5: application bfs failed in its run without timing, before the mix began: exit code 2"
grep -qF "still running after 10000 warp instructions of the program, the limit" err
ok "a program that does not end is named"
printf '#!/bin/sh\nexit 1\n' >wrong && chmod +x wrong
echo 'applications: [{program: ./wrong}]' >bad.yaml
refused 1 "bad.yaml:1:16: application wrong failed in its run without timing, before the mix began: exit code 1"
ok "a program that fails its own check fails the mix"
printf '#!/bin/sh\nexit 0\n' >wrong
refused 1 "application wrong made no recording"
ok "a program that uses no GPU is refused"
run 2 run --mix one.yaml --chip tandem -o bad.json && grep -qF "one.yaml:1:16: chip tandem has no SMs" err && [ ! -e bad.json ]
ok "a chip without SMs is refused"
run 2 run --mix one.yaml --replay bfs.rec && run 2 run --mix one.yaml --size tiny && run 2 run vecadd --max-instructions 5
ok "options that contradict each other are refused"

# ---- sweeps ----
cp "$example" pair.yaml
cat >sweep.yaml <<'YAML'
chips: [fermi15]
mixes: [pair.yaml]
workloads: [{name: vecadd, size: tiny}]
sweep: {sm.l1.size_bytes: [16KiB, 32KiB]}
YAML
run 0 sweep sweep.yaml --db r.db -q &&
	run 0 results --db r.db --csv "SELECT count(*), min(kind), max(kind) FROM runs WHERE status = 'done'" && grep -qx '4,bundled,mix' out &&
	run 0 results --db r.db --csv "SELECT name, cycles FROM applications JOIN settings USING (run) WHERE value = 16384" &&
	grep -qx "matmul,$(of example.json matmul cycles)" out && grep -qx "bfs,$(of example.json bfs cycles)" out
ok "a sweep takes mixes as points, with a row for each application"
run 0 sweep sweep.yaml --db r.db -q && run 0 results --db r.db --csv "SELECT sum(attempts) FROM runs" && grep -qx 4 out &&
	sed 's/0-6/0-5/' "$example" >pair.yaml && run 0 sweep sweep.yaml --db r.db -q && run 0 results --db r.db --csv "SELECT sum(attempts) FROM runs" && grep -qx 6 out
ok "a mix that has changed is another point"
sed 's/7-14/7-15/' "$example" >pair.yaml
run 2 sweep sweep.yaml --db r.db -q && grep -qF 'pair.yaml:4:38: application bfs runs on SMs 7 to 15, but chip fermi15 has 15' err
ok "a sweep refuses a mix that its chip cannot run before anything runs"

# ---- machines of several clusters ----
machine=$HEDDLE_SOURCE/examples/two-gpus.yaml
cp "$HEDDLE_SOURCE/examples/clusters.yaml" clusters.yaml
run 0 run --mix clusters.yaml --chip "$machine" -o both.json -q &&
	run 0 run --mix clusters.yaml --chip "$machine" -o both2.json -q && python3 - <<'PY'
import json
a, b = (json.load(open(f)) for f in ('both.json', 'both2.json'))
for r in (a, b):
    r.pop('host')
assert a == b
assert [c['name'] for c in a['clusters']] == ['big', 'small']
assert [(x['name'], x['cluster'], x['verified']) for x in a['applications']] == [('matmul', 'big', True), ('bfs', 'small', True)]
assert {k['cluster'] for k in a['kernels']} == {'big', 'small'}
bfs = [k for k in a['kernels'] if k['cluster'] == 'small']
assert sum(k['warp_instructions'] for k in bfs) == a['totals']['small.sm.warp_instructions']
PY
ok "programs on two clusters of a machine verify and repeat"
run 0 diff both.json both2.json && [ "$(grep -c '^cluster ' out)" = 2 ] && run 0 report both.json -o both.html && [ -s both.html ]
ok "a machine of two clusters has pages and comparisons"
run 0 run vecadd --size tiny --chip "$machine" --on small -o one.json -q && grep -q '"cluster": "small"' one.json && ! grep -q '"cluster": "big"' one.json
ok "a program runs on the cluster that is named"
run 2 run vecadd --size tiny --chip "$machine" --on smal && grep -qF -- "--on: unknown cluster 'smal', expected big or small (nearest: small)" err &&
	run 2 run vecadd --size tiny --on small && grep -qF -- '--on: chip fermi15 has no clusters with names' err
ok "a cluster that is not there is refused"
sed 's/small/smal/' clusters.yaml >bad.yaml
run 2 run --mix bad.yaml --chip "$machine" && grep -qF "bad.yaml:4:37: unknown cluster 'smal'" err
ok "an application on an unknown cluster is refused"
run 0 run vecadd --size tiny --chip pascal64x4 --set sm.count=1 --policy home=interleaved,bytes=512 -o home.json -q && python3 - <<'PY'
import json
r = json.load(open('home.json'))
assert r['config']['sockets.home']['value'] == 'interleaved' and r['config']['policy.home.interleaved.bytes']['value'] == '512B'
assert 0.74 < r['totals']['home.socket.remote_share'] < 0.76
PY
ok "the homes of pages are chosen by a policy with its parameters"
run 2 run vecadd --size tiny --chip pascal64x4 --policy home=first_tuch && grep -qF 'first_touch' err
ok "a policy of homes that is not there gets the nearest name"
cat >machine.yaml <<YAML
chips: [$machine]
workloads: [{name: vecadd, size: tiny}]
mixes: [clusters.yaml]
sweep: {sm.l1.size_bytes: [64KiB, 128KiB]}
YAML
run 0 sweep machine.yaml --db m.db -q &&
	run 0 results --db m.db --csv "SELECT count(*), min(warp_instructions) > 0 FROM runs WHERE status = 'done'" && grep -qx '4,1' out &&
	run 0 report --db m.db -o m.html && [ -s m.html ]
ok "a sweep over a machine sets a parameter of all clusters"

printf 'applications:\n- {workload: matmul, size: large}\n- {workload: vecadd, size: tiny}\n' >long.yaml
failed=
for signal in INT TERM; do
	"$HEDDLE" run --mix long.yaml -o long.json >out 2>err &
	waited=0 # until it records, in a folder of the cache that is its own
	while ! ls -d "$XDG_CACHE_HOME"/heddle/recordings/in-use-* >/dev/null 2>&1 && [ $((waited += 1)) -lt 600 ]; do sleep 0.05; done
	while [ -z "$(ps -o pid= --ppid $!)" ] && [ $((waited += 1)) -lt 600 ]; do sleep 0.05; done
	sleep 0.3
	# Ctrl-C would reach the program that is recorded, too
	[ $signal = TERM ] || kill -INT "$(ps -o pid= --ppid $! | tr -d ' ')" 2>/dev/null
	kill -$signal $!
	wait $!
	if [ $? -ne 130 ] || ! grep -q '^heddle: interrupted' err || [ -n "$(ls tmp)" ] || ls -d "$XDG_CACHE_HOME"/heddle/recordings/in-use-* >/dev/null 2>&1 || [ -e long.json ]; then failed="$failed $signal"; fi
done
[ -z "$failed" ]
ok "SIGINT and SIGTERM end a mix that is being recorded, and its recordings go"

# The mix comes through a FIFO, so that heddle waits where it already catches signals.
failed=
for signal in INT TERM; do
	mkfifo fifo.yaml
	"$HEDDLE" run --mix fifo.yaml --chip fermi15 -o long.json >out 2>err &
	waited=0 # until it catches SIGINT
	while ! { grep -q heddle "/proc/$!/comm" && grep -q '^SigCgt:.*[2367abef]$' "/proc/$!/status"; } && [ $((waited += 1)) -lt 600 ]; do sleep 0.05; done
	kill -$signal $!
	timeout 60 sh -c 'cat long.yaml >fifo.yaml'
	wait $!
	if [ $? -ne 130 ] || ! grep -q '^heddle: interrupted before the mix began' err || ls -d "$XDG_CACHE_HOME"/heddle/recordings/in-use-* >/dev/null 2>&1; then failed="$failed $signal"; fi
	rm fifo.yaml
done
[ -z "$failed" ]
ok "a signal that comes before the first program is recorded ends the mix, too"
# The window begins before the first cycle, and no block ever comes to the SMs.
cat >idle.yaml <<'YAML'
warm: {instructions: 1000, how: functional}
applications: [{cpu: "cpu:stream,length=20000"}]
YAML
run 0 run --mix idle.yaml --chip apu46 -q -o idle.json &&
	python3 -c 'import json; t = json.load(open("idle.json"))["totals"]; assert t["gpu.sm.scheduler_cycles"] == 2 * t["gpu.sm.cycles"] > 0, t["gpu.sm.cycles"]'
ok "cycles of idle SMs are charged once in a window that begins with the run"
echo "1..$count"
