"""The notebooks: their order, setup cell, stamp and tidy form. The Makefile calls the commands.

    list           the notebooks of this platform, in the order of _toc.yml
    write-setup    write the setup cell into every notebook (its address comes from _config.yml), and the drawings
    test NAME…     execute notebooks with nbval and compare every output
    outputs        execute the stale notebooks and write their outputs and stamps (--all: every one)
    bench          execute every notebook, collect the measured goals, and measure `compare` itself
"""
import argparse
import base64
import datetime
import errno
import hashlib
import re
import sys
import tempfile
import warnings
from pathlib import Path

import nbformat
import yaml

import preflight

ROOT = Path(__file__).resolve().parent.parent

SETUP = '''\
# The course's helper module. Where it is missing (on Colab), it is installed; nothing else changes.
import importlib, importlib.util, subprocess, sys

if importlib.util.find_spec("d2l_helpers") is None:
    source = "git+{url}@{branch}"
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-input", source]
    if subprocess.run(pip, capture_output=True).returncode != 0:
        sys.exit(f"d2l_helpers could not be installed from {{source}}: is the network up and the address right?")
    importlib.invalidate_caches()
import d2l_helpers as d2l'''


# --- which notebooks

def listed(root=ROOT, note=None):
    """Paths of the notebooks in the order of _toc.yml, then any other; without what this platform cannot run."""
    root = Path(root)
    found = sorted((root / "chapters").glob("*.ipynb"))
    if (root / "_toc.yml").exists():
        toc = (root / "_toc.yml").read_text(encoding="utf-8")
        order = re.findall(r"(?m)^[\s-]*file:\s*([\w./-]+)", toc)  # the order of the lines is that of the pages
        place = {name: i for i, name in enumerate(order)}
        found.sort(key=lambda p: (place.get(f"chapters/{p.stem}", len(place)), p.name))
    note = preflight.mxnet_note() if note is None else note
    if note and any(p.stem.endswith("-mxnet") for p in found):
        print("note: " + note, file=sys.stderr)
        found = [p for p in found if not p.stem.endswith("-mxnet")]
    return found


def read(path):
    """A notebook. Missing or double cell ids are mended as nbformat does it; the rule of the tests names them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return nbformat.reads(Path(path).read_text(encoding="utf-8"), as_version=4)


def canonical(notebook):
    """The one text of a notebook: sorted keys, indent 1, Unicode as it is, a newline at the end."""
    return nbformat.writes(notebook, version=4).rstrip("\n") + "\n"


# --- the setup cell

def setup_cell(root=ROOT):
    """The text of every notebook's setup cell, with the repository's address from `_config.yml`."""
    repository = yaml.safe_load((Path(root) / "_config.yml").read_text(encoding="utf-8"))["repository"]
    return SETUP.format(url=repository["url"].rstrip("/"), branch=repository.get("branch", "main"))


def is_setup(cell):
    return cell.cell_type == "code" and "setup" in cell.metadata.get("tags", [])


def write_setup(notebook, root=ROOT):
    """Put the setup cell's text into a notebook. Its stamp follows if it was fresh: the output is the same, none."""
    fresh = not stale(notebook, root)
    for cell in filter(is_setup, notebook.cells):
        cell.source = setup_cell(root)
    if fresh:
        notebook.metadata.d2l.update(hashes(notebook, root))


# --- drawings: an SVG of images/ stands inside the notebook that shows it, so that Colab needs no second file

DRAWING = re.compile(r'<img data-drawing="([\w-]+)" alt="([^"]*)" src="([^"]*)">')


def drawn(name, root=ROOT):
    """The address that holds the whole of images/NAME.svg."""
    return "data:image/svg+xml;base64," + base64.b64encode((root / "images" / f"{name}.svg").read_bytes()).decode()


