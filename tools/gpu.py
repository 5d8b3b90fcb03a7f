"""`make gpu`: run the GPU sections of all lessons on a machine that has a GPU, and keep what they measured.

    gpu.py [NAME…] [--into records] [--minutes 15]   → records/gpu-NAME.json

It needs Python 3.11 or newer and PyTorch with CUDA, NumPy, pandas, matplotlib, psutil and scikit-learn, and neither a
network nor Jupyter: it reads the notebooks as JSON and executes the cells of a page in a child process, those that need
a GPU and those that these need, found by their names. What fails is said, and the next page follows.

A cell belongs to a GPU section if it has the tag `gpu` or speaks of CUDA itself; with two or more GPUs also if it
starts a script that does.
"""
import argparse
import ast
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
import types
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIMIT = 15       # minutes for all pages
PAGE_LIMIT = 240  # seconds for one
SPEAKS = re.compile(r"\b(?:cuda|num_gpus|try_gpu|try_all_gpus"
                    r"|gpu_(?:cards?|predict|measured|times|probes))\b")
RUNS = re.compile(r"\b(?:run_ranks|run_script|ranks_here|two_gpus)\b")
FILE = re.compile(r"[\"']([\w-]+\.(?:pt|json|npz|npy|txt|csv|bin))[\"']")  # what one cell writes and another reads
SETTERS = re.compile(r"^(?:set_|manual_seed|seed$|use_|filterwarnings|simplefilter)")


# --- which cells: those of the GPU sections, and what they need

