"""Executes cells of a page under the stand-in, for tools/gpu.py's ``run_page``: shortened, and each line looked at.

``child.py --child NOTEBOOK NUMBER…``, with the environment that ``under`` of test_gpu_branches.py gives. After a JSON
line for each cell comes one with the lines that were executed and what the stand-in only imitated.
"""

import functools
import json
import os
import sys
from collections import defaultdict
from pathlib import Path

import torch  # noqa: F401, which installs the stand-in

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [os.getcwd(), str(ROOT / "tools")]


def shorten():
    """A twentieth of a second for a comparison, three rounds for a time: they mean nothing here."""
    import d2l_helpers as d2l
    from d2l_helpers import hardware
    from d2l_helpers.hardware import gpu

    compare, times = d2l.compare, gpu.gpu_times

    @functools.wraps(compare)
    def soon(functions, baseline=None, **options):
        return compare(functions, baseline, **{**options, "budget": 0.05})

    @functools.wraps(times)
    def few(function, rounds=15, warm=3, loops=1):
        return times(function, min(rounds, 3), min(warm, 1), min(loops, 3))

    d2l.compare, hardware.gpu_times, gpu.gpu_times = soon, few, few


def main(path, numbers):
    import gpu
    import standin

    shorten()
    seen = defaultdict(set)

    def look(frame, event, _):
        name = frame.f_code.co_filename
        if not name.startswith("<cell "):
            return None
        if event == "line":
            seen[name[6:-1]].add(frame.f_lineno)
        return look

    def follow(_):
        sys.settrace(look)

    report = os.fdopen(int(os.environ["D2L_REPORT"]), "w")
    for number, seconds, error in gpu.execute(gpu.cells_of(path), set(numbers), follow=follow):
        print(json.dumps([number, seconds, error]), file=report, flush=True)
    print(json.dumps({"lines": {number: sorted(lines) for number, lines in seen.items()}, "used": dict(standin.USED),
                      "operators": dict(standin.COMPUTED)}), file=report, flush=True)  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[2], list(map(int, sys.argv[3:])))
