#!/bin/sh
# AArch64 programs on the command line: answers at every length, bus words, pins and moves. Prints TAP.
# HEDDLE: the program; HEDDLE_SOURCE: the source tree. The programs compare themselves with scalar code.
# shellcheck source=tests/cli/tap.sh
. "$HEDDLE_SOURCE/tests/cli/tap.sh"

# value FILE STATISTIC
value() {
	python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["totals"][sys.argv[2]])' "$1" "$2"
}
vectors=$HEDDLE_SOURCE/workloads/vector

right=1
for bits in 128 256 384 512 1024 2048; do
	for what in strlen strchr strcmp strcpy strstr; do
		for bytes in 0 1 777; do
			"$HEDDLE" run "vector:strings,what=$what,bytes=$bytes,calls=3,vl=$bits" --functional -q >>all 2>&1 || right=
		done
	done
	for program in spmv,rows=100 sssp,nodes=100 loops,what=triad,n=1001 loops,what=histogram,n=999 loops,what=matmul,n=21 spmv-legacy,rows=50; do
		"$HEDDLE" run "vector:$program,vl=$bits" --functional -q >>all 2>&1 || right=
	done
done
[ "$right" ] && cp all out
ok "strings of 0, 1 and 777 bytes and loops have the answers of scalar code at every length"

# 32 KB strings on bases aligned to 16 bytes: extra words per call 0, 256, 384, 448
right=1
for pair in 128:0 256:256 512:384 1024:448; do
	bits=${pair%:*} extra=${pair#*:}
	run 0 run vector:strings,what=strchr,calls=64,check=0 --chip cpu-sve --set "core.vector.bits=$bits" -q -o "s$bits.json" &&
		python3 - "$bits" "$extra" <<'PY' >out 2>err || right=
import json, sys
bits, extra = map(int, sys.argv[1:])
t = json.load(open(f"s{bits}.json"))["totals"]
per = t["core.vector.misalignment_stalls"] / 64
assert abs(per - extra) <= 0.05 * extra, per
assert t["core.vector.loads"] == 64 * 32768 * 8 // bits, t["core.vector.loads"]
PY
done
[ "$right" ]
ok "spilling over words of the bus costs about 0, 256, 384 and 448 words a call at 128 to 1024 bits"
right=1
for bits in 128 256 512; do
	run 0 run vector:strings,what=strchr,calls=16,check=0,aligns=1 --chip cpu-sve --set "core.vector.bits=$bits" -q -o aligned.json &&
		[ "$(value aligned.json core.vector.misalignment_stalls)" = 0 ] || right=
done
[ "$right" ]
ok "aligned bases spill nothing up to 512 bits"
# a word of 8 letters and its end: one load each, and the words that it spills into
right=1
for pair in 128:0 256:0.25 512:0.75 1024:1.75; do
	bits=${pair%:*} extra=${pair#*:}
	run 0 run vector:strings,what=strchr,bytes=9,calls=2000,check=0 --chip cpu-sve --set "core.vector.bits=$bits" -q -o w.json &&
		python3 - "$extra" <<'PY' >out 2>err || right=
import json, sys
extra = float(sys.argv[1])
t = json.load(open("w.json"))["totals"]
assert t["core.vector.loads"] == 2000, t["core.vector.loads"]
assert abs(t["core.vector.misalignment_stalls"] / 2000 - extra) <= 0.05 * extra
assert abs(t["core.vector.load_words"] / 2000 - 1 - extra) <= 0.05 * (1 + extra)
PY
done
[ "$right" ]
ok "single words spill over 0, 0.25, 0.75 and 1.75 words a call"
# two loads and a store in each of ceil(n / elements) iterations
right=1
for n in 1 96 1001; do
	for bits in 128 256 384 512 1024 2048; do
		run 0 run "vector:loops,what=triad,n=$n,check=0" --chip cpu-sve --set "core.vector.bits=$bits" -q -o triad.json &&
			[ "$(value triad.json core.vector.loads)" = $((2 * ((n * 32 + bits - 1) / bits))) ] &&
			[ "$(value triad.json core.vector.stores)" = $(((n * 32 + bits - 1) / bits)) ] || right=
	done
done
[ "$right" ]
ok "a loop over n elements has n / (length / 32) iterations, rounded up"
run 0 run vector:strings,what=strchr,calls=16,check=0 --chip cpu-sve --set core.vector.bits=1024 --set core.vector.bus_bytes=128 -q -o wide.json &&
	run 0 run vector:strings,what=strchr,calls=16,check=0 --chip cpu-sve --set core.vector.bits=1024 -q -o narrow.json &&
	[ "$(value wide.json core.vector.misalignment_stalls)" -lt "$(value narrow.json core.vector.misalignment_stalls)" ] &&
	[ "$(value wide.json core.cycles)" -lt "$(value narrow.json core.cycles)" ]
ok "a bus of twice the width spills less at 1024 bits, and is faster"

# T31: at 128 and 512 bits the decode depth changes strchr by less than 3 %, the issue width by more than the ROB from 64 entries on
right=1
for bits in 128 512; do
	for set in issue_width=1 issue_width=8 rob_entries=64 rob_entries=256 decode_cycles=4 decode_cycles=8; do
		case $set in
		issue_width=*) sets="--set core.window.$set --set core.window.dispatch_width=${set#*=} --set core.window.retire_width=${set#*=}" ;;
		rob_*) sets="--set core.window.$set" ;;
		*) sets="--set core.fetch.$set" ;;
		esac
		# shellcheck disable=SC2086
		run 0 run vector:strings,what=strchr,calls=8,check=0@147800+1000000000 --chip cpu-sve --set "core.vector.bits=$bits" $sets -q -o "h4-$set.json" || right=
	done
	python3 - <<'PY' >out 2>err || right=
