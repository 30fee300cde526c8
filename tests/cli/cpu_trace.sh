#!/bin/sh
# CPU programs as traces: recording, showing, and what is refused. Prints TAP.
# HEDDLE: the program; HEDDLE_SOURCE: the source tree; GUEST, TEAM: programs to record (TEAM may be
# empty: no OpenMP).
# shellcheck source=tests/cli/tap.sh
. "$HEDDLE_SOURCE/tests/cli/tap.sh"

if ! command -v qemu-x86_64 >/dev/null 2>&1; then
	echo "1..0 # SKIP qemu-x86_64 is not installed (package qemu-user)"
	exit 0
fi

record() { # WORD: records the guest with it
	run 0 trace -o "$1.hct" -- "$GUEST" "$1"
}
nothing() { # FILE: it is not there, and nothing beside it
	for f in "$1"*; do
		[ ! -e "$f" ] || return 1
	done
}
list() { # FILE [OPTION]...: all instructions of a trace, in `out`
	file=$1
	shift
	run 0 trace show "$file" --count 100000000 "$@"
}

record loop && list loop.hct && [ "$(grep -c 'imul rax, rax' out)" -eq 1000 ] &&
	[ "$(grep -c 'mul  *imul rax, rax  *reads 10 writes 25,10' out)" -eq 1000 ]
ok "every turn of a loop is in the trace, with class and registers"
# the last turn is the branch that is not taken, behind 999 that are
branch=$(grep -A2 'imul rax, rax' out | grep 'branch jne' | awk '{print $2}' | sort -u)
[ "$(echo "$branch" | wc -l)" -eq 1 ] && [ "$(grep " $branch .*jne" out | grep -c -e '->')" -eq 999 ] &&
	[ "$(grep " $branch .*jne" out | grep -c 'not taken')" -eq 1 ]
ok "a branch says each time whether it was taken"
run 0 trace show loop.hct && grep -q "^program  *$GUEST loop\$" out &&
	grep -q "^sha256  *$(sha256sum "$GUEST" | cut -d' ' -f1)\$" out && grep -q 'x86_64' out &&
	grep -q "to the program's end" out
ok "a trace says its program, arguments, hash and window"
record loop && mv loop.hct again.hct && record loop && cmp -s loop.hct again.hct
ok "two recordings of the same program are the same file"

record fill && list fill.hct && grep -q 'store  *rep stosb .*store 0x[0-9a-f]*+1000$' out &&
	[ "$(grep -c 'rep stosb' out)" -eq 1 ]
ok "a string instruction is one instruction with one access"
record vector && list vector.hct && grep -q 'load  *vmovups ymm1, .*load 0x[0-9a-f]*+32$' out &&
	grep -q 'store  *vmovups ymmword.*store 0x[0-9a-f]*+32$' out
ok "pieces of a vector access are one access"

run 0 trace --skip 50000 --length 1000 -o window.hct -- "$GUEST" loop && run 0 trace show window.hct &&
	grep -q '^instructions  1000 of 1 thread' out && grep -q '^window  *after 500[0-9][0-9] instructions$' out
ok "a window is as long as asked and begins at the block that reaches the skip"

record fork && list fork.hct && [ "$(grep -c 'syscall' out)" -gt 3 ]
ok "a program that forks is recorded without its child"
record close && run 0 trace show close.hct
ok "a program that closes all descriptors is recorded to its end"
record fault && list fault.hct && grep -q 'syscall' out
ok "a program that handles a fault is recorded to its end"
run 0 trace -o fail.hct -- "$GUEST" fail && grep -q 'the program ended with status 3' err
ok "a status other than 0 is said"

record write && ! grep -q 'ended with status' err && list write.hct
ok "a recorded program cannot write to its own trace"
record exec && list exec.hct && [ "$(grep -c 'imul rax, rax' out)" -eq 1000 ] && run 0 trace show exec.hct &&
	! grep -q "to the program's end" out && run 0 trace -q -o exec.hct -- "$GUEST" exec &&
	grep -q "^warning: $GUEST called exec, where the trace ends; .* give that program instead\$" err
