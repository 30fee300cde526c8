#!/bin/sh
# What someone does first with the installed package, on a machine that has nothing else of heddle: each line of the
# manual's page on Python and packages once. Ends with "smoke: fine". Needs python3; NumPy and pandas are used where there.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export HOME="$work"

heddle version
heddle run matmul --size tiny -q -o m.json
heddle run bfs --chip volta80 --size tiny | grep -q "bound by"
heddle list chips --names | grep -qx volta8
heddle study list | grep -q bandwidth
heddle report m.json -o m.html && test -s m.html
test -s /usr/share/man/man1/heddle.1.gz
test -s /usr/share/bash-completion/completions/heddle.bash
test -s /usr/share/doc/heddle/copyright
test -x /usr/lib/heddle/ptxas
for library in libcuda.so.1 libcudart.so.11.0 libcudart.so.12 libcudart.so.13 libcublas.so.12 libnvrtc.so.12; do
	test -e /usr/lib/heddle/$library
done

cat >scale.ptx <<'END'
.version 7.0
.target sm_70
.address_size 64
.visible .entry twice(.param .u64 x)
{
  .reg .u64 %d<3>; .reg .u32 %r; .reg .f32 %f;
  ld.param.u64 %d1, [x]; mov.u32 %r, %tid.x; mul.wide.u32 %d2, %r, 4; add.u64 %d1, %d1, %d2;
  ld.global.f32 %f, [%d1]; add.f32 %f, %f, %f; st.global.f32 [%d1], %f; ret;
}
END
python3 - <<'END'
import array
import heddle

result = heddle.run("matmul", "volta8", size="tiny", set={"sm.l1.mshrs": 64}, policy={"warp.scheduler": "gto"})
assert result.cycles > 0 and result["sm.l1.*"] and result.kernels[0]["cycles"] == result.cycles
assert result.report("page.html").stat().st_size > 10000
chip = heddle.Chip("volta8", {"sm.l1.mshrs": 16}, name="few")
table = heddle.Sweep("s", ["volta8", chip], "vecadd", size="tiny", db="r.db").run("sm.ipc")
assert table["status"] == ["done", "done"]
with heddle.Device("volta8") as device:
    x = array.array("f", [1.0] * 32)
    launch = device.load("scale.ptx")["twice"](x, grid=1, block=32)
assert x.tolist() == [2.0] * 32 and launch.cycles > 0
try:
    heddle.run("matmull")
except heddle.UnknownName as error:
    assert error.nearest == "matmul"
try:
    print(table.dataframe().to_string())
except heddle.HeddleError as error:
    print(error)
END
echo "smoke: fine"
