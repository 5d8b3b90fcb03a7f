"""The small module that every notebook of the course imports.

``import d2l_helpers as d2l`` is quick: a name is loaded from its file when it is first used,
and neither torch nor MXNet is imported before something needs it.
"""

from importlib import import_module

__version__ = "0.1.0"

# Where each public name lives.
_HOME = {
    "Timer": "timing",
    "Benchmark": "timing",
    "compare": "comparison",
    "Comparison": "results",
    "Measurement": "results",
    "overlap": "overlapping",
    "noisy_neighbour": "neighbours",
    "cpu": "devices",
    "gpu": "devices",
    "num_gpus": "devices",
    "try_gpu": "devices",
    "try_all_gpus": "devices",
    "synchronize": "devices",
    "machine": "host",
    "watch_memory": "memory",
    "Timeline": "timeline",
    "read_trace": "timeline",
    "plot_timeline": "timeline",
    "run_ranks": "ranks",
    "report": "ranks",
    "RanksFailed": "ranks",
    "Cluster": "cluster",
    "split_batch": "training",
    "resnet18": "training",
    "evaluate_accuracy_gpus": "training",
    "goal": "records",
    "recorded": "records",
    "facts": "tables",
    "show_table": "tables",
    "draw_graph": "plots",
    "plot_lines": "plots",
}

__all__ = sorted(_HOME)


def __getattr__(name: str):
    if name not in _HOME:
        raise AttributeError(f"d2l_helpers has no name {name!r}; it has {', '.join(__all__)}")
    value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_HOME})
