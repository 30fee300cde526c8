#!/bin/sh
# The sample trace, and what becomes of it when parts are missing. Prints TAP.
# HEDDLE: the program; HEDDLE_SOURCE: the source tree.
# shellcheck source=tests/cli/tap.sh
. "$HEDDLE_SOURCE/tests/cli/tap.sh"
sample=$HEDDLE_SOURCE/examples/trace

# saxpy: 8 warps x 14; block_sum: 2 blocks x (44 + 18)
run 0 run --trace "$sample/kernelslist.g" --chip volta80 -q -o sample.csv && grep -q '^sm.warp_instructions,236,' sample.csv
ok "the sample trace runs, all 236 warp instructions of it"
mkdir made && "$sample/make.py" made && for f in kernelslist.g kernel-1.traceg kernel-2.traceg; do
	cmp "made/$f" "$sample/$f" || break
done >out 2>err && [ ! -s out ]
ok "the sample trace is what its script makes"

# refused WORDS: one line, exit 2
refused() {
	run 2 run --trace ./bad.traceg && [ "$(wc -l <err)" -eq 1 ] && grep -qF "bad.traceg:$1" err
}
third=$(grep -n '#BEGIN_TB' "$sample/kernel-1.traceg" | sed -n '3s/:.*//p')
head -n $((third - 1)) "$sample/kernel-1.traceg" >bad.traceg
refused "$((third - 1)):1: the file holds 2 of the 4 blocks of grid dim (4,1,1), expected all of them"
ok "a trace that was cut between blocks is refused"
head -n 15 "$sample/kernel-1.traceg" >bad.traceg
refused "15:1: the file holds 0 of the 4 blocks"
ok "a header alone is refused"
sed 's/tracer version = 5/tracer version = 99/' "$sample/kernel-1.traceg" >bad.traceg
refused "12:28: accelsim tracer version is '99', expected one from 1 to 7"
ok "a version nobody knows is refused"
sed 's/grid dim = (4,1,1)/grid dim = (2147483647,2147483647,2147483647)/' "$sample/kernel-1.traceg" >bad.traceg
refused "3:13: grid dim is (2147483647,2147483647,2147483647), expected at most"
ok "a grid that no GPU takes is refused"
sed 's/insts = 14/insts = 15/' "$sample/kernel-1.traceg" >bad.traceg
refused "37:1: an instruction line is 'warp', expected 1 more of warp 0"
ok "a warp with too few instructions is refused"
sed 's/insts = 14/insts = 13/' "$sample/kernel-1.traceg" >bad.traceg
refused "35:1: a line of the block is '00d0', expected"
ok "a warp with too many instructions is refused"
echo "1..$count"