@dataclass
class Cell:
    number: int  # from 1, as in the rules
    source: str
    tags: set = field(default_factory=set)

    @property
    def script(self):
        """The file that a `%%writefile` cell writes, or an empty text."""
        found = re.match(r"%%writefile\s+(?:-a\s+)?(\S+)\n", self.source)
        return found[1] if found else ""

    @cached_property
    def code(self):
        """Python alone: a script is no code of the page, and a line with % or ! is left out."""
        if self.script:
            return ""
        return re.sub(r"(?m)^[ \t]*[%!].*$", "", self.source)

    @cached_property
    def tree(self):
        return ast.parse(self.code)

    @cached_property
    def flow(self):
        """Names: read before they are written here, read by functions later, written, certainly written."""
        flow = Flow()
        flow.statements(self.tree.body)
        return flow

    @cached_property
    def imported(self):
        return {(alias.asname or alias.name).split(".")[0] for node in imports_of(self.tree) for alias in node.names}

    def changed(self, modules):
        """Names whose objects it changes by a statement: an item, an attribute, a call for its effect."""
        found = set()
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
                found.add(base(node))
            elif isinstance(node, ast.AugAssign):
                found.add(base(node.target))
            elif isinstance(node, ast.Expr):
                calls = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
                for call in [call for call in calls if isinstance(call, ast.Call)]:
                    called = call.func.attr if isinstance(call.func, ast.Attribute) else ""
                    place = base(call.func) if called else None  # a function is not changed by a call of it
                    if place in modules and not SETTERS.match(called):
                        place = None
                    found |= {place, *(base(a) for a in call.args if isinstance(a, ast.Name | ast.Attribute))
                              } if base(call.func) != "print" else set()
        return found - {None} - {name for name in found if name in modules and not self.sets(modules, name)}

    def sets(self, modules, name):
        """Whether it changes a setting of this module: `torch.set_num_threads(1)`, `torch.backends.x.y = z`."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and base(node.func) == name:
                if SETTERS.match(node.func.attr):
                    return True
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and base(node) == name:
                return True
        return False


class Flow:
    """Which names the code of a cell reads and writes, statement by statement."""

    def __init__(self):
        self.now, self.later, self.written, self.certain = set(), set(), set(), set()

    def read(self, node, known=frozenset()):
        """The names that an expression reads, unless the cell, or the expression itself, has given them a value."""
        inner = {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
        inner |= {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)}
        loads = {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}
        self.now |= loads - inner - self.certain - known
        walrus = {part.target.id for part in ast.walk(node) if isinstance(part, ast.NamedExpr)}
        self.written |= walrus
        self.certain |= walrus

    def write(self, target):
        for part in ast.walk(target):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                self.written.add(part.id)
                self.certain.add(part.id)
            elif isinstance(part, ast.Name):  # of an item or an attribute
                self.read(part)

    def statements(self, body):
        for statement in body:
            self.statement(statement)

    def perhaps(self, *bodies):
        """Branches: what each of them writes is certain."""
        before, ends = set(self.certain), []
        for body in bodies:
            self.certain = set(before)
            self.statements(body)
            ends.append(self.certain)
        self.certain = set.intersection(*ends)

    def statement(self, node):
        match node:
            case ast.FunctionDef() | ast.ClassDef() | ast.AsyncFunctionDef():
                for part in [*node.decorator_list, *getattr(node, "bases", ())]:
                    self.read(part)
                inner = Flow()
                for part in node.body if isinstance(node, ast.ClassDef) else [node]:
                    inner.read(part)
                self.later |= inner.now
                self.written.add(node.name)
                self.certain.add(node.name)
            case ast.Import() | ast.ImportFrom():
                names = {(alias.asname or alias.name).split(".")[0] for alias in node.names}
                self.written |= names
                self.certain |= names
            case ast.For():
                self.read(node.iter)
                self.write(node.target)
                self.statements(node.body + node.orelse)
            case ast.While():
                self.read(node.test)
                self.statements(node.body + node.orelse)
            case ast.If():
                self.read(node.test)
                self.perhaps(node.body, node.orelse)
            case ast.With():
                for item in node.items:
                    self.read(item.context_expr)
                    if item.optional_vars:
                        self.write(item.optional_vars)
                self.statements(node.body)
            case ast.Try():
                names = {handler.name for handler in node.handlers if handler.name}
                self.certain |= names
                self.perhaps(node.body + node.orelse, *(handler.body for handler in node.handlers))
                self.statements(node.finalbody)
            case ast.Assign() | ast.AnnAssign():
                if node.value:
                    self.read(node.value)
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    self.write(target)
            case ast.AugAssign():
                self.read(node.value)
                self.read(ast.Name(base(node.target) or "_", ast.Load()))
                self.write(node.target)
            case _:
                self.read(node)


def imports_of(tree):
    return [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]


def base(node):
    """The name at the root of `a.b[c].d`, or None."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Starred):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def cells_of(path):
    """The code cells of a notebook; both ways in which JSON holds their source."""
    notebook, found = json.loads(Path(path).read_text(encoding="utf-8")), []
    for number, cell in enumerate(notebook["cells"], 1):
        if cell["cell_type"] == "code":
            source = cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
            found.append(Cell(number, source, set(cell.get("metadata", {}).get("tags", []))))
    return found


def speaks(cell):
    return "goals" not in cell.tags and bool("gpu" in cell.tags or SPEAKS.search(re.sub(r"#.*", "", cell.code)))


def asks(cell):
    """Whether it does no more than ask how many GPUs there are: with one, that is no GPU section."""
    return "gpu" not in cell.tags and set(SPEAKS.findall(re.sub(r"#.*", "", cell.code))) == {"num_gpus"}


def imports(source, stems):
    """Which of these scripts a text names: as a file, or by an import."""
    return {stem for stem in stems
            if re.search(rf"\b{stem}\.py\b|\bfrom {stem} import\b|(?m:^\s*import .*\b{stem}\b)", source)}


def scripts_on_gpus(cells):
    """The scripts that speak of CUDA, themselves or through what they import: `join()` of the helpers does too."""
    sources = {cell.script.removesuffix(".py"): cell.source for cell in cells if cell.script.endswith(".py")}
    found = {stem for stem, source in sources.items() if SPEAKS.search(source) or re.search(r"\bjoin\(", source)}
    while more := {stem for stem, source in sources.items() if stem not in found and imports(source, found)}:
        found |= more
    return found


