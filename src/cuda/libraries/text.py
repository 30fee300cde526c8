#!/usr/bin/env python3
"""text.py OUT.c NAME FILE: the file as a C string `const char NAME[]`."""
import sys

out, name, path = sys.argv[1:]
with open(path, "rb") as f:
    data = f.read() + b"\0"
with open(out, "w") as c:
    c.write(f"extern const char {name}[];\nconst char {name}[] = {{\n")
    for i in range(0, len(data), 24):
        c.write("".join(f"{b}," for b in data[i:i + 24]) + "\n")
    c.write("};\n")
