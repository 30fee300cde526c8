#!/bin/sh
# Every bundled GPU program at size tiny on heddle, and what they say when something is wrong.
# Prints TAP. HEDDLE: the program; HEDDLE_SOURCE: the source tree.
# shellcheck source=tests/cli/tap.sh
. "$HEDDLE_SOURCE/tests/cli/tap.sh"

# run CODE NAME ARGS...: a workload at size tiny; its own arguments behind --
run() {
	want=$1
	shift
	"$HEDDLE" run --functional --size tiny "$@" >out 2>err
	got=$?
	[ $got -eq "$want" ] || echo "exit code $got, expected $want" >>err
	[ $got -eq "$want" ]
}

# verified NAME: the last line of the output
verified() {
	tail -n 1 out | grep -qx "$1: verified [1-9][0-9]* elements"
}

# verified_in NAME: a line of the output
verified_in() {
	grep -qx "$1: verified [1-9][0-9]* elements" out
}

for source in "$HEDDLE_SOURCE"/workloads/gpu/*/*.cu; do
	name=$(basename "$source" .cu)
	run 0 "$name" && verified "$name"
	ok "$name verifies"
	run 0 "$name" --seed 77 && verified "$name"
	ok "$name verifies with another seed"
	head -n 1 "$source" >out
	head -n 1 "${source%.cu}.ptx" >err
	cmp -s out err && grep -q '^// [^ ].\{10,100\}$' out
	ok "the first line of $name.cu says what it computes, and is in its PTX"
done
run 0 bfs -- --graph rmat && verified bfs
ok "bfs verifies on an R-MAT graph"
run 0 syrk -- --rows 40 && tail -n 1 out | grep -qx 'syrk: verified 1600 elements'
ok "a measure of the input comes before what --size says"
run 2 syrk -- --rows 0 && grep -qx "syrk: --rows is '0', expected 1 to 2048" err &&
	run 2 syrk -- --rows 2049 && run 2 syrk -- --rows ten && grep -q 'expected a whole number' err
ok "a measure outside its range is refused"
for name in atax bicg gesummv mvt syr2k syrk; do
	run 0 "$name" -- --pitch 128 && verified "$name"
	ok "$name verifies with rows that lie apart"
done
run 2 atax -- --columns 96 --pitch 95 && grep -qx "atax: --pitch is 95, expected at least a row's 96 elements" err
ok "rows that would overlap are refused"
for name in atax bicg gesummv mvt; do
	run 0 "$name" -- --sums memory && verified "$name" && run 0 "$name" -- --pitch 128 --sums memory && verified "$name"
	ok "$name verifies with sums in memory, rows apart or not"
done
run 0 kmeans -- --reads texture && verified kmeans
ok "kmeans verifies through the texture cache"
for list in shared topology; do
	run 0 sssp -- --worklist $list && verified sssp
	ok "sssp verifies with worklist $list"
done
run 0 mst -- --worklist shared && verified mst && run 0 mst -- --graph mesh && verified mst
ok "mst verifies with one list for all blocks, and on a mesh"
run 0 hydro -- --mesh unstructured && verified hydro
ok "hydro verifies on a mesh that is numbered at random"
run 0 md -- --atoms warp && verified md
ok "md verifies with a warp per atom"
run 0 convtex -- --reads global && verified convtex
ok "convtex verifies with plain loads"
run 2 hpgmg -- --side 12 && grep -qx "hpgmg: --side is 12, expected a power of two" err
ok "hpgmg refuses cells that cannot be halved"
for line in "backprop --inputs 48" "cfd --width 3 --height 1" "cutcp --width 1" "hotspot --width 33 --launches 1" "lbm --width 5" \
	"lud --side 48" "matmul --depth 16" "mri-q --side 7" "nn --records 10" "nw --length 48" "pathfinder --columns 77 --rows 5" \
	"sad --width 16" "sc --points 37" "sradv1 --width 33" "sradv2 --width 64" "stencil --width 65 --depth 3" "lookup --nuclides 1" \
	"pta --copies 1" "amg --side 1" "mst --graph mesh --nodes 1"; do
	# shellcheck disable=SC2086 # a list of words
	run 0 "${line%% *}" -- ${line#* } && verified "${line%% *}"
	ok "$line verifies"
done
# blocks that do not fit on the chip: those that run serve their lists
run 0 bfs_wl -- --blocks 200 && verified bfs_wl &&
	"$HEDDLE" run bfs_wl --size tiny --chip kepler8 -s sm.blocks=1 -o out.json -- --blocks 40 >out 2>err && verified_in bfs_wl
ok "a worklist per block ends also when most blocks wait for room"
run 2 sgemm -- --rows 65 && grep -qx 'sgemm: --rows is 65, expected a multiple of 64' err
ok "sgemm refuses rows that no block has"
run 2 bfs_wl -- --nodes 10 --edges 40 && grep -qx "graph: 40 edges between 10 nodes, expected at most a quarter of all" err
ok "more edges than a simple graph has are refused"
run 2 mvt -- --rows 64 --columns 65 && grep -qx "mvt: --columns is 65, expected at most the 64 rows" err
ok "mvt refuses columns that no thread would have"
run 0 vecadd -- --time && grep -q '^vecadd: [0-9.]* ms in 3 launches on ' out && verified vecadd
ok "--time prints the kernels' time before the last line"

# broken NAME SED: a copy of its PTX with an instruction exchanged
broken() {
	sed "$2" "$HEDDLE_SOURCE/workloads/gpu/$1/$1.ptx" >broken.ptx
	! cmp -s "$HEDDLE_SOURCE/workloads/gpu/$1/$1.ptx" broken.ptx
}
broken vecadd 's/add\.rn\.f32/sub.rn.f32/' && run 1 vecadd -- --ptx broken.ptx &&
	tail -n 1 out | grep -qx 'vecadd: WRONG element add\[0\]: got [-0-9.e]*, expected [-0-9.e]*'
ok "a sum made a difference is reported as WRONG with exit code 1"
broken matmul '/fma/s/\(%f[0-9]*\), \(%f[0-9]*\);/\1, \1;/' && run 1 matmul -- --ptx broken.ptx &&
	tail -n 1 out | grep -q '^matmul: WRONG element c\[[0-9]*\]: got '
ok "a wrong operand of fma is reported as WRONG"
broken reduce 's/atom\.global\.max\.u32/atom.global.min.u32/' && run 1 reduce -- --ptx broken.ptx &&
	tail -n 1 out | grep -qx 'reduce: WRONG element totals\[2\]: got 0, expected [0-9]*'
ok "a maximum made a minimum is reported as WRONG, at the element it spoils"
broken stencil2d 's/mul\.rn\.f32/mul.rz.f32/' && run 1 stencil2d -- --ptx broken.ptx &&
	tail -n 1 out | grep -q '^stencil2d: WRONG element grid\[[0-9]*\]: got '
ok "a rounding made another is reported as WRONG"
run 2 vecadd -- much && grep -qx "vecadd: unknown argument 'much', see --help" err
ok "an argument too many is refused"
broken bfs 's/bfs_advance/bfs_retreat/' && run 2 bfs -- --ptx broken.ptx && grep -q 'broken.ptx has no kernel bfs_advance' err
ok "PTX without a kernel is refused by name"
broken bfs 's/setp/stp/' && run 2 bfs -- --ptx broken.ptx && grep -q 'broken.ptx' err && [ ! -s out ]
ok "PTX that cannot be read is refused"
run 2 bfs -- --ptx nowhere.ptx && grep -q '^bfs: nowhere.ptx cannot be read: No such file' err
ok "PTX that is not there is refused"
echo "1..$count"
