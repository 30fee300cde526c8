#!/bin/sh
# Bundled programs whose blocks race for addresses, and one that is cut short, on the chips that people choose: see
# tests/repeat.sh. They need no CUDA compiler. Grids side by side are in tests/gpu/test_determinism.c.
for chip in fermi15 fermi15-ccn-rt kepler8 kepler32 volta8 volta80 turing ampere h200; do
	for program in contend reduce "matmul --max-cycles 3000"; do
		echo "$chip $program --size tiny"
	done
done | "$HEDDLE_SOURCE/tests/repeat.sh"
