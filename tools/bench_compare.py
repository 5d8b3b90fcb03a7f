"""Is ``compare`` as good as it says? Its requirements, measured; ``make bench`` runs this.

    python tools/bench_compare.py [--trials 200] [--json FILE]

Quiet and with a busy process on every core: how often the same function, given twice, is
called different (at most 5 %); how often a true 1.3× effect is found (at least 95 %, quiet); and
how far the estimate of one ratio spreads over repeats, beside two other ways to estimate it
(single shots with ``timeit``, and ``torch.utils.benchmark``).
"""

from __future__ import annotations

import argparse
import json
import timeit
from datetime import date
from statistics import mean, stdev

import d2l_helpers as d2l

SHORT, LONG = 4000, 5200  # steps of a plain loop: 1.3 times the work


def spin(steps: int):
    """A function that takes ``steps`` equal steps and uses no memory and no library."""

    def run() -> None:
        for _ in range(steps):
            pass

    return run


def false_alarms(trials: int) -> float:
    """Share of A/A trials with a verdict other than "no detectable difference"."""
    same = spin(SHORT)
    verdicts = [d2l.compare({"a": same, "b": same}, verbose=False)["b"].verdict for _ in range(trials)]
    return sum(verdict != "no detectable difference" for verdict in verdicts) / trials


def found(trials: int) -> float:
    """Share of trials in which the 1.3× effect is called "faster"."""
    pair = {"long": spin(LONG), "short": spin(SHORT)}
    return sum(d2l.compare(pair, verbose=False)["short"].verdict == "faster" for _ in range(trials)) / trials


def with_compare() -> float:
    return d2l.compare({"long": spin(LONG), "short": spin(SHORT)}, verbose=False)["short"].ratio


def with_timeit() -> float:
    """One shot of 1000 calls each, as in most notebooks."""
    return timeit.timeit(spin(LONG), number=1000) / timeit.timeit(spin(SHORT), number=1000)


def with_torch() -> float:
    from torch.utils.benchmark import Timer

    times = [Timer("f()", globals={"f": spin(steps)}).blocked_autorange().median for steps in (LONG, SHORT)]
    return times[0] / times[1]


METHODS = {"compare": with_compare, "timeit, single shot": with_timeit, "torch.utils.benchmark": with_torch}


def spread(method, repeats: int) -> float:
    """Coefficient of variation of the ratio that ``method`` estimates."""
    ratios = [method() for _ in range(repeats)]
    return stdev(ratios) / mean(ratios)


# What is asked of each figure; the others are shown for comparison.
GOALS = {
    "quiet: A/A false alarms": {"at_most": 0.05},
    "noisy: A/A false alarms": {"at_most": 0.05},
    "quiet: 1.3× effect found": {"at_least": 0.95},
    "noisy: spread of compare": {"at_most": 0.03},
}


def measure(trials: int, repeats: int) -> dict[str, float]:
    def state(when: str) -> dict[str, float]:
        print(f"{when}: {trials} trials of each kind, {repeats} estimates with each method …", flush=True)
        values = {"A/A false alarms": false_alarms(trials), "1.3× effect found": found(trials)}
        values |= {f"spread of {name}": spread(method, repeats) for name, method in METHODS.items()}
        return {f"{when}: {name}": value for name, value in values.items()}

    figures = state("quiet")
    with d2l.noisy_neighbour():
        return figures | state("noisy")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=200, help="trials of each kind in each state (default 200)")
    parser.add_argument("--repeats", type=int, default=30, help="estimates of one ratio for a spread (default 30)")
    parser.add_argument("--json", help="write the figures to this file too")
    options = parser.parse_args()
    if options.trials < 1 or options.repeats < 2:
        parser.error("--trials must be at least 1 and --repeats at least 2")
    figures = measure(options.trials, options.repeats)
    for name, value in figures.items():
        if name in GOALS:
            d2l.goal(f"compare, {name}", value, **GOALS[name])
        else:
            print(f"{name}: {value:.3g}")
    if options.json:
        record = {"date": date.today().isoformat(), "machine": d2l.machine(), "trials": options.trials}
        record |= {"repeats": options.repeats, "figures": {k: round(v, 4) for k, v in figures.items()}}
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(record, file, indent=1, ensure_ascii=False)
            file.write("\n")


if __name__ == "__main__":
    main()
