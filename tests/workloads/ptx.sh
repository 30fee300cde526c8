#!/bin/sh
# The committed PTX of every workload and library is what clang-14 makes of its kernels. Prints TAP.
# HEDDLE_SOURCE: the source tree.
set -u
cd "$HEDDLE_SOURCE" || exit 1
count=0
for source in workloads/gpu/*/*.cu src/cuda/libraries/*.cu; do
	name=$(basename "$source" .cu)
	why=$(tools/ptx --check "$name" 2>&1)
	status=$?
	if [ $status -eq 77 ]; then
		echo "1..0 # SKIP clang-14 is not installed: the committed PTX was not compared with its source"
		exit 0
	fi
	count=$((count + 1))
	if [ $status -eq 0 ]; then
		echo "ok $count - $name.ptx is what $name.cu gives"
	else
		echo "not ok $count - $name.ptx is what $name.cu gives"
		printf '%s\n' "$why" | sed 's/^/# /'
	fi
done
echo "1..$count"
