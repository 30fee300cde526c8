#!/bin/sh
# Checkpoints: saved without timing, resumed with and without. Prints TAP.
# HEDDLE: the program; HEDDLE_SOURCE: the source tree; CHECKPOINT_PROGRAM, LARGE_PROGRAM: those of these names.
# shellcheck source=tests/cli/tap.sh
. "$HEDDLE_SOURCE/tests/cli/tap.sh"

# Equal results but for what the host's clock says.
same() {
	python3 -c "import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:])
del a['host'], b['host']
assert a == b, [k for k in a if a[k] != b[k]]" "$1" "$2"
}

run 0 run --functional gaussian --size tiny --save 20:g.ck &&
	grep -q 'checkpoint before launch 20 (gaussian_multipliers): g.ck' err && [ -s g.ck ] && ! grep -q verified out
ok "a checkpoint is written before a launch, and the program ends"
run 0 run --functional gaussian --size tiny --resume g.ck && grep -q verified out && grep -q 'heddle: 26 kernels' err
ok "resumed, the other 26 of 46 launches are executed and the answer is right"
for chip in volta8 fermi15; do
	run 0 run gaussian --size tiny --chip $chip --launches 20-45 -q -o whole.json &&
		run 0 run gaussian --size tiny --chip $chip --launches 20-45 --resume g.ck -q -o resumed.json && same whole.json resumed.json
	ok "on $chip its statistics equal, to the bit, those of a run that executes all launches"
done
run 0 run --functional gaussian --size tiny --resume g.ck --save 30:h.ck &&
	run 0 run gaussian --size tiny --launches 30-45 -q -o whole.json &&
	run 0 run gaussian --size tiny --launches 30-45 --resume h.ck -q -o resumed.json && same whole.json resumed.json
ok "a later checkpoint can be written by a run that was resumed itself"
for launch in 20 3; do
	run 2 run --functional gaussian --size tiny --resume g.ck --save $launch:h.ck && ls h.ck >files && [ "$(cat files)" = h.ck ] &&
		grep -q -- "--save: g.ck goes on with launch 20, so nothing can be saved before launch $launch: expected a later one" err
	ok "but none before launch $launch, whose memory it does not know"
done
run 0 run bfs --size tiny --functional --save 5:b.ck && run 0 run bfs --size tiny --resume b.ck -o resumed.json && grep -q verified out
ok "a program that decides by what it copies back takes the same way"

# With timing: the whole run, and the same with a stop before a launch; other options behind.
timed() {
	name=$1 size=$2 launch=$3
	shift 3
	run 0 run "$name" --size "$size" -q -o whole.json "$@" && cp out whole &&
		run 0 run "$name" --size "$size" -q -o saved.json --save "$launch:t.ck" "$@" && [ ! -e saved.json ] && grep -q "checkpoint before launch $launch " err &&
		run 0 run "$name" --size "$size" -q -o resumed.json --resume t.ck "$@" && cmp out whole && same whole.json resumed.json
}
for what in 'gaussian tiny 20 --chip volta8' 'bfs tiny 7 --chip volta8 --threads 2' 'histo tiny 5 --chip h200 --set sm.count=16' \
	'radixsort tiny 4 --chip h200 --threads 2' 'gaussian tiny 20 --chip pascal64x4 --set sm.count=4' \
	'bfs tiny 5 --chip pascal64x4 --set sm.count=4 --threads 2 --set sockets.home=first-touch' 'lud tiny 9 --chip fermi15' \
	'sradv1 tiny 6 --chip kepler8 --policy warp.scheduler=poise' 'gaussian tiny 20 --chip volta8 --warm launches=5' \
	'gaussian tiny 20 --chip volta8 --warm launches=30' \
	'gaussian tiny 30 --chip volta8 --interval 1000 --series dram.bytes_read' \
	'gaussian tiny 0 --chip volta8'; do
	# shellcheck disable=SC2086 # words
	timed $what
	ok "a timed run that is stopped and resumed: output and statistics as of the whole run ($what)"
