#!/bin/sh
# Sweeps as a person runs them, undisturbed and disturbed. Prints TAP.
# HEDDLE: the program; HEDDLE_SOURCE: the source tree.
# shellcheck source=tests/cli/tap.sh
. "$HEDDLE_SOURCE/tests/cli/tap.sh"
HEDDLE_CHIPS=$HEDDLE_SOURCE/chips
export HEDDLE_CHIPS

# query DB SQL: the answer as CSV, without its first line
query() {
	"$HEDDLE" results --db "$1" --csv "$2" 2>>err | sed 1d
}

# dump DB: all that does not depend on when, where and how fast it was run
dump() {
	query "$1" "SELECT key, status, chip, workload, seed, mode, config, exit_code, error, end, verified, simulated_fs, cycles, warp_instructions FROM runs ORDER BY key"
	query "$1" "SELECT run, name, value FROM stats ORDER BY run, name"
	query "$1" "SELECT * FROM kernels ORDER BY run, ordinal"
	query "$1" "SELECT * FROM settings ORDER BY run, parameter"
	query "$1" "SELECT * FROM configs ORDER BY config, parameter"
	query "$1" "SELECT * FROM sweep_points ORDER BY sweep, ordinal"
}

# children PID: its children; runs_of DB: processes that run points of this database
children() {
	sed -n "/^Pid:/h; /^PPid:[[:space:]]*$1\$/{g; s/^Pid:[[:space:]]*//p}" /proc/[0-9]*/status 2>/dev/null
}
runs_of() {
	for p in /proc/[0-9]*; do
		[ "$(readlink "$p/cwd" 2>/dev/null)" != "$folder" ] || tr '\0' ' ' <"$p/cmdline" | grep -e "-o $1-runs/"
	done
}

cat >tiny.yaml <<'END'
kernels:
  - {name: t, blocks: 4, threads_per_block: 64, instructions: 64, mix: {integer: 2, load: 1}, access: {stream: 1}}
END
cat >long.yaml <<'END'
kernels:
  - {name: l, blocks: 100000, threads_per_block: 256, instructions: 8192, mix: {integer: 2, load: 1}, access: {random: 1}}
END
cat >grid.yaml <<'END'
chips: [fermi15]
workloads: [tiny.yaml]
sweep:
  sm.l1.mshrs: [8, 16, 32]
  sm.warp_policy: [gto, lrr]
zip:
  - {sm.l1.ways: [2, 4], sm.l1.size_bytes: [8KiB, 16KiB]}
repeat: 2
END

run 0 sweep grid.yaml --dry-run --db whole.db && [ "$(grep -c '  new  .* tiny.yaml on fermi15 sm.l1.mshrs=' out)" = 24 ] &&
	grep -qx '24 runs, 24 to run' out && grep -qx 'no earlier run shows how long 24 of them take' out && [ ! -e whole.db ]
ok "a dry run lists all points, says that it knows no time, and writes nothing"
began=$(date +%s%N)
run 0 sweep grid.yaml --db whole.db -j2 --csv grid.csv && grep -qx 'grid: 24 of 24 runs done, 24 run now; results in whole.db' out &&
	[ "$(grep -c '/24 done ' err)" = 24 ]
ok "a sweep runs all of them, a line each"
whole_ns=$(($(date +%s%N) - began))
python3 - >err 2>&1 <<'P'
import csv, json, sqlite3, subprocess, os
rows = list(csv.DictReader(open('grid.csv')))
assert len(rows) == 24 and len({r['key'] for r in rows}) == 24
db = sqlite3.connect('whole.db')
assert db.execute('PRAGMA journal_mode').fetchone()[0] == 'wal'
r = [r for r in rows if r['sm.l1.mshrs'] == '8' and r['sm.warp_policy'] == 'lrr' and r['sm.l1.ways'] == '4' and r['seed'] == '2'][0]
subprocess.run([os.environ['HEDDLE'], 'run', 'tiny.yaml', '-q', '-o', 'one.json', '--chip', 'fermi15', '--seed', '2', '--set', 'sm.l1.mshrs=8',
                '--set', 'sm.warp_policy=lrr', '--set', 'sm.l1.ways=4', '--set', 'sm.l1.size_bytes=16KiB'], check=True)