def write_drawings(notebook, root=ROOT):
    """Put the current drawings into the text cells that show them: <img data-drawing="NAME" alt="…" src="">."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = DRAWING.sub(
                lambda m: f'<img data-drawing="{m[1]}" alt="{m[2]}" src="{drawn(m[1], root)}">', cell.source)


# --- the stamp: what the outputs were made from

def hashes(notebook, root=ROOT):
    """Two digests: of the code cells, and of the helper module. Prose and line endings do not count."""
    code = "\0".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    helpers = hashlib.sha256()
    for path in sorted(p for p in (Path(root) / "d2l_helpers").iterdir() if p.suffix in {".py", ".c", ".csv"}):
        helpers.update(path.name.encode() + b"\0" + path.read_bytes().replace(b"\r\n", b"\n") + b"\0")
    return {"source": hashlib.sha256(code.encode()).hexdigest(), "helpers": helpers.hexdigest()}


def stale(notebook, root=ROOT):
    """Why the stored outputs are not those of the code, in words; an empty text if they are."""
    stamp, now = notebook.metadata.get("d2l", {}), hashes(notebook, root)
    if not stamp:
        return "no stamp"
    if any(c.cell_type == "code" and c.execution_count is None for c in notebook.cells):
        return "a cell without outputs"
    if stamp.get("source") != now["source"]:
        return "its code has changed"
    return "d2l_helpers has changed" if stamp.get("helpers") != now["helpers"] else ""


def stamp(notebook, root=ROOT):
    """The whole stamp, for a notebook executed just now on this machine."""
    import d2l_helpers
    machine = dict(d2l_helpers.machine())
    about = {key: machine.pop(key) for key in ("cpu", "system", "gpu") if machine.get(key)}
    return {**hashes(notebook, root), "machine": ", ".join(about.values()), "python": machine.pop("python"),
            "packages": machine, "date": datetime.date.today().isoformat()}


# --- the tidy form

def tidy(notebook):
    """Take out of a notebook what editors and kernels leave in it, in place."""
    meta = notebook.metadata
    kept = {key: meta[key] for key in ("accelerator", "colab", "d2l") if key in meta}
    kept["kernelspec"] = {"display_name": "Python 3", "language": "python", "name": "python3"}
    kept["language_info"] = {"name": "python"}
    notebook.metadata = nbformat.from_dict(kept)
    notebook.nbformat_minor = 5
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict(
            {key: cell.metadata[key] for key in ("mystnb", "nbgrader", "tags") if cell.metadata.get(key)})
        if cell.cell_type == "code":
            cell.outputs = merged(cell.outputs)
    return notebook


def merged(outputs):
    """Outputs with neighbouring pieces of one stream joined: how a kernel cuts a text is chance."""
    result = []
    for output in outputs:
        last = result[-1] if result else {}
        if output.output_type == "stream" == last.get("output_type") and output.name == last.name:
            last.text += output.text
        else:
            result.append(output)
    return result


def output_texts(cell):
    """(what, text) for every readable piece of a code cell's outputs."""
    for output in cell.get("outputs", []):
        if output.output_type == "stream":
            yield output.name, output.text
        elif output.output_type == "error":
            yield "error", f"{output.ename}: {output.evalue}"
        else:
            for kind, data in output.data.items():
                if kind.startswith("text/") or kind.endswith(("json", "xml")):
                    yield kind, data if isinstance(data, str) else str(data)


def machine_path():
    """A pattern for paths that belong to one machine: this one's, and the usual places of others."""
    own = {str(ROOT), str(Path.home()), tempfile.gettempdir(), sys.prefix} - {"/", "/usr", "/usr/local"}
    usual = [r"/home/\w+", r"/Users/\w+", r"/root", r"/tmp", r"/var/folders"]
    return re.compile(r"(?<![\w.~-])(?:" + "|".join([*map(re.escape, own), *usual]) + r")(?![\w-])"
                      r"|site-packages|dist-packages|[A-Z]:\\Users")


def output_problems(notebook):
    """What must not stand in committed outputs, one line each, naming the cell."""
    problems, path = [], machine_path()
    for number, cell in enumerate(notebook.cells, 1):
        for kind, text in output_texts(cell):
            first = text.strip().split("\n")[0][:100]
            if kind == "error":
                problems.append(f"cell {number}: a stored error: {first}")
            elif kind == "stderr":
                problems.append(f"cell {number}: output on stderr: {first}")
            elif re.search(r"\b\w*Warning: ", text):
                problems.append(f"cell {number}: a warning: {first}")
            if found := path.search(text):
                problems.append(f"cell {number}: a path of one machine: {found.group()}")
            if re.search(r"\r(?!\n)|[█▏▎▍▌▋▊▉]", text):
                problems.append(f"cell {number}: a progress bar: {first}")
            if "jupyter.widget" in kind:
                problems.append(f"cell {number}: a widget (use tqdm.std rather than tqdm.auto)")
    return problems


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("list")
    commands.add_parser("write-setup")
    test = commands.add_parser("test")
    test.add_argument("names", nargs="*", metavar="NAME", help="chapters/NAME.ipynb or NAME (default: all)")
    test.add_argument("--marks", type=Path, metavar="FOLDER", help="write FOLDER/NAME.ok for each that passes")
    outputs = commands.add_parser("outputs")
    outputs.add_argument("names", nargs="*", metavar="NAME", help="these, stale or not (default: all that are stale)")
    outputs.add_argument("--all", action="store_true", help="the fresh ones too")
    commands.add_parser("bench")
    options = parser.parse_args(arguments)
    import execute
    try:
        if options.command == "list":
            print(*(path.relative_to(ROOT) for path in listed()), sep="\n")
        elif options.command == "write-setup":
            for path in sorted((ROOT / "chapters").glob("*.ipynb")):
                notebook = read(path)
                write_setup(notebook)
                write_drawings(notebook)
                path.write_text(canonical(notebook), encoding="utf-8")
        elif options.command == "test":
            return execute.test(options.names, options.marks)
        elif options.command == "outputs":
            return execute.outputs(options.names, options.all)
        else:
            return execute.bench()
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        return 130
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        print("error: the disk is full", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.modules["notebooks"] = sys.modules["__main__"]  # execute.py imports this file by its name
    sys.exit(main())