done
run 0 run gaussian --size tiny --chip volta8 -q -o whole.json && run 0 run gaussian --size tiny --chip volta8 -q --save 20:t.ck &&
	run 0 run gaussian --size tiny --chip volta8 -q --threads 2 --resume t.ck --save 30:u.ck &&
	run 0 run gaussian --size tiny --chip volta8 -q --resume u.ck -o resumed.json && same whole.json resumed.json
ok "with another number of threads and twice as well"
for kind in managed pinned device; do
	run 0 run -q --chip volta8 -o whole.json -- "$CHECKPOINT_PROGRAM" $kind pairs && cp out whole && grep -q 'pair 840' whole &&
		run 0 run -q --chip volta8 --save 8:p.ck -- "$CHECKPOINT_PROGRAM" $kind pairs &&
		run 0 run -q --chip volta8 --resume p.ck -o resumed.json -- "$CHECKPOINT_PROGRAM" $kind pairs && cmp out whole && same whole.json resumed.json
	ok "kernels that overlapped before, times of events, $kind memory"
done
run 2 run -q --chip volta8 --save 7:x.ck -- "$CHECKPOINT_PROGRAM" device pairs && [ ! -e x.ck ] &&
	grep -q -- '--save: a kernel of another stream is still running before launch 7, which a checkpoint cannot save' err