def wanted(cells, gpus=1):
    """Numbers of the cells that belong to GPU sections on a machine with so many GPUs.

    A script that a cell starts with ``env=on_cpu`` sees no GPU anywhere.
    """
    found = {cell.number for cell in cells if speaks(cell)}
    if gpus > 1 and (scripts := scripts_on_gpus(cells)):
        runs = [cell for cell in cells
                if RUNS.search(cell.code) and "goals" not in cell.tags and "env=on_cpu" not in cell.code]
        found |= {cell.number for cell in runs if imports(cell.source, scripts) or not re.search(r"run_", cell.code)}
    return found


def sections(cells, gpus):
    """Those of ``wanted`` to run on a machine with so many GPUs: with one, none that would only count it."""
    found = wanted(cells, gpus)
    return found - {cell.number for cell in cells if asks(cell)} if gpus == 1 else found


def needed(cells, start):
    """The cells of ``start`` and all that they need, in order: a backward slice by names, scripts and files.

    Of a cell that is needed for what it imports, and for nothing else, only the imports: its number is negative.
    """
    scripts = {cell.script.removesuffix(".py"): cell for cell in cells if cell.script.endswith(".py")}
    modules = {(alias.asname or alias.name).split(".")[0] for cell in cells for node in ast.walk(cell.tree)
               if isinstance(node, ast.Import | ast.ImportFrom) for alias in node.names
               if isinstance(node, ast.Import) or node.module == "d2l_helpers"}
    always = {cell.number for cell in cells if "setup" in cell.tags}
    chosen, partly = set(start), set()
    called, files = set(), set()  # names that functions read, at a time that nobody knows; scripts and data
    while True:
        names, size = set(called), (len(chosen), len(called), len(files))
        for cell in reversed(cells):
            flow = cell.flow
            touched = (flow.written | cell.changed(modules)) & names
            made = cell.script and (cell.script in files or cell.script.removesuffix(".py") in files)
            keeps = set(FILE.findall(cell.code)) & files and re.search(r"save|write|dump", cell.code)
            if cell.number not in chosen and touched and touched <= cell.imported and not (made or keeps):
                partly.add(cell.number)
                names -= touched
                files |= imports("\n".join(map(ast.unparse, imports_of(cell.tree))), scripts)
            elif cell.number in chosen or touched or made or keeps:
                chosen.add(cell.number)
                names = names - (flow.certain - flow.now - called) | flow.now
                called |= flow.later
                files |= imports(cell.source, scripts) | set(FILE.findall(cell.source))
                if cell.script:
                    files.add(cell.script.removesuffix(".py"))
        if size == (len(chosen), len(called), len(files)):
            return sorted(chosen | always | {-number for number in partly - chosen - always}, key=abs)


# --- in the child: the cells of one page

def execute(cells, numbers, follow=None):
    """Execute cells as a page does, in one namespace and in this folder; yields (number, seconds, error or "")."""
    import linecache

    namespace = {"__name__": "__main__"}
    page = types.ModuleType("__main__")
    page.__dict__.update(namespace)
    sys.modules["__main__"], namespace = page, page.__dict__  # what pickles or inspects looks there
    for cell in cells:
        if not {cell.number, -cell.number} & set(numbers):
            continue
        tree = cell.tree if cell.number in numbers else ast.Module(imports_of(cell.tree), [])
        begun, error = time.monotonic(), ""
        try:
            if cell.script:
                Path(cell.script).write_text(cell.source.split("\n", 1)[1] + "\n", encoding="utf-8")
            else:
                name = f"<cell {cell.number}>"
                linecache.cache[name] = (len(cell.code), None, cell.code.splitlines(True), name)  # for inspect
                code = compile(tree, name, "exec")
                if follow:
                    follow(cell.number)
                exec(code, namespace)
        except KeyboardInterrupt:
            raise
        except BaseException as problem:
            if isinstance(problem, SystemExit) and not problem.code:
                error = ""
            else:
                error = "".join(traceback.format_exception(problem))
        finally:
            sys.settrace(None)
        yield cell.number, time.monotonic() - begun, error