j = json.load(open('one.json'))
flat = {}
for k, v in j['totals'].items():
    if not isinstance(v, dict):
        flat[k] = v
    elif 'bins' in v:
        flat.update({f'{k}[{s}]': b for s, b in zip(v['bin_starts'], v['bins'])})
        flat.update({f'{k}[{p}]': v[p] for p in ('samples', 'sum', 'min', 'max')})
    else:
        flat.update({f'{k}[{l}]': x for l, x in v.items()})
stored = dict(db.execute('SELECT name, value FROM stats WHERE run = ?', (r['key'],)))
assert stored == flat, (set(stored) ^ set(flat))
assert all((float(r[k]) if r[k] else None) == v for k, v in flat.items())
cur = db.execute('SELECT * FROM kernels WHERE run = ?', (r['key'],))
kernel = dict(zip([d[0] for d in cur.description], cur.fetchone()))
for k, v in j['kernels'][0].items():
    if k in ('grid', 'block', 'nsight'): # shape, and the same numbers under other names
        continue
    for l, x in (v.items() if isinstance(v, dict) else [(None, v)]):
        assert kernel[f'{k}_{l}' if l else k] == x
config = dict(db.execute('SELECT parameter, value FROM configs JOIN runs USING (config) WHERE key = ?', (r['key'],)))
assert config == {k: v['value'] for k, v in j['config'].items()}
one = db.execute('SELECT cycles, simulated_fs, verified, end, warp_instructions, command FROM runs WHERE key = ?', (r['key'],)).fetchone()
assert one[:5] == (j['run']['cycles']['core'], j['run']['simulated_fs'], 1, 'finished', j['totals']['sm.warp_instructions'])
assert one[5].startswith('heddle run tiny.yaml --chip fermi15 --set sm.l1.mshrs=8 ')
P
ok "rows hold every statistic, kernel field and parameter of the result file, exactly"
run 0 sweep grid.yaml --db whole.db && grep -q '24 of 24 runs done, 0 run now' out && [ ! -s err ]
ok "what is done is not run again"
run 0 sweep grid.yaml --db whole.db --dry-run && grep -qx '24 runs, 0 to run' out
ok "and a dry run says so"
run 0 sweep grid.yaml --db whole.db --dry-run --again && grep -qx '24 runs, 24 to run' out && grep -q '^about .* for 24 of them' out
ok "from recorded runs it tells how long they take"
run 0 sweep grid.yaml --db whole.db --again -q && [ "$(query whole.db 'SELECT sum(attempts) FROM runs')" = 48 ]
ok "--again runs all of them again"
dump whole.db >whole.txt && [ "$(grep -c . whole.txt)" -gt 3000 ]
ok "the undisturbed sweep is written down"

# killed at random moments, eight times, half of them two sweeps at once
for i in 1 2 3 4 5 6 7 8; do
	"$HEDDLE" sweep grid.yaml --db broken.db -j2 -q >/dev/null 2>&1 &
	first=$!
	second=
	if [ $((i % 2)) -eq 0 ]; then
		"$HEDDLE" sweep grid.yaml --db broken.db -j2 -q >/dev/null 2>&1 &
		second=$!
	fi
	sleep "$(awk -v s="$$$i" -v ns="$whole_ns" 'BEGIN { srand(s); print ns * 1e-9 * (0.05 + 0.4 * rand()) }')"
	kill -9 $first 2>/dev/null
	[ -z "$second" ] || kill -9 $second 2>/dev/null
	wait $first $second 2>/dev/null
done
: >err
left=$(query broken.db "SELECT count(*) FROM runs WHERE status <> 'done'")
echo "# after eight kills ${left:-all} runs are left"
"$HEDDLE" sweep grid.yaml --db broken.db -j2 -q >out 2>err &
first=$!
"$HEDDLE" sweep grid.yaml --db broken.db -j2 -q >>out 2>>err &
wait $first && wait $!
ok "two sweeps at once finish what eight killed ones left"
dump broken.db >broken.txt && cmp whole.txt broken.txt >>err 2>&1 && [ ! -e broken.db-runs ]
ok "and the database is that of the undisturbed one; no temporary file is left"
rm -f pair.db && "$HEDDLE" sweep grid.yaml --db pair.db -j2 >one.txt 2>/dev/null &
first=$!
"$HEDDLE" sweep grid.yaml --db pair.db -j2 >two.txt 2>/dev/null &
wait $first && wait $! && [ "$(query pair.db 'SELECT sum(attempts), max(attempts), count(*) FROM runs')" = 24,1,24 ] &&
	dump pair.db | cmp whole.txt - >>err 2>&1