ok "between kernels that overlap nothing is saved"
refused() { # SENTENCE OPTIONS...
	sentence=$1
	shift
	run 2 run gaussian --size tiny --resume t.ck "$@" && grep -q "t.ck: it holds the state of a chip.*$sentence" err
}
refused 'saved with chip volta8, this run has chip fermi15' --chip fermi15
ok "the state of another chip is refused"
refused 'this run has other parameters of chip volta8' --chip volta8 --set l2.pipe_cycles=99
ok "so is that of a chip with other parameters"
refused 'saved with seed 1, this run has seed 2' --chip volta8 --seed 2
ok "or with another seed"
refused 'a run without timing cannot use' --functional
ok "a run without timing does not go on from it"
refused 'cannot continue with --launches: expected' --chip volta8 --launches 30
ok "nor does one of chosen launches"
run 2 run bfs --size tiny --chip volta8 --resume t.ck && grep -q 't.ck: it is a checkpoint of gaussian, expected one of bfs' err
ok "nor another program"
head -c 9000 t.ck >cut.ck
run 2 run gaussian --size tiny --chip volta8 --resume cut.ck && grep -q 'cut.ck: the checkpoint is truncated' err
ok "nor does a run go on from one that is cut"
python3 -c "
d = bytearray(open('t.ck', 'rb').read())
d[len(d) * 3 // 4] ^= 1
open('bad.ck', 'wb').write(d)"
run 2 run gaussian --size tiny --chip volta8 --resume bad.ck && grep -q 'bad.ck: the .* bytes at .* do not unpack' err
ok "nor from one that is damaged"
for option in '--launches 30' '--sample auto' '--timeline x.trace'; do
	# shellcheck disable=SC2086 # words
	run 2 run gaussian --size tiny --chip volta8 --save 20:x.ck $option && [ ! -e x.ck ] &&
		grep -q -- "--save: the state of a chip cannot be saved with ${option% *}: add --functional" err
	ok "nothing is saved with ${option% *}"
done

for kind in managed pinned device; do
	run 0 run --functional -- "$CHECKPOINT_PROGRAM" $kind && cp out whole && grep -q 'kernel 3' whole &&
		run 0 run --functional --save 4:m.ck -- "$CHECKPOINT_PROGRAM" $kind && run 0 run --resume m.ck -q -- "$CHECKPOINT_PROGRAM" $kind && cmp out whole
	ok "$kind memory: the host sees, and kernels print, what they did in the whole run"
done

cat >sweep.yaml <<'YAML'
name: resumed
chips: [volta8, fermi15]
workloads: [{name: gaussian, size: tiny, launches: 20-29, resume: g.ck}]
YAML
run 0 sweep sweep.yaml --db sweep.db -q && run 0 results --db sweep.db "SELECT cycles FROM runs ORDER BY chip DESC" --csv && cp out swept &&
	for chip in volta8 fermi15; do
		"$HEDDLE" run gaussian --size tiny --chip $chip --launches 20-29 -q -o $chip.json || echo failed >>swept
	done && python3 -c "
import json
swept = [int(x) for x in open('swept').read().split()[1:]]
assert swept == [next(iter(json.load(open(c + '.json'))['run']['cycles'].values())) for c in ('volta8', 'fermi15')], swept"
ok "the runs of a sweep go on from one checkpoint"
printf 'name: s\nchips: [volta8]\nworkloads: [{name: gaussian, resume: none.ck}]\n' >sweep.yaml
run 2 sweep sweep.yaml --db sweep.db && grep -q 'sweep.yaml:3:.*checkpoint .*none.ck cannot be read' err
ok "a sweep names a checkpoint that is not there"
printf 'name: s\nchips: [volta8]\nworkloads: [{name: gaussian, launches: 9-2}]\n' >sweep.yaml
run 2 sweep sweep.yaml --db sweep.db && grep -q 'launches is 9-2, expected how many of the first' err
ok "and launches that are none"

run 2 run --functional bfs --size tiny --resume g.ck && grep -q 'g.ck: it is a checkpoint of gaussian, expected one of bfs' err
ok "a checkpoint of another program is refused"
run 2 run --functional gaussian --size tiny --resume g.ck -- --seed 2 && grep -q 'after 0 launches this run has a copy of other data' err
ok "so is one of another input"
head -c 300 g.ck >cut.ck
run 2 run --functional gaussian --size tiny --resume cut.ck && grep -q 'cut.ck: the checkpoint is truncated' err
ok "so is one that is cut"
python3 -c "
d = bytearray(open('g.ck', 'rb').read())
d[len(d) // 2] ^= 1
open('bad.ck', 'wb').write(d)
d[8] = 9
open('new.ck', 'wb').write(d)"
run 2 run --functional gaussian --size tiny --resume bad.ck && grep -q 'bad.ck: the .* bytes at .* do not unpack' err
ok "so is one that is damaged"
run 2 run --functional gaussian --size tiny --resume new.ck && grep -q 'new.ck: the checkpoint is of version 9, expected 2' err
ok "so is one of another version"
run 2 run --functional gaussian --size tiny --resume none.ck && grep -q 'none.ck: cannot read the checkpoint' err
ok "so is a file that does not exist"
run 2 run --functional gaussian --size tiny --save 46:x.ck && grep -q 'gaussian has 46 launches, expected more than 46' err && [ ! -e x.ck ]
ok "a launch that the program does not have leaves no file"
(trap '' XFSZ && ulimit -f 100 && "$HEDDLE" run vecadd --size tiny --functional --save 1:x.ck >out 2>err)
[ $? -eq 2 ] && grep -q 'x.ck: cannot write the file: File too large' err && ! ls x.ck* >files 2>&1
ok "nor does a disk without room"
run 2 run --functional --save 1:x.ck -- "$CHECKPOINT_PROGRAM" device wait && grep -q 'a stream waits for a value in memory' err && ! ls x.ck* >files 2>&1
ok "what cannot be skipped is refused"
run 2 run gaussian --save x && grep -q -- '--save is x, expected the number of a launch and a file' err
ok "so is a file without a launch"
run 2 run gaussian --sample auto --resume g.ck && grep -q -- '--sample: --resume is given as well' err
ok "and sampling of a part"

# 8 GB of device memory of which little is touched: the host's memory is what is touched, less than 3 GB.
small() {
	python3 -c "import resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
assert most < 3 << 20, f'{most} KB'
sys.exit(code)" "$HEDDLE" run --functional "$@" >out 2>err
}
small -- "$LARGE_PROGRAM" && grep -q 'sum 384, verified' out
ok "a program with 8 GB of device memory is executed in less than 3 GB"
small --chip h200 --save 12:l.ck -- "$LARGE_PROGRAM" && small --chip h200 --resume l.ck -- "$LARGE_PROGRAM" && grep -q 'sum 384, verified' out
ok "so is its checkpoint saved and resumed"
echo "1..$count"
