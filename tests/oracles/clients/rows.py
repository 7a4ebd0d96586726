"""Rows of a table of calls: each is tried, printed, and what differs is told by the name of its row."""

import traceback

_results: list[bool] = []


def row(name, call, *arguments):
    """Tries one row and answers what its call answers; nothing after a failure, which is printed."""
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
    """Refuses an answer that is another than what was wanted."""
    assert actual == wanted, f"{what}: wanted {wanted!r}, got {actual!r}"


def finish():
    """How it went, as an exit code."""
    failed = _results.count(False)
    print(f"{len(_results)} rows, {failed} failed")
    return 1 if failed or not _results else 0
