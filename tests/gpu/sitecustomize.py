"""The stand-in in the processes that a page starts: with this folder on PYTHONPATH, ``import torch`` installs it.

The environment variable D2L_STANDIN has the number of GPUs.
"""

import importlib.abc
import importlib.machinery
import os
import sys


class AfterTorch(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None:
            return None
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            if "standin" not in sys.modules:  # else it is standin itself that imports torch
                import standin

                standin.install(int(os.environ["D2L_STANDIN"]))

        spec.loader.exec_module = exec_module
        return spec


if os.environ.get("D2L_STANDIN"):
    sys.meta_path.insert(0, AfterTorch())
