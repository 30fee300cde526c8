#!/bin/sh
# Micro-benchmarks on the chip h200 beside an H200's (silicon/h200/micro.csv): stores, local memory, barriers,
# constants, atomics in shared memory, chains of arithmetic. A row that the chip has a mechanism for agrees within the band of its group.
set -u
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
SET=l2.context_bytes=0 "$HEDDLE_SOURCE/tools/silicon-simulated" h200 stores local chain constant adds full >"$out/table" 2>"$out/err"
status=$?
number=0
failed=0
# $1 what, $2 how many rows at least, $3 percent, $4 a pattern of group,name,parameter
agrees() {
	number=$((number + 1))
	if awk -F, -v least="$2" -v band="$3" -v pattern="$4" 'NR > 1 && $1 "," $2 "," $3 ~ pattern {
		rows++
		off = 100 * ($7 - 1)
		if (off > band || off < -band) { printf "# %s,%s,%s: %s, silicon %s\n", $1, $2, $3, $6, $5; bad++ }
	} END { if (rows < least) { printf "# %d rows, expected %d\n", rows, least; bad++ }; exit bad > 0 }' "$out/table"; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
		failed=1
	fi
}
if [ $status -ne 0 ]; then
	cat "$out/err"
	echo "Bail out! the micro-benchmarks did not run"
	exit 1
fi
agrees "stores to one line or sector join, bytes and words take as long" 8 8 \
	"stores,(store of own (byte|sector's word)|store of one word by all|store of a line by all warps),1 SMs of (8|32) "
agrees "loads and stores of one word share the L1" 3 9 "stores,load and store of own word,"
agrees "stores to local memory go below" 6 8 "local,st.local.u(32|64|8) and step,1 SMs of (8|32) warps; an index per lane"
agrees "whole lines of local memory leave at a sector a cycle" 4 8 "local,st.local.u(32|64) and step,1 SMs of (8|32) warps; one index"
agrees "a barrier takes its time for each warp, also where one comes late" 15 8 "chain,.*bar.sync"
agrees "constants at different places come one after the other" 20 12 "constant,ld.const.(u32|u64),(1 warps|32 warps; (4|8|16|32)).*(16|4|64) bytes apart"
agrees "wide constants count twice" 8 10 "constant,ld.const.v4.u32,(1 warps; (2|4|8|16|32)|32 warps; (4|16|32)) "
agrees "a shuffle is as long as a load from shared memory" 5 13 "chain,shfl; add,"
agrees "integer atomics in shared memory take a pass for each lane at a word" 20 9 "adds,(atom.shared.max.s32|atom.shared.exch.b32|atom.shared.inc.u32),"
agrees "compare-and-swap of 8 bytes serves each half of a warp by itself" 5 9 "adds,atom.shared.cas.b64,32 warps"
agrees "float sums in shared memory are loops" 7 9 "adds,red.shared.add.f32,(32 warps; (1|2|8|32)|1 warps; (2|8|32)) lanes"
agrees "of four chains of arithmetic, those that end nowhere are not there" 16 12 \
	"full,(xor and shf|mad.lo.u32|mad.lo and fma|setp and selp|fma.f64 and (add.u32|fma.f32)|cvt to f32 and back|sin.approx and fma),"
agrees "nor are those of doubles, but for roots" 14 18 "full,((fma|add|mul).f64|xor and add|mad.lo and (add|xor)|sqrt.rn.f64),"
agrees "a division by what the loop does not change has its reciprocal from before" 4 16 "full,(div|rem).u32,"
echo "1..$number"
exit $failed
