#!/usr/bin/env python3
"""report/embed.py OUT.c FILE...: the files as the table of src/report/assets.h, packed with zlib."""
import os
import sys
import zlib


def rows(data):
    for i in range(0, len(data), 24):
        yield "".join(f"{b}," for b in data[i:i + 24])


def main():
    out, files = sys.argv[1], sys.argv[2:]
    table = []
    with open(out, "w") as c:
        c.write('#include "report/assets.h"\n\n')
        for n, path in enumerate(files):
            with open(path, "rb") as f:
                plain = f.read()
            packed = zlib.compress(plain, 9)
            c.write(f"static const u8 file{n}[] = {{\n")
            c.writelines(row + "\n" for row in rows(packed))
            c.write("};\n\n")
            table.append(f'    {{"{os.path.basename(path)}", file{n}, sizeof file{n}, {len(plain)}}},\n')
        c.write("const struct asset report_assets[] = {\n")
        c.writelines(table)
        c.write("    {0},\n};\n")


main()