import json
cycles = lambda s: json.load(open(f"h4-{s}.json"))["totals"]["core.cycles"]
changes = lambda a, b: cycles(a) / cycles(b) - 1
assert abs(changes("decode_cycles=8", "decode_cycles=4")) < 0.03, changes("decode_cycles=8", "decode_cycles=4")
assert changes("issue_width=1", "issue_width=8") > abs(changes("rob_entries=64", "rob_entries=256"))
assert changes("issue_width=1", "issue_width=8") > abs(changes("decode_cycles=8", "decode_cycles=4"))
PY
done
[ "$right" ]
ok "issue width changes strchr by more than ROB and decode depth, the decode depth by less than 3 %"
run 0 run vector:sssp,nodes=300,rounds=4 --chip cpu-sve-little --set core.move.policy=always --set core.move.period_ns=2000 -q -o moved.json &&
	[ "$(value moved.json mover.to_little)" -gt 5 ] && [ "$(value moved.json mover.to_big)" -gt 5 ]
ok "a program that moves between big and LITTLE cores has the same answer"
run 0 run vector:sssp,nodes=300,rounds=4 --chip cpu-sve-little --set core.move.policy=always --set core.move.period_ns=2000 -q --timeline moves.trace &&
	grep -q '"name":"LITTLE"' moves.trace && grep -q '"name":"big"' moves.trace
ok "a timeline has a span for each stay on a core"
run 0 run vector:sssp,nodes=300,rounds=4 --chip cpu-sve-little --set core.move.policy=always --set core.move.period_ns=2000 --warm instructions=250000 -q -o warm.json &&
	[ "$(value warm.json core.instructions)" -lt "$(value moved.json core.instructions)" ]
ok "a program that moves can have a warm part"
cat >both.yaml <<'END'
applications:
  - {cpu: "vector:sssp,nodes=200", name: first, cores: 0-1}
  - {cpu: "vector:sssp,nodes=150", name: second, cores: 2-3}
END
run 0 run --mix both.yaml --chip cpu-sve-little --set core.count=4 --set core.little.count=3 --set core.move.policy=always --set core.move.period_ns=2000 -q -o both.json &&
	[ "$(value both.json mover.to_little)" -gt 2 ]
ok "of two programs in a mix one moves, on its cores, and both are right"
run 0 run vector:loops,what=matmul,n=60 --chip cpu-sve-little --set core.move.policy=always --set core.move.period_ns=1000 -q &&
	run 1 run vector:loops,what=matmul,n=60 --chip cpu-sve-little --set core.move.policy=always --set core.move.period_ns=1000 --set core.move.enforced=false -q &&
	grep -q "ended with status 1, expected 0" err
ok "a matrix product that moves is right, and without enforced pins it is wrong"
run 0 run vector:sssp-legacy,nodes=300,rounds=4 --chip cpu-sve-little --set core.move.policy=always --set core.move.period_ns=2000 -q &&
	run 0 run vector:sssp-legacy,nodes=300,rounds=4 --chip cpu-sve-little --set core.move.policy=always --set core.move.period_ns=2000 \
		--set core.little.vector_bits=512 -q -o legacy.json && [ "$(value legacy.json mover.pinned_moves)" -gt 0 ]
ok "code without pins has the same answer too; to vectors as long it takes its registers along"
run 0 run vector:sssp,nodes=300,rounds=4 --chip cpu-sve-little --set core.move.policy=never -q -o stays.json &&
	run 0 run vector:sssp,nodes=300,rounds=4 --chip cpu-sve-little --set core.move.disable_big_ns=1000 --set core.move.period_ns=1000 -q -o disabled.json &&
	[ "$(value disabled.json mover.to_little)" = 1 ] && [ "$(value disabled.json mover.to_big)" = 0 ]