def child(path, numbers):
    """Execute and report, a JSON line for each cell on the file descriptor that the parent gave."""
    os.environ.setdefault("MPLBACKEND", "Agg")
    sys.path[:0] = ["", str(ROOT)]
    report = os.fdopen(int(os.environ["D2L_REPORT"]), "w")
    for number, seconds, error in execute(cells_of(path), set(numbers)):
        print(json.dumps([number, seconds, error]), file=report, flush=True)


def about():
    """What the machine is, as JSON, from a process that may import torch; {} without a GPU."""
    sys.path.insert(0, str(ROOT))
    try:
        import torch
    except ImportError:
        return {}
    if not torch.cuda.is_available():
        return {}
    import d2l_helpers as d2l
    from d2l_helpers.hardware.gpu import DEVICES

    found = torch.cuda.get_device_properties(0)
    device = torch.cuda.get_device_name(0)
    gpu = {"card": DEVICES.get(device, (device,))[0], "device": device, "count": torch.cuda.device_count(),
           "memory": found.total_memory, "capability": f"{found.major}.{found.minor}",
           "multiprocessors": found.multi_processor_count, "cuda": torch.version.cuda, **clocks()}
    return {**d2l.machine(), "gpu": gpu}


def clocks():
    """Driver, clocks in MHz, limits, from nvidia-smi; what it does not know, or has no say in, is left out."""
    keys = {"driver_version": "driver", "clocks.sm": "clock MHz", "clocks.max.sm": "top clock MHz",
            "clocks.mem": "memory clock MHz", "power.limit": "power limit W", "temperature.gpu": "temperature °C",
            "utilization.gpu": "used %", "memory.used": "memory used MiB"}
    try:
        command = ["nvidia-smi", "--id=0", f"--query-gpu={','.join(keys)}", "--format=csv,noheader,nounits"]
        said = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return {}
    values = [part.strip() for part in said.strip().split("\n")[0].split(",")]
    pairs = zip(keys.values(), values, strict=False)
    return {key: value if key == "driver" else float(value) for key, value in pairs
            if key == "driver" or re.fullmatch(r"[\d.]+", value)}


# --- the record

REQUIRED = {"machine": dict, "versions": dict, "date": str, "gpu": dict, "quiet": dict, "pages": dict, "runs": dict}


def slug(card):
    return "gpu-" + re.sub(r"[^a-z0-9]+", "-", card.lower()).strip("-")


def complaints(record, name, pages=None):
    """What is wrong with a record, one line for each fault; ``name`` is its file's, without .json."""
    if not isinstance(record, dict):
        return ["the record is no object"]
    wrong = [f"{key} is missing, or no {kind.__name__}" for key, kind in REQUIRED.items()
             if not isinstance(record.get(key), kind)]
    if wrong:
        return wrong + [f"unknown: {key}" for key in sorted(set(record) - set(REQUIRED))]
    wrong = [f"unknown: {key}" for key in sorted(set(record) - set(REQUIRED))]
    gpu = record["gpu"]
    wrong += [f"gpu: {key} is missing" for key in ("card", "device", "count", "memory", "capability", "driver", "cuda")
              if not gpu.get(key)]
    if not any("clock" in key for key in gpu):
        wrong.append("gpu: no clock; nvidia-smi tells it")
    if gpu.get("card") and slug(str(gpu["card"])) != name:
        wrong.append(f"a record of {gpu['card']} is {slug(str(gpu['card']))}.json, not {name}.json")
    wrong += [f"machine: {key} is missing" for key in ("cpu", "cores", "gpu") if not record["machine"].get(key)]
    wrong += [f"versions: {key} is missing" for key in ("python", "torch", "numpy") if not record["versions"].get(key)]
    if "+cpu" in str(record["versions"].get("torch")):
        wrong.append("versions: this torch has no CUDA")
    try:
        if date.fromisoformat(record["date"]) > date.today():
            wrong.append(f"date: {record['date']} has not come yet")
    except ValueError:
        wrong.append(f"date: {record['date']!r} is no date")
    if "spread" not in record["quiet"]:
        wrong.append("quiet: the spread is missing")
    if not record["runs"]:
        wrong.append("runs: there is none")
    for key, value in record["runs"].items():
        page, found, _ = key.partition(": ")
        if not found or pages is not None and page not in pages:
            wrong.append(f"runs: {key!r} names no page")
        wrong += [f"runs: {key}: {fault}" for fault in faults(value)]
    return wrong


