"""The small module that every notebook of the course imports: ``import d2l_helpers as d2l``.

This is the core; two wings stand beside it, ``d2l_helpers.hardware`` and ``d2l_helpers.distributed``, and
``d2l_helpers.mxnet``. Importing any of them but the last brings neither torch nor NumPy: what a function needs is
imported when it is called.
"""

from .child import Run, ScriptFailed, report, run_script
from .compare import compare
from .d2l_names import evaluate_accuracy_gpus, resnet18, split_batch
from .devices import cpu, gpu, num_gpus, set_threads, synchronize, try_all_gpus, try_gpu
from .goals import goal, goal_explained
from .lanes import lane
from .machine import caches, cores, machine, machine_line, memory_size
from .measurement import Comparison, Measurement, in_words, interval, si
from .memory import watch_memory
from .neighbour import noisy_neighbour
from .overlap import Overlap, overlap
from .packages import need_mxnet
from .plots import COLOURS, MARKERS, ROLES, draw_graph, new_figure, plot_lines
from .predict import Prediction, predict
from .records import recorded
from .timeline import Span, Timeline, plot_timeline, read_trace
from .timing import Benchmark, Timer

__version__ = "0.2.0"
__all__ = [
    "Benchmark", "COLOURS", "Comparison", "MARKERS", "Measurement", "Overlap", "Prediction", "ROLES", "Run",
    "ScriptFailed", "Span", "Timeline", "Timer", "caches", "compare", "cores", "cpu", "draw_graph",
    "evaluate_accuracy_gpus", "goal", "goal_explained", "gpu", "in_words", "interval", "lane", "machine",
    "machine_line", "memory_size", "need_mxnet", "new_figure", "noisy_neighbour", "num_gpus", "overlap",
    "plot_lines", "plot_timeline", "predict", "read_trace", "recorded", "report", "resnet18", "run_script",
    "set_threads", "si", "split_batch", "synchronize", "try_all_gpus", "try_gpu", "watch_memory",
]  # fmt: skip
