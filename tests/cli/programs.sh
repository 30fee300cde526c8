#!/bin/sh
# GPU programs on the command line: options that travel into their process, and programs that are none. Prints TAP.
# HEDDLE: the program; HEDDLE_SOURCE: the source tree.
# shellcheck source=tests/cli/tap.sh
. "$HEDDLE_SOURCE/tests/cli/tap.sh"

# cycles FILE: the last one of the core's clock, from 0
cycles() {
	python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["run"]["cycles"]["core"])' "$1"
}

for value in 0x7d0 2_000 2e3; do
	run 0 run vecadd --size tiny --max-cycles $value -o x.json && grep -q 'stopped at the cycle limit' out && [ "$(cycles x.json)" = 1999 ]
	ok "a number is read once: --max-cycles $value"
done
run 2 run vecadd --max-cycles much && grep -q '^heddle: --max-cycles is much, expected a whole number' err
ok "a bad number is told under the option's name"
HEDDLE_CHIP=volta8 HEDDLE_CHIPS=$HEDDLE_SOURCE/chips HEDDLE_SEED=some LD_LIBRARY_PATH=$(dirname "$HEDDLE")/src/cuda \
	LD_PRELOAD=libcuda.so.1 env true 2>err
[ $? -eq 2 ] && grep -q '^heddle: --seed is some, expected a whole number (it came in HEDDLE_SEED)' err
ok "also where it comes from the environment"
run 0 run vecadd --size tiny -q --set sm.shared.bytes=0 --set dram.clock_hz=100GHz && [ ! -s err ]
ok "what a chip may be, its device may be"
run 0 run -- true && [ "$(cat err)" = "heddle: warning: $(env which true) has no GPU code and calls no CUDA library: nothing will be simulated" ]
ok "a program without CUDA is told so"
printf '#!/bin/sh\nexit 0\n' >script && chmod +x script && run 0 run -- ./script && [ ! -s err ]
ok "a script is not"

# result FILE: all but what the host took and the version
result() {
	python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); d.pop("host"); print(json.dumps(d, sort_keys=True))' "$1"
}
for threads in 1 2 3; do
	run 0 run ccl --size tiny --chip volta80 --threads $threads -q -o t$threads.json && grep -q "\"threads\": $threads" t$threads.json
	ok "a run has the threads it is given: $threads"
done
result t1.json >t1 && result t2.json | cmp -s t1 - && result t3.json | cmp -s t1 -
ok "a program that races has one result on 1, 2 and 3 threads"
run 0 run vecadd --size tiny --chip volta8 --threads 0 && grep -q '^heddle: warning: --threads is 0, expected at least 1: one thread is used$' err
ok "no threads are a warning, and it runs"
run 0 run vecadd --size tiny --chip volta8 --threads 99 && grep -q -- '--threads is 99, expected at most 8, as many as the chip has parts: 8 are used$' err
ok "so are more than there is work for"
run 2 run vecadd --threads some && grep -q '^heddle: --threads is some, expected a whole number' err
ok "threads are a number"

cat >late.yaml <<'END'
chips: [fermi15]
workloads: [{program: ./late}]
END
printf '#!/bin/sh\necho "heddle: interrupted after 5 cycles" >&2\nexit 130\n' >late && chmod +x late
run 1 sweep late.yaml --db late.db && [ "$("$HEDDLE" results --db late.db --csv 'SELECT status, error FROM runs' | sed 1d)" = "interrupted,interrupted after 5 cycles" ]
ok "a run of a sweep that was interrupted is run again, not judged"
echo "1..$count"