def faults(value):
    """A measured value is a finite number, or a list or an object of such, not empty; a text is a remark."""
    if isinstance(value, bool | str) or value is None:
        return []
    if isinstance(value, int | float):
        return [] if math.isfinite(value) else ["a number is not finite"]
    if not isinstance(value, list | dict):
        return [f"{type(value).__name__} is no number"]
    inner = list(value.values()) if isinstance(value, dict) else value
    return [fault for part in inner for fault in faults(part)] if inner else ["it is empty"]


# --- the command

def listed():
    """Paths of the pages with a GPU in them, in the order of the table of contents; MXNet's package has no CUDA."""
    toc = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    order = {name: i for i, name in enumerate(re.findall(r"(?m)^[\s-]*file:\s*chapters/([\w-]+)", toc))}
    paths = sorted((ROOT / "chapters").glob("*.ipynb"), key=lambda path: (order.get(path.stem, len(order)), path.stem))
    return [path for path in paths if not path.stem.endswith(("-mxnet", "-exercises"))]


def run_page(path, numbers, folder, seconds, environment=None, command=()):
    """Execute cells of a page in a child; ([(number, seconds, error)], its output, why it ended early or "")."""
    read, write = os.pipe()
    environment = {**os.environ, "D2L_REPORT": str(write), "PYTHONUNBUFFERED": "1", "MPLBACKEND": "Agg",
                   "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])),
                   **(environment or {})}
    command = [sys.executable, *(command or (__file__,)), "--child", str(path), *map(str, numbers)]
    with open(Path(folder, "output.txt"), "w+", encoding="utf-8") as out:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=out,
                                   stderr=subprocess.STDOUT, pass_fds=[write], start_new_session=True)
        os.close(write)
        early = ""
        try:
            if status := process.wait(seconds):
                early = f"it ended with status {status}"
        except subprocess.TimeoutExpired:
            early = f"no end within {seconds:.0f} s"
        finally:
            end(process)
        with os.fdopen(read) as pipe:
            rows = [json.loads(line) for line in pipe if line.endswith("\n")]
        out.seek(0)
        return rows, out.read(), early


def end(process):
    """The child and all that it has started, which are of its group."""
    import signal

    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def one_page(path, folder, gpus, seconds, record):
    """Run one page's GPU sections and say how it went; returns ({key: measured}, summary for the record)."""
    cells = cells_of(path)
    start = sections(cells, gpus)
    numbers = needed(cells, start)
    print(f"{path.stem}: {len(start)} GPU cells, {len(numbers)} in all … ", end="", flush=True)
    begun = time.monotonic()
    rows, output, early = run_page(path, numbers, folder, seconds, {"D2L_RECORD": str(record)})
    took = time.monotonic() - begun
    failed = [(number, error) for number, _, error in rows if error]
    runs = json.loads(record.read_text(encoding="utf-8"))["runs"] if record.exists() else {}
    runs = {key: value for key, value in runs.items() if key.startswith(f"{path.stem}: ")}
    said = ", ".join(filter(None, [f"{len(runs)} measured", f"{len(failed)} cells failed" * bool(failed), early]))
    print(f"{said}, {took:.0f} s", flush=True)
    for number, error in failed:
        print(f"    cell {number}: {error.strip().splitlines()[-1]}")
    if early:
        print(f"    {output.strip().splitlines()[-1] if output.strip() else 'it said nothing'}")
    return runs, {"seconds": round(took), "failed": [f"cell {n}: {e.strip().splitlines()[-1]}" for n, e in failed]
                  + ([early] if early else [])}


