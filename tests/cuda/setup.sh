# shellcheck shell=sh
# For the scripts of this folder that print TAP; sourced. Without nvcc they end here.
# HEDDLE: the program; CUDA_TESTS: where the executables go.
NVCC=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
export NVCC
if ! command -v "$NVCC" >/dev/null 2>&1; then
	echo "1..0 # SKIP nvcc is not installed: CUDA programs were not built"
	exit 0
fi
mkdir -p "$CUDA_TESTS"

# Programs without a sanitizer that load libraries with one need its runtime first; what they leak
# themselves is not ours to judge. nvcc itself must not have it.
preload_sanitizer() {
	asan=$(ldd "$HEDDLE" | awk '/libasan/ { print $3 }')
	if [ -n "$asan" ]; then
		LD_PRELOAD=$asan ASAN_OPTIONS=detect_leaks=0
		export LD_PRELOAD ASAN_OPTIONS
	fi
}