ok "two sweeps on a new database run every point once"

# one run that is killed is lost alone, and taken up again
cat >slow.yaml <<'END'
chips: [fermi15]
workloads: [long.yaml, tiny.yaml]
END
"$HEDDLE" sweep slow.yaml --db slow.db -j1 >out 2>err &
sweep=$!
child=
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	sleep 0.1
	child=$(children $sweep)
	[ -z "$child" ] || break
done
[ -n "$child" ] && kill -9 "$child"
wait $sweep
[ $? -eq 1 ] && [ "$(query slow.db 'SELECT status, exit_code, error FROM runs ORDER BY workload')" = "interrupted,137,ended by signal 9 (Killed)
done,0," ]
ok "a run that is killed is recorded, and the sweep goes on"
"$HEDDLE" sweep slow.yaml --db slow.db -j1 >out 2>err &
sweep=$!
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	sleep 0.2
	state=$(query slow.db "SELECT status FROM runs WHERE workload = 'long.yaml'")
	[ "$state" != running ] || break
done
[ "$state" = running ]
ok "the next sweep runs it again"
kill -INT $sweep
wait $sweep
[ $? -eq 130 ] && grep -q 'interrupted: 1 of 2 runs are done; run the same command to continue' err &&
	[ "$(query slow.db "SELECT status FROM runs WHERE workload = 'long.yaml'")" = queued ] &&
	[ "$(query slow.db 'SELECT count(*) FROM workers')" = 0 ] && [ ! -e slow.db-runs ] && [ -z "$(runs_of slow.db)" ]
ok "Ctrl-C ends the runs and puts their rows back"
run 1 sweep slow.yaml --db slow.db --timeout 0.3 && [ "$(query slow.db "SELECT status, error FROM runs WHERE workload = 'long.yaml'")" = "timed out,took longer than 0.3 s" ]
ok "a run that takes too long is recorded as that"
run 1 sweep slow.yaml --db slow.db && grep -q '1 timed out' out && grep -q '1 of 2 runs have no result' err
ok "and not run again unasked"

# points that cannot work
cat >bad.yaml <<'END'
chips: [fermi15]
workloads: [tiny.yaml]
sweep: {sm.registers: [32768, 1024]}
END
run 1 sweep bad.yaml --db bad.db && [ "$(query bad.db 'SELECT status, exit_code, error FROM runs ORDER BY status')" = "done,0,
failed,2,kernel t: a block of 64 threads with 32 registers each and 0 bytes of shared memory does not fit on an SM" ]
ok "a failing point is recorded with its message, beside the others"
run 0 results --db bad.db failed && grep -q "heddle run tiny.yaml --chip fermi15 --set sm.registers=1024 --seed 1" out
ok "and the command to run it by hand"
printf 'chips: [fermi15]\nworkloads: [tiny.yaml]\nwatchdog: 20\n' >hang.yaml
run 1 sweep hang.yaml --db hang.db && [ "$(query hang.db "SELECT status, exit_code, error LIKE 'the machine hangs: no progress%', messages LIKE '%dispatcher: kernel %' FROM runs")" = hung,3,1,1 ]
ok "a hang is recorded with who waits for whom"
run 0 sweep grid.yaml --db part.db --limit 5 -q && [ "$(query part.db "SELECT status, count(*) FROM runs GROUP BY status")" = "done,5
queued,19" ]
ok "--limit leaves the rest queued"
run 0 sweep grid.yaml --db part.db --worker && grep -q '24 of 24 runs done, 19 run now' out
ok "a worker runs what is queued"

# on a cluster; tests/campaign/slurm.sh has one
env PATH="$folder/nowhere" "$HEDDLE" sweep grid.yaml --slurm --db cluster.db >out 2>err
[ $? -eq 2 ] && [ "$(cat err)" = "heddle: --slurm needs Slurm, and its command sbatch is not in PATH; without --slurm the sweep runs on this machine" ] && [ ! -e cluster.db ]
ok "a machine without Slurm is told so in one sentence, before anything is written"
run 2 sweep grid.yaml --slurm-options --partition=x --db cluster.db && grep -q -- '--slurm-options is only used with --slurm' err
ok "options for Slurm need Slurm"
(unset SLURM_ARRAY_TASK_ID && run 2 sweep --slurm-task .) && grep -q 'SLURM_ARRAY_TASK_ID is not set, expected a number' err
ok "a task that no sweep has submitted does nothing"
(SLURM_ARRAY_TASK_ID=0 && export SLURM_ARRAY_TASK_ID && run 2 sweep --slurm-task nowhere) &&
	grep -q 'nowhere/points: the folder has no points of a sweep: the sweep has ended, or the folder is not shared' err
ok "nor one without points"

# recording once, replaying
printf 'chips: [fermi15]\nworkloads: [{name: matmul, size: tiny}]\nrecord: true\nsweep: {sm.l1.mshrs: [16, 64]}\n' >record.yaml
has_programs=$("$HEDDLE" list workloads --names | grep -x matmul)
if [ -n "$has_programs" ]; then
	run 0 sweep record.yaml --db rec/results.db && [ "$(ls rec/recordings | wc -l)" = 1 ] &&
		[ "$(query rec/results.db "SELECT mode, count(*) FROM runs GROUP BY mode")" = "record,1
replay,2" ] && sed '/record/d' record.yaml >direct.yaml && run 0 sweep direct.yaml --db rec/results.db &&
		[ "$(query rec/results.db "SELECT count(*) FROM runs AS a JOIN runs AS b ON a.config = b.config AND a.mode = 'replay' AND b.mode = 'direct' AND a.cycles = b.cycles")" = 2 ]
	ok "a workload is recorded once, and its replays take the cycles of direct runs"
	rm rec/recordings/* && run 0 sweep record.yaml --db rec/results.db --again -q && [ "$(ls rec/recordings | wc -l)" = 1 ]
	ok "a recording that is gone is made again"
else
	count=$((count + 2))
	echo "ok $((count - 1)) - recordings # SKIP matmul is not built"
	echo "ok $count - recordings # SKIP matmul is not built"
fi

# files and questions
printf 'chips: [fermi15]\nworkloads: [tiny.yaml]\nsweep: {sm.l1.mshrz: [1]}\n' >wrong.yaml
run 2 sweep wrong.yaml --db no.db && [ "$(cat err)" = "heddle: wrong.yaml:3:9: unknown parameter of chip fermi15 'sm.l1.mshrz', expected a name from \`heddle list params\` (nearest: sm.l1.mshrs)" ] && [ ! -e no.db ]
ok "a parameter that does not exist is refused before anything runs"
printf 'chips: [fermi15]\nworkloads: [tiny.yaml]\nsweep: {sm.l1.size_bytes: [1000]}\n' >wrong.yaml
run 2 sweep wrong.yaml --db no.db && grep -q 'wrong.yaml: a combination does not make a chip (.where:. can leave it out): .*sm.l1.size_bytes is 1000' err
ok "and so is a combination that makes no chip"
# wrong LINES TEXT: a sweep of tiny.yaml on fermi15 with these lines is refused, also by --dry-run, with this text
wrong() {
	printf 'chips: [fermi15]\nworkloads: [tiny.yaml]\n%b\n' "$1" >wrong.yaml
	run 2 sweep wrong.yaml --db no.db && grep -qF -- "$2" err && run 2 sweep wrong.yaml --db no.db --dry-run && grep -qF -- "$2" err && [ ! -e no.db ]
	ok "refused before the first run: $2"
}
cp /bin/true elf
echo 'no program' >text
wrong 'sweep: {sm.warp_policy: [gto, gt0]}' "sm.warp_policy=gt0: unknown sm.warp_policy 'gt0'"
wrong 'zip: {sm.l1.mshrs: [16, 32], sm.l1.ways: [4, 8]}' 'wrong.yaml:3:6: zip is a mapping, expected a list of groups such as'
printf 'chips: [fermi15]\nworkloads: [{name: vecadd, args: 3}]\n' >wrong.yaml
run 2 sweep wrong.yaml --db no.db && grep -qF 'wrong.yaml:2:34: args is 3, expected a list such as [--rows, 8]' err
ok "arguments that are no list are refused"
wrong 'set: {l2.replacement: lruu}' "unknown l2.replacement 'lruu', expected drrip, fifo, lru, plru, random or tadip (nearest: lru)"
wrong 'set: {policy.warp.fixed.q: 3}' "wrong.yaml:3:7: unknown parameter of chip fermi15 'policy.warp.fixed.q'"
wrong 'sweep: {sm.warp_policy: [gto, static_best]}' 'policy.warp.static_best.file is empty, expected a file of tuples'
wrong 'set: {sm.warp_policy: static_best, policy.warp.static_best.file: absent.yaml}' 'absent.yaml: cannot open the file'
wrong 'where: [sm.l1.mshrs > 3]' "wrong.yaml:3:9: unknown name in a condition: 'sm.l1.mshrs'"
for line in "./elf=./elf is a program, expected \`program:\` before it" "{program: ./text}=./text is not executable" \
	"{program: ./absent}=file ./absent" "{program: no-such-program}=program no-such-program is not in PATH"; do
	printf 'chips: [fermi15]\nworkloads: [%s]\n' "${line%%=*}" >wrong.yaml
	run 2 sweep wrong.yaml --db no.db --dry-run && grep -qF -- "wrong.yaml:2:" err && grep -qF -- "${line#*=}" err
	ok "refused before the first run: ${line#*=}"
done
if [ -n "$has_programs" ]; then
	printf 'chips: [fermi15]\nworkloads: [{name: vecadd, size: huge}]\n' >wrong.yaml
	run 2 sweep wrong.yaml --db no.db --dry-run && grep -q "wrong.yaml:2:20: unknown size 'huge', expected tiny, small or large" err
	ok "refused before the first run: an unknown size"
fi
run 2 sweep && grep -q 'one sweep file is expected, 0 are given' err
ok "a sweep needs a file"
run 2 sweep grid.yaml --timeout never && grep -q -- '--timeout is never, expected a time above zero' err
ok "a timeout must be a time"
echo "no database" >text.db && run 2 sweep grid.yaml --db text.db && grep -q 'text.db: the results database: file is not a database' err && grep -q '^no database' text.db
ok "a file that is no database is left alone"
run 0 results --db whole.db && grep -q '^done  *24 ' out && grep -q '^fermi15  *tiny.yaml ' out
ok "results shows an overview"
run 0 results --db whole.db runs --json && python3 -c 'import json; r = json.load(open("out")); assert len(r) == 24 and r[0]["status"] == "done"' 2>>err
ok "results runs --json"
key=$(query whole.db 'SELECT key FROM runs LIMIT 1')
run 0 results --db whole.db --run "$(echo "$key" | cut -c1-12)" && grep -q "^key  *$key" out && grep -q '^sm.warp_instructions  *520 ' out && run 0 results --db whole.db --run "$key" --json -o run.json &&
	python3 -c 'import json; r = json.load(open("run.json")); assert r["run"][0]["key"] == "'"$key"'" and len(r["config"]) > 200 and len(r["kernels"]) == 1' 2>>err
ok "results --run shows one run in full"
run 2 results --db whole.db runz && grep -q "unknown table 'runz', expected runs, kernels, failed or sweeps (nearest: runs)" err
ok "an unknown table suggests the nearest"
run 2 results --db whole.db --run 00zz && grep -q 'the key is 00zz, expected 4 to 32 hexadecimal digits' err
ok "a key that is none is refused"
run 2 results --db absent.db && grep -q 'absent.db: the results database does not exist' err && [ ! -e absent.db ]
ok "a database that is not there is not made by looking"
python3 "$HEDDLE_SOURCE"/examples/plot.py whole.db sm.l1.mshrs cycles >out 2>err && grep -q '^ *8 .*#' out && python3 "$HEDDLE_SOURCE"/examples/plot.py whole.db sm.l1.mshrs cycles --svg plot.svg 2>err && grep -q '<svg' plot.svg
ok "examples/plot.py draws from the database"
for f in "$HEDDLE_SOURCE"/examples/sweep*.yaml; do
	[ -n "$has_programs" ] || ! grep -q 'name: ' "$f" || continue
	run 0 sweep "$f" --dry-run -q --db none.db
	ok "$(basename "$f") is a sweep file"
done
echo "1..$count"
