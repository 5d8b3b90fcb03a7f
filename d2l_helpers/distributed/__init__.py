"""Several processes, machines made of network namespaces, and what an all-reduce costs on them."""

from ..child import report
from . import costs
from .cluster import Cluster
from .devices import join, ranks_here
from .ranks import RanksFailed, Run, run_ranks

__all__ = ["Cluster", "RanksFailed", "Run", "costs", "join", "ranks_here", "report", "run_ranks"]