ok "a program that calls exec says so, once the call has worked"
run 2 trace --skip 100000000 -o none.hct -- "$GUEST" exec && nothing none.hct &&
	grep -q 'called exec after [0-9]* instructions, before the window' err && run 2 trace points -- "$GUEST" exec &&
	grep -q 'the program called exec after [0-9]* instructions; choose windows for the program that it starts$' err
ok "so do a window behind it and the choice of windows"
record system && ! grep -q exec err
ok "children that call exec are nobody's business"

# an own process group: it must not be the one that dies
mkdir folder.hct locked && chmod a-w locked
failed=
for output in /proc/x.hct folder.hct; do
	setsid -w "$HEDDLE" trace -o $output -- "$GUEST" loop >out 2>err
	if [ $? -ne 2 ] || ! grep -q "^heddle: $output: cannot write the file: " err; then failed="$failed $output"; fi
done
[ -z "$failed" ]
ok "an output that cannot be opened is one sentence, and the caller's process group lives"
if [ "$(id -u)" -ne 0 ]; then
	(cd locked && setsid -w "$HEDDLE" trace -- "$GUEST" loop >../out 2>../err)
	[ $? -eq 2 ] && grep -q '^heddle: .*[.]hct: cannot write the file: Permission denied$' err
	ok "so is the default name in a folder that is read-only"
fi
failed=
for signal in INT TERM; do
	"$HEDDLE" trace -o stopped.hct -- "$GUEST" forever >out 2>err &
	while ! ls stopped.hct.new-* >/dev/null 2>&1; do sleep 0.05; done
	kill -$signal $!
	wait $!
	if [ $? -ne 130 ] || ! grep -q 'interrupted: no trace was written' err || ! nothing stopped.hct; then failed="$failed $signal"; fi
done
[ -z "$failed" ]
ok "SIGINT and SIGTERM both end a recording without a trace"

run 2 trace -o none.hct -- "$GUEST" crash &&
	grep -q 'the program died of signal 11 (Segmentation fault) after [0-9]* instructions$' err && nothing none.hct
ok "a program that dies leaves a sentence and no trace"
run 2 trace --skip 100000000 -o none.hct -- "$GUEST" loop &&
	grep -q 'the program ended after [0-9]* instructions, before the window that begins at 100000000$' err && nothing none.hct
ok "so does a window behind the end"
PATH=/nowhere run 2 trace -o none.hct -- "$GUEST" loop &&
	grep -q '^heddle: qemu-x86_64 is not installed, .*package qemu-user)$' err && nothing none.hct
ok "so does a missing QEMU"
run 2 trace -- ./missing && grep -q '^heddle: ./missing: the program does not exist or is not executable$' err
ok "so does a missing program"
printf '#!/bin/sh\necho\n' >script && chmod +x script && run 2 trace -- ./script &&
	grep -q 'this is a script, expected a program: record its interpreter, `/bin/sh ' err
ok "a script is refused with what to record"
run 2 trace --threads 1,x -- "$GUEST" loop && grep -q -e '--threads is 1,x, expected all, or thread numbers' err
ok "threads that are none are refused"
run 2 trace && grep -q 'nothing to record, expected `heddle trace -- PROGRAM' err
ok "no program is refused"

head -c 3000 loop.hct >short.hct && run 2 trace show short.hct && grep -q '^heddle: short.hct: the CPU trace is truncated' err
ok "a truncated trace is refused"
run 2 trace show "$GUEST" && grep -q 'the file does not start with HEDDLECT, expected a CPU trace' err
ok "another file is refused"

