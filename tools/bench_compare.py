"""Is ``compare`` as good as it says? Its requirements, measured; ``make bench`` runs this. As a
script it prints the figures with their provenance, in the form of records/compare.json.

Quiet and with a busy process on every core: how often the same function, given twice, is called different; how
often a true 1.3× effect is found; and how far the estimate of one ratio spreads over repeats, beside two other
ways to estimate it (single shots with ``timeit``, and ``torch.utils.benchmark``).
"""

from __future__ import annotations

import json
import timeit
from statistics import mean, stdev

import d2l_helpers as d2l

SHORT, LONG = 4000, 5200  # steps of a plain loop: 1.3 times the work
GOALS = {  # the other figures are shown for comparison
    "quiet: A/A false alarms": {"at_most": 0.05},
    "noisy: A/A false alarms": {"at_most": 0.05},
    "quiet: 1.3× effect found": {"at_least": 0.95},
    "noisy: spread of compare": {"at_most": 0.03},
}


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


def measure(when: str, trials: int, repeats: int) -> dict[str, float]:
    print(f"{when}: {trials} trials of each kind, {repeats} estimates with each method …", flush=True)
    values = {"A/A false alarms": false_alarms(trials), "1.3× effect found": found(trials)}
    values |= {f"spread of {name}": spread(method, repeats) for name, method in METHODS.items()}
    return {f"{when}: {name}": value for name, value in values.items()}


def main(trials: int = 200, repeats: int = 30) -> dict[str, float]:
    """All figures, printed; where a goal is set for one, its verdict too."""
    figures = measure("quiet", trials, repeats)
    with d2l.noisy_neighbour():
        figures |= measure("noisy", trials, repeats)
    for name, value in figures.items():
        if name in GOALS:
            d2l.goal(f"compare, {name}", value, **GOALS[name])
        else:
            print(f"{name}: {value:.3g}")
    return {name: round(value, 4) for name, value in figures.items()}


if __name__ == "__main__":
    print(json.dumps({**d2l.machine(), "figures": main()}, indent=1, ensure_ascii=False))
