"""Functions named test_*, in order, as TAP; a test that returns a text is skipped for that reason."""
import os
import sys
import traceback

sys.path.insert(0, os.path.join(os.environ["HEDDLE_SOURCE"], "python"))
os.environ["HEDDLE_PROGRAM"] = os.environ["HEDDLE"]


def main(module):
    """Runs the tests of a module and ends the process."""
    tests = [(n, f) for n, f in vars(module).items() if n.startswith("test_")]
    failed = 0
    print(f"1..{len(tests)}", flush=True)
    for i, (name, test) in enumerate(tests, 1):
        claim = name[5:].replace("_", " ")
        try:
            why = test()
            print(f"ok {i} - {claim}" + (f" # SKIP {why}" if why else ""), flush=True)
        except Exception:
            failed += 1
            print(f"not ok {i} - {claim}", flush=True)
            print("\n".join("# " + line for line in traceback.format_exc().splitlines()), flush=True)
    sys.exit(1 if failed else 0)


def raises(kind, call, *parts):
    """The exception of a call, which must be of a kind and have these parts in its sentence."""
    try:
        call()
    except kind as error:
        for part in parts:
            assert part in str(error), f"{part!r} is not in {error}"
        return error
    raise AssertionError(f"{kind.__name__} was not raised")