# ChampSim's format keeps pcs, branches, registers and addresses
run 0 trace convert loop.hct loop.champsimtrace.xz && [ "$(xz -dc loop.champsimtrace.xz | wc -c)" -eq $(($(list loop.hct; wc -l <out) * 64)) ]
ok "a trace is written for ChampSim, 64 bytes an instruction"
list loop.hct && sed 's/ -> .*/ taken/' out | awk '{print $2, $NF == "taken", /store 0x/, /load 0x/}' >ours
run 0 trace convert loop.champsimtrace.xz back.hct && list back.hct && sed 's/ -> .*/ taken/' out | awk '{print $2, $NF == "taken", /store 0x/, /load 0x/}' >theirs
sed 's/ .*//' ours >pcs && sed 's/ .*//' theirs | cmp -s - pcs && head -n -1 ours >a && head -n -1 theirs >b && cmp -s a b
ok "what ChampSim's format keeps comes back"
run 0 trace convert loop.hct cut.hct --first 1000 --count 500 && run 0 trace show cut.hct && grep -q '^instructions  500 of' out &&
	grep -q '^window  *after 1000 instructions$' out
ok "a window is cut out of a trace"
run 0 trace convert cpu:mix,length=1000 mix.hct && run 0 trace show mix.hct && grep -q '^instructions  1000 of' out
ok "a synthetic kernel becomes a trace"
head -c 1000 loop.champsimtrace.xz >cut.champsimtrace.xz && run 2 trace convert cut.champsimtrace.xz none.hct &&
	grep -q 'cut.champsimtrace.xz: the xz data is damaged or truncated' err && nothing none.hct
ok "a packed trace that is truncated is refused, and nothing is left"
run 2 trace convert "champsim:$GUEST" none.hct && grep -q 'this is not a ChampSim trace\|is truncated' err && nothing none.hct
ok "so is a file that is no trace"

run 0 trace convert cpu:loop,length=64000,code_bytes=256 loops.hct && run 0 trace stats loops.hct &&
	grep -q '^total: 64000 instructions$' out && grep -q '^  conditional    87.5 % taken; dominantly one way' out &&
	grep -q '^  code           0.5 KiB executed' out
ok "statistics say what a program is like"
run 0 trace stats loops.hct loop.hct --json && python3 - out <<'PY'
import json, sys
d = json.load(open(sys.argv[1]))
a, b = d["traces"]
assert d["format"] == "heddle-cpu-trace-1" and a["name"] == "loops" and b["threads"] == 1
t = a["total"]
assert sum(t["classes"].values()) == t["instructions"] == 64000
assert sum(t["bias"]) == t["branches"]["conditional"] and sum(i["instructions"] for i in a["intervals"]) == 64000
assert a["curve"][-1][1] == 1
PY
ok "as JSON they add up"
run 0 trace stats loops.hct loop.hct -o page.html && grep -q 'heddle-cpu-trace-1' page.html && grep -q 'class-mix' page.html
ok "as a page they are in one file"

run 0 trace points fork.hct --interval 20000 -o points.yaml && grep -q '^[0-9]* windows represent [0-9]* intervals of 20000 instructions' out &&
	grep -q '^weighted means of [0-9]* windows, and their errors:$' out && grep -q '^  loads .*: [-+][0-9.]* %$' out &&
	[ "$(grep -c 'weight:' points.yaml)" -eq "$(sed -n 's/ windows represent.*//p' out)" ] &&
	awk -F'weight: ' '/weight:/ {sum += $2} END {exit !(sum > 0.999999 && sum < 1.000001)}' points.yaml
ok "windows stand for a trace: weights add up to 1, errors are said"
run 0 trace points --interval 20000 -o points.yaml -- "$GUEST" fork && grep -q '^program: \["' points.yaml && grep -q 'first: ' points.yaml
ok "windows are chosen for a program without a trace of it"
run 0 trace convert cpu:mix,length=300000 mix.hct -q && run 0 trace points mix.hct --interval 30000 --chip cpu4 -o points.yaml &&
	grep -q '^  cycles: {estimate: [0-9.]*, half_width: [0-9.e-]*}$' points.yaml && grep -q '^  l1d_misses: {' points.yaml &&
	grep -q '^CPI [0-9.]*, IPC [0-9.]*, from [0-9]* windows of [0-9]* clusters; error [0-9.]* % (95 %)$' out
