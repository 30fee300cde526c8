#!/bin/sh
# The CUDA programs of this folder on heddle, if nvcc is there to build them. Prints TAP.
# HEDDLE: the program; HEDDLE_SOURCE: the source tree; CUDA_TESTS: where the executables go;
# ARCHS: architectures to build for, by default the least that each program needs;
# CUDA_CHIP: the chip to run them on, empty: without timing; CUDA_RECORD: without timing, recorded for that chip; CUDA_REPEAT: chips on which programs with streams,
# events, graphs, clocks and races must give the same result three times (tests/repeat.sh).
set -u
# shellcheck source=tests/cuda/setup.sh
. "$HEDDLE_SOURCE/tests/cuda/setup.sh"
export ARCHS="${ARCHS:-least}"
if ! flock "$CUDA_TESTS" "$HEDDLE_SOURCE/tests/cuda/build" "$CUDA_TESTS" >"$CUDA_TESTS/build.log" 2>&1; then
	echo "1..1"
	echo "not ok 1 - nvcc builds the programs"
	tail -n 20 "$CUDA_TESTS/build.log" | sed 's/^/# /'
	exit 1
fi
preload_sanitizer
if [ -n "${CUDA_REPEAT:-}" ]; then
	for chip in $CUDA_REPEAT; do
		for program in overlap race streams_events graphs timers atomics histogram block_wait grid_sync; do
			echo "$chip -- $CUDA_TESTS/sm_75/$program"
		done
	done | "$HEDDLE_SOURCE/tests/repeat.sh"
	exit
fi
if [ -n "${CUDA_CHIP:-}" ]; then
	set -- --chip "$CUDA_CHIP"
elif [ -n "${CUDA_RECORD:-}" ]; then
	set -- --functional --chip "$CUDA_RECORD" --record "$CUDA_TESTS/recording"
	# those with bulk copies are refused: how often they look at an mbarrier depends on time
	LEAVE_OUT="overlap warpgroup_gemm hopper_gemm hopper_attention hopper_rows hopper_grouped hopper_convolution hopper_guide hopper_pingpong tensor_maps clusters"
	export LEAVE_OUT
else
	set -- --functional
	LEAVE_OUT=overlap # without timing, kernels run one after another
	export LEAVE_OUT
fi
exec "$HEDDLE_SOURCE/tests/cuda/run" "$CUDA_TESTS" "$HEDDLE" run -q "$@" --