def measure(names, into, minutes):
    """All pages, then the record. Returns an exit status."""
    asked = subprocess.run([sys.executable, __file__, "--about"], capture_output=True, text=True)
    machine = json.loads(asked.stdout.strip().splitlines()[-1]) if asked.returncode == 0 and asked.stdout else {}
    if not machine:
        print("no GPU here: make gpu needs a machine with an NVIDIA GPU, and PyTorch with CUDA")
        return 0
    paths = [path for path in listed() if not names or path.stem in names]
    if unknown := set(names) - {path.stem for path in paths}:
        print(f"error: no page with a GPU is called {sorted(unknown)[0]}", file=sys.stderr)
        return 2
    gpu, finish = machine["gpu"], time.monotonic() + 60 * minutes
    print(f"{gpu['count']} × {gpu['device']}, driver {gpu.get('driver', 'unknown')}; at most {minutes:g} minutes")
    sys.path.insert(0, str(ROOT))
    import quiet

    quietness, runs, pages, due = quiet.look(), {}, {}, []
    for path in paths:
        if sections(cells_of(path), gpu["count"]):
            due.append(path)
    for path in due:
        left = finish - time.monotonic()
        if left < 10:
            print(f"{path.stem}: no time left")
            pages[path.stem] = {"seconds": 0, "failed": ["no time left"]}
            continue
        folder = Path(tempfile.mkdtemp(prefix="gpu-"))
        try:
            found, pages[path.stem] = one_page(path, folder, gpu["count"], min(PAGE_LIMIT, left), folder / "run.json")
            runs |= found
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    quietness = quiet.worst(quietness, quiet.look())
    return keep({**machine, "quiet": quietness, "pages": pages, "runs": runs}, Path(into), bool(names))


def keep(record, into, some):
    """Write the record; the pages that were not asked for keep what an earlier run of the same machine had."""
    target = into / f"{slug(record['gpu']['card'])}.json"
    failed = [name for name, page in record["pages"].items() if page["failed"]]
    if some and target.exists():
        before = json.loads(target.read_text(encoding="utf-8"))
        if (before["gpu"]["device"], before["versions"]) != (record["gpu"]["device"], record["versions"]):
            print(f"not written: {target.name} is of another machine or of other versions; run all pages")
            return 1
        record = {**record, **{key: {**before[key], **record[key]} for key in ("pages", "runs")}}
    if record["runs"]:
        into.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    where = target.relative_to(ROOT) if target.is_relative_to(ROOT) else target
    print(f"\n{len(record['runs'])} measurements" + (f" in {where}" if record["runs"] else ", so no record")
          + (f"; of {len(record['pages'])} pages {len(failed)} had failures: {', '.join(failed)}" if failed else ""))
    for fault in complaints(record, target.stem) if record["runs"] else ():
        print(f"    the record is not whole: {fault}")
    return 1 if failed or not record["runs"] else 0


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these pages")
    parser.add_argument("--into", default=ROOT / "records", help="the folder for the record")
    parser.add_argument("--minutes", type=float, default=LIMIT)
    parser.add_argument("--about", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.about:
        print(json.dumps(about()))
        return 0
    if options.child:
        child(options.child, map(int, options.names))
        return 0
    try:
        return measure([Path(name).stem for name in options.names], options.into, options.minutes)
    except KeyboardInterrupt:
        print("\ninterrupted: no record was written", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
