#!/bin/sh
# Programs on a fabric and sparse matrices, on the command line. Prints TAP.
# HEDDLE: the program; HEDDLE_SOURCE: the source tree.
# shellcheck source=tests/cli/tap.sh
. "$HEDDLE_SOURCE/tests/cli/tap.sh"

run 0 run spgemm --matrix uniform:n=100,nnz=500 -o skip.json --timeline t.json && grep -q "spgemm on fabric16: result verified" out &&
	grep -q '"multiply (shared)"' t.json && grep -q '"merge (private)"' t.json && grep -q '"program.partial_products"' skip.json
ok "a sparse product runs on the fabric, its result has its counts, its timeline the modes"
run 0 run spgemm --matrix uniform:n=100,nnz=500 --no-skip -q -o every.json &&
	python3 -c 'import json, sys; a, b = (json.load(open(f)) for f in sys.argv[1:]); del a["host"], b["host"]; sys.exit(a != b)' skip.json every.json
ok "cycles that are skipped change nothing in the result"
run 0 matrix grid:width=5,height=4,keep=1 --write g.mtx && grep -q "20 x 20, 62 elements" out &&
	gzip -k g.mtx && run 0 run spgemm --matrix g.mtx.gz -q
ok "a matrix that was made, written and packed is an input"
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 1\n4 1 2.0\n' >bad.mtx
run 2 run spgemm --matrix bad.mtx && grep -q "bad.mtx:3:1: the row is 4, expected 1 to 3" err
ok "an index out of range is refused with line and column"
printf '%%%%MatrixMarket matrix coordinate pattern general\n3 3 1\n2 1\n' >pattern.mtx
run 2 matrix pattern.mtx && grep -q "a pattern without values" err && run 0 matrix pattern.mtx --pattern 1 -q -w real.mtx && run 0 matrix real.mtx -q
ok "a pattern is refused, and can be given values"
run 2 run spgemm --matrix bad.mtx --chip fermi15 && grep -q "program" err
ok "a matrix means nothing to a GPU"
run 2 run spgemm --chip volta80 && grep -q "spgemm runs on chips of model fabric, but chip volta80 is of model gpu" err &&
	run 2 run gemv --chip cpu8 && grep -q "gemv runs on chips of model fabric, but chip cpu8 is of model cpu" err
ok "a program of a fabric is refused on other chips"
gzip -c g.mtx | head -c 60 >cut.mtx.gz
run 2 run spgemm --matrix cut.mtx.gz && grep -q "cut.mtx.gz:[0-9]*:[0-9]*: the compressed file is cut off" err
ok "so is a compressed file without its end"
run 2 run spgemmm --chip fabric16 && grep -q "nearest: spgemm" err
ok "an unknown program is refused with the nearest one"
run 2 run spgemm --set rl1.banks=4 && grep -q "none may be without memory" err
ok "a mode that leaves elements without memory is refused"

echo "1..$count"
