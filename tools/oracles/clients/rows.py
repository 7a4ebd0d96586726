"""Rows of a table of calls: each is run and printed, and a difference is reported under the name of its row."""

import traceback

_results: list[bool] = []


def row(name, call, *arguments):
    """Runs one row and returns the result of its call, or None after a failure, which is printed."""
    try:
        answer = call(*arguments)
    except Exception as failure:
        _results.append(False)
        print(f"FAILED  {name}: {type(failure).__name__}: {failure}", flush=True)
        traceback.print_exc(limit=-6)
        return None
    _results.append(True)
    print(f"ok      {name}", flush=True)
    return answer


def expect(actual, wanted, what):
    """Fails unless the answer equals the expected one."""
    assert actual == wanted, f"{what}: wanted {wanted!r}, got {actual!r}"


def finish():
    """Prints the number of failures and returns the exit code."""
    failed = _results.count(False)
    print(f"{len(_results)} rows, {failed} failed")
    return 1 if failed or not _results else 0