ok "a big core that is disabled is left once, and the program ends on the other"

right=1
for what in keep order fault jump; do
	run 0 run "vector:signals,what=$what" --chip cpu-sve-little --set core.move.policy=always --set core.move.period_ns=1000 -q || right=
done
run 0 run vector:signals,what=unpin --functional -q && grep -q "signal 4" out || right=
[ "$right" ]
ok "handlers run and return on cores of unlike vectors, and UNPIN without PIN is their signal 4"
run 2 run vector:signals,what=abort --functional -q && grep -q "the program was ended by signal 15" err
ok "a signal without a handler ends the program with a message"

run 0 run vector:threads,threads=1,n=65536,rounds=6,check=0 --chip cpu-sve -q -o one.json &&
	run 0 run vector:threads,threads=4,n=65536,rounds=6,check=0 --chip cpu-sve --set core.count=4 -q -o four.json &&
	python3 - <<'PY'
import json
one, four = (json.load(open(f)) for f in ("one.json", "four.json"))
assert four["totals"]["core.instructions"] < 1.01 * one["totals"]["core.instructions"]
assert four["totals"]["core.programs"] == 4, four["totals"]["core.programs"]
assert 1.25 * four["run"]["simulated_fs"] < one["run"]["simulated_fs"]
PY
ok "four threads on four cores are faster than one, with as many instructions"
run 0 run vector:threads,threads=4,n=4096 --chip cpu-sve-little --set core.count=4 --set core.little.count=2 -q &&
	run 0 run vector:threads,threads=2,what=signal --chip cpu-sve --set core.count=2 -q && grep -q 'done' out
ok "threads are right on cores of unlike vectors, and one that waits is woken by a signal"
run 2 run vector:threads,threads=2,what=hang --chip cpu-sve --set core.count=2 -q && grep -q "every thread waits for another one" err
ok "threads that wait for each other are an error"
run 2 run vector:threads,threads=4 --chip cpu-sve -q && grep -q "has 4 threads, expected at most its 1 core" err &&
	run 2 run vector:threads,threads=65 --chip cpu-sve -q && grep -q "threads is 65, expected 1 to 64" err
ok "more threads than cores are refused"
cat >twice.yaml <<'END'
applications:
  - {cpu: "vector:threads,threads=2,n=2000,rounds=2", name: first, cores: 0-1}
  - {cpu: "vector:threads,threads=2,n=20000,rounds=2,check=0", name: second, cores: 2-3}
END
run 0 run --mix twice.yaml --chip cpu-sve --set core.count=4 -q
ok "two programs with threads run beside each other, the shorter again and again"

run 0 trace convert vector:sssp,nodes=300,rounds=4,vl=512 sssp.trace -q &&
	run 0 run sssp.trace --chip cpu-sve -q -o traced.json &&
	run 0 run vector:sssp,nodes=300,rounds=4 --chip cpu-sve -q -o executed.json &&
	for what in cycles l1d.accesses vector.instructions vector.load_words vector.elements vector.active_lanes; do
		[ "$(value traced.json "core.$what")" = "$(value executed.json "core.$what")" ] || break
	done && [ "$what" = vector.active_lanes ] && [ "$(value traced.json core.vector.elements)" -gt 1000 ]
ok "a converted trace has the addresses of gathers and scatters, and takes as long"

# skip COUNT WHY: tests that cannot run here
skip() {
	for _ in $(seq "$1"); do
		count=$((count + 1))
		echo "ok $count # SKIP $2"
	done
}

if command -v qemu-aarch64 >/dev/null; then
	right=1
	for bits in 128 512 2048; do
		qemu-aarch64 -cpu max,sve-default-vector-length=$((bits / 8)) "$vectors/strings.elf" what=strchr bytes=3000 || right=
		qemu-aarch64 -cpu max,sve-default-vector-length=$((bits / 8)) "$vectors/sssp.elf" nodes=200 || right=
	done
	[ "$right" ]
	ok "the same executables are right under QEMU"

	right=1
	for bits in 128 512 2048; do
		for kind in "" -legacy; do
			for what in keep order fault jump; do
				qemu-aarch64 -cpu max,sve-default-vector-length=$((bits / 8)) "$vectors/signals$kind.elf" "what=$what" >theirs || right=
				"$HEDDLE" run "vector:signals$kind,what=$what,vl=$bits" --functional -q >ours || right=
				cmp ours theirs || right=
			done
			for threads in 1 2 5; do
				qemu-aarch64 -cpu max,sve-default-vector-length=$((bits / 8)) "$vectors/threads$kind.elf" "threads=$threads" >theirs || right=
				"$HEDDLE" run "vector:threads$kind,threads=$threads,vl=$bits" --functional -q >ours || right=
				cmp ours theirs || right=
			done
		done
	done
	[ "$right" ]
	ok "signals and threads do what they do under QEMU"