ok "windows run on a chip give a mean with its error"
ipc=$(sed -n 's/^CPI .* IPC \([0-9.]*\),.*/\1/p' out)
run 0 run mix.hct -o mix.json && python3 - "$ipc" mix.json <<'PY'
import json, sys
t = json.load(open(sys.argv[2]))["totals"]
whole = t["core.instructions"] / t["core.cycles"]
assert abs(float(sys.argv[1]) / whole - 1) < 0.1, (sys.argv[1], whole)
PY
ok "near that of the whole trace"
run 0 run "champsim:loop.champsimtrace.xz" && run 0 run loop.champsimtrace.xz && run 0 run mix.hct@1000+500 && grep -q '0.000 M\|0.001 M' out
ok "heddle run takes ChampSim's traces and windows"
run 2 trace points -- "$GUEST" crash && grep -q 'the program died of signal 11' err
ok "not for one that dies"

if [ -n "$TEAM" ]; then
	run 0 trace -o team.hct -- "$TEAM" 2 && grep -q '^99980000$' out && grep -q '^OpenMP: 40 synchronisation events' err
	ok "an OpenMP program's events are recorded: 5 of 4 threads in 2 regions"
	for thread in 0 1 2 3; do
		list team.hct --thread $thread
		grep ' event ' out | sed 's/ *event //; s/ 0x.*//' >"events$thread"
	done
	printf 'parallel start\nwait\nsignal\nbarrier\nparallel end\n' >once
	cat once once >twice
	cmp -s events0 twice && cmp -s events1 twice && cmp -s events2 twice && cmp -s events3 twice
	ok "each thread starts, waits for the critical section, leaves it, meets the others and ends"
	run 0 trace stats team.hct && grep -q '^parallel: ' out && grep -q '^shared by all threads: 9' out &&
		grep -q '^events: parallel start 8, parallel end 8, wait 8, signal 8, barrier 8$' out
	ok "statistics tell serial and parallel parts apart"
	run 2 trace convert team.hct champsim:none && grep -q 'has 4 threads but a ChampSim trace holds one, expected --thread K$' err
	ok "of a program with threads one is chosen for ChampSim"
	run 0 trace --threads 0,2 -o two.hct -- "$TEAM" 1 && run 0 trace show two.hct && grep -q 'of 2 threads' out
	ok "threads can be chosen"
	run 0 run team.hct --chip cmp8 -q -o team.json && [ "$(grep -c 'early_passes": 0\|double_holds": 0' team.json)" -ge 2 ]
	ok "its threads meet on a chip that plays the events"
	cat >lock.c <<'END'
#include <omp.h>
int main(void)
{
    static omp_lock_t lock;
    omp_init_lock(&lock);
    omp_set_lock(&lock);
    return 0;
}
END
	if gcc -O2 -fopenmp lock.c -o lock 2>/dev/null; then
		run 0 trace -o lock.hct -- ./lock && run 2 run lock.hct --chip cmp8 &&
			grep -q '^heddle: lock.hct: thread 0 ends after 1 event while holding a lock, expected a signal for each wait$' err
		ok "a lock that is never released is named with its thread and event"
	fi
fi

compiler=aarch64-linux-gnu-gcc
printf 'double a[64], b[64]; int main(void) { for (int i = 0; i < 64; i++) a[i] += 3 * b[i]; return 0; }' >saxpy.c
# the compiler may be there without its C library
if command -v qemu-aarch64 >/dev/null 2>&1 && $compiler -O2 -fno-tree-vectorize -static saxpy.c -o saxpy 2>/dev/null; then
	run 0 trace -o arm.hct -- ./saxpy && run 0 trace show arm.hct &&
		grep -q 'aarch64' out && list arm.hct && [ "$(grep -c ' fp_fma  *fmadd d' out)" -eq 64 ] &&
		[ "$(grep -A1 ' fp_fma  *fmadd d' out | grep -c 'store .*+8$')" -eq 64 ]
	ok "an AArch64 program is recorded"
fi
echo "1..$count"
