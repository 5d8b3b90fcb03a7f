"""Executes one notebook: execute.py NOTEBOOK TARGET. A failing cell stops it and stands in the TARGET.

A process of its own, so that Ctrl-C, a time limit, a namespace or a cgroup holds the page and all it starts.
"""
import os
import subprocess
import sys
import tempfile
from datetime import datetime
from pathlib import Path

import nbclient
import pages

CELL_SECONDS = 900  # as for nbval in pyproject.toml


def main(source, target):
    os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"  # the kernel of this environment, not one in the home folder
    notebook, problem = pages.read(source), ""
    client = nbclient.NotebookClient(
        notebook, timeout=CELL_SECONDS, kernel_name=os.environ.get("D2L_KERNEL", "python3"), store_widget_state=False,
        coalesce_streams=True,  # how a kernel cuts a text is chance
        extra_arguments=["--log-level=50"],  # no advice of ipykernel between our lines
        resources={"metadata": {"path": str(Path(source).parent)}})
    try:
        client.execute()
    except nbclient.exceptions.CellExecutionError:
        pass
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
    took = {cell.id: seconds(cell.metadata.pop("execution", {})) for cell in pages.code_cells(notebook)}
    pages.tidy(notebook).metadata.update(problem=problem, took=took)
    Path(target).write_text(pages.canonical(notebook), encoding="utf-8")


def seconds(times):
    """How long a cell took, by what nbclient notes of it."""
    begun, ended = (times.get(f"iopub.status.{state}") for state in ("busy", "idle"))
    return (datetime.fromisoformat(ended) - datetime.fromisoformat(begun)).total_seconds() if begun and ended else 0.0


def executed(path, before=(), env=None):
    """(notebook, problem): the page of a path after its execution, by a command that begins with `before`.

    Its metadata then has "took", the seconds of each cell by its id.
    """
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "executed.ipynb")
        command = [*before, sys.executable, __file__, str(path), str(target)]
        with subprocess.Popen(command, env=env, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE) as child:
            try:
                said = child.communicate()[1].strip()
            except BaseException:  # Ctrl-C: it ends its kernel, then itself
                child.terminate()
                child.wait()
                raise
        if not target.exists():
            return None, said or f"it ended with status {child.returncode}"
        notebook = pages.read(target)
        return notebook, notebook.metadata.pop("problem")


def error_of(notebook):
    """(number of the cell, its error output) of a page that stopped, or (0, None)."""
    return next(((number, output) for number, cell in enumerate(notebook.cells, 1)
                 for output in cell.get("outputs", []) if output.output_type == "error"), (0, None))


if __name__ == "__main__":
    main(*sys.argv[1:])