else
	skip 2 "qemu-aarch64 is not installed (package qemu-user)"
fi

compiler=aarch64-linux-gnu-gcc
if command -v $compiler >/dev/null; then
	right=1
	$compiler -O2 -march=armv8-a+sve -static -no-pie -nostdlib -ffreestanding "$vectors/loops.c" -o mine || right=
	for bits in 128 256 512 1024; do
		run 0 run "aarch64:./mine,what=triad,n=3000,vl=$bits" --chip cpu-sve -q || right=
	done
	[ "$right" ]
	ok "a program of the cross compiler runs at four lengths"

	cat >bad.c <<'END'
#include "runtime.h"
__attribute__((noinline)) static word deeper(word n)
{
    volatile word room[512];
    room[0] = n;
    return n ? deeper(n - 1) + room[n & 511] : room[0];
}
__attribute__((noinline)) static void wild(void)
{
    *(volatile word *)0x123456789abcUL = 1;
}
__attribute__((noinline)) static void unpin(void)
{
    __asm__ volatile("hint #97");
}
int run(void)
{
    const char *what = argument("what", "wild");
    if (same_text(what, "wild")) {
        wild();
    } else if (same_text(what, "unpin")) {
        unpin();
    } else if (same_text(what, "talk")) {
        put_text("one ");
        put_number(2);
    } else {
        (void)deeper(1000000);
    }
    return 0;
}
END
	build="$compiler -O1 -march=armv8-a+sve -nostdlib -ffreestanding -I$vectors"
	# shellcheck disable=SC2086
	$build -static -no-pie bad.c -o bad && $build -fPIE -static-pie bad.c -o moves
	run 2 run aarch64:./bad,what=wild --functional -q && grep -q "0x123456789abc" err && grep -q "wild" err
	ok "a wild access is an error with its address and function"
	run 2 run aarch64:./bad,what=deep --functional -q && grep -q "deeper" err
	ok "a stack overflow is an error with its function"
	right=1
	for how in "--functional" "--chip cpu-sve"; do
		# shellcheck disable=SC2086
		run 2 run aarch64:./bad,what=unpin $how -q && grep -q "pc 0x[0-9a-f]* (unpin+0): UNPIN_VL at level 0, expected a PIN_VL before it" err || right=
	done
	[ "$right" ]
	ok "UNPIN without PIN is an error with its pc and function, timed and not"
	run 2 run aarch64:./bad,what=wild --chip cpu-sve -q && grep -q "0x123456789abc" err
	ok "so it is when the program is timed"
	run 0 run aarch64:./bad,what=talk --functional -q && [ "$(cat out)" = "one 2" ] &&
		run 0 run aarch64:./bad,what=talk --chip cpu-sve -q && [ "$(cat out)" = "one 2" ]
	ok "a program's output is on standard output, once"
	"$HEDDLE" run aarch64:./bad,what=talk --functional -q >/dev/full 2>err
	[ $? -eq 2 ] && grep -q "standard output: cannot write" err
	ok "output that cannot be written is an error"
	run 2 run aarch64:./moves --functional -q && grep -q "position-independent file, expected an executable at fixed addresses" err
	ok "a position-independent executable is refused"
else
	skip 8 "$compiler is not installed (package gcc-aarch64-linux-gnu)"
fi

run 2 run vector:strngs --chip cpu-sve && grep -q "unknown vector program .strngs. (nearest: strings)" err
ok "a program that there is not is refused"
run 2 run vector:strings,vl=100 --chip cpu-sve && grep -q "vl is 100, expected bits: a multiple of 128 up to 2048" err
ok "so is a length that SVE does not have"
run 2 run "aarch64:$HEDDLE" --chip cpu-sve && grep -q "an executable for another machine (62), expected AArch64 (183)" err
ok "and an executable for another machine"
run 2 run vector:strings --chip cpu-sve --set core.vector.bits=200 && grep -q "core.vector.bits is 200, expected a multiple of 128" err
ok "a core's vectors are multiples of 128 bits"
run 2 run vector:strings --chip cpu-sve --set core.move.policy=always && grep -q "core.move.policy is always, expected never or core.little.count from 1 on" err
ok "programs move where there are LITTLE cores"
echo "1..$count"
