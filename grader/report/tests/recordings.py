"""recordings: traces for tests, written as lockstep writes them."""

import json
from collections.abc import Sequence

import report  # noqa: F401  it makes common.pictures known

from common.pictures.trace import Trace, parse

HEAD = {"version": 3, "launch": 1, "kernel": "k", "grid": [1, 1, 1], "block": [64, 1, 1]}


def event(op: str, lanes: list[int], **more: object) -> str:
    entry = {"launch": 1, "block": [0, 0, 0], "warp": 0, "step": 0, "file": "k.cu", "line": 1, "op": op, "lanes": lanes}
    return json.dumps(entry | more)


def access(op: str, array: str, index: Sequence[int], value: Sequence[float], **more: object) -> str:
    """One access of 4 bytes a lane, by the lanes 0, 1, …. Arrays whose names begin with s_ are shared."""
    lanes = list(range(len(index)))
    address = [4 * i for i in index]
    entry = {
        "space": "global",
        "bytes": 4,
        "count": 1,
        "array": array,
        "index": index,
        "address": address,
        "value": value,
    }
    if array.startswith("s_"):
        entry |= {"space": "shared", "bank": [i % 32 for i in index]}
    elif op != "atomic":
        entry["sectors"] = len({a // 32 for a in address})
    return event(op, lanes, **(entry | more))


def trace(*lines: str, **head: object) -> Trace:
    return parse([json.dumps(HEAD | head), *lines])
